"""Rows: copies between global and local memory."""

from __future__ import annotations

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.elementwise import INT32_MAX
from opwright.ascendc.row import Form, Function, Row, dtypes, reads, writes
from opwright.ascendc.rules import Align, NoPartialOverlap, Range, WholeBlocks

_ALL = tuple(DTYPES)
_COUNT = Range("count", 0, INT32_MAX)
_WHOLE = WholeBlocks("count", "dst")

ROWS = (
    Row(
        "data_copy",
        "DataCopy",
        "Copies count elements. The bytes are rounded down to a multiple of 32: what is left over is not copied.",
        forms=(
            Form(
                "dst: ub T, src: global T, count: uint32",
                pipe="PIPE_MTE2",
                accesses=(writes("dst", floor=32), reads("src", floor=32)),
                rules=(_COUNT, _WHOLE, Align("dst", 32)),
                meaning=Function("copy_in"),
            ),
            Form(
                "dst: global T, src: ub T, count: uint32",
                pipe="PIPE_MTE3",
                accesses=(writes("dst", floor=32), reads("src", floor=32)),
                rules=(_COUNT, _WHOLE, Align("src", 32)),
                meaning=Function("copy_out"),
            ),
            Form(
                "dst: ub T, src: ub T, count: uint32",
                pipe="PIPE_V",
                accesses=(writes("dst", floor=32), reads("src", floor=32)),
                rules=(_COUNT, _WHOLE, Align("dst", 32), Align("src", 32), NoPartialOverlap("dst", "src")),
                meaning=Function("copy_local"),
            ),
        ),
        dtypes={"T": dtypes(a2=_ALL, a5=_ALL)},
        example="asc.data_copy(x_local, x_gm, 64)",
    ),
)
