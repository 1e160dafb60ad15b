"""Statements of host functions: names, loops over shapes, results.

In: statement nodes. Out: IR. Branches and names are those of kernels. Refuses statements that they have not.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from opwright.errors import TypeChanged, UnsupportedSyntax
from opwright.frontend import statements, variables
from opwright.frontend.builder import Builder, Iterated, Loop
from opwright.host.compiler.helpers import kinds_returned
from opwright.host.compiler.values import apply, as_kind, kinds_of, words
from opwright.ir import Block, SSAValue
from opwright.ir.functions import ReturnOp
from opwright.ir.host import LISTS, host_type, kind_of
from opwright.ir.language import ConstantOp, ForOp
from opwright.ir.names import set_name
from opwright.ir.types import INT
from opwright.ir.values import Constant, Items, RunTimeValue, Value, items_of

_LOOPS = "write: for i in range(n), for n in shape, for i, n in enumerate(shape), for a, b in zip(shape, other)"


def statement(builder: Builder, node: ast.stmt) -> None:
    """Lowers one statement."""
    match node:
        case ast.Assign(targets=targets):
            value = builder.value(node.value)
            for target in targets:
                items = items_of(value) if isinstance(target, (ast.Tuple, ast.List)) else ()
                several = Items(tuple(kept(builder, item, node) for item in items))
                statements.assign_target(builder, target, several if items else kept(builder, value, node))
        case ast.AnnAssign(target=ast.Name(id=name) as target, value=ast.expr() as right):
            variables.assign(builder, name, kept(builder, builder.value(right), node), target)
        case ast.Return():
            give_back(builder, node)
            builder.flow.ended = True
        case ast.Raise():
            hint = "write host.refuse(text), or host.refuse_type(text)"
            raise UnsupportedSyntax(builder.at(node), what="raise", hint=hint)
        case ast.Assert():
            raise UnsupportedSyntax(builder.at(node), what="assert", hint="write host.require(condition, text)")
        case ast.With() | ast.Try() | ast.FunctionDef() | ast.Import() | ast.ImportFrom() | ast.Delete():
            hint = "host functions have assignments, if, for, while, return and calls"
            what = "a nested function" if isinstance(node, ast.FunctionDef) else f"'{type(node).__name__.lower()}'"
            raise UnsupportedSyntax(builder.at(node), what=what, hint=hint)
        case _:
            statements.statement(builder, node)


def kept(builder: Builder, value: Value, node: ast.AST) -> Value:
    """A value as a name has it: numbers, texts and shapes are run-time values, since the name may be set again."""
    kinds = kinds_of(value)
    if isinstance(value, RunTimeValue) or not kinds:
        return value
    return RunTimeValue(as_kind(builder, value, kinds[0], node))


def give_back(builder: Builder, node: ast.Return) -> None:
    """`return`: every one of a function has results of the same kinds."""
    value = builder.value(node.value) if node.value is not None else Constant(None)
    values: Sequence[Value] = value.items if isinstance(value, Items) else [value]
    if isinstance(value, Constant) and value.value is None:
        values = []
    for one in values:
        if not kinds_of(one):
            hint = "host functions return numbers, texts, dtypes, shapes and facts of tensors"
            raise UnsupportedSyntax(builder.at(node), what=f"returning {words(one)}", hint=hint)
    if builder.flow.shape is None:
        builder.flow.shape = tuple(host_type(kinds_of(one)[0]) for one in values)
    shape = kinds_returned(builder.flow.shape)
    wanted = [kind_of(one) for one in shape]
    fits = [kind in kinds_of(one) for kind, one in zip(wanted, values, strict=False)]
    if len(values) != len(wanted) or not all(fits):
        before = ", ".join(map(str, shape)) or "None"
        raise TypeChanged(builder.at(node), name="the result", before=before, after=words(value))
    made = [as_kind(builder, one, kind, node) for one, kind in zip(values, wanted, strict=True)]
    builder.add(ReturnOp(made), node)


# Loops -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Counting:
    """A loop that counts; `parts`: what each name of its target is, None for the index itself."""

    start: SSAValue
    stop: SSAValue
    step: int
    targets: Sequence[ast.Name]
    parts: Sequence[Value | None]

    def begin(self, builder: Builder, node: ast.For) -> Loop:
        """The loop over an empty body."""
        body = Block(arg_types=[INT])
        names: list[tuple[ast.Name, Value]] = []
        with builder.nested(body):
            index = apply(builder, "number", [RunTimeValue(body.args[0])], node.iter)
            for target, part in zip(self.targets, self.parts, strict=True):
                one = index if part is None else apply(builder, "item", [part, index], node.iter)
                set_name(one.ssa, target.id)
                names.append((target, one))
        return Loop(ForOp(self.start, self.stop, self.step, "i", body), body, names)


def iterate(builder: Builder, node: ast.For) -> Iterated:
    """`range(...)`, a shape, `enumerate(shape)`, `zip(shape, shape)`."""
    made = node.iter
    function = builder.value(made.func) if isinstance(made, ast.Call) else None
    called = function.value if isinstance(function, Constant) else None
    targets = node.target.elts if isinstance(node.target, ast.Tuple) else [node.target]
    names = [target for target in targets if isinstance(target, ast.Name)]
    count = 2 if called in (enumerate, zip) else 1
    if node.orelse or len(names) != len(targets) or len(names) != count:
        raise UnsupportedSyntax(builder.at(node), what="this loop", hint=_LOOPS)
    if called is range and isinstance(made, ast.Call):
        return _range(builder, made, names)
    start = builder.add(ConstantOp(0, INT), made).results[0]
    if called in (enumerate, zip) and isinstance(made, ast.Call):
        lists = [builder.value(one) for one in made.args]
        strict = [one.value for one in made.keywords if one.arg == "strict"]
        if len(lists) != (1 if called is enumerate else 2) or len(strict) != len(made.keywords):
            raise UnsupportedSyntax(builder.at(node), what="this loop", hint=_LOOPS)
        if called is zip:
            is_strict = builder.value(strict[0]) if strict else Constant(False)
            stop = apply(builder, "zipped", [*lists, is_strict], made)
            return _Counting(start, stop.ssa, 1, names, lists)
        listed = lists[0]
    else:
        listed = builder.value(made)
    if not set(LISTS) & set(kinds_of(listed)):
        raise UnsupportedSyntax(builder.at(made), what=f"a loop over {words(listed)}", hint=_LOOPS)
    stop = apply(builder, "known", [apply(builder, "size", [listed], made)], made)
    return _Counting(start, stop.ssa, 1, names, [None, listed] if called is enumerate else [listed])


def _range(builder: Builder, node: ast.Call, names: Sequence[ast.Name]) -> _Counting:
    values = [builder.value(one) for one in node.args]
    step = values[2] if len(values) == 3 else Constant(1)
    if node.keywords or not values or not (isinstance(step, Constant) and isinstance(step.value, int) and step.value):
        hint = "write: for i in range(start, stop, step), with a constant step other than 0"
        raise UnsupportedSyntax(builder.at(node), what="this form of range", hint=hint)
    first, last = (Constant(0), values[0]) if len(values) == 1 else values[:2]
    return _Counting(_bound(builder, first, node), _bound(builder, last, node), step.value, names, [None])


def _bound(builder: Builder, number: Value, node: ast.AST) -> SSAValue:
    """An end of a range."""
    if isinstance(number, Constant) and isinstance(number.value, int):
        return builder.add(ConstantOp(number.value, INT), node).results[0]
    return apply(builder, "known", [number], node).ssa
