"""Which overloads of a list no form of a row fits.

In: overloads as text, "2: (dst: LocalTensor, count: int) | (dst: LocalTensor, mask: List[int])". Out: those that no
form meets. A form fits if it has every parameter without a default, no other parameter without one, and the same kinds
of tensors, lists and objects. Our forms may be more: an optional parameter is often a form of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from opwright.ascendc.row import LOCALS

if TYPE_CHECKING:
    from opwright.ascendc.row import Form, Parameter

_LOCAL, _GLOBAL = LOCALS, ("global",)
# A type as a list spells it -> the kinds of parameters that it stands for.
_KINDS = {
    "LocalTensor": _LOCAL,
    "GlobalTensor": _GLOBAL,
    "BaseTensor": (*_LOCAL, *_GLOBAL),
    "GlobalAddress": ("address",),
    "DataType": ("dtype",),
}


@dataclass(frozen=True)
class Wanted:
    """One parameter of an overload."""

    name: str
    type: str
    is_optional: bool


def split(text: str, separator: str) -> list[str]:
    """The parts between separators that stand outside of brackets, without spaces around them."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if character == separator and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def parse(signature: str) -> list[Wanted]:
    """The parameters of an overload, "(dst: LocalTensor, count: int = 0) -> int"."""
    inner = signature[signature.index("(") + 1 : signature.rindex(")", 0, (signature + " ->").index(" ->"))]
    parameters = []
    for part in split(inner, ","):
        if part == "/":
            continue
        declaration, *default = split(part, "=")
        name, *kind = split(declaration, ":")
        parameters.append(Wanted(name.lstrip("*"), "".join(kind), bool(default) or name.startswith("*")))
    return parameters


def unmet(name: str, overloads: str) -> list[str]:
    """The overloads of a call that none of its forms fits; those of later work apart."""
    from opwright.ascendc.coverage import later
    from opwright.ascendc.table import ROWS

    row = ROWS.get(name.removeprefix("asc."))
    number, colon, texts = overloads.partition(":")
    if row is None or not colon or not number.strip().isdigit():
        return []
    signatures = [text for text in split(texts, "|") if "(" in text]
    for signature in list(signatures):
        classes = re.findall(r"\w+", " ".join(one.type for one in parse(signature)))
        if any(later("", f"asc.{own}") for own in classes):
            signatures.remove(signature)
    return [text for text in signatures if not any(_fits(form, parse(text)) for form in row.forms)]


def _fits(form: Form, overload: list[Wanted]) -> bool:
    from opwright.ascendc.row import REQUIRED

    own = {parameter.name: parameter for parameter in form.parameters if parameter.name != "self"}
    wanted = {parameter.name: parameter for parameter in overload}
    has_all = all(name in own for name, parameter in wanted.items() if not parameter.is_optional)
    asks_more = any(own[name].default is REQUIRED and own[name].kind != "rest" for name in own.keys() - wanted.keys())
    shared = own.keys() & wanted.keys()
    return has_all and not asks_more and all(_is_kind(own[name], wanted[name].type) for name in shared)


def _is_kind(parameter: Parameter, type_: str) -> bool:
    """Whether a parameter takes what a type of the list says; types that say nothing fit all."""
    from opwright.ascendc.row import ARRAY, OBJECT
    from opwright.ascendc.table import ROWS, is_a

    words = re.findall(r"\w+", type_)
    for word in words:
        if word in _KINDS:
            return parameter.kind in _KINDS[word]
    if "List" in words and "Union" not in words:
        return parameter.kind == ARRAY or parameter.kind == OBJECT
    if words == ["int"]:
        return parameter.kind not in (ARRAY, OBJECT)
    classes = [word for word in words if word in ROWS]
    return parameter.kind != OBJECT or not words or any(is_a(name, parameter.made_by) for name in classes)
