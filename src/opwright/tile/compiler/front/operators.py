"""Operators on tiles: arithmetic, comparisons, selection, with broadcasting and promotion as the evaluator has them.

In: values of which at least one is a tile. Out: a tile. Refuses, with the evaluator's own rules, shapes that do not
broadcast and types that do not mix.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from opwright.ascendc.dtypes import DataType
from opwright.errors import WrongType
from opwright.frontend import operators as of_numbers
from opwright.frontend import scalars
from opwright.frontend.builder import Builder
from opwright.ir import SSAValue, numbers
from opwright.ir import tile as ir
from opwright.ir.language import BinaryOp, constant_of
from opwright.ir.tile import counts_of, type_of
from opwright.ir.types import FLOAT, INT, ScalarType, tile_type
from opwright.ir.values import Constant, RunTimeValue, Value
from opwright.tile import dtypes
from opwright.tile.compiler.front.cells import counted
from opwright.tile.compiler.front.state import constant, smaller
from opwright.tile.compiler.front.values import (
    SpanValue,
    TensorValue,
    TileFacts,
    at_node,
    facts_of,
    is_number,
    is_tile,
    word_of,
)
from opwright.tile.shapes import broadcast, common_dtype, refuse_operand

# What tiles have, by operator: the symbol of messages, the name in the IR, the kinds of types it takes.
_BINARY: dict[type[ast.operator], tuple[str, str, str]] = {
    ast.Add: ("+", "add", "number"),
    ast.Sub: ("-", "sub", "number"),
    ast.Mult: ("*", "mul", "number"),
    ast.Div: ("/", "div", "float"),
    ast.BitAnd: ("&", "and", "bool"),
    ast.BitOr: ("|", "or", "bool"),
}
_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_MIRRORED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
_COMMUTATIVE = ("add", "mul", "and", "or")


def arithmetic(builder: Builder, op: ast.operator, left: Value, right: Value, node: ast.AST) -> Value:
    """Arithmetic on tiles, or on numbers: those of constants are Python's."""
    if not _has_ours(left, right):
        if isinstance(left, Constant) and isinstance(right, Constant) and type(op) in scalars.NAMES:
            return _folded(builder, scalars.NAMES[type(op)], node, left, right)
        return of_numbers.arithmetic(builder, op, left, right, node)
    if type(op) not in _BINARY:
        symbol = scalars.PRINTED.get(scalars.NAMES.get(type(op), ""), "@")
        hint = "tiles have + - * / & | and ~; tile.dot is the product of matrices"
        raise WrongType(builder.at(node), operation=f"'{symbol}'", got="a tile", hint=hint)
    symbol, name, kinds = _BINARY[type(op)]
    return elementwise(builder, symbol, name, (left, right), node, kinds)


def _has_ours(*values: Value) -> bool:
    return any(is_tile(value) or isinstance(value, (TensorValue, SpanValue)) for value in values)


def _folded(builder: Builder, name: str, node: ast.AST, left: Constant, right: Constant) -> Constant:
    """Constants are Python's numbers until they meet a number of run time or a tile."""
    known = (left.value, right.value)
    if all(isinstance(one, (int, float)) for one in known) and any(isinstance(one, float) for one in known):
        try:
            return Constant(scalars.FOLD[name](*known))
        except (TypeError, ArithmeticError, ValueError):
            pass  # refused below
    return scalars.fold(builder, name, node, *known)


def unary(builder: Builder, op: ast.unaryop, value: Value, node: ast.AST) -> Value:
    """`-t`, `~t`; of numbers what numbers have."""
    if isinstance(op, ast.Not):
        return of_numbers.unary(builder, op, value, node)
    if not _has_ours(value):
        if isinstance(value, Constant) and isinstance(value.value, float) and not isinstance(op, ast.Invert):
            return Constant(-value.value if isinstance(op, ast.USub) else value.value)
        return of_numbers.unary(builder, op, value, node)
    if not is_tile(value) or isinstance(op, ast.UAdd):
        with at_node(builder, node):
            refuse_operand("+" if isinstance(op, ast.UAdd) else "-", word_of(value))
    symbol, name, kinds = ("-", "neg", "number") if isinstance(op, ast.USub) else ("~", "not", "bool")
    return one(builder, symbol, name, value, node, kinds)


def one(builder: Builder, operation: str, name: str, value: Value, node: ast.AST, kinds: str) -> RunTimeValue:
    """An operation on one tile."""
    with at_node(builder, node):
        if not is_tile(value):
            refuse_operand(operation, word_of(value))
        dtypes.refuse_kind(operation, facts_of(builder, value).dtype, kinds)
    return RunTimeValue(builder.add(ir.UnaryOp(name, counted(builder, value, node)), node).results[0])


def compare(builder: Builder, op: ast.cmpop, left: Value, right: Value, node: ast.AST) -> Value:
    """One comparison; of tiles it gives a bool tile."""
    if not _has_ours(left, right):
        return of_numbers.compare(builder, op, left, right, node)
    name = scalars.NAMES[type(op)]
    if not is_tile(left):  # as Python does: the tile on the right is asked for the mirrored comparison
        left, right, name = right, left, _MIRRORED[name]
    operands = Operands(builder, _COMPARISONS[name], (left, right), node)
    dtype = operands.dtype("number")
    if len(operands.tiles) == 1:
        number = operands.number(right, dtype)
        return RunTimeValue(builder.add(ir.CompareNumberOp(name, operands.tile(left, dtype), number), node).results[0])
    kind = tile_type(operands.shape, ir.MASK)
    a, b = (operands.tile(side, dtype) for side in (left, right))
    return RunTimeValue(builder.add(ir.CompareOp(name, a, b, kind, operands.counts()), node).results[0])


