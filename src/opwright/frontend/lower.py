"""Statements and expressions of a kernel to IR.

In: the syntax tree of a function, the types of its arguments, the SoC. Out: a `py.func` and what it read from outside.
A name is bound to a value; only a name that a branch or a loop sets again becomes a variable of the text. Refuses, with
the line, whatever Python means that the text could not.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import NoReturn

from opwright.ascendc.socs import Soc
from opwright.errors import MaybeUnset, TypeChanged, UnknownName, UnsupportedSyntax
from opwright.frontend import scalars
from opwright.frontend.expressions import Expressions
from opwright.frontend.names import assigned_names, bad_name_hint, loaded_after
from opwright.frontend.values import Binding, Constant, Items, Runtime, Value, Variable, describe
from opwright.ir import Block
from opwright.ir.language import ForOp, FuncOp, IfOp, LoadOp, StoreOp, VariableOp
from opwright.ir.names import name_of, set_name
from opwright.ir.types import BOOL, FLOAT, INT, UNKNOWN, CellType, ScalarType, ValueType, refine
from opwright.runtime.reads import MISSING, root
from opwright.runtime.source import Source


class Lowering(Expressions):
    """The state of one kernel being compiled."""

    def __init__(
        self,
        function: FunctionType,
        source: Source,
        parameters: Sequence[tuple[str, ValueType]],
        constants: Mapping[str, object],
        soc: Soc,
    ) -> None:
        self.kernel = FuncOp(source.name, parameters)
        super().__init__(function, source, soc, self.kernel.body.block)
        self.names: dict[str, Binding] = {name: Constant(value) for name, value in constants.items()}
        for (name, _), argument in zip(parameters, self.block.args, strict=True):
            self.names[name] = Runtime(argument)
        self.maybe_unset: set[str] = set()
        (definition,) = ast.parse(source.text).body
        assert isinstance(definition, ast.FunctionDef)
        self.definition = definition

    # Names ----------------------------------------------------------------------------------------------------

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
            raise UnknownName(self.at(node), name=name, way_out=f"'{name}' is a name of this kernel: set it before")
        return self.outside(name, node)

    def outside(self, name: str, node: ast.AST) -> Constant:
        """A global, a closure cell or a builtin."""
        value = root(self.function, name)
        if value is MISSING:
            hint = bad_name_hint(name, {*self.names, *self.function.__globals__})
            raise UnknownName(self.at(node), name=name, way_out=hint)
        self.record(name, value, node)
        return Constant(value, name)

    def assign(self, name: str, value: Value, node: ast.AST) -> None:
        """Sets a name."""
        bound = self.names.get(name)
        self.maybe_unset.discard(name)
        if not isinstance(bound, Variable):
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
        if isinstance(value, Constant):
            for python, kind in ((bool, BOOL), (int, INT), (float, FLOAT)):
                if isinstance(value.value, python):
                    return kind
        elif isinstance(value, Runtime):
            self.refuse_late_buffer(name, value, node)
            return value.type
        raise UnsupportedSyntax(
            self.at(node),
            what=f"setting '{name}', which is {describe(value)}, in a branch or a loop of the run",
            way_out="only numbers, addresses and tensors can change while a kernel runs",
        )

    def as_type(self, name: str, value: Value, kind: ValueType, node: ast.AST) -> Runtime:
        """The value as what a variable holds; an int may become a float, nothing else changes."""
        have = self.storable(name, value, node)
        if have == kind and isinstance(value, Runtime):
            return value
        if isinstance(kind, ScalarType) and (have == kind or (have in (INT, BOOL) and kind in (INT, FLOAT))):
            return Runtime(scalars.materialise(self, value, kind, node))
        raise TypeChanged(self.at(node), name=name, before=str(kind), after=str(have))

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

    # Statements -----------------------------------------------------------------------------------------------

    def run(self) -> FuncOp:
        """Lowers the whole kernel."""
        for node in self.definition.body:
            try:
                self.statement(node)
            except RecursionError:
                self.refuse_depth(node)
        return self.kernel

    def refuse_depth(self, node: ast.AST | None = None) -> NoReturn:
        """Refuses what is nested deeper than Python's stack goes."""
        raise UnsupportedSyntax(
            self.at(node or self.definition),
            what="an expression of so many parts, or a nest of so many branches,",
            way_out="give some of its parts a name in a line of their own",
        ) from None

    def statements(self, nodes: Sequence[ast.stmt]) -> None:
        """Lowers statements in order."""
        for node in nodes:
            self.statement(node)

    def statement(self, node: ast.stmt) -> None:
        """Lowers one statement."""
        match node:
            case ast.Expr(value=ast.Constant(value=str())) | ast.Pass():
                pass
            case ast.Expr(value=ast.Call() as call):
                self.value(call)
            case ast.Assign(targets=targets):
                value = self.value(node.value)
                for target in targets:
                    self.assign_target(target, value)
            case ast.AnnAssign(target=ast.Name(), value=ast.expr()):
                raise UnsupportedSyntax(
                    self.at(node), what="a type on a variable", way_out="leave it out: the value says it"
                )
            case ast.AugAssign(target=target):
                if not isinstance(target, ast.Name):
                    self.refuse_target(target)
                left = self.load(target.id, target)
                self.assign(target.id, self.arithmetic(node.op, left, self.value(node.value), node), node)
            case ast.If():
                self.branch(node)
            case ast.For():
                self.loop(node)
            case ast.Return(value=None) if node is self.definition.body[-1]:
                pass
            case _:
                way_out = _WAY_OUT.get(type(node), "a kernel has assignments, if, for and calls")
                raise UnsupportedSyntax(self.at(node), what=_words(node), way_out=way_out)

    def assign_target(self, target: ast.expr, value: Value) -> None:
        """Sets a name, or the names of a tuple; all right-hand sides were evaluated before."""
        match target:
            case ast.Name(id=name):
                self.assign(name, value, target)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                items = value.items if isinstance(value, Items) else ()
                if isinstance(value, Constant) and isinstance(value.value, tuple):
                    items = tuple(Constant(item) for item in value.value)
                if len(items) != len(parts):
                    raise UnsupportedSyntax(
                        self.at(target),
                        what=f"taking {describe(value)} apart into {len(parts)} names",
                        way_out="both sides need the same number of parts",
                    )
                for part, item in zip(parts, items, strict=True):
                    self.assign_target(part, item)
            case _:
                self.refuse_target(target)

    def refuse_target(self, target: ast.expr) -> NoReturn:
        """Refuses to set anything but a name."""
        raise UnsupportedSyntax(
            self.at(target),
            what="assignment to an element or an attribute",
            way_out="copy with asc.data_copy, fill with asc.duplicate",
        )

    def branch(self, node: ast.If) -> None:
        """`if`: a constant test picks one side now, any other becomes a branch of the run."""
        test = self.truth(self.value(node.test), node.test)
        if isinstance(test, Constant):
            self.statements(node.body if test.value else node.orelse)
            return
        self.demote(assigned_names(node.body) | assigned_names(node.orelse), node)
        both = assigned_names(node.body) & assigned_names(node.orelse)
        for name in sorted(both - self.names.keys()):
            if loaded_after(self.definition, node, name):
                cell = self.add(VariableOp(None, UNKNOWN), node).results[0]
                set_name(cell, name)
                self.names[name] = Variable(cell)
                self.maybe_unset.add(name)
        before, unset = dict(self.names), set(self.maybe_unset)
        with self.nested() as then:
            self.statements(node.body)
        after_then = set(self.maybe_unset)
        self.names, self.maybe_unset = dict(before), set(unset)
        with self.nested() as orelse:
            self.statements(node.orelse)
        self.names = before
        self.maybe_unset |= after_then
        self.maybe_unset |= (assigned_names(node.body) | assigned_names(node.orelse)) - before.keys()
        self.add(IfOp(test.ssa, then, orelse), node)

    def loop(self, node: ast.For) -> None:
        """`for i in range(...)`."""
        start, stop, step = self.range_of(node)
        assert isinstance(node.target, ast.Name)
        name = node.target.id
        assigned = assigned_names(node.body)
        self.demote(assigned | {name}, node)
        before, unset = dict(self.names), set(self.maybe_unset)
        first = scalars.materialise(self, start, INT, node.iter)
        last = scalars.materialise(self, stop, INT, node.iter)
        body = Block(arg_types=[INT])
        counts_up = isinstance(start, Constant) and isinstance(start.value, int) and start.value >= 0 and step > 0
        index = Runtime(body.args[0], nonnegative=counts_up)
        with self.nested(body):
            bound = self.names.get(name)
            if isinstance(bound, Variable):
                # It had a value before the loop and keeps its last one after it.
                if bound.type == FLOAT:
                    raise TypeChanged(self.at(node.target), name=name, before=str(FLOAT), after=str(INT))
                self.assign(name, index, node.target)
            else:
                self.names[name] = index
                self.maybe_unset.discard(name)
                if name in assigned:
                    # Python's loop does not see what the body does to its variable.
                    self.demote({name}, node.target)
            self.statements(node.body)
        self.names = before
        self.maybe_unset = unset | ((assigned | {name}) - self.names.keys())
        self.add(ForOp(first, last, step, name, body), node)

    def range_of(self, node: ast.For) -> tuple[Value, Value, int]:
        """Start, stop and step of a loop."""
        call = node.iter
        function = self.value(call.func) if isinstance(call, ast.Call) else None
        named = isinstance(node.target, ast.Name)
        if not (isinstance(call, ast.Call) and isinstance(function, Constant) and function.value is range and named):
            raise UnsupportedSyntax(
                self.at(node),
                what="a loop over anything but range(...)",
                way_out="write: for i in range(start, stop, step)",
            )
        if node.orelse or call.keywords or not 1 <= len(call.args) <= 3:
            what = "else after a loop" if node.orelse else "this form of range"
            raise UnsupportedSyntax(self.at(node), what=what, way_out="write: for i in range(start, stop, step)")
        values = [self.value(argument) for argument in call.args]
        for value, argument in zip(values, call.args, strict=True):
            if scalars.kind_of(self, value, argument, "range") != INT:
                raise UnsupportedSyntax(
                    self.at(argument), what=f"range over {describe(value)}", way_out="range takes integers"
                )
        start, stop = (Constant(0), values[0]) if len(values) == 1 else (values[0], values[1])
        step = values[2] if len(values) == 3 else Constant(1)
        if not isinstance(step, Constant) or not isinstance(step.value, int) or step.value == 0:
            raise UnsupportedSyntax(
                self.at(node.iter), what="a step that is 0 or not constant", way_out="use a constant step"
            )
        self.refuse_wrapping(start, stop, step.value, node)
        return start, stop, step.value

    def refuse_wrapping(self, start: Value, stop: Value, step: int, node: ast.For) -> None:
        """Refuses a loop whose variable would pass the ends of 64 bits, as far as that is known now."""
        least, most = scalars.INT64
        wraps = not -most <= step <= most
        if isinstance(start, Constant) and isinstance(stop, Constant):
            turns = range(start.value, stop.value, step)  # type: ignore[call-overload]
            wraps |= bool(turns) and not least <= turns[-1] + step <= most
        if wraps:
            raise UnsupportedSyntax(
                self.at(node.iter),
                what="a range that passes the ends of 64 bits",
                way_out="count from 0 and add the start",
            )


_WAY_OUT: dict[type[ast.AST], str] = {
    ast.While: "use for i in range(...); while is not built yet",
    ast.Return: "let the kernel end by itself, and put what must not run into an if",
    ast.Break: "put what must not run into an if; break is not built yet",
    ast.Continue: "put what must not run into an if; continue is not built yet",
    ast.Raise: "stop the core with asc.trap()",
    ast.Assert: "test before the launch, or stop the core with asc.trap()",
    ast.Import: "import at the top of the file",
    ast.ImportFrom: "import at the top of the file",
    ast.FunctionDef: "define it outside the kernel",
}


def _words(node: ast.AST) -> str:
    """The name of a kind of statement or expression, for people."""
    names = {
        ast.FunctionDef: "a nested function",
        ast.Import: "import",
        ast.ImportFrom: "import",
        ast.Expr: "this",
    }
    return names.get(type(node), f"'{type(node).__name__.lower()}'")
