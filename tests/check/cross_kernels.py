"""Mixed kernels with flags between cores: an AIC hands tiles to its AIVs through global memory, in several ways.

`way` is a constant: "right", or what is wrong.
"""

from typing import Any

from opwright import asc
from opwright.asc import HardEvent, PipeID, TPosition

TILE = 128  # elements of an AIC
HALF = 64  # of one of its two AIVs


@asc.jit(kernel_type="mix_1_2")
def hand_over(x: asc.GlobalAddress, w: asc.GlobalAddress, z: asc.GlobalAddress, turns: int, way: asc.ConstExpr[str]):
    """The AIC copies x to the workspace w; its AIVs add one and write z. Flag 0: w is full, flag 1: w is free."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    w_gm = asc.GlobalTensor()
    w_gm.set_global_buffer(w)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    if asc.ascend_is_aic():
        tile = asc.LocalTensor(x.dtype, TPosition.A1, 0, TILE)
        first = asc.get_block_idx() * TILE
        for i in range(turns):
            if i > 0:
                asc.cross_core_wait_flag(1, 2, PipeID.PIPE_MTE3)
            asc.data_copy(tile, x_gm[first:], asc.DataCopyParams(1, 16, 0, 0))
            asc.set_flag(HardEvent.MTE2_MTE3, 0)
            asc.wait_flag(HardEvent.MTE2_MTE3, 0)
            asc.data_copy(w_gm[first:], tile, asc.DataCopyParams(1, 16, 0, 0))
            if way == "another pipe":
                asc.cross_core_set_flag(0, 2, PipeID.PIPE_MTE2)
            elif way != "never set":
                asc.cross_core_set_flag(0, 2, PipeID.PIPE_MTE3)
            asc.set_flag(HardEvent.MTE3_MTE2, 0)
            asc.wait_flag(HardEvent.MTE3_MTE2, 0)
    else:
        a = asc.LocalTensor(x.dtype, TPosition.VECIN, 0, HALF)
        mine = asc.get_block_idx() * HALF
        for i in range(turns):
            if way != "not waited for":
                asc.cross_core_wait_flag(0, 2, PipeID.PIPE_MTE2)
            asc.data_copy(a, w_gm[mine:], HALF)
            asc.set_flag(HardEvent.MTE2_V, 0)
            asc.wait_flag(HardEvent.MTE2_V, 0)
            asc.adds(a, a, 1.0, HALF)
            asc.set_flag(HardEvent.V_MTE3, 0)
            asc.wait_flag(HardEvent.V_MTE3, 0)
            asc.data_copy(z_gm[mine:], a, HALF)
            if i + 1 < turns:
                if way == "set too early":
                    asc.cross_core_set_flag(1, 2, PipeID.PIPE_MTE2)
                elif way != "one sets it" or asc.get_sub_block_idx() == 0:
                    # What MTE3 has waited for counts too: V for MTE2, and MTE3 for V.
                    asc.cross_core_set_flag(1, 2, PipeID.PIPE_MTE3)
            asc.set_flag(HardEvent.MTE3_MTE2, 0)
            asc.wait_flag(HardEvent.MTE3_MTE2, 0)


@asc.jit(kernel_type="mix_1_2")
def all_meet(x: asc.GlobalAddress, z: asc.GlobalAddress, aiv_only: asc.ConstExpr[bool]):
    """Every core writes a block of z, all meet, and every AIV reads those of the AIC and the AIV after its own."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    block = asc.get_block_idx()
    groups = asc.get_block_num()
    if asc.ascend_is_aic():
        tile = asc.LocalTensor(x.dtype, TPosition.A1, 0, 8)
        asc.data_copy(tile, x_gm[block * 8 :], asc.DataCopyParams(1, 1, 0, 0))
        asc.set_flag(HardEvent.MTE2_MTE3, 0)
        asc.wait_flag(HardEvent.MTE2_MTE3, 0)
        asc.data_copy(z_gm[block * 8 :], tile, asc.DataCopyParams(1, 1, 0, 0))
        if not aiv_only:
            asc.sync_all(is_aiv_only=False)
    else:
        a = asc.LocalTensor(x.dtype, TPosition.VECIN, 0, 8)
        asc.data_copy(a, x_gm[(groups + block) * 8 :], 8)
        asc.pipe_barrier(PipeID.PIPE_ALL)
        asc.data_copy(z_gm[(groups + block) * 8 :], a, 8)
        asc.sync_all(is_aiv_only=aiv_only)
        after = (block + 1) % (groups * 2)
        asc.data_copy(a, z_gm[(groups + after) * 8 :], 8)
        asc.pipe_barrier(PipeID.PIPE_ALL)
        asc.data_copy(z_gm[(groups * 3 + block) * 8 :], a, 8)
        asc.pipe_barrier(PipeID.PIPE_ALL)
        asc.data_copy(a, z_gm[after // 2 * 8 :], 8)
        asc.pipe_barrier(PipeID.PIPE_ALL)
        asc.data_copy(z_gm[(groups * 5 + block) * 8 :], a, 8)


@asc.jit(kernel_type="mix_1_2", soc="ascend950")
def to_one(x: asc.GlobalAddress, z: asc.GlobalAddress, way: asc.ConstExpr[str]):
    """The AIC copies a tile to UB of each AIV, which adds one: mode 4. Flag 0: UB is free, flag 1: it is full."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    tile = asc.LocalTensor(x.dtype, TPosition.VECIN, 0, HALF)
    if asc.ascend_is_aic():
        both = asc.LocalTensor(x.dtype, TPosition.A1, 0, TILE)
        asc.data_copy(both, x_gm[asc.get_block_idx() * TILE :], asc.DataCopyParams(1, 16, 0, 0))
        asc.set_flag(HardEvent.MTE2_MTE1, 0)
        asc.wait_flag(HardEvent.MTE2_MTE1, 0)
        asc.cross_core_wait_flag(0, 4, PipeID.PIPE_MTE1)
        asc.data_copy_l1_to_ub(tile, both, HALF, 0)
        asc.cross_core_set_flag(1, 4, PipeID.PIPE_MTE1)
        asc.cross_core_wait_flag(16, 4, PipeID.PIPE_MTE1)
        if way == "set too early":
            asc.cross_core_set_flag(17, 4, PipeID.PIPE_MTE1)
        asc.data_copy_l1_to_ub(tile, both[HALF:], HALF, 1)
        if way == "of the first":
            asc.cross_core_set_flag(1, 4, PipeID.PIPE_MTE1)
        elif way != "set too early":
            asc.cross_core_set_flag(17, 4, PipeID.PIPE_MTE1)
    else:
        asc.duplicate(tile, 7.0, HALF)
        if way == "another pipe":
            asc.cross_core_set_flag(0, 4, PipeID.PIPE_MTE2)
        else:
            asc.cross_core_set_flag(0, 4, PipeID.PIPE_V)
        if way == "another pipe waits":
            asc.cross_core_wait_flag(1, 4, PipeID.PIPE_MTE3)
        else:
            asc.cross_core_wait_flag(1, 4, PipeID.PIPE_V)
        asc.adds(tile, tile, 1.0, HALF)
        asc.set_flag(HardEvent.V_MTE3, 0)
        asc.wait_flag(HardEvent.V_MTE3, 0)
        asc.data_copy(z_gm[asc.get_block_idx() * HALF :], tile, HALF)


@asc.jit(kernel_type="mix_1_2")
def named(z: asc.GlobalAddress, on_aic: asc.ConstExpr[bool], call: asc.ConstExpr[str], which: asc.ConstExpr[Any]):
    """One kind of core names a pipe or an event in one call."""
    if asc.ascend_is_aic() == on_aic:
        if call == "pipe_barrier":
            asc.pipe_barrier(which)
        elif call == "set_flag":
            asc.set_flag(which, 0)
        elif call == "wait_flag":
            asc.wait_flag(which, 0)
        elif call == "cross_core_set_flag":
            asc.cross_core_set_flag(0, 2, which)
        else:
            asc.cross_core_wait_flag(0, 2, which)


@asc.jit(kernel_type="mix_1_2", soc="ascend950")
def numbered(z: asc.GlobalAddress, flag: int):
    """The AIC sets a flag of mode 4, and the AIV that it belongs to waits."""
    if asc.ascend_is_aic():
        asc.cross_core_set_flag(flag, 4, PipeID.PIPE_FIX)
    elif asc.get_sub_block_idx() == flag // 16:
        asc.cross_core_wait_flag(flag % 16, 4, PipeID.PIPE_MTE2)


@asc.jit(kernel_type="mix_1_2", soc="ascend950")
def swap(x: asc.GlobalAddress, w: asc.GlobalAddress, z: asc.GlobalAddress, way: asc.ConstExpr[str]):
    """The two AIVs of a group exchange tiles through w, in mode 1."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    w_gm = asc.GlobalTensor()
    w_gm.set_global_buffer(w)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    if asc.ascend_is_aiv():
        a = asc.LocalTensor(x.dtype, TPosition.VECIN, 0, HALF)
        b = asc.LocalTensor(x.dtype, TPosition.VECIN, 4 * HALF, HALF)
        mine = asc.get_block_idx() * HALF
        other = (asc.get_block_idx() + 1 - 2 * asc.get_sub_block_idx()) * HALF
        asc.data_copy(a, x_gm[mine:], HALF)
        asc.set_flag(HardEvent.MTE2_MTE3, 0)
        asc.wait_flag(HardEvent.MTE2_MTE3, 0)
        asc.data_copy(w_gm[mine:], a, HALF)
        if way == "another pipe":
            asc.cross_core_set_flag(3, 1, PipeID.PIPE_MTE2)
        elif way != "one sets it" or asc.get_sub_block_idx() == 0:
            asc.cross_core_set_flag(3, 1, PipeID.PIPE_MTE3)
        if way == "another pipe waits":
            asc.cross_core_wait_flag(3, 1, PipeID.PIPE_MTE3)
        elif way != "not waited for":
            asc.cross_core_wait_flag(3, 1, PipeID.PIPE_MTE2)
        asc.data_copy(b, w_gm[other:], HALF)
        asc.set_flag(HardEvent.MTE2_MTE3, 1)
        asc.wait_flag(HardEvent.MTE2_MTE3, 1)
        asc.data_copy(z_gm[mine:], b, HALF)
