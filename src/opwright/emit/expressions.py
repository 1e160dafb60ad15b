"""Scalar operations as C++ expressions, with brackets only where they are needed.

In: an operation and the text of its operands. Out: `Expression`: a text and how tightly it binds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from opwright.ir import Operation, SSAValue
from opwright.ir.language import (
    COMPARISONS,
    SAME_IN_CPP,
    BinaryOp,
    CastOp,
    CompareOp,
    ConstantOp,
    LogicalOp,
    NonNegativeOp,
    SelectOp,
    UnaryOp,
)
from opwright.ir.types import FLOAT, INT, cpp

ATOM = 100
_PRECEDENCE = {
    "?:": 1,
    "||": 2,
    "&&": 3,
    "|": 4,
    "^": 5,
    "&": 6,
    "==": 7,
    "!=": 7,
    "<": 8,
    "<=": 8,
    ">": 8,
    ">=": 8,
    "<<": 9,
    ">>": 9,
    "+": 10,
    "-": 10,
    "*": 11,
    "/": 11,
    "%": 11,
    "unary": 12,
}
# Compilers warn, and people misread, when these mix without brackets.
_ALWAYS_BRACKETED = ("&", "|", "^", "<<", ">>", "&&", "||")


def precedence_of(operator: str) -> int:
    """How tightly an operator binds."""
    return _PRECEDENCE[operator]


@dataclass(frozen=True)
class Expression:
    """A C++ expression."""

    text: str
    precedence: int

    def within(self, above: int) -> str:
        """The text, in brackets unless it binds tighter than its surroundings."""
        return self.text if self.precedence > above else f"({self.text})"


Use = Callable[[SSAValue, int], str]


def constant(operation: ConstantOp) -> Expression:
    """A literal. Only int64, float and bool have one; other types are converted from those."""
    number, kind = operation.number, operation.result.type
    if kind == FLOAT:
        return _float(number)
    if kind == INT:
        if number == -(1 << 63):
            return Expression("(-9223372036854775807 - 1)", ATOM)
        return Expression(str(number), ATOM if number >= 0 else precedence_of("unary"))
    spelled = cpp(kind)
    if spelled == "bool":
        return Expression("true" if number else "false", ATOM)
    literal = _float(number).text if isinstance(number, float) else str(number)
    return Expression(f"static_cast<{spelled}>({literal})", ATOM)


def _float(number: float) -> Expression:
    if math.isnan(number):
        return Expression('__builtin_nanf("")', ATOM)
    if math.isinf(number):
        text = "__builtin_huge_valf()"
    else:
        digits = repr(abs(float(number)))
        text = f"{digits}f" if "." in digits or "e" in digits else f"{digits}.0f"
    return Expression(text, ATOM) if math.copysign(1, number) > 0 else Expression(f"-{text}", precedence_of("unary"))


def _infix(symbol: str, left: SSAValue, right: SSAValue, use: Use) -> Expression:
    binding = precedence_of(symbol)
    tight = precedence_of("unary") if symbol in _ALWAYS_BRACKETED else binding
    # Left operands of the same precedence need no brackets; right ones do.
    left_bound = tight if symbol in _ALWAYS_BRACKETED else binding - 1
    return Expression(f"{use(left, left_bound)} {symbol} {use(right, tight)}", binding)


def operator_text(operation: Operation, use: Use, helpers: set[str]) -> Expression:
    """The expression of a scalar operation; notes the helpers that it needs."""
    match operation:
        case BinaryOp():
            return _binary(operation, use, helpers)
        case NonNegativeOp():
            return _infix(operation.operator.data, operation.left, operation.right, use)
        case CompareOp():
            return _infix(COMPARISONS[operation.operator.data], operation.left, operation.right, use)
        case LogicalOp():
            symbol = "&&" if operation.operator.data == "and" else "||"
            binding = precedence_of(symbol)
            text = f"{use(operation.left, precedence_of('&'))} {symbol} {use(operation.right, precedence_of('&'))}"
            return Expression(text, binding)
        case UnaryOp():
            return _unary(operation, use)
        case CastOp():
            return Expression(f"static_cast<{cpp(operation.result.type)}>({use(operation.value, 0)})", ATOM)
        case SelectOp():
            return _select(use(operation.condition, 1), use(operation.left, 1), use(operation.right, 1))
    raise AssertionError(f"no text for {operation.name}")


def _select(condition: str, left: str, right: str) -> Expression:
    return Expression(f"{condition} ? {left} : {right}", precedence_of("?:"))


def _binary(operation: BinaryOp, use: Use, helpers: set[str]) -> Expression:
    name, left, right = operation.operator.data, operation.left, operation.right
    if name in ("floordiv", "mod"):
        helper = "floor_div" if name == "floordiv" else "floor_mod"
        helpers.add(helper)
        return Expression(f"{helper}({use(left, 0)}, {use(right, 0)})", ATOM)
    if name in ("min", "max"):
        # As in Python, the first of two equals is the result.
        sign = "<" if name == "min" else ">"
        a, b = use(left, precedence_of("<")), use(right, precedence_of("<"))
        return _select(f"{b} {sign} {a}", b, a)
    if name == "shl" and isinstance(left.owner, ConstantOp):
        return Expression(f"static_cast<int64_t>({use(left, 0)}) << {use(right, precedence_of('unary'))}", 9)
    return _infix(SAME_IN_CPP[name], left, right, use)


def _unary(operation: UnaryOp, use: Use) -> Expression:
    name = operation.operator.data
    if name == "abs":
        value = use(operation.value, precedence_of("<"))
        # Adding zero turns -0.0 into 0.0, as Python's abs does.
        positive = f"{value} + 0.0f" if operation.value.type == FLOAT else value
        return _select(f"{value} < 0", f"-{use(operation.value, precedence_of('unary'))}", positive)
    symbol = {"neg": "-", "invert": "~", "not": "!"}[name]
    # Two minus signs in a row would be a decrement.
    return Expression(f"{symbol}{use(operation.value, precedence_of('unary'))}", precedence_of("unary"))
