"""Copies on every element type, what rows say they assume, and that every call that computes is tested somewhere.

Elementwise calls are tested chapter by chapter in tests/ascendc, with the references of `every_call.py`. A copy moves
whole pieces of 32 bytes. What a call does not write keeps the pattern it had before.
"""

import importlib.util
import itertools
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from opwright import asc
from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.row import Each, Function
from opwright.ascendc.table import CHAPTER_OF, ROWS
from opwright.runtime.jit import JitFunction
from opwright.settings import settings

# The checked twin warns about counts that a copy truncates: here they are meant.
pytestmark = pytest.mark.filterwarnings("ignore::opwright.errors.CheckWarning")

SPEC = importlib.util.spec_from_file_location("every_call", Path(__file__).parent / "every_call.py")
assert SPEC and SPEC.loader
every_call = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(every_call)

NUMPY, ELEMENTS, SOC = every_call.NUMPY, every_call.ELEMENTS, every_call.SOC
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
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.add(c, a, b, count)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
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
    asc.pipe_barrier(asc.PipeID.PIPE_MTE2)
    asc.data_copy(a, x_gm, count)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(into_gm, a, size)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(a, x_gm, size)
    asc.data_copy(b, within_gm, size)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(b, a, count)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(within_gm, b, size)
    asc.data_copy(out_gm, a, count)


def computing() -> set[str]:
    """Rows that read or write tensors: those whose numbers can be wrong."""
    return {
        row.name
        for row in ROWS.values()
        if any(isinstance(form.meaning, (Each, Function)) and form.accesses for form in row.forms)
    }


def test_every_computing_row_is_tested() -> None:
    # Copies in pieces have tests of their own, in tests/twin/copies, and chapters may have a folder in tests/ascendc;
    # that of vec_convert has all calls that convert what they compute.
    # Chapters whose names begin alike may share one.
    folders = {path.name for path in (Path(__file__).parents[2] / "ascendc").iterdir() if path.is_dir()}
    own = {name for name in computing() if {CHAPTER_OF[name], CHAPTER_OF[name].rpartition("_")[0]} & folders}
    assert computing() == {*every_call.REFERENCES, *own, "data_copy", "data_copy_pad", "mul_cast", "add_deq_relu"}
    assert {name for name, _ in every_call.computing()} == set(every_call.REFERENCES)


def test_a_missing_reference_is_a_sentence() -> None:
    ones = np.ones(8, np.float32)
    with pytest.raises(LookupError, match=r"asc\.twice has no reference: add a line to REFERENCES in .*every_call\.py"):
        every_call.expected("twice", ones, ones, ones[:1], ones)


def test_one_soc_has_every_type() -> None:
    """What is computed on it is computed for all: the text is the same on every SoC."""
    for row in ROWS.values():
        for types in row.dtypes.values():
            assert all(set(allowed) <= set(types.by_soc[SOC]) for allowed in types.by_soc.values()), row.name


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


def same(got: np.ndarray, expected: np.ndarray, what: str = "") -> None:
    """Bit for bit; a NaN is a NaN."""
    unsigned = np.dtype(f"u{got.itemsize}")
    with np.errstate(invalid="ignore"):  # signalling NaN
        number = expected == expected
        assert (got != got)[~number].all(), what
    np.testing.assert_array_equal(got.view(unsigned)[number], expected.view(unsigned)[number], what)


def before(dtype: np.dtype) -> np.ndarray:
    return np.full(ELEMENTS * dtype.itemsize, PATTERN, np.uint8).view(dtype)


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, JitFunction]:
    return every_call.kernels(tmp_path_factory.mktemp("calls"))


@pytest.mark.parametrize("dtype_name", DTYPES)
def test_copy(dtype_name: str) -> None:
    dtype = NUMPY[dtype_name]
    for seed, count in enumerate((*COUNTS, 16, 17, 32)):
        x = random_bits(dtype, seed)
        results = [before(dtype) for _ in range(3)]
        with settings.scope(soc=SOC):
            data_copy[1](x, *results, count, ELEMENTS)
        copied = count * dtype.itemsize // 32 * 32
        for result in results:
            assert result.tobytes()[:copied] == x.tobytes()[:copied]
            assert result.tobytes()[copied:] == bytes([PATTERN]) * (ELEMENTS * dtype.itemsize - copied)


def test_what_is_assumed(kernels: dict[str, JitFunction]) -> None:
    """NaN, zeros of both signs and odd shifts, by hand: what the rows say they assume."""
    nan = np.float32("nan")

    def run(name: str, x: list, y: list, scalar: float, dtype: str) -> list:
        names = [call for call, _ in every_call.legal(dtype)]
        values = [np.resize(np.array(column, NUMPY[dtype]), ELEMENTS) for column in (x, y)]
        z = np.zeros(ELEMENTS * len(names), NUMPY[dtype])
        kernels[dtype][1](*values, z, scalar, ELEMENTS)
        return [str(value) for value in z.reshape(-1, ELEMENTS)[names.index(name), : len(x)]]

    pairs = [nan, 1, 0.0, -0.0], [1, nan, -0.0, 0.0]
    assert run("max", *pairs, 0.0, "float32") == ["1.0", "nan", "-0.0", "0.0"]
    assert run("min", *pairs, 0.0, "float32") == ["1.0", "nan", "-0.0", "0.0"]
    assert run("maxs", *pairs, -0.0, "float16") == ["-0.0", "1.0", "-0.0", "-0.0"]
    assert run("mins", *pairs, float("nan"), "float16") == ["nan"] * 4
    assert run("relu", *pairs, 0.0, "float32") == ["0.0", "1.0", "0.0", "0.0"]
    assert run("add_relu", [nan, -0.0, 3e38], [1, -0.0, 3e38], 0.0, "float32") == ["0.0", "0.0", "inf"]
    assert run("sub_relu", [32767, -32768, 5], [-1, 1, 3], 0, "int16") == ["0", "32767", "2"]
    assert run("sqrt", [-0.0, -1, 4, 2], [0] * 4, 0.0, "float32") == ["-0.0", "nan", "2.0", "1.4142135"]
    assert run("div", [1, -1, 0, 1], [0.0, 0.0, 0.0, 3], 0.0, "float32") == ["inf", "-inf", "nan", "0.33333334"]
    assert run("shift_left", [-3, 5], [0, 0], 15, "int16") == ["-32768", "-32768"]
    assert run("shift_right", [-3, 5], [0, 0], 1, "int16") == ["-2", "2"]
    for amount in (16, 17, 32767, -1):
        assert run("shift_left", [-3, 5], [0, 0], amount, "int16") == ["0", "0"]
        assert run("shift_right", [-3, 5], [0, 0], amount, "int16") == ["-1", "0"]


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
