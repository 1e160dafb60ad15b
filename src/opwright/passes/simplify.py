"""Simplifies index maths: x + 0, x * 1, x * 0, sums and products of constants, division of what is not negative.

In: any IR. Out: the same results for every operand: integers wrap, so an identity must hold modulo 2**64. Of floats
only x * 1.0 and x / 1.0 go: x + 0.0 turns -0.0 into 0.0. A sum that the author named, or that is used twice, stays.
"""

from __future__ import annotations

from opwright.ir import Block, Operation, SSAValue, VerifyException
from opwright.ir.bounds import bounds_of
from opwright.ir.calls import CallOp
from opwright.ir.language import BinaryOp, CastOp, ConstantOp, ForOp, LoadOp, SelectOp, StoreOp, TruncDivOp, constant_of
from opwright.ir.names import name_of
from opwright.ir.rewriting import erase, insert_before, replace, replace_by_value
from opwright.ir.traits import may_set
from opwright.ir.types import BOOL, FLOAT, INT, wrapped

_LOWEST = -(1 << 63)


def run(root: Operation) -> None:
    """Simplifies everything below `root`."""
    nonnegative: set[SSAValue] = set()  # values that are certainly not below zero
    for operation in list(root.walk()):
        if operation.results:
            result: SSAValue = operation.results[0]
            if isinstance(operation, (BinaryOp, TruncDivOp)):
                result = _simplified(operation, nonnegative)
            is_int = result.type == INT
            if _is_nonnegative(result.owner, nonnegative) or (is_int and bounds_of(result)[0] >= 0):
                nonnegative.add(result)
        elif isinstance(operation, StoreOp):
            if _is_what_it_holds(operation):
                erase(operation)
        elif isinstance(operation, ForOp) and operation.step.data > 0 and operation.start in nonnegative:
            nonnegative.add(operation.body.block.args[0])


def check(root: Operation) -> None:
    """Raises VerifyException if a result is an operand, or 0 whatever the operands are."""
    for operation in root.walk():
        if isinstance(operation, (BinaryOp, TruncDivOp)) and operation.result.type in (INT, FLOAT):
            is_zero = operation.result.type == INT and _is_zero(operation)
            if is_zero or _as_operand(operation) is not None:
                raise VerifyException(f"nothing needs {operation}")


def _simplified(operation: BinaryOp | TruncDivOp, nonnegative: set[SSAValue]) -> SSAValue:
    """Rewrites one operation; what its result is now."""
    kind = operation.result.type
    if kind == INT and isinstance(operation, BinaryOp):
        operation = _combined(operation)
    value = _as_operand(operation) if kind in (INT, FLOAT) else None
    if value is not None:
        replace_by_value(operation, value)
        return value
    new: ConstantOp | TruncDivOp | None = None
    name, left, right = operation.operator.data, operation.left, operation.right
    if kind == INT and _is_zero(operation):
        new = ConstantOp(0, INT)
    elif isinstance(operation, BinaryOp) and name in ("floordiv", "mod") and {left, right} <= nonnegative:
        # Neither division has a meaning for a divisor of zero: the kernel stops before.
        new = TruncDivOp(name, left, right)
    if new is None:
        return operation.result
    replace(operation, new)
    return new.result


def _is_what_it_holds(store: StoreOp) -> bool:
    """Whether a variable is set to what it holds, as `n += 0` leaves behind."""
    load = store.value.owner
    if not isinstance(load, LoadOp) or load.cell is not store.cell or load.parent is not store.parent:
        return False
    sets = {use.operation for use in store.cell.uses if may_set(use.operation, store.cell)}
    between = load.next_op
    while between is not None and between is not store:
        if not sets.isdisjoint(between.walk()):
            return False
        between = between.next_op
    return True


def _as_operand(operation: BinaryOp | TruncDivOp) -> SSAValue | None:
    """The operand that is the result: x + 0, 0 + x, x - 0 of integers; x * 1, 1 * x, x // 1, and x / 1.0 of floats."""
    left, right = constant_of(operation.left), constant_of(operation.right)
    is_int = operation.result.type == INT
    match operation.operator.data:
        case "add" | "sub" if right == 0 and is_int:
            return operation.left
        case "add" if left == 0 and is_int:
            return operation.right
        case "mul" | "div" | "floordiv" if right == 1:
            return operation.left
        case "mul" if left == 1:
            return operation.right
    return None


def _is_zero(operation: BinaryOp | TruncDivOp) -> bool:
    """Whether the result is 0: x - x, x * 0, 0 * x, x % 1."""
    match operation.operator.data:
        case "sub":
            return operation.left is operation.right
        case "mul":
            return 0 in (constant_of(operation.left), constant_of(operation.right))
        case "mod":
            return constant_of(operation.right) == 1
    return False


def _combined(operation: BinaryOp) -> BinaryOp:
    """(x + a) + b, with any signs, as x + (a + b), and (x * a) * b as x * (a * b); anything else as it is."""
    outer = _with_constant(operation)
    if outer is None or not isinstance(outer[0].owner, BinaryOp) or name_of(outer[0]) or len(list(outer[0].uses)) > 1:
        return operation
    inner = _with_constant(outer[0].owner)
    if inner is None or (outer[1] == "mul") != (inner[1] == "mul"):
        return operation
    base, name, number = inner[0], outer[1], wrapped(inner[2] * outer[2] if outer[1] == "mul" else inner[2] + outer[2])
    if name == "add" and _LOWEST < number < 0:
        name, number = "sub", -number
    combined = BinaryOp(name, base, insert_before(operation, ConstantOp(number, INT)))
    replace(operation, combined)
    return combined


def _with_constant(operation: BinaryOp) -> tuple[SSAValue, str, int] | None:
    """What is added to or multiplied with a constant: the other operand, "add" or "mul", and the constant."""
    name, left, right = operation.operator.data, operation.left, operation.right
    if name in ("add", "mul") and constant_of(left) is not None:
        left, right = right, left
    number = constant_of(right)
    if name not in ("add", "sub", "mul") or number is None or constant_of(left) is not None:
        return None
    return (left, "add", -int(number)) if name == "sub" else (left, name, int(number))


def _is_nonnegative(operation: Operation | Block, known: set[SSAValue]) -> bool:
    """Whether the result is certainly not below zero. That of a sum or a product may wrap: `bounds_of` knows some."""
    match operation:
        case ConstantOp():
            return operation.number >= 0
        case CallOp():
            return operation.row.nonnegative
        case CastOp():
            return operation.value.type == BOOL
        case SelectOp():
            return operation.left in known and operation.right in known
        case TruncDivOp():
            return True
        case BinaryOp():
            sides = operation.left in known, operation.right in known
            return {
                "max": any(sides),
                "and": any(sides),
                "min": all(sides),
                "or": all(sides),
                "xor": all(sides),
                "floordiv": all(sides),
                "mod": sides[1],
                "shr": sides[0],
            }.get(operation.operator.data, False)
    return False
