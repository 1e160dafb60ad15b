"""Scalar operations as C++ expressions, with brackets only where they are needed.

In: an operation and the text of its operands. Out: `Expression`: a text and how tightly it binds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from opwright.emit.spelling import cpp
from opwright.ir import Operation, SSAValue
from opwright.ir.language import (
    BinaryOp,
    CastOp,
    CompareOp,
    ConstantOp,
    LogicalOp,
    SelectOp,
    TripCountOp,
    TruncDivOp,
    UnaryOp,
    number_of,
)
from opwright.ir.types import FLOAT, INT, ScalarType, shortest

# The operators that mean the same in Python and in C++.
SYMBOLS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "div": "/",
    "and": "&",
    "or": "|",
    "xor": "^",
    "shl": "<<",
    "shr": ">>",
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
}
# Those that mean the same as long as no operand is negative.
_TRUNCATING = {"floordiv": "/", "mod": "%"}
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
_ALWAYS_BRACKETED = ("&", "|", "^", "<<", ">>")
_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


def precedence_of(operator: str) -> int:
    """How tightly an operator binds."""
    return _PRECEDENCE[operator]


@dataclass(frozen=True)
class Expression:
    """A C++ expression."""

    text: str
    precedence: int
    narrow: bool = False  # its C++ type is int although the kernel's is int64
    unsigned: str = ""  # the same number as a uint32_t of C++, where an int64 beside it makes it one

    def within(self, above: int) -> str:
        """The text, in brackets unless it binds tighter than its surroundings."""
        return self.text if self.precedence > above else f"({self.text})"

    def wide(self) -> Expression:
        """The expression, as an int64 of C++ too."""
        return Expression(f"static_cast<int64_t>({self.text})", ATOM) if self.narrow else self


Expressions = Mapping[SSAValue, Expression]


def constant(operation: ConstantOp) -> Expression:
    """A constant as it is written."""
    return literal(operation.value.data, operation.result.type)


def literal(value: str, kind: ScalarType) -> Expression:
    """A literal. Only int64, float and bool have one; other types are converted from those."""
    number = number_of(value)
    if kind == FLOAT:
        return _float(number)
    if kind == INT:
        return _int(int(number))
    spelled = cpp(kind)
    if spelled == "bool":
        return Expression("true" if number else "false", ATOM)
    literal = _float(number) if isinstance(number, float) else _int(number)
    return Expression(f"static_cast<{spelled}>({literal.text})", ATOM)


def _int(number: int) -> Expression:
    if number == -(1 << 63):
        return Expression("-9223372036854775807 - 1", precedence_of("-"))
    text = f"{number}u" if number >= 1 << 63 else str(number)
    return Expression(text, ATOM if number >= 0 else precedence_of("unary"), narrow=-(1 << 31) <= number < 1 << 31)


def _float(number: float) -> Expression:
    if math.isnan(number):
        return Expression('__builtin_nanf("")', ATOM)
    text = "__builtin_huge_valf()" if math.isinf(number) else _digits(abs(float(number)))
    return Expression(text, ATOM) if math.copysign(1, number) > 0 else Expression(f"-{text}", precedence_of("unary"))


def _digits(number: float) -> str:
    text = repr(shortest(number))
    return f"{text}f" if "." in text or "e" in text else f"{text}.0f"


def _infix(symbol: str, left: Expression, right: Expression) -> Expression:
    left, right = _mixed(symbol, left, right)
    binding = precedence_of(symbol)
    if symbol in _COMPARISONS:
        bounds = precedence_of("<"), precedence_of("<")
    elif symbol in _ALWAYS_BRACKETED:
        bounds = precedence_of("unary") - 1, precedence_of("unary") - 1
    else:
        # Left operands of the same precedence need no brackets; right ones do.
        bounds = binding - 1, binding
    return Expression(f"{left.within(bounds[0])} {symbol} {right.within(bounds[1])}", binding)


def _mixed(symbol: str, left: Expression, right: Expression) -> tuple[Expression, Expression]:
    """Both sides of an operator; a uint32_t of C++ stays one where the other side makes an int64 of it."""
    if symbol in (*_COMPARISONS, "+", "-", "*"):
        number = (left if right.unsigned else right).text
        # What no unsigned number is, such as less than 0, compilers warn of.
        is_index = symbol in _COMPARISONS and number.isdigit() and (number != "0" or symbol in ("==", "!="))
        if right.unsigned and (is_index or not left.narrow):
            return left, Expression(right.unsigned, ATOM)
        if left.unsigned and (is_index or not right.narrow):
            return Expression(left.unsigned, ATOM), right
    return left, right


def operator_text(operation: Operation, known: Expressions, helpers: set[str]) -> Expression:
    """The expression of a scalar operation; notes the helpers that it needs."""
    return SPELLINGS[type(operation)](operation, known, helpers)


def _divide(operation: TruncDivOp, known: Expressions, helpers: set[str]) -> Expression:
    return _infix(_TRUNCATING[operation.operator.data], known[operation.left], known[operation.right])


def _compare(operation: CompareOp, known: Expressions, helpers: set[str]) -> Expression:
    return _infix(SYMBOLS[operation.operator.data], known[operation.left], known[operation.right])


def _cast(operation: CastOp, known: Expressions, helpers: set[str]) -> Expression:
    kind, value = cpp(operation.result.type), known[operation.value]
    return Expression(f"static_cast<{kind}>({value.unsigned or value.text})", ATOM)


def _trip_count(operation: TripCountOp, known: Expressions, helpers: set[str]) -> Expression:
    helpers.add("range_turns")
    start, stop, step = (known[value].text for value in (operation.start, operation.stop, operation.step))
    return Expression(f"range_turns({start}, {stop}, {step})", ATOM)


def _choose(operation: SelectOp, known: Expressions, helpers: set[str]) -> Expression:
    return _select(known[operation.condition].within(1), known[operation.left], known[operation.right])


def _logical(operation: LogicalOp, known: Expressions, helpers: set[str]) -> Expression:
    """A chain of the same operator needs no brackets; a mixed one does."""
    symbol = "&&" if operation.operator.data == "and" else "||"
    binding = precedence_of(symbol)

    def side(value: SSAValue) -> str:
        expression = known[value]
        return expression.text if expression.precedence == binding else expression.within(precedence_of("&"))

    return Expression(f"{side(operation.left)} {symbol} {side(operation.right)}", binding)


def _select(condition: str, left: Expression, right: Expression) -> Expression:
    text = f"{condition} ? {left.within(1)} : {right.within(1)}"
    return Expression(text, precedence_of("?:"), narrow=left.narrow and right.narrow)


def _binary(operation: BinaryOp, known: Expressions, helpers: set[str]) -> Expression:
    name, left, right = operation.operator.data, known[operation.left], known[operation.right]
    if name in ("floordiv", "mod"):
        helper = "floor_div" if name == "floordiv" else "floor_mod"
        helpers.add(helper)
        return Expression(f"{helper}({left.text}, {right.text})", ATOM)
    if name in ("min", "max"):
        # As in Python, the first of two equals is the result.
        sign = "<" if name == "min" else ">"
        return _select(_infix(sign, right, left).text, right, left)
    if left.narrow and (right.narrow or name in ("shl", "shr")):
        # C++ would compute in 32 bits; in a shift only the left side counts.
        left = left.wide()
    return _infix(SYMBOLS[name], left, right)


def _unary(operation: UnaryOp, known: Expressions, helpers: set[str]) -> Expression:
    name, value, tight = operation.operator.data, known[operation.value], precedence_of("unary")
    if name == "abs":
        # Adding zero turns -0.0 into 0.0, as Python's abs does.
        zero = Expression(f"{value.within(precedence_of('+'))} + 0.0f", precedence_of("+"))
        positive = zero if operation.value.type == FLOAT else value
        return _select(
            f"{value.within(precedence_of('<'))} < 0", Expression(f"-{value.within(tight)}", tight), positive
        )
    symbol = {"neg": "-", "invert": "~", "not": "!"}[name]
    # Two minus signs in a row would be a decrement.
    return Expression(f"{symbol}{value.within(tight)}", tight, narrow=value.narrow)


# How each scalar operation is written; the third argument gets the helpers that the text needs.
SPELLINGS: dict[type[Operation], Callable[[Any, Expressions, set[str]], Expression]] = {
    BinaryOp: _binary,
    TruncDivOp: _divide,
    CompareOp: _compare,
    LogicalOp: _logical,
    UnaryOp: _unary,
    CastOp: _cast,
    SelectOp: _choose,
    TripCountOp: _trip_count,
}
