"""Conversions of tiles, and computing in float32 what the SoC does not compute in a type.

In: tiles. Out: calls. Refuses conversions that the SoC has no exact way for.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.enums import RoundMode
from opwright.ascendc.vec_convert import casts
from opwright.ir import Operation, SSAValue, StringAttr
from opwright.ir import language as py
from opwright.ir.language import UnaryOp, constant_of
from opwright.ir.types import FLOAT, ScalarType, float32
from opwright.tile.compiler.buffers import LocalTile
from opwright.tile.compiler.elementwise import takes
from opwright.tile.compiler.site import refuse
from opwright.tile.compiler.tiles import Tiles

# Conversions in two steps, of which the first one loses nothing that the second one needs: what it cannot keep it
# leaves in the last bit, rounding to odd.
_BETWEEN = {
    ("float16", "bfloat16"): "float32",
    ("bfloat16", "float16"): "float32",
    ("float32", "int8"): "float16",
    ("float32", "uint8"): "float16",
    ("bfloat16", "int8"): "float32",
    ("bfloat16", "uint8"): "float32",
    ("int8", "float32"): "float16",
    ("uint8", "float32"): "float16",
    ("int8", "bfloat16"): "float32",
    ("uint8", "bfloat16"): "float32",
    ("int16", "int32"): "float32",
    ("int16", "bfloat16"): "float32",
    ("int8", "int16"): "float16",
    ("uint8", "int16"): "float16",
    ("int8", "int32"): "float16",
    ("uint8", "int32"): "float16",
    ("int32", "float16"): "float32",  # what float32 rounds is infinite as float16
    ("bfloat16", "int16"): "float32",
    ("int8", "uint8"): "float16",
    ("uint8", "int8"): "float16",
    # What float16 and float32 round is beyond the limits of 8 bits.
    ("int16", "int8"): "float16",
    ("int16", "uint8"): "float16",
    ("int32", "int8"): "float32",
    ("int32", "uint8"): "float32",
}
_ROUND = {
    "odd": RoundMode.CAST_ODD,
    "nearest": RoundMode.CAST_RINT,
    "floor": RoundMode.CAST_FLOOR,
    "ceil": RoundMode.CAST_CEIL,
    "trunc": RoundMode.CAST_TRUNC,
}


class Conversions(Tiles):
    """Adds conversions."""

    def converted(self, x: LocalTile, dtype: str) -> LocalTile:
        """A tile in another type, on the way to another one."""
        if x.buffer.dtype == dtype:
            return x
        made = self.temporary(x.layout, dtype, f"{x.buffer.name}_{dtype}")
        self.cast(made, x, "nearest")
        return made

    def in_float32(
        self, to: LocalTile, sources: list[LocalTile], compute: Callable[[LocalTile, list[LocalTile]], None]
    ) -> None:
        """Computes in float32 what the SoC does not compute in a type, and rounds once."""
        self.note_float32(to)
        wide = self.temporary(to.layout, "float32", f"{to.buffer.name}_float32")
        given = [self.converted(source, "float32") for source in sources]
        with self.buffers.beginning(wide.buffer):
            compute(wide, given)
        self.cast(to, wide, "nearest")

    def note_float32(self, to: LocalTile) -> None:
        """Notes for the report that a type costs conversions."""
        soc, dtype = self.site.soc.name, to.buffer.dtype
        self.site.note_slow(f"in float32 and back: {soc} does not compute it in {dtype}; float32 throughout is faster")

    def typed(
        self, name: str, to: LocalTile, sources: list[LocalTile], compute: Callable[[LocalTile, list[LocalTile]], None]
    ) -> None:
        """Computes in the type of the tiles if the SoC does, else in float32."""
        dtype = to.buffer.dtype
        if takes(name, dtype, self.site):
            with self.buffers.beginning(to.buffer):
                compute(to, sources)
        elif DTYPES[dtype].is_float():
            self.in_float32(to, sources, compute)
        else:
            refuse(self.site, f"{name} of {dtype} on {self.site.soc.name}")

    def cast(self, to: LocalTile, x: LocalTile, round: str) -> None:
        """A conversion, in two steps if the SoC has no call for it."""
        pair = (x.buffer.dtype, to.buffer.dtype)
        table = casts(self.site.soc.name)
        if pair not in table or pair == ("int32", "float16"):  # the latter multiplies by a scale
            between = _BETWEEN.get(pair)
            if between is None:
                refuse(self.site, f"a conversion of {pair[0]} to {pair[1]} on {self.site.soc.name}")
            self.site.note_slow(f"{pair[0]} to {pair[1]} in two steps, through {between}")
            middle = self.temporary(x.layout, between, f"{x.buffer.name}_{between}")
            self.cast(middle, x, "odd" if pair[0] == "float32" else "nearest")
            self.cast(to, middle, round)
            return
        modes = table[pair]
        mode = _ROUND[round]
        if mode not in modes:
            if modes != (RoundMode.CAST_NONE,):
                refuse(self.site, f"a conversion of {pair[0]} to {pair[1]} that rounds to {round}")
            mode = RoundMode.CAST_NONE
        with self.buffers.beginning(to.buffer):
            self.elementwise.flat("cast", to, [x], mode)

    def number(self, value: SSAValue) -> float | SSAValue:
        """A number of the IR: one that is known, or a value."""
        known = constant_of(value)
        return known if known is not None else value

    def negative(self, number: float | SSAValue, dtype: str) -> float | SSAValue:
        """A number with the other sign, made right behind it; that of the least integer is the least integer."""
        if not isinstance(number, SSAValue):
            is_least = not DTYPES[dtype].is_float() and number == DTYPES[dtype].limits[0]
            return number if is_least else -number
        return self.behind_number(number, lambda: UnaryOp("neg", number))

    def behind_number(self, number: SSAValue, make: Callable[[], Operation]) -> SSAValue:
        """A number that is computed from another, right behind it."""
        owner = number.owner
        if isinstance(owner, Operation):
            with self.buffers.behind(owner):
                return self.site.add(make()).results[0]
        with self.buffers.at_start():
            return self.site.add(make()).results[0]

    def rounded(self, number: float | SSAValue, call: str, to: LocalTile) -> float | SSAValue:
        """A number in the type of a tile; where float32 stands in for that type, rounded to it first."""
        dtype = to.buffer.dtype
        if takes(call, dtype, self.site) or not DTYPES[dtype].is_float():
            return number
        if not isinstance(number, SSAValue):
            return _bfloat16(float(number)) if dtype == "bfloat16" else float(number)
        kind = ScalarType(StringAttr(dtype))
        narrow = self.behind_number(number, lambda: py.CastOp(number, kind))
        return self.behind_number(narrow, lambda: py.CastOp(narrow, FLOAT))


def _bfloat16(number: float) -> float:
    """The nearest bfloat16, even if there are two."""
    bits = struct.unpack("I", struct.pack("f", float32(number)))[0]
    if number != number or number in (float("inf"), float("-inf")):
        return number
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
    value: float = struct.unpack("f", struct.pack("I", rounded & 0xFFFFFFFF))[0]
    return value
