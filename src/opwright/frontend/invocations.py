"""Calls in a kernel: of Ascend C, of helpers and classes of the author's, of Python's builtins.

In: call nodes. Out: values. Refuses to call anything else, and says what can be called.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from types import FunctionType

from opwright.ascendc.dtypes import DataType
from opwright.ascendc.row import Row
from opwright.ascendc.traits import Binds, SharedByThreads, StartsThreads
from opwright.errors import UnsupportedSyntax, WrongCaller
from opwright.frontend import (
    attributes,
    calls,
    functions,
    hints,
    inplace,
    intrinsics,
    objects,
    subscripts,
    threads,
)
from opwright.frontend.builder import Builder
from opwright.frontend.formats import check_format, is_format_row, spread
from opwright.frontend.values import Method, NumberMethod, OwnMethod
from opwright.ir import numbers
from opwright.ir.types import GlobalType, LocalType
from opwright.ir.values import Constant, Items, RunTimeValue, Value
from opwright.kernel.function import KernelFunction, ThreadFunction
from opwright.kernel.names import Call

_OF_KERNELS = "a kernel can call names of opwright.asc, helpers marked @asc.jit, your own classes"
_OF_THREADS = "threads can call names of asc.simt, functions marked @asc.simt, asc.array, asc.number, asc.printf"


def call(builder: Builder, node: ast.Call) -> Value:
    """A call of Ascend C, of a builtin, or of a tensor's method."""
    _refuse_foreign(builder, node)
    return builder.grammar.call(builder, builder.value(node.func), node)


def call_value(builder: Builder, function: Value, node: ast.Call) -> Value:
    """A call of what the expression before the brackets gave."""
    if any(isinstance(argument, ast.Starred) for argument in node.args) or any(
        keyword.arg is None for keyword in node.keywords
    ):
        raise UnsupportedSyntax(builder.at(node), what="* and ** in a call", hint="write the arguments out")
    first = node.args[0] if node.args else None
    if isinstance(first, ast.JoinedStr) and isinstance(function, Constant) and isinstance(function.value, Call):
        row = function.value.row
        if is_format_row(row) and len(node.args) == 1 and not node.keywords:
            return calls.invoke(builder, row, spread(builder, row, first), {}, node)
    arguments, keywords = arguments_of(builder, node)
    if isinstance(function, Constant):
        result = _call_constant(builder, function, arguments, keywords, node)
    else:
        result = _call_method(builder, function, arguments, keywords, node)
    if result is not None:
        return result
    usual = (
        f"{_OF_THREADS if builder.function.by_threads else _OF_KERNELS}, and min, max, abs, len, int, float and bool"
    )
    hint = _instead(builder, function, arguments) or usual
    raise UnsupportedSyntax(builder.at(node), what=f"calling {ast.unparse(node.func)}", hint=hint)


def arguments_of(builder: Builder, node: ast.Call) -> tuple[list[Value], dict[str, Value]]:
    """The values of the arguments, by position and by name."""
    arguments = [_argument(builder, argument) for argument in node.args]
    return arguments, {keyword.arg or "": _argument(builder, keyword.value) for keyword in node.keywords}


def _call_method(
    builder: Builder, function: Value, arguments: Sequence[Value], keywords: Mapping[str, Value], node: ast.Call
) -> Value | None:
    """Calls a method, or a tensor, which gives a part of it; None if the value cannot be called."""
    match function:
        case OwnMethod():
            return objects.call_method(builder, function, arguments, keywords, node)
        case NumberMethod(number=of, name=name) if len(arguments) == 1 and not keywords:
            return intrinsics.number_method(builder, of, name, arguments[0], node)
        case Method(tensor=tensor, row=row):
            if any(form.get(Binds) for form in row.forms):
                inplace.refuse_copies(builder, tensor, node)
            return calls.invoke(builder, row, [tensor, *arguments], keywords, node)
        case RunTimeValue() if isinstance(function.type, (GlobalType, LocalType)) and len(arguments) == 1:
            return subscripts.part(builder, function, arguments[0], node)
    return None


