"""What an expression in a tile kernel can be, beside constants and run-time values.

A tile is a `RunTimeValue` whose type is a `TileType`. Tensors and spans are no values of the IR: they are known here by
the numbers that they consist of.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeGuard

from opwright.ascendc.dtypes import DTYPES, DataType
from opwright.frontend.builder import Builder
from opwright.ir import Operation, SSAValue
from opwright.ir.language import At
from opwright.ir.tile import MASK, type_of
from opwright.ir.types import ScalarType, TileType
from opwright.ir.values import Constant, Items, RunTimeValue, Value
from opwright.tile.dtypes import BOOL
from opwright.tile.place import compiling


@dataclass(frozen=True)
class TensorValue(Value):
    """An argument in global memory."""

    name: str
    address: SSAValue
    shape: tuple[RunTimeValue, ...]
    strides: tuple[RunTimeValue, ...]
    dtype: DataType

    def __str__(self) -> str:
        return "a Tensor"


@dataclass(frozen=True)
class SpanValue(Value):
    """A part of an axis. start, stop: constants or run-time integers. count: how many positions are there.

    first: a number that no start of the same loop is below, if `start` depends on a loop.
    """

    start: Value
    size: int
    stop: Value
    count: SSAValue
    first: Value | None = None

    def __str__(self) -> str:
        return "a Span"


@dataclass(frozen=True)
class MethodValue(Value):
    """A method of a tile or a span, not yet called."""

    of: RunTimeValue | SpanValue
    name: str

    def __str__(self) -> str:
        return f"the method {self.name}"


@dataclass(frozen=True)
class TileFacts:
    """A tile as rules of the language look at it."""

    shape: tuple[int, ...]
    dtype: DataType
    line: int | None = None


def dtype_named(name: str) -> DataType:
    """The data type of tiles of a name."""
    return BOOL if name == MASK else DTYPES[name]


def is_tile(value: Value) -> TypeGuard[RunTimeValue]:
    """Whether a value is a tile."""
    return isinstance(value, RunTimeValue) and isinstance(value.type, TileType)


def is_number(value: Value) -> TypeGuard[Constant | RunTimeValue]:
    """Whether a value is a number."""
    if isinstance(value, Constant):
        return isinstance(value.value, (int, float))
    return isinstance(value, RunTimeValue) and isinstance(value.type, ScalarType)


def facts_of(builder: Builder, value: RunTimeValue) -> TileFacts:
    """A tile as rules look at it."""
    kind = type_of(value.ssa)
    made = value.ssa.owner
    at = At.of(made) if isinstance(made, Operation) else ""
    line = builder.function.source.locate(int(at.partition(":")[0]), 0).line if at else None
    return TileFacts(kind.sizes, dtype_named(kind.dtype.data), line)


def word_of(value: Value) -> str:
    """The class of a value, as NumPy's evaluator names it in messages."""
    match value:
        case TensorValue():
            return "Tensor"
        case SpanValue():
            return "Span"
        case Items():
            return "tuple"
        case Constant():
            return type(value.value).__name__
        case RunTimeValue() if is_tile(value):
            return "Tile"
        case RunTimeValue():
            return str(value.type)
    return str(value)


@contextmanager
def at_node(builder: Builder, node: ast.AST) -> Iterator[None]:
    """While it lasts, rules that NumPy's evaluator shares refuse at a node."""
    token = compiling.set(builder.at(node))
    try:
        yield
    finally:
        compiling.reset(token)
