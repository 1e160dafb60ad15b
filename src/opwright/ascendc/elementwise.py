"""What the chapters of elementwise vector calls share: the form with a count, element types, assumptions.

In: the meaning of one element and the names of the sources. Out: a `Form`.
"""

from __future__ import annotations

from opwright.ascendc.row import Each, Form, reads, writes
from opwright.ascendc.rules import Align, NoPartialOverlap, Range

INT32_MAX = (1 << 31) - 1

A2_ARITHMETIC = ("int16", "float16", "int32", "float32")
INT64S = ("int64", "uint64")
FLOATS = ("float16", "float32")

NO_BFLOAT16 = {"bfloat16": "this SoC has no bfloat16 vector arithmetic: cast to float32, compute, cast back"}
NEVER_BFLOAT16 = {"bfloat16": "this call has no bfloat16: cast to float32, compute, cast back"}

OVERFLOW = "float16 and bfloat16 overflow to infinity, as in IEEE 754; public texts disagree"
OVERFLOW_ASSUMED = f"assumed({OVERFLOW})"
SUBNORMALS = "ascend950 is said to take subnormals for 0 unless told otherwise, which the twin does not do"
ROUNDED = (
    "correctly rounded, with subnormals, on every SoC; ascend950 is said to err by up to 1 ulp and to take subnormals "
    "for 0 unless told otherwise, which the twin does not do"
)


def count_form(each: str, *sources: str, scalar: bool = False) -> Form:
    """The form that works on the first `count` elements; with `scalar` it takes a number after its sources."""
    tensors = ("dst", *sources)
    parameters = [f"{name}: ub T" for name in tensors] + ["scalar: number T"] * scalar + ["count: int32"]
    return Form(
        ", ".join(parameters),
        pipe="PIPE_V",
        accesses=(writes("dst"), *(reads(source) for source in sources)),
        rules=(
            Range("count", 0, INT32_MAX),
            *(Align(name, 32) for name in tensors),
            *(NoPartialOverlap("dst", source) for source in sources),
        ),
        meaning=Each(each),
    )
