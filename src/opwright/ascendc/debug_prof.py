"""Rows: printing from a kernel."""

from __future__ import annotations

from opwright.ascendc.row import Form, Row

ROWS = (
    Row(
        "printf",
        "printf",
        "Prints with a C format. On the twin the output of all cores comes in the order of their index.",
        forms=(Form("desc: text, arguments: rest"),),
        example='asc.printf("core %d\\n", asc.get_block_idx())',
    ),
)
