"""Every one of the 2^32 float32 gets the code that an exact search says, and every quotient the code that it should.

The search is by fractions over the committed values of the codes, and shares nothing with what it judges: where a code
ends, the nearest value, or of two the one further from 0, becomes the next. C++ then walks all bit patterns. Scales of
every mantissa are tried on the numbers whose quotients are nearest to where a code ends.
"""

import ctypes
import struct
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

HERE = Path(__file__).parent
VALUES = HERE.parent / "formats" / "hifloat8_values.txt"
LARGEST, INFINITY, NAN = 0x6E, 0x6F, 0x80
INFINITE_BITS = 0x7F800000
OVERFLOWS = ("inf", "saturate", "saturate_all")
THREADS, PART = 2, 2**26


@cache
def grid() -> list[tuple[Fraction, int]]:
    """The magnitudes of codes in rising order; infinity is in the place of 49152."""
    found = [(Fraction(49152), INFINITY)]
    for code, word in enumerate(VALUES.read_text().split()[:128]):
        mantissa, _, power = word.partition("p")
        if code != INFINITY:
            found.append((Fraction(mantissa) * Fraction(2) ** int(power or 0), code))
    return sorted(found)


def first_bits(border: Fraction) -> int:
    """The bits of the smallest float32 that is not below a border."""
    low, high = 0, INFINITE_BITS - 1
    while low < high:
        middle = (low + high) // 2
        if Fraction(struct.unpack("<f", struct.pack("<I", middle))[0]) >= border:
            high = middle
        else:
            low = middle + 1
    return low


def listed(overflow: str) -> tuple[np.ndarray, np.ndarray]:
    """Where each code begins, as bits of magnitudes, and the codes."""
    values = grid()
    borders = [(values[place - 1][0] + values[place][0]) / 2 for place in range(1, len(values))]
    firsts = [0] + [first_bits(border) for border in borders]
    codes = [code for _, code in values]
    if overflow != "inf":
        codes[-1] = LARGEST
    firsts += [INFINITE_BITS, INFINITE_BITS + 1]
    codes += [LARGEST, 0] if overflow == "saturate_all" else [INFINITY, NAN]
    return np.array(firsts, np.uint32), np.array(codes, np.uint8)


def test_the_list_is_right() -> None:
    """Some of it by hand."""
    firsts, codes = listed("inf")
    begins = dict(zip(codes.tolist(), firsts.view(np.float32).tolist(), strict=True))
    assert len(codes) == 130
    assert begins[0x01] == 2.0**-23
    assert begins[0x09] == 1.0625
    assert begins[0x7E] == 1.5 * 2.0**-16
    assert begins[LARGEST] == 28672
    assert firsts[codes == INFINITY].tolist() == [0x47200000, INFINITE_BITS]


def wrong(library: Any, path: bytes, overflow: str) -> list[str]:
    """The first wrong pattern of each part of all patterns."""
    firsts, codes = listed(overflow)

    def part(number: int) -> int:
        found = ctypes.c_int64(-1)
        count = library.every_float(
            path,
            OVERFLOWS.index(overflow),
            firsts.ctypes.data_as(ctypes.c_void_p),
            codes.ctypes.data_as(ctypes.c_void_p),
            ctypes.c_int64(len(firsts)),
            ctypes.c_int64(number * PART),
            ctypes.c_int64((number + 1) * PART),
            ctypes.byref(found),
        )
        assert count >= 0
        return found.value

    with ThreadPoolExecutor(THREADS) as pool:
        return [hex(first) for first in pool.map(part, range(2**32 // PART)) if first >= 0]


@pytest.mark.parametrize("overflow", OVERFLOWS)
def test_every_float(library: Any, overflow: str) -> None:
    assert wrong(library, library.driver_isa(), overflow) == []


@pytest.mark.slow
def test_every_float_on_every_path(library: Any, path: str) -> None:
    assert wrong(library, path.encode(), "saturate") == []


def test_every_scale(library: Any) -> None:
    path = library.driver_isa()

    def part(begin: int) -> int:
        """The first wrong scale of a part."""
        found = ctypes.c_int64(-1)
        assert library.every_scale(path, ctypes.c_int64(begin), ctypes.c_int64(begin + 2**18), ctypes.byref(found)) >= 0
        return found.value

    with ThreadPoolExecutor(THREADS) as pool:
        assert [first for first in pool.map(part, range(2**23, 2**24, 2**18)) if first >= 0] == []
