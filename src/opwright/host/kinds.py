"""Kinds of arguments for the compiler of host functions.

In: a schema. Out: the kind of each argument by name, as `ir.types.HOST_KINDS` has them, with a question mark if it may
be absent. Refuses a type that host functions do not have.
"""

from __future__ import annotations

from opwright.errors import NotForHost
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
    "Scalar": "scalar",
    "Device": "text",
    "Generator": "generator",
    "float[]": "floats",
    "bool[]": "truths",
}


def kinds_of(schema: Schema) -> dict[str, str]:
    """The kinds of an operator's arguments for the compiler of host functions, by name."""
    for one in schema.arguments:
        if one.kind not in _KINDS:
            hint = f"the types of arguments that host functions take are {', '.join(_KINDS)}, each also with ?"
            raise NotForHost(what=f"the argument {one.name} of type {one.kind}", hint=hint)
    optional = ("", "?")
    return {one.name: _KINDS[one.kind] + optional[one.is_optional] for one in schema.arguments}
