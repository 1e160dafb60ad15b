"""Kernels whose events are known, for the tests of traces."""

from opwright import asc
from opwright.asc import HardEvent, PipeID, TPosition


@asc.jit
def add_twice(dst, src):
    """A helper: its lines are found, too."""
    asc.adds(dst, src, 1.0, 64)
    asc.pipe_barrier(PipeID.PIPE_V)
    asc.adds(dst, dst, 1.0, 64)


@asc.jit(auto_sync=False)
def in_two_phases(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress):
    """Core k writes part k of y; then it copies part k + 1, which another core wrote, to z. Core 0 does more first."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    y_gm = asc.GlobalTensor()
    y_gm.set_global_buffer(y)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    core = asc.get_block_idx()
    a = asc.LocalTensor(x.dtype, TPosition.VECIN, 0, 64)
    b = asc.LocalTensor(x.dtype, TPosition.VECOUT, 256, 64)
    asc.data_copy(a, x_gm[core * 64 :], 64)
    asc.set_flag(HardEvent.MTE2_V, 1)
    asc.wait_flag(HardEvent.MTE2_V, 1)
    add_twice(b, a)
    if core == 0:
        asc.pipe_barrier(PipeID.PIPE_ALL)
    asc.set_flag(HardEvent.V_MTE3, 0)
    asc.wait_flag(HardEvent.V_MTE3, 0)
    asc.data_copy(y_gm[core * 64 :], b, 64)
    asc.sync_all()
    asc.data_copy(a, y_gm[(core + 1) % asc.get_block_num() * 64 :], 64)
    asc.set_flag(HardEvent.MTE2_MTE3, 0)
    asc.wait_flag(HardEvent.MTE2_MTE3, 0)
    asc.data_copy(z_gm[core * 64 :], a, 64)


@asc.jit
def copies_often(x: asc.GlobalAddress, z: asc.GlobalAddress, times: int):
    """Nothing lets the copy in wait for the copy out of the turn before."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, TPosition.VECCALC, 0, 64)
    for turn in range(times):
        asc.data_copy(a, x_gm, 64)
        asc.set_flag(HardEvent.MTE2_MTE3, turn % 2)
        asc.wait_flag(HardEvent.MTE2_MTE3, turn % 2)
        asc.data_copy(z_gm[asc.get_block_idx() * 64 :], a, 64)
