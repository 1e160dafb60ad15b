"""Scalar operations as Python expressions, with brackets only where they are needed.

In: an operation, and who writes its operands. Out: `Expression`: a text and how tightly it binds. A conversion that the
front end adds by itself, such as that of an int beside a float, is left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from opwright.ascendc.arithmetic import COMPARISONS, SYMBOLS
from opwright.ascendc.dtypes import DTYPES
from opwright.ir import Operation, SSAValue
from opwright.ir.language import (
    BinaryOp,
    CastOp,
    CompareOp,
    ConstantOp,
    LogicalOp,
    SelectOp,
    TruncDivOp,
    TwoScalars,
    UnaryOp,
    number_of,
)
from opwright.ir.numbers import is_float, widened
from opwright.ir.types import BOOL, FLOAT, INT, UINT64, ScalarType, shortest

_SYMBOLS = SYMBOLS | COMPARISONS
IF, OR, AND, NOT, COMPARISON, BITS, SUM, PRODUCT, UNARY, ATOM = 1, 2, 3, 4, 5, 6, 10, 11, 12, 100
_BINDING = {"+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "//": PRODUCT, "%": PRODUCT}


@dataclass(frozen=True)
class Expression:
    """A Python expression."""

    text: str
    binding: int = ATOM

    def within(self, above: int) -> str:
        """The text, in brackets unless it binds tighter than its surroundings."""
        return self.text if self.binding > above else f"({self.text})"


class Writer(Protocol):
    """Who writes operands."""

    def expression(self, value: SSAValue) -> Expression:
        """The text of a value: its name, or what it is computed from."""

    def is_within(self, operation: Operation) -> bool:
        """Whether an operation is written where it is used."""

    def is_tested(self, operation: Operation) -> bool:
        """Whether the front end adds a test to an operation."""

    def comes_before(self, operation: Operation, other: Operation) -> bool:
        """Whether an operation stands before another one."""


def literal(value: str, kind: ScalarType) -> Expression:
    """A number as Python writes it."""
    number = number_of(value)
    if kind == BOOL:
        return Expression(str(bool(number)))
    if not is_float(kind):
        return Expression(str(number), ATOM if number >= 0 else UNARY)
    if math.isfinite(number):
        text = repr(shortest(abs(float(number))))
    else:
        text = f'float("{"nan" if math.isnan(number) else "inf"}")'
    return Expression(text) if math.copysign(1, number) > 0 else Expression(f"-{text}", UNARY)


def of_run(operation: ConstantOp) -> str:
    """A constant as a run-time number."""
    if operation.result.type == BOOL:
        return f"bool(asc.number({operation.value.data}, asc.int64))"
    kind = operation.result.type
    return f"asc.number({literal(operation.value.data, kind).text}, asc.{kind.dtype.data})"


def text_of(value: object) -> str:
    """A constant of Python, texts between double quotes."""
    if isinstance(value, tuple):
        return tuple_of([text_of(item) for item in value])
    text = repr(value)
    return f'"{text[1:-1]}"' if text[0] == "'" and '"' not in text else text


def tuple_of(items: list[str]) -> str:
    """A tuple."""
    return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"


def constant(operation: ConstantOp) -> Expression:
    """A constant that says its type, where Python's own numbers do not."""
    kind = operation.result.type
    if kind in (INT, FLOAT, BOOL):
        return literal(operation.value.data, kind)
    return Expression(of_run(operation))


def scalar_type(value: SSAValue) -> ScalarType:
    """The type of a number."""
    assert isinstance(value.type, ScalarType)
    return value.type


def bare(writer: Writer, value: SSAValue) -> Expression:
    """A value beside others of its type: a constant that may be computed with as it is does not say its own."""
    if isinstance(value.owner, ConstantOp) and value.type == UINT64:
        return plain(writer, value)
    return writer.expression(value)


def plain(writer: Writer, value: SSAValue) -> Expression:
    """A value where its surroundings say the type: no constant says its own."""
    if isinstance(value.owner, ConstantOp):
        return literal(value.owner.value.data, value.owner.result.type)
    return writer.expression(value)


