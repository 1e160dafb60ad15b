"""Rows: vector calls with two sources and one scalar."""

from __future__ import annotations

from opwright.ascendc.assumptions import ARITHMETIC
from opwright.ascendc.elementwise import FLOATS, FUSED_ASSUMED, INT64S, NEVER_BFLOAT16, forms
from opwright.ascendc.row import Row, dtypes

TASK, SHORT = "Vector", "Two sources and scalar"
_T = dtypes(a2=FLOATS, a5=(*FLOATS, *INT64S), why=NEVER_BFLOAT16)

ROWS = (
    Row(
        "axpy",
        "Axpy",
        "Adds a multiple of one local tensor to what another holds: dst = src * scalar + dst. Integers wrap.",
        forms=(
            *forms("opwright::fused(src, scalar, dst)", "src", kinds=_T, scalar=True, into=True, types=("T", "T")),
            *forms("opwright::fused(src, scalar, dst)", "src", scalar=True, into=True, narrow=True),
        ),
        dtypes={"T": _T},
        exactness=FUSED_ASSUMED,
        assumes=(ARITHMETIC,),
        example="asc.axpy(z_local, x_local, 0.5, 64)",
    ),
)
