"""Kernels of the golden texts: calls that compute and convert at once."""

from golden_case import case

from opwright import asc


@case("f16[128]", 0.5, 2)
@asc.jit
def computing_casts(z: asc.GlobalAddress, scale: float, turns: int):
    """Sums and products that become another type, and the scale of a core."""
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 128)
    h = asc.LocalTensor(asc.float16, asc.TPosition.VECOUT, 0, 128)
    f = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 1024, 128)
    i = asc.LocalTensor(asc.int32, asc.TPosition.VECIN, 2048, 128)
    b = asc.LocalTensor(asc.int8, asc.TPosition.VECCALC, 4096, 128)
    params = asc.BinaryRepeatParams(1, 1, 1, 4, 8, 8)
    asc.add_relu_cast(h, f, f, 64)
    asc.add_relu_cast(h, f, f, 64, turns, params)
    asc.add_relu_cast(h, f, f, [turns, 1], 2, params)
    asc.sub_relu_cast(h, f, f, 64)
    asc.sub_relu_cast(h, f, f, 64, turns, params)
    asc.sub_relu_cast(h, f, f, [turns, 1], 2, params)
    asc.mul_cast(b, h, h, 64)
    asc.mul_cast(b, h, h, 64, 1, params)
    asc.mul_cast(b, h, h, [7], 1, params)
    asc.set_deq_scale(0.5)
    asc.add_deq_relu(h, i, i, 64)
    asc.set_deq_scale(scale)
    asc.add_deq_relu(h, i, i, 64, turns, params)
    asc.add_deq_relu(h, i, i, [7], turns, params)
    asc.data_copy(z_gm, h, 128)
