"""Rows: vector calls that fill a tensor."""

from __future__ import annotations

from opwright.ascendc.elementwise import INT64S, forms
from opwright.ascendc.row import Row, dtypes

_A2 = ("int16", "uint16", "float16", "bfloat16", "int32", "uint32", "float32")

ROWS = (
    Row(
        "duplicate",
        "Duplicate",
        "Writes one scalar to the first count elements of a local tensor.",
        forms=forms("scalar", scalar=True)[:1],
        dtypes={"T": dtypes(a2=_A2, a5=(*_A2, "int8", "uint8", *INT64S))},
        example="asc.duplicate(z_local, 3, 64)",
    ),
)
