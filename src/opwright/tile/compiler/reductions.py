"""Sums and extremes over an axis, in the order that `tile/reduce.py` documents.

In: a tile and an axis. Out: calls that leave the result in a line. `select.py` has asked which types the SoC reduces.

Sums over columns: the first 64 columns (128 of 16-bit types) of every row are copied, the next 64 are added to them
lane by lane, and so on; `whole_reduce_sum` joins the lanes. Extremes: `whole_reduce_max` of every 64 columns, and again
of what it gave. Over rows: the lower half of the rows is joined with the upper one until one is left.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.enums import ReduceOrder
from opwright.ir import Block, SSAValue
from opwright.ir.language import CompareOp, IfOp
from opwright.ir.tile import is_there
from opwright.tile.compiler.buffers import Buffer, Buffers, LocalTile
from opwright.tile.compiler.costs import Work, cycles
from opwright.tile.compiler.elementwise import MOST, REPEAT
from opwright.tile.compiler.layout import BLOCK, Layout
from opwright.tile.compiler.site import Number, Site

ACROSS_ROWS = {"sum": "add", "max": "max", "min": "min"}


class Reductions:
    """Adds calls that reduce."""

    def __init__(self, buffers: Buffers) -> None:
        self.buffers = buffers
        self.site = buffers.site

    def columns(self, operator: str, to: LocalTile, x: LocalTile) -> None:
        """Over the last axis: a column of a grid, one element of a line."""
        site, layout, dtype = self.site, x.layout, x.buffer.dtype
        size = DTYPES[dtype].bytes
        lanes, per_block = REPEAT // size, BLOCK // size
        with self.buffers.beginning(to.buffer):
            if isinstance(layout.cols, int) and layout.cols == 0:
                site.call("duplicate", to.buffer.tensor, _nothing(operator, dtype), to.layout.extent(site))
                return
            if isinstance(layout.cols, SSAValue) and not is_there(layout.cols):
                self._of_nothing(operator, to, layout.cols)
            while operator != "sum" and x.layout.sizes[1] > lanes:
                x = self._extremes(operator, x, lanes, per_block)
            source, mask = x.buffer, x.layout.cols
            step: Number = site.whole(x.layout.pitch, per_block, "pitch_blocks") if x.layout.is_grid else 8
            if x.layout.sizes[1] > lanes:
                source, step = self._folded(x, lanes, per_block), 8
                mask = site.least(lanes, layout.cols, "lanes")
            with _where_some(site, layout.cols):
                self._whole(operator, to, source, mask, layout.rows, layout.sizes[0], step)

    def _extremes(self, operator: str, x: LocalTile, lanes: int, per_block: int) -> LocalTile:
        """The extreme of every 64 columns of each row: NaN is found wherever it stands, as no fold would find it."""
        site, layout = self.site, x.layout
        rows, chunks = layout.sizes[0], -(-layout.sizes[1] // lanes)
        pitch = -(-chunks // per_block) * per_block
        count = site.whole(site.plus(layout.cols, lanes - 1), lanes, "chunks")
        buffer = self.buffers.new(x.buffer.dtype, rows * pitch, f"{x.buffer.name}_{operator}s")
        name = f"whole_reduce_{operator}"
        with self.buffers.beginning(buffer), self.buffers.as_one():
            in_rows, in_columns = Work(name, chunks, chunks * rows), Work(name, 2 * rows, chunks * rows)
            if layout.is_grid and rows <= MOST and cycles(in_rows) < cycles(in_columns):
                loop, start = site.loop(0, layout.cols, lanes, "column")
                parts = self.buffers.part(buffer, site.whole(start, lanes)), self.buffers.part(x.buffer, start)
                mask = site.least(lanes, site.minus(layout.cols, start))
                step = site.whole(layout.pitch, per_block, "pitch_blocks")
                site.call(name, *parts, mask, layout.rows, pitch, 1, step, ReduceOrder.ORDER_ONLY_VALUE)
                site.leave(loop)
            elif layout.is_grid:
                rows_loop, row = site.row_by_row(layout.rows)
                self._extremes_of_row(name, buffer, site.times(row, pitch), x, site.times(row, layout.pitch), lanes)
                site.leave(rows_loop)
            else:
                self._extremes_of_row(name, buffer, 0, x, 0, lanes)
        return LocalTile(buffer, Layout((rows, chunks), layout.dtype, layout.rows, count, pitch, False, per_block))

    def _extremes_of_row(self, name: str, to: Buffer, at: Number, x: LocalTile, begin: Number, lanes: int) -> None:
        site, layout = self.site, x.layout
        whole, rest = site.whole(layout.cols, lanes, "repeats"), site.rest(layout.cols, lanes, "tail")

        def call(first: Number, mask: Number, repeats: Number) -> None:
            source = self.buffers.part(x.buffer, site.plus(begin, site.times(first, lanes)))
            target = self.buffers.part(to, site.plus(at, first))
            site.call(name, target, source, mask, repeats, 1, 1, 8, ReduceOrder.ORDER_ONLY_VALUE)

        if layout.sizes[1] // lanes > MOST:
            pieces, piece = site.loop(0, whole, MOST, "piece")
            call(piece, lanes, site.least(MOST, site.minus(whole, piece)))
            site.leave(pieces)
        else:
            call(0, lanes, whole)
        if not (isinstance(rest, int) and rest == 0):
            with _where_some(site, rest):
                call(whole, rest, 1)

    def rows(self, operator: str, to: LocalTile, work: LocalTile) -> None:
        """Over the first axis of a grid, which is written over: the lower half of the rows onto the upper one."""
        site, layout, buffer = self.site, work.layout, work.buffer
        count = layout.rows
        for _ in range((layout.sizes[0] - 1).bit_length()):
            half = site.whole(site.plus(count, 1), 2, "half")
            lower = self.buffers.part(buffer, site.times(half, layout.pitch, "lower"))
            moved = site.times(site.minus(count, half), layout.pitch)
            if operator != "sum" and DTYPES[buffer.dtype].is_float():
                self._extreme_of_halves(ACROSS_ROWS[operator], work, lower, moved)
            else:
                site.call(ACROSS_ROWS[operator], buffer.tensor, buffer.tensor, lower, moved)
            count = half
        lanes = REPEAT // DTYPES[buffer.dtype].bytes
        pieces = -(-to.layout.elements // lanes)
        params = site.value("CopyRepeatParams", 1, 1, 8, 8)
        whole: Number = 0
        extent = to.layout.extent(site)
        with self.buffers.beginning(to.buffer):
            if to.layout.is_padded and to.layout.granule > layout.granule:  # the row is shorter than the result
                site.call("duplicate", to.buffer.tensor, 0, extent)
                extent = layout.pitch
            with self.buffers.as_one():
                if pieces > 1:
                    whole = site.whole(extent, lanes, "repeats")
                    site.call("copy", to.buffer.tensor, buffer.tensor, lanes, whole, params)
                begin = site.times(whole, lanes)
                parts = self.buffers.part(to.buffer, begin), self.buffers.part(buffer, begin)
                site.call("copy", *parts, site.minus(extent, begin), 1, params)

    def _extreme_of_halves(self, call: str, work: LocalTile, lower: SSAValue, count: Number) -> None:
        """The greater or smaller of floats; NaN if one of them is.

        Of NaN and a number the calls give the second operand. So one of the two orders gives NaN, and the bits of NaN
        or those of anything are NaN. Of other numbers both orders give the same bits, but for zeros.
        """
        site, buffer = self.site, work.buffer
        ratio = DTYPES[buffer.dtype].bytes // 2
        other = self.buffers.new(buffer.dtype, buffer.elements, f"{buffer.name}_other")
        with self.buffers.beginning(other):
            site.call(call, other.tensor, buffer.tensor, lower, count)
        site.call(call, buffer.tensor, lower, buffer.tensor, count)
        bits = [site.value("LocalTensor.reinterpret_cast", one.tensor, DTYPES["int16"]) for one in (buffer, other)]
        site.call("bitwise_or", bits[0], *bits, site.times(count, ratio))

    def _of_nothing(self, operator: str, to: LocalTile, count: Number) -> None:
        """The result where nothing is there."""
        site = self.site
        assert isinstance(count, SSAValue)
        branch = IfOp(site.add(CompareOp("eq", count, site.constant(0))).results[0], Block(), Block())
        site.add(branch)
        site.move_into(branch.then.block)
        site.call("duplicate", to.buffer.tensor, _nothing(operator, to.buffer.dtype), to.layout.extent(site))
        site.leave(branch)

    def _whole(
        self, operator: str, to: LocalTile, source: Buffer, mask: Number, rows: Number, most: int, step: Number
    ) -> None:
        """Joins the lanes of each row."""
        site = self.site
        name = f"whole_reduce_{operator}"
        order = () if operator == "sum" else (ReduceOrder.ORDER_ONLY_VALUE,)
        if most <= MOST:
            site.call(name, to.buffer.tensor, source.tensor, mask, rows, 1, 1, step, *order)
            return
        loop, start = site.loop(0, rows, MOST, "piece")
        repeats = site.least(MOST, site.minus(rows, start))
        per_block = BLOCK // DTYPES[source.dtype].bytes
        offset = site.times(start, site.times(step, per_block))
        parts = self.buffers.part(to.buffer, start), self.buffers.part(source, offset)
        site.call(name, *parts, mask, repeats, 1, 1, step, *order)
        site.leave(loop)

    def _folded(self, x: LocalTile, lanes: int, per_block: int) -> Buffer:
        """All columns of each row onto its first lanes."""
        site, layout = self.site, x.layout
        rows = layout.sizes[0]
        partial = self.buffers.new(x.buffer.dtype, rows * lanes, f"{x.buffer.name}_sums")
        first = site.least(lanes, layout.cols, "lanes")
        blocks, chunks = layout.static_pitch // per_block, -(-layout.sizes[1] // lanes)
        adds = (chunks - 1) * rows
        in_rows = Work("copy", 1, rows), Work("add", chunks - 1, adds, chunks - 1)
        in_columns = Work("copy", rows, rows), Work("add", 2 * rows, adds, adds)  # repeats onto one place wait, too
        is_possible = layout.is_grid and blocks <= MOST and rows <= MOST
        if is_possible and cycles(*in_rows) <= cycles(*in_columns):
            pitch = site.whole(layout.pitch, per_block, "pitch_blocks")
            with self.buffers.beginning(partial):
                params = site.value("CopyRepeatParams", 1, 1, 8, pitch)
                site.call("copy", partial.tensor, x.buffer.tensor, first, layout.rows, params)
            loop, start = site.loop(lanes, layout.cols, lanes, "column")
            mask = site.least(lanes, site.minus(layout.cols, start))
            params = site.value("BinaryRepeatParams", 1, 1, 1, 8, 8, pitch)
            part = self.buffers.part(x.buffer, start)
            site.call("add", partial.tensor, partial.tensor, part, mask, layout.rows, params)
            site.leave(loop)
            return partial
        with self.buffers.beginning(partial):
            if layout.is_grid:
                rows_loop, row = site.row_by_row(layout.rows)
                self._fold_row(x, partial, row, lanes)
                site.leave(rows_loop)
            else:
                self._fold_row(x, partial, 0, lanes)
        return partial

    def _fold_row(self, x: LocalTile, partial: Buffer, row: Number, lanes: int) -> None:
        """The columns of one row onto its first lanes."""
        site, layout = self.site, x.layout
        begin = site.times(row, layout.pitch)
        own = self.buffers.part(partial, site.times(row, lanes))
        params = site.value("CopyRepeatParams", 1, 1, 8, 8)
        first = site.least(lanes, layout.cols, "lanes")
        site.call("copy", own, self.buffers.part(x.buffer, begin), first, 1, params)
        if site.soc.arch == 2201 and layout.sizes[1] // lanes <= MOST:
            # Repeats that write to one place add up, if that is their second operand.
            left = site.most(site.minus(layout.cols, lanes), 0, "more")
            whole, rest = site.whole(left, lanes, "more_repeats"), site.rest(left, lanes, "more_tail")
            part = self.buffers.part(x.buffer, site.plus(begin, lanes))
            params = site.value("BinaryRepeatParams", 1, 1, 1, 0, 8, 0)
            site.call("add", own, part, own, lanes, whole, params)
            if not (isinstance(rest, int) and rest == 0):
                behind = site.plus(begin, site.plus(site.times(whole, lanes), lanes, "more_tail_begin"))
                site.call("add", own, own, self.buffers.part(x.buffer, behind), rest)
            return
        loop, start = site.loop(lanes, layout.cols, lanes, "column")
        mask = site.least(lanes, site.minus(layout.cols, start))
        part = self.buffers.part(x.buffer, site.plus(begin, start))
        site.call("add", own, own, part, mask)
        site.leave(loop)


@contextmanager
def _where_some(site: Site, count: Number) -> Iterator[None]:
    """What is added meanwhile runs if a count is not 0, where a reduction of no lanes may write something."""
    if site.soc.arch == 2201 or isinstance(count, int) or is_there(count):
        yield
        return
    branch = IfOp(site.add(CompareOp("gt", count, site.constant(0))).results[0], Block(), Block())
    site.add(branch)
    site.move_into(branch.then.block)
    yield
    site.leave(branch)


def _nothing(operator: str, dtype: str) -> float:
    """The reduction of nothing."""
    if operator == "sum":
        return 0
    if DTYPES[dtype].is_float():
        return float("-inf") if operator == "max" else float("inf")
    return DTYPES[dtype].limits[operator == "min"]
