"""Elements that lie apart in global memory one by one: `x[rows, 3]`, a column of a tensor.

In: loads and stores of lines. Out: copies with a piece for each element, which takes a block of 32 bytes in UB, and
calls that put the elements of blocks one behind the other, or spread them over blocks. Refuses types of 8 bits.
"""

from __future__ import annotations

from collections.abc import Sequence

from opwright.ascendc.dtypes import DTYPES
from opwright.ir import SSAValue
from opwright.ir.tile_memory import LoadOp, StoreOp
from opwright.tile.compiler.buffers import Buffer, LocalTile
from opwright.tile.compiler.copies import MOST_PIECES, Copies
from opwright.tile.compiler.elementwise import REPEAT, Elementwise, takes
from opwright.tile.compiler.layout import BLOCK, Layout
from opwright.tile.compiler.site import Number, number_of, refuse

_EVERY = {2: 1, 4: 3}  # one of 2 or of 4 elements, from the first on -> the number of the pattern
_GATHERED = 32  # elements that the last step of gathering gives for each repeat


def lies_apart(strides: Sequence[SSAValue], layout: Layout) -> bool:
    """Whether the elements of a line lie apart."""
    if layout.is_grid or layout.sizes == (1, 1):
        return False
    last = number_of(strides[-1])
    return not (isinstance(last, int) and last == 1) or (layout.is_column and len(strides) == 2)


class Apart:
    """Adds copies of single elements."""

    def __init__(self, copies: Copies, elementwise: Elementwise) -> None:
        self.copies = copies
        self.elementwise = elementwise
        self.buffers = copies.buffers
        self.site = copies.site

    def load(self, operation: LoadOp, to: LocalTile) -> None:
        """A block for each element, filled up with 0; then the first element of each block."""
        site, dtype = self.site, to.buffer.dtype
        between = self._between(operation.strides, to)
        count = site.times(to.layout.rows, to.layout.cols)
        per_block, eights = BLOCK // DTYPES[dtype].bytes, -(-max(to.layout.sizes) // 8)
        blocks = self.buffers.new(dtype, eights * 8 * per_block, f"{to.buffer.name}_blocks")
        self.buffers.fill(blocks)
        params = site.value("DataCopyExtParams", count, DTYPES[dtype].bytes, between, 0, 0)
        pad = site.value("DataCopyPadExtParams", DTYPES[dtype], True, 0, per_block - 1, 0)
        with self.buffers.beginning(blocks):
            source = self.copies.part(operation.address, number_of(operation.offset))
            site.call("data_copy_pad", blocks.tensor, source, params, pad)
        self.copies.remember(operation.offset, operation.strides, to.layout.sizes)
        some = self.buffers.new(dtype, -(-eights // 4) * REPEAT // DTYPES[dtype].bytes * 4, f"{to.buffer.name}_some")
        self.buffers.fill(some)
        self._every(some, blocks, 4, site.times(count, per_block))
        to.buffer.elements = -(-to.buffer.elements // _GATHERED) * _GATHERED
        self._every(to.buffer, some, per_block // 4, site.times(count, per_block // 4))

    def _every(self, to: Buffer, source: Buffer, step: int, count: Number) -> None:
        """The first one of every 2 or 4 elements, of whole repeats."""
        site = self.site
        lanes = REPEAT // DTYPES[source.dtype].bytes
        repeats = site.whole(site.plus(count, lanes - 1), lanes, "repeats")
        params = site.value("GatherMaskParams", 1, repeats, 8, 0)
        with self.buffers.beginning(to):
            site.call("gather_mask", to.tensor, source.tensor, _EVERY[step], False, 0, params)

    def store(self, operation: StoreOp, x: LocalTile) -> None:
        """A block for each element, of which a piece of one element is copied."""
        site, dtype = self.site, x.buffer.dtype
        between = self._between(operation.strides, x)
        counts = [number_of(one) for one in operation.counts]
        rows, cols = (1, 1, *counts)[-2:]
        count = site.times(rows, cols)
        line = Layout((max(x.layout.sizes), 1), dtype, count, 1, 1, False, x.layout.granule)
        blocks = self.elementwise.blocks(LocalTile(x.buffer, line))
        params = site.value("DataCopyExtParams", count, DTYPES[dtype].bytes, 0, between, 0)
        target = self.copies.part(operation.address, number_of(operation.offset))
        site.call("data_copy_pad", target, blocks.tensor, params)
        self.copies.remember(operation.offset, operation.strides, x.layout.sizes)

    def _between(self, strides: Sequence[SSAValue], tile: LocalTile) -> Number:
        """The bytes between two elements."""
        dtype, layout = tile.buffer.dtype, tile.layout
        if not takes("brcb", dtype, self.site) or DTYPES[dtype].bytes == 1:
            refuse(self.site, f"a load or store of {dtype} that lie apart in memory")
        if max(layout.sizes) > MOST_PIECES:
            refuse(self.site, f"a load or store of more than {MOST_PIECES} elements that lie apart in memory")
        self.site.note_slow("elements that lie apart in memory: a piece of a copy, and 32 bytes of UB, for each")
        stride = number_of(strides[0])
        self.copies.test_rows(stride)
        return self.site.times(self.site.most(self.site.minus(stride, 1), 0), DTYPES[dtype].bytes, "gap")
