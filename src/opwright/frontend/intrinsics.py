"""Functions of `opwright.asc` and of Python that a kernel can call and that are no calls of Ascend C.

In: the function and the values of its arguments. Out: a value, or None if the function does not take these arguments.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from opwright.ascendc.dtypes import DTYPES, DataType
from opwright.ascendc.enums import CO2Layout, FixpipeConfig
from opwright.errors import StaticAssertFailed, UnsupportedSyntax, WrongType
from opwright.frontend import arrays, operators, scalars
from opwright.frontend.builder import Builder
from opwright.frontend.values import describe
from opwright.ir import numbers
from opwright.ir.functions import InlineOp
from opwright.ir.types import ArrayType
from opwright.ir.values import Constant, Items, RunTimeValue, Value
from opwright.kernel.names import ConstExpr, array, ceildiv, inline, number, static_assert

_Lower = Callable[[Builder, Sequence[Value], Mapping[str, Value], ast.Call], Value]


@dataclass(frozen=True)
class _Intrinsic:
    """A function, how it is lowered, and which arguments it takes: None for any, which `lower` checks."""

    function: object
    lower: _Lower
    counts: tuple[int, ...] | None = None
    keywords: tuple[str, ...] | None = ()

    def takes(self, arguments: Sequence[Value], keywords: Mapping[str, Value]) -> bool:
        """Whether it takes this many arguments, and these keywords."""
        named = self.keywords is None or keywords.keys() <= set(self.keywords)
        return named and (self.counts is None or len(arguments) in self.counts)


def call(
    builder: Builder, called: object, arguments: Sequence[Value], keywords: Mapping[str, Value], node: ast.Call
) -> Value | None:
    """Calls a function that is an intrinsic and takes these arguments; None if it is none."""
    for one in _INTRINSICS:
        if one.function is called and one.takes(arguments, keywords):
            return one.lower(builder, arguments, keywords, node)
    return None


def _ceildiv(builder: Builder, left: Value, right: Value, node: ast.Call) -> Value:
    """left / right, rounded up."""
    negated = scalars.unary(builder, "neg", left, node)
    return scalars.unary(builder, "neg", scalars.binary(builder, "floordiv", negated, right, node), node)


def number_method(builder: Builder, of: RunTimeValue, name: str, argument: Value, node: ast.Call) -> Value:
    """n.cast(dtype), n.ceildiv(m), n.logical_and(m), n.logical_or(m). Unlike `and` and `or` these evaluate both."""
    if name == "cast":
        return as_number(builder, of, argument, node)
    if name == "ceildiv":
        return _ceildiv(builder, of, argument, node)
    sides = [numbers.truth(builder.site(node), of), numbers.truth(builder.site(node), argument)]
    return operators.chain(builder, name.removeprefix("logical_"), [lambda side=side: side for side in sides], node)  # type: ignore[misc]


def as_number(builder: Builder, value: Value, dtype: Value, node: ast.Call) -> Value:
    """asc.number(value, dtype)."""
    if not (isinstance(dtype, Constant) and isinstance(dtype.value, DataType)):
        hint = "write asc.number(n, asc.int32)"
        raise UnsupportedSyntax(builder.at(node), what="asc.number without a data type", hint=hint)
    if dtype.value.name not in DTYPES:
        what = f"a number of {dtype.value!r}"
        raise UnsupportedSyntax(builder.at(node), what=what, hint="a core has no such numbers: use asc.float32")
    return scalars.number(builder, value, dtype.value.name, node)


def _unwrap(builder: Builder, value: Value, node: ast.Call) -> Value:
    """asc.ConstExpr.unwrap(value): a constant is its value."""
    if isinstance(value, Constant):
        return value
    hint = "it takes constants; a runtime number is its value already"
    raise WrongType(builder.at(node), operation="asc.ConstExpr.unwrap", got=describe(value), hint=hint)


def _length(builder: Builder, value: Value, node: ast.Call) -> Constant:
    """len(x) of what has a length that is known."""
    if isinstance(value, Items):
        return Constant(len(value.items))
    if isinstance(value, Constant) and isinstance(value.value, (tuple, str)):
        return Constant(len(value.value))
    if isinstance(value, RunTimeValue) and isinstance(value.type, ArrayType):
        return Constant(value.type.length.data)
    hint = "it takes tuples and asc.array; a tensor has get_size()"
    raise WrongType(builder.at(node), operation="len", got=describe(value), hint=hint)


def _inline(builder: Builder, arguments: Sequence[Value], keywords: Mapping[str, Value], node: ast.Call) -> Constant:
    """asc.inline: the author's C++, unchanged."""
    if builder.function.by_threads:
        hint = "write C++ in the kernel that starts the threads"
        raise UnsupportedSyntax(builder.at(node), what="asc.inline by a thread", hint=hint)
    values = dict(zip(("code", "args", "before_function"), arguments, strict=False)) | dict(keywords)
    code, before = values.pop("code", None), values.pop("before_function", Constant(False))
    operands = values.pop("args", Items(()))
    if isinstance(operands, Constant) and isinstance(operands.value, tuple):
        operands = Items(tuple(Constant(item) for item in operands.value))
    is_text = isinstance(code, Constant) and isinstance(code.value, str)
    if values or not is_text or not isinstance(before, Constant) or not isinstance(operands, Items):
        hint = 'write asc.inline("code with $0", (value,)); the code is a constant'
        raise UnsupportedSyntax(builder.at(node), what="this form of asc.inline", hint=hint)
    given = []
    for item in operands.items:
        if isinstance(item, RunTimeValue):
            given.append(item.ssa)
        else:
            given.append(
                numbers.materialise(builder.site(node), item, numbers.kind_of(builder.site(node), item, "asc.inline"))
            )
    assert isinstance(code, Constant)
    builder.add(InlineOp(str(code.value), given, bool(before.value)), node)
    return Constant(None)


