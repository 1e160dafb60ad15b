"""Kernels of the golden texts: fills, broadcasts and copies by lanes."""

from golden_case import case

from opwright import asc


@case("{}[512]", 2, dtypes=("bf16", "i32"))
@asc.jit
def fills(z: asc.GlobalAddress, turns: int):
    """Fills with strides, and one element for each block."""
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 512)
    a = asc.LocalTensor(z.dtype, asc.TPosition.VECIN, 0, 512)
    c = asc.LocalTensor(z.dtype, asc.TPosition.VECOUT, 2048, 512)
    asc.duplicate(a, 3, 64, turns, 1, 8)
    asc.duplicate(a, turns, [turns, 5], 2, 2, 16)
    asc.brcb(c, a, turns, asc.BrcbRepeatParams(1, 8))
    asc.data_copy(z_gm, c, 512)


@case("{}[512]", "{}[512]", 2, dtypes=("f16", "u32"))
@asc.jit
def copies_of_lanes(x: asc.GlobalAddress, z: asc.GlobalAddress, turns: int):
    """Copies within UB that step by repeats."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 512)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 512)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 512)
    c = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, 2048, 512)
    asc.data_copy(a, x_gm, 512)
    asc.copy(c, a, 64, turns, asc.CopyRepeatParams(1, 1, 8, 8))
    asc.copy(c, a, [turns, 5], 2, asc.CopyRepeatParams(2, 1, 16, 8))
    asc.data_copy(z_gm, c, 512)
