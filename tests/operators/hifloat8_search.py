"""HiFloat8 by search and by loops, for tests: shares nothing with the package but the definition.

The values of the codes stand in tests/formats/hifloat8_values.txt. The code of a float32 is found from the first bit
pattern that belongs to each value, and that pattern by exact fractions.
"""

import itertools
import math
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np

INFINITY_BITS = 0x7F800000


@cache
def values() -> list[float]:
    """The value of each code."""
    found = []
    for word in (Path(__file__).parents[1] / "formats" / "hifloat8_values.txt").read_text().split():
        mantissa, _, power = word.partition("p")
        found.append(float(mantissa) * 2.0 ** int(power or 0))
    return found


@cache
def intervals() -> tuple[list[int], list[int]]:
    """The first bit pattern that rounds to each magnitude from 0 on, and the code of that magnitude.

    The last is the place where infinity stands, 49152.
    """
    finite = sorted((Fraction(value), code) for code, value in enumerate(values()[:128]) if math.isfinite(value))
    grid = [*finite, (Fraction(49152), 0x6F)]
    firsts = [0]
    for (below, _), (above, _) in itertools.pairwise(grid):
        middle = (below + above) / 2
        low, high = 0, INFINITY_BITS  # the first pattern that reaches the middle lies in (low, high]
        while high - low > 1:
            pattern = (low + high) // 2
            reached = Fraction(float(np.uint32(pattern).view(np.float32))) >= middle
            low, high = (low, pattern) if reached else (pattern, high)
        firsts.append(high)
    return firsts, [code for _, code in grid]


def codes_of(x: np.ndarray, overflow: str) -> np.ndarray:
    """The code of each float32."""
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32).reshape(np.shape(x))
    size = bits & np.uint32(0x7FFFFFFF)
    firsts, grid = intervals()
    codes = np.array(grid)[np.searchsorted(firsts, size, side="right") - 1]
    is_infinite = size == INFINITY_BITS
    if overflow != "inf":
        codes = np.where((codes == 0x6F) & ~(is_infinite & (overflow == "saturate")), 0x6E, codes)
    codes = np.where((bits >> 31 == 1) & (codes != 0), codes | 0x80, codes)
    return np.where(size > INFINITY_BITS, 0 if overflow == "saturate_all" else 0x80, codes).astype(np.uint8)


def blocks(shape: tuple[int, ...], block_size: list[int]) -> list[tuple[tuple[int, ...], tuple[slice, ...]]]:
    """The place of each block in the scale, and the part of the tensor that it is."""
    lengths = [size if length == -1 else length for size, length in zip(shape, block_size, strict=True)]
    starts = [range(0, size, length) if size else () for size, length in zip(shape, lengths, strict=True)]
    return [
        (
            tuple(start // length for start, length in zip(corner, lengths, strict=True)),
            tuple(slice(start, start + length) for start, length in zip(corner, lengths, strict=True)),
        )
        for corner in itertools.product(*starts)
    ]


def scale_of(x: np.ndarray, block_size: list[int], target_max: float) -> np.ndarray:
    """The scale of each block, one element after the other."""
    places = blocks(x.shape, block_size)
    shape = [len({place[dim] for place, _ in places}) for dim in range(x.ndim)]
    if 0 in x.shape:
        # Dimensions that are not empty keep their blocks.
        shape = [
            math.ceil(size / (length if length > 0 else max(size, 1)))
            for size, length in zip(x.shape, block_size, strict=True)
        ]
    scale = np.full(shape, np.nan, np.float32)
    for place, part in places:
        sizes = [abs(float(number)) for number in np.asarray(x[part]).reshape(-1) if math.isfinite(number)]
        ratio = np.float32(max(sizes, default=0.0)) / np.float32(target_max)
        scale[place] = ratio if ratio >= np.float32(2.0**-126) else 1
    return scale


def quantize(x: np.ndarray, scale: np.ndarray, block_size: list[int], overflow: str) -> np.ndarray:
    """The codes, block by block."""
    codes = np.full(x.shape, 0x55, np.uint8)
    for place, part in blocks(x.shape, block_size):
        codes[part] = codes_of(np.asarray(x[part], np.float32) / scale[place], overflow)
    return codes


def dequantize(codes: np.ndarray, scale: np.ndarray, block_size: list[int]) -> np.ndarray:
    """The values in float32, block by block."""
    table = np.array(values(), np.float32)
    result = np.full(codes.shape, np.nan, np.float32)
    for place, part in blocks(codes.shape, block_size):
        result[part] = table[codes[part]] * scale[place]
    return result


def stats(x: np.ndarray, overflow: str) -> list[int]:
    """The six counts, one element after the other."""
    counts = [0] * 6
    flat = np.asarray(x, np.float32).reshape(-1)
    for number, code in zip(flat.tolist(), codes_of(flat, overflow).tolist(), strict=True):
        counts[0] += 1
        if math.isnan(number):
            counts[3] += 1
        elif math.isinf(number):
            counts[2] += 1
        else:
            counts[1] += abs(number) >= 40960
            counts[4] += number != 0 and code == 0
            counts[5] += 1 <= code & 0x7F <= 7
    return counts
