"""Every call of the table that computes, on every SoC and element type, against a reference in NumPy.

The reference is written from the documentation of Ascend C: floats of 16 bits are computed in float32 and rounded once,
integers wrap, a copy moves whole pieces of 32 bytes. What a call does not write keeps the pattern it had before.
"""

import itertools

import ml_dtypes
import numpy as np
import pytest

from opwright import asc
from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.row import Each, Function
from opwright.ascendc.table import ROWS
from opwright.settings import settings

NUMPY = {name: np.dtype(getattr(ml_dtypes, name) if name == "bfloat16" else name) for name in DTYPES}
ELEMENTS = 512
PATTERN = 0xA5
COUNTS = (0, 1, 31, 33, 255, ELEMENTS)


@asc.jit
def add(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, count: int, size: asc.ConstExpr[int]):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, size)
    y_gm = asc.GlobalTensor()
    y_gm.set_global_buffer(y, size)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, size)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, size)
    b = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, size * x.dtype.sizeof(), size)
    c = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, 2 * size * x.dtype.sizeof(), size)
    asc.data_copy(a, x_gm, size)
    asc.data_copy(b, y_gm, size)
    asc.data_copy(c, z_gm, size)
    asc.add(c, a, b, count)
    asc.data_copy(z_gm, c, size)


@asc.jit
def adds(x: asc.GlobalAddress, z: asc.GlobalAddress, scalar, count: int, size: asc.ConstExpr[int]):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, size)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, size)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, size)
    c = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, size * x.dtype.sizeof(), size)
    asc.data_copy(a, x_gm, size)
    asc.data_copy(c, z_gm, size)
    asc.adds(c, a, scalar, count)
    asc.data_copy(z_gm, c, size)


@asc.jit
def duplicate(z: asc.GlobalAddress, scalar, count: int, size: asc.ConstExpr[int]):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, size)
    c = asc.LocalTensor(z.dtype, asc.TPosition.VECOUT, 0, size)
    asc.data_copy(c, z_gm, size)
    asc.duplicate(c, scalar, count)
    asc.data_copy(z_gm, c, size)


