"""Simplifies index maths: x + 0, x * 1, x * 0, sums and products of constants, divisions of what is not negative.

In: any IR. Out: the same results for every operand: integers wrap, so an identity must hold modulo 2**64. Of floats
only x * 1.0 and x / 1.0 go: x + 0.0 turns -0.0 into 0.0. A sum that the author named, or that is used twice, stays.
"""

from __future__ import annotations

from collections.abc import Callable

from opwright.ir import Operation, SSAValue, VerifyException
from opwright.ir.bounds import Known, bounds_of, is_nonnegative
from opwright.ir.language import (
    BinaryOp,
    CompareOp,
    ConstantOp,
    LoadOp,
    SelectOp,
    StoreOp,
    TruncDivOp,
    UnaryOp,
    constant_of,
)
from opwright.ir.names import name_of
from opwright.ir.rewriting import erase, insert_before, replace, replace_by_value
from opwright.ir.traits import may_set
from opwright.ir.types import FLOAT, INT, wrapped

_LOWEST, _GREATEST = -(1 << 63), (1 << 63) - 1


def run(root: Operation) -> None:
    """Simplifies everything below `root`."""
    known: Known = {}
    for operation in list(root.walk()):
        simplify = _SIMPLIFY.get(type(operation))
        if simplify is not None:
            simplify(operation, known)


def check(root: Operation) -> None:
    """Raises VerifyException if a result is an operand, or 0 whatever the operands are."""
    for operation in root.walk():
        if isinstance(operation, (BinaryOp, TruncDivOp)) and operation.result.type in (INT, FLOAT):
            is_zero = operation.result.type == INT and _is_zero(operation)
            if is_zero or _as_operand(operation) is not None:
                raise VerifyException(f"nothing needs {operation}")


def _of_two(operation: BinaryOp | TruncDivOp, known: Known) -> None:
    """Rewrites one operation."""
    kind = operation.result.type
    if kind == INT and isinstance(operation, BinaryOp):
        operation = _combined(operation)
    value = _as_operand(operation) if kind in (INT, FLOAT) else None
    if value is not None:
        replace_by_value(operation, value)
        return
    new: ConstantOp | TruncDivOp | None = None
    name, left, right = operation.operator.data, operation.left, operation.right
    if kind == INT and _is_zero(operation):
        new = ConstantOp(0, INT)
    elif isinstance(operation, BinaryOp) and name in ("floordiv", "mod") and _are_nonnegative(left, right, known):
        # Neither division has a meaning for a divisor of zero: the kernel stops before.
        new = TruncDivOp(name, left, right)
    if new is not None:
        replace(operation, new)


def _of_store(store: StoreOp, known: Known) -> None:
    """Takes out what sets a variable to what it holds, as `n += 0` leaves behind."""
    if _is_what_it_holds(store):
        erase(store)


def _is_what_it_holds(store: StoreOp) -> bool:
    """Whether a variable holds already what it is set to."""
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


def _are_nonnegative(left: SSAValue, right: SSAValue, known: Known) -> bool:
    """Whether neither of two integers is below zero."""
    return is_nonnegative(left, known) and is_nonnegative(right, known)


def _of_one(operation: UnaryOp, known: Known) -> None:
    """Rewrites -(-x // y), the quotient rounded up, without floor division where nothing is negative."""
    inner = _rounded_up(operation)
    if inner is None or not _are_nonnegative(*inner, known):
        return
    value, divisor = inner
    if bounds_of(value, known)[1] + bounds_of(divisor, known)[1] - 1 <= _GREATEST:
        total = _plus_rest(operation, value, divisor)
        replace(operation, TruncDivOp("floordiv", total.result, divisor))
        _combined(total)
        return
    # The sum might wrap.
    zero, one = (insert_before(operation, ConstantOp(number, INT)) for number in (0, 1))
    rest = insert_before(operation, TruncDivOp("mod", value, divisor))
    is_more = insert_before(operation, CompareOp("gt", rest, zero))
    more = insert_before(operation, SelectOp(is_more, one, zero))
    replace(operation, BinaryOp("add", insert_before(operation, TruncDivOp("floordiv", value, divisor)), more))


def _rounded_up(operation: UnaryOp) -> tuple[SSAValue, SSAValue] | None:
    """x and y of an operation that is -(-x // y), where nothing else uses a part of it and the author named none."""
    division = operation.value.owner
    if operation.operator.data != "neg" or not isinstance(division, BinaryOp) or division.operator.data != "floordiv":
        return None
    negated = division.left.owner
    if not isinstance(negated, UnaryOp) or negated.operator.data != "neg":
        return None
    is_apart = any(name_of(part) or len(list(part.uses)) > 1 for part in (division.result, negated.result))
    return None if is_apart else (negated.value, division.right)


def _plus_rest(operation: Operation, value: SSAValue, divisor: SSAValue) -> BinaryOp:
    """value + divisor - 1, before an operation."""
    number = constant_of(divisor)
    if number is None:
        one = insert_before(operation, ConstantOp(1, INT))
        total = BinaryOp("sub", insert_before(operation, BinaryOp("add", value, divisor)), one)
    else:
        total = BinaryOp("add", value, insert_before(operation, ConstantOp(number - 1, INT)))
    insert_before(operation, total)
    return total


_SIMPLIFY: dict[type[Operation], Callable[..., None]] = {
    BinaryOp: _of_two,
    TruncDivOp: _of_two,
    UnaryOp: _of_one,
    StoreOp: _of_store,
}
