"""Which schemas operators can have, and the schemas of the forms that are made from them.

In: a schema. Out: why an operator cannot have it, or the forms that write into tensors of the caller, and the letters
of its arguments at the C border. The form that an author states returns new tensors, and aliases and writes nothing.
"""

from __future__ import annotations

import keyword
from dataclasses import replace

from opwright.schema import Alias, Argument, Base, Optional, Schema
from opwright.schema.dtypes import Dtype
from opwright.schema.types import aliases

# Letters of the border in C++ (native/torch/adapter.cpp) by the kind of an argument; upper case: may be absent.
_LETTERS = {
    "Tensor": "t",
    "int": "i",
    "SymInt": "i",
    "bool": "i",
    "float": "f",
    "str": "s",
    "int[]": "l",
    "SymInt[]": "l",
    "ScalarType": "d",
}


def reason_against(schema: Schema) -> str:
    """Why an operator cannot have a schema; "" if it can."""
    for argument in schema.arguments:
        if aliases(argument.type):
            return f"has an argument {argument.name} with an alias: state the form that returns new tensors"
        if argument.kind not in _LETTERS:
            return f"has an argument {argument.name} of the type {argument.type}, which operators cannot have"
        if keyword.iskeyword(argument.name):
            return f"has an argument {argument.name}, which is a word of Python"
        if isinstance(argument.default, Dtype):
            return f"has an argument {argument.name} whose default is a data type: write ScalarType? with None"
    if not schema.results or any(result.type != Base("Tensor") for result in schema.results):
        return "must return one or more new tensors"
    if schema.overload:
        return "has an overload name; its forms are made for it"
    return ""


def letters(schema: Schema) -> str:
    """The letters of all arguments."""
    return "".join(_LETTERS[a.kind].upper() if a.is_optional else _LETTERS[a.kind] for a in schema.arguments)


def out_names(schema: Schema) -> tuple[str, ...]:
    """What the written arguments of the out form are called."""
    count = len(schema.results)
    return ("out",) if count == 1 else tuple(f"out{i}" for i in range(count))


def out_form(schema: Schema) -> Schema:
    """The form that writes into tensors of the caller."""
    written = [Argument(name, _written(i), keyword_only=True) for i, name in enumerate(out_names(schema))]
    return replace(schema, overload="out", arguments=(*schema.arguments, *written), results=())


def in_place_form(schema: Schema) -> Schema:
    """The form that writes into its first argument."""
    first, *others = schema.arguments
    arguments = (replace(first, type=_written(0)), *others)
    return replace(schema, name=f"{schema.name}_", arguments=arguments, results=())


def _written(place: int) -> Base:
    own = (chr(ord("a") + place),)
    return Base("Tensor", Alias(own, own, writes=True))


def with_addresses(schema: Schema) -> Schema:
    """The same with addresses in place of texts, as refused calls come."""

    def changed(argument: Argument) -> Argument:
        if argument.kind != "str":
            return argument
        number = Base("int")
        default = (None if argument.is_optional else 0) if argument.has_default else argument.default
        return replace(argument, type=Optional(number) if argument.is_optional else number, default=default)

    return replace(schema, arguments=tuple(map(changed, schema.arguments)))
