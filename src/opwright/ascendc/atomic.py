"""Rows: copies to global memory that combine what they bring with what is there."""

from __future__ import annotations

from opwright.ascendc.row import Form, Function, Row, dtypes

TASK, SHORT = "Copy", "Atomic copies"
_TYPES = ("int8", "int16", "float16", "bfloat16", "int32", "float32")
_DTYPES = {"T": dtypes(a2=_TYPES, a5=_TYPES, why={"int64": "copies combine elements of 8, 16 and 32 bits only"})}
_UNTIL = "It stays on until set_atomic_none: copies from UB to global memory take it when they are issued."
_ORDER = "floats are added in the order in which cores come, which nothing decides"


def _sets(name: str, cpp: str, what: str, exactness: str) -> Row:
    return Row(
        name,
        cpp,
        f"{what} {_UNTIL}",
        forms=(Form("dtype: template dtype T", meaning=Function(f"{name}<T>")),),
        dtypes=_DTYPES,
        exactness=exactness,
        example=f"asc.{name}(asc.float32)",
    )


ROWS = (
    _sets(
        "set_atomic_add",
        "SetAtomicAdd",
        "Copies to global memory add to what is there. Integers wrap.",
        f"assumed({_ORDER}; float16 and bfloat16 overflow to infinity; integers wrap)",
    ),
    _sets(
        "set_atomic_max",
        "SetAtomicMax",
        "Copies to global memory keep the greater of what is there and what they bring.",
        "assumed(what is brought stays where either is NaN, and where both are zeros of whatever sign)",
    ),
    _sets(
        "set_atomic_min",
        "SetAtomicMin",
        "Copies to global memory keep the smaller of what is there and what they bring.",
        "assumed(what is brought stays where either is NaN, and where both are zeros of whatever sign)",
    ),
    _sets(
        "set_atomic_type",
        "SetAtomicType",
        "Sets the element type of atomic copies. The operation stays: the sum, if none was chosen.",
        "assumed(a type alone turns atomic copies on)",
    ),
    Row(
        "set_atomic_none",
        "SetAtomicNone",
        "Copies to global memory overwrite what is there, as at the start of a kernel.",
        forms=(Form("", meaning=Function("set_atomic_none")),),
        example="asc.set_atomic_none()",
    ),
)
