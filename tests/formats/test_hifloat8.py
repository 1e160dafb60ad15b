"""HiFloat8 in every way: all 256 codes, all 65,536 inputs of both 16-bit floats, millions of float32.

The values of the codes stand in hifloat8_values.txt, sixteen to a line, as mantissa and power of two. The digests are
those of tables that an independent search made. None of it comes from an NPU.
"""

import hashlib
from fractions import Fraction
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from opwright.formats import hifloat8
from opwright.formats.hifloat8 import decode, encode

CODES = np.arange(256, dtype=np.uint8)
PATTERNS = np.arange(65536, dtype=np.uint16)
HALVES = PATTERNS.view(np.float16)
BRAINS = PATTERNS.view(ml_dtypes.bfloat16).astype(np.float32)
DIGESTS = {
    ("away", "inf"): ("4e85867f2a96b171", "bca1768faaec90c6"),
    ("away", "saturate_all"): ("bfbaa0bb1cf15ead", "ad1b8c016308b232"),
    ("away", "saturate"): ("8ea30fbd881e596d", "0b4ba9138ffb58db"),
    ("hybrid", "inf"): ("7f0f62ba7db6b188", "372499b22f88ae0d"),
}


def values() -> list[float]:
    """The committed table."""
    found = []
    for word in (Path(__file__).parent / "hifloat8_values.txt").read_text().split():
        mantissa, _, power = word.partition("p")
        found.append(float(mantissa) * 2.0 ** int(power or 0))
    return found


def digest(codes: np.ndarray) -> str:
    return hashlib.sha256(codes.tobytes()).hexdigest()[:16]


@pytest.mark.quick
def test_every_code_has_its_value() -> None:
    np.testing.assert_array_equal(decode(CODES), np.array(values(), np.float32))


@pytest.mark.quick
def test_decoded_bits() -> None:
    bits = decode(CODES).view(np.uint32).copy()
    bits[hifloat8.NAN] = 0x7FC00000
    assert digest(bits) == "2ac829ee895e0e5e"
    for narrow in (np.float16, ml_dtypes.bfloat16):
        exact = decode(CODES).astype(narrow).astype(np.float32)
        np.testing.assert_array_equal(exact, decode(CODES))


@pytest.mark.quick
@pytest.mark.parametrize(("rounding", "overflow"), DIGESTS)
def test_every_16_bit_input(rounding: str, overflow: str) -> None:
    with np.errstate(invalid="ignore"):
        assert (digest(encode(HALVES, rounding, overflow)), digest(encode(BRAINS, rounding, overflow))) == DIGESTS[
            rounding, overflow
        ]


@pytest.mark.quick
def test_codes_come_back() -> None:
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(encode(decode(CODES)), CODES)
        # Near 1 the threshold of a number that is exact does not matter.
        near = CODES[(np.abs(decode(CODES)) >= 0.125) & (np.abs(decode(CODES)) < 16)]
        np.testing.assert_array_equal(encode(decode(near), "hybrid"), near)


def test_float32_by_search() -> None:
    """The nearest of all values, by exact fractions; ties away from 0."""
    table = values()
    finite = [(Fraction(value), code) for code, value in enumerate(table[:128]) if np.isfinite(value)]
    finite.append((Fraction(49152), 0x6F))
    random = np.random.default_rng(5)
    x = random.integers(0, 2**32, 600, dtype=np.uint32).view(np.float32)
    ties = [float(a + b) / 2 for (a, _), (b, _) in zip(sorted(finite), sorted(finite)[1:], strict=False)]
    x = np.concatenate([x[np.isfinite(x)], np.array(ties, np.float32)])
    x = np.concatenate([x, np.nextafter(x, np.float32(0)), (random.standard_normal(600) * 100).astype(np.float32)])
    for number, code in zip(x.tolist(), encode(x).tolist(), strict=True):
        size = min(Fraction(abs(number)), Fraction(49152))
        wanted = min(finite, key=lambda pair: (abs(pair[0] - size), -pair[0]))[1]
        assert code == (wanted | 0x80 if number < 0 and wanted else wanted), number


