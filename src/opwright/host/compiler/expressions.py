"""Expressions of host functions: operators, indices, attributes of tensors, f-strings.

In: expression nodes. Out: values. Only the chosen side of `and`, `or` and a conditional expression is evaluated.
Constants are computed now, by Python itself. Refuses what host functions do not have.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Sequence
from functools import partial

from opwright.errors import UnsupportedSyntax, WrongType
from opwright.frontend import attributes as of_others
from opwright.frontend import expressions as of_others_values
from opwright.frontend.builder import Builder
from opwright.frontend.names import attribute_hint
from opwright.frontend.scalars import NAMES, PRINTED
from opwright.host.compiler.values import apply, as_kind, kinds_of, words
from opwright.ir.host import LISTS, SOC_NUMBERS, ChooseOp, YieldOp, host_type
from opwright.ir.types import HOST_KINDS
from opwright.ir.values import Constant, Items, RunTimeValue, Value, items_of

_FOLD: dict[str, Callable[..., object]] = {
    **{name: getattr(operator, name) for name in ("add", "sub", "mul", "floordiv", "mod", "pow", "neg", "pos")},
    **{name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")},
    "div": operator.truediv,
    "and": operator.and_,
    "or": operator.or_,
    "not": operator.not_,
}
# By kind of value: the functions of the dialect that its attributes are.
_ATTRIBUTES = {
    "tensor": {
        "dtype": "dtype",
        "shape": "sizes",
        "strides": "strides",
        "device": "device",
        "ndim": "ndim",
        "numel": "numel",
    },
    "generator": {"seed": "seed", "offset": "offset"},
    "soc": {"name": "soc_name", **{name: name for name in SOC_NUMBERS}},
}
_TEST_FIRST = "compare values of one kind; of two that may be None, test one first: if x is not None"
_END = (1 << 63) - 1  # host.h: kToTheEnd


def value(builder: Builder, node: ast.expr) -> Value:
    """The value of an expression."""
    match node:
        case ast.JoinedStr():
            return _format(builder, node)
        case ast.BoolOp():
            name = "and" if isinstance(node.op, ast.And) else "or"
            return chain(builder, name, [partial(builder.value, part) for part in node.values], node)
        case ast.Compare():
            return _comparison(builder, node)
        case ast.IfExp():
            return _conditional(builder, node)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return _tuple(builder, parts, node)
        case ast.Call():
            return builder.grammar.call(builder, builder.value(node.func), node)
    return of_others_values.value(builder, node)


def folded(builder: Builder, name: str, node: ast.AST, *values: Value) -> Constant | None:
    """What Python computes of constants; None if some are not known now."""
    known = [one.value for one in values if isinstance(one, Constant)]
    if len(known) < len(values) or name not in _FOLD:
        return None
    try:
        return Constant(_FOLD[name](*known))
    except (TypeError, ValueError, ArithmeticError) as error:
        got, hint = " and ".join(map(words, values)), f"Python says: {error}"
        operation = f"'{PRINTED.get(name, name)}'"
        raise WrongType(builder.at(node), operation=operation, got=got, hint=hint) from None


def arithmetic(builder: Builder, op: ast.operator, left: Value, right: Value, node: ast.AST) -> Value:
    """Arithmetic, `&` and `|` of truth values, and `+` of tuples and texts."""
    name = NAMES.get(type(op), "")
    if (constant := folded(builder, name, node, left, right)) is not None:
        return constant
    kinds = {kinds_of(left)[:1], kinds_of(right)[:1]}
    if name == "add" and ("shape",) in kinds:
        return apply(builder, "shape", [_shape_of(builder, one, node) for one in (left, right)], node)
    if name == "add" and kinds == {("text",)}:
        return apply(builder, "text", [left, right], node)
    if name not in ("add", "sub", "mul", "floordiv", "mod", "div", "and", "or"):
        raise UnsupportedSyntax(builder.at(node), what="this operator", hint="host functions have + - * // % / & |")
    return apply(builder, name, [left, right], node)


def _shape_of(builder: Builder, one: Value, node: ast.AST) -> RunTimeValue:
    """A side of a sum of tuples."""
    if "shape" not in kinds_of(one):
        raise WrongType(builder.at(node), operation="'+'", got=words(one), hint="a tuple takes a tuple: (*shape, n)")
    return RunTimeValue(as_kind(builder, one, "shape", node))


def unary(builder: Builder, op: ast.unaryop, one: Value, node: ast.AST) -> Value:
    """`-x`, `+x`, `not x`."""
    name = NAMES[type(op)]
    if (constant := folded(builder, name, node, one)) is not None:
        return constant
    if name == "not":
        return apply(builder, "not", [one], node, "compare it: n == 0, x is None")
    if name == "pos" and {"int", "float"} & set(kinds_of(one)):
        return one
    if name != "neg":
        raise UnsupportedSyntax(builder.at(node), what="this operator", hint="of truth values, write not")
    return apply(builder, "neg", [one], node)


def compare(builder: Builder, op: ast.cmpop, left: Value, right: Value, node: ast.AST) -> Value:
    """One comparison."""
    match op:
        case ast.Is() | ast.IsNot():
            return _is(builder, op, left, right, node)
        case ast.In() | ast.NotIn():
            return _in(builder, op, left, right, node)
    name = NAMES[type(op)]
    if (constant := folded(builder, name, node, left, right)) is not None:
        return constant
    if name not in ("eq", "ne"):
        return apply(builder, name, [left, right], node)
    first, second = (right, left) if _may_be_none(right) else (left, right)
    return _unless_none(
        builder, first, name == "ne", lambda: apply(builder, name, [first, second], node, _TEST_FIRST), node
    )


def _may_be_none(one: Value) -> bool:
    return isinstance(one, RunTimeValue) and kinds_of(one)[0].endswith("?")


def _unless_none(builder: Builder, one: Value, of_none: bool, found: Callable[[], Value], node: ast.AST) -> Value:
    """A comparison with a value that may be None, which no other value equals."""
    if not _may_be_none(one):
        return found()
    test = apply(builder, "known", [apply(builder, "is_none", [one], node)], node)
    return choose(builder, test, lambda: Constant(of_none), found, node)


def _is(builder: Builder, op: ast.cmpop, left: Value, right: Value, node: ast.AST) -> Value:
    if not (isinstance(right, Constant) and right.value is None):
        raise UnsupportedSyntax(builder.at(node), what="'is' of anything but None", hint="compare with == or !=")
    wanted = isinstance(op, ast.Is)
    if _may_be_none(left):
        found = apply(builder, "is_none", [left], node)
        return found if wanted else apply(builder, "not", [found], node)
    return Constant((isinstance(left, Constant) and left.value is None) == wanted)


def _in(builder: Builder, op: ast.cmpop, left: Value, right: Value, node: ast.AST) -> Value:
    items = items_of(right)
    if not items:
        hint = "host functions test whether a dtype, a text or a number is in a tuple of constants"
        raise WrongType(builder.at(node), operation="'in'", got=words(right), hint=hint)
    found = _unless_none(builder, left, False, lambda: apply(builder, "is_one_of", [left, *items], node), node)
    return found if isinstance(op, ast.In) else apply(builder, "not", [found], node)


def _comparison(builder: Builder, node: ast.Compare) -> Value:
    """A chain of comparisons; each operand is evaluated once, the later ones only if needed."""
    left = builder.value(node.left)

    def link(op: ast.cmpop, operand: ast.expr) -> Value:
        nonlocal left
        before, left = left, builder.value(operand)
        return builder.grammar.compare(builder, op, before, left, node)

    links = zip(node.ops, node.comparators, strict=True)
    return chain(builder, "and", [partial(link, op, operand) for op, operand in links], node)


def chain(builder: Builder, name: str, parts: Sequence[Callable[[], Value]], node: ast.AST) -> Value:
    """`and` and `or` of truth values."""
    left = parts[0]()
    if len(parts) == 1:
        return left
    if isinstance(left, Constant) and isinstance(left.value, bool):
        decided = left.value == (name == "or")
        return left if decided else chain(builder, name, parts[1:], node)
    if kinds_of(left) != ("truth",):
        hint = "give it comparisons: n != 0, x is not None"
        raise WrongType(builder.at(node), operation=f"'{name}'", got=words(left), hint=hint)
    test = apply(builder, "known", [left], node)
    other = Constant(name == "or")
    sides: tuple[Callable[[], Value], Callable[[], Value]] = (
        (lambda: chain(builder, name, parts[1:], node), lambda: other)
        if name == "and"
        else (lambda: other, lambda: chain(builder, name, parts[1:], node))
    )
    return choose(builder, test, *sides, node)


def _conditional(builder: Builder, node: ast.IfExp) -> Value:
    test = builder.grammar.truth(builder, builder.value(node.test), node.test)
    if isinstance(test, Constant):
        return builder.value(node.body if test.value else node.orelse)
    return choose(builder, test, lambda: builder.value(node.body), lambda: builder.value(node.orelse), node)


def choose(
    builder: Builder, test: RunTimeValue, then: Callable[[], Value], orelse: Callable[[], Value], node: ast.AST
) -> RunTimeValue:
    """One of two values, of one kind; only that one is evaluated."""
    with builder.nested() as first:
        left = then()
    with builder.nested() as second:
        right = orelse()
    common = [kind for kind in kinds_of(left) if kind in kinds_of(right)]
    if not common:
        got, hint = f"{words(left)} and {words(right)}", "both sides have one kind"
        raise WrongType(builder.at(node), operation="a choice", got=got, hint=hint)
    for block, side in ((first, left), (second, right)):
        with builder.nested(block):
            builder.add(YieldOp(as_kind(builder, side, common[0], node)), node)
    return RunTimeValue(builder.add(ChooseOp(test.ssa, first, second, host_type(common[0])), node).results[0])


def truth(builder: Builder, one: Value, node: ast.AST) -> Constant | RunTimeValue:
    """What a branch tests: a truth value, or a number, which is compared with 0."""
    if isinstance(one, Constant):
        return Constant(bool(one.value))
    if kinds_of(one) == ("int",):
        one = apply(builder, "ne", [one, Constant(0)], node)
    if kinds_of(one) != ("truth",):
        hint = "compare it: x is not None, len(shape) > 0"
        raise WrongType(builder.at(node), operation="a condition", got=words(one), hint=hint)
    return apply(builder, "known", [one], node)


def _tuple(builder: Builder, parts: list[ast.expr], node: ast.expr) -> Value:
    """A tuple; with a `*` in it, a shape."""
    if not any(isinstance(part, ast.Starred) for part in parts):
        return Items(tuple(builder.value(part) for part in parts))
    values: list[Value] = []
    for part in parts:
        one = builder.value(part.value if isinstance(part, ast.Starred) else part)
        wanted = "shape" if isinstance(part, ast.Starred) else "int"
        if wanted not in kinds_of(one):
            hint = "a shape holds integers, and *x of other shapes"
            raise WrongType(builder.at(part), operation="a shape", got=words(one), hint=hint)
        values.append(RunTimeValue(as_kind(builder, one, wanted, node)))
    return apply(builder, "shape", values, node)


def subscript(builder: Builder, base: Value, node: ast.Subscript) -> Value:
    """`shape[-1]`, `shape[:-1]`, and a part of a tuple that is known now."""
    items = items_of(base)
    if isinstance(node.slice, ast.Slice):
        if node.slice.step is not None:
            raise UnsupportedSyntax(builder.at(node), what="a step in a slice", hint="write a loop: (*made, shape[i])")
        ends = [
            builder.value(end) if end is not None else Constant(default)
            for end, default in ((node.slice.lower, 0), (node.slice.upper, _END))
        ]
        return apply(builder, "part", [base, *ends], node)
    index = builder.value(node.slice)
    if isinstance(index, Constant) and isinstance(index.value, int) and -len(items) <= index.value < len(items):
        return items[index.value]
    return apply(builder, "item", [base, index], node)


def attribute(builder: Builder, base: Value, node: ast.Attribute) -> Value:
    """`tensor.shape`, `module.name`."""
    if isinstance(base, RunTimeValue) and (known := _ATTRIBUTES.get(kinds_of(base)[-1])):
        if node.attr not in known:
            what = f"'{node.attr}' of {HOST_KINDS[kinds_of(base)[-1]]}"
            raise UnsupportedSyntax(builder.at(node), what=what, hint=attribute_hint(node.attr, list(known)))
        return apply(builder, known[node.attr], [base], node)
    if isinstance(base, RunTimeValue):
        what, hint = f"'{node.attr}' of {words(base)}", "tensors, generators and SoCs have attributes"
        raise UnsupportedSyntax(builder.at(node), what=what, hint=hint)
    return of_others.attribute(builder, base, node)


def _format(builder: Builder, node: ast.JoinedStr) -> Value:
    """An f-string."""
    parts: list[Value] = []
    for part in node.values:
        if isinstance(part, ast.Constant):
            parts.append(Constant(part.value))
            continue
        assert isinstance(part, ast.FormattedValue)
        one = builder.value(part.value)
        kinds = kinds_of(one)
        if part.format_spec is not None or part.conversion == ord("a"):
            raise UnsupportedSyntax(builder.at(part.value), what="a format in an f-string", hint="write {x} or {x!r}")
        if not kinds or kinds[-1] in (*LISTS, *_ATTRIBUTES, "launch"):
            hint = "write {list(shape)}, or a number, a text or a dtype"
            got = words(one)
            raise WrongType(builder.at(part.value), operation="an f-string", got=got, hint=hint)
        if isinstance(one, Constant):
            parts.append(Constant(repr(one.value) if part.conversion == ord("r") else str(one.value)))
            continue
        is_quoted = part.conversion == ord("r") and "text" in kinds
        parts.append(apply(builder, "quoted", [one], node) if is_quoted else one)
    return apply(builder, "text", parts, node) if parts else Constant("")
