"""Functions of `opwright.tile` as a kernel calls them.

In: a function and its arguments. Out: a value. Refuses, with the evaluator's own rules, types and shapes that a
function does not take, and functions that a tile kernel does not have.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence

from opwright.ascendc.dtypes import DataType
from opwright.ascendc.table import ROWS
from opwright.errors import AssumptionBroken, UnsupportedSyntax, WrongType
from opwright.frontend import calls, invocations
from opwright.frontend.builder import Builder
from opwright.ir import SSAValue, numbers
from opwright.ir import tile as ir
from opwright.ir.language import BinaryOp, CompareOp, TruncDivOp, constant_of
from opwright.ir.tile import counts_of
from opwright.ir.types import tile_type
from opwright.ir.values import Constant, RunTimeValue, Value
from opwright.kernel.function import KernelFunction
from opwright.tile import dtypes, functions, spans
from opwright.tile.compiler.front import helpers, printing, tensors
from opwright.tile.compiler.front import spans as of_spans
from opwright.tile.compiler.front.attributes import call_method
from opwright.tile.compiler.front.bind import bound, known
from opwright.tile.compiler.front.cells import counted
from opwright.tile.compiler.front.host import ALL_CORES, plain_of
from opwright.tile.compiler.front.inline import call_kernel
from opwright.tile.compiler.front.operators import elementwise, number_for, one, select
from opwright.tile.compiler.front.state import constant, smaller, state_of
from opwright.tile.compiler.front.values import (
    MethodValue,
    SpanValue,
    TensorValue,
    at_node,
    facts_of,
    is_number,
    is_tile,
    word_of,
)
from opwright.tile.shapes import product_dtype, refuse_operand, shape_of

_Lower = Callable[[Builder, Mapping[str, Value], ast.Call], Value]
_BUILTINS = (min, max, abs, len, int, float, bool)
_INSTEAD = {"min": "tile.minimum or t.min()", "max": "tile.maximum or t.max()", "abs": "tile.abs"}
_CALLED = (
    "a tile kernel calls names of opwright.tile, functions marked @tile.jit, and min, max, abs, len, int, float, bool"
)


def call(builder: Builder, function: Value, node: ast.Call) -> Value:
    """A call of what the expression before the brackets gave."""
    if any(isinstance(one, ast.Starred) for one in node.args) or any(one.arg is None for one in node.keywords):
        raise UnsupportedSyntax(builder.at(node), what="* and ** in a call", hint="write the arguments out")
    called = function.value if isinstance(function, Constant) else None
    if isinstance(called, KernelFunction):
        return call_kernel(builder, function, node)
    if isinstance(function, MethodValue):
        arguments, keywords = invocations.arguments_of(builder, node)
        return call_method(builder, function, arguments, keywords, node)
    if called is functions.call:
        return helpers.call(builder, node)
    if called is functions.print:
        return printing.call(builder, node)
    lower = next((lower for known_function, lower in _FUNCTIONS if known_function is called), None)
    if lower is not None:
        arguments, keywords = invocations.arguments_of(builder, node)
        name = f"tile.{getattr(called, '__name__', '')}"
        assert callable(called)
        return lower(builder, bound(builder, name, called, arguments, keywords, node), node)
    if any(called is one for one in _BUILTINS):
        _refuse_ours(builder, getattr(called, "__name__", ""), node)
        return invocations.call_value(builder, function, node)
    hint = 'write tile.print("text", t)' if called is print else _CALLED
    raise UnsupportedSyntax(builder.at(node), what=f"calling {ast.unparse(node.func)}", hint=hint)


def _refuse_ours(builder: Builder, name: str, node: ast.Call) -> None:
    """Refuses Python's functions of numbers on tiles that have names."""
    for argument in node.args:
        value = builder.scope.names.get(argument.id) if isinstance(argument, ast.Name) else None
        if isinstance(value, (TensorValue, SpanValue)) or (isinstance(value, RunTimeValue) and is_tile(value)):
            hint = f"use {_INSTEAD[name]}" if name in _INSTEAD else "it takes numbers"
            raise WrongType(builder.at(node), operation=name, got=f"a {word_of(value)}".lower(), hint=hint)


def _unary(name: str, kinds: str = "float") -> _Lower:
    return lambda builder, given, node: one(builder, name, name, given["x"], node, kinds)


def _extreme(operation: str, name: str) -> _Lower:
    def extreme(builder: Builder, given: Mapping[str, Value], node: ast.Call) -> RunTimeValue:
        x, y = given["x"], given["y"]
        if is_number(x) and is_number(y) and not is_tile(x) and not is_tile(y):
            with at_node(builder, node):
                refuse_operand(operation, word_of(x))
        return elementwise(builder, operation, name, (x, y), node)

    return extreme


def _where(builder: Builder, given: Mapping[str, Value], node: ast.Call) -> RunTimeValue:
    return select(builder, given["mask"], given["x"], given["y"], node)


def _dtype(builder: Builder, operation: str, value: Value, node: ast.AST) -> DataType:
    dtype = known(builder, operation, "dtype", value, node)
    if not isinstance(dtype, DataType):
        hint = "write a type such as tile.float32, or x.dtype"
        raise WrongType(builder.at(node), operation=operation, got=str(dtype), hint=hint)
    with at_node(builder, node):
        dtypes.refuse_wide(operation, dtype)
    return dtype


def _full(builder: Builder, given: Mapping[str, Value], node: ast.Call) -> RunTimeValue:
    with at_node(builder, node):
        sizes = shape_of("full", known(builder, "full", "shape", given["shape"], node))
    dtype = _dtype(builder, "full", given["dtype"], node)
    number = number_for(builder, "full", given.get("value", Constant(0)), dtype, node)
    counts = [constant(builder, size) for size in sizes]
    return RunTimeValue(builder.add(ir.FullOp(number, tile_type(sizes, dtype.name), counts), node).results[0])


