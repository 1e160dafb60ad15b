"""From operations on tiles to calls of Ascend C on buffers without addresses.

In: the tile IR of a kernel. Out: the same kernel, changed in place, with calls in the place of all operations on tiles
but loops; and its `Buffers`. Refuses what is not built, with the author's line.

The calls are operations of the IR from here on: what a call reads and writes, and on which pipe, its row says. So no
later step has a second description of a call that could be wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.enums import RoundMode
from opwright.ir import Operation, SSAValue
from opwright.ir import language as py
from opwright.ir.language import FuncOp
from opwright.ir.tile import (
    MASK,
    ArangeOp,
    BinaryOp,
    CastOp,
    CompareNumberOp,
    CompareOp,
    CountedOp,
    FillOp,
    FullOp,
    HelperOp,
    LoopOp,
    ReduceOp,
    SelectOp,
    TransposeOp,
    ViewOp,
    WithNumberOp,
    counts_of,
    is_of_tiles,
    is_there,
    type_of,
)
from opwright.ir.tile import UnaryOp as TileUnaryOp
from opwright.ir.tile_cores import MessageOp
from opwright.ir.tile_memory import AtomicOp, GatherOp, LoadOp, ReadOp, StoreOp
from opwright.ir.types import TileType
from opwright.tile.compiler.apart import Apart, lies_apart
from opwright.tile.compiler.buffers import Buffers, LocalTile
from opwright.tile.compiler.composed import COMPOSED
from opwright.tile.compiler.elementwise import takes
from opwright.tile.compiler.fills import fill_around
from opwright.tile.compiler.gathers import gather
from opwright.tile.compiler.helpers import put_in_place
from opwright.tile.compiler.layout import BLOCK, Layout
from opwright.tile.compiler.masks import is_number_of_choice
from opwright.tile.compiler.reductions import ACROSS_ROWS
from opwright.tile.compiler.signals import signal
from opwright.tile.compiler.site import Site, refuse
from opwright.tile.compiler.transposes import transpose
from opwright.tile.compiler.variables import Variables

_UNARY = {"exp": "exp", "log": "ln", "sqrt": "sqrt", "rsqrt": "rsqrt", "reciprocal": "reciprocal", "abs": "abs"}
_WITH_NUMBER = {"add": "adds", "mul": "muls", "max": "maxs", "min": "mins"}
_IN_FLOAT32 = ("bfloat16", "int16", "int8", "uint8")  # which float32 has all of the values of
_INTEGRAL = {"floor": RoundMode.CAST_FLOOR, "ceil": RoundMode.CAST_CEIL, "round": RoundMode.CAST_RINT}


def select(kernel: FuncOp, site: Site) -> Buffers:
    """Selects calls for all operations of a kernel."""
    return _Selection(kernel, site).run()


class _Selection(Variables):
    """One kernel."""

    def run(self) -> Buffers:
        """Selects."""
        self.apart = Apart(self.copies, self.elementwise)
        operations = list(self.order)
        selected = []
        for operation in operations:
            select_one = _SELECTORS.get(type(operation))
            is_tile = operation.name.startswith("tile.") and not isinstance(operation, LoopOp)
            if select_one is None:
                if is_tile or any(isinstance(result.type, TileType) for result in operation.results):
                    self.site.move_before(operation)
                    refuse(self.site, f"{operation.name.replace('.', ' ').replace('tile ', '')} of tiles")
                continue
            if is_tile or is_of_tiles(operation):
                self.site.move_before(operation)
                select_one(self, operation)
                selected.append(operation)
        for operation in reversed(selected):
            assert operation.parent is not None
            operation.parent.detach_op(operation)
            operation.drop_all_references()
        return self.buffers

    def load(self, operation: LoadOp) -> None:
        """A load."""
        to = self.result(operation)
        single = lies_apart(operation.strides, to.layout)
        (self.apart.load if single else self.copies.load)(operation, to)

    def gather(self, operation: GatherOp) -> None:
        """Rows that a tile of integers chooses."""
        gather(self.copies, operation, self.result(operation), self.tile(operation.index))

    def store(self, operation: StoreOp) -> None:
        """A store."""
        x = self.tile(operation.tile)
        single = lies_apart(operation.strides, x.layout)
        (self.apart.store if single else self.copies.store)(operation, x)

    def atomic(self, operation: AtomicOp) -> None:
        """A store that joins a tile with what is there."""
        self.copies.atomic(operation, self.tile(operation.tile))

    def read(self, operation: ReadOp) -> None:
        """A number of global memory."""
        self.copies.read(operation)

    def message(self, operation: MessageOp) -> None:
        """A flag between cores."""
        signal(operation, self.copies)

    def full(self, operation: FullOp) -> None:
        """One number."""
        if is_number_of_choice(operation):
            return
        to = self.result(operation)
        with self.buffers.beginning(to.buffer):
            self.site.call("duplicate", to.buffer.tensor, self.number(operation.number), to.layout.extent(self.site))

    def fill(self, operation: FillOp) -> None:
        """The whole of a tile; in lanes of a bool tile all bits of a lane are set."""
        number = self.number(operation.number)
        if type_of(operation.x).dtype.data == MASK:
            number = self.negative(number, "int16")
        fill_around(self.buffers, self.result(operation), self.tile(operation.x), number)

    def arange(self, operation: ArangeOp) -> None:
        """Integers that follow each other: those from 0 on, and where they start."""
        to = self.result(operation)
        if to.buffer.dtype == "int16" and to.layout.elements > DTYPES["int16"].limits[1]:
            refuse(self.site, "tile.arange beyond the numbers of int16")
        ramp = LocalTile(self.patterns.ramp(to.layout.elements), to.layout)
        start = self.number(operation.start)
        if to.buffer.dtype == "int32":
            with self.buffers.beginning(to.buffer):
                self.elementwise.flat("adds", to, [ramp], start)
        else:
            numbers = self.temporary(to.layout, "int32", f"{to.buffer.name}_int32")
            with self.buffers.beginning(numbers.buffer):
                self.elementwise.flat("adds", numbers, [ramp], start)
            self.cast(to, numbers, "nearest")

    def unary(self, operation: TileUnaryOp) -> None:
        """One tile, element by element."""
        name = operation.operator.data
        if name == "not":
            self.invert(operation)
            return
        to, x = self.result(operation), self.tile(operation.x)
        if name == "neg":
            self.typed("muls", to, [x], lambda to, given: self.elementwise.flat("muls", to, given, -1))
        elif name in _INTEGRAL:
            mode = _INTEGRAL[name]
            if to.buffer.dtype == "float32":
                with self.buffers.beginning(to.buffer):
                    self.elementwise.flat("cast", to, [x], mode)
            else:
                self.in_float32(to, [x], lambda to, given: self.elementwise.flat("cast", to, given, mode))
        elif name == "abs" and not DTYPES[to.buffer.dtype].is_float():
            self.typed("muls", to, [x], self._absolute)
        elif name in _UNARY:
            call = _UNARY[name]
            self.typed(call, to, [x], lambda to, given: self.elementwise.flat(call, to, given))
        elif name in COMPOSED:
            self.composed(name, to, x)
        else:
            refuse(self.site, f"tile.{name}")

    def _absolute(self, to: LocalTile, given: list[LocalTile]) -> None:
        """The greater of an integer and its negative."""
        negative = self.temporary(to.layout, to.buffer.dtype, "negative")
        with self.buffers.beginning(negative.buffer):
            self.elementwise.flat("muls", negative, given, -1)
        self.elementwise.flat("max", to, [*given, negative])

    def binary(self, operation: BinaryOp) -> None:
        """Two tiles, element by element."""
        name = operation.operator.data
        if name in ("and", "or"):
            self.join(operation)
            return
        to, left, right = self.result(operation), self.tile(operation.a), self.tile(operation.b)
        self.typed(name, to, [left, right], lambda to, given: self.elementwise.binary(name, to, *given))

    def with_number(self, operation: WithNumberOp) -> None:
        """A tile and a number."""
        to, x = self.result(operation), self.tile(operation.x)
        name, is_reversed = operation.operator.data, operation.is_reversed
        number = self.number(operation.number)
        if name == "sub" and not is_reversed:
            name, number = "add", self.negative(number, to.buffer.dtype)
        call = _WITH_NUMBER.get(name)
        if call is not None and not (is_reversed and name in ("max", "min")):
            wanted = self.rounded(number, call, to)
            self.typed(call, to, [x], lambda to, given: self.elementwise.flat(call, to, given, wanted))
            return

        def compute(to: LocalTile, given: list[LocalTile]) -> None:
            if name == "sub":
                self.elementwise.flat("muls", to, given, -1)
                self.elementwise.flat("adds", to, [to], wanted)
            else:
                block = self.elementwise.number(wanted, to.buffer.dtype)
                self.elementwise.with_single(name, to, given[0], block, is_reversed)

        wanted = self.rounded(number, name, to)
        self.typed("muls" if name == "sub" else name, to, [x], compute)

    def cast_tile(self, operation: CastOp) -> None:
        """Another type."""
        x = self.tile(operation.x)
        if x.buffer.dtype == operation.dtype:
            self.alias(operation, operation.x)
            return
        self.cast(self.result(operation), x, operation.round.data)

    def reduce(self, operation: ReduceOp) -> None:
        """A sum or an extreme."""
        x, name = self.tile(operation.x), operation.operator.data
        is_last = operation.axis.data == len(type_of(operation.x).sizes) - 1
        if x.layout.sizes[1 if is_last else 0] == 1:
            if not is_there(counts_of(operation.x)[operation.axis.data]):
                refuse(self.site, f"{name} over an axis of one element that may not be there")
            self.alias(operation, operation.x)
            return
        to, dtype = self.result(operation), x.buffer.dtype
        is_of_lanes = is_last or (x.layout.is_column and name != "sum")
        calls = [f"whole_reduce_{name}"] if is_of_lanes else [ACROSS_ROWS[name], "copy"]
        if not all(takes(call, dtype, self.site) for call in calls):
            if dtype not in _IN_FLOAT32:
                refuse(self.site, f"{name} of {dtype} on {self.site.soc.name}")
            self.note_float32(to)
            found = self.temporary(to.layout, "float32", f"{to.buffer.name}_float32")
            self._reduced(name, found, self.converted(x, "float32"), is_last)
            self.cast(to, found, "nearest")
            return
        self._reduced(name, to, x, is_last)

    def _reduced(self, name: str, to: LocalTile, x: LocalTile, is_last: bool) -> None:
        """A reduction in a type that the SoC reduces."""
        layout = x.layout
        if is_last:
            self.reductions.columns(name, to, x)
        elif layout.is_column and name != "sum":
            # A line is a line: the order of its elements does not matter.
            line = Layout((1, layout.sizes[0]), layout.dtype, 1, layout.rows, layout.rows, False, layout.granule)
            self.reductions.columns(name, to, LocalTile(x.buffer, line))
        else:
            if layout.rows == 0 or (isinstance(layout.rows, SSAValue) and not is_there(layout.rows)):
                refuse(self.site, f"{name} over rows that may be empty")
            if layout.is_column:
                x = self._in_blocks(x)
            work = self.temporary(x.layout, layout.dtype, f"{x.buffer.name}_rows")
            self.copies.move(work.buffer, x)
            self.reductions.rows(name, to, work)

    def _in_blocks(self, column: LocalTile) -> LocalTile:
        """A column as a grid of one block for each row, so that parts of it begin at blocks."""
        layout = column.layout
        per_block = BLOCK // DTYPES[layout.dtype].bytes
        sizes = (layout.sizes[0], per_block)
        return LocalTile(
            self.elementwise.blocks(column),
            Layout(sizes, layout.dtype, layout.rows, per_block, per_block, False, per_block),
        )

    def transpose(self, operation: TransposeOp) -> None:
        """Rows become columns; a line stays what it is."""
        if self.tile(operation.x).layout.is_grid:
            transpose(self.buffers, self.result(operation), self.tile(operation.x))
        else:
            self.alias(operation, operation.x)

    def helper(self, operation: HelperOp) -> None:
        """A function of `opwright.asc`."""
        put_in_place(self.buffers, operation, self.result(operation), [self.tile(one) for one in operation.inputs])

    def view(self, operation: ViewOp) -> None:
        """The same elements: a line is a line, whichever axis is the long one."""
        self.alias(operation, operation.x)


_SELECTORS: dict[type[Operation], Callable[[_Selection, Any], None]] = {
    LoadOp: _Selection.load,
    GatherOp: _Selection.gather,
    StoreOp: _Selection.store,
    MessageOp: _Selection.message,
    AtomicOp: _Selection.atomic,
    ReadOp: _Selection.read,
    FullOp: _Selection.full,
    TileUnaryOp: _Selection.unary,
    BinaryOp: _Selection.binary,
    WithNumberOp: _Selection.with_number,
    CastOp: _Selection.cast_tile,
    CompareOp: _Selection.compare,
    CompareNumberOp: _Selection.compare_number,
    SelectOp: _Selection.select_tile,
    FillOp: _Selection.fill,
    ArangeOp: _Selection.arange,
    ReduceOp: _Selection.reduce,
    TransposeOp: _Selection.transpose,
    HelperOp: _Selection.helper,
    ViewOp: _Selection.view,
    CountedOp: _Selection.counted,
    py.VariableOp: _Selection.variable,
    py.StoreOp: _Selection.set_variable,
    py.LoadOp: _Selection.get_variable,
}
