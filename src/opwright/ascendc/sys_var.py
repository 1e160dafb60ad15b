"""Rows: what a core knows about itself."""

from __future__ import annotations

from opwright.ascendc.row import Form, Function, Row

ROWS = (
    Row(
        "get_block_idx",
        "GetBlockIdx",
        "Index of this core in the launch, from 0.",
        forms=(Form("", meaning=Function("block_index"), result="int64"),),
        effect="value",
        nonnegative=True,
        example="core = asc.get_block_idx()",
    ),
    Row(
        "get_block_num",
        "GetBlockNum",
        "Number of cores in the launch.",
        forms=(Form("", meaning=Function("block_count"), result="int64"),),
        effect="value",
        nonnegative=True,
        example="cores = asc.get_block_num()",
    ),
    Row(
        "trap",
        "Trap",
        "Stops the core; the launch fails with this line.",
        forms=(Form("", meaning=Function("trap")),),
        example="asc.trap()",
    ),
)
