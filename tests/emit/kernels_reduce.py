"""Kernels of the golden texts: reductions."""

from golden_case import case

from opwright import asc


@case("{}[512]", "{}[512]", 2, dtypes=("f16", "f32"))
@asc.jit
def reductions(x: asc.GlobalAddress, z: asc.GlobalAddress, turns: int):
    """Every call that makes one value of many, with masks as numbers of lanes and as bits."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 512)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 512)
    pipe = asc.TPipe()
    a_buffer = asc.TBuf(asc.TPosition.VECIN)
    pipe.init_buffer(a_buffer, 2048)
    a = a_buffer.get(x.dtype)
    c_buffer = asc.TBuf(asc.TPosition.VECOUT)
    pipe.init_buffer(c_buffer, 2048)
    c = c_buffer.get(x.dtype)
    t_buffer = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(t_buffer, 2048)
    t = t_buffer.get(x.dtype)
    asc.data_copy(a, x_gm, 512)
    asc.block_reduce_sum(c, a, turns, 64, 1, 1, 8)
    asc.block_reduce_sum(c, a, turns, [turns, 5], 1, 1, 8)
    asc.block_reduce_max(c, a, turns, 64, 1, 1, 8)
    asc.block_reduce_max(c, a, turns, [7], 1, 1, 8)
    asc.block_reduce_min(c, a, turns, 64, 1, 1, 8)
    asc.block_reduce_min(c, a, turns, [7], 1, 1, 8)
    asc.pair_reduce_sum(c, a, turns, 64, 1, 1, 8)
    asc.pair_reduce_sum(c, a, turns, [7], 1, 1, 8)
    asc.repeat_reduce_sum(c, a, turns, 64, 1, 1, 1, 8)
    asc.whole_reduce_sum(c, a, 64, turns, 1, 1, 8)
    asc.whole_reduce_sum(c, a, [7], turns, 1, 1, 8)
    asc.whole_reduce_max(c, a, 64, turns, 1, 1, 8)
    asc.whole_reduce_max(c, a, [7], turns, 1, 1, 8, asc.ReduceOrder.ORDER_ONLY_INDEX)
    asc.whole_reduce_min(c, a, 64, turns, 1, 1, 8, order=asc.ReduceOrder.ORDER_INDEX_VALUE)
    asc.whole_reduce_min(c, a, [7], turns, 1, 1, 8, asc.ReduceOrder.ORDER_ONLY_VALUE)
    asc.reduce_sum(c, a, t, 64, turns, 8)
    asc.reduce_sum(c, a, t, [7], turns, 8)
    asc.reduce_sum(c, a, t, 100)
    asc.reduce_max(c, a, t, 64, turns, 8)
    asc.reduce_max(c, a, t, [7], turns, 8, True)
    asc.reduce_max(c, a, t, 100, cal_index=True)
    asc.reduce_min(c, a, t, 64, turns, 8, True)
    asc.reduce_min(c, a, t, [7], turns, 8)
    asc.reduce_min(c, a, t, 100)
    asc.data_copy(z_gm, c, 512)
