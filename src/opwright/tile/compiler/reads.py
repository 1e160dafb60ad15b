"""Variables that are read several times before they are set again.

In: the tile IR of a kernel on both kinds of cores. Out: the same kernel with one read in their place. A sum that vector
cores take twice then crosses once: `acc * tile.sigmoid(acc)`.
"""

from __future__ import annotations

from opwright.ir import Block, Operation, SSAValue
from opwright.ir.language import FuncOp, LoadOp, StoreOp
from opwright.ir.rewriting import blocks_of, replace_by_value
from opwright.ir.tile import CountedOp


def share_reads(kernel: FuncOp) -> None:
    """Takes out the reads of what was read before, block by block."""
    for block in [block for one in kernel.walk() for block in blocks_of(one)]:
        _share(block)


def _share(block: Block) -> None:
    known: dict[tuple[SSAValue, ...], Operation] = {}
    for operation in list(block.ops):
        for one in operation.walk():
            if isinstance(one, StoreOp):
                known.pop((one.cell,), None)
        if not isinstance(operation, (LoadOp, CountedOp)):
            continue
        first = known.setdefault(tuple(operation.operands), operation)
        if first is not operation:
            replace_by_value(operation, first.results[0])
