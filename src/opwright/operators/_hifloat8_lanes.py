"""HiFloat8 on the lanes of a core: the vector calls that round numbers to it, make codes of them, or numbers again.

In: tensors of a tile on the chip, whole repeats of 128 lanes. Out: the same, computed in place or into another tensor.
Nothing here copies, waits or reads one element.

A code follows from the upper 16 bits of a float32, so a SoC without the format works on int16 and float16 lanes. As an
integer these bits, without the sign, count 128ths of F = E + fraction + 127. How much of the fraction is kept depends
on |E|, and a float16 of |E| has that class as its exponent. With G = |E| + fraction a code is G's exponent, twice, the
sign of E and G's four upper bits: so the format is laid out. All float16 here are exact: multiples of a power of two,
of 11 bits. Some are subnormal.

ascend950 converts by itself; what `overflow` asks for beyond its rule is done before.
"""

from __future__ import annotations

from opwright import asc
from opwright.operators._hifloat8_tiles import LANES

BLOCK = 16  # numbers of 16 bits in a block of 32 bytes
INF, SATURATE, SATURATE_ALL = 0, 1, 2  # the rules of overflow

# The upper 16 bits of float32.
_INFINITE, _NAN = 0x7F80, 0x7FC0
_LARGEST = 0x4718  # what still rounds to 32768
_TOO_LARGE = 0x4740  # 1.5 * 2^15, whose code is that of infinity
_SMALLEST = 0x3400  # 2^-23, which rounds up to 2^-22
_UP = 0x3440  # 1.5 * 2^-23, which does so by the common rule
# Some of these, as float16 of the same bits.
_TOO_LARGE_VIEW = 7.25
_SMALLEST_VIEW = 0.25

_INFINITY_CODE, _NAN_CODE = 111.0, 128.0
_WHOLE = 49152.0  # plus this, a float16 keeps multiples of 32
_GREATEST = 3.4028234663852886e38  # finite float32
_LARGEST_NUMBER = 32768.0
WORDS = 8 * BLOCK  # what the constants of Lanes take besides four tiles of int16
_CONSTANTS = (0x7FFF, 0x7FF8, 0x7C00, 0x4000, -0x8000, 127 * 32 + 15, _INFINITE)


