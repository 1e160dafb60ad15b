"""Rows: quantizations that the toolchain composes of vector calls."""

from __future__ import annotations

from opwright.ascendc.composed import form
from opwright.ascendc.elementwise import FLOATS, NEVER_BFLOAT16
from opwright.ascendc.row import Function, Row, dtypes
from opwright.ascendc.socs import ALL

TASK, SHORT = "Composed", "Quantization"
_BYTES = dtypes(a2=("int8",), a5=("int8",))

ROWS = (
    Row(
        "adv.quant",
        "AscendQuant",
        "Makes 8-bit integers of the elements of a local tensor: dst = src * scale + offset, rounded.",
        forms=tuple(
            form(
                Function("quantise", by_element=True),
                ("dst: ub S", "src: ub T", "scale: float32", "offset: float32"),
                ("src",),
                count=count,
                has_scratch=has_scratch,
                reuse="reuse_source",
                scalars_last=True,
                types=("T",),
                asks=ALL,
            )
            for has_scratch in (False, True)
            for count in (False, True)
        ),
        dtypes={"S": _BYTES, "T": dtypes(a2=FLOATS, a5=FLOATS, why=NEVER_BFLOAT16)},
        exactness=(
            "assumed(scale, offset and float32 elements are made float16, product and sum are rounded to it too; the "
            "result goes to the nearest integer, halves to even, saturates, and NaN gives 0)"
        ),
        example="asc.adv.quant(c_local, x_local, 0.5, 1.0, 64)",
    ),
)
