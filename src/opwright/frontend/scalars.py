"""Scalar arithmetic with Python's meaning: `int` is int64, `float` is float32, int / int is a float.

In: two values and the name of an operator. Out: a constant where both are known, otherwise IR. Refuses what would
change its meaning on the way to C++ (// and % of floats, **) and values out of range.

Where Python would raise at run time, the core stops with a reason: //, % and / of integers by zero, shifts by an amount
outside of 0 to 63, and int(x) of a float that is NaN, infinite or beyond 64 bits. A / with a float on either side
follows IEEE 754 in float32, as tensors do: x / 0.0 is infinite or NaN.

Narrow numbers (asc.int32, asc.float16) become int and float as soon as they are computed with; only uint64 stays what
it is, and does not mix with values that may be negative.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Sequence

from opwright.ascendc.arithmetic import MEANING, SYMBOLS
from opwright.ascendc.dtypes import DTYPES
from opwright.errors import WrongType
from opwright.frontend import hints
from opwright.frontend.builder import Builder
from opwright.frontend.values import captured, describe
from opwright.ir import Block, SSAValue, numbers
from opwright.ir.bounds import bounds_of, is_nonnegative
from opwright.ir.calls import trap
from opwright.ir.language import BinaryOp, CompareOp, ConstantOp, IfOp, LogicalOp, TruncDivOp, UnaryOp
from opwright.ir.types import BOOL, FLOAT, INT, UINT64, ScalarType, float32, scalar
from opwright.ir.values import Constant, RunTimeValue, Value
from opwright.kernel.names import BuiltIn

NAMES: dict[type[ast.AST], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "shl",
    ast.RShift: "shr",
    ast.Pow: "pow",
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.USub: "neg",
    ast.UAdd: "pos",
    ast.Invert: "invert",
    ast.Not: "not",
}
PRINTED = SYMBOLS | {"pow": "**"}
FOLD: dict[str, Callable[..., object]] = {
    **MEANING,
    "pow": operator.pow,
    "pos": operator.pos,
    "int": int,
    "float": float,
    "bool": bool,
}
INT64 = DTYPES["int64"].limits
# Constants may be longer than 64 bits on the way to one that is not, but not without end.
_MAX_BITS = 1 << 16


def fold(builder: Builder, name: str, node: ast.AST, *values: object) -> Constant:
    """Computes on constants, floats in float32 at every step, as at run time."""
    is_float = name in ("div", "float") or any(isinstance(value, float) for value in values)
    try:
        _refuse_endless(name, values)
        numbers = [float32(v) if is_float and isinstance(v, (int, float)) else v for v in values]
        result = FOLD[name](*numbers)
    except (TypeError, ZeroDivisionError, ValueError, OverflowError, MemoryError) as error:
        raise WrongType(
            builder.at(node),
            operation=f"'{PRINTED.get(name, name)}'",
            got=" and ".join(describe(captured(value, "")) for value in values),
            hint="say which axis: x, y or z" if BuiltIn in map(type, values) else f"Python says: {error}",
        ) from None
    return Constant(float32(result) if isinstance(result, float) else result)


def _refuse_endless(name: str, values: Sequence[object]) -> None:
    """Raises OverflowError for integers that would take all memory."""
    left, right = values[0], values[-1]
    if isinstance(left, int) and isinstance(right, int) and right > 0:
        bits = {"pow": abs(left).bit_length() * right if abs(left) > 1 else 0, "shl": left.bit_length() + right}
        if bits.get(name, 0) > _MAX_BITS:
            raise OverflowError("the result is too long")


def common(builder: Builder, left: Value, right: Value, operation: str, node: ast.AST) -> ScalarType:
    """The type in which Python would compute: bool < int < float."""
    kinds = [numbers.widened(numbers.kind_of(builder.site(node), value, operation)) for value in (left, right)]
    if FLOAT in kinds:
        return FLOAT
    if UINT64 not in kinds:
        return BOOL if kinds == [BOOL, BOOL] else INT
    for value, kind in zip((left, right), kinds, strict=True):
        if kind == INT and not nonnegative(value):
            raise WrongType(
                builder.at(node),
                operation=operation,
                got="uint64 and a number that may be negative",
                hint="make both the same: int(x), or asc.number(n, asc.uint64)",
            )
    return UINT64


def binary(builder: Builder, name: str, left: Value, right: Value, node: ast.AST) -> Value:
    """Arithmetic on two values."""
    if isinstance(left, Constant) and isinstance(right, Constant):
        return fold(builder, name, node, left.value, right.value)
    symbol = f"'{PRINTED.get(name, name)}'"
    have = common(builder, left, right, symbol, node)
    kind = INT if have == BOOL and name not in ("and", "or", "xor") else have
    if name == "div":
        kind = FLOAT
    _refuse_meaning_changes(builder, name, kind, right, node)
    if name in ("div", "floordiv", "mod") and isinstance(right, Constant) and right.value == 0:
        got, hint = "a divisor of 0", "divide by something"
        raise WrongType(builder.at(node), operation=symbol, got=got, hint=hint)
    if name == "div" and have != FLOAT and isinstance(right, RunTimeValue):
        _stop_at_zero(builder, numbers.materialise(builder.site(node), right, INT), node)
    a, b = numbers.materialise(builder.site(node), left, kind), numbers.materialise(builder.site(node), right, kind)
    if name in ("shl", "shr") and isinstance(right, RunTimeValue):
        _stop_unless_shift(builder, b, node)
    if name in ("floordiv", "mod"):
        return _divide(builder, name, right, a, b, node)
    return RunTimeValue(builder.add(BinaryOp(name, a, b), node).results[0])


def nonnegative(value: Value) -> bool:
    """Whether an integer is known not to be below zero."""
    if isinstance(value, Constant):
        return isinstance(value.value, int) and value.value >= 0
    return isinstance(value, RunTimeValue) and is_nonnegative(value.ssa)


def _refuse_meaning_changes(builder: Builder, name: str, kind: ScalarType, right: Value, node: ast.AST) -> None:
    refused = {
        "pow": hints.of_power(right, builder.function.by_threads),
        "floordiv": "divide integers, or use int(a / b)" if kind == FLOAT else "",
        "mod": "take the remainder of integers" if kind == FLOAT else "",
        "and": "combine integers or truth values" if kind == FLOAT else "",
        "or": "combine integers or truth values" if kind == FLOAT else "",
        "xor": "combine integers or truth values" if kind == FLOAT else "",
    }
    hint = refused.get(name, "")
    if name in ("shl", "shr") and (kind == FLOAT or (isinstance(right, Constant) and not _is_shift(right.value))):
        hint = "shift an integer by 0 to 63 bits"
    if hint:
        raise WrongType(
            builder.at(node),
            operation=f"'{PRINTED[name]}'",
            got=f"{kind} and {describe(right)}",
            hint=hint,
        )


def _divide(builder: Builder, name: str, right: Value, a: SSAValue, b: SSAValue, node: ast.AST) -> Value:
    """Floor division and remainder. Python raises on a zero divisor; the kernel stops there."""
    if isinstance(right, RunTimeValue):
        _stop_at_zero(builder, b, node)
    kind = TruncDivOp if is_nonnegative(a) and is_nonnegative(b) else BinaryOp
    return RunTimeValue(builder.add(kind(name, a, b), node).results[0])


def _stop_at_zero(builder: Builder, divisor: SSAValue, node: ast.AST) -> None:
    """Stops the core where Python would raise ZeroDivisionError."""
    assert isinstance(divisor.type, ScalarType)
    if bounds_of(divisor)[0] > 0:
        return
    zero = builder.add(ConstantOp(0, divisor.type), node).results[0]
    stop_if(builder, builder.add(CompareOp("eq", divisor, zero), node).results[0], "division by zero", node)


def stop_if(builder: Builder, condition: SSAValue, reason: str, node: ast.AST) -> None:
    """Stops the core under a condition."""
    with builder.nested() as block:
        builder.add(trap(reason), node)
    builder.add(IfOp(condition, block, Block()), node)


def _is_shift(amount: object) -> bool:
    return isinstance(amount, int) and 0 <= amount <= 63


def _stop_unless_shift(builder: Builder, amount: SSAValue, node: ast.AST) -> None:
    """Stops the core where a number of 64 bits cannot be shifted that far."""
    assert isinstance(amount.type, ScalarType)
    most = builder.add(ConstantOp(63, amount.type), node).results[0]
    outside = builder.add(CompareOp("gt", amount, most), node).results[0]
    if amount.type != UINT64:
        zero = builder.add(ConstantOp(0, amount.type), node).results[0]
        below = builder.add(CompareOp("lt", amount, zero), node).results[0]
        outside = builder.add(LogicalOp("or", below, outside), node).results[0]
    stop_if(builder, outside, "a shift by an amount outside of 0 to 63", node)


def _stop_unless_int(builder: Builder, value: SSAValue, node: ast.AST) -> None:
    """Stops the core where int(x) of a float has no int64: C++ leaves the result undefined."""
    low, high = (builder.add(ConstantOp(float(sign * (1 << 63)), FLOAT), node).results[0] for sign in (-1, 1))
    above = builder.add(CompareOp("ge", value, low), node).results[0]
    below = builder.add(CompareOp("lt", value, high), node).results[0]
    inside = builder.add(LogicalOp("and", above, below), node).results[0]
    # Not "outside": every comparison with NaN is false.
    outside = builder.add(UnaryOp("not", inside), node).results[0]
    stop_if(builder, outside, "int() of a float that no 64-bit integer can hold", node)


def compare(builder: Builder, name: str, left: Value, right: Value, node: ast.AST) -> Constant | RunTimeValue:
    """One comparison."""
    if isinstance(left, Constant) and isinstance(right, Constant):
        return fold(builder, name, node, left.value, right.value)
    kind = common(builder, left, right, "a comparison", node)
    a, b = numbers.materialise(builder.site(node), left, kind), numbers.materialise(builder.site(node), right, kind)
    return RunTimeValue(builder.add(CompareOp(name, a, b), node).results[0])


def unary(builder: Builder, name: str, value: Value, node: ast.AST) -> Value:
    """neg, pos, invert, not, abs."""
    if isinstance(value, Constant):
        return fold(builder, name, node, value.value)
    if name == "not":
        test = numbers.truth(builder.site(node), value)
        assert isinstance(test, RunTimeValue)
        return RunTimeValue(builder.add(UnaryOp("not", test.ssa), node).results[0])
    kind = numbers.widened(numbers.kind_of(builder.site(node), value, f"'{name}'"))
    if name == "invert" and kind == FLOAT:
        raise WrongType(builder.at(node), operation="'~'", got="float", hint="invert an integer")
    if name == "neg" and kind == UINT64:
        raise WrongType(builder.at(node), operation="'-'", got="uint64", hint="make it an int first: -int(x)")
    ssa = numbers.materialise(builder.site(node), value, INT if kind == BOOL else kind)
    unchanged = name == "pos" or (name == "abs" and kind == UINT64)
    return RunTimeValue(ssa) if unchanged else RunTimeValue(builder.add(UnaryOp(name, ssa), node).results[0])


def convert(builder: Builder, name: str, value: Value, node: ast.AST) -> Value:
    """int(x), float(x), bool(x)."""
    if isinstance(value, Constant):
        return fold(builder, name, node, value.value)
    if name == "bool":
        return numbers.truth(builder.site(node), value)
    kind = numbers.widened(numbers.kind_of(builder.site(node), value, name))
    if name == "int" and kind == FLOAT and isinstance(value, RunTimeValue):
        value = RunTimeValue(numbers.materialise(builder.site(node), value, FLOAT))
        _stop_unless_int(builder, value.ssa, node)
    return RunTimeValue(numbers.materialise(builder.site(node), value, INT if name == "int" else FLOAT))


def number(builder: Builder, value: Value, dtype: str, node: ast.AST) -> RunTimeValue:
    """asc.number(x, dtype): a number of one width. At run time it wraps as C++ does; a constant must fit."""
    kind = scalar(dtype)
    have = numbers.widened(numbers.kind_of(builder.site(node), value, "asc.number"))
    if have == FLOAT and not numbers.is_float(kind):
        value = convert(builder, "int", value, node)
    if isinstance(value, Constant) and isinstance(value.value, bool):
        value = Constant(int(value.value))
    return RunTimeValue(numbers.materialise(builder.site(node), value, kind))