def test_a_million_numbers_move_by_less_than_a_step() -> None:
    """Their order stays, in both roundings, and the two differ by one step at most."""
    x = np.sort(np.abs((np.random.default_rng(1).standard_normal(1 << 20) * 3000).astype(np.float32)))
    away = decode(encode(x))
    assert (np.diff(away) >= 0).all()
    order = np.argsort(decode(CODES[:0x6F]))
    place = np.empty(256, int)
    place[CODES[:0x6F][order]] = np.arange(0x6F)
    both = [place[encode(x[x < 30000], rounding)] for rounding in ("away", "hybrid")]
    assert np.abs(both[0] - both[1]).max() <= 1


@pytest.mark.quick
@pytest.mark.parametrize("overflow", ["inf", "saturate", "saturate_all"])
def test_specials(overflow: str) -> None:
    x = np.array([0.0, -0.0, 32768, 40959, 40960, 1e30, np.inf, -np.inf, np.nan, 2.0**-23, -(2.0**-24)], np.float32)
    wanted = {
        "inf": [0, 0, 0x6E, 0x6E, 0x6F, 0x6F, 0x6F, 0xEF, 0x80, 1, 0],
        "saturate": [0, 0, 0x6E, 0x6E, 0x6E, 0x6E, 0x6F, 0xEF, 0x80, 1, 0],
        "saturate_all": [0, 0, 0x6E, 0x6E, 0x6E, 0x6E, 0x6E, 0xEE, 0, 1, 0],
    }
    assert encode(x, overflow=overflow).tolist() == wanted[overflow]


@pytest.mark.quick
def test_results_go_where_they_should() -> None:
    x = (np.random.default_rng(2).standard_normal((5, 7)) * 40).astype(np.float32)
    codes = np.full((7, 5), 0x80, np.uint8).T
    assert encode(x, overflow="saturate", out=codes) is codes
    np.testing.assert_array_equal(codes, encode(x, overflow="saturate"))
    for dtype in (np.float16, np.float32, np.float64, ml_dtypes.bfloat16):
        values = np.full((5, 7), np.nan, dtype)
        assert decode(codes, out=values) is values
        np.testing.assert_array_equal(values.astype(np.float64), decode(codes).astype(np.float64))
        again = decode(codes, dtype)
        assert again.dtype == dtype
        np.testing.assert_array_equal(again, values)


@pytest.mark.quick
def test_arrays_without_dimensions_or_elements() -> None:
    assert encode(np.float32(-1)) == 0x88
    assert decode(np.uint8(0x2F)) == 15
    room = np.full((), 0x80, np.uint8)
    assert encode(np.float32(2), out=room) is room
    assert room == 0x10
    for shape in ((0,), (3, 0)):
        assert encode(np.zeros(shape, np.float16)).shape == shape
        assert decode(np.zeros(shape, np.uint8)).shape == shape


@pytest.mark.quick
def test_what_is_refused() -> None:
    x = np.zeros((2, 3), np.float32)
    codes = np.zeros((2, 3), np.uint8)
    with pytest.raises(ValueError, match=r"out has shape \(3, 2\), but the result has \(2, 3\)"):
        encode(x, out=np.zeros((3, 2), np.uint8))
    with pytest.raises(TypeError, match="out is int8, but the result is uint8"):
        encode(x, out=np.zeros((2, 3), np.int8))
    with pytest.raises(ValueError, match=r"out has shape \(6,\)"):
        decode(codes, out=np.zeros(6, np.float32))
    with pytest.raises(TypeError, match="out is float32, but the result is float16"):
        decode(codes, np.float16, out=np.zeros((2, 3), np.float32))
    with pytest.raises(TypeError, match="values are floats and cannot be int32"):
        decode(codes, out=np.zeros((2, 3), np.int32))
    with pytest.raises(ValueError, match="overflow is 'sat', but must be one of 'inf', 'saturate', 'saturate_all'"):
        encode(x, overflow="sat")
    with pytest.raises(ValueError, match="rounding is 'even', but must be one of 'away', 'hybrid'"):
        encode(x, "even")
