"""Moves out of a loop what is the same in every iteration.

In: any IR. Out: the same results. Only scalar expressions move that cannot stop the core and read no variable that the
loop sets, so nothing changes if the loop has no iteration. An expression moves as a whole, and only if it has a
product, a division or a call in it: the rest is cheaper to read where it stands.
"""

from __future__ import annotations

from opwright.ir import Operation, SSAValue, VerifyException
from opwright.ir.language import ConstantOp, LoadOp, VariableOp
from opwright.ir.names import ATTRIBUTE
from opwright.ir.rewriting import blocks_of, is_within, move_before
from opwright.ir.traits import (
    READ,
    effects_of,
    has_effects_of_regions,
    is_costly,
    is_loop,
    is_speculatable,
    may_set,
)
from opwright.ir.types import CellType, ScalarType

AFTER = ("simplify", "fold")


def run(root: Operation) -> None:
    """Hoists in every loop below `root`, inner loops first, so that a value leaves as many as it can."""
    for loop in reversed([operation for operation in root.walk() if is_loop(operation)]):
        _Hoisting(loop).run()


def check(root: Operation) -> None:
    """Raises VerifyException if a loop has more to move."""
    for loop in root.walk():
        if is_loop(loop) and (left := _Hoisting(loop).moving()):
            raise VerifyException(f"{left.pop()} is the same in every iteration")


class _Hoisting:
    """One loop."""

    def __init__(self, loop: Operation) -> None:
        self.loop = loop
        self.cells_set = {cell for inner in loop.walk() for cell in _cells_set(inner)}
        self.same: dict[Operation, bool] = {}  # what is the same in every iteration -> whether that is worth a line

    def run(self) -> None:
        """Moves what is worth it before the loop, in the order in which it stands."""
        moving = self.moving()
        for operation in self.same:
            if operation in moving:
                self.move(operation, moving)

    def moving(self) -> set[Operation]:
        """What is worth to be moved."""
        for block in blocks_of(self.loop):
            for operation in block.ops:
                if self.is_same(operation):
                    self.same[operation] = is_costly(operation) or self.has_worthy_part(operation)
        moving: set[Operation] = set()
        for operation, worth in reversed(self.same.items()):
            users = _users(operation)
            if (worth and not users <= self.same.keys()) or users & moving:
                moving.add(operation)
        return moving

    def has_worthy_part(self, operation: Operation) -> bool:
        """Whether an operation uses one of this loop that is worth a line."""
        makers = [operand.owner for operand in operation.operands]
        return any(self.same.get(maker, False) for maker in makers if isinstance(maker, Operation))

    def is_same(self, operation: Operation) -> bool:
        """Whether an operation has one scalar for all iterations, and may be computed before the first."""
        if not all(isinstance(value.type, (ScalarType, CellType)) for value in operation.operands):
            return False
        if not (operation.results and all(isinstance(result.type, ScalarType) for result in operation.results)):
            return False
        return (
            is_speculatable(operation)
            and self.reads_nothing_set(operation)
            and all(operand.owner in self.same or not is_within(operand, self.loop) for operand in operation.operands)
        )

    def reads_nothing_set(self, operation: Operation) -> bool:
        """Whether all that an operation does is to read variables that the loop does not set."""
        effects = effects_of(operation)
        return effects is not None and all(
            effect.kind is READ and effect.value not in self.cells_set and _is_variable(effect.value)
            for effect in effects
        )

    def move(self, operation: Operation, moving: set[Operation]) -> None:
        """Puts an operation before the loop. A constant or a variable is read anew where others read it too."""
        if isinstance(operation, (ConstantOp, LoadOp)) and not _users(operation) <= moving:
            copy = operation.clone()
            copy.attributes.pop(ATTRIBUTE, None)
            for use in list(operation.result.uses):
                if use.operation in moving:
                    use.operation.operands[use.index] = copy.results[0]
            operation = copy
        move_before(self.loop, operation)


def _users(operation: Operation) -> set[Operation]:
    return {use.operation for result in operation.results for use in result.uses}


def _cells_set(operation: Operation) -> list[SSAValue]:
    """The variables that an operation itself may set."""
    if has_effects_of_regions(operation):
        return []
    return [one for one in operation.operands if isinstance(one.type, CellType) and may_set(operation, one)]


def _is_variable(value: object) -> bool:
    """Whether a cell is a variable: a field or an element may be set under another name, or by a helper."""
    return isinstance(value, SSAValue) and isinstance(value.owner, VariableOp)
