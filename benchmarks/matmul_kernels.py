"""The kernel of `matmul_twin.py`: a whole matrix product in ascend910b's layouts, with two pieces in L1, L0A and L0B.

In: A and B row by row in global memory; m and n are multiples of 128, rows of A whole 512 bytes. Out: C, its sums.

It is not the kernel of `examples/12_matmul_cube.py`, which knows only elements of 16 bits, but takes multiples of 16
and holds two tiles in L0C. This one counts in bytes: fractals of 8, 16 and 32 bits have other sides, and are turned
over by other calls.
"""

from __future__ import annotations

from opwright import asc

TILE = 128  # rows and columns of C that stay in L0C
DEPTH = 512  # bytes of a row of A that L1 holds, and STEP those that L0A does
STEP = 256
FRACTAL = 512  # bytes


@asc.jit
def fetch_right(b_piece, b_gm, n: int, depth: int):
    """B from global memory to L1. Squares of float32 are two fractals side by side, and have to lie so."""
    if b_gm.dtype.sizeof() == 4:
        asc.data_copy(b_piece, b_gm, asc.Nd2NzParams(depth // 16, 16, TILE, 16 * n, n, 16, 1, 16 * TILE))
    else:
        asc.data_copy(b_piece, b_gm, asc.Nd2NzParams(1, depth, TILE, 0, n, depth, 1, 0))


@asc.jit
def load_right(b_part, b_piece, inner: int, step: int, depth: int):
    """B from L1 to L0B: rows of fractals, each transposed."""
    size = b_part.dtype.sizeof()
    fractal = FRACTAL // size
    across = TILE // 16
    if size == 1:
        for j in range(step // 32):
            squares = asc.LoadData2dTransposeParams(inner // 32 + j, across // 2, depth // 32, 1, 0)
            asc.load_data_with_transpose(b_part[j * across * fractal :], b_piece, squares)
    elif size == 2:
        for j in range(step // 16):
            row = asc.LoadData2DParams(inner // 16 + j, across, depth // 16, if_transpose=True)
            asc.load_data(b_part[j * across * fractal :], b_piece, row)
    else:
        for j in range(step // 16):
            squares = asc.LoadData2dTransposeParams((inner // 16 + j) * across, across, 1, 0, across - 1)
            asc.load_data_with_transpose(b_part[j * 2 * across * fractal :], b_piece, squares)


@asc.jit(kernel_type="cube")
def matmul(a: asc.GlobalAddress, b: asc.GlobalAddress, c: asc.GlobalAddress, m: int, n: int, k: int):
    """C = A x B; m, n are multiples of 128, k of 512 bytes. Cores take the tiles of C in turns."""
    size = a.dtype.sizeof()
    block = 32 // size  # elements of a row of a fractal
    fractal = FRACTAL // size
    depth = DEPTH // size
    step = STEP // size
    a_gm = asc.GlobalTensor()
    b_gm = asc.GlobalTensor()
    c_gm = asc.GlobalTensor()
    a_gm.set_global_buffer(a, m * k)
    b_gm.set_global_buffer(b, k * n)
    c_gm.set_global_buffer(c, m * n)
    a_l1 = asc.LocalTensor(a.dtype, asc.TPosition.A1, 0, 2 * TILE * depth)
    b_l1 = asc.LocalTensor(a.dtype, asc.TPosition.B1, 2 * TILE * DEPTH, 2 * TILE * depth)
    a_l0 = asc.LocalTensor(a.dtype, asc.TPosition.A2, 0, 2 * TILE * step)
    b_l0 = asc.LocalTensor(a.dtype, asc.TPosition.B2, 0, 2 * TILE * step)
    c_l0 = asc.LocalTensor(c.dtype, asc.TPosition.CO1, 0, TILE * TILE)
    asc.set_flag(asc.HardEvent.MTE1_MTE2, 0)
    asc.set_flag(asc.HardEvent.MTE1_MTE2, 1)
    asc.set_flag(asc.HardEvent.M_MTE1, 0)
    asc.set_flag(asc.HardEvent.M_MTE1, 1)
    asc.set_flag(asc.HardEvent.FIX_M, 0)
    across = n // TILE
    for tile in range(asc.get_block_idx(), m // TILE * across, asc.get_block_num()):
        row = tile // across * TILE
        column = tile % across * TILE
        asc.wait_flag(asc.HardEvent.FIX_M, 0)
        for begin in range(0, k, depth):
            half = begin // depth % 2
            a_piece = a_l1[half * TILE * depth :]
            b_piece = b_l1[half * TILE * depth :]
            asc.wait_flag(asc.HardEvent.MTE1_MTE2, half)
            asc.data_copy(a_piece, a_gm[row * k + begin :], asc.Nd2NzParams(1, TILE, depth, 0, k, TILE, 1, 0))
            fetch_right(b_piece, b_gm[begin * n + column :], n, depth)
            asc.set_flag(asc.HardEvent.MTE2_MTE1, half)
            asc.wait_flag(asc.HardEvent.MTE2_MTE1, half)
            for inner in range(0, depth, step):
                side = inner // step % 2
                a_part = a_l0[side * TILE * step :]
                b_part = b_l0[side * TILE * step :]
                asc.wait_flag(asc.HardEvent.M_MTE1, side)
                for i in range(TILE // 16):
                    load = asc.LoadData2DParams(inner // block * (TILE // 16) + i, step // block, TILE // 16)
                    asc.load_data(a_part[i * (step // block) * fractal :], a_piece, load)
                load_right(b_part, b_piece, inner, step, depth)
                asc.set_flag(asc.HardEvent.MTE1_M, side)
                asc.wait_flag(asc.HardEvent.MTE1_M, side)
                asc.mmad(c_l0, a_part, b_part, asc.MmadParams(TILE, TILE, step, 0, False, begin + inner == 0))
                asc.set_flag(asc.HardEvent.M_MTE1, side)
            asc.set_flag(asc.HardEvent.MTE1_MTE2, half)
        asc.set_flag(asc.HardEvent.M_FIX, 0)
        asc.wait_flag(asc.HardEvent.M_FIX, 0)
        asc.fixpipe(c_gm[row * n + column :], c_l0, asc.FixpipeParamsV220(TILE, TILE, TILE, n))
        asc.set_flag(asc.HardEvent.FIX_M, 0)
    asc.wait_flag(asc.HardEvent.MTE1_MTE2, 0)
    asc.wait_flag(asc.HardEvent.MTE1_MTE2, 1)
    asc.wait_flag(asc.HardEvent.M_MTE1, 0)
    asc.wait_flag(asc.HardEvent.M_MTE1, 1)
    asc.wait_flag(asc.HardEvent.FIX_M, 0)
