"""Rows: what a core knows about itself."""

from __future__ import annotations

from opwright.ascendc.row import CORE, SIMT, Form, Function, Row
from opwright.ascendc.traits import CountsCores, GivesBack

TASK, SHORT = "Core", "What a core knows"


def _question(
    name: str,
    cpp: str,
    doc: str,
    function: str,
    exactness: str = "exact",
    effect: str = "value",
    positive: bool = False,
    small: bool = False,
) -> Row:
    """A row that says a number about its core."""
    return Row(
        name,
        cpp,
        doc,
        forms=(Form("", meaning=Function(function), result="int64"),),
        exactness=exactness,
        effect=effect,
        nonnegative=True,
        positive=positive,
        small=small,
        example=f"number = asc.{name}()",
    )


ROWS = (
    Row(
        "get_block_idx",
        "GetBlockIdx",
        "Index of this core in the launch, from 0; in a kernel of both kinds of cores, among those of its kind.",
        forms=(Form("", meaning=Function("block_index"), result="int64"),),
        effect="value",
        nonnegative=True,
        small=True,
        example="core = asc.get_block_idx()",
    ),
    Row(
        "get_block_num",
        "GetBlockNum",
        "Number of cores in the launch, or of groups in a kernel of both kinds of cores.",
        forms=(Form("", meaning=Function("block_count"), result="int64", traits=(CountsCores(),)),),
        effect="value",
        nonnegative=True,
        positive=True,
        small=True,
        example="cores = asc.get_block_num()",
    ),
    _question(
        "get_sub_block_idx",
        "GetSubBlockIdx",
        "Index of this vector core in its AI core: 0 or 1; 0 on a cube core.",
        "sub_block_index",
        small=True,
    ),
    _question(
        "get_sub_block_num",
        "GetSubBlockNum",
        "Number of vector cores in an AI core.",
        "sub_block_count",
        positive=True,
        small=True,
    ),
    _question(
        "get_task_ratio",
        "GetTaskRatio",
        "Vector cores for each cube core of the launch; 1 on a cube core.",
        "task_ratio",
        positive=True,
        small=True,
    ),
    _question("get_data_block_size_in_bytes", "GetDataBlockSizeInBytes", "Bytes of a block: 32.", "data_block_bytes"),
    _question(
        "get_system_cycle",
        "GetSystemCycle",
        "A counter that grows. On the twin it measures nothing: it counts how often it was asked for.",
        "system_cycle",
        "assumed(the number of calls so far stands for time)",
        "runs",
    ),
    _question(
        "get_program_counter",
        "GetProgramCounter",
        "Where the program is: on the twin, the line of the text.",
        "program_counter",
        "assumed(the line of the text stands for an address)",
        "runs",
    ),
    Row(
        "get_arch_version",
        "GetArchVersion",
        "Which architecture the core has: 0x220 on A2 and A3, 0x310 on A5. Whatever is given for `core_version` is not "
        "read: in Ascend C it is the variable that is set, in Python the call returns the number.",
        forms=(
            Form("core_version: int32 = 0", traits=(GivesBack(("uint32_t",)),), text="AscendC::GetArchVersion({out})"),
        ),
        exactness="assumed(the digits are those of the architecture's older name)",
        effect="value",
        nonnegative=True,
        example="number = asc.get_arch_version(0)",
    ),
    Row(
        "trap",
        "Trap",
        "Stops the core; the launch fails with this line.",
        forms=(Form("", meaning=Function("trap")),),
        callers=(CORE, SIMT),
        in_simt="assert(false)",
        example="asc.trap()",
    ),
)
