"""Copies between global memory and UB, and between buffers.

In: loads, stores and tiles of the IR. Out: `data_copy_pad` calls with a piece for each row, and `copy`. Refuses tiles
of several rows whose elements lie apart in global memory one by one, more rows than a copy takes, and atomic updates of
types that the SoC does not update in memory.
"""

from __future__ import annotations

from collections.abc import Sequence

from opwright.ascendc.dtypes import DTYPES
from opwright.ir import Operation, SSAValue
from opwright.ir.language import CastOp
from opwright.ir.names import name_of, set_name
from opwright.ir.tile_memory import AtomicOp, LoadOp, PutsTile, ReadOp
from opwright.ir.types import AddressType
from opwright.tile.compiler.buffers import Buffer, Buffers, Elements, LocalTile
from opwright.tile.compiler.elementwise import MOST, REPEAT, takes
from opwright.tile.compiler.layout import BLOCK
from opwright.tile.compiler.site import Number, number_of, refuse

MOST_PIECES = 4095  # of a copy


class Copies:
    """Adds copies."""

    def __init__(self, buffers: Buffers) -> None:
        self.buffers = buffers
        self.site = buffers.site
        self._tensors: dict[SSAValue, SSAValue] = {}

    def tensor(self, address: SSAValue) -> SSAValue:
        """The global tensor of an argument."""
        if address not in self._tensors:
            with self.buffers.at_start():
                self.site.before = self.buffers.tensors
                tensor = self.site.value("GlobalTensor")
                set_name(tensor, f"{name_of(address) or 'tensor'}_gm")
                self.site.call("GlobalTensor.set_global_buffer", tensor, address)
            self._tensors[address] = tensor
        return self._tensors[address]

    def load(self, operation: LoadOp, to: LocalTile) -> None:
        """Global memory to UB: a piece for each row, each padded to whole blocks."""
        site, layout, dtype = self.site, to.layout, to.buffer.dtype
        size = DTYPES[dtype].bytes
        self._refuse_rows(layout.sizes[0])
        source = self.part(operation.address, number_of(operation.offset))
        rows, length, gap = self._pieces(operation, operation.strides, layout.rows, layout.cols, to)
        right, skipped = self.padding(to)
        length, gap = site.times(length, size, "row_bytes"), site.times(gap, size, "gap")
        params = site.value("DataCopyExtParams", rows, length, gap, skipped, 0)
        pad = self.pad(dtype, right)
        with self.buffers.beginning(to.buffer):
            site.call("data_copy_pad", to.buffer.tensor, source, params, pad)
        self.remember(operation.offset, operation.strides, layout.sizes)

    def padding(self, to: LocalTile) -> tuple[Number, Number]:
        """The elements that a copy adds to each row up to the pitch, and the blocks that it leaves out behind it."""
        site, layout = self.site, to.layout
        per_block = BLOCK // DTYPES[to.buffer.dtype].bytes
        if not (layout.is_grid or layout.is_padded) or layout.granule <= per_block:
            return 0, 0
        # The row of a narrower type fills a block where this one fills two or four: the others are padding.
        right = site.minus(layout.pitch, site.up_to(layout.cols, per_block))
        if layout.granule <= 2 * per_block:
            return right, 0
        # More than a copy can pad: the padding is initialised once, and skipped.
        self.buffers.fill(to.buffer)
        return 0, site.whole(right, per_block)

    def pad(self, dtype: str, right: Number) -> SSAValue:
        """The parameters of a copy that adds elements to each row."""
        is_padded = not (isinstance(right, int) and right == 0)
        return self.site.value("DataCopyPadExtParams", DTYPES[dtype], is_padded, 0, right, 0)

    def store(self, operation: PutsTile, x: LocalTile) -> None:
        """UB to global memory."""
        site, layout = self.site, x.layout
        size = DTYPES[x.buffer.dtype].bytes
        counts = [number_of(count) for count in operation.counts]
        rows, cols = (1, 1, *counts)[-2:]
        self._refuse_rows(layout.sizes[0])
        rows, length, gap = self._pieces(operation, operation.strides, rows, cols, x)
        per_block = BLOCK // size
        skipped: Number = 0
        if layout.is_grid:
            skipped = site.whole(site.minus(layout.pitch, site.up_to(length, per_block)), per_block)
        target = self.part(operation.address, number_of(operation.offset))
        length, gap = site.times(length, size, "row_bytes"), site.times(gap, size, "gap")
        params = site.value("DataCopyExtParams", rows, length, skipped, gap, 0)
        site.call("data_copy_pad", target, x.buffer.tensor, params)
        self.remember(operation.offset, operation.strides, layout.sizes)

    def atomic(self, operation: AtomicOp, x: LocalTile) -> None:
        """UB to global memory, joined with what is there. The mode is set for this copy only."""
        name = f"set_atomic_{operation.operator.data}"
        dtype = x.buffer.dtype
        if not takes(name, dtype, self.site):
            refuse(self.site, f"tile.atomic_{operation.operator.data} of {dtype}")
        self.site.call(name, DTYPES[dtype])
        first = self.site.last()
        self.store(operation, x)
        self.buffers.atomics[self.site.last()] = operation.operator.data
        self.site.call("set_atomic_none")
        self.buffers.together[self.site.last()] = first

    def read(self, operation: ReadOp) -> None:
        """A number of global memory, read by the scalar unit."""
        found = self.site.value("GlobalTensor.get_value", self.tensor(operation.address), operation.offset)
        kind = operation.result.type
        if found.type != kind:
            found = self.site.add(CastOp(found, kind)).results[0]
        if name := name_of(operation.result):
            set_name(found, name)
        operation.result.replace_all_uses_with(found)

    def remember(self, offset: SSAValue, strides: Sequence[SSAValue], sizes: tuple[int, int]) -> None:
        """Which elements the last copy touches."""
        own = sizes[-len(strides) :] if strides else ()
        axes = tuple(zip(map(number_of, strides), own, strict=True))
        self.buffers.elements[self.site.last()] = Elements(offset, axes)

    def part(self, address: SSAValue, first: Number) -> SSAValue:
        """The global tensor of an argument, from an element on."""
        assert isinstance(address.type, AddressType)
        tensor = self.tensor(address)
        if isinstance(first, int) and first == 0:
            return tensor
        return self.site.value("GlobalTensor.__getitem__", tensor, first)

    def _pieces(
        self, operation: Operation, strides: object, rows: Number, cols: Number, tile: LocalTile
    ) -> tuple[Number, Number, Number]:
        """How many pieces there are, their length, and how far apart they are in global memory, in elements."""
        steps = [number_of(one) for one in strides]  # type: ignore[attr-defined]
        last = steps[-1] if steps else 1
        is_dense = isinstance(last, int) and last == 1
        if tile.layout.sizes == (1, 1):
            return rows, cols, 0
        if not is_dense or (tile.layout.is_column and len(steps) == 2):
            refuse(self.site, "a load or store of elements that lie apart in memory")
        if tile.layout.is_grid:
            self.test_rows(steps[0])
            return rows, cols, self.site.most(self.site.minus(steps[0], cols), 0)
        return rows, cols, 0

    def test_rows(self, stride: Number, most: int = 0) -> None:
        """Rows of a copy must not overlap, and lie `most` elements apart: the host tests the strides of arguments."""
        name = name_of(stride) if isinstance(stride, SSAValue) else None
        tensor, _, axis = (name or "").rpartition("_stride")
        if tensor and axis.isdecimal():
            self.buffers.tests.append([self.site.mark, "rows", tensor, int(axis)])
            if most:
                self.buffers.tests.append([self.site.mark, "near", tensor, int(axis), most])

    def move(self, to: Buffer, source: LocalTile) -> None:
        """A copy from buffer to buffer of what is there, which `coalesce` takes out if it can."""
        site = self.site
        lanes = REPEAT // DTYPES[to.dtype].bytes
        count, most = source.layout.extent(site), source.layout.elements
        params = site.value("CopyRepeatParams", 1, 1, 8, 8)
        self._refuse_long(most, lanes)
        whole, rest = site.whole(count, lanes, "repeats"), site.rest(count, lanes, "tail")

        def call(offset: Number, mask: Number, repeats: Number) -> None:
            parts = self.buffers.part(to, offset), self.buffers.part(source.buffer, offset)
            site.call("copy", *parts, mask, repeats, params)
            self.buffers.allow_over(source.buffer)
            self.buffers.moves.append((site.last(), to, source.buffer))

        with self.buffers.beginning(to), self.buffers.as_one():
            if most <= lanes:
                call(0, count, 1)
                return
            call(0, lanes, whole)
            if not (isinstance(rest, int) and rest == 0):
                call(site.times(whole, lanes, "tail_begin"), rest, 1)

    def _refuse_rows(self, most: int) -> None:
        if most > MOST_PIECES:
            refuse(self.site, f"a copy of more than {MOST_PIECES} rows")

    def _refuse_long(self, most: int, lanes: int) -> None:
        if most // lanes > MOST:
            refuse(self.site, f"a copy within UB of a tile of more than {MOST * lanes} elements")
