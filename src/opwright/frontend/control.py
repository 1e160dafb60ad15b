"""Branches, `break`, `continue` and `assert` of a kernel.

In: statements. Out: IR that does what Python does. A test that is a constant picks one side now.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from opwright.ascendc.table import ROWS
from opwright.errors import StaticAssertFailed, UnsupportedSyntax
from opwright.frontend import calls, variables
from opwright.frontend.builder import Builder
from opwright.frontend.formats import spread
from opwright.frontend.names import assigned_names, loaded_after
from opwright.frontend.values import Variable
from opwright.ir import Block, numbers
from opwright.ir.calls import asked_kind, trap
from opwright.ir.language import BreakOp, ContinueOp, IfOp, VariableOp
from opwright.ir.names import set_name
from opwright.ir.types import UNKNOWN
from opwright.ir.values import Constant, Value


def branch(builder: Builder, node: ast.If) -> None:
    """`if`: a constant test picks one side now, any other becomes a branch at run time."""
    test = builder.grammar.truth(builder, builder.value(node.test), node.test)
    if isinstance(test, Constant):
        builder.statements(node.body if test.value else node.orelse)
        return
    assigned = assigned_names(node.body) | assigned_names(node.orelse)
    variables.demote(builder, assigned, node)
    outer = builder.scope
    # A side that leaves the loop says nothing about what holds behind the branch.
    sides = [side for side in (node.body, node.orelse) if not leaves(side)]
    certain = set.intersection(*(assigned_names(side) for side in sides)) if sides else set()
    for name in sorted(certain - outer.names.keys()):
        if loaded_after(builder.definition, node, name):
            cell = builder.add(VariableOp(None, UNKNOWN), node).results[0]
            set_name(cell, name)
            outer.names[name] = Variable(cell)
            outer.maybe_unset.add(name)
    behind: set[str] = set()
    blocks = []
    ends = []
    asked, kinds = asked_kind(test.ssa), builder.kinds
    for side, chosen in ((node.body, kinds & {asked}), (node.orelse, kinds - {asked})):
        builder.scope = outer.copy()
        builder.kinds = chosen if asked else kinds
        with builder.nested() as block:
            builder.statements(side)
        blocks.append(block)
        if not builder.flow.ended:
            behind |= builder.scope.maybe_unset
        ends.append(builder.flow.ended)
        builder.flow.ended = False
    builder.flow.ended = all(ends)
    builder.scope, builder.kinds = outer, kinds
    outer.maybe_unset = behind | (assigned - outer.names.keys())
    builder.add(IfOp(test.ssa, *blocks), node)


def leave(builder: Builder, node: ast.Break | ast.Continue) -> None:
    """`break` and `continue`."""
    if not builder.flow.loops:
        word = "break" if isinstance(node, ast.Break) else "continue"
        raise UnsupportedSyntax(
            builder.at(node), what=f"{word} in asc.static_range", hint="use range, or put the rest into an if"
        )
    builder.add(BreakOp() if isinstance(node, ast.Break) else ContinueOp(), node)
    builder.flow.ended = True


def check(builder: Builder, node: ast.Assert) -> None:
    """`assert`: the core stops if it does not hold; one that cannot hold is refused now."""
    holds = numbers.truth(builder.site(node.test), builder.value(node.test))
    with builder.nested() as block:
        message, values = _message(builder, node)
        reason = f"assertion failed: {message}" if message else "assertion failed"
        if isinstance(holds, Constant):
            if not holds.value:
                raise StaticAssertFailed(builder.at(node), message=message or ast.unparse(node.test))
            return
        if values:
            # The numbers are known at run time only: they are printed before the core stops.
            calls.invoke(builder, ROWS["printf"], [Constant(f"{message}\n"), *values], {}, node)
            reason = f"assertion failed: {ast.unparse(node.test)}; its message was printed"
        builder.add(trap(reason), node)
    builder.add(IfOp(holds.ssa, Block(), block), node)


def _message(builder: Builder, node: ast.Assert) -> tuple[object, list[Value]]:
    """What an assertion says: a text, and the run-time values in it if it is an f-string."""
    if isinstance(node.msg, ast.JoinedStr):
        text, *values = spread(builder, ROWS["printf"], node.msg)
        assert isinstance(text, Constant)
        return text.value if values else str(text.value).replace("%%", "%"), values
    said = builder.value(node.msg) if node.msg is not None else Constant("")
    if not isinstance(said, Constant):
        raise UnsupportedSyntax(builder.at(node), what="a message that is not a constant", hint='write f"n is {n}"')
    return said.value, []


def leaves(nodes: Sequence[ast.stmt]) -> bool:
    """Whether these statements always end in break, continue or return."""
    if not nodes:
        return False
    last = nodes[-1]
    if isinstance(last, ast.If):
        return leaves(last.body) and leaves(last.orelse)
    return isinstance(last, (ast.Break, ast.Continue, ast.Return))
