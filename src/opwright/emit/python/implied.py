"""What Python means without words: the tests that the front end adds to a division, a shift, an index, a conversion.

In: a function of the IR. Out: the operations of such tests, which no line of Python stands for, and the operations that
they belong to. A test without the operation it belongs to is the author's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from opwright.ir import Block, Operation, SSAValue
from opwright.ir.aggregates import ElementOp
from opwright.ir.calls import trap_reason
from opwright.ir.language import (
    BinaryOp,
    CastOp,
    CompareOp,
    ConstantOp,
    ForOp,
    IfOp,
    LogicalOp,
    TripCountOp,
    TruncDivOp,
    UnaryOp,
)
from opwright.ir.traits import may_write
from opwright.ir.types import FLOAT

_DIVISIONS = ("div", "floordiv", "mod")
_PARTS = (CompareOp, LogicalOp, UnaryOp, ConstantOp, CastOp)


def reason_of(block: Block) -> str | None:
    """Why a block stops the core, if that is all it does; "" if it does not say."""
    return trap_reason(block.first_op) if block.first_op is block.last_op else None


def root(value: SSAValue) -> SSAValue:
    """What a number was before it was converted."""
    while isinstance(value.owner, CastOp):
        value = value.owner.value
    return value


def _tested(condition: SSAValue) -> Iterator[SSAValue]:
    """The numbers that a condition compares with constants."""
    made = condition.owner
    if isinstance(made, CompareOp):
        yield root(made.left)
    elif isinstance(made, (LogicalOp, UnaryOp)):
        for operand in made.operands:
            yield from _tested(operand)


def _divides(operation: Operation) -> SSAValue | None:
    is_division = isinstance(operation, (BinaryOp, TruncDivOp)) and operation.operator.data in _DIVISIONS
    return operation.right if is_division else None  # type: ignore[attr-defined]


def _shifts(operation: Operation) -> SSAValue | None:
    return operation.right if isinstance(operation, BinaryOp) and operation.operator.data in ("shl", "shr") else None


def _converts(operation: Operation) -> SSAValue | None:
    is_int = isinstance(operation, CastOp) and operation.value.type == FLOAT and operation.result.type != FLOAT
    return operation.value if is_int else None  # type: ignore[attr-defined]


def _steps(operation: Operation) -> SSAValue | None:
    return operation.step if isinstance(operation, TripCountOp) else None


def _indexes(operation: Operation) -> SSAValue | None:
    return operation.index if isinstance(operation, ElementOp) else None


# How a reason of the front end begins, and what of an operation such a test is about.
_ABOUT: dict[str, Callable[[Operation], SSAValue | None]] = {
    "division by zero": _divides,
    "a shift by an amount outside of 0 to 63": _shifts,
    "int() of a float that no 64-bit integer can hold": _converts,
    "the step of a range is 0": _steps,
    "index outside of an array of ": _indexes,
}


def _owner(stop: IfOp) -> Operation | None:
    """The operation that a stop belongs to."""
    reason = None if stop.orelse.block.ops else reason_of(stop.then.block)
    about = next((about for text, about in _ABOUT.items() if reason and reason.startswith(text)), None)
    if about is None:
        return None
    tested = list(_tested(stop.condition))
    current = stop.next_op
    while current is not None and not current.regions and not may_write(current):
        value = about(current)
        if value is not None and root(value) in tested:
            return current
        current = current.next_op
    return None


def index_by_steps(loop: ForOp) -> BinaryOp | None:
    """The variable of a loop that counts its iterations of a step known at run time only: start + i * step."""
    counted, product = loop.stop.owner, loop.body.block.first_op
    total = product.next_op if product is not None else None
    if not isinstance(counted, TripCountOp) or not isinstance(product, BinaryOp) or not isinstance(total, BinaryOp):
        return None
    is_product = product.operator.data == "mul" and product.left is loop.body.block.args[0]
    is_total = total.operator.data == "add" and total.left is counted.start and total.right is product.result
    return total if is_product and product.right is counted.step and is_total else None


class Implied:
    """The tests of one function."""

    def __init__(self, root: Operation) -> None:
        self.gone: set[Operation] = set()
        self.tested: set[Operation] = set()  # operations that come with a test
        for operation in root.walk():
            if isinstance(operation, IfOp) and (owner := _owner(operation)) is not None:
                self.tested.add(owner)
                self.gone.add(operation)
                self._drop(operation.condition)
            elif isinstance(operation, ForOp) and (index := index_by_steps(operation)) is not None:
                self.gone |= {index, index.prev_op}  # type: ignore[arg-type]

    def _drop(self, value: SSAValue) -> None:
        """Drops a part of a test that nothing else uses."""
        made = value.owner
        if (
            isinstance(made, _PARTS)
            and made not in self.tested
            and all(use.operation in self.gone for use in value.uses)
        ):
            self.gone.add(made)
            for operand in made.operands:
                self._drop(operand)
