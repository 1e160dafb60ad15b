"""What every part of the front end shares: where the kernel stands, the block that grows, what was read from outside.

In: a function's source and the SoC. Out: operations with their place, locations for errors.
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from types import FunctionType

from opwright.ascendc.row import Row
from opwright.ascendc.socs import Soc
from opwright.ascendc.table import ROWS
from opwright.errors import Location, UnstableGlobal
from opwright.frontend.values import Constant, Runtime, Value
from opwright.ir import Block, Operation, StringAttr
from opwright.runtime.reads import stable
from opwright.runtime.source import Source


class Builder(ABC):
    """The state of one kernel being compiled."""

    def __init__(self, function: FunctionType, source: Source, soc: Soc, block: Block) -> None:
        self.function = function
        self.source = source
        self.soc = soc
        self.block = block
        self.reads: dict[str, object] = {}
        self._lines = source.text.split("\n")

    def place(self, node: ast.AST) -> tuple[int, int]:
        """Line and column of a node in the kernel's source; the syntax tree counts bytes, people count letters."""
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        before = self._lines[line - 1].encode()[:column]
        return line, len(before.decode())

    def at(self, node: ast.AST) -> Location:
        """The place of a node in the user's file."""
        return self.source.locate(*self.place(node))

    def add(self, operation: Operation, node: ast.AST) -> Operation:
        """Appends an operation that stands for `node`."""
        line, column = self.place(node)
        operation.attributes["at"] = StringAttr(f"{line}:{column}")
        self.block.add_op(operation)
        return operation

    def new_block(self) -> Block:
        """An empty block."""
        return Block()

    @contextmanager
    def nested(self, block: Block | None = None) -> Iterator[Block]:
        """Appends to a block of its own while the context lasts."""
        outer, self.block = self.block, block or Block()
        try:
            yield self.block
        finally:
            self.block = outer

    def row(self, name: str) -> Row:
        """A row of the table."""
        return ROWS[name]

    def record(self, path: str, value: object, node: ast.AST) -> None:
        """Notes that the kernel depends on the value at `path`."""
        if stable(value) is None:
            raise UnstableGlobal(self.at(node), name=path, type=type(value).__name__)
        self.reads[path] = value

    @abstractmethod
    def value(self, node: ast.expr) -> Value:
        """The value of an expression."""

    @abstractmethod
    def load(self, name: str, node: ast.AST) -> Value:
        """The value of a name."""

    @abstractmethod
    def truth(self, value: Value, node: ast.AST) -> Constant | Runtime:
        """The value as a truth value."""
