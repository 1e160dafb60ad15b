"""Scratch in global memory that a launch gives a kernel: arrays behind its arguments, with elements for each group.

In: the arguments of a launch, what the kernel's program asks for, and the groups of cores. Out: the arguments with the
addresses of new memory behind them. It holds no value that a kernel may read before it wrote it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from opwright.ascendc.dtypes import DTYPES
from opwright.kernel.arguments import BoundArguments
from opwright.kernel.arrays import Memory
from opwright.kernel.program import Workspace

ALIGNMENT = 512  # bytes


def with_workspaces(bound: BoundArguments, workspaces: Sequence[Workspace], groups: int) -> BoundArguments:
    """The arguments with memory for all workspaces behind them, which lives as long as they do."""
    memories: list[Memory] = []
    blocks = []
    for one in workspaces:
        size = one.elements * groups * DTYPES[one.element].bytes
        block = (ctypes.c_char * (size + ALIGNMENT)).from_buffer(bytearray(size + ALIGNMENT))
        blocks.append(block)
        memories.append((-(-ctypes.addressof(block) // ALIGNMENT) * ALIGNMENT, size, None, None))
    return BoundArguments(
        (*bound.names, *(one.name for one in workspaces)),
        (*bound.kinds, *(one.element for one in workspaces)),
        bound.constants,
        [*bound.slots, *(memory[0] for memory in memories)],
        [*bound.memories, *memories],
        bound.views,
        blocks,
    )