@asc.jit
def data_copy(
    x: asc.GlobalAddress,
    into: asc.GlobalAddress,
    within: asc.GlobalAddress,
    out: asc.GlobalAddress,
    count: int,
    size: asc.ConstExpr[int],
):
    """Each of the three directions with `count`, the others whole."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, size)
    into_gm = asc.GlobalTensor()
    into_gm.set_global_buffer(into, size)
    within_gm = asc.GlobalTensor()
    within_gm.set_global_buffer(within, size)
    out_gm = asc.GlobalTensor()
    out_gm.set_global_buffer(out, size)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, size)
    b = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, size * x.dtype.sizeof(), size)
    asc.data_copy(a, into_gm, size)
    asc.data_copy(a, x_gm, count)
    asc.data_copy(into_gm, a, size)
    asc.data_copy(a, x_gm, size)
    asc.data_copy(b, within_gm, size)
    asc.data_copy(b, a, count)
    asc.data_copy(within_gm, b, size)
    asc.data_copy(out_gm, a, count)


KERNELS = {"add": add, "adds": adds, "duplicate": duplicate, "data_copy": data_copy}


def computing() -> set[str]:
    """Rows that read or write tensors: those whose numbers can be wrong."""
    return {
        row.name
        for row in ROWS.values()
        if any(isinstance(form.meaning, (Each, Function)) and form.accesses for form in row.forms)
    }


def test_every_computing_row_is_tested() -> None:
    assert computing() == set(KERNELS)


def cases() -> list[tuple[str, str, str]]:
    found = []
    for name in KERNELS:
        seen: set[str] = set()
        for soc in ("ascend910b", "ascend950"):
            # The text is the same on every SoC: a type that both have is computed once.
            fresh = [dtype for dtype in ROWS[name].dtypes["T"].by_soc[soc] if dtype not in seen]
            seen.update(fresh)
            found += [(name, soc, dtype) for dtype in fresh]
    return found


def random_bits(dtype: np.dtype, seed: int) -> np.ndarray:
    """Every bit pattern may come, so denormals, infinities and NaN do; some of them are sure to."""
    random = np.random.default_rng(seed)
    values = random.integers(0, 256, ELEMENTS * dtype.itemsize, dtype=np.uint8).view(dtype)
    if DTYPES[dtype.name].is_float():
        info = ml_dtypes.finfo(dtype)
        hard = [
            0.0,
            -0.0,
            info.tiny,
            -info.tiny,
            info.smallest_subnormal,
            info.max,
            -info.max,
            np.inf,
            -np.inf,
            np.nan,
            1,
        ]
        with np.errstate(all="ignore"):
            table = np.array(hard, np.float64).astype(dtype)
        values[: ELEMENTS // 2] = table[random.integers(0, len(table), ELEMENTS // 2)]
    return values


def wide(values: np.ndarray) -> np.ndarray:
    return values.astype(np.float32) if values.dtype.itemsize == 2 and DTYPES[values.dtype.name].is_float() else values


def same(got: np.ndarray, expected: np.ndarray) -> None:
    """Bit for bit; a NaN is a NaN."""
    unsigned = np.dtype(f"u{got.itemsize}")
    number = ~np.isnan(expected.astype(np.float64)) if DTYPES[got.dtype.name].is_float() else np.ones(got.shape, bool)
    assert np.isnan(got.astype(np.float64)[~number]).all()
    np.testing.assert_array_equal(got.view(unsigned)[number], expected.view(unsigned)[number])


def before(dtype: np.dtype) -> np.ndarray:
    return np.full(ELEMENTS * dtype.itemsize, PATTERN, np.uint8).view(dtype)


def scalars_for(dtype: np.dtype) -> list[int | float]:
    element = DTYPES[dtype.name]
    if element.is_int():
        low, high = element.limits
        return [0, 3, max(low, -(1 << 63)), min(high, (1 << 63) - 1)]
    return [0.0, -0.0, 1.5, -3.25, 6.1035e-05, 1e-7, 1e-42, 65504.0, 3e38, float("inf"), float("nan")]


@pytest.mark.parametrize(("name", "soc", "dtype_name"), cases())
def test_call(name: str, soc: str, dtype_name: str) -> None:
    with settings.scope(soc=soc):
        check(name, NUMPY[dtype_name])


def check(name: str, dtype: np.dtype) -> None:
    {"add": check_add, "adds": check_adds, "duplicate": check_duplicate, "data_copy": check_copy}[name](dtype)


def check_add(dtype: np.dtype) -> None:
    for seed, count in enumerate(COUNTS):
        x, y, z = random_bits(dtype, seed), random_bits(dtype, seed + 100), before(dtype)
        expected = z.copy()
        with np.errstate(all="ignore"):
            expected[:count] = (wide(x) + wide(y)).astype(dtype)[:count]
        add[1](x, y, z, count, ELEMENTS)
        same(z, expected)


def check_adds(dtype: np.dtype) -> None:
    for seed, (scalar, count) in enumerate(itertools.product(scalars_for(dtype), COUNTS)):
        x, z = random_bits(dtype, seed), before(dtype)
        expected = z.copy()
        with np.errstate(all="ignore"):
            rounded = np.array([scalar], np.float32 if DTYPES[dtype.name].is_float() else dtype).astype(dtype)
            expected[:count] = (wide(x) + wide(rounded)).astype(dtype)[:count]
        adds[1](x, z, scalar, count, ELEMENTS)
        same(z, expected)


def check_duplicate(dtype: np.dtype) -> None:
    for scalar, count in itertools.product(scalars_for(dtype), COUNTS):
        z = before(dtype)
        expected = z.copy()
        with np.errstate(all="ignore"):
            rounded = np.array([scalar], np.float32 if DTYPES[dtype.name].is_float() else dtype).astype(dtype)
        expected[:count] = rounded
        duplicate[1](z, scalar, count, ELEMENTS)
        same(z, expected)


def check_copy(dtype: np.dtype) -> None:
    for seed, count in enumerate((*COUNTS, 16, 17, 32)):
        x = random_bits(dtype, seed)
        results = [before(dtype) for _ in range(3)]
        data_copy[1](x, *results, count, ELEMENTS)
        copied = count * dtype.itemsize // 32 * 32
        for result in results:
            assert result.tobytes()[:copied] == x.tobytes()[:copied]
            assert result.tobytes()[copied:] == bytes([PATTERN]) * (ELEMENTS * dtype.itemsize - copied)


def test_in_place() -> None:
    """The result may be a source, as an argument of the launch and within UB."""
    x, y = random_bits(NUMPY["float32"], 1), random_bits(NUMPY["float32"], 2)
    with np.errstate(all="ignore"):
        expected = x + y
    z = x.copy()
    add[1](z, y, z, ELEMENTS, ELEMENTS)
    same(z, expected)


def test_half_sums_are_rounded_once() -> None:
    """All pairs of some hard halves: the exact sum, rounded once, is what IEEE 754 says."""
    bits = np.array(
        [0x0001, 0x0002, 0x03FF, 0x0400, 0x0401, 0x3BFF, 0x3C00, 0x3C01, 0x7BFF, 0x7BFE, 0x8001, 0xFBFF], np.uint16
    )
    pairs = np.array(list(itertools.product(bits, bits)), np.uint16)
    x, y = (np.zeros(ELEMENTS, np.float16) for _ in range(2))
    x[: len(pairs)], y[: len(pairs)] = pairs[:, 0].view(np.float16), pairs[:, 1].view(np.float16)
    z = np.zeros_like(x)
    add[1](x, y, z, ELEMENTS, ELEMENTS)
    with np.errstate(over="ignore"):
        expected = (x.astype(np.float64) + y.astype(np.float64)).astype(np.float16)  # exact in float64
    same(z, expected)
