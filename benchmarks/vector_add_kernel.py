"""The kernel that `vector_add.py` measures, in a file of its own so that a fresh process can import it alone."""

from opwright import asc


@asc.jit
def vadd(
    x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, block_length: int, tile: asc.ConstExpr[int] = 2048
):
    """z = x + y, one buffer: what counts here is the twin's speed, not a chip's."""
    offset = asc.get_block_idx() * block_length
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + offset, block_length)
    y_gm.set_global_buffer(y + offset, block_length)
    z_gm.set_global_buffer(z + offset, block_length)
    size = tile * x.dtype.sizeof()
    x_local = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, tile)
    y_local = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, size, tile)
    z_local = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, 2 * size, tile)
    asc.set_flag(asc.HardEvent.V_MTE2, 0)
    asc.set_flag(asc.HardEvent.MTE3_V, 0)
    for begin in range(0, block_length, tile):
        count = min(tile, block_length - begin)
        asc.wait_flag(asc.HardEvent.V_MTE2, 0)
        asc.data_copy(x_local, x_gm[begin:], count)
        asc.data_copy(y_local, y_gm[begin:], count)
        asc.set_flag(asc.HardEvent.MTE2_V, 0)
        asc.wait_flag(asc.HardEvent.MTE2_V, 0)
        asc.wait_flag(asc.HardEvent.MTE3_V, 0)
        asc.add(z_local, x_local, y_local, count)
        asc.set_flag(asc.HardEvent.V_MTE2, 0)
        asc.set_flag(asc.HardEvent.V_MTE3, 0)
        asc.wait_flag(asc.HardEvent.V_MTE3, 0)
        asc.data_copy(z_gm[begin:], z_local, count)
        asc.set_flag(asc.HardEvent.MTE3_V, 0)
    asc.wait_flag(asc.HardEvent.V_MTE2, 0)
    asc.wait_flag(asc.HardEvent.MTE3_V, 0)