def _arange(builder: Builder, given: Mapping[str, Value], node: ast.Call) -> RunTimeValue:
    with at_node(builder, node):
        sizes = shape_of("arange", known(builder, "arange", "size", given["size"], node))
    dtype = _dtype(builder, "arange", given["dtype"], node)
    counts = [constant(builder, size) for size in sizes]
    made = ir.ArangeOp(constant(builder, 0), tile_type(sizes, dtype.name), counts)
    return RunTimeValue(builder.add(made, node).results[0])


def _dot(builder: Builder, given: Mapping[str, Value], node: ast.Call) -> RunTimeValue:
    operands: list[SSAValue] = []
    with at_node(builder, node):
        for value in (given["a"], given["b"], given["acc"]):
            if is_tile(value):
                operands.append(counted(builder, value, node))
            elif value is not given["acc"] or not (isinstance(value, Constant) and value.value is None):
                refuse_operand("dot", word_of(value))
        facts = [facts_of(builder, RunTimeValue(operand)) for operand in operands]
        acc = facts[2] if len(facts) == 3 else None
        dtype = product_dtype(facts[0], facts[1], acc)
    a, b, *rest = operands
    counts = [counts_of(a)[0], counts_of(b)[1]]
    shape = (facts[0].shape[0], facts[1].shape[1])
    if rest:
        counts = [
            smaller(builder, count, other, size, node)
            for count, other, size in zip(counts, counts_of(rest[0]), shape, strict=True)
        ]
    made = ir.DotOp(a, b, rest[0] if rest else None, tile_type(shape, dtype.name), counts)
    return RunTimeValue(builder.add(made, node).results[0])


def _atomic(operation: str) -> _Lower:
    def atomic(builder: Builder, given: Mapping[str, Value], node: ast.Call) -> Constant:
        tensor = given["x"]
        if not isinstance(tensor, TensorValue):
            hint = "it takes a tensor, its index and a tile: tile.atomic_add(x, (rows, cols), t)"
            raise WrongType(builder.at(node), operation=operation, got=f"a {word_of(tensor)}", hint=hint)
        axes = tensors.index_of(builder, tensor, given["index"], node)
        tensors.put(builder, operation, tensor, axes, given["value"], node)
        return Constant(None)

    return atomic


def _assume(builder: Builder, given: Mapping[str, Value], node: ast.Call) -> Constant:
    """A condition that the host tests before a launch. What it says about a number is used from here on."""
    condition = numbers.truth(builder.site(node), given["condition"])
    if isinstance(condition, Constant):
        if not condition.value:
            raise AssumptionBroken(builder.at(node), kernel=builder.compilation.instances[0].name)
        return Constant(None)
    plain = plain_of(condition)
    if plain is None:
        hint = "it takes shapes, numbers that the kernel is called with, and constants"
        raise UnsupportedSyntax(builder.at(node), what="an assumption that only a core could test", hint=hint)
    state = state_of(builder)
    state.host.assume(builder.mark(node), plain)
    test = condition.ssa.owner
    if isinstance(test, CompareOp) and test.operator.data == "eq":
        _note_equal(builder, test)
    return Constant(None)


def _note_equal(builder: Builder, test: CompareOp) -> None:
    """`n == 64` and `n % 64 == 0`."""
    state = state_of(builder)
    for value, other in ((test.left, test.right), (test.right, test.left)):
        number = constant_of(other)
        if number is None:
            continue
        made = value.owner
        divisor = constant_of(made.right) if isinstance(made, (BinaryOp, TruncDivOp)) else None
        if number == 0 and isinstance(made, (BinaryOp, TruncDivOp)) and made.operator.data == "mod" and divisor:
            state.multiples[made.left] = int(divisor)
        else:
            state.known[value] = int(number)


def _span(builder: Builder, given: Mapping[str, Value], node: ast.Call) -> SpanValue:
    return of_spans.span(builder, given["start"], given["size"], given["stop"], node)


def _whole(builder: Builder, given: Mapping[str, Value], node: ast.Call) -> SpanValue:
    return of_spans.whole(builder, given["length"], given["size"], node)


def _blocks(builder: Builder, given: Mapping[str, Value], node: ast.Call) -> Constant:
    length, dtype = (known(builder, "tile.blocks", name, given[name], node) for name in ("length", "dtype"))
    return Constant(spans.blocks(length, dtype))


def _of_core(row: str) -> _Lower:
    def of_core(builder: Builder, given: Mapping[str, Value], node: ast.Call) -> Value:
        state_of(builder).host.iterations.append(ALL_CORES)
        return calls.invoke(builder, ROWS[row], [], {}, node)

    return of_core


_FLOATS = ("exp", "log", "sqrt", "rsqrt", "reciprocal", "tanh", "sigmoid", "erf", "floor", "ceil", "round")
_FUNCTIONS: Sequence[tuple[object, _Lower]] = (
    *((getattr(functions, name), _unary(name)) for name in _FLOATS),
    (functions.abs, _unary("abs", "number")),
    (functions.maximum, _extreme("maximum", "max")),
    (functions.minimum, _extreme("minimum", "min")),
    (functions.where, _where),
    (functions.zeros, _full),
    (functions.full, _full),
    (functions.arange, _arange),
    (functions.dot, _dot),
    *((getattr(functions, name), _atomic(name)) for name in ("atomic_add", "atomic_max", "atomic_min")),
    (functions.assume, _assume),
    (functions.core, _of_core("get_block_idx")),
    (functions.cores, _of_core("get_block_num")),
    (spans.span, _span),
    (spans.whole, _whole),
    (spans.blocks, _blocks),
)
