"""The border: every argument that a launch refuses, and those near them that it takes."""

import ctypes
import functools
import math
import struct
from collections.abc import Iterator

import ml_dtypes
import numpy as np
import pytest

from opwright import asc
from opwright.errors import (
    ArgumentError,
    GradArgument,
    GridOutOfRange,
    NegatedArgument,
    NotAKernel,
    NotAnArray,
    NotAStream,
    NotContiguous,
    NpuTensor,
    OutOfRange,
    OutsideKernel,
    PartialOverlap,
    ReadOnlyArgument,
    UnknownSoc,
    UnsupportedDtype,
    WrongArguments,
    WrongByteOrder,
    WrongDevice,
)

torch = pytest.importorskip("torch", reason="torch is not installed")

N = 64


@asc.jit
def copy(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    z_gm.set_global_buffer(z, n)
    buf = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 0, n)
    asc.data_copy(buf, x_gm, n)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, buf, n)


@asc.jit
def copy_part(x: asc.GlobalAddress, z: asc.GlobalAddress):
    """A part for each core."""
    start = asc.get_block_idx() * 8
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + start, 8)
    z_gm.set_global_buffer(z + start, 8)
    buf = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 0, 8)
    asc.data_copy(buf, x_gm, 8)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, buf, 8)


@asc.jit(may_overlap=True)
def move(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    z_gm.set_global_buffer(z, n)
    buf = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 0, n)
    asc.data_copy(buf, x_gm, n)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, buf, n)


@asc.jit(soc="ascend950")
def add(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    y_gm.set_global_buffer(y, n)
    z_gm.set_global_buffer(z, n)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, n)
    b = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 4096, n)
    asc.data_copy(a, x_gm, n)
    asc.data_copy(b, y_gm, n)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.add(a, a, b, n)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, a, n)


@asc.jit
def scalars(z: asc.GlobalAddress, i: int, f: float = 0.25, b: bool = False, k: asc.ConstExpr[int] = 100):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 32)
    buf = asc.LocalTensor(z.dtype, asc.TPosition.VECOUT, 0, 32)
    asc.duplicate(buf, i, 8)
    asc.duplicate(buf[8:], f, 8)
    asc.duplicate(buf[16:], 1 if b else 0, 8)
    asc.duplicate(buf[24:], k, 8)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, buf, 32)


@asc.jit
def untyped(z: asc.GlobalAddress, n):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 8)
    buf = asc.LocalTensor(z.dtype, asc.TPosition.VECOUT, 0, 8)
    asc.duplicate(buf, n / 4, 8)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, buf, 8)


@asc.jit
def constant(z: asc.GlobalAddress, k: asc.ConstExpr):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 8)
    buf = asc.LocalTensor(z.dtype, asc.TPosition.VECOUT, 0, 8)
    asc.duplicate(buf, k, 8)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, buf, 8)


@asc.jit
def first_of(z: asc.GlobalAddress, k: asc.ConstExpr):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 8)
    buf = asc.LocalTensor(z.dtype, asc.TPosition.VECOUT, 0, 8)
    asc.duplicate(buf, k[0] / 2 if k[0] == 1.5 else k[0], 8)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, buf, 8)


def ramp(dtype: object = np.float32, n: int = N) -> np.ndarray:
    return np.arange(n).astype(dtype)


def hole(dtype: object = np.float32, n: int = N) -> np.ndarray:
    """An output in which every forgotten element shows: NaN, or -1."""
    return np.frombuffer(bytearray(b"\xff" * (n * np.dtype(dtype).itemsize)), dtype)


def launched(*arguments: object, **keywords: object) -> list[float]:
    """What `scalars` made of its four scalars."""
    z = hole(np.float32, 32)
    scalars[1](z, *arguments, **keywords)
    parts = z.reshape(4, 8)
    assert (parts.view(np.uint32) == parts.view(np.uint32)[:, :1]).all()
    return [float(part[0]) for part in parts]


# Memory -------------------------------------------------------------------------------------------------------


