"""Functions of `opwright.asc` that `tile.call` calls: their calls take the place of the operation.

In: a `tile.helper`, and the tiles that it takes and makes. Out: its calls on their buffers. Refuses tiles whose rows do
not follow one another.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

from opwright.ir.rewriting import erase
from opwright.ir.tile import HelperOp
from opwright.tile.compiler.buffers import Buffers, LocalTile
from opwright.tile.compiler.site import refuse


def put_in_place(buffers: Buffers, operation: HelperOp, to: LocalTile, inputs: Sequence[LocalTile]) -> None:
    """Moves the calls out of the operation."""
    for tile in (*inputs, to):
        layout = tile.layout
        if layout.is_grid and not layout.cols == layout.sizes[1] == layout.static_pitch:
            what = "tile.call with rows that do not fill blocks of 32 bytes, or of which a part may not be there,"
            refuse(buffers.site, what)
    made = [to.buffer]
    if operation.scratch.data:
        made.append(buffers.new("uint8", operation.scratch.data, "scratch"))
    tensors = [one.tensor for one in (*(tile.buffer for tile in inputs), *made)]
    block, own = operation.parent, operation.body.block
    assert block is not None
    for argument, tensor in zip(own.args, tensors, strict=True):
        argument.replace_all_uses_with(tensor)
    for one in list(own.walk()):
        if one.name == "asc.pipe_barrier":  # the compiler finds where they are needed
            erase(one)
    with ExitStack() as begun:
        for buffer in made:
            begun.enter_context(buffers.beginning(buffer))
        for one in list(own.ops):
            own.detach_op(one)
            block.insert_op_before(one, operation)
