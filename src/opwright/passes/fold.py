"""Computes on constants, picks the sides of branches that are decided, and drops what nothing uses.

In: any IR. Out: the same results: an int wraps at 64 bits, a float is rounded to float32 at each step. What would stop
the core or has no meaning in C++, such as a division by zero, stays as it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress

from opwright.ascendc.arithmetic import MEANING
from opwright.ascendc.dtypes import DTYPES
from opwright.ir import Attribute, Block, Operation, SSAValue, VerifyException
from opwright.ir.language import (
    BinaryOp,
    CastOp,
    CompareOp,
    ConstantOp,
    IfOp,
    LogicalOp,
    SelectOp,
    TruncDivOp,
    UnaryOp,
    constant_of,
)
from opwright.ir.rewriting import (
    blocks_of,
    erase,
    erase_nested,
    is_used,
    replace,
    replace_by_value,
    unwrap,
)
from opwright.ir.traits import is_jump, is_removable
from opwright.ir.types import BOOL, FLOAT, INT, ScalarType, float32, wrapped

AFTER = ("simplify",)

_Number = int | float


def run(root: Operation) -> None:
    """Folds everything below `root`."""
    for block in blocks_of(root):
        _fold_block(block)
        _drop_dead(block)


def check(root: Operation) -> None:
    """Raises VerifyException if a constant decides something, or nothing uses a value."""
    for operation in root.walk():
        if not is_used(operation) and is_removable(operation):
            raise VerifyException(f"nothing uses the result of {operation}")
        if isinstance(operation, (IfOp, SelectOp)) and constant_of(operation.condition) is not None:
            raise VerifyException(f"a constant decides {operation}")
        if isinstance(operation, LogicalOp) and None not in (constant_of(operation.left), constant_of(operation.right)):
            raise VerifyException(f"constants decide {operation}")


def _fold_block(block: Block) -> None:
    for operation in list(block.ops):
        if operation.parent is not block:
            continue  # it stood behind a break that is always taken
        for inner in blocks_of(operation):
            _fold_block(inner)
        fold = _FOLD.get(type(operation))
        if fold is not None:
            fold(operation)


def _known(value: SSAValue) -> _Number | None:
    """The number of a constant, in the types in which a kernel computes."""
    number = constant_of(value)
    return number if number is not None and value.type in (INT, FLOAT, BOOL) else None


def _held(number: _Number, kind: Attribute) -> _Number:
    """What a value of such a type holds of a result."""
    if kind == FLOAT:
        return float32(number)
    return int(bool(number)) if kind == BOOL else wrapped(int(number))


def _replace(operation: Operation, number: _Number) -> None:
    kind = operation.results[0].type
    assert isinstance(kind, ScalarType)
    replace(operation, ConstantOp(number, kind))


def _fold_two(operation: BinaryOp | TruncDivOp | CompareOp) -> None:
    left, right = _known(operation.left), _known(operation.right)
    name = operation.operator.data
    if left is None or right is None or (name in ("shl", "shr") and not 0 <= right <= 63):
        return
    with suppress(ZeroDivisionError):
        _replace(operation, _held(MEANING[name](left, right), operation.result.type))


def _fold_one(operation: UnaryOp) -> None:
    value = _known(operation.value)
    if value is not None:
        _replace(operation, _held(MEANING[operation.operator.data](value), operation.result.type))


def _fold_cast(operation: CastOp) -> None:
    value = _known(operation.value)
    kind = operation.result.type
    if value is None:
        return
    if kind == BOOL:
        _replace(operation, value != 0)
        return
    element = DTYPES[kind.dtype.data]
    if not element.is_int():
        _replace(operation, float32(value) if isinstance(value, int) else value)
    elif isinstance(value, int):
        _replace(operation, wrapped(value, element.name))
    elif math.isfinite(value) and element.limits[0] <= int(value) <= element.limits[1]:
        # C++ leaves the rest undefined.
        _replace(operation, int(value))


def _fold_logical(operation: LogicalOp) -> None:
    decided = int(operation.operator.data == "or")
    for side, other in ((operation.left, operation.right), (operation.right, operation.left)):
        number = constant_of(side)
        if number is not None:
            replace_by_value(operation, side if number == decided else other)
            return


def _fold_select(operation: SelectOp) -> None:
    condition = constant_of(operation.condition)
    if condition is not None:
        replace_by_value(operation, operation.left if condition else operation.right)


def _fold_branch(branch: IfOp) -> None:
    condition = constant_of(branch.condition)
    block = branch.parent
    if condition is None or block is None:
        return
    side = branch.then.block if condition else branch.orelse.block
    last = side.last_op
    unwrap(branch, side)
    if last is not None and is_jump(last):
        # Nothing behind it can be reached.
        while block.last_op is not None and block.last_op is not last:
            erase_nested(block.last_op)


_FOLD: dict[type[Operation], Callable[..., None]] = {
    BinaryOp: _fold_two,
    TruncDivOp: _fold_two,
    CompareOp: _fold_two,
    UnaryOp: _fold_one,
    CastOp: _fold_cast,
    LogicalOp: _fold_logical,
    SelectOp: _fold_select,
    IfOp: _fold_branch,
}


def _drop_dead(block: Block) -> None:
    """Drops what nothing uses, last operations first, and branches with nothing in them."""
    for operation in reversed(list(block.ops)):
        if operation.parent is not block:
            continue
        for inner in blocks_of(operation):
            _drop_dead(inner)
        empty = isinstance(operation, IfOp) and not any(inner.ops for inner in blocks_of(operation))
        if empty or (not is_used(operation) and is_removable(operation)):
            erase(operation)
