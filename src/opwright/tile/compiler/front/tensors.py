"""Tensors that spans and numbers index: loads, stores, atomic updates, numbers.

In: index expressions. Out: IR that computes where the first element lies, and the access. Refuses, with the evaluator's
own rules, what is no index, other types than the tensor's, and numbers of tensors that the kernel writes. The host
tests before a launch what follows from shapes: that spans end within their axis and that the last axis has no gaps.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NoReturn

from opwright.errors import NotAnIndex, WrittenAndRead, WrongType, brief
from opwright.frontend import operators, scalars
from opwright.frontend.builder import Builder
from opwright.frontend.values import describe
from opwright.ir import SSAValue, numbers
from opwright.ir.language import constant_of
from opwright.ir.tile import counts_of, type_of
from opwright.ir.tile_memory import AtomicOp, GatherOp, LoadOp, ReadOp, StoreOp
from opwright.ir.types import INT, tile_type
from opwright.ir.values import Constant, Items, RunTimeValue, Value
from opwright.tile.compiler.front.cells import counted
from opwright.tile.compiler.front.host import plain_of
from opwright.tile.compiler.front.linear import difference
from opwright.tile.compiler.front.spans import full, stop_unless
from opwright.tile.compiler.front.state import constant, integer, smaller, state_of
from opwright.tile.compiler.front.values import (
    SpanValue,
    TensorValue,
    at_node,
    dtype_named,
    facts_of,
    is_number,
    is_tile,
)
from opwright.tile.shapes import refuse_access, refuse_stored, shown

_Test = tuple[str, Value, Value]  # a comparison
_AXIS = "an axis takes a span, an integer, a slice of constant length, : or a tile of integers"


@dataclass(frozen=True)
class Axis:
    """What an index says about one axis of a tensor. size: that of the tile's axis; None: a number drops it."""

    start: Value
    size: int | None = None
    count: SSAValue | None = None
    positions: SSAValue | None = None  # an integer tile that says where each element lies


def subscript(builder: Builder, tensor: TensorValue, node: ast.Subscript) -> Value:
    """`x[rows, cols]`."""
    return load(builder, tensor, index_of(builder, tensor, node.slice, node), node)


def set_element(builder: Builder, tensor: TensorValue, node: ast.Subscript, value: Value) -> None:
    """`y[rows, cols] = t`."""
    put(builder, "a store", tensor, index_of(builder, tensor, node.slice, node), value, node)


def load(builder: Builder, tensor: TensorValue, axes: Sequence[Axis], node: ast.AST) -> RunTimeValue:
    """A tile, or a number if all indices are numbers."""
    state = state_of(builder)
    shown_axes = [(at, axis) for at, axis in enumerate(axes) if axis.size is not None]
    sizes = tuple(axis.size for _, axis in shown_axes if axis.size is not None)
    if not sizes:
        if tensor.name in state.written:
            raise WrittenAndRead(builder.at(node), name=tensor.name)
        state.read.add(tensor.name)
        state.host.last_stride(builder.mark(node), tensor.name, len(tensor.shape))
        return RunTimeValue(builder.add(ReadOp(tensor.address, _offset(builder, tensor, axes, node)), node).results[0])
    _refuse_access(builder, "a load", tensor, sizes, node)
    kind = tile_type(sizes, tensor.dtype.name)
    counts = [axis.count for _, axis in shown_axes if axis.count is not None]
    strides = [_stride(builder, tensor, at) for at, _ in shown_axes]
    offset = _offset(builder, tensor, axes, node)
    for number, (at, axis) in enumerate(shown_axes):
        if axis.positions is not None:
            length = tensor.shape[at].ssa
            gather = GatherOp(tensor.address, offset, axis.positions, length, number, strides, kind, counts)
            return RunTimeValue(builder.add(gather, node).results[0])
    return RunTimeValue(builder.add(LoadOp(tensor.address, offset, strides, kind, counts), node).results[0])


def put(
    builder: Builder, operation: str, tensor: TensorValue, axes: Sequence[Axis], value: Value, node: ast.AST
) -> None:
    """Stores a tile, or joins it with what is there: "a store" or the name of an atomic function."""
    state = state_of(builder)
    if any(axis.positions is not None for axis in axes):
        hint = "tiles of integers index loads only"
        raise NotAnIndex(builder.at(node), index="a tile", what=f"{tensor.name} in {operation}", hint=hint)
    shown_axes = [(at, axis) for at, axis in enumerate(axes) if axis.size is not None]
    sizes = tuple(axis.size for _, axis in shown_axes if axis.size is not None)
    _refuse_access(builder, operation, tensor, sizes, node)
    if not is_tile(value):
        hint = "make a tile of a number: tile.full((64,), 0.0, y.dtype)"
        got = brief(value.value) if isinstance(value, Constant) else describe(value)
        raise WrongType(builder.at(node), operation=operation, got=got, hint=hint)
    with at_node(builder, node):
        refuse_stored(operation, tensor.name, tensor.dtype, sizes, facts_of(builder, value))
    if tensor.name in state.read:
        raise WrittenAndRead(builder.at(node), name=tensor.name)
    state.written.add(tensor.name)
    ssa = counted(builder, value, node)
    counts = [
        smaller(builder, count, axis.count, size, node)
        for count, (_, axis), size in zip(counts_of(ssa), shown_axes, sizes, strict=True)
        if axis.count is not None
    ]
    strides = [_stride(builder, tensor, at) for at, _ in shown_axes]
    offset = _offset(builder, tensor, axes, node)
    if operation == "a store":
        builder.add(StoreOp(ssa, tensor.address, offset, strides, counts), node)
    else:
        name = operation.removeprefix("atomic_")
        builder.add(AtomicOp(name, ssa, tensor.address, offset, strides, counts), node)


