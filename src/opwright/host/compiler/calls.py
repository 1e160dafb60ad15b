"""Calls in host functions: of `opwright.host`, of a few builtins, and of helper functions.

In: call nodes. Out: values, and refusals in the IR. Refuses to call anything else.
"""

from __future__ import annotations

import ast
import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import FunctionType

from opwright import host
from opwright.errors import UnsupportedSyntax, WrongCall, WrongType
from opwright.frontend.builder import Builder
from opwright.host.compiler import helpers
from opwright.host.compiler.expressions import choose, folded
from opwright.host.compiler.values import apply, as_kind, kinds_of, words
from opwright.ir import Block
from opwright.ir.host import CheckOp, RefuseOp
from opwright.ir.language import IfOp
from opwright.ir.values import Constant, Items, RunTimeValue, Value, items_of

_CALLABLE = (
    "functions of opwright.host, functions of your own, math.prod, len, min, max, abs, divmod, int, float, "
    "isinstance, list and tuple"
)
_Bound = Mapping[str, Value]


def call_value(builder: Builder, function: Value, node: ast.Call) -> Value:
    """A call of what the expression before the brackets gave."""
    called = function.value if isinstance(function, Constant) else None
    called = called.function if isinstance(called, host.DerivedLaunch) else called
    if called in (host.require,):
        return _require(builder, node)
    if any(isinstance(one, ast.Starred) for one in node.args) or any(one.arg is None for one in node.keywords):
        raise UnsupportedSyntax(builder.at(node), what="* and ** in a call", hint="write the arguments out")
    arguments = [builder.value(one) for one in node.args]
    keywords = {one.arg or "": builder.value(one.value) for one in node.keywords}
    for known, lower in _OF_HOST:
        if called is known:
            return lower(builder, bound(builder, known, arguments, keywords, node), node)
    for builtin, count, lower_builtin in _BUILTINS:
        if called is builtin and not keywords and (count == len(arguments) or (count == -2 and len(arguments) >= 2)):
            return lower_builtin(builder, arguments, node)
    if isinstance(called, FunctionType) and isinstance(function, Constant) and called.__module__ != host.__name__:
        given = bound(builder, called, arguments, keywords, node)
        return helpers.call(builder, called, function.path, given, node)
    hint = f"host functions call {_CALLABLE}"
    raise UnsupportedSyntax(builder.at(node), what=f"calling {ast.unparse(node.func)}", hint=hint)


def bound(
    builder: Builder,
    function: Callable[..., object],
    arguments: Sequence[Value],
    keywords: Mapping[str, Value],
    node: ast.AST,
) -> dict[str, Value]:
    """A value for each parameter; defaults are constants."""
    signature = inspect.signature(function)
    try:
        given = signature.bind(*arguments, **keywords).arguments
    except TypeError as error:
        names = f"({', '.join(signature.parameters)})"
        raise WrongCall(builder.at(node), call=function.__name__, message=str(error), signature=names) from None
    return {name: given[name] if name in given else Constant(one.default) for name, one in signature.parameters.items()}


# Functions of opwright.host ------------------------------------------------------------------------------------


def _require(builder: Builder, node: ast.Call) -> Constant:
    """The message is made only where the condition does not hold."""
    if len(node.args) != 2 or node.keywords:
        raise UnsupportedSyntax(builder.at(node), what="this call", hint="write: host.require(condition, text)")
    condition = builder.value(node.args[0])
    if kinds_of(condition) != ("truth",):
        hint = "give it a comparison: n > 0"
        raise WrongType(builder.at(node.args[0]), operation="host.require", got=words(condition), hint=hint)
    refuted = apply(builder, "is_refuted", [condition], node)
    with builder.nested() as block:
        _refusal(builder, "value", builder.value(node.args[1]), node)
    builder.add(IfOp(refuted.ssa, block, Block()), node)
    return Constant(None)


def _refusal(builder: Builder, code: str, message: Value, node: ast.AST) -> None:
    if "text" not in kinds_of(message):
        raise WrongType(builder.at(node), operation="a refusal", got=words(message), hint="give it a text")
    builder.add(RefuseOp(code, as_kind(builder, message, "text", node)), node)


def _refuse(code: str) -> Callable[[Builder, _Bound, ast.Call], Value]:
    def refuse(builder: Builder, given: _Bound, node: ast.Call) -> Constant:
        _refusal(builder, code, given["message"], node)
        builder.flow.ended = True
        return Constant(None)

    return refuse


def _check(name: str, *kinds: str, rest: str = "") -> Callable[[Builder, _Bound, ast.Call], Value]:
    """A function that refuses by itself; `rest`: the kind of the constants that its last argument holds."""

    def check(builder: Builder, given: _Bound, node: ast.Call) -> Constant:
        values = list(given.values())
        wanted = list(kinds)
        if rest:
            last = values.pop()
            items = items_of(last)
            if not items:
                hint = "its last argument is a tuple of constants"
                raise WrongType(builder.at(node), operation=f"host.{name}", got=words(last), hint=hint)
            values, wanted = [*values, *items], [*wanted, *[rest] * len(items)]
        for value, kind in zip(values, wanted, strict=False):
            if kind not in kinds_of(value):
                hint = f"its arguments are ({', '.join(given)})"
                raise WrongType(builder.at(node), operation=f"host.{name}", got=words(value), hint=hint)
        made = [as_kind(builder, value, kind, node) for value, kind in zip(values, wanted, strict=True)]
        builder.add(CheckOp(name, made), node)
        return Constant(None)

    return check


