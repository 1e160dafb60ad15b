"""Whole matrix products against NumPy: element types, sides, transposes, bias and results, in both families of layouts.

Sums of floats are held to the bound of as many float32 roundings as there are terms, against float64; integers to the
bit. What sums become on their way out is computed from the sums, exactly.
"""

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from gemm_kernels import BYTES, BYTES_BY_COLUMN, HALVES, HALVES_OF_POSITIVE, NEW, OLD, PLAIN, gemm
from matrices import NUMPY, noise
from result_reference import word

from opwright.formats import hifloat8

SAME = ("float16", "bfloat16", "float32", "int8")
CASES = [(OLD, name) for name in SAME] + [(NEW, name) for name in (*SAME, "float8_e4m3", "float8_e5m2", "hifloat8")]
SIDES = [
    (16, 16, 16), (32, 48, 64), (64, 96, 128),  # whole fractals
    (30, 40, 70), (5, 7, 3), (33, 65, 31), (64, 80, 199),  # tails
    (1, 1, 1), (17, 1, 1), (16, 1, 40), (2, 100, 1),  # sides of 1
    (1, 16, 32), (1, 33, 70), (1, 128, 300),  # one row: without fractals
]  # fmt: skip
WORDS = 256
SCALE, OFFSET = 0.37, -9


def numbers(dtype: str, shape: tuple[int, int], seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Elements as they lie in memory, and what they are."""
    if dtype == "hifloat8":
        codes = hifloat8.encode(noise(shape, NUMPY["float32"], seed))
        return codes, hifloat8.decode(codes).astype(np.float64)
    made = noise(shape, NUMPY[dtype], seed)
    wide = made.astype(np.int64 if dtype == "int8" else np.float64)
    return (made.view(np.uint8) if dtype.startswith("float8") else made), wide


class Product:
    """One product with all that it needs in global memory."""

    def __init__(self, soc: str, dtype: str, sides: tuple[int, int, int]) -> None:
        self.kernel, self.sides = gemm(soc, dtype), sides
        m, n, k = sides
        self.a, self.a_is = numbers(dtype, (m, k), m + k)
        self.b, self.b_is = numbers(dtype, (k, n), n + k + 1)
        self.sum_type = np.dtype(np.int32 if dtype == "int8" else np.float32)
        self.bias = np.full(WORDS, 0x7FC00000, np.int32).view(self.sum_type)  # NaN, where it must not be read
        self.bias[:n] = noise((n,), self.sum_type, 6) // 4
        # Integers are larger than what fits in a byte by far.
        self.scale = word(SCALE * (2.0**-8 if dtype == "int8" else 1), OFFSET)
        scales = np.linspace(0.01, 1.5, WORDS) * (2.0**-8 if dtype == "int8" else 1)
        self.words = np.array([word(scale, i % 100 - 50) for i, scale in enumerate(scales)], np.uint64)

    def run(self, turn_a: bool, turn_b: bool, has_bias: bool, result: int = PLAIN) -> np.ndarray:
        """What the kernel leaves."""
        m, n, k = self.sides
        a, b = (np.ascontiguousarray(x.T if t else x) for x, t in ((self.a, turn_a), (self.b, turn_b)))
        sums = np.full((m, n), 0x7FC00000, np.int32).view(self.sum_type)
        halves = np.full((m, n), np.nan, np.float16)
        bytes_ = np.full((m, n), 0x55, np.int8)
        switches = (int(turn_a), int(turn_b), int(has_bias), result, self.scale)
        self.kernel[1](a, b, self.bias, self.words, sums, halves, bytes_, m, n, k, *switches)
        return sums if result == PLAIN else bytes_ if result in (BYTES, BYTES_BY_COLUMN) else halves

    def assert_sums(self, got: np.ndarray, has_bias: bool) -> None:
        """Within the bound, or the same bits."""
        start = self.bias[: self.sides[1]].astype(self.a_is.dtype) * int(has_bias)
        exact = self.a_is @ self.b_is + start
        if got.dtype.kind == "i":
            np.testing.assert_array_equal(got, exact.astype(np.int32))
            return
        bound = (self.sides[2] + 1) * 2.0**-24 * (np.abs(self.a_is) @ np.abs(self.b_is) + np.abs(start))
        assert (np.abs(got - exact) <= bound + 2.0**-149).all()


def scaled(sums: np.ndarray, words: np.ndarray) -> np.ndarray:
    """Sums times the scales of words, rounded to float32; the last 13 bits of a scale do not count."""
    scales = (words & 0xFFFFE000).astype(np.uint32).view(np.float32)
    return (sums.astype(np.float32).astype(np.float64) * scales).astype(np.float32)


def in_bytes(sums: np.ndarray, words: np.ndarray) -> np.ndarray:
    """Nearest even in 9 bits, the offset, and no further than int8 reaches."""
    offsets = ((words >> np.uint64(37)) & np.uint64(0x1FF)).astype(np.int64)
    offsets -= 512 * (offsets >> 8)
    rounded = np.rint(np.clip(scaled(sums, words), -256, 255)).astype(np.int64)
    return np.clip(rounded + offsets, -128, 127).astype(np.int8)


def in_halves(sums: np.ndarray, words: np.ndarray) -> np.ndarray:
    """float16 of the sums; of integers the scaled ones, which stay finite."""
    if sums.dtype.kind == "f":
        with np.errstate(over="ignore"):
            return sums.astype(np.float16)
    return np.clip(scaled(sums, words), -65504, 65504).astype(np.float16)


@pytest.mark.parametrize(("soc", "dtype"), CASES)
def test_products(soc: str, dtype: str, compared: Callable[[int], None]) -> None:
    for sides in SIDES:
        made = Product(soc, dtype, sides)
        for turn_a, turn_b, has_bias in product((False, True), repeat=3):
            got = made.run(turn_a, turn_b, has_bias)
            made.assert_sums(got, has_bias)
            compared(got.size)


@pytest.mark.parametrize(("soc", "dtype"), CASES)
def test_results(soc: str, dtype: str, compared: Callable[[int], None]) -> None:
    for sides in ((32, 48, 64), (30, 40, 70), (1, 33, 70), (64, 80, 199)):
        made = Product(soc, dtype, sides)
        one = np.array([made.scale], np.uint64)
        for turn_a, turn_b in ((False, False), (True, True)):
            sums = made.run(turn_a, turn_b, True)
            wanted = {
                HALVES: in_halves(sums, one),
                HALVES_OF_POSITIVE: in_halves(np.maximum(sums, 0), one),
                BYTES: in_bytes(sums, one),
                BYTES_BY_COLUMN: in_bytes(sums, made.words[: sides[1]]),
            }
            for result, exact in wanted.items():
                np.testing.assert_array_equal(made.run(turn_a, turn_b, True, result), exact)
                compared(exact.size)


def test_bytes_are_not_all_the_same() -> None:
    """The scales leave results in the range of a byte, at its ends and beyond."""
    made = Product(OLD, "int8", (64, 80, 199))
    got = made.run(False, False, False, BYTES)
    assert len(np.unique(got)) > 100 and {-128, 127} <= set(got.ravel().tolist())


@pytest.mark.parametrize(("soc", "dtype"), [*((OLD, name) for name in SAME), (NEW, "float16")])
def test_checked(soc: str, dtype: str) -> None:
    """Every order that the chip may choose gives the same: the checked twin finds nothing."""
    made = Product(soc, dtype, (64, 64, 128))
    made.kernel = made.kernel.check
    made.assert_sums(made.run(False, True, True), True)
