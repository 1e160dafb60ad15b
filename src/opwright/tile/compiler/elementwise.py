"""Calls on single elements: one call with a count where all tiles are alike, repeats with strides where one of them is
a row, a column or a single element.

In: an operation's name in `opwright.asc`, the tile that it writes, those that it reads. Out: calls.

Forms with repeats go along rows (a call for each 64 columns, a repeat for each row) or along columns (calls for each
row). Strides do the broadcasting: a row repeats with a stride of 0. A column is one block of 32 bytes for each row,
made by `brcb`, whose elements are equal: a stride of 0 between blocks. A single element is one such block.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.table import ROWS
from opwright.ir import Block, Operation, SSAValue
from opwright.ir.language import CastOp, ConstantOp, ForOp, FuncOp
from opwright.tile.compiler.buffers import Buffer, Buffers, LocalTile
from opwright.tile.compiler.costs import Work, cycles
from opwright.tile.compiler.layout import BLOCK, Layout
from opwright.tile.compiler.site import Number, Site, refuse

REPEAT = 256  # bytes of a repeat
MOST = 255  # repeats of a call, and blocks of a stride


@dataclass(frozen=True)
class Operand:
    """What a call with repeats reads or writes. kind: "grid", "row", "column" or "single"."""

    buffer: Buffer
    kind: str


def takes(name: str, dtype: str, site: Site) -> bool:
    """Whether a call takes elements of a type on this SoC."""
    row = ROWS[name]
    return dtype in row.dtypes_of(row.forms[0])["T"].by_soc[site.soc.name]


class Elementwise:
    """Adds calls on single elements."""

    def __init__(self, buffers: Buffers) -> None:
        self.buffers = buffers
        self.site = buffers.site
        self._blocks: dict[tuple[Buffer, Operation], Buffer] = {}
        self._numbers: dict[tuple[object, str], Buffer] = {}

    def flat(self, name: str, to: LocalTile, sources: list[LocalTile], *more: object) -> None:
        """One call with a count: all tiles have one shape."""
        site = self.site
        tensors = [source.buffer.tensor for source in sources]
        site.call(name, to.buffer.tensor, *tensors, *more, to.layout.extent(site))
        self.buffers.allow_over(*(source.buffer for source in sources if source.buffer.dtype == to.buffer.dtype))

    def binary(self, name: str, to: LocalTile, left: LocalTile, right: LocalTile) -> None:
        """A call on two tiles, with broadcasting."""
        if left.layout.sizes == right.layout.sizes == to.layout.sizes:
            self.flat(name, to, [left, right])
        else:
            self.repeated(name, to, [self.operand(to, left), self.operand(to, right)])

    def with_single(self, name: str, to: LocalTile, x: LocalTile, number: Buffer, number_first: bool) -> None:
        """A call on a tile and a block of one number."""
        operands = [Operand(x.buffer, kind_of(to.layout, x.layout)), Operand(number, "single")]
        self.repeated(name, to, operands[::-1] if number_first else operands)

    def operand(self, to: LocalTile, source: LocalTile) -> Operand:
        """A tile as an operand of a call whose result is another: a column as blocks."""
        kind = kind_of(to.layout, source.layout)
        return Operand(self.blocks(source) if kind in ("column", "single") else source.buffer, kind)

    def blocks(self, column: LocalTile) -> Buffer:
        """A block for each element of a column, made right behind the column, so that all below find it."""
        buffer, site = column.buffer, self.site
        if column.home is not None and (buffer, column.home) in self._blocks:
            return self._blocks[buffer, column.home]
        per_block = BLOCK // DTYPES[buffer.dtype].bytes
        count = max(column.layout.sizes)
        eights = -(-count // 8)
        if eights > MOST:
            refuse(site, f"a column of more than {8 * MOST} rows beside other columns")
        blocks = self.buffers.new(buffer.dtype, eights * 8 * per_block, f"{buffer.name}_blocks")
        rows = site.times(column.layout.rows, column.layout.cols)
        if not isinstance(rows, int) or rows % 8:
            self.buffers.fill(buffer)
        repeats = site.whole(site.plus(rows, 7), 8, "eights")
        where: AbstractContextManager[None] = nullcontext()
        if column.home is not None:
            self._blocks[buffer, column.home] = blocks
            where = self.buffers.before(column.home)
        with where, self.buffers.beginning(blocks):
            site.call("brcb", blocks.tensor, buffer.tensor, repeats, site.value("BrcbRepeatParams", 1, 8))
        return blocks

    def number(self, number: float | SSAValue, dtype: str) -> Buffer:
        """A block of one number, made where the number is."""
        owner = number.owner if isinstance(number, SSAValue) else None
        # Equal conversions share a block only within one branch or loop: elsewhere it may not have been made.
        what = (owner.value, owner.parent) if isinstance(owner, CastOp) else number
        key = (str(number) if isinstance(number, float) else what, dtype)  # -0.0 == 0.0
        if key not in self._numbers:
            per_block = BLOCK // DTYPES[dtype].bytes
            block = self._numbers[key] = self.buffers.new(dtype, per_block, "number")
            with self._behind(owner), self.buffers.beginning(block):
                self.site.call("duplicate", block.tensor, number, per_block)
        return self._numbers[key]

    def _behind(self, owner: Operation | Block | None) -> AbstractContextManager[None]:
        """Where a number is known: constants and arguments from the start, the index of a loop from its body on."""
        if isinstance(owner, Block) and not isinstance(owner.parent_op(), FuncOp):
            assert owner.first_op is not None
            return self.buffers.before(owner.first_op)
        if isinstance(owner, Operation) and not isinstance(owner, ConstantOp):
            return self.buffers.behind(owner)
        return self.buffers.at_start()

    def repeated(self, name: str, to: LocalTile, operands: list[Operand]) -> None:
        """Calls with repeats."""
        if DTYPES[to.buffer.dtype].bytes == 1:
            refuse(self.site, f"{name} of {to.buffer.dtype} with broadcasting")
        layout = to.layout
        size = DTYPES[to.buffer.dtype].bytes
        lanes, per_block = REPEAT // size, BLOCK // size
        all_operands = [Operand(to.buffer, "grid"), *operands]
        rows, blocks, chunks = layout.sizes[0], layout.static_pitch // per_block, -(-layout.static_pitch // lanes)
        in_rows = cycles(Work(name, chunks, chunks * rows))
        in_columns = cycles(Work(name, 2 * rows if layout.static_pitch % lanes else rows, chunks * rows))
        is_possible = layout.is_grid and blocks <= MOST and rows <= MOST
        along = self._along_rows if is_possible and in_rows < in_columns else self._along_columns
        with self.buffers.as_one():
            along(name, layout, all_operands, lanes, per_block)

    def _along_rows(self, name: str, layout: Layout, operands: list[Operand], lanes: int, per_block: int) -> None:
        """A call for each 64 columns."""
        site, pitch = self.site, layout.pitch
        between = site.whole(pitch, per_block, "pitch_blocks")
        inside = [0 if one.kind in ("column", "single") else 1 for one in operands]
        strides: list[Number] = [{"grid": between, "row": 0, "column": 1, "single": 0}[one.kind] for one in operands]
        loop: ForOp | None = None
        start: Number = 0
        mask = pitch
        if layout.static_pitch > lanes:
            loop, start = site.loop(0, pitch, lanes, "column")
            mask = site.least(lanes, site.minus(pitch, start))
        pairs = zip(operands, inside, strict=True)
        tensors = [self.buffers.part(one.buffer, start if in_row else 0) for one, in_row in pairs]
        params = site.value(_params(operands), *inside, *strides)
        site.call(name, *tensors, mask, layout.rows, params)
        self._allow_over(operands)
        if loop is not None:
            site.leave(loop)

    def _along_columns(self, name: str, layout: Layout, operands: list[Operand], lanes: int, per_block: int) -> None:
        """Calls for each row."""
        site = self.site
        loop: ForOp | None = None
        row: Number = 0
        width, most = layout.pitch, layout.static_pitch
        if not layout.is_grid:
            width, most = layout.extent(site), layout.elements
        if layout.is_grid:
            loop, row = site.row_by_row(layout.rows)
        begins: list[Number] = []
        for one in operands:
            step, word = {"grid": (width, "row_begin"), "column": (per_block, "block")}.get(one.kind, (0, ""))
            begins.append(site.times(row, step, word))
        inside = [0 if one.kind in ("column", "single") else 1 for one in operands]
        if all(inside):
            pairs = zip(operands, begins, strict=True)
            site.call(name, *(self.buffers.part(one.buffer, begin) for one, begin in pairs), width)
            self._allow_over(operands)
            if loop is not None:
                site.leave(loop)
            return
        params = site.value(_params(operands), *inside, *(8 * one for one in inside))

        def call(start: Number, mask: Number, repeats: Number) -> None:
            parts = [
                self.buffers.part(one.buffer, site.plus(begin, start) if in_row else begin)
                for one, begin, in_row in zip(operands, begins, inside, strict=True)
            ]
            site.call(name, *parts, mask, repeats, params)
            self._allow_over(operands)

        whole, rest = (
            (0, width) if most < lanes else (site.whole(width, lanes, "repeats"), site.rest(width, lanes, "tail"))
        )
        if most // lanes > MOST:
            pieces, piece = site.loop(0, whole, MOST, "piece")
            call(site.times(piece, lanes), lanes, site.least(MOST, site.minus(whole, piece)))
            site.leave(pieces)
        elif most >= lanes:
            call(0, lanes, whole)
        if not (isinstance(rest, int) and rest == 0):
            call(site.times(whole, lanes, "tail_begin"), rest, 1)
        if loop is not None:
            site.leave(loop)

    def _allow_over(self, operands: list[Operand]) -> None:
        first, *sources = operands
        same = [one.buffer for one in sources if one.kind == "grid" and one.buffer.dtype == first.buffer.dtype]
        self.buffers.allow_over(*same)


def _params(operands: list[Operand]) -> str:
    return {2: "UnaryRepeatParams", 3: "BinaryRepeatParams"}[len(operands)]


def kind_of(to: Layout, source: Layout) -> str:
    """How the elements of an operand are spread over those of a result."""
    if source.sizes == to.sizes:
        return "grid"
    if source.sizes == (1, 1):
        return "single"
    return "column" if source.is_column else "row"
