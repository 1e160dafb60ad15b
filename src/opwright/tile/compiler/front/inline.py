"""Functions marked `@tile.jit` that a tile kernel calls: they become a part of it.

In: a call. Out: the value that the function returns, and its statements in the block of the caller, at the caller's
line. Refuses other kernels, recursion, and `return` anywhere but in the last line.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NoReturn

from opwright.errors import UnsupportedSyntax
from opwright.frontend.builder import Builder, Grammar
from opwright.frontend.functions import MAX_CALLS
from opwright.frontend.invocations import arguments_of
from opwright.frontend.scope import Scope
from opwright.ir.values import Constant, Value
from opwright.kernel.function import KernelFunction
from opwright.tile.carried import refuse_carried
from opwright.tile.compiler.front.bind import bound


class InlinedBuilder(Builder):
    """A function within another one: its operations stand for the caller's line; errors show both."""

    def __init__(self, caller: Builder, function: KernelFunction, path: str, node: ast.Call, scope: Scope) -> None:
        calls = (*caller.function.calls, caller.at(node))
        instance = replace(caller.function, python=function.function, source=function.source, path=path, calls=calls)
        (definition,) = ast.parse(function.source.text).body
        assert isinstance(definition, ast.FunctionDef)
        super().__init__(caller.grammar, caller.compilation, instance, definition, caller.block, scope)
        self.outermost = caller.outermost
        self.kinds = caller.kinds
        self._mark = caller.mark(node)
        self.result: Value = Constant(None)

    def mark(self, node: ast.AST) -> str:
        return self._mark

    def give_back(self, node: ast.Return) -> None:
        """`return`, in the last line."""
        if node is not self.definition.body[-1]:
            hint = "set a name in the branches, and return it in the last line"
            raise UnsupportedSyntax(self.at(node), what="return before the last line", hint=hint)
        if node.value is not None:
            self.result = self.value(node.value)


def call_kernel(builder: Builder, called: Value, node: ast.Call) -> Value:
    """Calls a function marked `@tile.jit`."""
    assert isinstance(called, Constant) and isinstance(called.value, KernelFunction)
    function = called.value
    if function.front_end != "tile":
        _refuse(builder, f"calling {ast.unparse(node.func)}, a kernel of the front end {function.front_end},", node)
    arguments, keywords = arguments_of(builder, node)
    given = bound(builder, function.__name__, function.function, arguments, keywords, node)
    refuse_carried(function.function, {name: one.value for name, one in given.items() if isinstance(one, Constant)})
    return inlined(builder, called, arguments, keywords, node)


def inlined(
    builder: Builder,
    called: Constant,
    arguments: Sequence[Value],
    keywords: Mapping[str, Value],
    node: ast.Call,
    grammar: Grammar | None = None,
) -> Value:
    """The statements of a function in the block of its caller; `grammar`: how they are lowered, if not as there."""
    function = called.value
    assert isinstance(function, KernelFunction)
    if len(builder.function.calls) >= MAX_CALLS:
        _refuse(builder, f"{MAX_CALLS} functions that call each other", node)
    given = bound(builder, function.__name__, function.function, arguments, keywords, node)
    inner = InlinedBuilder(builder, function, called.path, node, Scope(dict(given), {}))
    inner.grammar = grammar or builder.grammar
    inner.statements(inner.definition.body)
    return inner.result


def _refuse(builder: Builder, what: str, node: ast.AST) -> NoReturn:
    hint = "a tile kernel calls functions marked @tile.jit, which become a part of it"
    raise UnsupportedSyntax(replace(builder.at(node), calls=()), what=what, hint=hint)
