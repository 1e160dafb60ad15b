"""HiFloat8: one byte whose exponent grows at the cost of the mantissa.

In: arrays. Out: `decode` gives the values of codes, `encode` the codes of numbers, in a new array or in `out`. Refused:
an `out` of another shape or type, values as integers, and rules that do not exist. From the top a code is the sign, a
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
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import DTypeLike

from opwright.formats.rounding import Array, Overflow, nearest_index, settled
from opwright.schema.dtypes import DTYPES

Rounding = Literal["away", "hybrid"]

if TYPE_CHECKING:
    from opwright.native.library import CpuLibrary, View

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


def decode(codes: Array, dtype: DTypeLike | None = None, out: Array | None = None) -> Array:
    """The values of codes, as float32 if nothing else is said. They are exact in float16 and bfloat16 too."""
    codes = np.asarray(codes)
    if dtype is None:
        dtype = np.float32 if out is None else out.dtype
    if np.dtype(dtype).kind in "biu":
        raise TypeError(f"values are floats and cannot be {np.dtype(dtype)}")
    values = _room_for(codes.shape, np.dtype(dtype), out)
    _decode_into(values, codes)
    return values if out is not None else values[()]


def encode(
    numbers: Array,
    rounding: Rounding = "away",
    overflow: Overflow = "inf",
    out: Array | None = None,
) -> Array:
    """The codes of numbers; "away" is nearest, ties away from 0. There is no negative zero.

    What is too big becomes infinity; with `overflow` "saturate" the largest number, but not infinity itself; with
    "saturate_all" that too, and NaN becomes 0.
    """
    for name, value, known in (("rounding", rounding, Rounding), ("overflow", overflow, Overflow)):
        if value not in get_args(known):
            raise ValueError(f"{name} is {value!r}, but must be one of {', '.join(map(repr, get_args(known)))}")
    numbers = np.asarray(numbers)
    codes = _room_for(numbers.shape, np.dtype(np.uint8), out)
    _encode_into(codes, numbers, rounding, overflow)
    return codes if out is not None else codes[()]


def _room_for(shape: tuple[int, ...], dtype: np.dtype[Any], out: Array | None) -> Array:
    """The array that a result is written to."""
    if out is None:
        return np.empty(shape, dtype)
    if out.shape != shape:
        raise ValueError(f"out has shape {out.shape}, but the result has {shape}")
    if out.dtype != dtype:
        raise TypeError(f"out is {out.dtype}, but the result is {dtype}")
    return out


# From this number of elements on, the compiled library is used; an install from source may have to compile it first.
_MANY = 1 << 20
_NATIVE_TYPES = ("float16", "bfloat16", "float32")


def _native(first: Array, second: Array) -> CpuLibrary | None:
    """The compiled library, for arrays that are worth it and lie densely, in this machine's order of bytes."""
    is_dense = first.flags.c_contiguous and second.flags.c_contiguous and second.flags.writeable
    is_native = first.dtype.isnative and second.dtype.isnative
    if first.size < _MANY or not (is_dense and is_native) or np.may_share_memory(first, second):
        return None
    from opwright.native.library import opened

    library = opened()
    return None if isinstance(library, str) else library


def _view(array: Array) -> View:
    """All elements of a dense array, one behind the other."""
    from opwright.native.library import View

    return View(array.ctypes.data, array.dtype.name, (array.size,), (1,))


def _decode_into(values: Array, codes: Array) -> None:
    name = values.dtype.name
    if name in _NATIVE_TYPES and codes.dtype == np.uint8 and (library := _native(codes, values)):
        library.run("opwright::decode_from_hifloat8", [_view(codes), DTYPES[name]], [_view(values)])
    else:
        values[...] = _values()[codes]


def _encode_into(codes: Array, numbers: Array, rounding: Rounding, overflow: Overflow) -> None:
    if rounding == "away" and numbers.dtype.name in _NATIVE_TYPES and (library := _native(numbers, codes)):
        library.run("opwright::encode_to_hifloat8", [_view(numbers), overflow], [_view(codes)])
        return
    exact = numbers.astype(np.float64)
    if rounding == "hybrid":
        unsettled = _hybrid(numbers)
    else:
        magnitudes, in_order = _in_order()
        unsettled = in_order[nearest_index(exact, magnitudes, 1.5 * 2.0**15, "away")]
    settled_codes = settled(exact, unsettled, LARGEST, INFINITY, NAN, overflow)
    negative = np.signbit(exact) & (settled_codes != 0) & ~np.isnan(exact)
    np.bitwise_or(settled_codes, negative.astype(np.uint8) << 7, out=codes)


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
    # The mantissa with its leading 1, in enough bits that all that is compared is an integer.
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