def _refuse_access(
    builder: Builder, operation: str, tensor: TensorValue, sizes: tuple[int, ...], node: ast.AST
) -> None:
    with at_node(builder, node):
        refuse_access(operation, tensor.dtype, sizes)
    state_of(builder).host.last_stride(builder.mark(node), tensor.name, len(tensor.shape))


def _stride(builder: Builder, tensor: TensorValue, axis: int) -> SSAValue:
    """How far apart neighbours of an axis lie; the host has tested that of the last axis."""
    return constant(builder, 1) if axis == len(tensor.strides) - 1 else tensor.strides[axis].ssa


def _offset(builder: Builder, tensor: TensorValue, axes: Sequence[Axis], node: ast.AST) -> SSAValue:
    """Where the first element lies, counted in elements. Equal ones of a block are one value."""
    known, key = state_of(builder).offsets, (builder.block, tensor.name, *(axis.start for axis in axes))
    if key not in known:
        known[key] = _computed_offset(builder, tensor, axes, node)
    return known[key]


def _computed_offset(builder: Builder, tensor: TensorValue, axes: Sequence[Axis], node: ast.AST) -> SSAValue:
    total: Value = Constant(0)
    for at, axis in enumerate(axes):
        part = axis.start
        if at < len(axes) - 1 and not (isinstance(part, Constant) and part.value == 0):
            part = scalars.binary(builder, "mul", part, tensor.strides[at], node)
        if isinstance(total, Constant) and total.value == 0:
            total = part
        elif not (isinstance(part, Constant) and part.value == 0):
            total = scalars.binary(builder, "add", total, part, node)
    return integer(builder, total)


def index_of(builder: Builder, tensor: TensorValue, index: ast.expr | Value, node: ast.AST) -> list[Axis]:
    """What an index says about each axis. It is an expression, or the value of one."""
    given: list[ast.expr | Value] = [*index.elts] if isinstance(index, ast.Tuple) else [index]
    if len(given) == 1 and not isinstance(given[0], ast.Slice):
        found = builder.value(given[0]) if isinstance(given[0], ast.expr) else given[0]
        given = [*found.items] if isinstance(found, Items) else [found]
    words = ast.unparse(index) if isinstance(index, ast.expr) else str(index)
    if len(given) != len(tensor.shape):
        hint = f"{tensor.name} has {len(tensor.shape)} axes: give a span, a number or : for each"
        _refuse(builder, tensor, words, hint, node)
    axes = [_axis(builder, tensor, at, item, node) for at, item in enumerate(given)]
    if sum(axis.positions is not None for axis in axes) > 1:
        _refuse(builder, tensor, words, "one tile of integers, at most", node)
    return axes


def _axis(builder: Builder, tensor: TensorValue, at: int, item: ast.expr | Value, node: ast.AST) -> Axis:
    if isinstance(item, ast.Slice):
        value: Value = _sliced(builder, tensor, at, item, node)
    else:
        value = builder.value(item) if isinstance(item, ast.expr) else item
    if isinstance(value, SpanValue):
        _test_span(builder, tensor, at, value, node)
        return Axis(value.start, value.size, value.count)
    if is_tile(value):
        kind = type_of(value.ssa)
        if dtype_named(kind.dtype.data).is_int() and len(kind.sizes) == 1:
            positions = counted(builder, value, node)
            return Axis(Constant(0), kind.sizes[0], counts_of(positions)[0], positions)
        _refuse(builder, tensor, f"a tile of {kind.dtype.data}", _AXIS, node)
    if _is_integer(builder, value, node):
        _test_number(builder, tensor, at, value, node)
        return Axis(_as_integer(builder, value, node))
    words = shown(value.value) if isinstance(value, Constant) else str(value)
    return _refuse(builder, tensor, words, _AXIS, node)


def _is_integer(builder: Builder, value: Value, node: ast.AST) -> bool:
    return is_number(value) and numbers.widened(numbers.kind_of(builder.site(node), value, "an index")) == INT


def _as_integer(builder: Builder, value: Value, node: ast.AST) -> Value:
    return value if isinstance(value, Constant) else RunTimeValue(numbers.materialise(builder.site(node), value, INT))


