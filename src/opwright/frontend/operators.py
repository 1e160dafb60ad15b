"""Operators: arithmetic, comparisons, `and`, `or` and the ternary.

In: expression nodes. Out: values. Both sides of `and`, `or` and a ternary are evaluated only when Python would, unless
that makes no difference. Refuses operators that a kernel does not have, and conditions that are no truth values.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from opwright.ascendc.table import ROWS
from opwright.errors import UnsupportedSyntax, WrongType
from opwright.frontend import calls, scalars
from opwright.frontend.builder import Builder
from opwright.frontend.values import describe
from opwright.ir import Block, Operation, numbers
from opwright.ir.calls import CallOp
from opwright.ir.language import IfOp, LoadOp, LogicalOp, SelectOp, StoreOp, VariableOp
from opwright.ir.traits import READ, effects_of
from opwright.ir.types import BOOL, AddressType, PointerType
from opwright.ir.values import Constant, RunTimeValue, Value


def arithmetic(builder: Builder, op: ast.operator, left: Value, right: Value, node: ast.AST) -> Value:
    """Arithmetic; an address plus a number is an address."""
    is_address = isinstance(left, RunTimeValue) and isinstance(left.type, (AddressType, PointerType))
    if is_address and isinstance(op, ast.Add):
        return calls.invoke(builder, ROWS["GlobalAddress.__add__"], [left, right], {}, node)
    if type(op) not in scalars.NAMES:
        raise UnsupportedSyntax(builder.at(node), what="this operator", hint="write it with + - * // %")
    return scalars.binary(builder, scalars.NAMES[type(op)], left, right, node)


def unary(builder: Builder, op: ast.unaryop, value: Value, node: ast.AST) -> Value:
    """`-x`, `+x`, `~x`, `not x`."""
    return scalars.unary(builder, scalars.NAMES[type(op)], value, node)


def compare(builder: Builder, op: ast.cmpop, left: Value, right: Value, node: ast.AST) -> Value:
    """One comparison."""
    return scalars.compare(builder, scalars.NAMES[type(op)], left, right, node)


def comparison(builder: Builder, node: ast.Compare) -> Value:
    """A chain of comparisons; each operand is evaluated once, the later ones only if needed."""
    if any(type(op) not in scalars.NAMES for op in node.ops):
        raise UnsupportedSyntax(builder.at(node), what="'in' and 'is'", hint="compare with == or !=")
    left = builder.value(node.left)

    def links() -> Iterator[Callable[[], Value]]:
        nonlocal left
        for op, operand in zip(node.ops, node.comparators, strict=True):

            def link(op: ast.cmpop = op, operand: ast.expr = operand) -> Value:
                nonlocal left
                before, left = left, builder.value(operand)
                return builder.grammar.compare(builder, op, before, left, node)

            yield link

    return chain(builder, "and", list(links()), node)


def logical(builder: Builder, node: ast.BoolOp) -> Value:
    """`and`, `or` of truth values."""
    name = "and" if isinstance(node.op, ast.And) else "or"

    def operand(part: ast.expr) -> Value:
        value = builder.value(part)
        if isinstance(value, RunTimeValue) and value.type != BOOL:
            raise WrongType(
                builder.at(part),
                operation=f"'{name}'",
                got=describe(value),
                hint="give it a comparison: n != 0",
            )
        return value

    return chain(builder, name, [lambda part=part: operand(part) for part in node.values], node)  # type: ignore[misc]


def chain(builder: Builder, name: str, parts: list[Callable[[], Value]], node: ast.AST) -> Value:
    """Short-circuit evaluation of truth values."""
    left = parts[0]()
    if len(parts) == 1:
        return left
    if isinstance(left, Constant):
        decided = bool(left.value) == (name == "or")
        return left if decided else chain(builder, name, parts[1:], node)
    with builder.nested() as block:
        right = chain(builder, name, parts[1:], node)
        if isinstance(right, Constant) and not isinstance(right.value, bool):
            # Python's result would be this very value, not a truth value.
            hint = "give it a comparison: n != 0"
            raise WrongType(builder.at(node), operation=f"'{name}'", got=describe(right), hint=hint)
        truth = numbers.truth(builder.site(node), right)
        ssa = numbers.materialise(builder.site(node), truth, BOOL)
    first = numbers.truth(builder.site(node), left)
    assert isinstance(first, RunTimeValue)
    if splice(builder, block):
        return RunTimeValue(builder.add(LogicalOp(name, first.ssa, ssa), node).results[0])
    cell = builder.add(VariableOp(first.ssa, BOOL), node).results[0]
    with builder.nested(block):
        builder.add(StoreOp(cell, ssa), node)
    test = builder.add(LoadOp(cell), node).results[0]
    sides = (block, Block()) if name == "and" else (Block(), block)
    builder.add(IfOp(test, *sides), node)
    return RunTimeValue(builder.add(LoadOp(cell), node).results[0])


def splice(builder: Builder, *blocks: Block) -> bool:
    """Moves the operations of blocks here if evaluating them early makes no difference."""
    operations = [operation for block in blocks for operation in block.ops]
    if not all(map(_may_come_early, operations)):
        return False
    for operation in operations:
        operation.detach()
        builder.block.add_op(operation)
    return True


def _may_come_early(operation: Operation) -> bool:
    """Whether evaluating an operation early makes no difference: a trap, a printf or a store must wait."""
    if isinstance(operation, CallOp):
        return bool(operation.row.fields)  # a variable of the text; any other call reads better where it stands
    effects = None if operation.regions else effects_of(operation)
    return effects is not None and all(effect.kind is READ for effect in effects)


def ternary(builder: Builder, node: ast.IfExp) -> Value:
    """`a if test else b`."""
    test = numbers.truth(builder.site(node.test), builder.value(node.test))
    if isinstance(test, Constant):
        return builder.value(node.body if test.value else node.orelse)
    with builder.nested() as then:
        left = builder.value(node.body)
    with builder.nested() as orelse:
        right = builder.value(node.orelse)
    kind = scalars.common(builder, left, right, "a ternary", node)
    with builder.nested(then):
        a = numbers.materialise(builder.site(node), left, kind)
    with builder.nested(orelse):
        b = numbers.materialise(builder.site(node), right, kind)
    if splice(builder, then, orelse):
        return RunTimeValue(builder.add(SelectOp(test.ssa, a, b), node).results[0])
    cell = builder.add(VariableOp(None, kind), node).results[0]
    for block, value in ((then, a), (orelse, b)):
        with builder.nested(block):
            builder.add(StoreOp(cell, value), node)
    builder.add(IfOp(test.ssa, then, orelse), node)
    return RunTimeValue(builder.add(LoadOp(cell), node).results[0])
