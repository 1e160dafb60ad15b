"""Values of host functions in the IR: constants in the kind that an operation needs, and the form that fits operands.

In: values of the front end. Out: SSA values of the dialect `host`. Refuses operands that no form of a function takes.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from opwright.errors import WrongType
from opwright.frontend.builder import Builder
from opwright.frontend.values import describe
from opwright.ir import SSAValue
from opwright.ir.host import FORMS, ApplyOp, ConstantOp, kind_of, result_of, takes
from opwright.ir.values import Constant, Items, RunTimeValue, Value
from opwright.schema.dtypes import Dtype

_LARGEST = (1 << 63) - 1
_WORDS = {
    "add": "'+'",
    "sub": "'-'",
    "mul": "'*'",
    "floordiv": "'//'",
    "mod": "'%'",
    "div": "'/'",
    "neg": "'-'",
    "size": "len",
    "item": "an index",
    "part": "a slice",
    "text": "an f-string",
    "shape": "a tuple of sizes",
    "listed": "list",
    "is_one_of": "'in'",
    "and": "'&' or 'and'",
    "or": "'|' or 'or'",
    "eq": "a comparison",
    "ne": "a comparison",
    "lt": "a comparison",
    "le": "a comparison",
    "gt": "a comparison",
    "ge": "a comparison",
    "known": "a condition",
    "prod": "math.prod",
    "to_float": "float",
    "to_int": "int",
    "launch": "host.Launch",
    **dict.fromkeys(("is_bool", "is_integer", "is_float"), "isinstance"),
}


def words(value: Value) -> str:
    """A value in a message."""
    dtype = value.value if isinstance(value, Constant) else None
    return f"the dtype {dtype}" if isinstance(dtype, Dtype) else describe(value)


def kinds_of(value: Value) -> tuple[str, ...]:
    """The kinds that a value can be, the nearest first."""
    match value:
        case RunTimeValue():
            kind = kind_of(value.type)
            return (kind, kind[:-1]) if kind.endswith("?") else (kind,)
        case Constant(value=bool()):
            return ("truth",)
        case Constant(value=int()):
            return ("int", "float")
        case Constant(value=float()):
            return ("float",)
        case Constant(value=str()):
            return ("text",)
        case Constant(value=Dtype()):
            return ("dtype",)
        case Constant(value=tuple() | list() as items) if all(type(item) is int for item in items):
            return ("shape",)
        case Items(items) if all("int" in kinds_of(item) for item in items):
            return ("shape",)
    return ()


def as_kind(builder: Builder, value: Value, kind: str, node: ast.AST) -> SSAValue:
    """A value in one of its kinds."""
    match value:
        case RunTimeValue():
            have = kind_of(value.type)
            return value.ssa if kind in ("any", have) else apply(builder, f"given {kind}", [value], node).ssa
        case Constant(value=tuple() | list() as items):
            return apply(builder, "shape", [Constant(item) for item in items], node).ssa
        case Items(items):
            return apply(builder, "shape", items, node).ssa
        case Constant(value=content):
            kind = kinds_of(value)[0] if kind == "any" else kind
            if isinstance(content, int) and abs(content) > _LARGEST:
                hint = "it is a 64-bit integer"
                raise WrongType(builder.at(node), operation="a host function", got=str(content), hint=hint)
            return builder.add(ConstantOp(_text(content, kind), kind), node).results[0]
    raise AssertionError(value)


def _text(content: object, kind: str) -> str:
    if isinstance(content, Dtype):
        return f"{content.code} {content.bits}"
    if kind == "float":
        assert isinstance(content, (int, float))
        return repr(float(content))
    return str(content) if kind == "text" else repr(content)


def apply(builder: Builder, name: str, values: Sequence[Value], node: ast.AST, hint: str = "") -> RunTimeValue:
    """A function of the dialect, in the form that the values fit."""
    for form in FORMS[name]:
        kinds = _kinds_for(form, values)
        if kinds is not None:
            operands = [as_kind(builder, value, kind, node) for value, kind in zip(values, kinds, strict=True)]
            return RunTimeValue(builder.add(ApplyOp(name, operands, result_of(form)), node).results[0])
    raise WrongType(
        builder.at(node),
        operation=_WORDS.get(name, name),
        got=" and ".join(map(words, values)),
        hint=hint or _hint(values),
    )


def _kinds_for(form: str, values: Sequence[Value]) -> list[str] | None:
    """A kind for each value that makes them fit a form; None if there are none."""
    wanted = form.partition(" ->")[0].split()
    kinds = []
    for place, value in enumerate(values):
        one = wanted[min(place, len(wanted) - 1)].removesuffix("*") if wanted else ""
        possible = kinds_of(value)
        if not possible or (one != "any" and one not in possible):
            return None
        kinds.append(possible[0] if one == "any" else one)
    return kinds if takes(form, kinds) else None


def _hint(values: Sequence[Value]) -> str:
    kinds = {kinds_of(value)[:1] for value in values}
    if {("int",), ("float",)} <= kinds:
        return "make both the same: float(n)"
    if any(one and one[0].endswith("?") for one in kinds):
        return "test it first: if x is not None"
    return "host functions have integers, floats, truth values, texts, dtypes, shapes and facts of tensors"
