"""Encoding by looking up: the neighbours of a number in a sorted list of magnitudes, and which of them to take.

In: numbers, the magnitudes that a format has, a way of rounding. Out: the index of the magnitude of each, which is one
beyond the last where a number overflows. Works in float64, which holds every number and every midpoint exactly.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

Round = Literal["even", "away", "floor", "ceil", "trunc"]
Overflow = Literal["inf", "saturate", "saturate_all"]
Array = np.ndarray[Any, Any]


def nearest_index(numbers: Array, magnitudes: Array, beyond: float, how: Round) -> Array:
    """Index of the magnitude of each number. `beyond` is the value that would come after the last magnitude."""
    table = np.append(magnitudes, beyond)
    size = np.where(np.isnan(numbers), 0, np.abs(numbers))
    inner = np.minimum(np.searchsorted(table, size, side="right") - 1, len(magnitudes) - 1)
    below, above = size - table[inner], np.maximum(table[inner + 1] - size, 0)
    negative = np.signbit(numbers)
    match how:
        case "even":
            outwards = (below > above) | ((below == above) & (inner % 2 == 1))
        case "away":
            outwards = below >= above
        case "floor":
            outwards = negative
        case "ceil":
            outwards = ~negative
        case "trunc":
            outwards = np.zeros_like(negative)
    index: Array = inner + ((below > 0) & outwards | np.isinf(size))
    return index


def settled(numbers: Array, codes: Array, largest: int, infinity: int, nan: int, overflow: Overflow) -> Array:
    """Codes without their sign, overflow and NaN in their places. `codes` is `infinity` where a number is too big."""
    is_nan, is_infinite = np.isnan(numbers), np.isinf(numbers)
    too_big = codes == infinity
    if overflow == "saturate":
        codes = np.where(too_big & ~is_infinite, largest, codes)
    elif overflow == "saturate_all":
        codes = np.where(too_big, largest, codes)
    return np.where(is_nan, 0 if overflow == "saturate_all" else nan, codes).astype(np.uint8)
