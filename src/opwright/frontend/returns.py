"""Results of functions: what `return` gives back, and what callers know about it.

In: return statements. Out: the shape of the result, and return operations. Every path through a function has results of
one shape. Refuses results of kernels, results that differ from path to path, and objects that the text cannot copy.
"""

from __future__ import annotations

import ast

from opwright.errors import TypeChanged, UnsupportedSyntax
from opwright.frontend import variables
from opwright.frontend.builder import Builder
from opwright.frontend.values import Shape, describe
from opwright.ir import SSAValue, numbers
from opwright.ir.calls import is_fixed
from opwright.ir.functions import ReturnOp
from opwright.ir.language import VF
from opwright.ir.types import ScalarType
from opwright.ir.values import Constant, Items, RunTimeValue, Value
from opwright.kernel.stable import exact


def give_back(builder: Builder, node: ast.Return) -> None:
    """`return`: ends the function; every path through it has results of one shape."""
    value = builder.value(node.value) if node.value is not None else Constant(None)
    if builder.function.number == 0 or builder.function.role == VF:
        if not (isinstance(value, Constant) and value.value is None):
            raise UnsupportedSyntax(
                builder.at(node),
                what=f"a result of a {'function that a kernel starts' if builder.function.role == VF else 'kernel'}",
                hint="write it to an argument in global memory",
            )
        if node is not builder.definition.body[-1]:
            builder.add(ReturnOp(), node)
        return
    if builder.flow.shape is None:
        builder.flow.shape = _shape_of(builder, value, node)
    builder.add(ReturnOp(_results(builder, value, builder.flow.shape, node)), node)


def _returns(builder: Builder) -> int:
    """How many `return` the function has."""
    return sum(isinstance(part, ast.Return) for part in ast.walk(builder.definition))


def _shape_of(builder: Builder, value: Value, node: ast.Return) -> Shape:
    """What callers know about a result. Where there are several returns, numbers are run-time values."""
    if isinstance(value, Items):
        return tuple(_shape_of(builder, item, node) for item in value.items)
    if isinstance(value, RunTimeValue):
        if is_fixed(value.type):
            hint = "make it where it is used, and pass it in"
            raise UnsupportedSyntax(builder.at(node), what=f"returning {describe(value)}", hint=hint)
        # One way may return a narrow number where another returns what was computed from it.
        several = _returns(builder) > 1
        return numbers.widened(value.type) if several and isinstance(value.type, ScalarType) else value.type
    if not isinstance(value, Constant):
        raise UnsupportedSyntax(builder.at(node), what=f"returning {describe(value)}", hint="call it here")
    if _returns(builder) > 1 and isinstance(value.value, (int, float)):
        return variables.storable(builder, "the result", value, node)
    return value


def _results(builder: Builder, value: Value, shape: Shape, node: ast.Return) -> list[SSAValue]:
    """The run-time values in a result."""
    match value, shape:
        case Items(items), tuple() if len(items) == len(shape):
            return [
                part for item, inner in zip(items, shape, strict=True) for part in _results(builder, item, inner, node)
            ]
        case Constant(), Constant() if exact(value.value) == exact(shape.value):
            return []
        case ((Constant() | RunTimeValue()), ScalarType()) if _is_number(value):
            return [variables.as_type(builder, "the result", value, shape, node).ssa]
        case RunTimeValue(), _ if value.type == shape:
            return [value.ssa]
    raise TypeChanged(builder.at(node), name="the result", before=_words(shape), after=describe(value))


def close(builder: Builder) -> Shape:
    """The shape of the result, at the end of the function's text."""
    if builder.flow.shape is None:
        return Constant(None)
    if not builder.flow.ended and not (isinstance(builder.flow.shape, Constant) and builder.flow.shape.value is None):
        raise UnsupportedSyntax(
            builder.at(builder.definition),
            what=f"'{builder.definition.name}', which returns a value on some paths but not on others,",
            hint="end every path with return",
        )
    return builder.flow.shape


def _is_number(value: Constant | RunTimeValue) -> bool:
    return isinstance(value.value if isinstance(value, Constant) else value.type, (int, float, ScalarType))


def _words(shape: Shape) -> str:
    if isinstance(shape, tuple):
        return f"a tuple of {len(shape)}"
    return describe(shape) if isinstance(shape, Constant) else str(shape)
