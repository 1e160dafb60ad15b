"""Rows: vector calls with one source and one scalar."""

from __future__ import annotations

from opwright.ascendc.row import Each, Form, Row, dtypes, reads, writes
from opwright.ascendc.rules import Align, NoPartialOverlap, Range
from opwright.ascendc.vec_binary import A2_ARITHMETIC, INT32_MAX, NO_BFLOAT16, OVERFLOW_ASSUMED


def _count_form(each: str) -> Form:
    """The form that works on the first `count` elements."""
    return Form(
        "dst: ub T, src: ub T, scalar: number T, count: int32",
        pipe="PIPE_V",
        accesses=(writes("dst"), reads("src")),
        rules=(
            Range("count", 0, INT32_MAX),
            Align("dst", 32),
            Align("src", 32),
            NoPartialOverlap("dst", "src"),
        ),
        meaning=Each(each),
    )


ROWS = (
    Row(
        "adds",
        "Adds",
        "Adds a scalar to every element of a local tensor: dst = src + scalar. Integers wrap.",
        forms=(_count_form("src + scalar"),),
        dtypes={
            "T": dtypes(
                a2=A2_ARITHMETIC,
                a5=(*A2_ARITHMETIC, "int8", "uint8", "bfloat16", "int64", "uint64"),
                why=NO_BFLOAT16,
            )
        },
        exactness=OVERFLOW_ASSUMED,
        example="asc.adds(z_local, x_local, 2, 64)",
    ),
)