def not_contiguous() -> Iterator[object]:
    yield pytest.param(ramp(n=2 * N)[::2], id="numpy-step")
    yield pytest.param(ramp()[::-1], id="numpy-reversed")
    yield pytest.param(ramp().reshape(8, 8).T, id="numpy-transposed")
    yield pytest.param(np.asfortranarray(ramp().reshape(8, 8)), id="numpy-fortran")
    yield pytest.param(np.broadcast_to(np.float32(1), (N,)), id="numpy-broadcast")
    yield pytest.param(torch.arange(2.0 * N)[::2], id="torch-step")
    yield pytest.param(torch.arange(float(N)).reshape(8, 8).T, id="torch-transposed")
    yield pytest.param(torch.ones(1).expand(N), id="torch-expanded")
    yield pytest.param(torch.ones(N).to_sparse(), id="torch-sparse")


@pytest.mark.parametrize("given", list(not_contiguous()))
def test_not_contiguous(given: object) -> None:
    z = hole()
    with pytest.raises(NotContiguous, match="argument x is not contiguous") as caught:
        copy[1](given, z, N)
    assert f"shape {tuple(given.shape)}" in str(caught.value)
    assert "ascontiguousarray(x)" in str(caught.value)
    assert np.isnan(z).all()
    with pytest.raises(NotContiguous, match="argument z"):
        copy[1](ramp(), given, N)


def test_contiguous_in_any_number_of_dimensions() -> None:
    for shape in ((N,), (8, 8), (1, N, 1), (N, 1)):
        z = hole().reshape(shape)
        copy[1](ramp().reshape(shape), z, N)
        np.testing.assert_array_equal(z, ramp().reshape(shape))
        t = torch.full(shape, math.nan)
        copy[1](torch.arange(float(N)).reshape(shape), t, N)
        np.testing.assert_array_equal(t.numpy(), ramp().reshape(shape))


def test_part_of_a_larger_array() -> None:
    z = hole(n=3 * N)
    copy[1](ramp(n=3 * N)[N : 2 * N], z[N : 2 * N], N)
    np.testing.assert_array_equal(z[N : 2 * N], ramp(n=2 * N)[N:])
    assert np.isnan(z[:N]).all() and np.isnan(z[2 * N :]).all()


def test_read_only() -> None:
    x, z = ramp(), hole()
    x.flags.writeable = False
    copy[1](x, z, N)
    np.testing.assert_array_equal(z, x)
    before = x.copy()
    with pytest.raises(ReadOnlyArgument, match="argument z is read-only and the kernel writes to it"):
        copy[1](z, x, N)
    np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("dtype", [">f4", ">i2", ">u8"])
def test_byte_order(dtype: str) -> None:
    with pytest.raises(WrongByteOrder, match="argument x has byte order '>'"):
        copy[1](ramp(dtype), hole(np.dtype(dtype).newbyteorder("=")), N)


@pytest.mark.parametrize(
    "dtype",
    ["float64", "complex64", "object", "bool", "S4", "U3", "datetime64[s]", "longdouble", [("a", "f4")], "V4"],
    ids=str,
)
def test_unsupported_numpy(dtype: object) -> None:
    with pytest.raises(UnsupportedDtype, match=r"argument x has type .*which Ascend C does not have") as caught:
        copy[1](np.zeros(N, dtype), hole(), N)
    assert "bfloat16" in str(caught.value)
    with pytest.raises(UnsupportedDtype, match="argument z"):
        copy[1](ramp(), np.zeros(N, dtype), N)


@pytest.mark.parametrize("dtype", [torch.float64, torch.complex64, torch.bool, torch.float8_e4m3fn], ids=str)
def test_unsupported_torch(dtype: torch.dtype) -> None:
    with pytest.raises(UnsupportedDtype, match=f"argument x has type {dtype}"):
        copy[1](torch.zeros(N, dtype=dtype), hole(), N)


