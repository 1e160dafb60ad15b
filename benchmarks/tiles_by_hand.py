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


@asc.jit
def mean_of_rows(
    found: asc.LocalTensor,
    lanes: asc.LocalTensor,
    t: asc.LocalTensor,
    number: asc.LocalTensor,
    rows: int,
    columns: asc.ConstExpr[int],
):
    """The mean of each row; `number` holds how many columns there are."""
    joined(lanes, t, rows, columns, False)
    asc.whole_reduce_sum(found, lanes, LANES, rows, 1, 1, 8)
    asc.pipe_barrier(asc.PipeID.PIPE_V)
    asc.div(found, found, number, rows, 1, asc.BinaryRepeatParams(src1_blk_stride=0, src1_rep_stride=0))
    asc.pipe_barrier(asc.PipeID.PIPE_V)


@asc.jit(auto_sync=False)
def add_layer_norm(
    x: asc.GlobalAddress,
    residual: asc.GlobalAddress,
    weight: asc.GlobalAddress,
    bias: asc.GlobalAddress,
    y: asc.GlobalAddress,
    summed: asc.GlobalAddress,
    eps: float,
    rows: int,
    columns: asc.ConstExpr[int],
    ROWS: asc.ConstExpr[int],
):
    """Layer norm of a sum, float32, rows of whole blocks, more than 64 columns, ROWS of them in one tile."""
    x_gm = asc.GlobalTensor()
    residual_gm = asc.GlobalTensor()
    weight_gm = asc.GlobalTensor()
    bias_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    summed_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, rows * columns)
    residual_gm.set_global_buffer(residual, rows * columns)
    weight_gm.set_global_buffer(weight, columns)
    bias_gm.set_global_buffer(bias, columns)
    y_gm.set_global_buffer(y, rows * columns)
    summed_gm.set_global_buffer(summed, rows * columns)
    size = ROWS * columns
    x_slots = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 2 * size)
    residual_slots = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 8 * size, 2 * size)
    y_slots = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 16 * size, 2 * size)
    squares = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 24 * size, size)
    behind = 28 * size
    w = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, behind, columns)
    b = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, behind + 4 * columns, columns)
    lanes = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, behind + 8 * columns, ROWS * LANES)
    blocks = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, behind + 8 * columns, (ROWS + 8) * 8)
    behind += 8 * columns + 4 * (ROWS + 8) * LANES
    number = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, behind, 8)
    found = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, behind + 32, ROWS + 8)
    by_row = asc.BinaryRepeatParams(
        src1_blk_stride=0, dst_rep_stride=columns // 8, src0_rep_stride=columns // 8, src1_rep_stride=1
    )
    whole_row = asc.DataCopyExtParams(1, columns * 4)
    asc.data_copy_pad(w, weight_gm, whole_row, asc.DataCopyPadExtParams(asc.float32))
    asc.data_copy_pad(b, bias_gm, whole_row, asc.DataCopyPadExtParams(asc.float32))
    for slot in asc.static_range(2):
        asc.set_flag(asc.HardEvent.V_MTE2, slot)
        asc.set_flag(asc.HardEvent.MTE3_V, slot)
    asc.duplicate(found, 0.0, ROWS + 8)
    asc.duplicate(number, columns, 8)
    slot = 0
    for begin in range(asc.get_block_idx() * ROWS, rows, asc.get_block_num() * ROWS):
        count = min(ROWS, rows - begin)
        whole = asc.DataCopyExtParams(1, count * columns * 4)
        s = y_slots[slot * size :]
        asc.wait_flag(asc.HardEvent.V_MTE2, slot)
        pad = asc.DataCopyPadExtParams(asc.float32)
        asc.data_copy_pad(x_slots[slot * size :], x_gm[begin * columns :], whole, pad)
        asc.data_copy_pad(residual_slots[slot * size :], residual_gm[begin * columns :], whole, pad)
        asc.set_flag(asc.HardEvent.MTE2_V, slot)
        asc.wait_flag(asc.HardEvent.MTE2_V, slot)
        asc.wait_flag(asc.HardEvent.MTE3_V, slot)
        asc.add(s, x_slots[slot * size :], residual_slots[slot * size :], count * columns)
        asc.set_flag(asc.HardEvent.V_MTE2, slot)
        asc.set_flag(asc.HardEvent.V_MTE3, slot)
        asc.wait_flag(asc.HardEvent.V_MTE3, slot)
        asc.data_copy_pad(summed_gm[begin * columns :], s, whole)
        asc.set_flag(asc.HardEvent.MTE3_V, slot)
        asc.pipe_barrier(asc.PipeID.PIPE_V)
        mean_of_rows(found, lanes, s, number, count, columns)
        asc.brcb(blocks, found, (count + 7) // 8, asc.BrcbRepeatParams())
        asc.wait_flag(asc.HardEvent.MTE3_V, slot)
        asc.pipe_barrier(asc.PipeID.PIPE_V)
        for column in range(0, columns, LANES):
            asc.sub(s[column:], s[column:], blocks, min(LANES, columns - column), count, by_row)
        asc.pipe_barrier(asc.PipeID.PIPE_V)
        asc.mul(squares, s, s, count * columns)
        asc.pipe_barrier(asc.PipeID.PIPE_V)
        mean_of_rows(found, lanes, squares, number, count, columns)
        asc.adds(found, found, eps, count)
        asc.pipe_barrier(asc.PipeID.PIPE_V)
        asc.rsqrt(found, found, count)
        asc.pipe_barrier(asc.PipeID.PIPE_V)
        asc.brcb(blocks, found, (count + 7) // 8, asc.BrcbRepeatParams())
        asc.pipe_barrier(asc.PipeID.PIPE_V)
        for column in range(0, columns, LANES):
            asc.mul(s[column:], s[column:], blocks, min(LANES, columns - column), count, by_row)
        asc.pipe_barrier(asc.PipeID.PIPE_V)
        for row in range(count):
            asc.mul(s[row * columns :], s[row * columns :], w, columns)
        asc.pipe_barrier(asc.PipeID.PIPE_V)
        for row in range(count):
            asc.add(s[row * columns :], s[row * columns :], b, columns)
        asc.set_flag(asc.HardEvent.V_MTE3, slot)
        asc.wait_flag(asc.HardEvent.V_MTE3, slot)
        asc.data_copy_pad(y_gm[begin * columns :], s, whole)
        asc.set_flag(asc.HardEvent.MTE3_V, slot)
        slot = 1 - slot
    for slot in asc.static_range(2):
        asc.wait_flag(asc.HardEvent.V_MTE2, slot)
        asc.wait_flag(asc.HardEvent.MTE3_V, slot)
