"""Spans and integers of a tile kernel.

In: values of arguments. Out: `SpanValue`. Refuses, with the evaluator's own rules, what is no integer and sizes that
are no constants.
"""

from __future__ import annotations

import ast

from opwright.errors import SpanTooLong, WrongType
from opwright.frontend import scalars
from opwright.frontend.builder import Builder
from opwright.ir import Block, SSAValue, numbers
from opwright.ir.calls import trap
from opwright.ir.language import BinaryOp, IfOp, constant_of
from opwright.ir.names import set_name
from opwright.ir.tile import set_there
from opwright.ir.types import BOOL, INT
from opwright.ir.values import Constant, RunTimeValue, Value
from opwright.tile import spans as rules
from opwright.tile.compiler.front.host import plain_of
from opwright.tile.compiler.front.linear import difference
from opwright.tile.compiler.front.state import constant, integer, not_negative, smaller, state_of
from opwright.tile.compiler.front.values import SpanValue, at_node, is_number, word_of


def integer_of(builder: Builder, call: str, value: Value, node: ast.AST) -> Constant | RunTimeValue:
    """A number that is an integer, as 64 bits."""
    if isinstance(value, Constant):
        with at_node(builder, node):
            return Constant(rules.integer(call, value.value))
    if is_number(value) and numbers.widened(numbers.kind_of(builder.site(node), value, call)) == INT:
        return RunTimeValue(numbers.materialise(builder.site(node), value, INT))
    got = f"a {word_of(value)}"
    raise WrongType(builder.at(node), operation=call, got=got, hint="it takes integers")


def size_of(builder: Builder, call: str, value: Value, node: ast.AST) -> int:
    """A size of spans, which is a constant."""
    if isinstance(value, Constant):
        with at_node(builder, node):
            return rules.size_of(call, value.value)
    hint = "a size is a constant: a number, or a parameter annotated with tile.constexpr"
    raise WrongType(builder.at(node), operation=call, got="a size that is no constant", hint=hint)


def span(builder: Builder, start: Value, size: Value, stop: Value, node: ast.AST) -> SpanValue:
    """tile.span."""
    first = integer_of(builder, "tile.span", start, node)
    fixed = size_of(builder, "tile.span", size, node)
    if isinstance(stop, Constant) and stop.value is None:
        return full(builder, first, fixed, node)
    last = integer_of(builder, "tile.span", stop, node)
    left = scalars.binary(builder, "sub", last, first, node)
    if isinstance(left, Constant):
        assert isinstance(left.value, int)
        return SpanValue(first, fixed, last, constant(builder, max(0, min(left.value, fixed))))
    count = smaller(builder, integer(builder, left), constant(builder, fixed), -1, node)
    return SpanValue(first, fixed, last, not_negative(builder, count, node))


def full(builder: Builder, start: Constant | RunTimeValue, size: int, node: ast.AST) -> SpanValue:
    """A span of which all positions are there."""
    stop = scalars.binary(builder, "add", start, Constant(size), node)
    return SpanValue(start, size, stop, constant(builder, size))


def whole(builder: Builder, length: Value, size: Value, node: ast.AST) -> SpanValue:
    """tile.whole: the host tests the length before a launch, or the core where only that knows it, or in a branch."""
    last = integer_of(builder, "tile.whole", length, node)
    fixed = size_of(builder, "tile.whole", size, node)
    count = integer(builder, last)
    known = constant_of(count)
    if known is not None:
        if known > fixed:
            name = builder.compilation.instances[0].name
            raise SpanTooLong(builder.at(node), kernel=name, length=known, size=fixed)
        return SpanValue(Constant(0), fixed, Constant(known), constant(builder, max(0, int(known))))
    plain = plain_of(last)
    if plain is not None and not state_of(builder).branches:
        state_of(builder).host.whole(builder.mark(node), plain, fixed)
    else:
        fits = scalars.compare(builder, "le", last, Constant(fixed), node)
        stop_unless(builder, fits, f"an axis of more than {fixed} elements, which tile.whole has at most", node)
    return SpanValue(Constant(0), fixed, last, not_negative(builder, count, node))


def stop_unless(builder: Builder, holds: Value, words: str, node: ast.AST) -> None:
    """Stops the core as an `assert` does."""
    with builder.nested() as block:
        builder.add(trap(f"assertion failed: {words}"), node)
    ssa = numbers.materialise(builder.site(node), holds, BOOL)
    builder.add(IfOp(ssa, Block(), block), node)


def shifted(builder: Builder, of: SpanValue, n: Value, node: ast.AST) -> SpanValue:
    """span.shifted."""
    by = integer_of(builder, "span.shifted", n, node)
    start, stop = (scalars.binary(builder, "add", one, by, node) for one in (of.start, of.stop))
    return SpanValue(start, of.size, stop, of.count)


def of_loop(
    builder: Builder,
    name: str,
    start: RunTimeValue,
    first: Value,
    stop: Constant | RunTimeValue,
    size: int,
    node: ast.AST,
) -> SpanValue:
    """The span of one iteration: at least one of its positions is there."""
    set_name(start.ssa, name)
    count = _count_of_loop(builder, name, start, first, stop, size, node)
    return SpanValue(start, size, stop, count, first)


def _count_of_loop(
    builder: Builder,
    name: str,
    start: RunTimeValue,
    first: Value,
    stop: Constant | RunTimeValue,
    size: int,
    node: ast.AST,
) -> SSAValue:
    fixed = constant(builder, size)
    if size == 1 or _divides(builder, size, first, stop):
        return fixed
    left = scalars.binary(builder, "sub", stop, start, node)
    assert isinstance(left, RunTimeValue)
    count = builder.add(BinaryOp("min", fixed, left.ssa), node).results[0]
    set_name(count, f"{name}_count")
    set_there(count)
    return count


def _divides(builder: Builder, size: int, first: Value, stop: Value) -> bool:
    """Whether a loop from `first` to `stop` is known to have no short iteration."""
    known = difference(stop, first, state_of(builder).known)
    if known is not None:
        return known % size == 0
    is_from_zero = isinstance(first, Constant) and first.value == 0
    stated = state_of(builder).multiples.get(stop.ssa, 1) if isinstance(stop, RunTimeValue) else 1
    return is_from_zero and stated % size == 0
