"""Kernels of the golden texts: fills and broadcasts."""

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
