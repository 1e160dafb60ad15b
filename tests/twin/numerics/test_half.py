"""half and bfloat16_t against NumPy and ml_dtypes: every value, every midpoint between neighbours, and around both."""

import ctypes
import shutil
import subprocess
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from opwright.twin.toolchain import FLAGS

HERE = Path(__file__).parent
INCLUDE = HERE.parents[2] / "src" / "opwright" / "twin" / "include"
PATTERNS = np.arange(65536, dtype=np.uint16)
BUILDS = [("g++", "-march=native"), ("g++", "-O0"), ("clang++", "-march=native")]


@pytest.fixture(scope="module", params=BUILDS, ids="{0[0]} {0[1]}".format)
def conversions(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    compiler, extra = request.param
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    output = tmp_path_factory.mktemp("half") / "half.so"
    subprocess.run([compiler, *FLAGS, extra, f"-I{INCLUDE}", HERE / "half.cpp", "-o", output], check=True)
    return ctypes.CDLL(str(output))


def run(function, source: np.ndarray, dtype) -> np.ndarray:
    result = np.empty(source.size, dtype)
    function(
        source.ctypes.data_as(ctypes.c_void_p), result.ctypes.data_as(ctypes.c_void_p), ctypes.c_int64(source.size)
    )
    return result


def same_bits(got: np.ndarray, expected: np.ndarray) -> None:
    """Equal bit for bit, save that any NaN is as good as another."""
    unsigned = np.uint16 if got.itemsize == 2 else np.uint32
    nan = np.isnan(expected)
    assert np.array_equal(np.isnan(got), nan)
    np.testing.assert_array_equal(got.view(unsigned)[~nan], expected.view(unsigned)[~nan])


def hard_floats(narrow) -> np.ndarray:
    """All values of a 16-bit type, all midpoints of neighbours, and the float32 next to each on both sides."""
    values = PATTERNS.view(narrow).astype(np.float32)
    finite = np.sort(values[np.isfinite(values)])
    midpoints = ((finite[:-1].astype(np.float64) + finite[1:]) / 2).astype(np.float32)
    points = np.concatenate([values, midpoints])
    with np.errstate(invalid="ignore"):
        around = [np.nextafter(points, np.float32(side)) for side in (-np.inf, np.inf)]
    largest = np.finfo(np.float32)
    ends = [0.0, -0.0, np.inf, -np.inf, np.nan, largest.max, -largest.max, largest.tiny, largest.smallest_subnormal]
    # Where float16 overflows: the largest value, half a step above it, and the first that rounds to infinity.
    overflow = [65504.0, 65519.99, 65519.996, 65520.0, 65520.004, 65535.0, 65536.0, 1e30]
    random = np.random.default_rng(7).integers(0, 1 << 32, 1 << 18, dtype=np.uint64).astype(np.uint32).view(np.float32)
    signed = np.array([*overflow, *(-x for x in overflow)], np.float32)
    return np.concatenate([points, *around, np.array(ends, np.float32), signed, random])


def test_half_to_float(conversions: ctypes.CDLL) -> None:
    same_bits(run(conversions.half_to_float, PATTERNS, np.float32), PATTERNS.view(np.float16).astype(np.float32))


def test_float_to_half(conversions: ctypes.CDLL) -> None:
    source = hard_floats(np.float16)
    with np.errstate(over="ignore"):
        expected = source.astype(np.float16)
    same_bits(run(conversions.float_to_half, source, np.uint16).view(np.float16), expected)


def test_bfloat16_to_float(conversions: ctypes.CDLL) -> None:
    expected = PATTERNS.view(ml_dtypes.bfloat16).astype(np.float32)
    same_bits(run(conversions.bfloat16_to_float, PATTERNS, np.float32), expected)


def test_float_to_bfloat16(conversions: ctypes.CDLL) -> None:
    source = hard_floats(ml_dtypes.bfloat16)
    got = run(conversions.float_to_bfloat16, source, np.uint16).view(ml_dtypes.bfloat16).astype(np.float32)
    with np.errstate(invalid="ignore"):
        expected = source.astype(ml_dtypes.bfloat16).astype(np.float32)
    same_bits(got, expected)


def test_bfloat16_agrees_with_torch(conversions: ctypes.CDLL) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    source = hard_floats(ml_dtypes.bfloat16)
    got = run(conversions.float_to_bfloat16, source, np.uint16).view(np.int16)
    expected = torch.from_numpy(source).to(torch.bfloat16)
    number = ~np.isnan(source)
    np.testing.assert_array_equal(got[number], expected.view(torch.int16).numpy()[number])


def test_every_half_comes_back(conversions: ctypes.CDLL) -> None:
    for there, back, narrow in (("half_to_float", "float_to_half", np.float16),):
        wide = run(getattr(conversions, there), PATTERNS, np.float32)
        same_bits(run(getattr(conversions, back), wide, np.uint16).view(narrow), PATTERNS.view(narrow))


def test_the_classes_convert_the_same_way(conversions: ctypes.CDLL) -> None:
    source = hard_floats(np.float16)
    halves, bfloats = np.empty(source.size, np.uint16), np.empty(source.size, np.uint16)
    pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (source, halves, bfloats)]
    conversions.classes(*pointers, ctypes.c_int64(source.size))
    np.testing.assert_array_equal(halves, run(conversions.float_to_half, source, np.uint16))
    np.testing.assert_array_equal(bfloats, run(conversions.float_to_bfloat16, source, np.uint16))
