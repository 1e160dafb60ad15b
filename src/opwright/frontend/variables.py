"""Names of a kernel: what each stands for, and which of them must become variables of the text.

In: names and values. Out: bindings in the function's scope. A name is bound to a value; only a name that a branch or a
loop sets again lives in a cell. Refuses names that may have no value and variables that would need two types.
"""

from __future__ import annotations

import ast

from opwright.errors import MaybeUnset, TypeChanged, UnknownName, UnsupportedSyntax
from opwright.frontend import inplace, scalars
from opwright.frontend.builder import Builder
from opwright.frontend.names import bad_name_hint
from opwright.frontend.values import Binding, Variable, captured, describe
from opwright.ir import numbers
from opwright.ir.calls import is_fixed
from opwright.ir.language import LoadOp, StoreOp, VariableOp
from opwright.ir.names import name_of, set_name
from opwright.ir.types import BOOL, FLOAT, INT, OF_PYTHON, CellType, ScalarType, ValueType, refine
from opwright.ir.values import Constant, RunTimeValue, Value
from opwright.kernel.captures import MISSING, root


def load(builder: Builder, name: str, node: ast.AST) -> Value:
    """The value of a name."""
    bound = builder.scope.names.get(name)
    if name in builder.scope.maybe_unset:
        raise MaybeUnset(builder.at(node), name=name)
    if isinstance(bound, Variable):
        return RunTimeValue(builder.add(LoadOp(bound.cell), node).results[0])
    if bound is not None:
        return bound
    if name in builder.function.python.__code__.co_varnames:
        # Python makes a name local everywhere if the function sets it anywhere; a global of that name is hidden.
        raise UnknownName(builder.at(node), name=name, hint=f"'{name}' is a name of this kernel: set it before")
    return outside(builder, name, node)


def outside(builder: Builder, name: str, node: ast.AST) -> Constant:
    """A global, a closure cell or a builtin."""
    value = root(builder.function.python, name)
    if value is MISSING:
        hint = bad_name_hint(name, {*builder.scope.names, *builder.function.python.__globals__})
        raise UnknownName(builder.at(node), name=name, hint=hint)
    path = builder.function.prefix + name
    builder.record(path, value, node)
    return captured(value, path)


def assign(builder: Builder, name: str, value: Value, node: ast.AST) -> None:
    """Sets a name."""
    bound = builder.scope.names.get(name)
    builder.scope.maybe_unset.discard(name)
    if not isinstance(bound, Variable):
        if name in builder.scope.declared:
            value = as_type(builder, name, value, builder.scope.declared[name], node)
        if isinstance(value, RunTimeValue):
            made = value.ssa.owner
            # What `and`, `or` or a ternary stored is known by the name it is given.
            set_name(made.cell if isinstance(made, LoadOp) and name_of(made.cell) is None else value.ssa, name)
        builder.scope.names[name] = value
        return
    kind = bound.type or storable(builder, name, value, node)
    if bound.type is None:
        refine(bound.cell, CellType(kind))
    builder.add(StoreOp(bound.cell, as_type(builder, name, value, kind, node).ssa), node)


def storable(builder: Builder, name: str, value: Binding, node: ast.AST) -> ValueType:
    """The type that a variable needs to hold a value."""
    if name in builder.scope.declared:
        return builder.scope.declared[name]
    if isinstance(value, Constant):
        for python, kind in OF_PYTHON.items():
            if isinstance(value.value, python):
                return kind
    elif isinstance(value, RunTimeValue) and not is_fixed(value.type):
        inplace.refuse_late_buffer(builder, name, value, node)
        return numbers.widened(value.type) if isinstance(value.type, ScalarType) else value.type
    raise UnsupportedSyntax(
        builder.at(node),
        what=f"setting '{name}', which is {describe(value)}, in a branch or a loop at run time",
        hint="only numbers, addresses and tensors can change while a kernel runs",
    )


def as_type(builder: Builder, name: str, value: Value, kind: ValueType, node: ast.AST) -> RunTimeValue:
    """The value as what a variable holds; an int may become a float, nothing else changes."""
    if isinstance(value, RunTimeValue) and value.type == kind:
        inplace.refuse_late_buffer(builder, name, value, node)
        return value
    if name in builder.scope.declared and isinstance(value, (Constant, RunTimeValue)):
        return as_declared(builder, name, value, node)
    have = storable(builder, name, value, node)
    if isinstance(kind, ScalarType) and (have == kind or (have in (INT, BOOL) and kind in (INT, FLOAT))):
        return RunTimeValue(numbers.materialise(builder.site(node), value, kind))
    raise TypeChanged(builder.at(node), name=name, before=str(kind), after=str(have))


def as_declared(builder: Builder, name: str, value: Constant | RunTimeValue, node: ast.AST) -> RunTimeValue:
    """The value as the type that the author wrote: integers wrap to its width, nothing is rounded away."""
    kind = builder.scope.declared[name]
    have = numbers.widened(numbers.kind_of(builder.site(node), value, f"'{name}'"))
    fits = have == kind if kind == BOOL else numbers.is_float(kind) or not numbers.is_float(have)
    if not fits:
        raise TypeChanged(builder.at(node), name=name, before=str(kind), after=str(have))
    if kind in (INT, FLOAT, BOOL):
        return RunTimeValue(numbers.materialise(builder.site(node), value, kind))
    return scalars.number(builder, value, kind.dtype.data, node)


def demote(builder: Builder, names: set[str], node: ast.AST) -> None:
    """Turns bound names that a branch or a loop sets again into variables."""
    for name in sorted(names & builder.scope.names.keys()):
        bound = builder.scope.names[name]
        if isinstance(bound, Variable):
            continue
        kind = storable(builder, name, bound, node)
        initial = as_type(builder, name, bound, kind, node)
        cell = builder.add(VariableOp(initial.ssa, kind), node).results[0]
        set_name(cell, name)
        builder.scope.names[name] = Variable(cell)
