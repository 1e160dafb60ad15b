"""Sums in L0C: which products, zeros and variables share a buffer, and when it is empty.

In: the operations of a kernel that cube cores do. Out: a `Sum` for each tile that is a product or holds some. Refuses
tiles that would need a copy within L0C: a sum that is used again after a product was added to it, or that two variables
hold; and products of different sizes that are added up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from opwright.ascendc.socs import A5
from opwright.ir import Operation, SSAValue
from opwright.ir import language as py
from opwright.ir.names import name_of, set_name
from opwright.ir.tile import CountedOp, DotOp, FullOp, counts_of, is_there, type_of
from opwright.ir.tile_memory import StoreOp
from opwright.ir.types import BOOL
from opwright.tile.compiler.buffers import L0C, Buffer, Buffers
from opwright.tile.compiler.fixpipe import stored_sum
from opwright.tile.compiler.l1 import padded, use_of
from opwright.tile.compiler.site import Number, number_of, refuse

SQUARE_OF_BYTES = 32  # rows and columns that a copy to L0 transposes


@dataclass(eq=False)
class Sum:
    """Sums in L0C. rows, columns: as products take them. is_empty: a variable, if zeros come into it, or a product of
    depth 0.

    factors: the buffers in L0A and L0B of its first product.
    """

    buffer: Buffer
    sizes: tuple[int, int]
    rows: Number
    columns: Number
    is_empty: SSAValue | None = None
    factors: list[Buffer] = field(default_factory=list)
    stored: Operation | None = None  # where it left last


class Sums:
    """The sums of one kernel."""

    def __init__(self, buffers: Buffers) -> None:
        self.buffers = buffers
        self.site = buffers.site
        self._of: dict[SSAValue, Sum] = {}  # by product, or by variable

    def of(self, value: SSAValue) -> Sum:
        """The sum of a tile."""
        return self._of[_holder(value)]

    def find(self, operations: Sequence[Operation]) -> None:
        """Gives every product its sum."""
        order = {operation: number for number, operation in enumerate(self.buffers.kernel.walk())}
        for operation in operations:
            if isinstance(operation, DotOp):
                self.site.move_before(operation)
                self._add(operation, order)
            elif isinstance(operation, StoreOp):
                self.site.move_before(operation)
                self._refuse_later(stored_sum(operation.tile)[0], operation, order)

    def _add(self, dot: DotOp, order: dict[Operation, int]) -> None:
        rows, columns = self._rows(dot), self._columns(dot)
        acc = dot.acc
        variable = self._variable(dot)
        if acc is not None and not isinstance(acc.owner, FullOp):
            self._refuse_later(acc, dot, order)
            holder = _holder(acc)
            if holder is not variable and not isinstance(acc.owner, DotOp):
                refuse(self.site, "a sum that stays what it was while a product is added to it")
            if isinstance(acc.owner, DotOp) and len(list(acc.uses)) > 1:
                refuse(self.site, "a sum that stays what it was while a product is added to it")
            known = self._of.get(holder)
            if known is not None and isinstance(acc.owner, DotOp):
                if variable is not None:
                    refuse(self.site, "a sum that a variable holds from its second product on")
                self._of[dot.result] = known
        known = self._of.get(variable) if variable is not None else self._of.get(dot.result)
        if known is None:
            known = self._new(dot, variable, rows, columns)
        if (known.rows, known.columns) != (rows, columns):
            refuse(self.site, "a sum of products of which different parts are there")
        self._of[dot.result] = known

    def _new(self, dot: DotOp, variable: SSAValue | None, rows: Number, columns: Number) -> Sum:
        kind = type_of(dot.result)
        sizes = (kind.sizes[0], kind.sizes[1])
        name = name_of(variable if variable is not None else dot.result)
        element = type_of(dot.a).dtype.data
        height, width = (padded(size, 1 if element == "int8" else 4) for size in sizes)
        buffer = self.buffers.new(kind.dtype.data, height * width, name or "sums", named=bool(name), memory=L0C)
        made = Sum(buffer, sizes, rows, columns)
        self._of[dot.result if variable is None else variable] = made
        return made

    def _rows(self, dot: DotOp) -> Number:
        """The rows of a product: never one, which it would take without fractals; of transposed bytes whole squares."""
        site, rows = self.site, number_of(counts_of(dot.a)[0])
        if _is_of_squares(dot.a, is_left=True) and site.soc.name in A5:
            return site.up_to(rows, SQUARE_OF_BYTES)
        if isinstance(rows, int):
            return max(rows, 2) if rows else 0
        least = site.most(rows, 2, "rows")
        return least if is_there(rows) else site.least(site.times(rows, 2), least)

    def _columns(self, dot: DotOp) -> Number:
        """The columns of a product: of transposed bytes whole squares, which the copy to L1 pads with zeros."""
        columns = number_of(counts_of(dot.b)[1])
        return self.site.up_to(columns, SQUARE_OF_BYTES, "columns") if _is_of_squares(dot.b, is_left=False) else columns

    def _variable(self, dot: DotOp) -> SSAValue | None:
        """The variable that a product is for."""
        stores = [use.operation for use in dot.result.uses if isinstance(use.operation, py.StoreOp)]
        starts = [use.operation for use in dot.result.uses if isinstance(use.operation, py.VariableOp)]
        if not stores and not starts:
            return None
        if len(list(dot.result.uses)) > 1:
            refuse(self.site, "a product that a variable holds and that is used by itself")
        return stores[0].cell if stores else starts[0].results[0]

    def _refuse_later(self, value: SSAValue, user: Operation, order: dict[Operation, int]) -> None:
        """Refuses the use of what a variable held before it was set again."""
        counted = value.owner
        load = counted.x.owner if isinstance(counted, CountedOp) else None
        if not isinstance(load, py.LoadOp):
            return
        begin, end = order[load], order[user]
        above = user.parent_op()
        while above is not None and not above.is_ancestor(load):
            end = max(order[one] for one in above.walk())
            above = above.parent_op()
        sets = [use.operation for use in load.cell.uses if isinstance(use.operation, py.StoreOp)]
        if any(begin < order[one] < end for one in sets):
            refuse(self.site, "a sum that is used after a product was added to it")

    # Whether a sum is empty: a variable of a truth value, where zeros come into it.

    def declare(self, operation: py.VariableOp) -> None:
        """A variable of sums. A product that it starts from may have said already whether it is empty."""
        found = self._of[operation.cell]
        starts_empty = operation.initial is None or isinstance(operation.initial.owner, FullOp)
        if starts_empty or found.is_empty is None:
            self._declare(found, starts_empty)

    def start(self, dot: DotOp) -> None:
        """A product of which nothing may be there: if it starts from 0, its sum is empty before it."""
        found = self.of(dot.result)
        if not self._starts_from_zero(dot):
            return
        if found.is_empty is None:
            self._declare(found, True)
        else:
            self._set(found, True)

    def _declare(self, found: Sum, is_empty: bool) -> None:
        truth = self.site.add(py.ConstantOp(is_empty, BOOL)).results[0]
        found.is_empty = self.site.add(py.VariableOp(truth, BOOL)).results[0]
        set_name(found.is_empty, f"{found.buffer.name}_is_empty")

    def empty(self, operation: py.StoreOp) -> None:
        """Zeros."""
        self._set(self._of[operation.cell], True)

    def fill(self, found: Sum, depth: Number, is_there: bool) -> None:
        """A product was added. One of depth 0 does nothing: it does not even write zeros."""
        if found.is_empty is None:
            return
        if is_there:
            self._set(found, False)
            return
        site = self.site
        before = site.add(py.LoadOp(found.is_empty)).results[0]
        deep = site.constant(depth) if isinstance(depth, int) else depth
        is_nothing = site.add(py.CompareOp("lt", deep, site.constant(1))).results[0]
        site.add(py.StoreOp(found.is_empty, site.add(py.LogicalOp("and", before, is_nothing)).results[0]))

    def _starts_from_zero(self, dot: DotOp) -> bool:
        return dot.acc is None or isinstance(dot.acc.owner, FullOp)

    def is_empty(self, dot: DotOp) -> bool | SSAValue:
        """Whether a product starts from 0."""
        if self._starts_from_zero(dot):
            return True
        found = self.of(dot.result)
        if found.is_empty is None:
            return False
        return self.site.add(py.LoadOp(found.is_empty)).results[0]

    def _set(self, found: Sum, is_empty: bool) -> None:
        assert found.is_empty is not None
        self.site.add(py.StoreOp(found.is_empty, self.site.add(py.ConstantOp(is_empty, BOOL)).results[0]))


def _is_of_squares(value: SSAValue, is_left: bool) -> bool:
    """Whether a factor of bytes is transposed on its way to L0."""
    return type_of(value).dtype.data == "int8" and use_of(value, is_left).has_rows_along_k


def _holder(value: SSAValue) -> SSAValue:
    """The variable that holds a sum, or the product that it is."""
    owner = value.owner
    while isinstance(owner, CountedOp):
        value, owner = owner.x, owner.x.owner
    return owner.cell if isinstance(owner, py.LoadOp) else value
