"""Bits of a scalar against the digits that Python prints; its conversion against exact fractions."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from opwright import asc
from opwright.errors import RuleBroken, WrongDtype

VALUES = [0, 1, 2, 40, 0x0F00000000000000, (1 << 63) - 1, 0x5555555555555555, 1 << 62]


@asc.jit
def bits(z: asc.GlobalAddress, value: int, below: int):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 8)
    z_gm.set_value(0, asc.scalar_get_sff_value(value, 0))
    z_gm.set_value(1, asc.scalar_get_sff_value(value, 1))
    z_gm.set_value(2, asc.scalar_get_count_of_value(value, 0))
    z_gm.set_value(3, asc.scalar_get_count_of_value(value, 1))
    z_gm.set_value(4, asc.scalar_count_leading_zero(value))
    z_gm.set_value(5, asc.count_bits_cnt_same_as_sign_bit(value))
    z_gm.set_value(6, asc.count_bits_cnt_same_as_sign_bit(below))
    z_gm.set_value(7, asc.scalar_get_sff_value(0xFFFFFFFFFFFFFFFF, 0))


@pytest.mark.parametrize("value", VALUES)
def test_bits(value: int, ran: Callable[[str, int, str], None]) -> None:
    z = np.full(8, 99, np.int64)
    bits[1](z, value, ~value)
    digits = f"{value:064b}"
    low = digits[::-1]
    same = len(digits[1:]) - len(digits[1:].lstrip("0"))
    wanted = [low.find("0"), low.find("1"), digits.count("0"), digits.count("1"), same + 1, same, same, -1]
    np.testing.assert_array_equal(z, wanted)
    for name in ("scalar_get_sff_value", "scalar_get_count_of_value", "scalar_count_leading_zero"):
        ran(name, 0, "")
    ran("count_bits_cnt_same_as_sign_bit", 0, "")


def test_a_bit_is_0_or_1() -> None:
    @asc.jit
    def two(z: asc.GlobalAddress):
        asc.printf("%d", asc.scalar_get_sff_value(1, 2))

    with pytest.raises(RuleBroken, match="count_value must lie between 0 and 1"):
        two.emit("i64[8]")


FLOATS = [0.0, -0.0, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49999997, 1e-45, -1e-45, 8388607.5, 16777215.0, 1e9]
FLOATS += [2147483520.0, 2147483648.0, -2147483648.0, -2147483904.0, 3e38, math.inf, -math.inf, math.nan]
FLOATS += [0.1, 65504.0, 65519.0, 65520.0, 1e5, 6e-8, 2.9e-8, 6.1e-5, 1.00048828125, 1.0009765625, -3.14159274]


@asc.jit
def casts(i: asc.GlobalAddress, h: asc.GlobalAddress, value: float):
    i_gm = asc.GlobalTensor()
    i_gm.set_global_buffer(i, 4)
    i_gm.set_value(0, asc.scalar_cast(value, asc.int32, asc.RoundMode.CAST_RINT))
    i_gm.set_value(1, asc.scalar_cast(value, asc.int32, asc.RoundMode.CAST_FLOOR))
    i_gm.set_value(2, asc.scalar_cast(value, asc.int32, asc.RoundMode.CAST_CEIL))
    i_gm.set_value(3, asc.scalar_cast(value, asc.int32, asc.RoundMode.CAST_ROUND))
    h_gm = asc.GlobalTensor()
    h_gm.set_global_buffer(h, 1)
    h_gm.set_value(0, asc.scalar_cast(value, asc.float16, asc.RoundMode.CAST_ODD))


def integers(value: float) -> list[int]:
    """To even, down, up, ties away from 0; then into the range."""
    if math.isnan(value):
        return [0] * 4
    if math.isinf(value):
        ways = [int(math.copysign(1 << 40, value))] * 4
    else:
        away = math.floor(abs(Fraction(value)) + Fraction(1, 2))
        exact = Fraction(value)
        ways = [round(exact), math.floor(exact), math.ceil(exact), away if value >= 0 else -away]
    return [min(max(way, -(1 << 31)), (1 << 31) - 1) for way in ways]


def to_odd(value: np.float32) -> np.float16:
    """The float16 itself, or of the two neighbours the one whose last bit is 1."""
    nearest = value.astype(np.float16)
    if not np.isfinite(value) or np.float32(nearest) == value:
        return nearest
    # Beyond the largest number lies infinity, whose last bit is 0.
    inner = min(abs(nearest), np.float16(65504))
    inner = inner if np.float32(inner) < abs(value) else np.nextafter(inner, np.float16(0))
    outer = np.nextafter(inner, np.float16(np.inf))
    odd = inner if inner.view(np.uint16) % 2 else outer
    return np.copysign(odd, nearest)


def test_casts(ran: Callable[[str, int, str], None]) -> None:
    rng = np.random.default_rng(3)
    random = rng.integers(0, 1 << 32, 400, np.uint32).view(np.float32)
    near = (rng.standard_normal(400) * 1000).astype(np.float32)
    for value in (*np.array(FLOATS, np.float32), *random, *near):
        i, h = np.full(4, 99, np.int32), np.full(1, np.nan, np.float16)
        casts[1](i, h, float(value))
        assert i.tolist() == integers(float(value)), value
        with np.errstate(all="ignore"):  # infinity is among the neighbours
            odd = to_odd(value)
        assert h.tobytes() == odd.tobytes() or (np.isnan(value) and np.isnan(h[0])), value
    ran("scalar_cast", 0, "int32")
    ran("scalar_cast", 0, "float16")


def test_casts_under_check() -> None:
    i, h = np.full(4, 99, np.int32), np.full(1, np.nan, np.float16)
    casts.check[1](i, h, -2.5)
    assert (i.tolist(), h.tolist()) == ([-2, -3, -2, -3], [-2.5])


@pytest.mark.parametrize(
    ("dtype", "mode", "words"),
    [
        (asc.int32, asc.RoundMode.CAST_ODD, "use CAST_RINT, CAST_FLOOR, CAST_CEIL, CAST_ROUND"),
        (asc.int32, asc.RoundMode.CAST_TRUNC, "use CAST_RINT"),
        (asc.float16, asc.RoundMode.CAST_RINT, "use CAST_ODD"),
    ],
)
def test_casts_that_do_not_exist(dtype: asc.DataType, mode: asc.RoundMode, words: str) -> None:
    @asc.jit
    def wrong(x: float):
        asc.printf("%f", float(asc.scalar_cast(x, dtype, mode)))

    with pytest.raises(RuleBroken, match=words):
        wrong.emit(1.0)


def test_types_that_do_not_exist() -> None:
    @asc.jit
    def wrong(x: float):
        asc.printf("%f", float(asc.scalar_cast(x, asc.bfloat16, asc.RoundMode.CAST_ODD)))

    with pytest.raises(WrongDtype, match="bfloat16"):
        wrong.emit(1.0)
