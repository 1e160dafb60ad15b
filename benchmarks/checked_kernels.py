"""A softmax over the rows of a matrix, with masks and a tail, for `checked.py`."""

from opwright import asc
from opwright.asc import HardEvent, TPosition

LANES = 64  # of a repeat of float32
WIDTH = 1024  # a row in the unified buffer, filled up so that it can be halved down to one block


@asc.jit
def row_softmax(x: asc.GlobalAddress, z: asc.GlobalAddress, rows: int, columns: asc.ConstExpr[int] = 1000):
    """z = softmax(x) row by row; each core takes `rows` of them. The tail of a row is masked."""
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm.set_global_buffer(z)
    row = asc.LocalTensor(x.dtype, TPosition.VECIN, 0, WIDTH)
    half = asc.LocalTensor(x.dtype, TPosition.VECCALC, 4 * WIDTH, WIDTH)
    out = asc.LocalTensor(x.dtype, TPosition.VECOUT, 8 * WIDTH, WIDTH)
    params = asc.UnaryRepeatParams()
    whole = columns // LANES
    asc.duplicate(out, 0.0, WIDTH)
    asc.set_flag(HardEvent.V_MTE2, 0)
    asc.set_flag(HardEvent.MTE3_V, 0)
    for number in range(rows):
        begin = (asc.get_block_idx() * rows + number) * columns
        asc.wait_flag(HardEvent.V_MTE2, 0)
        asc.data_copy(row, x_gm[begin:], columns)
        asc.set_flag(HardEvent.MTE2_V, 0)
        asc.wait_flag(HardEvent.MTE2_V, 0)
        # The greatest of a row: halves against halves, down to a block.
        asc.duplicate(half[columns - columns % 8 :], -3e38, WIDTH - columns + columns % 8)
        asc.adds(half, row, 0.0, LANES, whole, params)
        asc.adds(half[whole * LANES :], row[whole * LANES :], 0.0, columns % LANES, 1, params)
        for width in asc.static_range(7):
            asc.max(half, half, half[512 >> width :], 512 >> width)
        most = half.get_value(0)
        for lane in range(1, 8):
            most = max(most, half.get_value(lane))
        asc.wait_flag(HardEvent.MTE3_V, 0)
        asc.adds(out, row, -most, LANES, whole, params)
        asc.adds(out[whole * LANES :], row[whole * LANES :], -most, columns % LANES, 1, params)
        asc.exp(out, out, LANES, whole, params)
        asc.exp(out[whole * LANES :], out[whole * LANES :], columns % LANES, 1, params)
        asc.adds(half, out, 0.0, WIDTH)
        for width in asc.static_range(7):
            asc.add(half, half, half[512 >> width :], 512 >> width)
        total = half.get_value(0)
        for lane in range(1, 8):
            total = total + half.get_value(lane)
        asc.muls(out, out, 1.0 / total, LANES, whole, params)
        asc.muls(out[whole * LANES :], out[whole * LANES :], 1.0 / total, columns % LANES, 1, params)
        asc.set_flag(HardEvent.V_MTE2, 0)
        asc.set_flag(HardEvent.V_MTE3, 0)
        asc.wait_flag(HardEvent.V_MTE3, 0)
        asc.data_copy(z_gm[begin:], out, columns)
        asc.set_flag(HardEvent.MTE3_V, 0)
    asc.wait_flag(HardEvent.V_MTE2, 0)
    asc.wait_flag(HardEvent.MTE3_V, 0)
