"""Rows of a tensor that a tile of integers chooses.

In: a `tile.gather`. Out: a loop over the positions, which the scalar unit reads from UB, with a copy for each row. A
position outside the axis stops the core. Refuses positions along the last axis: a copy brings whole blocks, so it
cannot put single elements side by side.
"""

from __future__ import annotations

from opwright.ascendc.dtypes import DTYPES
from opwright.ir import Block, SSAValue
from opwright.ir.calls import trap
from opwright.ir.language import CastOp, CompareOp, IfOp, LogicalOp
from opwright.ir.names import name_of, set_name
from opwright.ir.tile_memory import GatherOp
from opwright.ir.types import INT
from opwright.tile.compiler.buffers import LocalTile
from opwright.tile.compiler.copies import Copies
from opwright.tile.compiler.site import number_of, refuse


def gather(copies: Copies, operation: GatherOp, to: LocalTile, index: LocalTile) -> None:
    """Adds the loop."""
    buffers, site, layout, dtype = copies.buffers, copies.site, to.layout, to.buffer.dtype
    strides = [number_of(one) for one in operation.strides]
    if len(strides) < 2 or operation.axis.data != 0 or strides[1] != 1 or layout.is_column:
        refuse(site, "a gather of single elements: positions along the last axis")
    right, _ = copies.padding(to)
    length = site.times(layout.cols, DTYPES[dtype].bytes, "row_bytes")
    with buffers.beginning(to.buffer), buffers.as_one():
        loop, row = site.row_by_row(layout.rows)
        found = site.value("LocalTensor.get_value", index.buffer.tensor, row)
        position = site.add(CastOp(found, INT)).results[0]
        set_name(position, f"{name_of(operation.address) or 'tensor'}_position")
        _stop_outside(copies, position, operation)
        offset = site.plus(number_of(operation.offset), site.times(position, strides[0]))
        source = copies.part(operation.address, offset)
        target = buffers.part(to.buffer, site.times(row, layout.pitch))
        params = site.value("DataCopyExtParams", 1, length, 0, 0, 0)
        site.call("data_copy_pad", target, source, params, copies.pad(dtype, right))
        site.leave(loop)


def _stop_outside(copies: Copies, position: SSAValue, operation: GatherOp) -> None:
    """Stops the core unless a position lies within its axis."""
    site = copies.site
    from_start = site.add(CompareOp("ge", position, site.constant(0))).results[0]
    before_end = site.add(CompareOp("lt", position, operation.length)).results[0]
    holds = site.add(LogicalOp("and", from_start, before_end)).results[0]
    branch = IfOp(holds, Block(), Block())
    site.add(branch)
    site.move_into(branch.orelse.block)
    site.add(trap(f"assertion failed: positions outside an axis of {name_of(operation.address)}"))
    site.leave(branch)