def test_ml_dtypes_that_no_soc_has() -> None:
    with pytest.raises(UnsupportedDtype, match="float8_e4m3fn"):
        copy[1](np.zeros(N, ml_dtypes.float8_e4m3fn), hole(), N)


@pytest.mark.parametrize("dtype", ["longlong", "ulonglong", "intc"])
def test_other_names_of_the_same_type(dtype: str) -> None:
    z = hole(dtype)
    copy[1](ramp(dtype), z, N)
    np.testing.assert_array_equal(z, ramp(dtype))


def test_numpy_and_torch_together() -> None:
    x, y, z = ramp(), torch.full((N,), 0.5), hole()
    add[1](x, y, z, N)
    np.testing.assert_array_equal(z, x + np.float32(0.5))
    out = torch.full((N,), math.nan)
    add[1](y, x, out, N)
    np.testing.assert_array_equal(out.numpy(), x + np.float32(0.5))


def bfloat16_sums() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(7)
    x, y = (torch.randn(N, generator=generator).to(torch.bfloat16) for _ in range(2))
    return x, y, x + y


def test_bfloat16_torch() -> None:
    x, y, expected = bfloat16_sums()
    z = torch.full((N,), math.nan, dtype=torch.bfloat16)
    add[1](x, y, z, N)
    assert torch.equal(z.view(torch.int16), expected.view(torch.int16))


def test_bfloat16_ml_dtypes() -> None:
    x, y, expected = (t.view(torch.int16).numpy().view(ml_dtypes.bfloat16) for t in bfloat16_sums())
    z = hole(ml_dtypes.bfloat16)
    add[1](x, y, z, N)
    np.testing.assert_array_equal(z.view(np.uint16), expected.view(np.uint16))


def test_on_another_device() -> None:
    with pytest.raises(WrongDevice, match="argument x is on device meta") as caught:
        copy[1](torch.empty(N, device="meta"), hole(), N)
    assert "NPU" not in str(caught.value)


def test_on_an_npu() -> None:
    class OnNpu(torch.Tensor):
        """A stand-in: this machine has no NPU."""

        is_cpu = False
        device = torch.device("privateuseone:0")

    with pytest.raises(NpuTensor, match="argument x is on device privateuseone:0: running on an NPU is not built yet"):
        copy[1](torch.ones(N).as_subclass(OnNpu), hole(), N)


def test_negative_bit() -> None:
    negated = torch._neg_view(torch.ones(N))
    assert negated.is_neg() and negated.is_contiguous()
    for arguments in ((negated, hole()), (ramp(), negated)):
        with pytest.raises(NegatedArgument, match=r"has torch's negative bit(.|\n)*resolve_neg\(\)"):
            copy[1](*arguments, N)
    z = hole()
    copy[1](negated.resolve_neg(), z, N)
    assert (z == -1).all()


@pytest.mark.filterwarnings("ignore:Accessing the data pointer of FakeTensor")
def test_fake_tensor() -> None:
    from torch._subclasses import FakeTensorMode

    with pytest.raises(NotAnArray, match="argument x is a FakeTensor"):
        copy[1](FakeTensorMode().from_tensor(torch.ones(N)), hole(), N)


def test_requires_grad() -> None:
    x = torch.arange(float(N), requires_grad=True)
    z = torch.full((N,), math.nan)
    copy[1](x, z, N)
    assert torch.equal(z, x.detach())
    written = torch.zeros(N, requires_grad=True)
    with pytest.raises(GradArgument, match=r"argument z requires grad .* autograd does not see"):
        copy[1](x, written, N)
    assert torch.equal(written, torch.zeros(N))
    with torch.no_grad():
        copy[1](x, written, N)
    assert torch.equal(written, x)
    copy[1](torch.zeros(N), written.detach(), N)
    assert torch.equal(written, torch.zeros(N))


def test_autograd_notices_a_write() -> None:
    weight = torch.ones(N, requires_grad=True)
    kept = torch.full((N,), 2.0)
    loss = (weight * kept).sum()  # needs `kept` on the way back
    copy[1](torch.zeros(N), kept, N)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()
    read = torch.zeros(N)
    before = read._version
    copy[1](read, kept, N)
    assert read._version == before
    with torch.inference_mode():
        copy[1](torch.ones(N), torch.zeros(N), N)