def unwidened(writer: Writer, value: SSAValue, kinds: tuple[ScalarType, ...] = (INT, FLOAT)) -> SSAValue:
    """A number before the conversion that computing with it would add: from a narrow type to the one it computes in."""
    made = value.owner
    if isinstance(made, CastOp) and writer.is_within(made) and value.type in kinds:
        before = scalar_type(made.value)
        if before not in (BOOL, UINT64) and widened(before) == value.type:
            return made.value
    return value


def as_number(writer: Writer, value: SSAValue) -> SSAValue:
    """A number before the conversions to the element type that a call or an array would add to it."""
    kind = value.type
    assert isinstance(kind, ScalarType)
    if kind in (BOOL, UINT64):
        return value
    made = value.owner
    wide = FLOAT if is_float(kind) else INT
    if kind != wide:
        is_ours = isinstance(made, CastOp) and writer.is_within(made) and made.value.type == wide
        if not is_ours:
            return value
        value = made.value  # type: ignore[union-attr]
        made = value.owner
    if isinstance(made, CastOp) and writer.is_within(made) and not writer.is_tested(made):
        before = scalar_type(made.value)
        if before != BOOL and (wide == FLOAT or widened(before) == INT):
            return made.value
    return value


def as_element(writer: Writer, value: SSAValue) -> SSAValue:
    """A number before the conversions that setting an element of an array would add to it."""
    kind, made = value.type, value.owner
    assert isinstance(kind, ScalarType)
    if not isinstance(made, CastOp) or not writer.is_within(made) or writer.is_tested(made):
        return value
    before = made.value
    is_half = kind != BOOL and is_float(kind) and kind != FLOAT
    return as_element(writer, before) if is_half and before.type == FLOAT else before


def _sides(writer: Writer, left: SSAValue, right: SSAValue, kind: ScalarType, both: bool) -> tuple[SSAValue, SSAValue]:
    """Two operands before the conversions to the type that Python would compute in; `both`: it converts any number."""
    sides = [unwidened(writer, left), unwidened(writer, right)]
    if kind != FLOAT:
        return sides[0], sides[1]
    for number in (0, 1):
        made, other = sides[number].owner, sides[1 - number]
        is_number = isinstance(made, CastOp) and writer.is_within(made) and made.value.type != BOOL
        assert isinstance(other.type, ScalarType)
        is_float_beside = other.type != BOOL and is_float(other.type)
        if is_number and sides[number].type == FLOAT and (both or is_float_beside):
            sides[number] = made.value  # type: ignore[union-attr]
            if not both:
                break
    return sides[0], sides[1]


def _infix(symbol: str, left: Expression, right: Expression) -> Expression:
    binding = _BINDING.get(symbol, BITS)
    if binding == BITS:
        # People misread it when these mix with others without brackets.
        return Expression(f"{left.within(PRODUCT)} {symbol} {right.within(PRODUCT)}", BITS)
    return Expression(f"{left.within(binding - 1)} {symbol} {right.within(binding)}", binding)


def parts(operation: TwoScalars, writer: Writer) -> tuple[Expression, str, Expression]:
    """Left side, operator and right side; min and max are their own operators."""
    name, kind = operation.operator.data, operation.result.type
    both = name == "div" and writer.is_tested(operation)
    left, right = (bare(writer, side) for side in _sides(writer, operation.left, operation.right, kind, both))
    if both and isinstance(operation.left.owner, ConstantOp):
        left = literal(str(int(operation.left.owner.number)), INT)  # beside a float there would be no test
    return left, _SYMBOLS.get(name, name), right


