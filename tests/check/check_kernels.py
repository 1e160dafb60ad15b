"""Kernels with known mistakes, for the tests of reports, traces and the command line."""

from opwright import asc
from opwright.asc import HardEvent, TPosition


@asc.jit
def two_mistakes(x: asc.GlobalAddress, z: asc.GlobalAddress, tiles: int):
    """Nothing lets the copy wait for the add of the turn before; nothing writes all that is copied out."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, TPosition.VECIN, 0, 64)
    b = asc.LocalTensor(x.dtype, TPosition.VECOUT, 256, 64)
    for tile in range(tiles):
        asc.data_copy(a, x_gm[tile * 64 :], 56)
        asc.set_flag(HardEvent.MTE2_V, 0)
        asc.wait_flag(HardEvent.MTE2_V, 0)
        asc.adds(b, a, 1.0, 57)
        asc.set_flag(HardEvent.V_MTE3, 0)
        asc.wait_flag(HardEvent.V_MTE3, 0)
        asc.data_copy(z_gm[asc.get_block_idx() * 1024 + tile * 64 :], b, 64)
        asc.set_flag(HardEvent.MTE3_V, 0)
        asc.wait_flag(HardEvent.MTE3_V, 0)


@asc.jit
def all_write(z: asc.GlobalAddress):
    """Every core writes the same eight elements."""
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    a = asc.LocalTensor(z.dtype, TPosition.VECOUT, 0, 64)
    asc.duplicate(a, 1.0, 64)
    asc.set_flag(HardEvent.V_MTE3, 0)
    asc.wait_flag(HardEvent.V_MTE3, 0)
    asc.data_copy(z_gm[16:], a, 8)


@asc.jit
def adds_one(x: asc.GlobalAddress, z: asc.GlobalAddress):
    """A right one: 64 elements for each core."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    first = asc.get_block_idx() * 64
    a = asc.LocalTensor(x.dtype, TPosition.VECIN, 0, 64)
    asc.data_copy(a, x_gm[first:], 64)
    asc.set_flag(HardEvent.MTE2_V, 0)
    asc.wait_flag(HardEvent.MTE2_V, 0)
    asc.adds(a, a, 1.0, 64)
    asc.set_flag(HardEvent.V_MTE3, 0)
    asc.wait_flag(HardEvent.V_MTE3, 0)
    asc.data_copy(z_gm[first:], a, 64)


@asc.jit
def races_within(x: asc.GlobalAddress, z: asc.GlobalAddress):
    """The add does not wait for the copy."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, TPosition.VECIN, 0, 64)
    b = asc.LocalTensor(x.dtype, TPosition.VECOUT, 256, 64)
    asc.data_copy(a, x_gm, 64)
    asc.adds(b, a, 1.0, 64)
    asc.set_flag(HardEvent.V_MTE3, 0)
    asc.wait_flag(HardEvent.V_MTE3, 0)
    asc.data_copy(z_gm, b, 64)


@asc.jit
def tiles_apart(z: asc.GlobalAddress, tiles: int):
    """Ten tiles a core, from `tiles` tiles after those of the core before on."""
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    a = asc.LocalTensor(z.dtype, TPosition.VECOUT, 0, 64)
    asc.duplicate(a, 1.0, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    for tile in range(10):
        asc.data_copy(z_gm[(asc.get_block_idx() * tiles + tile) * 64 :], a, 64)


@asc.jit
def writes_both(x: asc.GlobalAddress, z: asc.GlobalAddress):
    """Every core writes both."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, TPosition.VECOUT, 0, 64)
    asc.duplicate(a, 1.0, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, a, 64)
    asc.data_copy(x_gm, a, 64)


@asc.jit
def counts_to_nothing(z: asc.GlobalAddress):
    """How often it turns is read where nothing was written."""
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    a = asc.LocalTensor(asc.uint32, TPosition.VECCALC, 0, 8)
    total = 0
    for i in range(a.get_value(0)):
        total = total ^ i * 3
    z_gm.set_value(0, asc.number(total % 7, asc.float32))


@asc.jit
def reads_pieces(x: asc.GlobalAddress, turns: int):
    """Every core copies the same 64 pieces, again and again."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    a = asc.LocalTensor(x.dtype, TPosition.VECIN, 0, 512)
    for _ in range(turns):
        asc.data_copy(a, x_gm, asc.DataCopyParams(64, 1, 1, 0))
        asc.pipe_barrier(asc.PipeID.PIPE_MTE2)


@asc.jit
def copies_too_little(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    """Of 63 elements 56 fill whole blocks: the copy of more is a warning."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, TPosition.VECIN, 0, 64)
    asc.data_copy(a, x_gm, n)
    asc.set_flag(HardEvent.MTE2_MTE3, 0)
    asc.wait_flag(HardEvent.MTE2_MTE3, 0)
    asc.data_copy(z_gm, a, 56)


@asc.jit
def sets_once_more(n: int):
    """Nothing goes wrong if the loop turns once; it would in the second turn. Known before any run."""
    for _ in range(n):
        asc.set_flag(HardEvent.V_MTE3, 0)
    asc.wait_flag(HardEvent.V_MTE3, 0)
