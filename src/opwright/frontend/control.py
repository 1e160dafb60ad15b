"""Branches and loops of a kernel.

In: `if`, `for`, `while`, `break`, `continue`, `assert`. Out: IR that does what Python does: bounds are evaluated once,
a loop does not see what its body does to its variable, a test runs before every turn.
"""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Sequence

from opwright.errors import StaticAssertFailed, TypeChanged, UnsupportedSyntax
from opwright.frontend import calls, scalars
from opwright.frontend.formats import spread
from opwright.frontend.names import assigned_names, loaded_after
from opwright.frontend.objects import Objects
from opwright.frontend.values import Constant, Runtime, Value, Variable, describe
from opwright.ir import Block, SSAValue
from opwright.ir.bounds import bounds_of
from opwright.ir.calls import asked_kind, trap
from opwright.ir.language import (
    BinaryOp,
    BreakOp,
    CompareOp,
    ConditionOp,
    ConstantOp,
    ContinueOp,
    ForOp,
    IfOp,
    TripCountOp,
    VariableOp,
    WhileOp,
)
from opwright.ir.names import set_name
from opwright.ir.types import BOOL, FLOAT, INT, UNKNOWN
from opwright.kernel.names import Range, StaticRange

# asc.static_range writes its body so often at most: a text of more would take a compiler minutes.
MOST_REPEATS = 256
# A loop of the text steps by that much at most, if the step is a number of the run.
_GREATEST_STEP = 1 << 48


def leaves(nodes: Sequence[ast.stmt]) -> bool:
    """Whether these statements always end in break, continue or return."""
    if not nodes:
        return False
    last = nodes[-1]
    if isinstance(last, ast.If):
        return leaves(last.body) and leaves(last.orelse)
    return isinstance(last, (ast.Break, ast.Continue, ast.Return))


def _breaks(nodes: Sequence[ast.stmt]) -> bool:
    """Whether these statements may break out of the loop they stand in."""
    outer = [node for node in nodes if not isinstance(node, (ast.For, ast.While))]
    inner = [child for node in outer for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)]
    return any(isinstance(node, ast.Break) for node in nodes) or (bool(inner) and _breaks(inner))


def _is_plain(step: SSAValue) -> bool:
    """Whether a step of the run is one as constants are: it counts up, and by little."""
    low, high = bounds_of(step)
    return low >= 1 and high <= _GREATEST_STEP