def test_autograd_notices_a_launch_that_fails() -> None:
    z = torch.zeros(8)
    with pytest.raises(OutOfRange):
        copy[1](torch.ones(N), z, N)
    assert z._version > 0


def test_size_zero() -> None:
    for empty in (np.zeros(0, np.float32), np.zeros((4, 0), np.float32), torch.zeros(0)):
        copy[1](empty, empty, 0)
        with pytest.raises(OutOfRange, match="argument x, which has 0"):
            copy[1](empty, empty, 8)


def test_no_dimension() -> None:
    z = np.array(math.nan, np.float32)
    with pytest.raises(OutOfRange, match="argument x, which has 4"):
        copy[1](np.array(1, np.float32), z, 8)
    assert np.isnan(z)


# Overlap ------------------------------------------------------------------------------------------------------


def test_partly_overlapping() -> None:
    both = ramp(n=2 * N)
    before = both.copy()
    for x, z in ((both[:N], both[8 : N + 8]), (both[8 : N + 8], both[:N]), (both[:N], both[: N + 8])):
        with pytest.raises(PartialOverlap, match="arguments x and z overlap in part and the kernel writes to z"):
            copy[1](x, z, N)
    np.testing.assert_array_equal(both, before)


def test_partly_overlapping_numpy_and_torch() -> None:
    both = torch.arange(2.0 * N)
    with pytest.raises(PartialOverlap):
        copy[1](both.numpy()[:N], both[1 : N + 1], N)


def test_side_by_side() -> None:
    both = ramp(n=2 * N)
    copy[1](both[:N], both[N:], N)
    np.testing.assert_array_equal(both, np.tile(ramp(), 2))


def test_in_place() -> None:
    x = ramp()
    add[1](x, x, x, N)
    np.testing.assert_array_equal(x, 2 * ramp())


def test_overlap_declared() -> None:
    both = ramp(n=N + 8)
    move[1](both[:N], both[8:], N)
    np.testing.assert_array_equal(both, np.concatenate([ramp(n=8), ramp()]))


def test_inputs_may_overlap() -> None:
    both, z = ramp(n=N + 8), hole()
    add[1](both[:N], both[8:], z, N)
    np.testing.assert_array_equal(z, both[:N] + both[8:])


# The grid -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cores", [0, -1, 65536, 1 << 40])
def test_grid_out_of_range(cores: int) -> None:
    z = hole()
    with pytest.raises(GridOutOfRange, match=f"cannot start {cores} cores") as caught:
        copy[cores](ramp(), z, N)
    assert "1 to 65535" in str(caught.value) and "ascend910b has 48 vector cores" in str(caught.value)
    assert np.isnan(z).all()


@pytest.mark.parametrize("cores", [1, 49, 65535])
def test_grid_at_its_ends(cores: int) -> None:
    x = np.arange(8 * cores, dtype=np.float32)
    z = np.full_like(x, np.nan)
    copy_part[cores](x, z)
    np.testing.assert_array_equal(z, x)


@pytest.mark.parametrize("grid", [1.0, "8", None, True, [8], (8,), (8, None, None), (1.5, None), ()], ids=repr)
def test_grid_of_a_wrong_kind(grid: object) -> None:
    with pytest.raises(ArgumentError, match=r"launch it as kernel\[cores\] or kernel\[cores, stream\]"):
        copy[grid](ramp(), hole(), N)


def test_grid_of_a_numpy_integer() -> None:
    z = hole()
    copy[np.int64(1)](ramp(), z, N)
    np.testing.assert_array_equal(z, ramp())


@pytest.mark.parametrize("stream", [None, ctypes.c_void_p(0), torch.Stream("cpu")], ids=lambda s: type(s).__name__)
def test_stream(stream: object) -> None:
    z = hole()
    copy[1, stream](ramp(), z, N)
    np.testing.assert_array_equal(z, ramp())


