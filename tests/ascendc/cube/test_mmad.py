"""Products of the matrix unit against NumPy in float64; padding of fractals is noise, and sums begin as NaN."""

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opwright import asc
from opwright.errors import NoForm, RuleBroken, RuleError
from opwright.formats import hifloat8
from opwright.runtime.jit import JitFunction

sys.path.insert(0, str(Path(__file__).parent))
from matrices import NEW, NUMPY, OLD, from_nz, noise, nz, zn, zz

# C++ fills the memories, and the checked twin sees no C++ of kernels.
pytestmark = pytest.mark.opwright_check(False)

L0C_BYTES = 65536
ROOM = 65536
FP8 = ("float8_e4m3", "float8_e5m2")
SAME = ("float16", "bfloat16", "float32", "int8")
CASES = [
    *((OLD, name, name) for name in SAME),
    *((NEW, name, name) for name in (*SAME, "hifloat8")),
    *((NEW, left, right) for left in FP8 for right in FP8),
]
SHAPES = [(16, 16, 16), (32, 48, 64), (1, 16, 32), (1, 33, 70), (30, 40, 70), (17, 1, 1), (5, 7, 3), (64, 80, 99)]
ZERO, KEPT, BT_UNNAMED, IS_BIAS, BT, SUMS = range(6)  # what sums start from, and how the call says so


@cache
def kernel(soc: str, left_type: str, right_type: str) -> JitFunction:
    """Fills the memories with bytes, multiplies in one of several ways, and gives the bytes of L0C back."""
    left_dtype, right_dtype = getattr(asc, left_type), getattr(asc, right_type)
    sum_dtype = asc.int32 if left_type == "int8" else asc.float32

    @asc.jit(kernel_type="cube", soc=soc, opt_level=1)
    def product(
        a: asc.GlobalAddress, b: asc.GlobalAddress, bias: asc.GlobalAddress, c: asc.GlobalAddress,
        which: int, m: int, n: int, k: int, hf32: int,
    ):  # fmt: skip
        c_gm = asc.GlobalTensor()
        c_gm.set_global_buffer(c)
        asc.inline("__builtin_memcpy(opwright::current_core().memory[2].base, (const void*)a, 65536);")
        asc.inline("__builtin_memcpy(opwright::current_core().memory[3].base, (const void*)b, 65536);")
        asc.inline("__builtin_memcpy(opwright::current_core().memory[4].base, (const void*)c, 65536);")
        asc.inline("__builtin_memcpy(opwright::current_core().memory[5].base, (const void*)bias, 1024);")
        left = asc.LocalTensor(asc.uint8, asc.TPosition.A2, 0, 65536).reinterpret_cast(left_dtype)
        right = asc.LocalTensor(asc.uint8, asc.TPosition.B2, 0, 65536).reinterpret_cast(right_dtype)
        sums = asc.LocalTensor(sum_dtype, asc.TPosition.CO1, 0, 16384)
        row = asc.LocalTensor(sum_dtype, asc.TPosition.C2, 0, 256)
        c_gm.set_value(0, 0)
        if hf32 != 0:
            asc.set_hf32_mode(True)
            if hf32 == 2:
                asc.set_hf32_trans_mode(True)
            asc.set_mm_layout_transform(True)
        if which < 3:
            asc.mmad(sums, left, right, asc.MmadParams(m, n, k, 0, which == 2, which == 0))
        elif which == 3:
            asc.mmad(sums, left, right, asc.MmadParams(m, n, k, is_bias=True))
        elif which == 4:
            asc.mmad(sums, left, right, row, asc.MmadParams(m, n, k, 0, False, False))
        elif which == 5:
            asc.mmad(sums, left, right, sums, asc.MmadParams(m, n, k, cmatrix_init_val=False))
        if hf32 == 2:
            asc.set_hf32_trans_mode(False)
        if hf32 != 0:
            asc.set_hf32_mode(False)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.inline("__builtin_memcpy((void*)c, opwright::current_core().memory[4].base, 65536);")

    return product


