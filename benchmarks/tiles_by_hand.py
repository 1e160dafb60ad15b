"""What the tile compiler is measured against: the same algorithms in `opwright.asc`, with flags and buffers by hand."""

from opwright import asc

BLOCK = 4096  # elements of an add
LANES = 64


@asc.jit(auto_sync=False)
def add(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    """z = x + y of float32: two slots for every tile."""
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    y_gm.set_global_buffer(y, n)
    z_gm.set_global_buffer(z, n)
    x_slots = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 2 * BLOCK)
    y_slots = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 8 * BLOCK, 2 * BLOCK)
    z_slots = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 16 * BLOCK, 2 * BLOCK)
    for slot in asc.static_range(2):
        asc.set_flag(asc.HardEvent.V_MTE2, slot)
        asc.set_flag(asc.HardEvent.MTE3_V, slot)
    slot = 0
    for begin in range(asc.get_block_idx() * BLOCK, n, asc.get_block_num() * BLOCK):
        count = min(BLOCK, n - begin)
        size = asc.DataCopyExtParams(1, count * 4)
        asc.wait_flag(asc.HardEvent.V_MTE2, slot)
        asc.data_copy_pad(x_slots[slot * BLOCK :], x_gm[begin:], size, asc.DataCopyPadExtParams(asc.float32))
        asc.data_copy_pad(y_slots[slot * BLOCK :], y_gm[begin:], size, asc.DataCopyPadExtParams(asc.float32))
        asc.set_flag(asc.HardEvent.MTE2_V, slot)
        asc.wait_flag(asc.HardEvent.MTE2_V, slot)
        asc.wait_flag(asc.HardEvent.MTE3_V, slot)
        asc.add(z_slots[slot * BLOCK :], x_slots[slot * BLOCK :], y_slots[slot * BLOCK :], count)
        asc.set_flag(asc.HardEvent.V_MTE2, slot)
        asc.set_flag(asc.HardEvent.V_MTE3, slot)
        asc.wait_flag(asc.HardEvent.V_MTE3, slot)
        asc.data_copy_pad(z_gm[begin:], z_slots[slot * BLOCK :], size)
        asc.set_flag(asc.HardEvent.MTE3_V, slot)
        slot = 1 - slot
    for slot in asc.static_range(2):
        asc.wait_flag(asc.HardEvent.V_MTE2, slot)
        asc.wait_flag(asc.HardEvent.MTE3_V, slot)


@asc.jit
def joined(
    to: asc.LocalTensor, t: asc.LocalTensor, rows: int, columns: asc.ConstExpr[int], greatest: asc.ConstExpr[bool]
):
    """The columns of each row onto its first 64."""
    asc.copy(to, t, LANES, rows, asc.CopyRepeatParams(1, 1, 8, columns // 8))
    for column in range(LANES, columns, LANES):
        params = asc.BinaryRepeatParams(src1_rep_stride=columns // 8)
        asc.pipe_barrier(asc.PipeID.PIPE_V)
        if greatest:
            asc.max(to, to, t[column:], min(LANES, columns - column), rows, params)
        else:
            asc.add(to, to, t[column:], min(LANES, columns - column), rows, params)
    asc.pipe_barrier(asc.PipeID.PIPE_V)


@asc.jit(auto_sync=False)
def softmax(
    x: asc.GlobalAddress, y: asc.GlobalAddress, rows: int, columns: asc.ConstExpr[int], ROWS: asc.ConstExpr[int]
):
    """Softmax of rows of whole blocks, more than 64 columns, ROWS of them in one tile."""
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, rows * columns)
    y_gm.set_global_buffer(y, rows * columns)
    size = ROWS * columns
    x_slots = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 2 * size)
    y_slots = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 8 * size, 2 * size)
    lanes = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 16 * size, ROWS * LANES)
    found = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 16 * size + 4 * ROWS * LANES, ROWS + 8)
    blocks = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 16 * size, (ROWS + 8) * 8)
    by_row = asc.BinaryRepeatParams(
        src1_blk_stride=0, dst_rep_stride=columns // 8, src0_rep_stride=columns // 8, src1_rep_stride=1
    )
    for slot in asc.static_range(2):
        asc.set_flag(asc.HardEvent.V_MTE2, slot)
        asc.set_flag(asc.HardEvent.MTE3_V, slot)
    asc.duplicate(found, 0.0, ROWS + 8)
    slot = 0
    for begin in range(asc.get_block_idx() * ROWS, rows, asc.get_block_num() * ROWS):
        count = min(ROWS, rows - begin)
        whole = asc.DataCopyExtParams(1, count * columns * 4)
        t = x_slots[slot * size :]
        e = y_slots[slot * size :]
        asc.wait_flag(asc.HardEvent.V_MTE2, slot)
        asc.data_copy_pad(t, x_gm[begin * columns :], whole, asc.DataCopyPadExtParams(asc.float32))
        asc.set_flag(asc.HardEvent.MTE2_V, slot)
        asc.wait_flag(asc.HardEvent.MTE2_V, slot)
        asc.pipe_barrier(asc.PipeID.PIPE_V)
        joined(lanes, t, count, columns, True)
        asc.whole_reduce_max(found, lanes, LANES, count, 1, 1, 8, asc.ReduceOrder.ORDER_ONLY_VALUE)
        asc.pipe_barrier(asc.PipeID.PIPE_V)
        asc.brcb(blocks, found, (count + 7) // 8, asc.BrcbRepeatParams())
        asc.pipe_barrier(asc.PipeID.PIPE_V)
        asc.wait_flag(asc.HardEvent.MTE3_V, slot)
        for column in range(0, columns, LANES):
            asc.sub(e[column:], t[column:], blocks, min(LANES, columns - column), count, by_row)
        asc.set_flag(asc.HardEvent.V_MTE2, slot)
        asc.pipe_barrier(asc.PipeID.PIPE_V)
        asc.exp(e, e, count * columns)
        asc.pipe_barrier(asc.PipeID.PIPE_V)
        joined(lanes, e, count, columns, False)
        asc.whole_reduce_sum(found, lanes, LANES, count, 1, 1, 8)
        asc.pipe_barrier(asc.PipeID.PIPE_V)
        asc.brcb(blocks, found, (count + 7) // 8, asc.BrcbRepeatParams())
        asc.pipe_barrier(asc.PipeID.PIPE_V)
        for column in range(0, columns, LANES):
            asc.div(e[column:], e[column:], blocks, min(LANES, columns - column), count, by_row)
        asc.set_flag(asc.HardEvent.V_MTE3, slot)
        asc.wait_flag(asc.HardEvent.V_MTE3, slot)
        asc.data_copy_pad(y_gm[begin * columns :], e, whole)
        asc.set_flag(asc.HardEvent.MTE3_V, slot)
        slot = 1 - slot
    for slot in asc.static_range(2):
        asc.wait_flag(asc.HardEvent.V_MTE2, slot)
        asc.wait_flag(asc.HardEvent.MTE3_V, slot)