@pytest.mark.parametrize("stream", [2, "banana", 1.5, (2, 2), True, np.int64(2), type], ids=repr)
def test_second_index_is_a_stream(stream: object) -> None:
    """A2: two numbers are no grid of a kernel of cores."""
    for launcher in (copy, copy.check):
        with pytest.raises(NotAStream, match=r"copy\[2, .*\]: the second index is a stream") as caught:
            launcher[2, stream]
        assert "copy[2](...)" in str(caught.value)


# Numbers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "number",
    [5, -7, 0, np.int8(-3), np.uint64(9), torch.tensor(11), np.array(12), True, np.bool_(True)],
    ids=lambda n: type(n).__name__,
)
def test_int(number: object) -> None:
    assert launched(number)[0] == int(number)


def test_int_at_its_ends() -> None:
    for number in ((1 << 63) - 1, -(1 << 63)):
        assert launched(number)[0] == float(np.float32(number))


@pytest.mark.parametrize("number", [1 << 63, -(1 << 63) - 1, 1 << 200, np.uint64((1 << 64) - 1)], ids=str)
def test_int_beyond_64_bits(number: object) -> None:
    with pytest.raises(WrongArguments, match=f"argument i = {number} does not fit 64 bits"):
        launched(number)


def test_int_of_more_digits_than_python_prints() -> None:
    with pytest.raises(WrongArguments, match="argument i = an integer of 20001 bits does not fit 64 bits"):
        launched(1 << 20000)
    with pytest.raises(WrongArguments, match="argument f = an integer of 20001 bits does not fit a float"):
        launched(1, 1 << 20000)


@pytest.mark.parametrize(
    "number",
    [1.0, math.nan, np.float32(2), "5", None, 1j, [1], np.array([3]), np.array(1.5), torch.tensor(1.5), ramp()],
    ids=lambda n: type(n).__name__,
)
def test_not_an_int(number: object) -> None:
    with pytest.raises(WrongArguments, match="argument i must be int, got") as caught:
        launched(number)
    text = str(caught.value)
    assert "its arguments are (z: address, i: int, f: float, b: bool, k: constant)" in text
    assert text.count("\n") == 1


@pytest.mark.parametrize("number", [0.1, -0.0, 3, math.inf, 1e-45, np.float16(0.1), np.float32(0.1), np.int32(4), True])
def test_float(number: object) -> None:
    want, got = np.float32(number), np.float32(launched(1, number)[1])
    assert want.tobytes() == got.tobytes()


def test_float_nan() -> None:
    z = np.zeros(32, np.float32)
    scalars[1](z, 1, math.nan)
    assert np.isnan(z[8:16]).all()


def test_float_is_rounded_as_float32() -> None:
    largest = np.finfo(np.float32).max
    below = math.nextafter(float.fromhex("0x1.ffffffp127"), 0)  # rounds to the largest float32
    assert launched(1, below)[1] == float(largest)
    for number in (float.fromhex("0x1.ffffffp127"), 1e39, 1e300):
        assert launched(1, number)[1] == math.inf
        assert launched(1, -number)[1] == -math.inf


@pytest.mark.parametrize("number", ["1", None, np.array(1.5), torch.tensor(1.5), 1j])
def test_not_a_float(number: object) -> None:
    with pytest.raises(WrongArguments, match="argument f must be float"):
        launched(1, number)


def test_integer_beyond_every_float() -> None:
    with pytest.raises(WrongArguments, match=r"argument f = .* does not fit a float") as caught:
        launched(1, 10**400)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("given", [True, False, 1, 0, np.bool_(True), np.int64(0)], ids=repr)
def test_bool(given: object) -> None:
    assert launched(1, b=given)[2] == float(bool(given))


@pytest.mark.parametrize("given", [2, -1, 1.0, "True", None], ids=repr)
def test_not_a_bool(given: object) -> None:
    with pytest.raises(WrongArguments, match="argument b must be bool"):
        launched(1, b=given)


