"""Bits of a scalar against the digits that Python prints."""

from collections.abc import Callable

import numpy as np
import pytest

from opwright import asc
from opwright.errors import RuleBroken

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
