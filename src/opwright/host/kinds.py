"""Kinds of arguments for the compiler of host functions.

In: a schema. Out: the kind of each argument by name, as `ir.types.HOST_KINDS` has them, with a question mark if it may
be absent.
"""

from __future__ import annotations

from opwright.schema import Schema

_KINDS = {
    "Tensor": "tensor",
    "Tensor[]": "tensors",
    "int": "int",
    "SymInt": "int",
    "int[]": "shape",
    "SymInt[]": "shape",
    "float": "float",
    "bool": "truth",
    "str": "text",
    "ScalarType": "dtype",
}


def kinds_of(schema: Schema) -> dict[str, str]:
    """The kinds of an operator's arguments for the compiler of host functions, by name."""
    optional = ("", "?")
    return {one.name: _KINDS[one.kind] + optional[one.is_optional] for one in schema.arguments}