@pytest.mark.parametrize("number", [3, 3.0, np.int64(3), np.float32(3)], ids=lambda n: type(n).__name__)
def test_parameter_without_a_type(number: object) -> None:
    z = hole(n=8)
    untyped[1](z, number)
    assert (z == 0.75).all()


# Names, defaults, constants -----------------------------------------------------------------------------------


def test_keywords_and_defaults() -> None:
    assert launched(1) == [1, 0.25, 0, 100]
    assert launched(i=2, b=True) == [2, 0.25, 1, 100]
    assert launched(3, k=7, f=1.5) == [3, 1.5, 0, 7]
    z = hole()
    copy[1](z=z, n=N, x=ramp())
    np.testing.assert_array_equal(z, ramp())


@pytest.mark.parametrize(
    ("arguments", "keywords", "message"),
    [
        ((), {}, "argument 'z' is missing"),
        ((hole(n=32),), {}, "argument 'i' is missing"),
        ((hole(n=32), 1, 1.0, True, 2, 3), {}, "takes 5 arguments, got 6"),
        ((hole(n=32), 1), {"j": 1}, "has no argument 'j'"),
        ((hole(n=32), 1), {"i": 1}, "got 'i' twice"),
    ],
)
def test_wrong_arguments(arguments: tuple[object, ...], keywords: dict[str, object], message: str) -> None:
    with pytest.raises(WrongArguments, match=message):
        scalars[1](*arguments, **keywords)


@pytest.mark.parametrize(
    "given", [[1], ramp(), {1}, {}, object(), np.int64(3), lambda: 1], ids=lambda v: type(v).__name__
)
def test_not_a_constant(given: object) -> None:
    with pytest.raises(WrongArguments, match=r"argument k is a \w+, which cannot be a constant"):
        launched(1, k=given)


def bits(k: object, kernel: object = constant) -> bytes:
    z = hole(n=8)
    kernel[1](z, k)
    assert (z.view(np.uint32) == z.view(np.uint32)[0]).all()
    return z[:1].tobytes()


def test_equal_constants_are_not_the_same() -> None:
    """0.0 == -0.0, but they are two kernels."""
    for number in (0.0, -0.0, 0.0):
        assert bits(number) == struct.pack("<f", number)


def test_constants_inside_tuples() -> None:
    for number in (0.0, -0.0):
        assert bits((number,), first_of) == struct.pack("<f", number)


# Neither an array nor a number --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given", ["junk", "f32[64]", 3, None, [1.0], (1.0,), b"bytes", memoryview(b"1")], ids=lambda v: str(v)[:8]
)
def test_not_an_array(given: object) -> None:
    with pytest.raises(NotAnArray, match=rf"argument x is a {type(given).__name__}\b"):
        copy[1](given, hole(), N)


def test_called_without_cores() -> None:
    with pytest.raises(ArgumentError, match=r"is a kernel: launch it on a number of cores, copy\[8\]"):
        copy(ramp(), hole(), N)


def test_call_outside_a_kernel() -> None:
    with pytest.raises(OutsideKernel, match=r"asc\.add was called outside a kernel"):
        asc.add(1, 2, 3, 4)
    with pytest.raises(OutsideKernel, match=r"asc\.LocalTensor"):
        asc.LocalTensor(asc.float32)


def test_kernels_with_parameters_of_another_kind() -> None:
    def star(*x): ...
    def double_star(**x): ...
    def keyword_only(*, x): ...
    def positional_only(x, /): ...

    for function in (star, double_star, keyword_only, positional_only):
        with pytest.raises(NotAKernel, match=f"{function.__name__} cannot be a kernel: it has .*param|args"):
            asc.jit(function)