@asc.jit
def with_constant(dst: asc.LocalTensor, src: asc.LocalTensor, constant: asc.LocalTensor, count: int) -> None:
    """dst = src & constant, of which there is one block."""
    asc.bitwise_and(dst, src, constant, LANES, count // LANES, asc.BinaryRepeatParams(1, 1, 0, 8, 8, 0))


@asc.jit
def keep(dst: asc.LocalTensor, bits: asc.LocalTensor, other: asc.LocalTensor, count: int) -> None:
    """dst stays where its bit is 1, else it becomes `other`, of which there is one block."""
    view = dst.reinterpret_cast(asc.float16)
    asc.select(
        view,
        bits,
        view,
        other.reinterpret_cast(asc.float16),
        asc.SelMode.VSEL_TENSOR_TENSOR_MODE,
        LANES,
        count // LANES,
        asc.BinaryRepeatParams(1, 1, 0, 8, 8, 0),
    )


class Lanes:
    """Room and constants for tiles of up to `tile` numbers, in a tensor of int16 and one of bytes."""

    def __init__(self, words: asc.LocalTensor, masks: asc.LocalTensor, tile: int, overflow: int):
        self.overflow = overflow
        self.size = words[0:]
        self.steps = words[tile:]
        self.power = words[2 * tile :]
        self.below = words[3 * tile :]
        self.no_zero = masks[0:]
        self.no_nan = masks[tile // 8 :]
        self.finite = masks[2 * tile // 8 :]
        self.all_but_sign = words[4 * tile :]
        self.all_that_counts = words[4 * tile + BLOCK :]
        self.exponent = words[4 * tile + 2 * BLOCK :]
        self.two = words[4 * tile + 3 * BLOCK :]
        self.sign = words[4 * tile + 4 * BLOCK :]
        self.middle = words[4 * tile + 5 * BLOCK :]
        self.infinite = words[4 * tile + 6 * BLOCK :]
        self.instead_of_nan = words[4 * tile + 7 * BLOCK :]
        for i in asc.static_range(7):
            asc.duplicate(words[4 * tile + i * BLOCK :], _CONSTANTS[i], BLOCK)
        asc.duplicate(self.instead_of_nan, 0 if overflow == SATURATE_ALL else _NAN, BLOCK)

    def classify(self, top: asc.LocalTensor, count: int) -> None:
        """The magnitudes, within what has a code; their bits of being no zero, no NaN and finite."""
        with_constant(self.size, top, self.all_but_sign, count)
        asc.maxs(self.steps, self.size, _SMALLEST, count)
        repeats = count // LANES
        left = asc.BinaryRepeatParams(1, 0, 1, 8, 0, 8)
        asc.sub(self.steps, self.infinite, self.steps, LANES, repeats, left)
        view = self.steps.reinterpret_cast(asc.float16)
        asc.compare_scalar(self.no_nan, view, 0.0, asc.CMPMODE.GE, count)
        if self.overflow == SATURATE:
            asc.compare_scalar(self.finite, view, 0.0, asc.CMPMODE.GT, count)
        with_constant(self.size, self.size, self.all_that_counts, count)
        asc.mins(self.size, self.size, _TOO_LARGE if self.overflow == INF else _LARGEST, count)
        view = self.size.reinterpret_cast(asc.float16)
        asc.compare_scalar(self.no_zero, view, _SMALLEST_VIEW, asc.CMPMODE.GE, count)
        asc.maxs(self.size, self.size, _UP, count)
        # 15 - 32 F, from here on without the 127: rounded to multiples of 32 it is F rounded down.
        asc.shift_right(self.steps, self.size, 2, count)
        asc.sub(self.steps, self.middle, self.steps, LANES, repeats, left)
        steps = self.steps.reinterpret_cast(asc.float16)
        asc.cast(steps, self.steps, asc.RoundMode.CAST_NONE, count)
        # The power of two in 32 |E|: a 32nd of it is half of what the last bit that is kept is worth.
        power = self.power.reinterpret_cast(asc.float16)
        asc.abs(power, steps, count)
        asc.adds(power, power, 15.0, count)
        with_constant(self.power, self.power, self.exponent, count)
        asc.maxs(power, power, 64.0, count)

    def encode(self, codes: asc.LocalTensor, top: asc.LocalTensor, count: int) -> None:
        """The codes of numbers whose upper halves are `top`."""
        self.classify(top, count)
        steps = self.steps.reinterpret_cast(asc.float16)
        power = self.power.reinterpret_cast(asc.float16)
        below = self.below.reinterpret_cast(asc.float16)
        asc.axpy(steps, power, -1 / 32, count)
        # 32 |E| where E, after rounding, is below 0.
        asc.adds(below, steps, _WHOLE, count)
        asc.adds(below, below, -_WHOLE, count)
        asc.maxs(below, below, 0.0, count)
        # G, as subnormals below 2. The sum comes last: it makes no -0.
        asc.axpy(steps, below, -2.0, count)
        asc.muls(steps, steps, -(2.0**-20), count)
        asc.adds(steps, steps, 15 * 2.0**-20, count)
        # Its exponent once more, and 1 if E is below 0. A G below 2 has none: its codes start at 8, eight to 1.
        with_constant(self.power, self.steps, self.exponent, count)
        size = self.size.reinterpret_cast(asc.float16)
        asc.mins(size, below, 32.0, count)
        asc.muls(size, size, 2.0**-19, count)
        asc.add(self.power, self.power, self.size, count)
        asc.maxs(self.power, self.power, 512, count)
        asc.add(self.steps, self.steps, self.power, count)
        asc.shift_right(self.steps, self.steps, 6, count)
        asc.cast(steps, self.steps, asc.RoundMode.CAST_NONE, count)
        # From E = -16 down the code is E + 23.
        bits = self.power.reinterpret_cast(asc.uint8)
        asc.compare_scalar(bits, below, 512.0, asc.CMPMODE.LT, count)
        asc.muls(below, below, -1 / 32, count)
        asc.adds(below, below, 23.0, count)
        asc.select(steps, bits, steps, below, asc.SelMode.VSEL_TENSOR_TENSOR_MODE, count)
        # What is no number, and the sign, which a 0 has not.
        if self.overflow == SATURATE:
            asc.select(steps, self.finite, steps, _INFINITY_CODE, asc.SelMode.VSEL_TENSOR_SCALAR_MODE, count)
        asc.shift_right(self.size, top, 1, count)
        with_constant(self.size, self.size, self.two, count)
        asc.axpy(steps, size, 64.0, count)
        asc.select(steps, self.no_zero, steps, 0.0, asc.SelMode.VSEL_TENSOR_SCALAR_MODE, count)
        nan = 0.0 if self.overflow == SATURATE_ALL else _NAN_CODE
        asc.select(steps, self.no_nan, steps, nan, asc.SelMode.VSEL_TENSOR_SCALAR_MODE, count)
        asc.cast(codes, steps, asc.RoundMode.CAST_RINT, count)

    def round(self, top: asc.LocalTensor, count: int) -> None:
        """Rounds numbers whose upper halves are `top` to those that have a code, in place."""
        self.classify(top, count)
        power = self.power.reinterpret_cast(asc.float16)
        asc.muls(power, power, 1 / 8, count)
        asc.cast(self.steps, power, asc.RoundMode.CAST_RINT, count)
        asc.add(self.size, self.size, self.steps, count)
        asc.muls(self.steps, self.steps, -2, count)
        asc.bitwise_and(self.size, self.size, self.steps, count)
        if self.overflow == INF:
            view = self.size.reinterpret_cast(asc.float16)
            asc.compare_scalar(self.finite, view, _TOO_LARGE_VIEW, asc.CMPMODE.LT, count)
        if self.overflow != SATURATE_ALL:
            keep(self.size, self.finite, self.infinite, count)
        with_constant(top, top, self.sign, count)
        asc.bitwise_or(top, top, self.size, count)
        view = top.reinterpret_cast(asc.float16)
        asc.select(view, self.no_zero, view, 0.0, asc.SelMode.VSEL_TENSOR_SCALAR_MODE, count)
        keep(top, self.no_nan, self.instead_of_nan, count)


@asc.jit
def limit(numbers: asc.LocalTensor, room: asc.LocalTensor, bits: asc.LocalTensor, overflow: int, count: int) -> None:
    """float32 so that ascend950's own conversion, which makes infinity of what is too large, follows the rule."""
    if overflow == SATURATE:
        asc.abs(room, numbers, count)
        asc.compare_scalar(bits, room, _GREATEST, asc.CMPMODE.LE, count)
        asc.maxs(room, numbers, -_LARGEST_NUMBER, count)
        asc.mins(room, room, _LARGEST_NUMBER, count)
        asc.select(numbers, bits, room, numbers, asc.SelMode.VSEL_TENSOR_TENSOR_MODE, count)
    if overflow == SATURATE_ALL:
        asc.compare(bits, numbers, numbers, asc.CMPMODE.EQ, count)
        asc.select(numbers, bits, numbers, 0.0, asc.SelMode.VSEL_TENSOR_SCALAR_MODE, count)
        asc.maxs(numbers, numbers, -_LARGEST_NUMBER, count)
        asc.mins(numbers, numbers, _LARGEST_NUMBER, count)
