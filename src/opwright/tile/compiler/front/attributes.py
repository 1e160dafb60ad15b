"""Attributes, methods and indices of tiles, spans and tensors.

In: values. Out: constants, spans and tiles. Refuses names that they do not have.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence

from opwright.errors import UnknownName, WrongType
from opwright.frontend import attributes as of_others
from opwright.frontend import scalars, subscripts
from opwright.frontend.builder import Builder
from opwright.frontend.names import attribute_hint
from opwright.ir import SSAValue
from opwright.ir import tile as ir
from opwright.ir.language import constant_of
from opwright.ir.tile import counts_of, type_of
from opwright.ir.types import tile_type
from opwright.ir.values import Constant, Items, RunTimeValue, Value
from opwright.tile import dtypes
from opwright.tile.compiler.front import spans, tensors
from opwright.tile.compiler.front.bind import bound, known
from opwright.tile.compiler.front.cells import counted
from opwright.tile.compiler.front.operators import number_for, with_rank
from opwright.tile.compiler.front.state import constant, integer
from opwright.tile.compiler.front.values import (
    MethodValue,
    SpanValue,
    TensorValue,
    at_node,
    dtype_named,
    facts_of,
    is_tile,
)
from opwright.tile.shapes import axis_of, refuse_cast, refuse_sum, viewed
from opwright.tile.spans import Span
from opwright.tile.values import Tile

_Bound = Mapping[str, Value]
_SPAN = ("start", "count", "size", "stop", "index", "shifted")


def attribute(builder: Builder, base: Value, node: ast.Attribute) -> Value:
    """`x.shape`, `rows.count`, `t.T`, and what others have."""
    name = node.attr
    if isinstance(base, TensorValue):
        if name in ("shape", "dtype"):
            return Items(base.shape) if name == "shape" else Constant(base.dtype)
        _refuse(builder, "tile.Tensor", node, ("shape", "dtype"))
    if isinstance(base, SpanValue):
        return _of_span(builder, base, node)
    if is_tile(base):
        kind = type_of(base.ssa)
        if name in ("shape", "dtype"):
            return Constant(kind.sizes if name == "shape" else dtype_named(kind.dtype.data))
        if name == "T":
            return transposed(builder, base, node)
        if name in METHODS:
            return MethodValue(RunTimeValue(counted(builder, base, node)), name)
        _refuse(builder, "tile.Tile", node, ("shape", "dtype", "T", *METHODS))
    return of_others.attribute(builder, base, node)


def _refuse(builder: Builder, owner: str, node: ast.Attribute, names: Sequence[str]) -> None:
    hint = attribute_hint(node.attr, names)
    raise UnknownName(builder.at(node), name=f"{owner}.{node.attr}", hint=hint)


def _of_span(builder: Builder, span: SpanValue, node: ast.Attribute) -> Value:
    match node.attr:
        case "start":
            return span.start
        case "stop":
            return span.stop
        case "size":
            return Constant(span.size)
        case "count":
            number = constant_of(span.count)
            return RunTimeValue(span.count) if number is None else Constant(int(number))
        case "index":
            start = integer(builder, span.start)
            kind = tile_type((span.size,), dtypes.INT32.name)
            return RunTimeValue(builder.add(ir.ArangeOp(start, kind, [span.count]), node).results[0])
        case "shifted":
            return MethodValue(span, "shifted")
    _refuse(builder, "tile.Span", node, _SPAN)
    raise AssertionError


def transposed(builder: Builder, value: RunTimeValue, node: ast.AST) -> RunTimeValue:
    """`t.T`."""
    tile = counted(builder, value, node)
    if len(type_of(tile).sizes) < 2:
        return RunTimeValue(tile)
    return RunTimeValue(builder.add(ir.TransposeOp(tile), node).results[0])


def call_method(
    builder: Builder, method: MethodValue, arguments: Sequence[Value], keywords: Mapping[str, Value], node: ast.Call
) -> Value:
    """Calls a method of a tile or a span."""
    if isinstance(method.of, SpanValue):
        given = bound(builder, "span.shifted", Span.shifted, arguments, keywords, node, is_method=True)
        return spans.shifted(builder, method.of, given["n"], node)
    function = getattr(Tile, method.name)
    given = bound(builder, method.name, function, arguments, keywords, node, is_method=True)
    return METHODS[method.name](builder, method.of.ssa, given, node)


def _to(builder: Builder, tile: SSAValue, given: _Bound, node: ast.AST) -> RunTimeValue:
    dtype, round = (known(builder, "to", name, given[name], node) for name in ("dtype", "round"))
    old = dtype_named(type_of(tile).dtype.data)
    with at_node(builder, node):
        refuse_cast(old, dtype, round)
    return RunTimeValue(tile if old == dtype else builder.add(ir.CastOp(tile, dtype.name, round), node).results[0])


def _fill(builder: Builder, tile: SSAValue, given: _Bound, node: ast.AST) -> RunTimeValue:
    kind = type_of(tile)
    number = number_for(builder, "fill", given["value"], dtype_named(kind.dtype.data), node)
    counts = [constant(builder, size) for size in kind.sizes]
    if list(counts_of(tile)) == counts:
        return RunTimeValue(tile)
    return RunTimeValue(builder.add(ir.FillOp(tile, number, counts), node).results[0])


def _axes(builder: Builder, operation: str, tile: SSAValue, given: _Bound, node: ast.AST) -> tuple[int, ...]:
    """The axes that a reduction goes over."""
    axis = known(builder, operation, "axis", given["axis"], node)
    sizes = type_of(tile).sizes
    with at_node(builder, node):
        return tuple(range(len(sizes))) if axis is None else (axis_of(operation, sizes, axis),)


def _reduced(operation: str) -> Callable[[Builder, SSAValue, _Bound, ast.AST], RunTimeValue]:
    def reduced(builder: Builder, tile: SSAValue, given: _Bound, node: ast.AST) -> RunTimeValue:
        dtype = dtype_named(type_of(tile).dtype.data)
        with at_node(builder, node):
            if operation == "sum":
                refuse_sum(dtype)
            dtypes.refuse_kind(operation, dtype, "number")
        axes = _axes(builder, operation, tile, given, node)
        keepdims = bool(known(builder, operation, "keepdims", given["keepdims"], node))
        # The evaluator's rule: sums of bfloat16 are those of float32, rounded once.
        is_wider = operation == "sum" and dtype.name == "bfloat16"
        if is_wider:
            tile = builder.add(ir.CastOp(tile, dtypes.FLOAT32.name), node).results[0]
        rank = len(type_of(tile).sizes)
        for axis in sorted(axes, reverse=True):
            # Of both axes the last one goes first, and what is left of the other is one row: so it is added as one.
            tile = _reduce(builder, operation, tile, axis, node)
            if len(axes) > 1:
                tile = _without(builder, tile, (axis,), node)
        if is_wider:
            tile = builder.add(ir.CastOp(tile, dtype.name), node).results[0]
        if keepdims:
            return RunTimeValue(with_rank(builder, tile, rank, node))
        return RunTimeValue(tile if len(axes) > 1 else _without(builder, tile, axes, node))

    return reduced


def _reduce(builder: Builder, operation: str, tile: SSAValue, axis: int, node: ast.AST) -> SSAValue:
    kind = type_of(tile)
    sizes, counts = list(kind.sizes), list(counts_of(tile))
    sizes[axis], counts[axis] = 1, constant(builder, 1)
    made = ir.ReduceOp(operation, tile, axis, tile_type(sizes, kind.dtype.data), counts)
    return builder.add(made, node).results[0]


def _without(builder: Builder, tile: SSAValue, axes: Sequence[int], node: ast.AST) -> SSAValue:
    """A tile without axes of size 1."""
    kind = type_of(tile)
    kept = [axis for axis in range(len(kind.sizes)) if axis not in axes]
    if len(kept) == len(kind.sizes):
        return tile
    sizes, counts = [kind.sizes[axis] for axis in kept], [counts_of(tile)[axis] for axis in kept]
    return builder.add(ir.ViewOp(tile, tile_type(sizes, kind.dtype.data), counts), node).results[0]


def _mean(builder: Builder, tile: SSAValue, given: _Bound, node: ast.AST) -> RunTimeValue:
    """The sum divided by how many are there."""
    dtype = dtype_named(type_of(tile).dtype.data)
    with at_node(builder, node):
        dtypes.refuse_kind("mean", dtype, "float")
    count: Value = Constant(1)
    for axis in _axes(builder, "mean", tile, given, node):
        there = counts_of(tile)[axis]
        number = constant_of(there)
        factor = RunTimeValue(there) if number is None else Constant(int(number))
        is_first = isinstance(count, Constant) and count.value == 1
        count = factor if is_first else scalars.binary(builder, "mul", count, factor, node)
    total = METHODS["sum"](builder, tile, given, node)
    number_ssa = number_for(builder, "/", count, dtype, node)
    return RunTimeValue(builder.add(ir.WithNumberOp("div", total.ssa, number_ssa), node).results[0])


METHODS: dict[str, Callable[[Builder, SSAValue, _Bound, ast.AST], RunTimeValue]] = {
    "to": _to,
    "fill": _fill,
    "sum": _reduced("sum"),
    "max": _reduced("max"),
    "min": _reduced("min"),
    "mean": _mean,
}


def subscript(builder: Builder, base: Value, node: ast.Subscript) -> Value:
    """`x[rows]`, `t[:, None]`, and what others have."""
    if isinstance(base, TensorValue):
        return tensors.subscript(builder, base, node)
    if is_tile(base):
        return _view(builder, base, node)
    return subscripts.subscript(builder, base, node)


def _view(builder: Builder, value: RunTimeValue, node: ast.Subscript) -> RunTimeValue:
    """A tile with more axes."""
    tile = counted(builder, value, node)
    kind = type_of(tile)
    given = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    with at_node(builder, node):
        kept = viewed(kind.sizes, [_item(builder, one) for one in given])
    if kept == list(range(len(kind.sizes))):
        return RunTimeValue(tile)
    sizes = [1 if axis is None else kind.sizes[axis] for axis in kept]
    counts = [constant(builder, 1) if axis is None else counts_of(tile)[axis] for axis in kept]
    return RunTimeValue(builder.add(ir.ViewOp(tile, tile_type(sizes, kind.dtype.data), counts), node).results[0])


def _item(builder: Builder, node: ast.expr) -> object:
    """None or a slice of all of an axis; words for everything else."""
    if isinstance(node, ast.Slice):
        parts = (node.lower, node.upper, node.step)
        return slice(None) if parts == (None, None, None) else ast.unparse(node)
    value = builder.value(node)
    if isinstance(value, Constant) and value.value is None:
        return None
    return f"a tile of {facts_of(builder, value).dtype.name}" if is_tile(value) else ast.unparse(node)


def set_element(builder: Builder, base: Value, node: ast.Subscript, value: Value) -> None:
    """`y[rows] = t`."""
    if isinstance(base, TensorValue):
        tensors.set_element(builder, base, node, value)
        return
    if is_tile(base):
        hint = "nothing changes a tile: make another one, with tile.where or t.fill"
        raise WrongType(builder.at(node), operation="assignment to a part", got="a tile", hint=hint)
    subscripts.set_element(builder, base, node, value)
