"""Kernels of the golden texts: copies of slices, padding values, scaled casts, small floats, interpolation."""

from golden_case import case

from opwright import asc


@case("f32[512]", "f32[512]", 3, 1.5)
@asc.jit
def slices(x: asc.GlobalAddress, z: asc.GlobalAddress, rows: int, value: float):
    """Lists of slices, in both directions; a slice that is used twice has a name."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 512)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 512)
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 256)
    outer = asc.SliceInfo(0, rows - 1, 0, 1, rows)
    inner = asc.SliceInfo(0, 15, 0, 2, 16)
    asc.data_copy(a, x_gm, [inner, outer], [asc.SliceInfo(8, 23, 0, 2, 64), outer], 2)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, a, [asc.SliceInfo(4, 19, 0, 2, 32)], [inner])
    asc.set_pad_value(value)
    asc.set_pad_value(-1, asc.TPosition.VECIN)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    plain = asc.DataCopyEnhancedParams()
    asc.data_copy(a, x_gm, asc.DataCopyParams(2, 1), plain)
    asc.data_copy(a[128:], a, asc.DataCopyParams(2, 1), plain)
    asc.data_copy(z_gm, a, asc.DataCopyParams(2, 1), plain)
    asc.data_copy_pad(a[64:], x_gm, asc.DataCopyExtParams(2, 20), asc.DataCopyPadExtParams(asc.float32, False, 0, 3))


@case("i8[512]", 0.25, 2)
@asc.jit
def scaled_casts(z: asc.GlobalAddress, scale: float, turns: int):
    """One scale, a tensor of them, and blocks that are added up by weights."""
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 512)
    i = asc.LocalTensor(asc.int16, asc.TPosition.VECIN, 0, 256)
    c = asc.LocalTensor(asc.int8, asc.TPosition.VECOUT, 1024, 512)
    w = asc.LocalTensor(asc.uint64, asc.TPosition.VECCALC, 2048, 16)
    h = asc.LocalTensor(asc.float16, asc.TPosition.VECCALC, 4096, 512)
    u = asc.LocalTensor(asc.uint32, asc.TPosition.VECCALC, 8192, 64)
    room = asc.LocalTensor(asc.uint8, asc.TPosition.VECCALC, 16384, 8192)
    params = asc.UnaryRepeatParams(1, 1, 8, 8)
    asc.set_deq_scale(scale, 3, True)
    asc.cast_deq(c, i, 64, False)
    asc.cast_deq(c, i, 64, turns, params, True, False, False)
    asc.set_deq_scale(w, asc.VdeqInfo([0.5, scale], [1, turns], [True, False]))
    asc.cast_deq(c, i, 256)
    asc.cast_deq(c, i, [7, 1], turns, params, half_block=False)
    asc.bilinear_interpolation(h[256:], h, u, h[128:], 128, 1, True, 1, 128, turns, room)
    asc.bilinear_interpolation(h[256:], h, u, h[128:], [7, 1], turns, False, 1, 128, 1, room)
    asc.data_copy(z_gm, c, 512)


@case("u8[256]", soc="ascend950")
@asc.jit
def small_floats(z: asc.GlobalAddress):
    """Floats of 8 bits and integers of 4 are bytes outside."""
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 256)
    f = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 256)
    b = asc.LocalTensor(asc.uint8, asc.TPosition.VECOUT, 1024, 256)
    codes = b.reinterpret_cast(asc.hifloat8)
    asc.cast(codes, f, asc.RoundMode.CAST_ROUND, 256)
    asc.cast(f, codes[32:], asc.RoundMode.CAST_NONE, 128)
    asc.cast(b.reinterpret_cast(asc.float8_e4m3), f, asc.RoundMode.CAST_RINT, 128)
    asc.cast(b.reinterpret_cast(asc.float8_e5m2)[128:], f, asc.RoundMode.CAST_RINT, 128)
    h = asc.LocalTensor(asc.float16, asc.TPosition.VECIN, 2048, 64)
    asc.cast(b.reinterpret_cast(asc.int4)[64:], h, asc.RoundMode.CAST_FLOOR, 64)
    asc.data_copy(z_gm, b, 256)
