"""HiFloat8: one byte whose exponent grows at the cost of the mantissa.

In: arrays. Out: `decode` gives float32 of codes, `encode` the codes of numbers. From the top a code is the sign, a
prefix, the sign and the rest of the exponent's magnitude, the mantissa:

    prefix  then           exponent     mantissa
    11      sign, 3 bits   8 to 15      1 bit
    10      sign, 2 bits   4 to 7       2 bits
    01      sign, 1 bit    2 and 3      3 bits
    001     sign           1            3 bits
    0001                   0            3 bits
    0000                   -22 to -16   none: 2^(bits - 23)

0x00 is the only zero, 0x80 the only NaN, 0x6F and 0xEF are the infinities, in the place of 1.5 * 2^15. Codes are not in
the order of their values. "hybrid" follows the published text for float32 and float16, which is in doubt for float32:
there exact numbers with low bits of 0 move.
"""

from __future__ import annotations

from functools import cache
from typing import Literal

import numpy as np

from opwright.formats.rounding import Array, Overflow, nearest_index, settled

LARGEST, INFINITY, NAN = 0x6E, 0x6F, 0x80
# Prefix with how far to shift it down to the bits after it, the bits of the exponent's rest and of the mantissa.
_CLASSES = ((0b11, 5, 3, 1), (0b10, 5, 2, 2), (0b01, 5, 1, 3), (0b001, 4, 0, 3))


def value_of(code: int) -> float:
    """The value of a code from 0x00 to 0x7F."""
    if code == INFINITY:
        return float("inf")
    for prefix, shift, rest_bits, mantissa_bits in _CLASSES:
        if code >> shift == prefix:
            is_negative = code >> (rest_bits + mantissa_bits) & 1
            rest = code >> mantissa_bits & ((1 << rest_bits) - 1)
            exponent = (1 << rest_bits) + rest
            mantissa = code & ((1 << mantissa_bits) - 1)
            return (1 + mantissa / (1 << mantissa_bits)) * 2.0 ** (-exponent if is_negative else exponent)
    if code >> 3 == 1:
        return 1 + (code & 7) / 8
    return 2.0 ** (code - 23) if code else 0.0


@cache
def _values() -> Array:
    """The value of every code, as float32."""
    positive = np.array([value_of(code) for code in range(128)])
    values = np.concatenate([positive, -positive]).astype(np.float32)
    values[NAN] = np.nan
    return values


@cache
def _in_order() -> tuple[Array, Array]:
    """The finite magnitudes from 0 on, and the code of each; the last code is that of infinity."""
    codes = sorted((code for code in range(128) if code != INFINITY), key=value_of)
    return np.array([value_of(code) for code in codes]), np.array([*codes, INFINITY], np.uint8)


def decode(codes: Array) -> Array:
    """The values of codes. They are exact in float16 and bfloat16 too."""
    values: Array = _values()[codes]
    return values


def encode(numbers: Array, rounding: Literal["away", "hybrid"] = "away", overflow: Overflow = "inf") -> Array:
    """The codes of numbers; "away" is nearest, ties away from 0. There is no negative zero.

    What is too big becomes infinity; with `overflow` "saturate" the largest number, but not infinity itself; with
    "saturate_all" that too, and NaN becomes 0.
    """
    exact = np.asarray(numbers).astype(np.float64)
    if rounding == "hybrid":
        codes = _hybrid(np.asarray(numbers))
    else:
        magnitudes, in_order = _in_order()
        codes = in_order[nearest_index(exact, magnitudes, 1.5 * 2.0**15, "away")]
    codes = settled(exact, codes, LARGEST, INFINITY, NAN, overflow)
    negative = np.signbit(exact) & (codes != 0) & ~np.isnan(exact)
    signed: Array = codes | (negative.astype(np.uint8) << 7)
    return signed


def _hybrid(numbers: Array) -> Array:
    """Rounds up where the bits below the mantissa reach a threshold that the number's own lowest bits are.

    float32 compares 14 bits, float16 two, of which the last is 1. Near 1 it is nearest, ties away from 0.
    """
    is_half = numbers.dtype == np.float16
    bits = numbers.view(np.uint16 if is_half else np.uint32).astype(np.int64)
    width = 2 if is_half else 14
    threshold = (bits & 1) << 1 | 1 if is_half else bits & 0x3FFF
    size = np.abs(numbers.astype(np.float64))
    finite = np.where(np.isfinite(size), size, 0)
    fraction, exponent = np.frexp(finite)  # finite = fraction * 2^exponent, fraction from 0.5
    exponent = exponent - 1
    reach = np.abs(exponent)
    kept_bits = np.select([reach <= 3, reach <= 7, exponent >= -15], [3, 2, 1], 0)
    # The mantissa with its leading 1, in so many bits that all that is compared is an integer.
    scaled = np.floor(np.ldexp(fraction * 2, kept_bits + width)).astype(np.int64)
    kept, below = scaled >> width, scaled & ((1 << width) - 1)
    # One step below the smallest number the leading 1 is the first of the bits that are compared.
    is_under = exponent == -23
    below = np.where(is_under, (1 << (width - 1)) | below >> 1, below)
    kept = np.where(is_under, 0, kept)
    up = np.where(reach <= 3, below >= 1 << (width - 1), below >= threshold)
    kept = kept + up
    value = np.where(is_under, kept * 2.0**-22, np.ldexp(kept.astype(np.float64), exponent - kept_bits))
    value = np.where((exponent < -23) | (finite == 0), 0, value)
    magnitudes, codes = _in_order()
    index = np.minimum(np.searchsorted(magnitudes, value), len(magnitudes))
    found: Array = np.where(np.isinf(size) | (value >= 1.5 * 2.0**15), INFINITY, codes[index])
    return found
