"""`t.fill(number)`: a whole tile, with a number where nothing was there.

In: a tile of which a part is there. Out: the number everywhere, and a copy of the part over it. The rows of the two lie
at different pitches. Refuses types of 8 bits, which no SoC copies from buffer to buffer.
"""

from __future__ import annotations

from opwright.ascendc.dtypes import DTYPES
from opwright.ir import SSAValue
from opwright.tile.compiler.buffers import Buffers, LocalTile
from opwright.tile.compiler.elementwise import MOST, REPEAT, takes
from opwright.tile.compiler.layout import BLOCK
from opwright.tile.compiler.site import Number, refuse


def fill_around(buffers: Buffers, to: LocalTile, x: LocalTile, number: float | SSAValue) -> None:
    """Makes the whole tile."""
    site, dtype = buffers.site, to.buffer.dtype
    if not takes("copy", dtype, site):
        refuse(site, f"fill of {dtype}")
    with buffers.beginning(to.buffer):
        site.call("duplicate", to.buffer.tensor, number, to.layout.extent(site))
    with buffers.as_one():
        _Part(buffers, to, x).copy()


class _Part:
    """Copies what is there."""

    def __init__(self, buffers: Buffers, to: LocalTile, x: LocalTile) -> None:
        self.buffers = buffers
        self.site = buffers.site
        self.to = to
        self.x = x
        size = DTYPES[to.buffer.dtype].bytes
        self.lanes, self.per_block = REPEAT // size, BLOCK // size

    def copy(self) -> None:
        """Rows as repeats where strides allow it, else one by one."""
        site, x, to = self.site, self.x.layout, self.to.layout
        if not x.is_grid:
            self._row(0, 0, site.times(x.rows, x.cols), max(x.sizes))
            return
        most = max(x.static_pitch, to.static_pitch) // self.per_block
        pitches = [one.pitch for one in (to, x)]
        if most > MOST or x.sizes[0] > MOST:
            loop, row = site.loop(0, x.rows, 1, "row")
            self._row(site.times(row, pitches[0]), site.times(row, pitches[1]), x.cols, x.sizes[1])
            site.leave(loop)
            return
        blocks = [site.whole(pitch, self.per_block, "pitch_blocks") for pitch in pitches]
        params = site.value("CopyRepeatParams", 1, 1, *blocks)
        loop, start = site.loop(0, x.cols, self.lanes, "column")
        self._call(start, start, site.least(self.lanes, site.minus(x.cols, start)), x.rows, params)
        site.leave(loop)

    def _row(self, to: Number, x: Number, count: Number, most: int) -> None:
        site, lanes = self.site, self.lanes
        params = site.value("CopyRepeatParams", 1, 1, 8, 8)
        whole, rest = site.whole(count, lanes, "repeats"), site.rest(count, lanes, "tail")
        if most // lanes > MOST:
            loop, piece = site.loop(0, whole, MOST, "piece")
            begin = site.times(piece, lanes)
            repeats = site.least(MOST, site.minus(whole, piece))
            self._call(site.plus(to, begin), site.plus(x, begin), lanes, repeats, params)
            site.leave(loop)
        elif most >= lanes:
            self._call(to, x, lanes, whole, params)
        begin = site.times(whole, lanes, "tail_begin")
        self._call(site.plus(to, begin), site.plus(x, begin), rest, 1, params)

    def _call(self, to: Number, x: Number, mask: Number, repeats: Number, params: SSAValue) -> None:
        parts = self.buffers.part(self.to.buffer, to), self.buffers.part(self.x.buffer, x)
        self.site.call("copy", *parts, mask, repeats, params)
