"""Tiles whose rows become columns.

In: a grid and the grid that it becomes. Out: `trans_data_to_5hd` calls. Each takes a block of 32 bytes of 16 rows and
repeats along the rows: 16 columns of 16-bit elements, 8 of 32-bit ones. Of 8-bit elements it takes half of a block, so
four calls transpose a square of 32. Bits are moved: types that the call does not take go as others of their width.

What is read and written beyond the rows that are there is padding: the buffers have whole squares, and what is read is
initialised once, at the start.
"""

from __future__ import annotations

from itertools import product

from opwright.ascendc.dtypes import DTYPES
from opwright.ir import SSAValue
from opwright.ir.language import ForOp
from opwright.tile.compiler.buffers import Buffers, LocalTile
from opwright.tile.compiler.elementwise import MOST
from opwright.tile.compiler.layout import BLOCK, TRANSPOSED
from opwright.tile.compiler.site import Number, refuse

_MOVED_AS = {"bfloat16": "float16"}


def transpose(buffers: Buffers, to: LocalTile, x: LocalTile) -> None:
    """Adds the calls."""
    size = DTYPES[x.buffer.dtype].bytes
    per_block = BLOCK // size
    high = TRANSPOSED * max(2 // size, 1)  # rows of x that fill a block of the result, or two of them
    rows, width = x.layout.sizes[0], x.layout.static_pitch
    if width // per_block > MOST:
        refuse(buffers.site, f"the transpose of a tile of more than {MOST * per_block} columns of {x.buffer.dtype}")
    x.buffer.elements = max(x.buffer.elements, -(-rows // high) * high * width)
    to.buffer.elements = max(to.buffer.elements, width * to.layout.static_pitch)
    if not isinstance(x.layout.rows, int) or x.layout.rows % high:
        buffers.fill(x.buffer)
    with buffers.beginning(to.buffer), buffers.as_one():
        _Squares(buffers, to, x, size).add(high)


class _Squares:
    """The calls of one transpose."""

    def __init__(self, buffers: Buffers, to: LocalTile, x: LocalTile, size: int) -> None:
        self.buffers, self.site, self.to, self.x, self.size = buffers, buffers.site, to, x, size
        self.kind = DTYPES[_MOVED_AS.get(x.buffer.dtype, x.buffer.dtype)]

    def add(self, high: int) -> None:
        """A call for each 16 rows, or four for each 32 rows."""
        site = self.site
        loop: ForOp | None = None
        start: Number = 0
        if self.x.layout.sizes[0] > high:
            loop, start = site.loop(0, self.x.layout.rows, high, "row")
        blocks = site.whole(self.x.layout.pitch, BLOCK // self.size, "blocks")
        # A single repeat begins one step further on: it must have no step.
        step = site.least(site.most(site.minus(blocks, 1), 0), 1, "block_step")
        stride = site.times(step, self.to.layout.pitch, "row_step")
        halves = (False, True) if self.size == 1 else (False,)
        for to_half, half in product(halves, halves):
            read = [
                site.times(site.plus(start, TRANSPOSED * to_half + row), self.x.layout.pitch)
                for row in range(TRANSPOSED)
            ]
            params = site.value("TransDataTo5HDParams", to_half, half, blocks, stride, step)
            lists = self._list(self.to, self._written(start, TRANSPOSED * half)), self._list(self.x, read)
            site.call("trans_data_to_5hd", *lists, params)
        if loop is not None:
            site.leave(loop)

    def _written(self, start: Number, first: int) -> list[Number]:
        """Where the blocks of the result begin: two in each row, if a block has 8 elements."""
        site, pitch = self.site, self.to.layout.pitch
        in_row = TRANSPOSED * self.size // BLOCK or 1
        rows = [
            site.plus(site.times(first + row, pitch, f"line{first + row}"), start)
            for row in range(TRANSPOSED // in_row)
        ]
        return [site.plus(begin, block * BLOCK // self.size) for begin in rows for block in range(in_row)]

    def _list(self, tile: LocalTile, begins: list[Number]) -> SSAValue:
        tensor = tile.buffer.tensor
        if tile.buffer.dtype != self.kind.name:
            tensor = self.site.value("LocalTensor.reinterpret_cast", tensor, self.kind)
        parts = [self.site.value("LocalTensor.__getitem__", tensor, begin) for begin in begins]
        return self.site.value("TensorList", self.kind, *parts)
