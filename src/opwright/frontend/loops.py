"""Loops of a kernel.

In: `for` and `while`. Out: IR that does what Python does: bounds are evaluated once, a loop does not see what its body
does to its variable, a test runs before every iteration.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from opwright.errors import TypeChanged, UnsupportedSyntax
from opwright.frontend import scalars, variables
from opwright.frontend.builder import Builder, Loop
from opwright.frontend.names import assigned_names
from opwright.frontend.values import Variable, describe
from opwright.ir import Block, numbers
from opwright.ir.bounds import bounds_of
from opwright.ir.language import BinaryOp, CompareOp, ConditionOp, ConstantOp, ForOp, TripCountOp, WhileOp
from opwright.ir.names import set_name
from opwright.ir.types import BOOL, FLOAT, INT
from opwright.ir.values import Constant, RunTimeValue, Value
from opwright.kernel.names import Range, StaticRange

# asc.static_range writes its body this many times at most: a longer text would take a compiler minutes.
MAX_REPEATS = 256
# A loop of the text steps by that much at most, if the step is a run-time number.
_GREATEST_STEP = 1 << 48


def loop(builder: Builder, node: ast.For) -> None:
    """`for`: a loop of the text, or the body once per iteration."""
    iterated = builder.grammar.iterate(builder, node)
    if isinstance(iterated, range):
        _repeat(builder, node, iterated)
        return
    names = {one.id for one in ast.walk(node.target) if isinstance(one, ast.Name)}
    assigned = assigned_names(node.body)
    variables.demote(builder, assigned | names, node)
    made = iterated.begin(builder, node)
    outer = builder.scope
    builder.scope = outer.copy()
    with builder.nested(made.body):
        for target, value in made.names:
            _begin_with(builder, target, value, assigned)
        _iteration(builder, node.body)
    builder.scope = outer
    outer.maybe_unset |= (assigned | names) - outer.names.keys()
    builder.add(made.operation, node)


def _begin_with(builder: Builder, target: ast.Name, value: Value, assigned: set[str]) -> None:
    """Sets a name of a loop's target at the start of an iteration; `assigned`: what the body sets."""
    name, bound = target.id, builder.scope.names.get(target.id)
    if isinstance(bound, Variable):
        # It had a value before the loop and keeps its last one after it.
        if bound.type == FLOAT:
            raise TypeChanged(builder.at(target), name=name, before=str(FLOAT), after=str(INT))
        variables.assign(builder, name, value, target)
        return
    builder.scope.names[name] = value
    builder.scope.maybe_unset.discard(name)
    if name in assigned:
        # Python's loop does not see what the body does to its variable.
        variables.demote(builder, {name}, target)


@dataclass(frozen=True)
class Counting:
    """A range whose bounds were evaluated."""

    start: Value
    stop: Value
    step: Value

    def begin(self, builder: Builder, node: ast.For) -> Loop:
        """The loop that counts."""
        assert isinstance(node.target, ast.Name)
        body = Block(arg_types=[INT])
        made, index = _counting(builder, node, node.target.id, self, body)
        return Loop(made, body, [(node.target, index)])


def _counting(builder: Builder, node: ast.For, name: str, bounds: Counting, body: Block) -> tuple[ForOp, RunTimeValue]:
    """The loop of a range over an empty body, and the value of its variable in it."""
    start, stop, step = bounds.start, bounds.stop, bounds.step
    first = numbers.materialise(builder.site(node.iter), start, INT)
    last = numbers.materialise(builder.site(node.iter), stop, INT)
    if isinstance(step, Constant):
        assert isinstance(step.value, int)
        return ForOp(first, last, step.value, name, body), RunTimeValue(body.args[0])
    by = numbers.materialise(builder.site(node.iter), step, INT)
    low, high = bounds_of(by)
    if low < 1:
        zero = builder.add(ConstantOp(0, INT), node.iter).results[0]
        is_zero = builder.add(CompareOp("eq", by, zero), node.iter).results[0]
        scalars.stop_if(builder, is_zero, "the step of a range is 0", node.iter)
    if low >= 0 and high <= _GREATEST_STEP:
        return ForOp(first, last, 1, name, body, by), RunTimeValue(body.args[0])
    # The loop counts its iterations: the variable itself could pass the ends of 64 bits.
    zero = builder.add(ConstantOp(0, INT), node.iter).results[0]
    iterations = builder.add(TripCountOp(first, last, by), node.iter).results[0]
    with builder.nested(body):
        gone = builder.add(BinaryOp("mul", body.args[0], by), node.iter).results[0]
        index = RunTimeValue(builder.add(BinaryOp("add", first, gone), node.iter).results[0])
        set_name(index.ssa, name)
    return ForOp(zero, iterations, 1, "turn", body), index


def _iteration(builder: Builder, body: Sequence[ast.stmt]) -> None:
    """The body of a loop of the text."""
    builder.flow.loops += 1
    builder.statements(body)
    builder.flow.loops -= 1
    builder.flow.ended = False