def values(dtype: str, shape: tuple[int, ...], seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Bytes and what they are."""
    if dtype == "hifloat8":
        codes = hifloat8.encode(noise(shape, NUMPY["float32"], seed))
        return codes, hifloat8.decode(codes).astype(np.float64)
    made = noise(shape, NUMPY[dtype], seed)
    return made, made.astype(np.float64)


def in_bytes(elements: np.ndarray, size: int = ROOM) -> np.ndarray:
    """Bytes of a memory; what is not given is noise, and often NaN."""
    given = elements.view(np.uint8)
    bytes_ = np.full(size, 0xFF, np.uint8)
    bytes_[: given.size] = given
    return bytes_


def room_fill(codes: np.ndarray) -> np.ndarray:
    """Padding that would show: NaN where there is one."""
    return np.full(1, 0x80 if codes.dtype == np.uint8 else 0xFF, np.uint8).repeat(codes.itemsize).view(codes.dtype)


def run(
    soc: str, types: tuple[str, str], shape: tuple[int, int, int], start: int, hf32: int = 0, left: Any = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """What a product gives, A, B and what it started from."""
    m, n, k = shape
    a, a_is = values(types[0], (m, k), m + k) if left is None else left
    b, b_is = values(types[1], (k, n), n + k + 1)
    sum_type = NUMPY["int32" if types[0] == "int8" else "float32"]
    before = noise((m, n), sum_type, 5) // (2 if sum_type.kind == "i" else 1)
    bias = noise((n,), sum_type, 6) // (2 if sum_type.kind == "i" else 1)
    c0 = 32 // a.itemsize
    lies = a.ravel() if m == 1 else (zz if soc == OLD else nz)(a, c0, room_fill(a))
    keeps = start in (KEPT, IS_BIAS, SUMS)
    c = in_bytes(nz(before, 16, room_fill(before)) if keeps else np.zeros(0, sum_type))
    kernel(soc, *types)[1](
        in_bytes(lies), in_bytes(zn(b, c0, room_fill(b))), in_bytes(bias, 1024), c, start, m, n, k, hf32
    )
    started = before if keeps else np.broadcast_to(bias, (m, n)) if start in (BT_UNNAMED, BT) else np.zeros((m, n))
    return c.view(sum_type), a_is, b_is, started.astype(np.float64)


def assert_close(got: np.ndarray, a: np.ndarray, b: np.ndarray, start: np.ndarray) -> None:
    m, n, k = (*start.shape, a.shape[1])
    made = from_nz(got, m, n)
    if got.dtype.kind == "i":
        exact = a.astype(np.int64) @ b.astype(np.int64) + start.astype(np.int64)
        np.testing.assert_array_equal(made, exact.astype(np.int32))
    else:
        bound = (k + 1) * 2.0**-24 * (np.abs(a) @ np.abs(b) + np.abs(start)) + 1e-30
        assert (np.abs(made.astype(np.float64) - (a @ b + start)) <= bound).all()


@pytest.mark.parametrize(("soc", "left", "right"), CASES)
def test_products(soc: str, left: str, right: str, ran: Callable[..., None], compared: Callable[[int], None]) -> None:
    for shape in SHAPES:
        for start in range(6):
            got, a, b, started = run(soc, (left, right), shape, start)
            assert_close(got, a, b, started)
            compared(started.size)
    for form in range(3):
        for dtype in (left, right, "int32" if left == "int8" else "float32"):
            ran("mmad", form, dtype)
    for form in range(2):
        ran("MmadParams", form, "")


@pytest.mark.parametrize("soc", [OLD, NEW])
@pytest.mark.parametrize("sides", [(0, 16, 16), (16, 0, 16), (16, 16, 0)], ids=str)
def test_a_side_of_nothing(soc: str, sides: tuple[int, int, int]) -> None:
    c = np.full(L0C_BYTES, 0x5A, np.uint8)
    kernel(soc, "float16", "float16")[1](in_bytes(c[:0]), in_bytes(c[:0]), in_bytes(c[:0], 1024), c, ZERO, *sides, 0)
    assert (c == 0x5A).all()


def in_hf32(numbers: np.ndarray, away: bool) -> np.ndarray:
    """12 bits with the leading one, to nearest."""
    fraction, exponent = np.frexp(numbers.astype(np.float64))
    scaled = fraction * 4096
    whole = np.sign(scaled) * np.floor(np.abs(scaled) + 0.5) if away else np.rint(scaled)
    return np.ldexp(whole, exponent - 12)


@pytest.mark.parametrize("soc", [OLD, NEW])
def test_hf32(soc: str, ran: Callable[..., None]) -> None:
    random = np.random.default_rng(9)
    ties = (random.integers(0, 1 << 11, (32, 40)) << 12 | 0x800 | random.integers(120, 134, (32, 40)) << 23).astype(
        np.uint32
    )
    a = np.where(random.random((32, 40)) < 0.5, ties.view(np.float32), noise((32, 40), NUMPY["float32"], 3))
    a *= random.choice([-1, 1], a.shape)
    for mode in (1, 2):
        got, _, b, started = run(soc, ("float32", "float32"), (32, 24, 40), ZERO, mode, (a, a.astype(np.float64)))
        assert_close(got, in_hf32(a, mode == 2), in_hf32(b, mode == 2), started)
        with pytest.raises(AssertionError):
            assert_close(got, in_hf32(a, mode == 1), in_hf32(b, mode == 1), started)
    for call in ("set_hf32_mode", "set_hf32_trans_mode", "set_mm_layout_transform"):
        ran(call, 0, "")


@asc.jit(kernel_type="cube", opt_level=1)
def with_room(a: asc.GlobalAddress, b: asc.GlobalAddress, c: asc.GlobalAddress, m: int, n: int, k: int):
    c_gm = asc.GlobalTensor()
    c_gm.set_global_buffer(c)
    asc.inline("__builtin_memcpy(opwright::current_core().memory[2].base, (const void*)a, 65536);")
    asc.inline("__builtin_memcpy(opwright::current_core().memory[3].base, (const void*)b, 65536);")
    left = asc.LocalTensor(asc.float32, asc.TPosition.A2, 0, 16384)
    right = asc.LocalTensor(asc.float32, asc.TPosition.B2, 0, 16384)
    sums = asc.LocalTensor(asc.float32, asc.TPosition.CO1, 0, 16384)
    c_gm.set_value(0, 0)
    asc.mmad(sums, left, right, asc.MmadParams(m, n, k, k_direction_align=True))
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.inline("__builtin_memcpy((void*)c, opwright::current_core().memory[4].base, 65536);")


@pytest.mark.parametrize("k", [8, 16, 36, 41])
def test_rows_with_room_for_16_columns(k: int, ran: Callable[..., None]) -> None:
    a, b = noise((33, k), NUMPY["float32"], k), noise((k, 20), NUMPY["float32"], k + 1)
    lies = zz(np.pad(a, ((0, 0), (0, -k % 16)), constant_values=np.nan), 8, np.full(1, np.nan, np.float32))
    c = in_bytes(np.zeros(0, np.float32))
    with_room[1](in_bytes(lies), in_bytes(zn(b, 8, np.full(1, np.nan, np.float32))), c, 33, 20, k)
    assert_close(c.view(np.float32), a.astype(np.float64), b.astype(np.float64), np.zeros((33, 20)))
    ran("MmadParams", 2, "")


@asc.jit(kernel_type="cube", soc=NEW, opt_level=1)
def one_row_in_fractals(a: asc.GlobalAddress, b: asc.GlobalAddress, c: asc.GlobalAddress, n: int, k: int):
    c_gm = asc.GlobalTensor()
    c_gm.set_global_buffer(c)
    asc.inline("__builtin_memcpy(opwright::current_core().memory[2].base, (const void*)a, 65536);")
    asc.inline("__builtin_memcpy(opwright::current_core().memory[3].base, (const void*)b, 65536);")
    left = asc.LocalTensor(asc.float16, asc.TPosition.A2, 0, 32768)
    right = asc.LocalTensor(asc.float16, asc.TPosition.B2, 0, 32768)
    sums = asc.LocalTensor(asc.float32, asc.TPosition.CO1, 0, 16384)
    c_gm.set_value(0, 0)
    asc.mmad(sums, left, right, asc.MmadParams(1, n, k, disable_gemv=True))
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.inline("__builtin_memcpy((void*)c, opwright::current_core().memory[4].base, 65536);")


def test_one_row_in_fractals() -> None:
    a, b = noise((1, 40), NUMPY["float16"], 1), noise((40, 20), NUMPY["float16"], 2)
    c = in_bytes(np.zeros(0, np.float32))
    fill = np.full(1, np.nan, np.float16)
    one_row_in_fractals[1](in_bytes(nz(a, 16, fill)), in_bytes(zn(b, 16, fill)), c, 20, 40)
    assert_close(c.view(np.float32), a.astype(np.float64), b.astype(np.float64), np.zeros((1, 20)))


@asc.jit(kernel_type="cube", opt_level=1)
def sparse(
    a: asc.GlobalAddress, b: asc.GlobalAddress, i: asc.GlobalAddress, c: asc.GlobalAddress,
    m: int, n: int, k: int, start: int,
):  # fmt: skip
    b_gm = asc.GlobalTensor()
    b_gm.set_global_buffer(b)
    i_gm = asc.GlobalTensor()
    i_gm.set_global_buffer(i)
    c_gm = asc.GlobalTensor()
    c_gm.set_global_buffer(c)
    asc.inline("__builtin_memcpy(opwright::current_core().memory[2].base, (const void*)a, 65536);")
    asc.inline("__builtin_memcpy(opwright::current_core().memory[4].base, (const void*)c, 65536);")
    left = asc.LocalTensor(asc.int8, asc.TPosition.A2, 0, 65536)
    right = asc.LocalTensor(asc.int8, asc.TPosition.B2, 0, 65536)
    sums = asc.LocalTensor(asc.int32, asc.TPosition.CO1, 0, 16384)
    weights = asc.LocalTensor(asc.int8, asc.TPosition.B1, 0, 65536)
    indices = asc.LocalTensor(asc.uint8, asc.TPosition.B1, 65536, 16384)
    c_gm.set_value(0, 0)
    asc.data_copy(weights, b_gm, asc.DataCopyParams(1, 1024, 0, 0))
    asc.data_copy(indices, i_gm, asc.DataCopyParams(1, 256, 0, 0))
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.load_data_with_sparse(right[start:], weights, indices, asc.LoadData2DParams(0, 32))
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.mmad_with_sparse(sums, left, right[start:], asc.MmadParams(m, n, k, 0, False, start == 0))
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.inline("__builtin_memcpy((void*)c, opwright::current_core().memory[4].base, 65536);")


@pytest.mark.parametrize("start", [0, 1024])
@pytest.mark.parametrize("shape", [(16, 16, 64), (1, 20, 128), (33, 7, 24)], ids=str)
def test_sparse(shape: tuple[int, int, int], start: int, ran: Callable[..., None]) -> None:
    m, n, k = shape
    random = np.random.default_rng(k)
    a, kept = noise((m, k), NUMPY["int8"], 1), noise((k // 2, n), NUMPY["int8"], 2)
    chosen = random.integers(0, 3, (k // 2, n))
    before = noise((m, n), NUMPY["int32"], 4) // 2
    before[:, ::3], before[:, 1::3] = 2**31 - 1, -(2**31)  # sums pass the limits, or come back
    exact = before.astype(np.int64) if start else np.zeros((m, n), np.int64)
    for row in range(k // 2):
        for column in range(n):
            taken = row // 2 * 4 + row % 2 + chosen[row, column]
            exact[:, column] += a[:, taken].astype(np.int64) * int(kept[row, column])
    lying = zn(chosen.astype(np.uint8), 32).reshape(-1, 4)
    words = (lying << np.array([0, 2, 4, 6], np.uint8)).sum(axis=1).astype(np.uint8)
    c = in_bytes(nz(before, 16))
    weights = in_bytes(zn(kept, 32)).view(np.int8)
    sparse[1](in_bytes(zz(a, 32)), weights, in_bytes(words, 16384), c, m, n, k, start)
    saturated = np.clip(exact, -(2**31), 2**31 - 1)
    assert (saturated != exact).any() == (start != 0)
    np.testing.assert_array_equal(from_nz(c.view(np.int32), m, n), saturated)
    for dtype in ("int8", "int32"):
        ran("mmad_with_sparse", 0, dtype)


def test_a_sparse_product_is_refused_on_950() -> None:
    arrays = [np.zeros(64, dtype) for dtype in (np.int8, np.int8, np.uint8, np.int32)]
    with pytest.raises(NoForm, match="sparse"):
        asc.jit(sparse.function, kernel_type="cube", soc=NEW).emit(*arrays, *[1] * 4)


@asc.jit(kernel_type="cube")
def mistaken(z: asc.GlobalAddress, which: int, m: int, start: int):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    z_gm.set_value(0, 0)
    left = asc.LocalTensor(asc.float16, asc.TPosition.A2, start, 256)
    right = asc.LocalTensor(asc.float16, asc.TPosition.B2, 0, 256)
    sums = asc.LocalTensor(asc.float32, asc.TPosition.CO1, 0, 512)
    row = asc.LocalTensor(asc.float32, asc.TPosition.C2, 0, 16)
    params = asc.MmadParams(m, 16, 16, 0, False, True)
    if which == 0:
        asc.mmad(sums, left, right, params)
    elif which == 1:
        asc.mmad(sums, left, right, row, params)
    elif which == 2:
        asc.mmad(sums, left, right, sums[256:], asc.MmadParams(m, 16, 16, 0, False, False))
    else:
        asc.mmad(sums, left, right, asc.MmadParams(16, 16, 16, k_direction_align=True))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((0, 4096, 0), "m must lie between 0 and 4095, got 4096"),
        ((0, 16, 32), "fm must start at a multiple of 512 bytes, got 32"),
        ((0, 32, 0), "fm is used for 1024 bytes, but its tensor has only 512"),
        ((1, 16, 0), "with a bias cmatrix_init_val of params must be False"),
        ((2, 16, 0), "a bias in L0C must start where dst does"),
        ((3, 16, 0), "k_direction_align of params is for float32"),
    ],
    ids=str,
)
def test_mistakes_in_the_run(arguments: tuple[int, int, int], words: str) -> None:
    from opwright.errors import RunError

    with pytest.raises(RunError, match=words) as caught:
        mistaken[1](np.zeros(16, np.float32), *arguments)
    assert isinstance(caught.value, RuleError) or "only 512" in words


def mixed(left: str, right: str, sums: str, soc: str) -> JitFunction:
    left_dtype, right_dtype, sum_dtype = getattr(asc, left), getattr(asc, right), getattr(asc, sums)

    @asc.jit(kernel_type="cube", soc=soc)
    def product(z: asc.GlobalAddress):
        a = asc.LocalTensor(asc.uint8, asc.TPosition.A2, 0, 512).reinterpret_cast(left_dtype)
        b = asc.LocalTensor(asc.uint8, asc.TPosition.B2, 0, 512).reinterpret_cast(right_dtype)
        c = asc.LocalTensor(sum_dtype, asc.TPosition.CO1, 0, 256)
        asc.mmad(c, a, b, asc.MmadParams(16, 16, 16))

    return product


@pytest.mark.parametrize(
    ("left", "right", "sums", "soc"),
    [
        ("float16", "bfloat16", "float32", OLD),
        ("float16", "float16", "int32", OLD),
        ("int8", "int8", "float32", NEW),
        ("float8_e4m3", "hifloat8", "float32", NEW),
    ],
)
def test_types_that_do_not_go_together(left: str, right: str, sums: str, soc: str) -> None:
    with pytest.raises(RuleBroken, match=f"got {left}, {right}, {sums}"):
        mixed(left, right, sums, soc).emit(np.zeros(16, np.float32))
