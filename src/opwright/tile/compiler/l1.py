"""Factors of products on their way from global memory to L1.

In: loads that only `dot` reads. Out: `data_copy` with `Nd2NzParams`, which makes columns of fractals of rows, and a
`Factor` for each load. Refuses elements that lie apart in memory, and a factor that products want in two layouts.

Element (r, c) lies in the block of 32 bytes with number c // C0 * height + r, where C0 elements fill a block. Where
32-bit elements are transposed on their way to L0, which takes squares of 16 x 16, sixteen rows at a time are a matrix
of their own (not on ascend950). What pads the last fractals of rows is not initialised: products leave it out.
"""

from __future__ import annotations

from dataclasses import dataclass

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.socs import A2
from opwright.ir import SSAValue
from opwright.ir.names import name_of
from opwright.ir.tile import DotOp, TransposeOp, type_of
from opwright.ir.tile_memory import LoadOp
from opwright.tile.compiler.buffers import L1, Buffer, Buffers
from opwright.tile.compiler.copies import Copies
from opwright.tile.compiler.layout import BLOCK
from opwright.tile.compiler.site import Number, number_of, refuse

SIDE = 16  # rows of a fractal
MOST_SIDE = 4095  # of a product
MOST_PITCH = 65535  # elements from row to row that a copy takes


@dataclass(frozen=True)
class Use:
    """How a product takes a factor: from the left or the right; with its rows along k, or its columns."""

    is_left: bool
    has_rows_along_k: bool


@dataclass(frozen=True)
class Factor:
    """A matrix in L1, with its rows and columns as they lie in global memory."""

    buffer: Buffer
    sizes: tuple[int, int]
    are_squares: bool

    @property
    def bytes(self) -> int:
        """Of an element."""
        return DTYPES[self.buffer.dtype].bytes

    @property
    def height(self) -> int:
        """Rows, with those that pad the last fractals."""
        return padded(self.sizes[0], self.bytes)

    @property
    def width(self) -> int:
        """Columns, with those that pad."""
        return padded(self.sizes[1], self.bytes)


def padded(size: int, element: int) -> int:
    """A size in whole fractals, and in whole squares where such elements are transposed."""
    unit = max(SIDE, BLOCK // element)
    return -(-size // unit) * unit


def use_of(value: SSAValue, is_left: bool) -> Use:
    """How a product takes a tile, transposed or not."""
    return Use(is_left, is_left == isinstance(value.owner, TransposeOp))


def uses_of(load: LoadOp) -> set[Use]:
    """How products take a factor."""
    found = set()
    for use in load.result.uses:
        if isinstance(use.operation, DotOp):
            found.add(Use(use.index == 0, use.index == 1))
        else:
            assert isinstance(use.operation, TransposeOp)
            found |= {Use(one.index == 0, one.index == 0) for one in use.operation.result.uses}
    return found


class Factors:
    """Adds copies to L1."""

    def __init__(self, buffers: Buffers, copies: Copies) -> None:
        self.buffers = buffers
        self.copies = copies
        self.site = buffers.site
        self.found: dict[SSAValue, Factor] = {}

    def of(self, value: SSAValue) -> Factor:
        """The factor that a product takes, transposed or not."""
        return self.found[value.owner.x if isinstance(value.owner, TransposeOp) else value]

    def load(self, operation: LoadOp) -> None:
        """A factor to L1."""
        site, kind = self.site, type_of(operation.result)
        dtype, uses = kind.dtype.data, uses_of(operation)
        element = DTYPES[dtype].bytes
        sizes = (kind.sizes[0], kind.sizes[1])
        rows, columns = (number_of(count) for count in operation.counts)
        stride = self._stride(operation)
        if max(sizes) > MOST_SIDE:
            refuse(site, f"a product of more than {MOST_SIDE} rows or columns")
        squares = {element == 4 and site.soc.name in A2 and use.has_rows_along_k for use in uses}
        if len(squares) > 1:
            refuse(site, "a float32 tile that products take transposed and not; load it twice:")
        name = name_of(operation.result)
        elements = padded(sizes[0], element) * padded(sizes[1], element)
        buffer = self.buffers.new(
            dtype, elements, name or f"{name_of(operation.address)}_tile", named=bool(name), memory=L1
        )
        factor = Factor(buffer, sizes, squares.pop())
        self.found[operation.result] = factor
        source = self.copies.part(operation.address, number_of(operation.offset))
        if factor.are_squares:
            self._squares(factor, source, rows, columns, stride)
        else:
            # A product of one row takes it without fractals: it gets the row twice instead, and leaves out the second.
            is_doubled = Use(is_left=True, has_rows_along_k=False) in uses and rows_may_be_one(rows)
            copies = site.most(site.minus(3, rows), 1, "copies") if is_doubled else 1
            apart = BLOCK // element if is_doubled else 0
            params = site.value("Nd2NzParams", copies, rows, columns, 0, stride, factor.height, 1, apart)
            with self.buffers.beginning(buffer):
                site.call("data_copy", buffer.tensor, source, params)
        self.copies.remember(operation.offset, operation.strides, sizes)

    def _squares(self, factor: Factor, source: SSAValue, rows: Number, columns: Number, stride: Number) -> None:
        """Sixteen rows at a time, each a matrix of its own."""
        site, buffers = self.site, self.buffers
        with buffers.beginning(factor.buffer):
            loop, first = site.loop(0, rows, SIDE, "row")
            params = site.value(
                "Nd2NzParams", 1, site.least(SIDE, site.minus(rows, first)), columns, 0, stride, SIDE, 1, 0
            )
            to = buffers.part(factor.buffer, site.times(first, factor.width))
            part = site.value("GlobalTensor.__getitem__", source, site.times(first, stride))
            site.call("data_copy", to, part, params)
            site.leave(loop)

    def _stride(self, operation: LoadOp) -> Number:
        """Elements from row to row."""
        row, column = (number_of(one) for one in operation.strides)
        if not (isinstance(column, int) and column == 1):
            refuse(self.site, "a load of elements that lie apart in memory")
        self.copies.test_rows(row, MOST_PITCH)
        return row


def rows_may_be_one(rows: Number) -> bool:
    """Whether a number of rows may be 1."""
    return not isinstance(rows, int) or rows == 1