def test_functions_of_another_kind() -> None:
    def decorated(function):
        @functools.wraps(function)
        def wrapper(n: int):
            return function(n)

        return wrapper

    @decorated
    def wrapped(n: int): ...

    async def waits(n: int): ...

    def yields(n: int):
        yield n

    class Holder:
        def method(self, n: int): ...

        @staticmethod
        @asc.jit
        def fills(z: asc.GlobalAddress):
            z_gm = asc.GlobalTensor()
            z_gm.set_global_buffer(z, 8)
            buf = asc.LocalTensor(z.dtype, asc.TPosition.VECOUT, 0, 8)
            asc.duplicate(buf, 3, 8)
            asc.pipe_barrier(asc.PipeID.PIPE_ALL)
            asc.data_copy(z_gm, buf, 8)

    cases = {
        "a lambda": lambda n: None,
        "another decorator wraps it": wrapped,
        "a coroutine": waits,
        "or a generator": yields,
        "a method: 'self'": Holder.method,
    }
    for words, function in cases.items():
        with pytest.raises(NotAKernel, match=words) as caught:
            asc.jit(function)
        assert caught.value.at is not None and caught.value.at.file == __file__
        assert "hint: " in str(caught.value)
    z = hole(n=8)
    Holder.fills[1](z)
    assert (z == 3).all()


def annotated(annotation: object) -> object:
    def kernel(n): ...

    kernel.__annotations__["n"] = annotation
    return asc.jit(kernel).binder.parameters[0].kind


class Shadow:
    GlobalAddress = int


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [
        (asc.GlobalAddress, "address"),
        (asc.ConstExpr, "constant"),
        (asc.ConstExpr[int], "constant"),
        (float, "float"),
        ("asc.GlobalAddress", "address"),
        ("asc.ConstExpr[int]", "constant"),
        ("'asc.ConstExpr[int]'", "constant"),
        (" bool ", "bool"),
        (asc.int32, "number"),
        ("asc.float16", "number"),
        (asc.LocalTensor, "object"),
        ("asc.TPosition", "constant"),
        (asc.DataType, "constant"),
        ("Shadow.GlobalAddress", "int"),
    ],
    ids=str,
)
def test_annotation(annotation: object, kind: str) -> None:
    assert annotated(annotation) == kind


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        (str, "annotated with str"),
        (np.ndarray, "annotated with ndarray"),
        (list[int], "annotated with list"),
        (int | None, "annotated with int | None"),
        ("nowhere.int", "must be known where the kernel is defined"),
        ("lambda: int", "annotated with lambda: int"),
        (None, "annotated with None"),
    ],
    ids=str,
)
def test_annotation_refused(annotation: object, words: str) -> None:
    with pytest.raises(NotAKernel, match=r"parameter 'n' is annotated with") as caught:
        annotated(annotation)
    assert words in str(caught.value)
    assert "asc.GlobalAddress, int, float, bool, a type such as asc.int32" in str(caught.value)


def test_not_a_function() -> None:
    for thing in (print, 3, "add", copy, type("Kernel", (), {})):
        with pytest.raises(NotAKernel, match="it is not a plain function"):
            asc.jit(thing)


def test_unknown_soc() -> None:
    with pytest.raises(UnknownSoc, match="'ascend310' is not a SoC"):
        asc.jit(soc="ascend310")
    with pytest.raises(UnknownSoc, match="known: ascend910b"):
        copy.emit("f32[64]", "f32[64]", N, soc="dav-2201")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("f17[64]", "'f17' is not a data type; did you mean f16?"),
        ("f16", r"describe an array as TYPE\[LENGTH\], such as f16\[4096\]"),
        ("f16[4 4]", r"describe an array as TYPE\[LENGTH\]"),
        ("f16[-1]", r"describe an array as TYPE\[LENGTH\]"),
        ("", r"describe an array as TYPE\[LENGTH\]"),
    ],
)
def test_descriptions_that_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(WrongArguments, match=message):
        copy.emit(text, "f16[64]", N)


def test_descriptions_give_the_text_of_the_arrays() -> None:
    arrays = copy.emit(ramp(np.float16), hole(np.float16), N)
    for text in ("f16[64]", "half[8, 8]", "float16[]", " f16[64] "):
        assert copy.emit(text, "f16[64]", N) == arrays
