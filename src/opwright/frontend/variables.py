"""Names of a kernel: what each stands for, and which of them must become variables of the text.

In: names and values. Out: bindings. A name is bound to a value; only a name that a branch or a loop sets again lives in
a cell. Refuses names that may have no value and variables that would need two types.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from opwright.errors import MaybeUnset, TypeChanged, UnknownName, UnsupportedSyntax
from opwright.frontend import scalars
from opwright.frontend.invocations import Invocations
from opwright.frontend.names import bad_name_hint
from opwright.frontend.unit import Frame, Unit
from opwright.frontend.values import Binding, Constant, Runtime, Value, Variable, describe
from opwright.ir.calls import is_fixed
from opwright.ir.language import FuncOp, LoadOp, StoreOp, VariableOp
from opwright.ir.names import name_of, set_name
from opwright.ir.types import (
    BOOL,
    FLOAT,
    INT,
    OF_PYTHON,
    CellType,
    ScalarType,
    ValueType,
    refine,
    scalar,
)
from opwright.kernel.captures import MISSING, root
from opwright.kernel.parameters import parameters_of


class Variables(Invocations):
    """The part of a lowering that knows names."""

    def __init__(
        self,
        unit: Unit,
        frame: Frame,
        symbol: str,
        parameters: Sequence[tuple[str, ValueType]],
        constants: Mapping[str, Value],
    ) -> None:
        self.made = FuncOp(symbol, parameters, frame.number, frame.role, frame.most_threads)
        super().__init__(unit, frame, self.made.body.block)
        self.names: dict[str, Binding] = dict(constants)
        for (name, _), argument in zip(parameters, self.block.args, strict=True):
            self.names[name] = Runtime(argument)
        self.maybe_unset: set[str] = set()
        # Names whose type the author wrote.
        self.declared = {p.name: scalar(p.dtype.name) for p in parameters_of(frame.function) if p.dtype is not None}
        (definition,) = ast.parse(frame.source.text).body
        assert isinstance(definition, ast.FunctionDef)
        self.definition = definition

    def load(self, name: str, node: ast.AST) -> Value:
        """The value of a name."""
        bound = self.names.get(name)
        if name in self.maybe_unset:
            raise MaybeUnset(self.at(node), name=name)
        if isinstance(bound, Variable):
            return Runtime(self.add(LoadOp(bound.cell), node).results[0])
        if bound is not None:
            return bound
        if name in self.function.__code__.co_varnames:
            # Python makes a name local everywhere if the function sets it anywhere; a global of that name is hidden.
            raise UnknownName(self.at(node), name=name, hint=f"'{name}' is a name of this kernel: set it before")
        return self.outside(name, node)

    def outside(self, name: str, node: ast.AST) -> Constant:
        """A global, a closure cell or a builtin."""
        value = root(self.function, name)
        if value is MISSING:
            hint = bad_name_hint(name, {*self.names, *self.function.__globals__})
            raise UnknownName(self.at(node), name=name, hint=hint)
        path = self.frame.prefix + name
        self.record(path, value, node)
        return Constant(value, path)

    def assign(self, name: str, value: Value, node: ast.AST) -> None:
        """Sets a name."""
        bound = self.names.get(name)
        self.maybe_unset.discard(name)
        if not isinstance(bound, Variable):
            if name in self.declared:
                value = self.as_type(name, value, self.declared[name], node)
            if isinstance(value, Runtime):
                made = value.ssa.owner
                # What `and`, `or` or a ternary stored is known by the name it is given.
                set_name(made.cell if isinstance(made, LoadOp) and name_of(made.cell) is None else value.ssa, name)
            self.names[name] = value
            return
        kind = bound.type or self.storable(name, value, node)
        if bound.type is None:
            refine(bound.cell, CellType(kind))
        self.add(StoreOp(bound.cell, self.as_type(name, value, kind, node).ssa), node)

    def storable(self, name: str, value: Binding, node: ast.AST) -> ValueType:
        """The type that a variable needs to hold a value."""
        if name in self.declared:
            return self.declared[name]
        if isinstance(value, Constant):
            for python, kind in OF_PYTHON.items():
                if isinstance(value.value, python):
                    return kind
        elif isinstance(value, Runtime) and not is_fixed(value.type):
            self.refuse_late_buffer(name, value, node)
            return scalars.widened(value.type) if isinstance(value.type, ScalarType) else value.type
        raise UnsupportedSyntax(
            self.at(node),
            what=f"setting '{name}', which is {describe(value)}, in a branch or a loop of the run",
            hint="only numbers, addresses and tensors can change while a kernel runs",
        )

    def as_type(self, name: str, value: Value, kind: ValueType, node: ast.AST) -> Runtime:
        """The value as what a variable holds; an int may become a float, nothing else changes."""
        if isinstance(value, Runtime) and value.type == kind:
            self.refuse_late_buffer(name, value, node)
            return value
        if name in self.declared and isinstance(value, (Constant, Runtime)):
            return self.as_declared(name, value, node)
        have = self.storable(name, value, node)
        if isinstance(kind, ScalarType) and (have == kind or (have in (INT, BOOL) and kind in (INT, FLOAT))):
            return Runtime(scalars.materialise(self, value, kind, node))
        raise TypeChanged(self.at(node), name=name, before=str(kind), after=str(have))

    def as_declared(self, name: str, value: Constant | Runtime, node: ast.AST) -> Runtime:
        """The value as the type that the author wrote: integers wrap to its width, nothing is rounded away."""
        kind = self.declared[name]
        have = scalars.widened(scalars.kind_of(self, value, node, f"'{name}'"))
        fits = have == kind if kind == BOOL else scalars.is_float(kind) or not scalars.is_float(have)
        if not fits:
            raise TypeChanged(self.at(node), name=name, before=str(kind), after=str(have))
        if kind in (INT, FLOAT, BOOL):
            return Runtime(scalars.materialise(self, value, kind, node))
        return scalars.number(self, value, kind.dtype.data, node)

    def demote(self, names: set[str], node: ast.AST) -> None:
        """Turns bound names that a branch or a loop sets again into variables."""
        for name in sorted(names & self.names.keys()):
            bound = self.names[name]
            if isinstance(bound, Variable):
                continue
            kind = self.storable(name, bound, node)
            initial = self.as_type(name, bound, kind, node)
            cell = self.add(VariableOp(initial.ssa, kind), node).results[0]
            set_name(cell, name)
            self.names[name] = Variable(cell)
