"""Moves out of a loop what is the same in every turn.

In: any IR. Out: the same results. Only scalar expressions move that cannot stop the core and read no variable that the
loop sets, so nothing changes if the loop has no turn. An expression moves as a whole, and only if it has a product, a
division or a call in it: the rest is cheaper to read where it stands.
"""

from __future__ import annotations

from opwright.ascendc.dtypes import DTYPES
from opwright.ir import Operation
from opwright.ir.calls import CallOp
from opwright.ir.language import (
    BinaryOp,
    CastOp,
    CompareOp,
    ConstantOp,
    ForOp,
    LoadOp,
    LogicalOp,
    SelectOp,
    StoreOp,
    TruncDivOp,
    UnaryOp,
    VariableOp,
    WhileOp,
)
from opwright.ir.names import ATTRIBUTE
from opwright.ir.rewriting import blocks_of, constant_of, is_within, move_before
from opwright.ir.types import FLOAT, ScalarType

AFTER = ("simplify", "fold")

_SAFE = (ConstantOp, CompareOp, LogicalOp, SelectOp, UnaryOp)


def run(root: Operation) -> None:
    """Hoists in every loop below `root`, inner loops first, so that a value leaves as many as it can."""
    loops = [operation for operation in root.walk() if isinstance(operation, (ForOp, WhileOp))]
    for loop in reversed(loops):
        _Hoisting(loop).run()


class _Hoisting:
    """One loop."""

    def __init__(self, loop: ForOp | WhileOp) -> None:
        self.loop = loop
        self.cells_set = {inner.cell for inner in loop.walk() if isinstance(inner, StoreOp)}
        self.same: dict[Operation, bool] = {}  # what is the same in every turn -> whether that is worth a line

    def run(self) -> None:
        """Moves what is worth it before the loop, in the order in which it stands."""
        for block in blocks_of(self.loop):
            for operation in block.ops:
                if self.is_same(operation):
                    self.same[operation] = _is_worth(operation) or self.has_worthy_part(operation)
        moving: set[Operation] = set()
        for operation, worth in reversed(self.same.items()):
            users = _users(operation)
            if (worth and not users <= self.same.keys()) or users & moving:
                moving.add(operation)
        for operation in self.same:
            if operation in moving:
                self.move(operation, moving)

    def has_worthy_part(self, operation: Operation) -> bool:
        """Whether an operation uses one of this loop that is worth a line."""
        makers = [operand.owner for operand in operation.operands]
        return any(self.same.get(maker, False) for maker in makers if isinstance(maker, Operation))

    def is_same(self, operation: Operation) -> bool:
        """Whether an operation has one result for all turns, and may be computed before the first."""
        if isinstance(operation, LoadOp) and operation.cell in self.cells_set:
            return False
        return _is_safe(operation) and all(
            operand.owner in self.same or not is_within(operand, self.loop) for operand in operation.operands
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


def _is_safe(operation: Operation) -> bool:
    """Whether an operation gives a scalar and nothing else, whatever its operands are."""
    match operation:
        case BinaryOp() | TruncDivOp():
            name, right = operation.operator.data, constant_of(operation.right)
            if name in ("shl", "shr"):
                return right is not None  # another amount comes behind a test of its own
            return name not in ("floordiv", "mod") or right not in (None, 0)
        case CastOp():
            # int(x) of a float comes behind a test of its own.
            return operation.value.type != FLOAT or not _is_int(operation.result.type)
        case CallOp():
            values = (*operation.operands, *operation.results)
            return operation.row.effect == "value" and all(isinstance(value.type, ScalarType) for value in values)
        case LoadOp():
            # A field or an element may be set under another name, or by a helper.
            return isinstance(operation.result.type, ScalarType) and isinstance(operation.cell.owner, VariableOp)
    return isinstance(operation, _SAFE)


def _is_int(kind: ScalarType) -> bool:
    name = kind.dtype.data
    return name in DTYPES and DTYPES[name].is_int()


def _is_worth(operation: Operation) -> bool:
    """Whether computing it once saves more than it costs to read one more line."""
    if isinstance(operation, BinaryOp):
        return operation.operator.data in ("mul", "div", "floordiv", "mod")
    if isinstance(operation, CallOp):
        return not operation.row.fields  # a variable is as cheap as any name
    return isinstance(operation, TruncDivOp)
