"""Tiles as 16-bit integers: the only type whose bits every SoC joins with and, or and not.

In: tiles of 16 and 32 bits. Out: the same bytes as int16, and calls on them. An element of 32 bits is two of them; a
column or a single element is a block of 32 bytes, whichever its type.
"""

from __future__ import annotations

from dataclasses import replace

from opwright.ascendc.dtypes import DTYPES
from opwright.tile.compiler.buffers import Buffer, LocalTile
from opwright.tile.compiler.elementwise import Elementwise, Operand
from opwright.tile.compiler.layout import Layout
from opwright.tile.compiler.site import Site

INT16 = "int16"


class Int16Views:
    """Adds calls on bits."""

    def __init__(self, elementwise: Elementwise) -> None:
        self.elementwise = elementwise
        self.buffers = elementwise.buffers
        self.site = elementwise.site

    def view(self, buffer: Buffer, dtype: str = INT16) -> Buffer:
        """The bytes of a buffer as another type, for the next call."""
        if buffer.dtype == dtype:
            return buffer
        tensor = self.site.value("LocalTensor.reinterpret_cast", buffer.tensor, DTYPES[dtype])
        elements = buffer.elements * DTYPES[buffer.dtype].bytes // DTYPES[dtype].bytes
        return replace(buffer, tensor=tensor, dtype=dtype, elements=elements)

    def of(self, tile: LocalTile) -> LocalTile:
        """A tile as int16s."""
        return LocalTile(
            self.view(tile.buffer), int16_layout(tile.layout, DTYPES[tile.buffer.dtype].bytes // 2, self.site)
        )

    def join(self, name: str, to: LocalTile, *operands: Operand) -> None:
        """and, or or not, into int16s; an operand that is no grid is spread over the result."""
        views = [Operand(self.view(one.buffer), one.kind) for one in operands]
        if all(one.kind == "grid" for one in operands):
            self.elementwise.flat(f"bitwise_{name}", to, [LocalTile(one.buffer, to.layout) for one in views])
        else:
            self.elementwise.repeated(f"bitwise_{name}", to, views)

    def spread(self, to: LocalTile, source: LocalTile) -> None:
        """A row, a column or a single element as a whole tile: the bits of x or x are those of x."""
        operand = self.elementwise.operand(to, source)
        with self.buffers.beginning(to.buffer):
            self.join("or", self.of(to), operand, operand)


def int16_layout(layout: Layout, ratio: int, site: Site) -> Layout:
    """The layout of a tile whose elements are `ratio` int16s."""
    if ratio == 1:
        return layout
    rows, cols, (many, wide) = layout.rows, layout.cols, layout.sizes
    if layout.is_column:
        rows, cols, many, wide = cols, rows, wide, many
    length = site.times(cols, ratio)
    pitch = site.times(layout.pitch, ratio) if layout.is_grid or layout.is_padded else length
    return Layout((many, wide * ratio), INT16, rows, length, pitch, layout.is_padded, layout.granule * ratio)
