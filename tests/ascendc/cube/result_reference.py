"""What a result of the matrix unit becomes on its way out of L0C: exact, with fractions, and where it comes to lie.

In: elements of L0C, a mode, words, sizes and strides. Out: the memory after the copy. Written from the published
description, element by element, without the twin.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import ml_dtypes
import numpy as np

from opwright.formats import hifloat8

PLAIN = ("NoQuant", "F322F16", "F322BF16")


def word(scale: float, offset: int = 0, is_signed: bool = True, shift: int = 0, junk: int = 0) -> int:
    """The word of a scale; `junk` are bits that do not count, `shift` is 0 for none."""
    bits = int(np.float32(scale).view(np.uint32)) & ~0x1FFF | junk & 0x1FFF
    return bits | (shift - 1 & 15) << 32 | (shift > 0) << 36 | (offset & 0x1FF) << 37 | is_signed << 46


def _nearest_even(value: Fraction) -> int:
    return round(value)  # of a fraction: ties to even


def _float32(value: Fraction) -> np.float32:
    """The nearest float32 of an exact product; numerator and denominator are powers of two times few bits."""
    high = np.float64(value.numerator) / np.float64(value.denominator)  # 48 bits: exact
    assert Fraction(float(high)) == value
    with np.errstate(over="ignore"):
        return np.float32(high)


def _converted(value: object, target: str, source: str, mode: str, own: int, relu: bool) -> object:
    """One element."""
    if relu and value < 0:  # type: ignore[operator]
        value = type(value)(0)
    if mode in PLAIN:
        return value
    scale = np.uint32(own & 0xFFFFE000).view(np.float32)
    number = int(value) if source == "int32" else value  # type: ignore[call-overload]
    if source == "int32" and own >> 36 & 1:
        number = min(max(number >> ((own >> 32 & 15) + 1), -32768), 32767)
    factor = np.float32(number)
    if factor == 0 or not np.isfinite(factor):
        with np.errstate(all="ignore"):
            product = factor * scale  # a fraction has neither -0 nor infinity
    else:
        product = _float32(Fraction(float(factor)) * Fraction(float(scale)))
    if target in ("int8", "uint8"):
        if np.isnan(product):
            rounded = 0
        else:
            inside = min(max(float(product), -256.0), 255.0)
            rounded = _nearest_even(Fraction(inside))
        offset = (own >> 37 & 0x1FF) - (own >> 36 & 0x200)
        low, high = (-128, 127) if own >> 46 & 1 else (0, 255)
        byte = min(max(rounded + offset, low), high) & 0xFF
        return byte - 256 if target == "int8" and byte > 127 else byte
    if target == "float16" and source == "int32":
        return np.float32(min(max(product, np.float32(-65504)), np.float32(65504)))
    return product


def narrowed(values: list[object], target: str, source: str) -> np.ndarray:
    """As elements of the destination; small floats are their bytes."""
    with np.errstate(all="ignore"):
        if target in ("int8", "uint8", "int32"):
            return np.array(values, target)
        exact = np.array(values, np.float32)
        match target:
            case "float32":
                return exact
            case "float16":
                return exact.astype(np.float16)
            case "bfloat16":
                return exact.astype(ml_dtypes.bfloat16)
            case "float8_e4m3":
                return exact.astype(ml_dtypes.float8_e4m3fn).view(np.uint8)
    return hifloat8.encode(exact, overflow="inf")


@dataclass
class Way:
    """Sizes and strides in elements, and what is done on the way."""

    layout: str  # NZ, ROWS, COLUMNS
    columns: int
    rows: int
    from_fractal: int
    to_step: int
    target: str
    source: str
    mode: str
    words: list[int] = field(default_factory=lambda: [0])
    relu: bool = False
    split: bool = False
    matrices: int = 1
    from_matrix: int = 0
    to_matrix: int = 0


def moved(before: np.ndarray, results: np.ndarray, way: Way) -> np.ndarray:
    """The destination after the copy."""
    after = before.copy()
    values, places = [], []
    width = 8 if way.split else 32 if np.dtype(before.dtype).itemsize == 1 else 16
    for matrix in range(way.matrices):
        for column in range(way.columns):
            own = way.words[column] if len(way.words) > 1 else way.words[0]
            for row in range(way.rows):
                at = matrix * way.from_matrix + column // 16 * way.from_fractal + row * 16 + column % 16
                values.append(_converted(results[at], way.target, way.source, way.mode, own, way.relu))
                if way.layout == "ROWS":
                    place = matrix * way.to_matrix + row * way.to_step + column
                elif way.layout == "COLUMNS":
                    place = matrix * way.to_matrix + column * way.to_step + row
                else:
                    fractal = column // width
                    own_width = min(width, way.columns - fractal * width)
                    place = fractal * way.to_step + row * own_width + column % width
                places.append(place)
    after[places] = narrowed(values, way.target, way.source)
    return after
