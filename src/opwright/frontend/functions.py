"""Helpers: `@asc.jit` functions that a kernel calls, and methods of its objects.

In: a call of a function of the author's. Out: the function in the module, made once for each choice of argument types
and constants, and a call of it. A parameter annotated int, float or bool is a run-time value, asc.ConstExpr must be a
constant, and without an annotation a constant stays one. Refuses recursion.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import FunctionType

from opwright.errors import UnsupportedSyntax, WrongCall
from opwright.frontend import arrays, scalars
from opwright.frontend.builder import Builder
from opwright.frontend.compilation import Helper
from opwright.frontend.values import Shape, describe, is_of_class, key_of, leaves
from opwright.ir import SSAValue, numbers
from opwright.ir.binding.similar import or_similar
from opwright.ir.functions import HelperCallOp
from opwright.ir.language import CALLEE
from opwright.ir.types import BOOL, FLOAT, INT, OF_PYTHON, GlobalType
from opwright.ir.values import Constant, Items, RunTimeValue, Value
from opwright.kernel.parameters import Parameter, parameters_of
from opwright.kernel.source import Source

# Helpers within helpers; more is recursion whose constants change.
MAX_CALLS = 32
_ANNOTATED = {python.__name__: kind for python, kind in OF_PYTHON.items()}


def call_function(
    builder: Builder,
    function: FunctionType,
    source: Source,
    path: str,
    arguments: Sequence[Value],
    keywords: Mapping[str, Value],
    node: ast.Call,
) -> Value:
    """Calls a helper or a method; the first argument of a method is its object."""
    role = CALLEE if builder.function.role else ""
    helper, given = helper_for(builder, function, source, path, arguments, keywords, node, role)
    assert helper.shape is not None
    operation = builder.add(HelperCallOp(helper.symbol, given, list(leaves(helper.shape))), node)
    return _value(helper.shape, list(operation.results))


def helper_for(
    builder: Builder,
    function: FunctionType,
    source: Source,
    path: str,
    arguments: Sequence[Value],
    keywords: Mapping[str, Value],
    node: ast.Call,
    role: str,
    max_threads: int = 0,
) -> tuple[Helper, list[SSAValue]]:
    """The helper for these arguments, and those of them that are run-time values."""
    parameters = parameters_of(function)
    values = bind_arguments(builder, function, parameters, arguments, keywords, node)
    given = {p.name: argument(builder, function, p, values[p.name], node) for p in parameters}
    of_run = {name: value for name, value in given.items() if isinstance(value, RunTimeValue)}
    constants = {name: value for name, value in given.items() if not isinstance(value, RunTimeValue)}
    key = (
        function,
        role,
        *((name, value.type) for name, value in of_run.items()),
        *((name, key_of(value)) for name, value in constants.items()),
    )
    helper = builder.compilation.helpers.get(key)
    if helper is None:
        if len(builder.function.calls) >= MAX_CALLS:
            raise UnsupportedSyntax(
                replace(builder.at(node), calls=()),
                what=f"{MAX_CALLS} helpers that call each other",
                hint="an NPU has no stack for that, nor for recursion: write a loop",
            )
        calls = (*builder.function.calls, builder.at(node))
        instance = builder.compilation.enter(function, source, path, calls, role, max_threads)
        helper = builder.compilation.helpers[key] = Helper(builder.compilation.unique(_symbol(function)), instance)
        types_of_run = [(name, value.type) for name, value in of_run.items()]
        helper.shape = builder.grammar.helper(builder, helper, types_of_run, constants)
    elif helper.shape is None:
        raise UnsupportedSyntax(
            builder.at(node),
            what=f"{function.__name__} calling itself",
            hint="an NPU has no stack for recursion: write a loop",
        )
    builder.compilation.note_call(builder.function, builder.mark(node), helper.instance)
    builder.compilation.pipes.note_call(helper.instance.number, builder.spot)
    if builder.function.by_threads == helper.instance.by_threads:  # threads have stacks of their own
        builder.stack.called_bytes = max(builder.stack.called_bytes, helper.array_bytes)
        arrays.refuse_full_stack(builder, node)
    return helper, [value.ssa for value in of_run.values()]


def bind_arguments(
    builder: Builder,
    function: FunctionType,
    parameters: Sequence[Parameter],
    arguments: Sequence[Value],
    keywords: Mapping[str, Value],
    node: ast.Call,
) -> dict[str, Value]:
    """The arguments of a call by the names of the parameters."""
    names = [parameter.name for parameter in parameters]
    values = dict(zip(names, arguments, strict=False))
    complaint = ""
    if len(arguments) > len(names):
        complaint = f"takes {len(names)} arguments, got {len(arguments)}"
    for keyword, value in keywords.items():
        if keyword not in names:
            complaint = complaint or f"has no argument '{keyword}'{or_similar(keyword, names)}"
        elif keyword in values:
            complaint = complaint or f"got '{keyword}' twice"
        values[keyword] = value
    for parameter in parameters:
        if parameter.name not in values:
            if not parameter.has_default:
                complaint = complaint or f"argument '{parameter.name}' is missing"
            values[parameter.name] = Constant(parameter.default)
    if complaint:
        raise WrongCall(builder.at(node), call=function.__name__, message=complaint, signature=_signature(function))
    return values


def argument(builder: Builder, function: FunctionType, parameter: Parameter, value: Value, node: ast.Call) -> Value:
    """An argument as the helper's parameter takes it."""
    name = parameter.name

    def refuse(wanted: str) -> WrongCall:
        message = f"argument '{name}' must be {wanted}, got {describe(value)}"
        return WrongCall(builder.at(node), call=function.__name__, message=message, signature=_signature(function))

    if isinstance(value, Items) and all(isinstance(item, Constant) for item in value.items):
        value = Constant(tuple(item.value for item in value.items if isinstance(item, Constant)))
    if not isinstance(value, (Constant, RunTimeValue)):
        raise refuse("a value")
    if parameter.kind == "constant" and not isinstance(value, Constant):
        raise refuse("a constant")
    if parameter.kind in _ANNOTATED:
        kind = _ANNOTATED[parameter.kind]
        have = numbers.widened(numbers.kind_of(builder.site(node), value, f"argument '{name}'"))
        if have != kind and not (kind == FLOAT or (kind == INT and have == BOOL)):
            raise refuse(f"{kind}")
        return RunTimeValue(numbers.materialise(builder.site(node), value, kind))
    if parameter.dtype is not None:
        return scalars.number(builder, value, parameter.dtype.name, node)
    if isinstance(value, RunTimeValue) and isinstance(value.type, GlobalType) and value.type.dtype.data == "?":
        raise refuse("a global tensor that has its buffer")
    wanted = parameter.wanted or ("GlobalAddress" if parameter.kind == "address" else "")
    # Helpers of PyAsc say GlobalAddress for what their callers have made a tensor of.
    is_made = wanted == "GlobalAddress" and isinstance(value, RunTimeValue) and isinstance(value.type, GlobalType)
    if wanted and not is_made and not (isinstance(value, RunTimeValue) and is_of_class(value.type, wanted)):
        raise refuse(f"asc.{wanted}")
    return value


def _symbol(function: FunctionType) -> str:
    """The name of a helper; a method's says its class too."""
    *_, owner, name = ["<locals>", *function.__qualname__.split(".")]
    return name if owner == "<locals>" else f"{owner}_{name.strip('_')}"


def _signature(function: FunctionType) -> str:
    return f"({', '.join(parameter.name for parameter in parameters_of(function))})"


def _value(shape: Shape, results: list[SSAValue]) -> Value:
    """A result as the caller sees it; takes what it needs from the front of `results`."""
    if isinstance(shape, tuple):
        return Items(tuple(_value(part, results) for part in shape))
    return shape if isinstance(shape, Constant) else RunTimeValue(results.pop(0))