def _static_assert(builder: Builder, arguments: Sequence[Value], node: ast.Call) -> Constant:
    """A test while the kernel is compiled."""
    if not all(isinstance(argument, Constant) for argument in arguments):
        raise UnsupportedSyntax(
            builder.at(node),
            what="asc.static_assert on runtime values",
            hint="use assert, which tests at run time",
        )
    test, *message = (argument.value for argument in arguments if isinstance(argument, Constant))
    if not test:
        raise StaticAssertFailed(builder.at(node), message=message[0] if message else ast.unparse(node.args[0]))
    return Constant(None)


def _builtin(
    builder: Builder, name: str, arguments: Sequence[Value], keywords: Mapping[str, Value], node: ast.Call
) -> Value:
    """min, max, abs, int, float, bool."""
    if name in ("min", "max") and len(arguments) >= 2 and not keywords:
        result = arguments[0]
        for argument in arguments[1:]:
            result = scalars.binary(builder, name, result, argument, node)
        return result
    if len(arguments) != 1 or name in ("min", "max") or keywords:
        raise UnsupportedSyntax(
            builder.at(node),
            what=f"this form of {name}",
            hint="give min and max two numbers or more, the rest one",
        )
    if name == "abs":
        return scalars.unary(builder, "abs", arguments[0], node)
    return scalars.convert(builder, name, arguments[0], node)


def config(called: object, arguments: Sequence[Value]) -> FixpipeConfig | None:
    """asc.FixpipeConfig(layout), and asc.FixpipeConfig.cfg_nz() for cfg_nz."""
    if isinstance(called, FixpipeConfig) and not arguments:
        return called()
    match arguments:
        case [Constant(value=CO2Layout() as layout)] if called is FixpipeConfig:
            return FixpipeConfig(layout)
    return None


def is_dtype_method(function: object) -> bool:
    """Whether a function is a method of a data type, such as asc.float32.is_int."""
    return isinstance(getattr(function, "__self__", None), DataType)


def _of_python(name: str) -> _Lower:
    return lambda builder, arguments, keywords, node: _builtin(builder, name, arguments, keywords, node)


_INTRINSICS = (
    _Intrinsic(ceildiv, lambda builder, given, _, node: _ceildiv(builder, given[0], given[1], node), (2,)),
    _Intrinsic(static_assert, lambda builder, given, _, node: _static_assert(builder, given, node), (1, 2)),
    _Intrinsic(ConstExpr.unwrap, lambda builder, given, _, node: _unwrap(builder, given[0], node), (1,)),
    _Intrinsic(number, lambda builder, given, _, node: as_number(builder, given[0], given[1], node), (2,)),
    _Intrinsic(
        array,
        lambda builder, given, named, node: arrays.make(builder, given, named.get("fill_value"), node),
        keywords=("fill_value",),
    ),
    _Intrinsic(inline, _inline, keywords=None),
    _Intrinsic(len, lambda builder, given, _, node: _length(builder, given[0], node), (1,)),
    *(_Intrinsic(one, _of_python(one.__name__), keywords=None) for one in (min, max, abs, int, float, bool)),
)