def _binary(operation: TwoScalars, writer: Writer) -> Expression:
    left, symbol, right = parts(operation, writer)
    if symbol not in ("min", "max"):
        return _infix(symbol, left, right)
    inner, last = operation.left.owner, operation.right.owner
    is_same = isinstance(inner, BinaryOp) and inner.operator == operation.operator and writer.is_within(inner)
    is_written = isinstance(last, Operation) and writer.is_within(last)
    # Of several arguments all are evaluated before the first two are compared.
    if is_same and (not is_written or writer.comes_before(last, inner)):  # type: ignore[arg-type]
        return Expression(f"{left.text[:-1]}, {right.text})")
    return Expression(f"{symbol}({left.text}, {right.text})")


def _compare(operation: CompareOp, writer: Writer) -> Expression:
    kind = scalar_type(operation.left)
    left, right = (bare(writer, side) for side in _sides(writer, operation.left, operation.right, kind, False))
    text = f"{left.within(COMPARISON)} {_SYMBOLS[operation.operator.data]} {right.within(COMPARISON)}"
    return Expression(text, COMPARISON)


def _logical(operation: LogicalOp, writer: Writer) -> Expression:
    return chained(operation.operator.data, writer.expression(operation.left), writer.expression(operation.right))


def chained(word: str, left: Expression, right: Expression) -> Expression:
    """`and` or `or`; a mixed chain has brackets."""
    binding = AND if word == "and" else OR
    sides = [left.text if left.binding == binding else left.within(AND), right.within(AND)]
    return Expression(f" {word} ".join(sides), binding)


def _select(operation: SelectOp, writer: Writer) -> Expression:
    left, right = _sides(writer, operation.left, operation.right, scalar_type(operation.result), False)
    return ternary(writer.expression(operation.condition), bare(writer, left), bare(writer, right))


def ternary(condition: Expression, left: Expression, right: Expression) -> Expression:
    """`left if condition else right`."""
    return Expression(f"{left.within(IF)} if {condition.within(IF)} else {right.within(IF)}", IF)


def _unary(operation: UnaryOp, writer: Writer) -> Expression:
    name = operation.operator.data
    if name == "neg" and (rounded_up := _ceildiv(operation, writer)) is not None:
        return rounded_up
    value = bare(writer, unwidened(writer, operation.value))
    if name == "abs":
        return Expression(f"abs({value.text})")
    if name == "not":
        return Expression(f"not {value.within(NOT - 1)}", NOT)
    return Expression(f"{'-' if name == 'neg' else '~'}{value.within(UNARY - 1)}", UNARY)


def _ceildiv(operation: UnaryOp, writer: Writer) -> Expression | None:
    """-(-a // b) as asc.ceildiv(a, b)."""
    divided = operation.value.owner
    if not isinstance(divided, BinaryOp) or divided.operator.data != "floordiv" or not writer.is_within(divided):
        return None
    negated = divided.left.owner
    if not isinstance(negated, UnaryOp) or negated.operator.data != "neg" or not writer.is_within(negated):
        return None
    left, right = (bare(writer, unwidened(writer, one)) for one in (negated.value, divided.right))
    return Expression(f"asc.ceildiv({left.text}, {right.text})")


def _cast(operation: CastOp, writer: Writer) -> Expression:
    kind = operation.result.type
    if kind in (INT, FLOAT):
        name = "int" if kind == INT else "float"
        return Expression(f"{name}({writer.expression(operation.value).text})")
    value = as_number(writer, operation.result)
    source = operation.value if value is operation.result else value
    return Expression(f"asc.number({writer.expression(source).text}, asc.{kind.dtype.data})")


# How each scalar operation is written.
SPELLINGS: dict[type[Operation], Callable[[Any, Writer], Expression]] = {
    ConstantOp: lambda operation, _: constant(operation),
    BinaryOp: _binary,
    TruncDivOp: _binary,
    CompareOp: _compare,
    LogicalOp: _logical,
    UnaryOp: _unary,
    CastOp: _cast,
    SelectOp: _select,
}


def type_name(kind: ScalarType) -> str:
    """A scalar type as an annotation."""
    plain = {"int64": "int", "float32": "float", "bool": "bool"}
    assert kind == BOOL or kind.dtype.data in DTYPES
    return plain.get(kind.dtype.data, f"asc.{kind.dtype.data}")
