"""Loops over spans: `tile.parallel` and `tile.range`.

In: a `for` over one of them. Out: a `tile.loop`, and spans or numbers in its body. Several axes of `parallel` are one,
whose last axis runs fastest. A `parallel` inside another one runs in order. All other loops are those of numbers.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from opwright.errors import RuleBroken, UnsupportedSyntax, WrongCall, WrongType
from opwright.frontend import loops as of_numbers
from opwright.frontend import scalars
from opwright.frontend.builder import Builder, Iterated, Loop
from opwright.frontend.invocations import arguments_of
from opwright.frontend.values import describe
from opwright.ir import Block, SSAValue
from opwright.ir.language import BinaryOp, TruncDivOp
from opwright.ir.names import set_name
from opwright.ir.tile import PARALLEL, RANGE, LoopOp
from opwright.ir.types import INT
from opwright.ir.values import Constant, Items, RunTimeValue, Value, items_of
from opwright.tile import loops as rules
from opwright.tile.compiler.front.host import ALL_CORES, plain_of
from opwright.tile.compiler.front.spans import integer_of, of_loop, size_of
from opwright.tile.compiler.front.state import constant, integer, not_negative, state_of
from opwright.tile.compiler.front.values import is_tile

_FORMS = "(n), (n, size), ((n, size), ...)"


def iterate(builder: Builder, node: ast.For) -> Iterated | range:
    """What a `for` iterates over."""
    made = node.iter
    function = builder.value(made.func) if isinstance(made, ast.Call) else None
    called = function.value if isinstance(function, Constant) else None
    if not isinstance(made, ast.Call) or called not in (rules.parallel, rules.range):
        if not isinstance(made, ast.Call) and is_tile(builder.value(made)):
            hint = "loop over spans, and load a tile for each"
            raise WrongType(builder.at(made), operation="a loop", got="a tile", hint=hint)
        return of_numbers.iterate(builder, node)
    if node.orelse:
        raise UnsupportedSyntax(builder.at(node), what="else after a loop", hint="test a variable instead")
    arguments, keywords = arguments_of(builder, made)
    if called is rules.parallel:
        if keywords:
            message = f"has no argument '{next(iter(keywords))}'"
            raise WrongCall(builder.at(made), call="tile.parallel", message=message, signature=_FORMS)
        return _parallel(builder, arguments, node)
    stages = keywords.pop("stages", Constant(2))
    if keywords:
        message = f"has no argument '{next(iter(keywords))}'"
        raise WrongCall(
            builder.at(made), call="tile.range", message=message, signature="(stop, size) or (start, stop, size)"
        )
    return _range(builder, arguments, stages, made)


@dataclass(frozen=True)
class _Axis:
    """An axis of `parallel`: how far it goes, the size of its spans (None: numbers), and its iterations."""

    stop: Constant | RunTimeValue
    size: int | None
    iterations: Value


def _parallel(builder: Builder, arguments: Sequence[Value], node: ast.For) -> Iterated:
    if not arguments:
        raise WrongCall(builder.at(node.iter), call="tile.parallel", message="it has no axis", signature=_FORMS)
    axes = list(arguments)
    has_one_name = isinstance(node.target, ast.Name)
    if len(axes) == 2 and has_one_name and not any(items_of(axis) for axis in axes):
        axes = [Items(tuple(axes))]
    return _Parallel([_axis(builder, axis, node.iter) for axis in axes])


def _axis(builder: Builder, axis: Value, node: ast.expr) -> _Axis:
    call = "tile.parallel"
    items = items_of(axis)
    if not items and not isinstance(axis, Items):
        stop = integer_of(builder, call, axis, node)
        return _Axis(stop, None, stop)
    if len(items) != 2:
        message = f"an axis is a length, or a length and a size, not {len(items)} numbers"
        raise WrongCall(builder.at(node), call=call, message=message, signature=_FORMS)
    stop, size = integer_of(builder, call, items[0], node), size_of(builder, call, items[1], node)
    if size == 1:
        return _Axis(stop, size, stop)
    rounded = scalars.binary(builder, "add", stop, Constant(size - 1), node)
    return _Axis(stop, size, scalars.binary(builder, "floordiv", rounded, Constant(size), node))


@dataclass(frozen=True)
class _Parallel:
    """`tile.parallel` over axes."""

    axes: Sequence[_Axis]

    def begin(self, builder: Builder, node: ast.For) -> Loop:
        """The loop over all iterations of all axes."""
        counts = [one.iterations for one in self.axes]
        if len(counts) > 1:
            counts = [
                count if isinstance(count, Constant) else _at_least_0(builder, count, node.iter) for count in counts
            ]
        total = counts[0]
        for count in counts[1:]:
            total = scalars.binary(builder, "mul", total, count, node.iter)
        state = state_of(builder)
        kind = RANGE if state.parallel else PARALLEL
        if kind == PARALLEL:
            plain = plain_of(total)
            state.host.iterations.append(ALL_CORES if plain is None else plain)
        state.parallel += 1  # until the statement ends
        last = integer(builder, total)
        names = _names(node)
        body = Block(arg_types=[INT])
        is_number = len(self.axes) == 1 and self.axes[0].size in (None, 1)
        name = names[0] if is_number else ""
        made = LoopOp(kind, constant(builder, 0), last, constant(builder, 1), body, name=name)
        with builder.nested(body):
            numbers = _numbers(builder, body.args[0], counts, node.iter)
            values = [
                _position(builder, axis, number, names[min(at, len(names) - 1)], node)
                for at, (axis, number) in enumerate(zip(self.axes, numbers, strict=True))
            ]
        return Loop(made, body, _targets(builder, node, values))


def _at_least_0(builder: Builder, count: Value, node: ast.AST) -> RunTimeValue:
    """Iterations of an axis: a negative length has none, and the product of two of them some."""
    assert isinstance(count, RunTimeValue)
    return RunTimeValue(not_negative(builder, count.ssa, node))


def _numbers(builder: Builder, position: SSAValue, counts: Sequence[Value], node: ast.AST) -> list[SSAValue]:
    """The position in each axis, from the number of an iteration: none is negative, and no divisor is 0 in the loop."""
    numbers = []
    for count in reversed(counts[1:]):
        divisor = integer(builder, count)
        numbers.append(builder.add(TruncDivOp("mod", position, divisor), node).results[0])
        position = builder.add(TruncDivOp("floordiv", position, divisor), node).results[0]
    return [position, *reversed(numbers)]


def _position(builder: Builder, axis: _Axis, number: SSAValue, name: str, node: ast.For) -> Value:
    """What an iteration has of an axis: a number or a span."""
    if axis.size is None:
        set_name(number, name)
        state_of(builder).limits[number] = axis.stop
        return RunTimeValue(number)
    start = number
    if axis.size > 1:
        start = builder.add(BinaryOp("mul", number, constant(builder, axis.size)), node.iter).results[0]
    return of_loop(builder, name, RunTimeValue(start), Constant(0), axis.stop, axis.size, node.iter)


def _range(builder: Builder, arguments: Sequence[Value], stages: Value, node: ast.Call) -> Iterated:
    call = "tile.range"
    if len(arguments) not in (2, 3):
        message = f"it takes 2 or 3 numbers, not {len(arguments)}"
        raise WrongCall(builder.at(node), call=call, message=message, signature="(stop, size) or (start, stop, size)")
    count = stages.value if isinstance(stages, Constant) else describe(stages)
    if count not in rules.STAGES:
        hint = "1 switches overlapping off; 2 overlaps copies with work"
        raise RuleBroken(builder.at(node), call=call, rule="stages is 1, 2, 3 or 4", value=count, hint=hint)
    start, stop, size = arguments if len(arguments) == 3 else (Constant(0), *arguments)
    first, last = (integer_of(builder, call, one, node) for one in (start, stop))
    assert isinstance(count, int)
    return _Range(first, last, size_of(builder, call, size, node), count)


@dataclass(frozen=True)
class _Range:
    """`tile.range`."""

    start: Constant | RunTimeValue
    stop: Constant | RunTimeValue
    size: int
    stages: int

    def begin(self, builder: Builder, node: ast.For) -> Loop:
        """The loop over the starts of spans."""
        names = _names(node)
        body = Block(arg_types=[INT])
        first, last = (integer(builder, one) for one in (self.start, self.stop))
        made = LoopOp(RANGE, first, last, constant(builder, self.size), body, self.stages, names[0])
        with builder.nested(body):
            start = RunTimeValue(body.args[0])
            value = of_loop(builder, names[0], start, self.start, self.stop, self.size, node.iter)
        return Loop(made, body, _targets(builder, node, [value]))


def _names(node: ast.For) -> list[str]:
    """The names of a loop's target, for the text."""
    parts = node.target.elts if isinstance(node.target, ast.Tuple) else [node.target]
    return [part.id if isinstance(part, ast.Name) else "i" for part in parts]


def _targets(builder: Builder, node: ast.For, values: Sequence[Value]) -> list[tuple[ast.Name, Value]]:
    """What each name of a loop's target is."""
    if isinstance(node.target, ast.Name):
        return [(node.target, values[0] if len(values) == 1 else Items(tuple(values)))]
    parts = node.target.elts if isinstance(node.target, ast.Tuple) else []
    names = [part for part in parts if isinstance(part, ast.Name)]
    if len(names) != len(parts) or len(names) != len(values) or len(values) == 1:
        what = f"taking {len(values)} {'axis' if len(values) == 1 else 'axes'} apart into {len(parts)} names"
        raise UnsupportedSyntax(builder.at(node.target), what=what, hint="write one name for each axis")
    return list(zip(names, values, strict=True))
