"""The builder of one function: the block that grows, places of nodes, and what was read from outside.

In: the compilation and one function of it. Out: operations with their place, locations for errors. The parts of the
front end are functions over a builder. An expression contains calls, a call contains expressions, and both may contain
whole functions: this recursion goes through `Grammar`, and through nothing else. So does what another language over the
same syntax means otherwise: `dataclasses.replace` gives a grammar with some of its parts replaced.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Protocol

from opwright.ascendc.kernel_types import KernelType
from opwright.ascendc.socs import Soc
from opwright.errors import Location, UnstableGlobal
from opwright.frontend.compilation import Compilation, FunctionInstance, Helper
from opwright.frontend.pipes import Spot
from opwright.frontend.scope import Flow, Scope, StackUse
from opwright.frontend.values import Shape
from opwright.ir import Block, Operation, StringAttr
from opwright.ir.types import ValueType
from opwright.ir.values import Constant, RunTimeValue, Value
from opwright.kernel.stable import stable


@dataclass(frozen=True)
class Loop:
    """A loop of the text whose body is empty, and what the names of its target are in there."""

    operation: Operation
    body: Block
    names: Sequence[tuple[ast.Name, Value]]


class Iterated(Protocol):
    """What a `for` iterates over."""

    def begin(self, builder: Builder, node: ast.For) -> Loop:
        """The loop; it is appended when its body is complete."""


@dataclass(frozen=True)
class Grammar:
    """How the parts of the language that contain one another are lowered.

    begin: what comes before the first statement of a function.
    attribute, subscript: of what the expression before them gave.
    set_element: an assignment to `value[...]`, of what the expression before the brackets gave.
    arithmetic, unary, compare: operators, on values.
    truth: a value as what a branch or a loop tests.
    iterate: what a `for` iterates over; a `range` is repeated in the text.
    call: a call of what the callee's expression gave. The arguments are not evaluated yet.
    """

    value: Callable[[Builder, ast.expr], Value]
    statement: Callable[[Builder, ast.stmt], None]
    helper: Callable[[Builder, Helper, Sequence[tuple[str, ValueType]], Mapping[str, Value]], Shape]
    begin: Callable[[Builder], None]
    attribute: Callable[[Builder, Value, ast.Attribute], Value]
    subscript: Callable[[Builder, Value, ast.Subscript], Value]
    set_element: Callable[[Builder, Value, ast.Subscript, Value], None]
    arithmetic: Callable[[Builder, ast.operator, Value, Value, ast.AST], Value]
    unary: Callable[[Builder, ast.unaryop, Value, ast.AST], Value]
    compare: Callable[[Builder, ast.cmpop, Value, Value, ast.AST], Value]
    truth: Callable[[Builder, Value, ast.AST], Constant | RunTimeValue]
    iterate: Callable[[Builder, ast.For], Iterated | range]
    call: Callable[[Builder, Value, ast.Call], Value]


class Builder:
    """One function being compiled."""

    def __init__(
        self,
        grammar: Grammar,
        compilation: Compilation,
        function: FunctionInstance,
        definition: ast.FunctionDef,
        block: Block,
        scope: Scope,
    ) -> None:
        self.grammar = grammar
        self.compilation = compilation
        self.function = function
        self.definition = definition
        self.block = self.outermost = block
        self.scope = scope
        self.flow = Flow()
        self.stack = StackUse()
        self.kinds = set(compilation.kernel_type.kinds)  # of cores that may reach what is being compiled
        self._lines = function.source.text.split("\n")

    @property
    def soc(self) -> Soc:
        """The SoC that the kernel is compiled for."""
        return self.compilation.soc

    @property
    def kernel_type(self) -> KernelType:
        """Which cores the kernel runs on."""
        return self.compilation.kernel_type

    def value(self, node: ast.expr) -> Value:
        """The value of an expression."""
        return self.grammar.value(self, node)

    def statements(self, nodes: Sequence[ast.stmt]) -> None:
        """Lowers statements in order, up to one behind which nothing is reached."""
        for node in nodes:
            if self.flow.ended:
                break
            self.grammar.statement(self, node)

    def place(self, node: ast.AST) -> tuple[int, int]:
        """Line and column of a node in the kernel's source; the syntax tree counts bytes, people count letters."""
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        text = self._lines[line - 1]
        return line, column if text.isascii() else len(text.encode()[:column].decode())

    def at(self, node: ast.AST) -> Location:
        """The place of a node in the user's file, with the calls that led there."""
        return replace(self.function.source.locate(*self.place(node)), calls=self.function.calls)

    @property
    def spot(self) -> Spot:
        """Where the kernel is being compiled, for what depends on the core."""
        return Spot(self.function.number, frozenset(self.kinds))

    def mark(self, node: ast.AST) -> str:
        """The place of a node as operations keep it."""
        line, column = self.place(node)
        return f"{line}:{column}"

    def add(self, operation: Operation, node: ast.AST) -> Operation:
        """Appends an operation that stands for `node`."""
        operation.attributes["at"] = StringAttr(self.mark(node))
        self.block.add_op(operation)
        return operation

    @contextmanager
    def nested(self, block: Block | None = None) -> Iterator[Block]:
        """Appends to a block of its own while the context lasts."""
        outer, self.block = self.block, block or Block()
        try:
            yield self.block
        finally:
            self.block = outer

    def record(self, path: str, value: object, node: ast.AST) -> None:
        """Notes that the kernel depends on the value at `path`."""
        if stable(value) is None:
            raise UnstableGlobal(self.at(node), name=path.rpartition(">")[2], type=type(value).__name__)
        self.compilation.captures[path] = value

    def site(self, node: ast.AST) -> NodeSite:
        """A node as the place that operations are added at."""
        return NodeSite(self, node)


@dataclass(frozen=True)
class NodeSite:
    """A node of the syntax tree as an `ir.site.Site`."""

    builder: Builder
    node: ast.AST

    @property
    def at(self) -> Location:
        """The place of the node."""
        return self.builder.at(self.node)

    def add(self, operation: Operation) -> Operation:
        """Appends an operation that stands for the node."""
        return self.builder.add(operation, self.node)
