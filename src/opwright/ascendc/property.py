"""Rows: constants of the chip."""

from __future__ import annotations

from opwright.ascendc.row import Form, Row

TASK, SHORT = "Host", "Constants of the chip"
ROWS = (
    Row(
        "property",
        "ONE_BLK_SIZE",
        "A constant of the chip, in bytes: asc.ONE_BLK_SIZE of a block, asc.DEFAULT_C0_SIZE of a row of a fractal, "
        "asc.TOTAL_L1_SIZE and asc.TOTAL_L0C_SIZE of two memories of the matrix unit.",
        forms=(Form("prop: Property", result="integer", text="{prop}"),),
        exactness="assumed(of L1 the toolchain keeps the last 128 bytes, on every chip)",
        effect="value",
        nonnegative=True,
        example="number = asc.property(asc.ONE_BLK_SIZE)",
    ),
)
