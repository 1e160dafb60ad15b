"""Floats of 8 and 4 bits against ml_dtypes, and integers of 4 bits by hand: all codes and all 65,536 inputs."""

import ml_dtypes
import numpy as np
import pytest

from opwright.formats.nibbles import decode_int4, encode_int4, pack, unpack
from opwright.formats.small_floats import FORMATS

OTHERS = {
    "float8_e4m3": ml_dtypes.float8_e4m3fn,
    "float8_e5m2": ml_dtypes.float8_e5m2,
    "float4_e2m1": ml_dtypes.float4_e2m1fn,
}
PATTERNS = np.arange(65536, dtype=np.uint16)
RANDOM = np.random.default_rng(2).integers(0, 2**32, 1 << 20, dtype=np.uint32).view(np.float32)
INPUTS = {
    "float16": PATTERNS.view(np.float16),
    "bfloat16": PATTERNS.view(ml_dtypes.bfloat16).astype(np.float32),
    "float32": np.concatenate([RANDOM, (np.random.default_rng(3).standard_normal(1 << 20) * 20).astype(np.float32)]),
}


@pytest.mark.parametrize("name", OTHERS)
def test_every_code_has_its_value(name: str) -> None:
    codes = np.arange(1 << FORMATS[name].bits, dtype=np.uint8)
    np.testing.assert_array_equal(FORMATS[name].decode(codes), codes.view(OTHERS[name]).astype(np.float32))


def test_e1m2() -> None:
    wanted = [0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75]
    assert FORMATS["float4_e1m2"].decode(np.arange(16)).tolist() == [*wanted, *(-value for value in wanted)]


@pytest.mark.parametrize("source", INPUTS)
@pytest.mark.parametrize("name", ["float8_e4m3", "float8_e5m2"])
def test_nearest_even(name: str, source: str) -> None:
    x = INPUTS[source]
    with np.errstate(all="ignore"):
        got, wanted = FORMATS[name].encode(x), x.astype(OTHERS[name]).view(np.uint8)
    is_nan = np.isnan(FORMATS[name].decode(wanted))
    np.testing.assert_array_equal(got[~is_nan], wanted[~is_nan])
    assert np.isnan(FORMATS[name].decode(got[is_nan])).all()


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("how", ["even", "away", "floor", "ceil", "trunc"])
def test_roundings_by_search(name: str, how: str) -> None:
    """Between every two neighbours: both, the middle, and what lies a little beside it."""
    made = FORMATS[name]
    values = made.magnitudes
    for code in range(made.last):
        low, high = values[code], values[code + 1]
        middle = (low + high) / 2
        for number, place in (
            (low, 0),
            (middle - (middle - low) / 8, 1),
            (middle, 2),
            (middle + (high - middle) / 8, 3),
        ):
            for sign in (1, -1):
                up = {
                    "even": place == 3 or (place == 2 and code % 2 == 1),
                    "away": place >= 2,
                    "floor": place > 0 and sign < 0,
                    "ceil": place > 0 and sign > 0,
                    "trunc": False,
                }[how]
                wanted = code + up + (1 << (made.bits - 1) if sign < 0 else 0)
                assert made.encode(np.array([sign * number]), how)[0] == wanted or (number == 0 and sign < 0)


def test_overflow() -> None:
    x = np.array([448, 464, 465, 1e9, -1e9, np.inf, -np.inf, np.nan])
    e4m3, e5m2 = FORMATS["float8_e4m3"], FORMATS["float8_e5m2"]
    with np.errstate(invalid="ignore"):
        assert e4m3.encode(x).tolist() == [0x7E, 0x7E, 0x7F, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F]
        assert e4m3.encode(x, overflow="saturate").tolist() == [0x7E, 0x7E, 0x7E, 0x7E, 0xFE, 0x7F, 0xFF, 0x7F]
        assert e4m3.encode(x, overflow="saturate_all").tolist() == [0x7E, 0x7E, 0x7E, 0x7E, 0xFE, 0x7E, 0xFE, 0]
        assert e5m2.encode(x)[3:].tolist() == [0x7C, 0xFC, 0x7C, 0xFC, 0x7E]
        assert e5m2.encode(x, overflow="saturate")[3:].tolist() == [0x7B, 0xFB, 0x7C, 0xFC, 0x7E]
        assert e5m2.encode(x, overflow="saturate_all")[3:].tolist() == [0x7B, 0xFB, 0x7B, 0xFB, 0]
        # Four bits have neither infinity nor NaN.
        assert FORMATS["float4_e2m1"].encode(x).tolist() == [7, 7, 7, 7, 15, 7, 15, 0]


def test_int4() -> None:
    numbers = np.arange(-128, 128).astype(np.int8)
    np.testing.assert_array_equal(decode_int4(encode_int4(numbers)), np.clip(numbers, -8, 7))
    assert encode_int4(np.array([-8, -1, 0, 7])).tolist() == [8, 15, 0, 7]


def test_two_to_a_byte() -> None:
    codes = np.arange(256, dtype=np.uint8)
    np.testing.assert_array_equal(pack(unpack(codes)), codes)
    assert pack(np.array([1, 2, 15, 0])).tolist() == [0x21, 0x0F] and unpack(np.array([0x21])).tolist() == [1, 2]
    assert pack(np.zeros((3, 4), np.uint8)).shape == (3, 2)
    with pytest.raises(ValueError, match="two codes make a byte, got 3"):
        pack(np.zeros(3, np.uint8))
