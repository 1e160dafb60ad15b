"""What every part of the front end shares: where the kernel stands, the block that grows, what was read from outside.

In: the compilation and one function of it. Out: operations with their place, locations for errors.
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from opwright.ascendc.row import Row
from opwright.ascendc.table import ROWS
from opwright.errors import Location, UnstableGlobal
from opwright.frontend.pipes import Spot
from opwright.frontend.unit import Frame, Unit
from opwright.frontend.values import Constant, Runtime, Value
from opwright.ir import Block, Operation, SSAValue, StringAttr
from opwright.kernel.stable import stable


class Builder(ABC):
    """The state of one function being compiled."""

    def __init__(self, unit: Unit, frame: Frame, block: Block) -> None:
        self.unit = unit
        self.frame = frame
        self.function = frame.function
        self.soc = unit.soc
        self.kernel_type = unit.kernel_type
        self.kinds = set(unit.kernel_type.kinds)  # of cores that may come to what is being compiled
        self.block = self.outermost = block
        self.array_bytes = 0  # of asc.array
        self.array_lines: list[int] = []  # where they are
        self.called_bytes = 0  # of the function that it calls with the most of them
        self._lines = frame.source.text.split("\n")

    def place(self, node: ast.AST) -> tuple[int, int]:
        """Line and column of a node in the kernel's source; the syntax tree counts bytes, people count letters."""
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        text = self._lines[line - 1]
        return line, column if text.isascii() else len(text.encode()[:column].decode())

    def at(self, node: ast.AST) -> Location:
        """The place of a node in the user's file, with the calls that led there."""
        return replace(self.frame.source.locate(*self.place(node)), calls=self.frame.calls)

    @property
    def spot(self) -> Spot:
        """Where the kernel is being compiled, for what depends on the core."""
        return Spot(self.frame.number, frozenset(self.kinds))

    def mark(self, node: ast.AST) -> str:
        """The place of a node as operations keep it."""
        line, column = self.place(node)
        return f"{line}:{column}"

    def add(self, operation: Operation, node: ast.AST) -> Operation:
        """Appends an operation that stands for `node`."""
        operation.attributes["at"] = StringAttr(self.mark(node))
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
            raise UnstableGlobal(self.at(node), name=path.rpartition(">")[2], type=type(value).__name__)
        self.unit.reads[path] = value

    @abstractmethod
    def value(self, node: ast.expr) -> Value:
        """The value of an expression."""

    @abstractmethod
    def load(self, name: str, node: ast.AST) -> Value:
        """The value of a name."""

    @abstractmethod
    def refined(self, tensor: SSAValue) -> None:
        """A global tensor was given its memory, and so its element type."""

    @abstractmethod
    def assign(self, name: str, value: Value, node: ast.AST) -> None:
        """Sets a name."""

    @abstractmethod
    def truth(self, value: Value, node: ast.AST) -> Constant | Runtime:
        """The value as a truth value."""