def _sliced(builder: Builder, tensor: TensorValue, at: int, item: ast.Slice, node: ast.AST) -> SpanValue:
    """A slice as a span: its length is a constant."""
    words = ast.unparse(item)
    if item.lower is None and item.upper is None and item.step is None:
        length = state_of(builder).known.get(tensor.shape[at].ssa)
        if length is None:
            name = f"{tensor.name}.shape[{at}]"
            hint = (
                f"the length of the axis is no constant: write tile.whole({name}, SIZE), or tile.assume({name} == 64)"
            )
            _refuse(builder, tensor, words, hint, node)
        return full(builder, Constant(0), length, node)
    if item.lower is None or item.upper is None or item.step is not None:
        _refuse(builder, tensor, words, "a slice has a start and a stop, and no step: write tile.span(start, 64)", node)
    start, stop = builder.value(item.lower), builder.value(item.upper)
    for one in (start, stop):
        if not _is_integer(builder, one, node):
            hint = "a slice has a start and a stop, and no step: write tile.span(start, 64)"
            _refuse(builder, tensor, words, hint, node)
    start, stop = (_as_integer(builder, one, node) for one in (start, stop))
    length = difference(stop, start, state_of(builder).known)
    if length is None:
        length = _added(builder, item)
    if length is None:
        _refuse(builder, tensor, words, "its length must be a constant: write tile.span(start, 64)", node)
    if length < 1:
        _refuse(builder, tensor, words, "its length must be 1 or more: write tile.span(start, 64)", node)
    return SpanValue(start, length, stop, constant(builder, length))


def _added(builder: Builder, item: ast.Slice) -> int | None:
    """The constant that a slice `a : a + 64` adds to its start, which a variable may hold."""
    match item.upper:
        case ast.BinOp(op=ast.Add(), left=left, right=right) if item.lower and ast.dump(left) == ast.dump(item.lower):
            added = builder.value(right)
            return int(added.value) if isinstance(added, Constant) and isinstance(added.value, int) else None
    return None


def _test_span(builder: Builder, tensor: TensorValue, at: int, span: SpanValue, node: ast.AST) -> None:
    """Lets the host test that a span lies within its axis, or the core where only that knows, or behind a branch."""
    first, stop = span.first or span.start, span.stop
    if span.first is None:
        count = RunTimeValue(span.count)
        stop = count if span.start == Constant(0) else scalars.binary(builder, "add", span.start, count, node)
    if _is_tested_by_host(builder, tensor, at, first, stop, node):
        return
    tests: list[_Test] = [] if stop == tensor.shape[at] else [("le", stop, tensor.shape[at])]
    if not scalars.nonnegative(first):
        tests.append(("ge", first, Constant(0)))
    # A loop has no empty iteration; of another span nothing may be there.
    empty = None if span.first is not None or constant_of(span.count) else ("ge", first, stop)
    _stop_outside(builder, tensor, at, tests, empty, node)


def _test_number(builder: Builder, tensor: TensorValue, at: int, value: Value, node: ast.AST) -> None:
    """The same for a number, which may be that of a loop."""
    limit = state_of(builder).limits.get(value.ssa) if isinstance(value, RunTimeValue) else None
    if limit is not None and _is_tested_by_host(builder, tensor, at, Constant(0), limit, node):
        return
    number = _as_integer(builder, value, node)
    if isinstance(number, Constant):
        assert isinstance(number.value, int)
        if _is_tested_by_host(builder, tensor, at, number, Constant(number.value + 1), node):
            return
    tests: list[_Test] = [("lt", number, tensor.shape[at])]
    if limit is None and not scalars.nonnegative(number):
        tests.append(("ge", number, Constant(0)))
    _stop_outside(builder, tensor, at, tests, None, node)


def _is_tested_by_host(
    builder: Builder, tensor: TensorValue, at: int, start: Value, stop: Value, node: ast.AST
) -> bool:
    """Whether the host knows both ends. Behind a branch they may be wrong as long as the branch is not taken."""
    state = state_of(builder)
    first, last = plain_of(start), plain_of(stop)
    if first == 0 and last == plain_of(tensor.shape[at]):
        return True
    if state.branches or first is None or last is None:
        return False
    state.host.within(builder.mark(node), tensor.name, at, first, last)
    return True


def _stop_outside(
    builder: Builder, tensor: TensorValue, at: int, tests: Sequence[_Test], empty: _Test | None, node: ast.AST
) -> None:
    """Stops the core unless all tests hold, or there are no positions."""
    state = state_of(builder)
    key = (builder.block, tensor.name, at, *tests)
    if not tests or key in state.tested:
        return
    state.tested.add(key)

    def compared(test: _Test) -> Value:
        name, left, right = test
        return scalars.compare(builder, name, left, right, node)

    def inside() -> Value:
        return operators.chain(builder, "and", [partial(compared, test) for test in tests], node)

    links: list[Callable[[], Value]] = [inside] if empty is None else [partial(compared, empty), inside]
    holds = operators.chain(builder, "or", links, node)
    stop_unless(builder, holds, f"positions outside axis {at} of {tensor.name}", node)


def _refuse(builder: Builder, tensor: TensorValue, words: str, hint: str, node: ast.AST) -> NoReturn:
    raise NotAnIndex(builder.at(node), index=words, what=tensor.name, hint=hint)