def _dense(builder: Builder, given: _Bound, node: ast.Call) -> Value:
    return apply(builder, "dense", [given["shape"], given["dtype"]], node)


def _strided(builder: Builder, given: _Bound, node: ast.Call) -> Value:
    return apply(builder, "strided", [given["shape"], given["strides"], given["dtype"]], node)


def _like(builder: Builder, given: _Bound, node: ast.Call) -> Value:
    dtype = given["dtype"]
    if isinstance(dtype, Constant) and dtype.value is None:
        dtype = apply(builder, "dtype", [given["tensor"]], node)
    return apply(builder, "like", [given["tensor"], dtype], node)


def _launch(builder: Builder, given: _Bound, node: ast.Call) -> Value:
    """The numbers for the kernel are a tuple of numbers of any kind, or a shape."""
    arguments = given["arguments"]
    numbers = [arguments] if isinstance(arguments, RunTimeValue) else items_of(arguments)
    for one in numbers:
        if not {"int", "float", "truth", "scalar", "shape"} & set(kinds_of(one)):
            hint = "write the numbers for the kernel out: arguments=(rows, width)"
            raise WrongType(builder.at(node), operation="host.Launch", got=words(one), hint=hint)
    # A number that may be absent has been tested, or faults here.
    there = [
        RunTimeValue(as_kind(builder, one, kinds_of(one)[-1], node)) if isinstance(one, RunTimeValue) else one
        for one in numbers
    ]
    values = [given["kernel"], given["blocks"], given["workspace"], *there]
    return apply(builder, "launch", values, node, "kernel is a text, blocks and workspace are integers")


def _extreme(name: str) -> Callable[[Builder, _Bound, ast.Call], Value]:
    return lambda builder, given, node: apply(builder, name, [given["first"], given["second"]], node)


_OF_HOST: Sequence[tuple[Callable[..., object], Callable[[Builder, _Bound, ast.Call], Value]]] = (
    (host.refuse, _refuse("value")),
    (host.refuse_type, _refuse("type")),
    (host.require_dtype, _check("require_dtype", "text", "tensor", rest="dtype")),
    (host.require_device, _check("require_device", "text", "tensor", "text", "tensor")),
    (host.require_choice, _check("require_choice", "text", "text", rest="text")),
    (host.dense, _dense),
    (host.strided, _strided),
    (host.like, _like),
    (host.Launch, _launch),
    (host.min, _extreme("min")),
    (host.max, _extreme("max")),
)

# Builtins --------------------------------------------------------------------------------------------------------


def _applied(name: str) -> Callable[[Builder, Sequence[Value], ast.Call], Value]:
    return lambda builder, values, node: apply(builder, name, values, node)


def _len(builder: Builder, values: Sequence[Value], node: ast.Call) -> Value:
    items = items_of(values[0])
    return Constant(len(items)) if items else apply(builder, "size", values, node)


def _same(value: Value) -> Value:
    return value


def _chosen(name: str) -> Callable[[Builder, Sequence[Value], ast.Call], Value]:
    """Python's min and max: they compare, and need to know."""

    def chosen(builder: Builder, values: Sequence[Value], node: ast.Call) -> Value:
        best = values[0]
        for value in values[1:]:
            test: Value | None = folded(builder, name, node, value, best)
            if isinstance(test, Constant):
                best = value if test.value else best
                continue
            known = apply(builder, "known", [apply(builder, name, [value, best], node)], node)
            best = choose(builder, known, partial(_same, value), partial(_same, best), node)
        return best

    return chosen


def _divmod(builder: Builder, values: Sequence[Value], node: ast.Call) -> Value:
    return Items(tuple(apply(builder, name, values, node) for name in ("floordiv", "mod")))


def _float(builder: Builder, values: Sequence[Value], node: ast.Call) -> Value:
    if isinstance(values[0], Constant) and isinstance(values[0].value, (int, float)):
        return Constant(float(values[0].value))
    return values[0] if kinds_of(values[0]) == ("float",) else apply(builder, "to_float", values, node)


def _int(builder: Builder, values: Sequence[Value], node: ast.Call) -> Value:
    return values[0] if kinds_of(values[0])[:1] == ("int",) else apply(builder, "to_int", values, node)


def _isinstance(builder: Builder, values: Sequence[Value], node: ast.Call) -> Value:
    """Of a number of any kind: which kind it is."""
    wanted = values[1].value if isinstance(values[1], Constant) else None
    for kind, test in ((bool, "is_bool"), (int, "is_integer"), (float, "is_float")):
        if wanted is kind:
            return apply(builder, test, values[:1], node, "it tells whether a Scalar is a bool, an int or a float")
    hint = "write isinstance(x, bool), isinstance(x, int) or isinstance(x, float)"
    raise WrongType(builder.at(node), operation="isinstance", got=words(values[1]), hint=hint)


def _tuple(builder: Builder, values: Sequence[Value], node: ast.Call) -> Value:
    return RunTimeValue(as_kind(builder, values[0], "shape", node)) if "shape" in kinds_of(values[0]) else values[0]


_BUILTINS: Sequence[tuple[object, int, Callable[[Builder, Sequence[Value], ast.Call], Value]]] = (
    (len, 1, _len),
    (abs, 1, _applied("abs")),
    (min, -2, _chosen("lt")),
    (max, -2, _chosen("gt")),
    (divmod, 2, _divmod),
    (float, 1, _float),
    (int, 1, _int),
    (isinstance, 2, _isinstance),
    (list, 1, _applied("listed")),
    (tuple, 1, _tuple),
    (math.prod, 1, _applied("prod")),
)
