"""Expressions of a kernel: each kind of node goes to the part that knows it.

In: expression nodes. Out: values. Refuses what a kernel cannot express.
"""

from __future__ import annotations

import ast

from opwright.errors import UnsupportedSyntax
from opwright.frontend import invocations, operators, variables
from opwright.frontend.builder import Builder
from opwright.ir.values import Constant, Items, Value

_BEFORE = "compute it before the launch and pass it in"
_REFUSED: dict[type[ast.AST], tuple[str, str]] = {
    ast.Dict: ("a dict", "use names or a tuple"),
    ast.Set: ("a set", "use names or a tuple"),
    ast.ListComp: ("a comprehension", "write a for loop"),
    ast.SetComp: ("a comprehension", "write a for loop"),
    ast.DictComp: ("a comprehension", "write a for loop"),
    ast.GeneratorExp: ("a generator", "write a for loop"),
    ast.Lambda: ("lambda", "write the expression where it is used"),
    ast.JoinedStr: ("an f-string", 'it can only be the argument of asc.printf: asc.printf(f"n = {n}")'),
    ast.NamedExpr: ("':='", "assign in a line of its own"),
}


def value(builder: Builder, node: ast.expr) -> Value:
    """The value of an expression."""
    match node:
        case ast.Constant(value=bool() | int() | float() | str() | None as literal):
            return Constant(literal)
        case ast.Name(id=name):
            return variables.load(builder, name, node)
        case ast.Attribute():
            return builder.grammar.attribute(builder, builder.value(node.value), node)
        case ast.BinOp(op=op):
            return builder.grammar.arithmetic(builder, op, builder.value(node.left), builder.value(node.right), node)
        case ast.UnaryOp(op=op):
            return builder.grammar.unary(builder, op, builder.value(node.operand), node)
        case ast.Compare():
            return operators.comparison(builder, node)
        case ast.BoolOp():
            return operators.logical(builder, node)
        case ast.IfExp():
            return operators.ternary(builder, node)
        case ast.Call():
            return invocations.call(builder, node)
        case ast.Subscript():
            return builder.grammar.subscript(builder, builder.value(node.value), node)
        case ast.Tuple(elts=parts):
            return Items(tuple(builder.value(part) for part in parts))
        case ast.List(elts=parts):
            return constants(builder, parts, node)
    if isinstance(node, ast.Constant):
        kind = type(node.value).__name__
        names = {"complex": "a complex number", "bytes": "a bytes literal", "ellipsis": "'...'"}
        hint = "a kernel has int, float, bool and text for asc.printf"
        raise UnsupportedSyntax(builder.at(node), what=names.get(kind, kind), hint=hint)
    what, hint = _REFUSED.get(type(node), (f"'{type(node).__name__.lower()}'", _BEFORE))
    raise UnsupportedSyntax(builder.at(node), what=what, hint=hint)


def constants(builder: Builder, parts: list[ast.expr], node: ast.List) -> Items:
    """A list of constants: nothing can change it, so that it is a tuple."""
    items = tuple(builder.value(part) for part in parts)
    if all(_is_constant(item) for item in items):
        return Items(items)
    hint = "a list holds constants; use names, a tuple or asc.array"
    raise UnsupportedSyntax(builder.at(node), what="a list of runtime values", hint=hint)


def _is_constant(value: Value) -> bool:
    """A constant, or a tuple or list of nothing else."""
    return isinstance(value, Constant) or (isinstance(value, Items) and all(_is_constant(item) for item in value.items))
