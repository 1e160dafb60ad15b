"""Compares arrays bit by bit: 0.0 is not -0.0, and NaN is NaN.

In: what was computed, what was wanted, and how many units in the last place they may be apart. Out: where they differ.
"""

import numpy as np


def bits_of(array: np.ndarray) -> np.ndarray:
    """The bits of numbers, as integers."""
    return np.ascontiguousarray(array).view(f"int{8 * array.itemsize}").astype(np.int64)


def ordered(array: np.ndarray) -> np.ndarray:
    """Integers that count the floats of a type, so that neighbours differ by 1, as the two zeros do."""
    bits = bits_of(array)
    return np.where(bits < 0, -(2 ** (8 * array.itemsize - 1)) - bits - 1, bits)


def differing(got: np.ndarray, wanted: np.ndarray, ulps: int) -> np.ndarray:
    """Where two arrays differ in bits. Which NaN it is, is open; so is what functions make of subnormals."""
    same = bits_of(got) == bits_of(wanted)
    if got.dtype.kind not in "iu":
        numbers, others = got.astype(np.float32), wanted.astype(np.float32)
        same |= np.isnan(numbers) & np.isnan(others)
        if ulps:
            same |= np.maximum(np.abs(numbers), np.abs(others)) < np.finfo(np.float32).tiny
            same |= ~np.isnan(numbers) & ~np.isnan(others) & (np.abs(ordered(got) - ordered(wanted)) <= ulps)
    return np.argwhere(~same)


def assert_same_bits(got: object, wanted: object) -> None:
    """Two arguments of a kernel after it ran: arrays have the same bits; numbers are nobody's result."""
    if isinstance(wanted, np.ndarray):
        assert isinstance(got, np.ndarray)
        assert got.dtype == wanted.dtype and got.shape == wanted.shape
        assert differing(got, wanted, 0).tolist() == []