def _repeats(builder: Builder, node: ast.For, start: Value, stop: Value, step: Value) -> range:
    """asc.static_range: what its variable is in each iteration."""
    if not (isinstance(start, Constant) and isinstance(stop, Constant) and isinstance(step, Constant)):
        raise UnsupportedSyntax(
            builder.at(node.iter), what="asc.static_range with runtime bounds", hint="use range, or constants"
        )
    repeats: range = range(start.value, stop.value, step.value)  # type: ignore[call-overload]
    if len(repeats) > MAX_REPEATS:
        raise UnsupportedSyntax(
            builder.at(node.iter), what=f"asc.static_range with {len(repeats)} iterations", hint="use range"
        )
    return repeats


def _repeat(builder: Builder, node: ast.For, repeats: range) -> None:
    """The body once per iteration, the variable of the loop a constant."""
    assert isinstance(node.target, ast.Name)
    loops, builder.flow.loops = builder.flow.loops, 0  # break and continue would have no loop in the text
    for number in repeats:
        if builder.flow.ended:
            break
        variables.assign(builder, node.target.id, Constant(number), node.target)
        builder.statements(node.body)
    builder.flow.loops = loops


def test_loop(builder: Builder, node: ast.While) -> None:
    """`while`."""
    if node.orelse:
        raise UnsupportedSyntax(builder.at(node), what="else after a loop", hint="test a variable instead")
    assigned = assigned_names(node.body)
    variables.demote(builder, assigned, node)
    with builder.nested() as test:
        condition = builder.grammar.truth(builder, builder.value(node.test), node.test)
        if isinstance(condition, Constant) and not condition.value:
            return
        builder.add(ConditionOp(numbers.materialise(builder.site(node.test), condition, BOOL)), node.test)
    outer = builder.scope
    builder.scope = outer.copy()
    with builder.nested() as body:
        _iteration(builder, node.body)
    builder.scope = outer
    outer.maybe_unset |= assigned - outer.names.keys()
    builder.add(WhileOp(test, body), node)
    # Nothing follows `while True` unless something breaks out of it.
    builder.flow.ended = isinstance(condition, Constant) and not _breaks(node.body)


def iterate(builder: Builder, node: ast.For) -> Counting | range:
    """`range(...)`; asc.range is the same, asc.static_range repeats the body in the text."""
    made = node.iter
    function = builder.value(made.func) if isinstance(made, ast.Call) else None
    named = isinstance(node.target, ast.Name)
    kind = function.value if isinstance(function, Constant) else None
    if not (isinstance(made, ast.Call) and kind in (range, Range, StaticRange) and named):
        raise UnsupportedSyntax(
            builder.at(node),
            what="a loop over anything but range(...)",
            hint="write: for i in range(start, stop, step)",
        )
    if node.orelse or made.keywords or not 1 <= len(made.args) <= 3:
        what = "else after a loop" if node.orelse else "this form of range"
        raise UnsupportedSyntax(builder.at(node), what=what, hint="write: for i in range(start, stop, step)")
    values = [builder.value(argument) for argument in made.args]
    for value, argument in zip(values, made.args, strict=True):
        if numbers.widened(numbers.kind_of(builder.site(argument), value, "range")) != INT:
            raise UnsupportedSyntax(
                builder.at(argument), what=f"range over {describe(value)}", hint="range takes integers"
            )
    start, stop = (Constant(0), values[0]) if len(values) == 1 else (values[0], values[1])
    step = values[2] if len(values) == 3 else Constant(1)
    if isinstance(step, Constant):
        assert isinstance(step.value, int)
        if step.value == 0:
            raise UnsupportedSyntax(builder.at(node.iter), what="a step of 0", hint="count up or down")
        _refuse_wrapping(builder, start, stop, step.value, node)
    return _repeats(builder, node, start, stop, step) if kind is StaticRange else Counting(start, stop, step)


def _refuse_wrapping(builder: Builder, start: Value, stop: Value, step: int, node: ast.For) -> None:
    """Refuses a loop whose variable would pass the ends of 64 bits, as far as that is known now."""
    least, most = scalars.INT64
    wraps = not -most <= step <= most
    if isinstance(start, Constant) and isinstance(stop, Constant):
        numbers = range(start.value, stop.value, step)  # type: ignore[call-overload]
        wraps |= bool(numbers) and not least <= numbers[-1] + step <= most
    if wraps:
        raise UnsupportedSyntax(
            builder.at(node.iter),
            what="a range that passes the ends of 64 bits",
            hint="count from 0 and add the start",
        )


def _breaks(nodes: Sequence[ast.stmt]) -> bool:
    """Whether these statements may break out of the loop they stand in."""
    outer = [node for node in nodes if not isinstance(node, (ast.For, ast.While))]
    inner = [child for node in outer for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)]
    return any(isinstance(node, ast.Break) for node in nodes) or (bool(inner) and _breaks(inner))