def elementwise(
    builder: Builder, operation: str, name: str, given: tuple[Value, Value], node: ast.AST, kinds: str = "number"
) -> RunTimeValue:
    """An operation on two tiles, or on a tile and a number."""
    operands = Operands(builder, operation, given, node)
    dtype = operands.dtype(kinds)
    left, right = given
    if len(operands.tiles) == 1:
        x, other, is_reversed = (left, right, False) if is_tile(left) else (right, left, True)
        number = operands.number(other, dtype)
        is_reversed = is_reversed and name not in _COMMUTATIVE
        made = builder.add(ir.WithNumberOp(name, operands.tile(x, dtype), number, is_reversed), node)
        return RunTimeValue(made.results[0])
    a, b = (operands.tile(side, dtype) for side in given)
    kind = tile_type(operands.shape, dtype.name)
    return RunTimeValue(builder.add(ir.BinaryOp(name, a, b, kind, operands.counts()), node).results[0])


def select(builder: Builder, mask: Value, x: Value, y: Value, node: ast.AST) -> RunTimeValue:
    """tile.where."""
    with at_node(builder, node):
        if not is_tile(mask):
            refuse_operand("where", word_of(mask))
        dtypes.refuse_kind("where", facts_of(builder, mask).dtype, "bool")
    values = Operands(builder, "where", (x, y), node)
    dtype = values.dtype("number")
    operands = Operands(builder, "where", (mask, x, y), node)
    rank = len(operands.shape)

    def side(value: Value) -> SSAValue:
        if is_tile(value):
            return operands.tile(value, dtype)
        ones = [constant(builder, 1)] * rank
        number = operands.number(value, dtype)
        return builder.add(ir.FullOp(number, tile_type((1,) * rank, dtype.name), ones), node).results[0]

    chosen = operands.tile(mask, dtypes.BOOL)
    kind = tile_type(operands.shape, dtype.name)
    return RunTimeValue(builder.add(ir.SelectOp(chosen, side(x), side(y), kind, operands.counts()), node).results[0])


class Operands:
    """Operands of one operation: their common shape, type and counts."""

    def __init__(self, builder: Builder, operation: str, given: Sequence[Value], node: ast.AST) -> None:
        self.builder = builder
        self.operation = operation
        self.given = given
        self.node = node
        with at_node(builder, node):
            for value in given:
                if not is_tile(value) and not is_number(value):
                    refuse_operand(operation, word_of(value))
            self.tiles = [counted(builder, value, node) for value in given if is_tile(value)]
            self.facts: list[TileFacts] = [facts_of(builder, RunTimeValue(tile)) for tile in self.tiles]
            self.shape = broadcast(operation, self.facts)

    def dtype(self, kinds: str) -> DataType:
        """The common type of the tiles; of numbers alone float32 or int32."""
        with at_node(self.builder, self.node):
            found = common_dtype(self.operation, self.facts, any(map(_is_float, self.given)))
            dtypes.refuse_kind(self.operation, found, kinds)
        return found

    def tile(self, value: Value, dtype: DataType) -> SSAValue:
        """A tile in the common type, with as many axes as the result has."""
        assert is_tile(value)
        ssa = counted(self.builder, value, self.node)
        if type_of(ssa).dtype.data != dtype.name:
            ssa = self.builder.add(ir.CastOp(ssa, dtype.name), self.node).results[0]
        return with_rank(self.builder, ssa, len(self.shape), self.node)

    def number(self, value: Value, dtype: DataType) -> SSAValue:
        """A number as operations on tiles of a type take it."""
        return number_for(self.builder, self.operation, value, dtype, self.node)

    def counts(self) -> list[SSAValue]:
        """How much of each axis is there: the least of all operands that have it."""
        return [self._count(axis) for axis in range(-len(self.shape), 0)]

    def _count(self, axis: int) -> SSAValue:
        size = self.shape[axis]
        found = constant(self.builder, size)
        for tile in self.tiles:
            sizes = type_of(tile).sizes
            if len(sizes) < -axis:
                continue
            count = counts_of(tile)[axis]
            if sizes[axis] != size and constant_of(count) != 1:
                # One element that stands for all of them: if it is not there, nothing is.
                count = self.builder.add(BinaryOp("mul", count, constant(self.builder, size)), self.node).results[0]
            elif sizes[axis] != size:
                continue
            found = smaller(self.builder, found, count, size, self.node)
        return found


def _is_float(value: Value) -> bool:
    if isinstance(value, Constant):
        return isinstance(value.value, float)
    return (
        isinstance(value, RunTimeValue) and isinstance(value.type, ScalarType) and numbers.widened(value.type) == FLOAT
    )


def number_for(builder: Builder, operation: str, value: Value, dtype: DataType, node: ast.AST) -> SSAValue:
    """A number as operations on tiles of a type take it: FLOAT or INT. Refuses what the type does not hold."""
    with at_node(builder, node):
        if not is_number(value):
            refuse_operand(operation, word_of(value))
        if isinstance(value, Constant):
            dtypes.refuse_number(operation, value.value, dtype)
        elif _is_float(value) and not dtype.is_float():
            dtypes.refuse_float(operation, ast.unparse(node), dtype)
    return numbers.materialise(builder.site(node), value, FLOAT if dtype.is_float() else INT)


def with_rank(builder: Builder, tile: SSAValue, rank: int, node: ast.AST) -> SSAValue:
    """A tile with axes of size 1 in front."""
    kind = type_of(tile)
    missing = rank - len(kind.sizes)
    if not missing:
        return tile
    counts = [*[constant(builder, 1)] * missing, *counts_of(tile)]
    wider = tile_type((1,) * missing + kind.sizes, kind.dtype.data)
    return builder.add(ir.ViewOp(tile, wider, counts), node).results[0]
