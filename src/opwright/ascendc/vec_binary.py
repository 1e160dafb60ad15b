"""Rows: vector calls with two sources."""

from __future__ import annotations

from opwright.ascendc.row import Each, Form, Row, dtypes, reads, writes
from opwright.ascendc.rules import Align, NoPartialOverlap, Range

A2_ARITHMETIC = ("int16", "float16", "int32", "float32")
NO_BFLOAT16 = {"bfloat16": "this SoC has no bfloat16 vector arithmetic: cast to float32, compute, cast back"}
INT32_MAX = (1 << 31) - 1
OVERFLOW_ASSUMED = "assumed(float16 and bfloat16 overflow to infinity, as in IEEE 754; public texts disagree)"


def _count_form(each: str) -> Form:
    """The form that works on the first `count` elements."""
    return Form(
        "dst: ub T, src0: ub T, src1: ub T, count: int32",
        pipe="PIPE_V",
        accesses=(writes("dst"), reads("src0"), reads("src1")),
        rules=(
            Range("count", 0, INT32_MAX),
            Align("dst", 32),
            Align("src0", 32),
            Align("src1", 32),
            NoPartialOverlap("dst", "src0"),
            NoPartialOverlap("dst", "src1"),
        ),
        meaning=Each(each),
    )


ROWS = (
    Row(
        "add",
        "Add",
        "Adds two local tensors element by element: dst = src0 + src1. Integers wrap.",
        forms=(_count_form("src0 + src1"),),
        dtypes={
            "T": dtypes(
                a2=A2_ARITHMETIC,
                a5=(*A2_ARITHMETIC, "int8", "uint8", "uint16", "bfloat16", "uint32", "int64", "uint64"),
                why=NO_BFLOAT16,
            )
        },
        exactness=OVERFLOW_ASSUMED,
        example="asc.add(z_local, x_local, y_local, 64)",
    ),
)
