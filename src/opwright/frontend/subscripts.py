"""Subscripts: elements and parts of tensors, addresses, arrays and tuples, read and set.

In: subscript nodes. Out: values, and stores. Refuses ends and steps, and indices into anything else.
"""

from __future__ import annotations

import ast
from typing import NoReturn

from opwright.ascendc.table import ROWS
from opwright.errors import UnsupportedSyntax
from opwright.frontend import arrays, calls
from opwright.frontend.builder import Builder
from opwright.frontend.values import class_of, describe
from opwright.ir.language import LoadOp
from opwright.ir.types import AddressType, ArrayType, GlobalType, LocalType, PointerType
from opwright.ir.values import Constant, Items, RunTimeValue, Value

_READ, _WRITE, _ADD = "GlobalAddress.__getitem__", "GlobalAddress.__setitem__", "GlobalAddress.__add__"


def subscript(builder: Builder, base: Value, node: ast.Subscript) -> Value:
    """`tensor[offset:]` and constant tuples."""
    if isinstance(base, RunTimeValue) and isinstance(base.type, (GlobalType, LocalType)):
        match node.slice:
            case ast.Slice(lower=ast.expr() as lower, upper=None, step=None):
                return part(builder, base, builder.value(lower), node)
            case ast.Slice(lower=None, upper=None, step=None):
                return base
            case ast.expr() if not isinstance(node.slice, ast.Slice):
                row = ROWS[f"{class_of(base.type)}.get_value"]
                return calls.invoke(builder, row, [base, builder.value(node.slice)], {}, node)
        raise UnsupportedSyntax(
            builder.at(node),
            what="an end or a step on a tensor",
            hint="write tensor[start:] and give the call its count",
        )
    if isinstance(base, RunTimeValue) and isinstance(base.type, PointerType):
        match node.slice:
            case ast.Slice(lower=ast.expr() as lower, upper=None, step=None):
                return calls.invoke(builder, ROWS["GlobalAddress.__add__"], [base, builder.value(lower)], {}, node)
            case ast.Slice(lower=None, upper=None, step=None):
                return base
            case ast.expr() if not isinstance(node.slice, ast.Slice):
                return calls.invoke(builder, ROWS[_READ], [base, builder.value(node.slice)], {}, node)
        hint = "write x[i:] for the address of element i"
        raise UnsupportedSyntax(builder.at(node), what="an end or a step on an address", hint=hint)
    if isinstance(base, RunTimeValue) and isinstance(base.type, ArrayType) and not isinstance(node.slice, ast.Slice):
        cell = arrays.element(builder, base, builder.value(node.slice), node)
        return RunTimeValue(builder.add(LoadOp(cell), node).results[0])
    index = builder.value(node.slice) if not isinstance(node.slice, ast.Slice) else None
    items = base.items if isinstance(base, Items) else ()
    if isinstance(base, Constant) and isinstance(base.value, tuple):
        items = tuple(Constant(item) for item in base.value)
    if isinstance(index, Constant) and isinstance(index.value, int) and -len(items) <= index.value < len(items):
        return items[index.value]
    raise UnsupportedSyntax(
        builder.at(node),
        what=f"indexing {describe(base)}",
        hint="make a tensor of it, asc.GlobalTensor; only threads index an address"
        if isinstance(base, RunTimeValue) and isinstance(base.type, AddressType)
        else "index a tuple with a constant in its range",
    )


def part(builder: Builder, tensor: RunTimeValue, offset: Value, node: ast.AST) -> Value:
    """The tensor from an offset on."""
    owner = class_of(tensor.type)
    return calls.invoke(builder, ROWS[f"{owner}.__getitem__"], [tensor, offset], {}, node)


def set_element(builder: Builder, base: Value, target: ast.Subscript, value: Value) -> None:
    """`array[i] = value`, `tensor[i] = value`."""
    if isinstance(base, RunTimeValue) and isinstance(base.type, ArrayType):
        cell = arrays.element(builder, base, builder.value(target.slice), target)
        arrays.store(builder, cell, value, base.type.dtype.data, target)
        return
    if (
        isinstance(base, RunTimeValue)
        and isinstance(base.type, PointerType)
        and not isinstance(target.slice, ast.Slice)
    ):
        calls.invoke(builder, ROWS[_WRITE], [base, builder.value(target.slice), value], {}, target)
        return
    is_tensor = isinstance(base, RunTimeValue) and isinstance(base.type, (GlobalType, LocalType))
    if isinstance(base, RunTimeValue) and is_tensor and not isinstance(target.slice, ast.Slice):
        row = ROWS[f"{class_of(base.type)}.set_value"]
        calls.invoke(builder, row, [base, builder.value(target.slice), value], {}, target)
        return
    refuse_target(builder, target)


def change_element(builder: Builder, target: ast.Subscript, node: ast.AugAssign) -> None:
    """`array[i] += value`, `address[i] += value`: the index is evaluated once."""
    base = builder.value(target.value)
    if (
        isinstance(base, RunTimeValue)
        and isinstance(base.type, PointerType)
        and not isinstance(target.slice, ast.Slice)
    ):
        index = builder.value(target.slice)
        element = calls.invoke(builder, ROWS[_READ], [base, index], {}, target)
        changed = builder.grammar.arithmetic(builder, node.op, element, builder.value(node.value), node)
        calls.invoke(builder, ROWS[_WRITE], [base, index, changed], {}, node)
        return
    if not (isinstance(base, RunTimeValue) and isinstance(base.type, ArrayType)):
        refuse_target(builder, target)
    cell = arrays.element(builder, base, builder.value(target.slice), target)
    before = RunTimeValue(builder.add(LoadOp(cell), target).results[0])
    after = builder.grammar.arithmetic(builder, node.op, before, builder.value(node.value), node)
    arrays.store(builder, cell, after, base.type.dtype.data, node)


def refuse_target(builder: Builder, target: ast.expr) -> NoReturn:
    """Refuses to set what cannot be set."""
    raise UnsupportedSyntax(
        builder.at(target),
        what="this assignment",
        hint="threads set names, elements of an address and elements of asc.array"
        if builder.function.role
        else "set names, fields of your own objects and elements of asc.array; copy with asc.data_copy",
    )
