"""Statements of a kernel to IR.

In: the syntax tree of a function, the types of its arguments, the SoC. Out: a `py.func` and what it read from outside.
Refuses, with the line, whatever Python means that the text could not.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NoReturn

from opwright.errors import UnsupportedSyntax
from opwright.frontend.control import Control
from opwright.frontend.values import Constant, Items, Value, describe
from opwright.ir.language import FuncOp


class Lowering(Control):
    """The state of one kernel being compiled."""

    def run(self) -> FuncOp:
        """Lowers the whole kernel."""
        for node in self.definition.body:
            try:
                self.statement(node)
            except RecursionError:
                self.refuse_depth(node)
        return self.kernel

    def refuse_depth(self, node: ast.AST | None = None) -> NoReturn:
        """Refuses what is nested deeper than Python's stack goes."""
        raise UnsupportedSyntax(
            self.at(node or self.definition),
            what="an expression of so many parts, or a nest of so many branches,",
            way_out="give some of its parts a name in a line of their own",
        ) from None

    def statements(self, nodes: Sequence[ast.stmt]) -> None:
        """Lowers statements in order."""
        for node in nodes:
            self.statement(node)

    def statement(self, node: ast.stmt) -> None:
        """Lowers one statement."""
        match node:
            case ast.Expr(value=ast.Constant(value=str())) | ast.Pass():
                pass
            case ast.Expr(value=ast.Call() as call):
                self.value(call)
            case ast.Assign(targets=targets):
                value = self.value(node.value)
                for target in targets:
                    self.assign_target(target, value)
            case ast.AnnAssign(target=ast.Name(), value=ast.expr()):
                raise UnsupportedSyntax(
                    self.at(node), what="a type on a variable", way_out="leave it out: the value says it"
                )
            case ast.AugAssign(target=target):
                if not isinstance(target, ast.Name):
                    self.refuse_target(target)
                left = self.load(target.id, target)
                self.assign(target.id, self.arithmetic(node.op, left, self.value(node.value), node), node)
            case ast.If():
                self.branch(node)
            case ast.For():
                self.loop(node)
            case ast.While():
                self.test_loop(node)
            case ast.Break() | ast.Continue():
                self.leave(node)
            case ast.Assert():
                self.check(node)
            case ast.Return(value=None) if node is self.definition.body[-1]:
                pass
            case _:
                way_out = _WAY_OUT.get(type(node), "a kernel has assignments, if, for, while, assert and calls")
                raise UnsupportedSyntax(self.at(node), what=_words(node), way_out=way_out)

    def assign_target(self, target: ast.expr, value: Value) -> None:
        """Sets a name, or the names of a tuple; all right-hand sides were evaluated before."""
        match target:
            case ast.Name(id=name):
                self.assign(name, value, target)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                items = value.items if isinstance(value, Items) else ()
                if isinstance(value, Constant) and isinstance(value.value, tuple):
                    items = tuple(Constant(item) for item in value.value)
                if len(items) != len(parts):
                    raise UnsupportedSyntax(
                        self.at(target),
                        what=f"taking {describe(value)} apart into {len(parts)} names",
                        way_out="both sides need the same number of parts",
                    )
                for part, item in zip(parts, items, strict=True):
                    self.assign_target(part, item)
            case _:
                self.refuse_target(target)

    def refuse_target(self, target: ast.expr) -> NoReturn:
        """Refuses to set anything but a name."""
        raise UnsupportedSyntax(
            self.at(target),
            what="assignment to an element or an attribute",
            way_out="copy with asc.data_copy, fill with asc.duplicate",
        )


_WAY_OUT: dict[type[ast.AST], str] = {
    ast.Return: "let the kernel end by itself, and put what must not run into an if",
    ast.Raise: "stop the core with asc.trap()",
    ast.Import: "import at the top of the file",
    ast.ImportFrom: "import at the top of the file",
    ast.FunctionDef: "define it outside the kernel",
}


def _words(node: ast.AST) -> str:
    """The name of a kind of statement or expression, for people."""
    names = {
        ast.FunctionDef: "a nested function",
        ast.Import: "import",
        ast.ImportFrom: "import",
        ast.Expr: "this",
    }
    return names.get(type(node), f"'{type(node).__name__.lower()}'")
