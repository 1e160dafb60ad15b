"""Where the back end adds operations to the IR of a kernel.

In: operations. Out: the same in a block, before another operation or at its end, each with the author's line.
"""

from __future__ import annotations

from opwright.errors import Location
from opwright.ir import Block, Operation, SSAValue, StringAttr
from opwright.ir.language import At, ConstantOp, ForOp
from opwright.ir.types import FLOAT, INT, float32
from opwright.kernel.source import Source


def located(operation: Operation, source: Source) -> Location:
    """The author's place of an operation."""
    line, column = map(int, At.of(operation).split(":"))
    return source.locate(line, column)


class Cursor:
    """A place before an operation, or at the end of a block."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.block: Block | None = None
        self.before: Operation | None = None
        self.mark = ""

    def move_before(self, operation: Operation) -> None:
        """Adds before an operation from here on, as if the author had written it there."""
        self.block, self.before, self.mark = operation.parent, operation, At.of(operation)

    def move_behind(self, operation: Operation) -> None:
        """Adds behind an operation from here on."""
        self.block, self.before = operation.parent, operation.next_op
        self.mark = At.of(operation) or self.mark

    def move_into(self, block: Block) -> None:
        """Adds at the end of a block from here on."""
        self.block, self.before = block, None

    @property
    def at(self) -> Location:
        """The author's place."""
        line, _, column = self.mark.partition(":")
        return self.source.locate(int(line or 1), int(column or 0))

    def add(self, operation: Operation) -> Operation:
        """Adds an operation here."""
        assert self.block is not None
        operation.attributes["at"] = StringAttr(self.mark)
        if self.before is None:
            self.block.add_op(operation)
        else:
            self.block.insert_op_before(operation, self.before)
        return operation

    def last(self) -> Operation:
        """The operation that was added last here."""
        assert self.block is not None
        last = self.block.last_op if self.before is None else self.before.prev_op
        assert last is not None
        return last

    def constant(self, number: float) -> SSAValue:
        """A number known now, as a value."""
        kind = FLOAT if isinstance(number, float) else INT
        return self.add(ConstantOp(float32(number) if kind == FLOAT else number, kind)).results[0]

    def loop(self, first: int | SSAValue, last: int | SSAValue, step: int, name: str) -> tuple[ForOp, SSAValue]:
        """A counted loop; what comes next is added to its body, until `leave`."""
        bounds = [self.constant(one) if isinstance(one, int) else one for one in (first, last)]
        operation = ForOp(bounds[0], bounds[1], step, name, Block(arg_types=[INT]))
        self.add(operation)
        self.move_into(operation.body.block)
        return operation, operation.body.block.args[0]

    def leave(self, loop: Operation) -> None:
        """Goes on behind a loop."""
        mark = self.mark
        self.move_behind(loop)
        self.mark = mark
