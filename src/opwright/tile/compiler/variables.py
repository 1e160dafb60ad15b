"""Variables that hold tiles: a buffer each, and copies that set them.

In: variables of `py` whose content is a tile. Out: copies, most of which `coalesce` takes out.
"""

from __future__ import annotations

from opwright.ir import Operation
from opwright.ir import language as py
from opwright.ir.names import name_of
from opwright.ir.tile import CastOp, CountedOp, ReduceOp, TransposeOp, ViewOp
from opwright.tile.compiler.buffers import LocalTile
from opwright.tile.compiler.masks import Masks


class Variables(Masks):
    """Adds copies from and to variables."""

    def variable(self, operation: py.VariableOp) -> None:
        """A variable that holds tiles has a buffer of its own."""
        layout = self.layouts.of_cell(operation.cell)
        name = name_of(operation.cell)
        made = self.buffers.new(layout.dtype, layout.elements, name or "tile", bool(name))
        self.cells[operation.cell] = made
        if operation.initial is not None:
            self.copies.move(made, self.tile(operation.initial))

    def set_variable(self, operation: py.StoreOp) -> None:
        """Setting it is a copy."""
        self.copies.move(self.cells[operation.cell], self.tile(operation.value))

    def get_variable(self, operation: py.LoadOp) -> None:
        """Reading it is another name of its buffer, unless it is set before the last use of what was read."""
        self.buffers.of_tile[operation.result] = self.cells[operation.cell]

    def counted(self, operation: CountedOp) -> None:
        """What a variable holds, with its counts."""
        held = operation.x
        if not isinstance(held.owner, py.LoadOp) or not self._is_set_meanwhile(held.owner, operation):
            self.alias(operation, held)
            return
        kept = self.result(operation)
        source = LocalTile(self.buffers.of_tile[self.root(held)], kept.layout)
        self.copies.move(kept.buffer, source)

    def _is_set_meanwhile(self, load: py.LoadOp, counted: CountedOp) -> bool:
        """Whether a variable is set between reading it and the last use of what was read."""
        stores = [use.operation for use in load.cell.uses if isinstance(use.operation, py.StoreOp)]
        begin = self.order[load]
        waiting, last = [counted.result], begin
        while waiting:
            for use in waiting.pop().uses:
                last = max(last, self._end(use.operation, load))
                if isinstance(
                    use.operation, (ViewOp, CastOp, ReduceOp, TransposeOp)
                ):  # another name, if it changes nothing
                    waiting.append(use.operation.result)
        return any(begin < self.order[store] < last for store in stores)

    def _end(self, user: Operation, load: py.LoadOp) -> int:
        """Where a use ends: one in a loop that the load is not in, with the loop."""
        end = self.order[user]
        above = user.parent_op()
        while above is not None and not above.is_ancestor(load):
            end = max(end, max(self.order[one] for one in above.walk()))
            above = above.parent_op()
        return end
