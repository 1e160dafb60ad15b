"""Statements of a kernel to IR.

In: the syntax tree of a function and the types of its arguments. Out: a `py.func`, with those of the helpers it calls.
Refuses, with the line, whatever Python means that the text could not.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import NoReturn

from opwright.ascendc.dtypes import DTYPES, DataType
from opwright.errors import TypeChanged, UnsupportedSyntax
from opwright.frontend import arrays, calls
from opwright.frontend.control import Control
from opwright.frontend.functions import leaves
from opwright.frontend.unit import Helper
from opwright.frontend.values import Constant, Items, Runtime, Shape, Value, Variable, describe
from opwright.ir import ArrayAttr
from opwright.ir.language import LoadOp
from opwright.ir.types import OF_PYTHON, ArrayType, GlobalType, LocalType, PointerType, ValueType, scalar

_READ, _WRITE = "GlobalAddress.__getitem__", "GlobalAddress.__setitem__"


class Lowering(Control):
    """One function being compiled."""

    def run(self) -> Shape:
        """Lowers the whole function, after the helpers it calls, and tells the shape of its result."""
        for node in self.definition.body:
            if self.ended:
                break
            try:
                self.statement(node)
            except RecursionError:
                self.refuse_depth(node)
        shape = self.close()
        if types := leaves(shape):
            self.made.returned = ArrayAttr(types)
        self.unit.functions.append(self.made)
        return shape

    def lower_helper(
        self, helper: Helper, parameters: Sequence[tuple[str, ValueType]], constants: Mapping[str, Value]
    ) -> Shape:
        lowering = Lowering(self.unit, helper.frame, helper.symbol, parameters, constants)
        shape = lowering.run()
        helper.array_bytes = lowering.array_bytes + lowering.called_bytes
        return shape

    def refuse_depth(self, node: ast.AST | None = None) -> NoReturn:
        """Refuses what is nested deeper than Python's stack goes."""
        raise UnsupportedSyntax(
            self.at(node or self.definition),
            what="an expression of so many parts, or a nest of so many branches,",
            hint="give some of its parts a name in a line of their own",
        ) from None

    def statements(self, nodes: Sequence[ast.stmt]) -> None:
        """Lowers statements in order."""
        for node in nodes:
            if self.ended:
                break  # what follows is never reached
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
            case ast.AnnAssign(value=None):
                hint = "give it a value in the same line, or leave it out"
                raise UnsupportedSyntax(self.at(node), what="a type without a value", hint=hint)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as right):
                self.declare(name, node)
                self.assign(name, self.value(right), node.target)
            case ast.AugAssign(target=ast.Name(id=name)):
                left = self.load(name, node.target)
                self.assign(name, self.arithmetic(node.op, left, self.value(node.value), node), node)
            case ast.AugAssign(target=ast.Attribute() as target):
                changed = self.arithmetic(node.op, self.attribute(target), self.value(node.value), node)
                self.set_field(target, changed, node)
            case ast.AugAssign(target=ast.Subscript() as target):
                self.change_element(target, node)
            case ast.AugAssign(target=target):
                self.refuse_target(target)
            case ast.If():
                self.branch(node)
            case ast.For():
                self.loop(node)
            case ast.While():
                self.test_loop(node)
            case ast.Break() | ast.Continue():
                self.leave(node)
            case ast.Assert():
                self.check(node)
            case ast.Return():
                self.give_back(node)
                self.ended = True
            case _:
                hint = _WAY_OUT.get(type(node), "a kernel has assignments, if, for, while, assert and calls")
                raise UnsupportedSyntax(self.at(node), what=_words(node), hint=hint)

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
                        hint="both sides need the same number of parts",
                    )
                for part, item in zip(parts, items, strict=True):
                    self.assign_target(part, item)
            case ast.Attribute():
                self.set_field(target, value, target)
            case ast.Subscript():
                self.set_element(target, value)
            case _:
                self.refuse_target(target)

    def declare(self, name: str, node: ast.AnnAssign) -> None:
        """`name: asc.int32 = value`: the name is of this type from now on."""
        said = self.value(node.annotation)
        kind = OF_PYTHON.get(said.value) if isinstance(said, Constant) and isinstance(said.value, type) else None
        if isinstance(said, Constant) and isinstance(said.value, DataType) and said.value.name in DTYPES:
            kind = scalar(said.value.name)
        if kind is None:
            raise UnsupportedSyntax(
                self.at(node.annotation),
                what=f"'{ast.unparse(node.annotation)}' as the type of a variable",
                hint="write int, float, bool or a type such as asc.int32, or leave it out: the value says it",
            )
        bound = self.names.get(name)
        if isinstance(bound, Variable) and bound.type not in (None, kind):
            raise TypeChanged(self.at(node), name=name, before=str(bound.type), after=str(kind))
        self.declared[name] = kind

    def set_element(self, target: ast.Subscript, value: Value) -> None:
        """`array[i] = value`, `tensor[i] = value`."""
        base = self.value(target.value)
        if isinstance(base, Runtime) and isinstance(base.type, ArrayType):
            cell = arrays.element(self, base, self.value(target.slice), target)
            arrays.store(self, cell, value, base.type.dtype.data, target)
            return
        if isinstance(base, Runtime) and isinstance(base.type, PointerType) and not isinstance(target.slice, ast.Slice):
            calls.invoke(self, self.row(_WRITE), [base, self.value(target.slice), value], {}, target)
            return
        is_tensor = isinstance(base, Runtime) and isinstance(base.type, (GlobalType, LocalType))
        if isinstance(base, Runtime) and is_tensor and not isinstance(target.slice, ast.Slice):
            row = self.row(f"{self.class_of(base.type)}.set_value")
            calls.invoke(self, row, [base, self.value(target.slice), value], {}, target)
            return
        self.refuse_target(target)

    def change_element(self, target: ast.Subscript, node: ast.AugAssign) -> None:
        """`array[i] += value`, `address[i] += value`: the index is evaluated once."""
        base = self.value(target.value)
        if isinstance(base, Runtime) and isinstance(base.type, PointerType) and not isinstance(target.slice, ast.Slice):
            index = self.value(target.slice)
            element = calls.invoke(self, self.row(_READ), [base, index], {}, target)
            changed = self.arithmetic(node.op, element, self.value(node.value), node)
            calls.invoke(self, self.row(_WRITE), [base, index, changed], {}, node)
            return
        if not (isinstance(base, Runtime) and isinstance(base.type, ArrayType)):
            self.refuse_target(target)
        cell = arrays.element(self, base, self.value(target.slice), target)
        before = Runtime(self.add(LoadOp(cell), target).results[0])
        after = self.arithmetic(node.op, before, self.value(node.value), node)
        arrays.store(self, cell, after, base.type.dtype.data, node)

    def refuse_target(self, target: ast.expr) -> NoReturn:
        """Refuses to set what cannot be set."""
        raise UnsupportedSyntax(
            self.at(target),
            what="this assignment",
            hint="threads set names, elements of an address and elements of asc.array"
            if self.frame.role
            else "set names, fields of your own objects and elements of asc.array; copy with asc.data_copy",
        )


_WAY_OUT: dict[type[ast.AST], str] = {
    ast.Raise: "stop the core with asc.trap()",
    ast.Import: "import at the top of the file",
    ast.ImportFrom: "import at the top of the file",
    ast.FunctionDef: "define it outside the kernel and mark it with @asc.jit",
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
