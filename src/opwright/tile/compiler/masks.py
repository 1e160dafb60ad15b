"""Bool tiles: comparisons, what joins them, and `where`.

In: operations of the tile IR. Out: calls that every SoC has where tensors are placed by hand. Refuses comparisons of
types that the SoC does not compare, and `where` of types of 8 bits where there is no call for it.

A bool tile is *bits*, as comparisons write them: one for each element, in the order of the elements. Tiles of one shape
are joined as bits. For everything else it is *lanes*: an int16 for each element, -1 or 0, so that it is a tile like any
other. Lanes are made of bits so: `brcb` spreads each word of 16 bits over a block; a lane keeps its own bit of it; the
bit is made the sign, which a shift spreads over the lane. Nothing overflows. For elements of 32 bits two blocks get
each word.

`where` is (x and mask) or (y and not mask): the bits of NaN, infinity and -0.0 stay. ascend950 has a call for it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.enums import CMPMODE, SelMode
from opwright.ir import SSAValue
from opwright.ir import language as py
from opwright.ir.language import FuncOp
from opwright.ir.tile import BinaryOp, CompareNumberOp, CompareOp, FullOp, SelectOp, UnaryOp, type_of
from opwright.ir.types import FLOAT
from opwright.tile.compiler.buffers import Buffer, LocalTile
from opwright.tile.compiler.composed import Composed
from opwright.tile.compiler.elementwise import MOST, REPEAT, Operand, kind_of, takes
from opwright.tile.compiler.int16_views import INT16, Int16Views, int16_layout
from opwright.tile.compiler.layout import Layout
from opwright.tile.compiler.patterns import Patterns
from opwright.tile.compiler.site import Number, Site, refuse

_WORD = 16  # bits of a word
_LANES = 128  # lanes of int16 in a repeat, and elements that a repeat of `brcb` takes the bits of
_WHOLE = 256  # elements that fill a repeat of any type
# What a SoC compares in another type, which has all of the values.
_WIDER = {"bfloat16": "float32", "int16": "float32", "int8": "float16", "uint8": "float16"}
_OPPOSITE = {"ne": "eq", "lt": "ge", "gt": "le"}


class Masks(Composed):
    """Adds comparisons and choices."""

    def __init__(self, kernel: FuncOp, site: Site) -> None:
        super().__init__(kernel, site)
        self.bits: dict[SSAValue, Buffer] = {}
        self.int16 = Int16Views(self.elementwise)
        self.patterns = Patterns(self.buffers)

    def tile(self, value: SSAValue) -> LocalTile:
        """A tile with its buffer; a bool tile as lanes."""
        root = self.root(value)
        if root not in self.bits:
            return super().tile(value)
        return self._lanes(self.bits[root], self.layouts.of(value), 1)

    # Comparisons

    def compare(self, operation: CompareOp) -> None:
        """Two tiles."""
        name, layout = operation.operator.data, self.layouts.of(operation.result)
        sides = [self.tile(operation.a), self.tile(operation.b)]
        dtype = self._compared_type(sides[0].buffer.dtype)
        bits = self._new_bits(operation.result, layout)
        if dtype == "int32" and self.site.soc.arch == 2201:
            # It compares int32 for equality only: a <= b is max(a, b) == b. A difference is 0 only of equal numbers.
            plain = _OPPOSITE.get(name, name)
            difference = self.temporary(layout, dtype, "difference")
            binary = self.elementwise.binary
            with self.buffers.beginning(difference.buffer):
                binary("sub" if plain == "eq" else "max", difference, *sides)
                if plain != "eq":
                    binary("sub", difference, difference, sides[plain == "le"])
            self._call(bits, layout, [difference], 0, "eq")
            self._invert(bits, layout, plain != name)
            return
        wide = [self.converted(side, dtype) for side in sides]
        whole = [side if side.layout.sizes == layout.sizes else self._spread(side, layout) for side in wide]
        self._call(bits, layout, whole, None, name)

    def compare_number(self, operation: CompareNumberOp) -> None:
        """A tile and a number."""
        name, layout = operation.operator.data, self.layouts.of(operation.result)
        x = self.tile(operation.x)
        dtype = self._compared_type(x.buffer.dtype)
        number = self.rounded(self.number(operation.number), "compare_scalar", x)
        bits = self._new_bits(operation.result, layout)
        if dtype == "int32" and self.site.soc.arch == 2201:
            plain = _OPPOSITE.get(name, name)
            if plain != "eq":
                x = self._limited_to("maxs" if plain == "le" else "mins", x, number)
            self._call(bits, layout, [x], number, "eq")
            self._invert(bits, layout, plain != name)
            return
        if DTYPES[dtype].is_float() and not DTYPES[x.buffer.dtype].is_float():
            number = self._as_float(number)
        self._call(bits, layout, [self.converted(x, dtype)], number, name)

    def _compared_type(self, dtype: str) -> str:
        """The type that tiles of a type are compared in."""
        if takes("compare", dtype, self.site):
            return dtype
        if dtype not in _WIDER:
            refuse(self.site, f"a comparison of {dtype} on {self.site.soc.name}")
        self.site.note_slow(f"compared in {_WIDER[dtype]}: {self.site.soc.name} does not compare {dtype}")
        return _WIDER[dtype]

    def _limited_to(self, call: str, x: LocalTile, number: float | SSAValue) -> LocalTile:
        made = self.temporary(x.layout, x.buffer.dtype, f"{x.buffer.name}_limited")
        with self.buffers.beginning(made.buffer):
            self.elementwise.flat(call, made, [x], number)
        return made

    def _as_float(self, number: float | SSAValue) -> float | SSAValue:
        if not isinstance(number, SSAValue):
            return float(number)
        return self.behind_number(number, lambda: py.CastOp(number, FLOAT))

    def _spread(self, x: LocalTile, layout: Layout) -> LocalTile:
        """A tile of the size of the result."""
        if DTYPES[x.buffer.dtype].bytes == 1:
            refuse(self.site, f"a comparison of {x.buffer.dtype} with broadcasting")
        whole = self.temporary(layout, x.buffer.dtype, f"{x.buffer.name}_spread")
        self.int16.spread(whole, x)
        return whole

    def _new_bits(self, value: SSAValue, layout: Layout) -> Buffer:
        elements = -(-layout.elements // _WHOLE) * _WHOLE
        bits = self.bits[value] = self.buffers.new(INT16, elements // _WORD, self.name(value) or "mask")
        if not _is_multiple(layout.extent(self.site), _WHOLE):
            self.buffers.fill(bits)
        return bits

    def _call(
        self, bits: Buffer, layout: Layout, sides: list[LocalTile], number: float | SSAValue | None, name: str
    ) -> None:
        """One comparison, which goes over whole repeats: more than is there."""
        site = self.site
        lanes = REPEAT // DTYPES[sides[0].buffer.dtype].bytes
        extent = layout.extent(site)
        for side in sides:
            side.buffer.elements = -(-side.buffer.elements // lanes) * lanes
            if not _is_multiple(extent, lanes):
                self.buffers.fill(side.buffer)
        tensors = [side.buffer.tensor for side in sides]
        count = site.up_to(extent, lanes, "whole")
        with self.buffers.beginning(bits):
            to = self.int16.view(bits, "uint8").tensor
            mode = CMPMODE[name.upper()]
            if number is None:
                site.call("compare", to, *tensors, mode, count)
            else:
                site.call("compare_scalar", to, *tensors, number, mode, count)

    # Bits

    def _words(self, layout: Layout) -> Number:
        """How many words the bits of a tile fill."""
        site = self.site
        return site.whole(site.plus(layout.extent(site), _WORD - 1), _WORD, "words")

    def _invert(self, bits: Buffer, layout: Layout, is_wanted: bool = True) -> None:
        if is_wanted:
            self.site.call("bitwise_not", bits.tensor, bits.tensor, self._words(layout))

    def invert(self, operation: UnaryOp) -> None:
        """not, of bits or of lanes."""
        x, layout = self.root(operation.x), self.layouts.of(operation.result)
        if x in self.bits:
            bits = self._new_bits(operation.result, layout)
            with self.buffers.beginning(bits):
                self.site.call("bitwise_not", bits.tensor, self.bits[x].tensor, self._words(layout))
                self.buffers.allow_over(self.bits[x])
            return
        to = self.result(operation)
        with self.buffers.beginning(to.buffer):
            self.elementwise.flat("bitwise_not", to, [self.tile(operation.x)])

    def join(self, operation: BinaryOp) -> None:
        """and, or: of bits if the shapes are equal, else of lanes."""
        name, layout = f"bitwise_{operation.operator.data}", self.layouts.of(operation.result)
        sides = [operation.a, operation.b]
        bits = [self._bits_of(side, layout) for side in sides]
        if all(one is not None for one in bits):
            made = self._new_bits(operation.result, layout)
            with self.buffers.beginning(made):
                found = [one for one in bits if one is not None]
                self.site.call(name, made.tensor, *(one.tensor for one in found), self._words(layout))
                self.buffers.allow_over(*found)
            return
        tiles = [self.tile(side) for side in sides]
        to = self.result(operation)
        with self.buffers.beginning(to.buffer):
            self.elementwise.binary(name, to, *tiles)

    def _bits_of(self, value: SSAValue, layout: Layout) -> Buffer | None:
        """The bits of a bool tile, if it has the sizes of a result."""
        return self.bits.get(self.root(value)) if self.layouts.of(value).sizes == layout.sizes else None

    # Lanes

    def _lanes(self, bits: Buffer, layout: Layout, int16s: int) -> LocalTile:
        """One or two int16 for each bit: -1 or 0."""
        site = self.site
        most = -(-layout.elements // _LANES)
        repeats = site.whole(site.plus(layout.extent(site), _LANES - 1), _LANES, "mask_repeats")
        buffer = self.buffers.new(INT16, most * _LANES * int16s, f"{bits.name}_lanes")
        if not _is_multiple(layout.extent(site), _LANES):
            self.buffers.fill(bits)
        with self.buffers.beginning(buffer), self.buffers.as_one():
            for number in range(int16s):
                self._spread_words(buffer, bits, repeats, most, int16s, number)
        total = site.times(repeats, int16s)
        for name, pattern in (("bitwise_and", self.patterns.powers(int16s)), ("mul", self.patterns.signs(int16s))):
            self._with_pattern(name, buffer, pattern, total, most * int16s)
        site.call("shift_right", buffer.tensor, buffer.tensor, _WORD - 1, site.times(total, _LANES))
        return LocalTile(buffer, int16_layout(replace(layout, dtype=INT16), int16s, site))

    def _spread_words(self, to: Buffer, bits: Buffer, repeats: Number, most: int, int16s: int, number: int) -> None:
        """A block for each word; with two int16s every other block."""
        site = self.site
        params = site.value("BrcbRepeatParams", int16s, 8 * int16s)

        def call(first: Number, count: Number) -> None:
            begin = site.plus(site.times(first, _LANES * int16s), number * _WORD)
            parts = self.buffers.part(to, begin), self.buffers.part(bits, site.times(first, 8))
            site.call("brcb", *parts, count, params)

        self._in_pieces(repeats, most, call)

    def _with_pattern(self, name: str, to: Buffer, pattern: Buffer, repeats: Number, most: int) -> None:
        """Each repeat with the same pattern."""
        site = self.site
        params = site.value("BinaryRepeatParams", 1, 1, 1, 8, 8, 0)

        def call(first: Number, count: Number) -> None:
            part = self.buffers.part(to, site.times(first, _LANES))
            site.call(name, part, part, pattern.tensor, _LANES, count, params)

        self._in_pieces(repeats, most, call)

    def _in_pieces(self, repeats: Number, most: int, call: Callable[[Number, Number], None]) -> None:
        """As many calls as their repeats need."""
        if most <= MOST:
            call(0, repeats)
            return
        site = self.site
        loop, first = site.loop(0, repeats, MOST - 1, "piece")  # an even number: bits of a part begin at a block
        call(first, site.least(MOST - 1, site.minus(repeats, first)))
        site.leave(loop)

    # Choices

    def select_tile(self, operation: SelectOp) -> None:
        """x where the mask holds, else y."""
        layout = self.layouts.of(operation.result)
        dtype = layout.dtype
        bits = self._bits_of(operation.mask, layout)
        sides = [self._side(side) for side in (operation.a, operation.b)]
        is_plain = all(not isinstance(side, LocalTile) or side.layout.sizes == layout.sizes for side in sides)
        if bits is not None and is_plain and self.site.soc.arch != 2201 and takes("select", dtype, self.site):
            self._select_by_call(self.result(operation), bits, sides)
            return
        if DTYPES[dtype].bytes == 1:
            refuse(self.site, f"where of {dtype} on {self.site.soc.name}")
        self.site.note_slow("where joins bits in several calls: no call chooses by this mask")
        self._select_by_bits(operation, sides)

    def _side(self, value: SSAValue) -> LocalTile | float | SSAValue:
        """A tile, or a number that stands for one."""
        owner = self.root(value).owner
        if isinstance(owner, FullOp) and is_number_of_choice(owner):
            return self.number(owner.number)
        return self.tile(value)

    def _select_by_call(self, to: LocalTile, bits: Buffer, sides: list[LocalTile | float | SSAValue]) -> None:
        site, (first, second) = self.site, sides
        extent = to.layout.extent(site)
        with self.buffers.beginning(to.buffer):
            if not isinstance(first, LocalTile) and isinstance(second, LocalTile):
                inverse = self.buffers.new(INT16, bits.elements, f"not_{bits.name}")
                self.buffers.fill(inverse)
                with self.buffers.beginning(inverse):
                    site.call("bitwise_not", inverse.tensor, bits.tensor, self._words(to.layout))
                    self.buffers.allow_over(bits)
                bits, first, second = inverse, second, first
            elif not isinstance(first, LocalTile):
                site.call("duplicate", to.buffer.tensor, first, extent)
                first = to
            assert isinstance(first, LocalTile)
            other = second.buffer.tensor if isinstance(second, LocalTile) else second
            mode = "VSEL_TENSOR_TENSOR_MODE" if isinstance(second, LocalTile) else "VSEL_TENSOR_SCALAR_MODE"
            selecting = self.int16.view(bits, "uint8").tensor
            site.call("select", to.buffer.tensor, selecting, first.buffer.tensor, other, SelMode[mode], extent)
            self.buffers.allow_over(*(side.buffer for side in (first, second) if isinstance(side, LocalTile)))

    def _select_by_bits(self, operation: SelectOp, sides: list[LocalTile | float | SSAValue]) -> None:
        """(x and mask) or (y and not mask); without the part that is 0 in all of its bits."""
        result = self.result(operation)
        kind = kind_of(result.layout, self.layouts.of(operation.mask))
        int16s = 1 if kind in ("column", "single") else DTYPES[result.buffer.dtype].bytes // 2
        lanes, is_own = self._lanes_for(operation.mask, int16s)
        has_first, has_second = not _is_zero(sides[0]), not _is_zero(sides[1])
        if has_first or not has_second:
            with self.buffers.beginning(result.buffer):
                self._keep(result, self.int16.of(result), sides[0], lanes, kind)
        if not has_second:
            return
        inverse = (
            lanes if is_own else LocalTile(self.buffers.new(INT16, lanes.buffer.elements, "not_mask"), lanes.layout)
        )
        with nullcontext() if is_own else self.buffers.beginning(inverse.buffer):
            self.elementwise.flat("bitwise_not", inverse, [lanes])
        if not has_first:
            with self.buffers.beginning(result.buffer):
                self._keep(result, self.int16.of(result), sides[1], inverse, kind)
            return
        wide = self.int16.of(result)
        rest = LocalTile(inverse.buffer, wide.layout)
        if kind == "grid":
            self._keep(result, rest, sides[1], inverse, kind)
        else:
            rest = LocalTile(self.buffers.new(INT16, wide.layout.elements, "rest"), wide.layout)
            with self.buffers.beginning(rest.buffer):
                self._keep(result, rest, sides[1], inverse, kind)
        self.int16.join("or", wide, Operand(result.buffer, "grid"), Operand(rest.buffer, "grid"))

    def _keep(
        self, result: LocalTile, to: LocalTile, side: LocalTile | float | SSAValue, lanes: LocalTile, kind: str
    ) -> None:
        """What the lanes keep of one side of a choice."""
        if isinstance(side, LocalTile):
            operand = self.elementwise.operand(result, side)
        else:
            operand = Operand(self.elementwise.number(side, result.buffer.dtype), "single")
        small = kind in ("column", "single")
        mask = self.elementwise.operand(result, lanes) if small else Operand(lanes.buffer, kind)
        self.int16.join("and", to, operand, mask)

    def _lanes_for(self, mask: SSAValue, int16s: int) -> tuple[LocalTile, bool]:
        """The lanes of a bool tile, in as many int16s as the elements have; whether nothing else reads them."""
        layout, root = self.layouts.of(mask), self.root(mask)
        if root in self.bits:
            return self._lanes(self.bits[root], layout, int16s), True
        lanes = self.tile(mask)
        if int16s == 1:
            return lanes, False
        wide = self.temporary(layout, "int32", f"{lanes.buffer.name}_wide")
        self.cast(wide, lanes, "nearest")
        return self.int16.of(wide), True


def is_number_of_choice(full: FullOp) -> bool:
    """Whether a tile of one element is only a number of `where`."""
    is_single = all(size == 1 for size in type_of(full.result).sizes)
    return is_single and all(isinstance(use.operation, SelectOp) for use in full.result.uses)


def _is_zero(side: LocalTile | float | SSAValue) -> bool:
    """Whether all bits of a number are 0, as those of -0.0 are not."""
    return not isinstance(side, (LocalTile, SSAValue)) and str(side) in ("0", "0.0")


def _is_multiple(number: Number, of: int) -> bool:
    """Whether a number is known to be a multiple."""
    return isinstance(number, int) and number % of == 0
