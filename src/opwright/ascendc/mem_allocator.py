"""Rows: on-chip memory handed out without a pipe."""

from __future__ import annotations

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.row import Form, Row, dtypes
from opwright.ascendc.rules import OnChip, Range, SameMemory
from opwright.ascendc.traits import ALLOCATOR, Allocates, MakesAllocator

TASK, SHORT = "Memory", "Allocator"
_T = {"T": dtypes(a2=tuple(DTYPES), a5=tuple(DTYPES))}
_SIZE = Range("tile_size", 1, (1 << 32) - 1)

ROWS = (
    Row(
        "LocalMemAllocator",
        "LocalMemAllocator",
        "Hands out a memory from its start on, on a core without a TPipe. It knows nothing of tensors made by address.",
        forms=(
            Form(
                "hard: template Hardware = UB",
                rules=(OnChip("hard"),),
                result="object LocalMemAllocator",
                traits=(MakesAllocator(),),
            ),
        ),
        effect="object",
        example="another_allocator = asc.LocalMemAllocator(asc.Hardware.UB)",
    ),
    Row(
        "LocalMemAllocator.alloc",
        "Alloc",
        "The next `tile_size` elements, at a multiple of 32 bytes.",
        forms=(
            Form(
                "self: object LocalMemAllocator, pos: template TPosition, data_type: template dtype T, "
                "tile_size: template uint32",
                rules=(_SIZE, OnChip("pos"), SameMemory("pos", "self")),
                result="local T",
                traits=(Allocates("allocation", ALLOCATOR, elements="tile_size"),),
            ),
            Form(
                "self: object LocalMemAllocator, pos: template TPosition, data_type: template dtype T, "
                "tile_size: uint32",
                rules=(_SIZE, OnChip("pos"), SameMemory("pos", "self")),
                result="local T",
                traits=(Allocates("allocation", ALLOCATOR, elements="tile_size"),),
            ),
        ),
        dtypes=_T,
        example="x_local = allocator.alloc(asc.TPosition.VECIN, asc.float16, 1024)",
    ),
    Row(
        "LocalMemAllocator.get_cur_addr",
        "GetCurAddr",
        "The byte at which the next tensor will start.",
        forms=(Form("self: object LocalMemAllocator", result="integer"),),
        effect="reads",
        nonnegative=True,
        example="address = allocator.get_cur_addr()",
    ),
)
