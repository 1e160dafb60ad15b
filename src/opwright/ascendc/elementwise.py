"""What the chapters of elementwise vector calls share: the form with a count, element types, assumptions.

In: the meaning of one element and the names of the sources. Out: a `Form`.
"""

from __future__ import annotations

from opwright.ascendc.row import Each, Form, dtypes, reads, writes
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

FUSED = f"one rounding, at the end, which public texts leave open; {OVERFLOW}"
FUSED_ASSUMED = f"assumed({FUSED})"

_NARROW = {
    "T": dtypes(a2=("float32",), a5=("float32",)),
    "U": dtypes(a2=("float16",), a5=("float16",)),
}


def count_form(each: str, *sources: str, scalar: bool = False, into: bool = False, narrow: bool = False) -> Form:
    """The form that works on the first `count` elements; with `scalar` it takes a number after its sources.

    With `into` it reads what it writes. With `narrow` its sources hold float16 and its destination float32.
    """
    tensors = ("dst", *sources)
    kind = "U" if narrow else "T"
    parameters = ["dst: ub T", *(f"{source}: ub {kind}" for source in sources)]
    parameters += [f"scalar: number {kind}"] * scalar + ["count: int32"]
    return Form(
        ", ".join(parameters),
        pipe="PIPE_V",
        accesses=(writes("dst"), *([reads("dst")] * into), *(reads(source) for source in sources)),
        rules=(
            Range("count", 0, INT32_MAX),
            *(Align(name, 32) for name in tensors),
            *(NoPartialOverlap("dst", source) for source in sources),
        ),
        meaning=Each(each),
        dtypes=_NARROW if narrow else {},
    )
