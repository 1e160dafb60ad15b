"""Rows: vector calls that fill a tensor."""

from __future__ import annotations

from opwright.ascendc.row import Each, Form, Row, dtypes, writes
from opwright.ascendc.rules import Align, Range
from opwright.ascendc.vec_binary import INT32_MAX

_A2 = ("int16", "uint16", "float16", "bfloat16", "int32", "uint32", "float32")

ROWS = (
    Row(
        "duplicate",
        "Duplicate",
        "Writes one scalar to the first count elements of a local tensor.",
        forms=(
            Form(
                "dst: ub T, scalar: number T, count: int32",
                pipe="PIPE_V",
                accesses=(writes("dst"),),
                rules=(Range("count", 0, INT32_MAX), Align("dst", 32)),
                meaning=Each("scalar"),
            ),
        ),
        dtypes={"T": dtypes(a2=_A2, a5=(*_A2, "int8", "uint8", "int64", "uint64"))},
        example="asc.duplicate(z_local, 3, 64)",
    ),
)