def _call_constant(
    builder: Builder, function: Constant, arguments: Sequence[Value], keywords: Mapping[str, Value], node: ast.Call
) -> Value | None:
    """Calls what is known now: a helper, a class, a call of Ascend C, an intrinsic; None if it cannot be called."""
    called, path = function.value, function.path
    if isinstance(called, KernelFunction) and path:
        _check_function(builder, called, node)
        return functions.call_function(builder, called.function, called.source, path, arguments, keywords, node)
    if (config := intrinsics.config(called, arguments)) and not keywords:
        return Constant(config)
    if isinstance(called, type) and path and called.__module__ != "builtins":
        if builder.function.by_threads:
            hint = "threads have numbers, addresses and asc.array; pass numbers on"
            raise UnsupportedSyntax(builder.at(node), what=f"making {called.__name__} by a thread", hint=hint)
        return objects.construct(builder, called, path, arguments, keywords, node)
    if isinstance(called, Call):
        for value in (*arguments, *keywords.values()):
            numbers.refuse_huge(builder.site(node), value)
        return _call_row(builder, called.row, arguments, keywords, node)
    if isinstance(called, DataType) and len(arguments) == 1 and not keywords:
        return intrinsics.as_number(builder, arguments[0], function, node)
    if (result := intrinsics.call(builder, called, arguments, keywords, node)) is not None:
        return result
    if isinstance(called, FunctionType):
        raise UnsupportedSyntax(
            builder.at(node),
            what=f"calling {ast.unparse(node.func)}, a plain Python function,",
            hint="mark it with @asc.simt: threads can call it then"
            if builder.function.by_threads
            else "mark it with @asc.jit: it becomes a helper of the kernel",
        )
    if intrinsics.is_dtype_method(called) and not arguments and not keywords:
        assert callable(called)
        return Constant(called())
    return None


def _refuse_foreign(builder: Builder, node: ast.Call) -> None:
    """Refuses functions of `math`, NumPy and torch for which there is a hint; it depends on their arguments."""
    if not isinstance(node.func, ast.Attribute) or not isinstance(node.func.value, ast.Name):
        return
    module = builder.value(node.func.value)
    if not isinstance(module, Constant) or not hints.is_foreign(module.value):
        return
    arguments = [_argument(builder, one) for one in node.args if not isinstance(one, ast.Starred)]
    hint = hints.of_function(node.func.attr, arguments, builder.function.by_threads)
    if hint:
        what = f"calling {getattr(module.value, '__name__', '')}.{node.func.attr}"
        raise UnsupportedSyntax(builder.at(node), what=what, hint=hint)


def _instead(builder: Builder, function: Value, arguments: Sequence[Value]) -> str:
    """What there is instead of a function that a kernel cannot call; "" if nothing is known."""
    called = function.value if isinstance(function, Constant) else None
    if called is print:
        return hints.PRINT
    is_known = any(called is one for one in (pow, round, sum)) or hints.is_foreign(called)
    return (
        hints.of_function(getattr(called, "__name__", ""), arguments, builder.function.by_threads) if is_known else ""
    )


def _call_row(
    builder: Builder, row: Row, arguments: Sequence[Value], keywords: Mapping[str, Value], node: ast.Call
) -> Value:
    """A call of Ascend C by its name."""
    attributes.check_caller(builder, row, node)
    if row.forms[0].get(StartsThreads):
        return threads.start(builder, arguments, keywords, node)
    if row.fields:
        what, hint = f"calling asc.{row.name}, a variable,", "leave the brackets out"
        raise UnsupportedSyntax(builder.at(node), what=what, hint=hint)
    if row.forms[0].get(SharedByThreads):
        return threads.share(builder, row, arguments, keywords, node)
    check_format(builder, row, arguments, node)
    return calls.invoke(builder, row, arguments, keywords, node)


def _check_function(builder: Builder, function: KernelFunction, node: ast.Call) -> None:
    """Refuses functions of other front ends, helpers of kernels to threads, and functions of threads to kernels."""
    if function.front_end != KernelFunction.front_end:
        raise UnsupportedSyntax(
            builder.at(node),
            what=f"calling {ast.unparse(node.func)}, a kernel of the front end {function.front_end},",
            hint="launch it by itself; a kernel calls helpers marked @asc.jit",
        )
    if isinstance(function, ThreadFunction) == builder.function.by_threads:
        return
    name = function.function.__name__
    if builder.function.role:
        where, hint = "by threads", "it is for kernels; mark what threads call with @asc.simt"
    else:
        where, hint = "by a kernel", f"start it on threads: asc.vf_call({name}, 1024, ...)"
    raise WrongCaller(builder.at(node), call=name, where=where, hint=hint)


def _argument(builder: Builder, node: ast.expr) -> Value:
    """An argument of a call: a list may stand there, as in asc.array(asc.int32, [1, 2])."""
    if isinstance(node, ast.List):
        return Items(tuple(builder.value(part) for part in node.elts))
    return builder.value(node)
