"""Constants of a kernel in UB, made once at its start: powers of two, signs, and the integers from 0 on.

In: which pattern. Out: a buffer. A pattern is one repeat of 256 bytes in which lanes differ by their number: what
stands in all lanes is changed in those lanes whose number has a certain bit, for one bit after the other.
"""

from __future__ import annotations

from collections.abc import Callable

from opwright.ascendc.dtypes import DTYPES
from opwright.ir import SSAValue
from opwright.tile.compiler.buffers import Buffer, Buffers
from opwright.tile.compiler.elementwise import REPEAT

_WORD = 64  # lanes of a word of a mask


class Patterns:
    """Makes each constant once."""

    def __init__(self, buffers: Buffers) -> None:
        self.buffers = buffers
        self.site = buffers.site
        self._made: dict[tuple[str, int], Buffer] = {}
        self._ramps: list[Buffer] = []

    def powers(self, int16s: int) -> Buffer:
        """128 lanes of int16: 2 to the power of the number, modulo 16, of the element that a lane is a part of."""
        return self._once("powers", int16s, self._powers)

    def signs(self, int16s: int) -> Buffer:
        """128 lanes of int16: -1, but 1 where `powers` has the sign bit."""
        return self._once("signs", int16s, self._signs)

    def _once(self, name: str, int16s: int, make: Callable[[SSAValue, int], None]) -> Buffer:
        if (name, int16s) not in self._made:
            buffer = self._made[name, int16s] = self.buffers.new("int16", REPEAT // 2, name)
            with self.buffers.at_start(), self.buffers.beginning(buffer):
                make(buffer.tensor, int16s)
        return self._made[name, int16s]

    def _powers(self, tensor: SSAValue, int16s: int) -> None:
        site = self.site
        site.call("duplicate", tensor, 1, REPEAT // 2)
        for bit in range(4):
            mask = _lanes("int16", lambda lane, bit=bit: lane // int16s >> bit & 1)  # type: ignore[misc]
            site.call("shift_left", tensor, tensor, 1 << bit, mask, 1, site.value("UnaryRepeatParams", 1, 1, 8, 8))

    def _signs(self, tensor: SSAValue, int16s: int) -> None:
        self.site.call("duplicate", tensor, -1, REPEAT // 2)
        mask = _lanes("int16", lambda lane: lane // int16s % 16 == 15)
        self.site.call("duplicate", tensor, 1, mask, 1, 1, 8)

    def ramp(self, elements: int) -> Buffer:
        """The integers from 0 on, as int32: in whole repeats, as many as `elements` at least."""
        for made in self._ramps:
            if made.elements >= elements:
                return made
        lanes = REPEAT // 4
        ramp = self.buffers.new("int32", -(-elements // lanes) * lanes, "ramp")
        with self.buffers.at_start(), self.buffers.beginning(ramp):
            self._ramp(ramp, lanes)
        self._ramps.append(ramp)
        return ramp

    def _ramp(self, buffer: Buffer, lanes: int) -> None:
        site, tensor = self.site, buffer.tensor
        site.call("duplicate", tensor, 0, lanes)
        for bit in range(lanes.bit_length() - 1):
            mask = _lanes("int32", lambda lane, bit=bit: lane >> bit & 1)  # type: ignore[misc]
            site.call("adds", tensor, tensor, 1 << bit, mask, 1, site.value("UnaryRepeatParams", 1, 1, 8, 8))
        done = lanes
        while done < buffer.elements:
            count = min(done, buffer.elements - done)
            site.call("adds", self.buffers.part(buffer, done), tensor, done, count)
            done += count


def _lanes(dtype: str, takes: Callable[[int], int]) -> tuple[int, int]:
    """The mask of a repeat in which certain lanes take part."""
    lanes = [bool(takes(lane)) for lane in range(REPEAT // DTYPES[dtype].bytes)]
    words = [sum(one << at for at, one in enumerate(lanes[first : first + _WORD])) for first in (0, _WORD)]
    return words[0], words[1]
