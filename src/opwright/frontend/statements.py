"""Statements of a kernel: each kind of node goes to the part that knows it.

In: statement nodes. Out: IR, and names in the function's scope. Refuses statements that a kernel does not have.
"""

from __future__ import annotations

import ast

from opwright.ascendc.dtypes import DTYPES, DataType
from opwright.errors import TypeChanged, UnsupportedSyntax
from opwright.frontend import control, loops, objects, returns, subscripts, variables
from opwright.frontend.builder import Builder
from opwright.frontend.values import Variable, describe
from opwright.ir.types import OF_PYTHON, scalar
from opwright.ir.values import Constant, Items, Value

_HINTS: dict[type[ast.AST], str] = {
    ast.Raise: "stop the core with asc.trap()",
    ast.Import: "import at the top of the file",
    ast.ImportFrom: "import at the top of the file",
    ast.FunctionDef: "define it outside the kernel and mark it with @asc.jit",
}


def statement(builder: Builder, node: ast.stmt) -> None:
    """Lowers one statement."""
    match node:
        case ast.Expr(value=ast.Constant(value=str())) | ast.Pass():
            pass
        case ast.Expr(value=ast.Call() as call):
            builder.value(call)
        case ast.Assign(targets=targets):
            value = builder.value(node.value)
            for target in targets:
                assign_target(builder, target, value)
        case ast.AnnAssign(value=None):
            hint = "give it a value in the same line, or leave it out"
            raise UnsupportedSyntax(builder.at(node), what="a type without a value", hint=hint)
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as right):
            declare(builder, name, node)
            variables.assign(builder, name, builder.value(right), node.target)
        case ast.AugAssign(target=ast.Name(id=name)):
            left = variables.load(builder, name, node.target)
            changed = builder.grammar.arithmetic(builder, node.op, left, builder.value(node.value), node)
            variables.assign(builder, name, changed, node)
        case ast.AugAssign(target=ast.Attribute() as target):
            before = builder.grammar.attribute(builder, builder.value(target.value), target)
            changed = builder.grammar.arithmetic(builder, node.op, before, builder.value(node.value), node)
            objects.set_field(builder, target, changed, node)
        case ast.AugAssign(target=ast.Subscript() as target):
            subscripts.change_element(builder, target, node)
        case ast.AugAssign(target=target):
            subscripts.refuse_target(builder, target)
        case ast.If():
            control.branch(builder, node)
        case ast.For():
            loops.loop(builder, node)
        case ast.While():
            loops.test_loop(builder, node)
        case ast.Break() | ast.Continue():
            control.leave(builder, node)
        case ast.Assert():
            control.check(builder, node)
        case ast.Return():
            returns.give_back(builder, node)
            builder.flow.ended = True
        case _:
            hint = _HINTS.get(type(node), "a kernel has assignments, if, for, while, assert and calls")
            raise UnsupportedSyntax(builder.at(node), what=_words(node), hint=hint)


def assign_target(builder: Builder, target: ast.expr, value: Value) -> None:
    """Sets a name, or the names of a tuple; all right-hand sides were evaluated before."""
    match target:
        case ast.Name(id=name):
            variables.assign(builder, name, value, target)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            items = value.items if isinstance(value, Items) else ()
            if isinstance(value, Constant) and isinstance(value.value, tuple):
                items = tuple(Constant(item) for item in value.value)
            if len(items) != len(parts):
                raise UnsupportedSyntax(
                    builder.at(target),
                    what=f"taking {describe(value)} apart into {len(parts)} names",
                    hint="both sides need the same number of parts",
                )
            for part, item in zip(parts, items, strict=True):
                assign_target(builder, part, item)
        case ast.Attribute():
            objects.set_field(builder, target, value, target)
        case ast.Subscript():
            builder.grammar.set_element(builder, builder.value(target.value), target, value)
        case _:
            subscripts.refuse_target(builder, target)


def declare(builder: Builder, name: str, node: ast.AnnAssign) -> None:
    """`name: asc.int32 = value`: the name is of this type from now on."""
    said = builder.value(node.annotation)
    kind = OF_PYTHON.get(said.value) if isinstance(said, Constant) and isinstance(said.value, type) else None
    if isinstance(said, Constant) and isinstance(said.value, DataType) and said.value.name in DTYPES:
        kind = scalar(said.value.name)
    if kind is None:
        raise UnsupportedSyntax(
            builder.at(node.annotation),
            what=f"'{ast.unparse(node.annotation)}' as the type of a variable",
            hint="write int, float, bool or a type such as asc.int32, or leave it out: the value says it",
        )
    bound = builder.scope.names.get(name)
    if isinstance(bound, Variable) and bound.type not in (None, kind):
        raise TypeChanged(builder.at(node), name=name, before=str(bound.type), after=str(kind))
    builder.scope.declared[name] = kind


def _words(node: ast.AST) -> str:
    """The name of a kind of statement or expression, for people."""
    names = {
        ast.FunctionDef: "a nested function",
        ast.Import: "import",
        ast.ImportFrom: "import",
        ast.Expr: "this",
    }
    return names.get(type(node), f"'{type(node).__name__.lower()}'")