class Control(Objects):
    """The part of a lowering that knows branches and loops."""

    loops = 0  # how many loops of the text we are in

    @abstractmethod
    def statements(self, nodes: Sequence[ast.stmt]) -> None:
        """Lowers statements in order."""

    def branch(self, node: ast.If) -> None:
        """`if`: a constant test picks one side now, any other becomes a branch of the run."""
        test = self.truth(self.value(node.test), node.test)
        if isinstance(test, Constant):
            self.statements(node.body if test.value else node.orelse)
            return
        self.demote(assigned_names(node.body) | assigned_names(node.orelse), node)
        # A side that leaves the loop says nothing about what holds behind the branch.
        sides = [side for side in (node.body, node.orelse) if not leaves(side)]
        certain = set.intersection(*(assigned_names(side) for side in sides)) if sides else set()
        for name in sorted(certain - self.names.keys()):
            if loaded_after(self.definition, node, name):
                cell = self.add(VariableOp(None, UNKNOWN), node).results[0]
                set_name(cell, name)
                self.names[name] = Variable(cell)
                self.maybe_unset.add(name)
        before, unset, declared = dict(self.names), set(self.maybe_unset), dict(self.declared)
        behind: set[str] = set()
        blocks = []
        ends = []
        asked, kinds = asked_kind(test.ssa), self.kinds
        for side, chosen in ((node.body, kinds & {asked}), (node.orelse, kinds - {asked})):
            self.names, self.maybe_unset, self.declared = dict(before), set(unset), dict(declared)
            self.kinds = chosen if asked else kinds
            with self.nested() as block:
                self.statements(side)
            blocks.append(block)
            if not self.ended:
                behind |= self.maybe_unset
            ends.append(self.ended)
            self.ended = False
        self.ended = all(ends)
        self.names, self.declared, self.kinds = before, declared, kinds
        self.maybe_unset = behind | ((assigned_names(node.body) | assigned_names(node.orelse)) - before.keys())
        self.add(IfOp(test.ssa, *blocks), node)

    def loop(self, node: ast.For) -> None:
        """`for i in range(...)`; asc.range is the same, asc.static_range repeats its body in the text."""
        start, stop, step, is_static = self.range_of(node)
        if is_static:
            self.repeat(node, start, stop, step)
            return
        assert isinstance(node.target, ast.Name)
        name = node.target.id
        assigned = assigned_names(node.body)
        self.demote(assigned | {name}, node)
        before, unset = dict(self.names), set(self.maybe_unset)
        first = scalars.materialise(self, start, INT, node.iter)
        last = scalars.materialise(self, stop, INT, node.iter)
        body = Block(arg_types=[INT])
        if isinstance(step, Constant):
            assert isinstance(step.value, int)
            index = Runtime(body.args[0], nonnegative=bounds_of(first)[0] >= 0 and step.value > 0)
            made = ForOp(first, last, step.value, name, body)
        elif _is_plain(by := scalars.materialise(self, step, INT, node.iter)):
            index = Runtime(body.args[0], nonnegative=bounds_of(first)[0] >= 0)
            made = ForOp(first, last, 1, name, body, by)
        else:
            # The loop counts its turns: the variable itself could pass the ends of 64 bits.
            zero = self.add(ConstantOp(0, INT), node.iter).results[0]
            if bounds_of(by)[0] < 1:
                is_zero = self.add(CompareOp("eq", by, zero), node.iter).results[0]
                scalars.stop_if(self, is_zero, "the step of a range is 0", node.iter)
            turns = self.add(TripCountOp(first, last, by), node.iter).results[0]
            made = ForOp(zero, turns, 1, "turn", body)
            with self.nested(body):
                gone = self.add(BinaryOp("mul", body.args[0], by), node.iter).results[0]
                index = Runtime(self.add(BinaryOp("add", first, gone), node.iter).results[0])
                set_name(index.ssa, name)
        with self.nested(body):
            bound = self.names.get(name)
            if isinstance(bound, Variable):
                # It had a value before the loop and keeps its last one after it.
                if bound.type == FLOAT:
                    raise TypeChanged(self.at(node.target), name=name, before=str(FLOAT), after=str(INT))
                self.assign(name, index, node.target)
            else:
                self.names[name] = index
                self.maybe_unset.discard(name)
                if name in assigned:
                    # Python's loop does not see what the body does to its variable.
                    self.demote({name}, node.target)
            self.turn(node.body)
        self.names = before
        self.maybe_unset = unset | ((assigned | {name}) - self.names.keys())
        self.add(made, node)

    def turn(self, body: Sequence[ast.stmt]) -> None:
        """The body of a loop of the text."""
        declared = dict(self.declared)
        self.loops += 1
        self.statements(body)
        self.loops -= 1
        self.ended = False
        self.declared = declared

    def repeat(self, node: ast.For, start: Value, stop: Value, step: Value) -> None:
        """asc.static_range: the body once per turn, its variable a constant."""
        if not (isinstance(start, Constant) and isinstance(stop, Constant) and isinstance(step, Constant)):
            raise UnsupportedSyntax(
                self.at(node.iter), what="asc.static_range with bounds of the run", hint="use range, or constants"
            )
        turns = range(start.value, stop.value, step.value)  # type: ignore[call-overload]
        if len(turns) > MOST_REPEATS:
            raise UnsupportedSyntax(
                self.at(node.iter), what=f"asc.static_range with {len(turns)} turns", hint="use range"
            )
        assert isinstance(node.target, ast.Name)
        loops, self.loops = self.loops, 0  # break and continue would have no loop in the text
        for turn in turns:
            if self.ended:
                break
            self.assign(node.target.id, Constant(turn), node.target)
            self.statements(node.body)
        self.loops = loops

    def test_loop(self, node: ast.While) -> None:
        """`while`."""
        if node.orelse:
            raise UnsupportedSyntax(self.at(node), what="else after a loop", hint="test a variable instead")
        assigned = assigned_names(node.body)
        self.demote(assigned, node)
        with self.nested() as test:
            condition = self.truth(self.value(node.test), node.test)
            if isinstance(condition, Constant) and not condition.value:
                return
            self.add(ConditionOp(scalars.materialise(self, condition, BOOL, node.test)), node.test)
        before, unset = dict(self.names), set(self.maybe_unset)
        with self.nested() as body:
            self.turn(node.body)
        self.names = before
        self.maybe_unset = unset | (assigned - before.keys())
        self.add(WhileOp(test, body), node)
        # Nothing follows `while True` unless something breaks out of it.
        self.ended = isinstance(condition, Constant) and not _breaks(node.body)

    def leave(self, node: ast.Break | ast.Continue) -> None:
        """`break` and `continue`."""
        if not self.loops:
            word = "break" if isinstance(node, ast.Break) else "continue"
            raise UnsupportedSyntax(
                self.at(node), what=f"{word} in asc.static_range", hint="use range, or put the rest into an if"
            )
        self.add(BreakOp() if isinstance(node, ast.Break) else ContinueOp(), node)
        self.ended = True

    def check(self, node: ast.Assert) -> None:
        """`assert`: the core stops if it does not hold; one that cannot hold is refused now."""
        holds = self.truth(self.value(node.test), node.test)
        with self.nested() as block:
            message, values = self.message(node)
            reason = f"assertion failed: {message}" if message else "assertion failed"
            if isinstance(holds, Constant):
                if not holds.value:
                    raise StaticAssertFailed(self.at(node), message=message or ast.unparse(node.test))
                return
            if values:
                # The numbers are known in the run only: they are printed before the core stops.
                calls.invoke(self, self.row("printf"), [Constant(f"{message}\n"), *values], {}, node)
                reason = f"assertion failed: {ast.unparse(node.test)}; its message was printed"
            self.add(trap(reason), node)
        self.add(IfOp(holds.ssa, self.new_block(), block), node)

    def message(self, node: ast.Assert) -> tuple[object, list[Value]]:
        """What an assertion says: a text, and the values of the run in it if it is an f-string."""
        if isinstance(node.msg, ast.JoinedStr):
            text, *values = spread(self, self.row("printf"), node.msg)
            assert isinstance(text, Constant)
            return text.value if values else str(text.value).replace("%%", "%"), values
        said = self.value(node.msg) if node.msg is not None else Constant("")
        if not isinstance(said, Constant):
            raise UnsupportedSyntax(self.at(node), what="a message of the run", hint='write f"n is {n}"')
        return said.value, []

    def range_of(self, node: ast.For) -> tuple[Value, Value, Value, bool]:
        """Start, stop and step of a loop, and whether it is repeated in the text."""
        made = node.iter
        function = self.value(made.func) if isinstance(made, ast.Call) else None
        named = isinstance(node.target, ast.Name)
        kind = function.value if isinstance(function, Constant) else None
        if not (isinstance(made, ast.Call) and kind in (range, Range, StaticRange) and named):
            raise UnsupportedSyntax(
                self.at(node),
                what="a loop over anything but range(...)",
                hint="write: for i in range(start, stop, step)",
            )
        if node.orelse or made.keywords or not 1 <= len(made.args) <= 3:
            what = "else after a loop" if node.orelse else "this form of range"
            raise UnsupportedSyntax(self.at(node), what=what, hint="write: for i in range(start, stop, step)")
        values = [self.value(argument) for argument in made.args]
        for value, argument in zip(values, made.args, strict=True):
            if scalars.widened(scalars.kind_of(self, value, argument, "range")) != INT:
                raise UnsupportedSyntax(
                    self.at(argument), what=f"range over {describe(value)}", hint="range takes integers"
                )
        start, stop = (Constant(0), values[0]) if len(values) == 1 else (values[0], values[1])
        step = values[2] if len(values) == 3 else Constant(1)
        if isinstance(step, Constant):
            assert isinstance(step.value, int)
            if step.value == 0:
                raise UnsupportedSyntax(self.at(node.iter), what="a step of 0", hint="count up or down")
            self.refuse_wrapping(start, stop, step.value, node)
        return start, stop, step, kind is StaticRange

    def refuse_wrapping(self, start: Value, stop: Value, step: int, node: ast.For) -> None:
        """Refuses a loop whose variable would pass the ends of 64 bits, as far as that is known now."""
        least, most = scalars.INT64
        wraps = not -most <= step <= most
        if isinstance(start, Constant) and isinstance(stop, Constant):
            turns = range(start.value, stop.value, step)  # type: ignore[call-overload]
            wraps |= bool(turns) and not least <= turns[-1] + step <= most
        if wraps:
            raise UnsupportedSyntax(
                self.at(node.iter),
                what="a range that passes the ends of 64 bits",
                hint="count from 0 and add the start",
            )
