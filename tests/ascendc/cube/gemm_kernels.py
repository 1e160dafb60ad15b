"""Whole matrix products on one cube core: from rows in global memory, over L1, L0A and L0B, to rows in global memory.

In: a SoC and an element type. Out: a kernel that gets everything else in the run: sides, which of A and B lie
transposed in memory, whether there is a bias, and what becomes of the sums. Pieces of 64 columns of A are multiplied
one after the other, each on the sums of those before.
"""

from __future__ import annotations

from functools import cache

from opwright import asc
from opwright.ascendc.dtypes import DTYPES
from opwright.runtime.jit import JitFunction

OLD, NEW = "ascend910b", "ascend950"
PIECE = 64
ROOM = 65536  # bytes of each matrix in L1
PLAIN, HALVES, BYTES, BYTES_BY_COLUMN, HALVES_OF_POSITIVE = range(5)  # what becomes of the sums


@asc.jit
def fetch(to, source, rows: int, columns: int, width: int):
    """Rows of `width` elements as columns of fractals, of 32 rows at least; what is not filled stays what it was."""
    high = (rows + 31) // 32 * 32
    asc.data_copy(to, source, asc.Nd2NzParams(1, rows, columns, 0, width, high, 1, 0))


@asc.jit
def fetch_squares(to, source, rows: int, columns: int, width: int):
    """Rows of float32 as squares of 16 x 16, of two fractals side by side: row by row."""
    across = (columns + 15) // 16 * 16
    for i in range((rows + 15) // 16):
        part = asc.Nd2NzParams(1, min(16, rows - i * 16), columns, 0, width, 16, 1, 0)
        asc.data_copy(to[i * 16 * across :], source[i * 16 * width :], part)


@asc.jit
def old_left(l0a, l1, m: int, k: int):
    """Rows of fractals out of columns of them."""
    block = 32 // l0a.dtype.sizeof()
    steps = (k + block - 1) // block
    for i in range((m + 15) // 16):
        part = asc.LoadData2DParams(i, steps, (m + 31) // 32 * 2)
        asc.load_data(l0a[i * steps * 16 * block :], l1, part)


@asc.jit
def old_left_turned(l0a, l1, m: int, k: int):
    """The same, where L1 holds the transposed matrix: squares are turned over."""
    size = l0a.dtype.sizeof()
    fractal = 512 // size
    high = (k + 31) // 32 * 2  # fractals of a column of L1
    if size == 1:
        steps = (k + 31) // 32
        for i in range((m + 31) // 32):
            squares = asc.LoadData2dTransposeParams(i * (high // 2), steps, 1, 0, steps - 1)
            asc.load_data_with_transpose(l0a[i * 2 * steps * fractal :], l1, squares)
    elif size == 2:
        steps = (k + 15) // 16
        for i in range((m + 15) // 16):
            part = asc.LoadData2DParams(i * high, steps, 1, if_transpose=True)
            asc.load_data(l0a[i * steps * fractal :], l1, part)
    else:
        steps = (k + 15) // 16
        across = (m + 15) // 16
        for i in range(across):
            squares = asc.LoadData2dTransposeParams(i, steps, across, 1, 0)
            asc.load_data_with_transpose(l0a[i * steps * 2 * fractal :], l1, squares)


@asc.jit
def old_right(l0b, l1, n: int, k: int):
    """Rows of transposed fractals: squares are turned over."""
    size = l0b.dtype.sizeof()
    fractal = 512 // size
    high = (k + 31) // 32 * 2
    if size == 1:
        across = (n + 31) // 32
        for j in range((k + 31) // 32):
            squares = asc.LoadData2dTransposeParams(j, across, high // 2, 1, 0)
            asc.load_data_with_transpose(l0b[j * 2 * across * fractal :], l1, squares)
    elif size == 2:
        across = (n + 15) // 16
        for j in range((k + 15) // 16):
            part = asc.LoadData2DParams(j, across, high, if_transpose=True)
            asc.load_data(l0b[j * across * fractal :], l1, part)
    else:
        across = (n + 15) // 16
        for j in range((k + 15) // 16):
            squares = asc.LoadData2dTransposeParams(j * across, across, 1, 0, across - 1)
            asc.load_data_with_transpose(l0b[j * 2 * across * fractal :], l1, squares)


@asc.jit
def old_right_turned(l0b, l1, n: int, k: int):
    """L1 holds the transposed matrix: its fractals are what L0B wants."""
    block = 32 // l0b.dtype.sizeof()
    across = (n + 15) // 16
    for j in range((k + block - 1) // block):
        part = asc.LoadData2DParams(j * ((n + 31) // 32 * 2), across, 1)
        asc.load_data(l0b[j * across * 16 * block :], l1, part)


@asc.jit
def new_left(l0a, l1, m: int, k: int):
    """Columns of fractals, as they lie in L1."""
    block = 32 // l0a.dtype.sizeof()
    across = (m + 15) // 16
    part = asc.LoadData2DParamsV2(0, 0, across, (k + block - 1) // block, (m + 31) // 32 * 2, across)
    asc.load_data(l0a, l1, part)


@asc.jit
def new_turned(l0, l1, sides: int, k: int):
    """L1 holds k rows: they become columns."""
    block = 32 // l0.dtype.sizeof()
    high = (k + 31) // 32 * 2
    steps = high if block == 32 else (k + 15) // 16
    wide = (sides + 15) // 16 * 16 // block if block < 32 else (sides + 31) // 32
    # Squares of 8 bits fill 32 rows of L0.
    across = (sides + 31) // 32 * 2 if block == 32 else (sides + 15) // 16
    asc.load_data(l0, l1, asc.LoadData2DParamsV2(0, 0, steps, wide, high, across, if_transpose=True))


@asc.jit
def new_row(l0a, l1, k: int):
    """A of one row lies without fractals."""
    fractal = 512 // l0a.dtype.sizeof()
    asc.load_data(l0a, l1, asc.LoadData2DParamsV2(0, 0, 1, (k + fractal - 1) // fractal, 1, 1))


@asc.jit
def old_row(l0a, l1, k: int):
    """A of one row lies without fractals."""
    fractal = 512 // l0a.dtype.sizeof()
    asc.load_data(l0a, l1, asc.LoadData2DParams(0, (k + fractal - 1) // fractal, 1))


@asc.jit
def multiply(c, a, b, bias, m: int, n: int, k: int, has_bias: int, begin: int, has_room: asc.ConstExpr[bool]):
    """On top of the sums before; the first piece starts from the bias or from 0."""
    if has_bias != 0 and begin == 0:
        asc.mmad(c, a, b, bias, asc.MmadParams(m, n, k, 0, False, False, k_direction_align=has_room))
    else:
        asc.mmad(c, a, b, asc.MmadParams(m, n, k, 0, False, begin == 0, k_direction_align=has_room))


@cache
def gemm(soc: str, dtype: str) -> JitFunction:
    """The kernel; floats of 8 bits are bytes until they are multiplied."""
    is_new = soc == NEW
    kind = getattr(asc, dtype) if dtype in DTYPES else asc.uint8
    factor_kind = getattr(asc, dtype)
    size = kind.sizeof()
    sum_kind = asc.int32 if dtype == "int8" else asc.float32
    to_halves = asc.QuantModes.DEQF16 if dtype == "int8" else asc.QuantModes.F322F16
    to_bytes = asc.QuantModes.REQ8 if dtype == "int8" else asc.QuantModes.QF322B8_PRE
    by_column = asc.QuantModes.VREQ8 if dtype == "int8" else asc.QuantModes.VQF322B8_PRE
    has_squares = size == 4 and not is_new
    row_left = new_row if is_new else old_row
    left, left_turned = (new_left, new_turned) if is_new else (old_left, old_left_turned)
    right, right_turned = (new_turned, new_left) if is_new else (old_right, old_right_turned)

    @asc.jit(kernel_type="cube", soc=soc, opt_level=0)
    def product(
        a: asc.GlobalAddress, b: asc.GlobalAddress, bias: asc.GlobalAddress, words: asc.GlobalAddress,
        sums: asc.GlobalAddress, halves: asc.GlobalAddress, bytes: asc.GlobalAddress,
        m: int, n: int, k: int, turn_a: int, turn_b: int, has_bias: int, result: int, scale: int,
    ):  # fmt: skip
        a_gm = asc.GlobalTensor()
        a_gm.set_global_buffer(a, m * k)
        b_gm = asc.GlobalTensor()
        b_gm.set_global_buffer(b, k * n)
        bias_gm = asc.GlobalTensor()
        bias_gm.set_global_buffer(bias)
        words_gm = asc.GlobalTensor()
        words_gm.set_global_buffer(words)
        sums_gm = asc.GlobalTensor()
        sums_gm.set_global_buffer(sums, m * n)
        halves_gm = asc.GlobalTensor()
        halves_gm.set_global_buffer(halves)
        bytes_gm = asc.GlobalTensor()
        bytes_gm.set_global_buffer(bytes)
        a_l1 = asc.LocalTensor(kind, asc.TPosition.A1, 0, ROOM // size)
        b_l1 = asc.LocalTensor(kind, asc.TPosition.B1, ROOM, ROOM // size)
        bias_l1 = asc.LocalTensor(sum_kind, asc.TPosition.C1, 2 * ROOM, 256)
        words_l1 = asc.LocalTensor(asc.uint64, asc.TPosition.C1, 3 * ROOM, 256)
        a_l0 = asc.LocalTensor(kind, asc.TPosition.A2, 0, 65536 // size)
        b_l0 = asc.LocalTensor(kind, asc.TPosition.B2, 0, 65536 // size)
        c_l0 = asc.LocalTensor(sum_kind, asc.TPosition.CO1, 0, 32768)
        bias_bt = asc.LocalTensor(sum_kind, asc.TPosition.C2, 0, 256)
        asc.data_copy(bias_l1, bias_gm, 256)
        asc.data_copy(words_l1, words_gm, 256)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy(bias_bt, bias_l1, 256)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)

        # Squares of 8 bits have 32 columns: what is too much is computed and left behind.
        wide = n
        if size == 1 and turn_b == 0:
            wide = (n + 31) // 32 * 32
        high = m
        if is_new and size == 1 and turn_a != 0 and m > 1:
            high = (m + 31) // 32 * 32
        for begin in range(0, k, PIECE):
            depth = min(PIECE, k - begin)
            if m == 1:
                asc.data_copy(a_l1, a_gm[begin:], asc.Nd2NzParams(1, 1, depth, 0, depth, 1, 1, 0))
            elif turn_a == 0:
                fetch(a_l1, a_gm[begin:], m, depth, k)
            elif has_squares:
                fetch_squares(a_l1, a_gm[begin * m :], depth, m, m)
            else:
                fetch(a_l1, a_gm[begin * m :], depth, m, m)
            if turn_b != 0:
                fetch(b_l1, b_gm[begin:], n, depth, k)
            elif has_squares:
                fetch_squares(b_l1, b_gm[begin * n :], depth, n, n)
            else:
                fetch(b_l1, b_gm[begin * n :], depth, n, n)
            asc.pipe_barrier(asc.PipeID.PIPE_ALL)
            if m == 1:
                row_left(a_l0, a_l1, depth)
            elif turn_a == 0:
                left(a_l0, a_l1, m, depth)
            else:
                left_turned(a_l0, a_l1, m, depth)
            if turn_b == 0:
                right(b_l0, b_l1, n, depth)
            else:
                right_turned(b_l0, b_l1, n, depth)
            asc.pipe_barrier(asc.PipeID.PIPE_ALL)
            a_in = a_l0.reinterpret_cast(factor_kind)
            b_in = b_l0.reinterpret_cast(factor_kind)
            if has_squares and turn_a != 0 and m > 1:
                multiply(c_l0, a_in, b_in, bias_bt, high, wide, depth, has_bias, begin, True)
            else:
                multiply(c_l0, a_in, b_in, bias_bt, high, wide, depth, has_bias, begin, False)
            asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        rows = (high + 15) // 16 * 16
        if result == PLAIN:
            asc.fixpipe(sums_gm, c_l0, asc.FixpipeParamsV220(n, m, rows, n))
        elif result == HALVES:
            asc.fixpipe(halves_gm, c_l0, asc.FixpipeParamsV220(n, m, rows, n, to_halves, scale))
        elif result == BYTES:
            asc.fixpipe(bytes_gm, c_l0, asc.FixpipeParamsV220(n, m, rows, n, to_bytes, scale))
        elif result == BYTES_BY_COLUMN:
            asc.fixpipe(bytes_gm, c_l0, words_l1, asc.FixpipeParamsV220(n, m, rows, n, by_column))
        else:
            asc.fixpipe(halves_gm, c_l0, asc.FixpipeParamsV220(n, m, rows, n, to_halves, scale, relu_en=True))

    return product
