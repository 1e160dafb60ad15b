"""What a conversion gives, in NumPy: neighbours are looked up in the values of the target, or made with integers.

In: an array, the type it becomes and a way of rounding. Out: the array of that type. Integers saturate and NaN becomes
0 there; floats overflow to infinity where the rounding leads there, and NaN stays NaN.
"""

from __future__ import annotations

import numpy as np
from call_kernels import NUMPY

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.enums import RoundMode


def _outwards(
    mode: RoundMode, negative: np.ndarray, odd: np.ndarray, below: np.ndarray, above: np.ndarray
) -> np.ndarray:
    """Whether to take the neighbour further from 0; `below` and `above` are how far both are, not both 0."""
    match mode:
        case RoundMode.CAST_FLOOR:
            return negative
        case RoundMode.CAST_CEIL:
            return ~negative
        case RoundMode.CAST_TRUNC:
            return np.zeros_like(negative)
        case RoundMode.CAST_ODD:
            return ~odd
        case RoundMode.CAST_ROUND:
            return below >= above
        case _:
            return (below > above) | ((below == above) & odd)


def _to_16_bits(x: np.ndarray, dtype: str, mode: RoundMode) -> np.ndarray:
    """By the values of all bit patterns; the last, in the place of infinity, is what would come next."""
    last = 0x7C00 if dtype == "float16" else 0x7F80
    table = np.arange(last + 1, dtype=np.uint16).view(NUMPY[dtype]).astype(np.float64)
    table[last] = 2 * table[last - 1] - table[last - 2]
    exact = x.astype(np.float64)
    negative, is_nan = np.signbit(exact), np.isnan(exact)
    size = np.where(is_nan, 0, np.abs(exact))
    # What lies beyond the last number rounds as if its neighbour were as far as the next would be, and no further.
    bits = np.minimum(np.searchsorted(table, size, side="right") - 1, last - 1)
    inner, outer = table[bits], table[bits + 1]
    below, above = size - inner, np.maximum(outer - size, 0)
    step = (below > 0) & _outwards(mode, negative, bits % 2 == 1, below, above)
    step |= np.isinf(size)
    result = (bits + step).astype(np.uint16) | (negative.astype(np.uint16) << 15)
    result[is_nan] = 0x7FFF
    return result.view(NUMPY[dtype])


def _integers_to_float32(x: np.ndarray, mode: RoundMode) -> np.ndarray:
    """With integers: what is shifted out decides."""
    wide = x.astype(np.int64)
    negative = wide < 0
    size = np.where(negative, -wide, wide).view(np.uint64)  # the lowest int64 is right as an unsigned one
    length = np.zeros(len(size), np.uint64)
    rest = size.copy()
    for step in (32, 16, 8, 4, 2, 1):
        more = rest >> np.uint64(step) != 0
        length += np.where(more, np.uint64(step), np.uint64(0))
        rest = np.where(more, rest >> np.uint64(step), rest)
    length += (size != 0).astype(np.uint64)
    shift = np.where(length > 24, length - np.uint64(24), np.uint64(0))
    kept = size >> shift
    below = size - (kept << shift)
    above = (np.uint64(1) << shift) - below
    step_out = (below > 0) & _outwards(mode, negative, kept % np.uint64(2) == 1, below, above)
    value = np.ldexp((kept + step_out).astype(np.float64), shift.astype(np.int32))
    return np.where(negative, -value, value).astype(np.float32)


def _whole(x: np.ndarray, mode: RoundMode) -> np.ndarray:
    """To integers, in float64, which is exact for everything a 32-bit float can hold."""
    exact = x.astype(np.float64)
    match mode:
        case RoundMode.CAST_FLOOR:
            return np.floor(exact)
        case RoundMode.CAST_CEIL:
            return np.ceil(exact)
        case RoundMode.CAST_TRUNC:
            return np.trunc(exact)
        case RoundMode.CAST_ROUND:
            return np.trunc(exact + np.copysign(0.5, exact))
        case _:
            return np.rint(exact)


def _saturated(x: np.ndarray, dtype: str) -> np.ndarray:
    low, high = DTYPES[dtype].limits
    if x.dtype.kind == "f":
        # 2^63 is a float, the largest int64 is not: what reaches it is put in its place afterwards.
        inside = np.where((x >= low) & (x < high + 1), x, 0).astype(NUMPY[dtype])
        return np.where(x >= high + 1, high, np.where(x < low, low, inside)).astype(NUMPY[dtype])
    return np.clip(x.astype(np.int64), low, min(high, 2**63 - 1)).astype(NUMPY[dtype])


def converted(x: np.ndarray, target: str, mode: RoundMode) -> np.ndarray:
    """The array in another type."""
    from_float = DTYPES[x.dtype.name].is_float()
    with np.errstate(all="ignore"):
        if DTYPES[target].is_int():
            return _saturated(_whole(x, mode) if from_float else x, target)
        if target != "float32":
            return _to_16_bits(x, target, mode)
        if not from_float:
            return _integers_to_float32(x, mode)
        return (_whole(x, mode) if x.dtype == np.float32 else x).astype(np.float32)
