"""`asc.array`: a few numbers on the stack of a core.

In: an element type and a length or values; indices. Out: an array that starts filled, and cells for its elements. An
index is tested where Python would: one outside stops the core, a constant one is refused.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from opwright.ascendc.dtypes import DTYPES, NAMED_ONLY, DataType
from opwright.errors import StackFull, UnsupportedSyntax, WrongType
from opwright.frontend import scalars
from opwright.frontend.builder import Builder
from opwright.frontend.values import describe
from opwright.ir import SSAValue, numbers
from opwright.ir.aggregates import ArrayOp, ElementOp
from opwright.ir.language import CompareOp, ConstantOp, LogicalOp, StoreOp
from opwright.ir.types import INT, ArrayType, array_type, float32, scalar
from opwright.ir.values import Constant, Items, RunTimeValue, Value

STACK_BYTES = 32 * 1024  # of a core's stack
MAX_BYTES = 8 * 1024
THREAD_BYTES = 1152  # of a thread's stack, where nothing else of it lies
_USAGE = "write asc.array(asc.int32, 8), asc.array(asc.int32, 8, fill_value=1) or asc.array(asc.int32, (1, 2, 3))"


def make(builder: Builder, arguments: Sequence[Value], fill: Value | None, node: ast.Call) -> RunTimeValue:
    """asc.array(dtype, length, fill_value) or asc.array(dtype, values)."""
    dtype = arguments[0].value if arguments and isinstance(arguments[0], Constant) else None
    is_known = isinstance(dtype, DataType) and dtype.name not in NAMED_ONLY
    if not is_known or len(arguments) not in (2, 3) or (len(arguments) == 3 and fill):
        raise UnsupportedSyntax(builder.at(node), what="this form of asc.array", hint=_USAGE)
    assert isinstance(dtype, DataType)
    filled = arguments[2] if len(arguments) == 3 else fill or Constant(0)
    content = arguments[1]
    if isinstance(content, Constant) and isinstance(content.value, (tuple, list)):
        content = Items(tuple(Constant(item) for item in content.value))
    if isinstance(content, Constant) and type(content.value) is int and content.value > 0:
        values: tuple[Value, ...] = (filled,) * min(content.value, MAX_BYTES)
        length = content.value
    elif isinstance(content, Items) and content.items:
        values, length = content.items, len(content.items)
    else:
        raise UnsupportedSyntax(builder.at(node), what=f"an array of {describe(content)}", hint=_USAGE)
    if length * dtype.bytes > MAX_BYTES:
        raise UnsupportedSyntax(
            builder.at(node),
            what=f"an array of {length * dtype.bytes} bytes",
            hint=f"an array is on the core's stack and may have {MAX_BYTES}; use a tensor",
        )
    builder.stack.own_bytes += length * dtype.bytes
    builder.stack.lines.append(builder.at(node).line)
    refuse_full_stack(builder, node)
    known = [_literal(builder, value, dtype, node) for value in values]
    operation = builder.add(ArrayOp(array_type(dtype.name, length), known), node)
    array = RunTimeValue(operation.results[0])
    for index, value in enumerate(values):
        if isinstance(value, RunTimeValue):
            place = builder.add(ConstantOp(index, INT), node).results[0]
            store(builder, builder.add(ElementOp(array.ssa, place), node).results[0], value, dtype.name, node)
    return array


def refuse_full_stack(builder: Builder, node: ast.Call) -> None:
    """Refuses more arrays than fit a stack: a function's own, and those of the one it calls that has most."""
    count = builder.stack.total
    if builder.function.by_threads:
        if count > THREAD_BYTES:
            raise UnsupportedSyntax(
                builder.at(node),
                what=f"arrays of {count} bytes in one thread",
                hint=f"they are on the thread's stack, which has {THREAD_BYTES}; share memory, or use fewer",
            )
    elif count > STACK_BYTES:
        where = f"{builder.stack.own_bytes} bytes are arrays of {builder.function.name}"
        if builder.stack.lines:
            where += f", lines {', '.join(map(str, builder.stack.lines[:8]))}{' ...' * (len(builder.stack.lines) > 8)}"
        if builder.stack.called_bytes:
            where += f", and {builder.stack.called_bytes} of functions that it calls"
        raise StackFull(builder.at(node), count=count, max=STACK_BYTES, where=where)


def _literal(builder: Builder, value: Value, dtype: DataType, node: ast.Call) -> str:
    """A constant as the declaration holds it; what is only known at run time starts at 0."""
    if isinstance(value, RunTimeValue):
        numbers.kind_of(builder.site(node), value, "asc.array")
        return "0"
    number = value.value if isinstance(value, Constant) else None
    if not isinstance(number, (int, float)) or (isinstance(number, float) and dtype.is_int()):
        raise WrongType(builder.at(node), operation=f"an array of {dtype.name}", got=describe(value), hint=_USAGE)
    if dtype.is_int():
        low, high = dtype.limits
        if not low <= number <= high:
            hint = f"its elements go from {low} to {high}"
            raise WrongType(builder.at(node), operation=f"an array of {dtype.name}", got=str(number), hint=hint)
        return str(int(number))
    return float32(number).hex()


def element(builder: Builder, array: RunTimeValue, index: Value, node: ast.AST) -> SSAValue:
    """The cell of one element."""
    assert isinstance(array.type, ArrayType)
    length = array.type.length.data
    if isinstance(index, Constant) and type(index.value) is int:
        if not -length <= index.value < length:
            raise WrongType(
                builder.at(node),
                operation=f"an array of {length}",
                got=f"index {index.value}",
                hint=f"indices go from 0 to {length - 1}, and from -{length} at the end",
            )
        place: SSAValue = builder.add(ConstantOp(index.value % length, INT), node).results[0]
    elif (
        isinstance(index, RunTimeValue)
        and numbers.widened(numbers.kind_of(builder.site(node), index, "an index")) == INT
    ):
        place = numbers.materialise(builder.site(node), index, INT)
        low, high = (builder.add(ConstantOp(bound, INT), node).results[0] for bound in (0, length))
        below = builder.add(CompareOp("lt", place, low), node).results[0]
        above = builder.add(CompareOp("ge", place, high), node).results[0]
        outside = above if scalars.nonnegative(index) else builder.add(LogicalOp("or", below, above), node).results[0]
        scalars.stop_if(builder, outside, f"index outside of an array of {length}", node)
    else:
        hint = "index with an integer"
        raise WrongType(builder.at(node), operation="an array", got=describe(index), hint=hint)
    return builder.add(ElementOp(array.ssa, place), node).results[0]


def store(builder: Builder, cell: SSAValue, value: Value, dtype: str, node: ast.AST) -> None:
    """Sets an element; a run-time number wraps to its width as in C++."""
    kind = scalar(dtype)
    have = numbers.widened(numbers.kind_of(builder.site(node), value, f"an array of {dtype}"))
    if numbers.is_float(have) and DTYPES[dtype].is_int():
        hint = "convert it first: int(x)"
        raise WrongType(builder.at(node), operation=f"an array of {dtype}", got=describe(value), hint=hint)
    builder.add(StoreOp(cell, numbers.materialise(builder.site(node), value, kind)), node)
