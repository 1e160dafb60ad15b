"""What several cores may do to one tensor.

In: the tile IR of a kernel. Out: nothing. Refuses kernels that need cores to wait for each other: a tensor that one
loop of `tile.parallel` writes and that is read outside of it, or in it while an outer loop repeats it. Refuses stores
outside of `tile.parallel`, which every core would do. A kernel that asks for its core by `tile.core` shares the work
itself.
"""

from __future__ import annotations

from opwright.errors import TileNotBuilt
from opwright.ir import Operation, SSAValue
from opwright.ir.language import ForOp, FuncOp, WhileOp
from opwright.ir.names import name_of
from opwright.ir.tile import PARALLEL, LoopOp
from opwright.ir.tile_memory import AtomicOp, GatherOp, LoadOp, ReadOp, StoreOp
from opwright.kernel.source import Source
from opwright.tile.compiler.cursor import located
from opwright.tile.compiler.placement import loops_around


def refuse_exchange(kernel: FuncOp, source: Source) -> None:
    """Refuses a kernel whose cores would have to exchange data."""
    if any(operation.name == "asc.get_block_idx" for operation in kernel.walk()):
        return
    accesses = [
        (operation, parallel_around(operation))
        for operation in kernel.walk()
        if isinstance(operation, (LoadOp, GatherOp, ReadOp, StoreOp, AtomicOp))
    ]
    if not any(loop is not None for _, loop in accesses):
        return
    written: dict[SSAValue, set[LoopOp]] = {}
    for operation, loop in accesses:
        if isinstance(operation, (StoreOp, AtomicOp)):
            if loop is None:
                hint = "every core would do it: put it into the loop, or into a kernel of its own"
                raise TileNotBuilt(located(operation, source), what="a store outside of tile.parallel", hint=hint)
            written.setdefault(operation.address, set()).add(loop)
    for operation, loop in accesses:
        loops, is_read = written.get(operation.address, set()), not isinstance(operation, (StoreOp, AtomicOp))
        if loops - {loop} or (is_read and loop in loops and loop is not None and _is_repeated(loop)):
            name = name_of(operation.address) or "a tensor"
            verb = "reading" if is_read else "writing"
            what = f"{verb} {name}, which tile.parallel writes in other iterations,"
            hint = "cores do not wait for each other within a launch: make it two kernels, launched in order"
            raise TileNotBuilt(located(operation, source), what=what, hint=hint)


def parallel_around(operation: Operation) -> LoopOp | None:
    """The loop whose iterations cores share, around an operation."""
    return next((loop for loop in loops_around(operation) if loop.kind.data == PARALLEL), None)


def _is_repeated(loop: LoopOp) -> bool:
    above = loop.parent_op()
    while above is not None and not isinstance(above, (LoopOp, ForOp, WhileOp)):
        above = above.parent_op()
    return above is not None
