"""A matrix product on cube cores, by hand: while the matrix unit multiplies one piece, the next ones are on their way.

Run it: python examples/12_matmul_cube.py
See its Ascend C: opwright emit examples/12_matmul_cube.py:matmul --soc ascend910b --arg a=f16[65536] \
--arg b=f16[65536] --arg c=f32[65536] --arg m=256 --arg n=256 --arg k=256

Data goes from global memory to L1 (pipe MTE2), from there to L0A and L0B (MTE1), is multiplied into L0C (M), and leaves
through FIX. L1, L0A and L0B hold two pieces each, and L0C two tiles, so that all four pipes work at the same time. The
layouts are those of ascend910b and ascend910_93. It runs on the CPU twin. Not run on an NPU.
"""

import numpy as np

from opwright import asc

TILE = 128  # rows and columns of a tile of C, which L0C holds
DEPTH = 256  # of what L1 holds of A and B, along k
STEP = 64  # of what L0A and L0B hold, along k
FRACTAL = 256  # elements of 16 x 16
IN_L1, IN_L0, IN_TILE = TILE * DEPTH, TILE * STEP, TILE * TILE


# [kernel]
@asc.jit(kernel_type="cube")
def matmul(a: asc.GlobalAddress, b: asc.GlobalAddress, c: asc.GlobalAddress, m: int, n: int, k: int):
    """C = A x B, row by row in memory; m, n and k are multiples of 16. Cores take the tiles of C round-robin."""
    a_gm = asc.GlobalTensor()
    b_gm = asc.GlobalTensor()
    c_gm = asc.GlobalTensor()
    a_gm.set_global_buffer(a, m * k)
    b_gm.set_global_buffer(b, k * n)
    c_gm.set_global_buffer(c, m * n)

    # Two pieces of each, one after the other.
    a_l1 = asc.LocalTensor(a.dtype, asc.TPosition.A1, 0, 2 * IN_L1)
    b_l1 = asc.LocalTensor(a.dtype, asc.TPosition.B1, 2 * IN_L1 * a.dtype.sizeof(), 2 * IN_L1)
    a_l0 = asc.LocalTensor(a.dtype, asc.TPosition.A2, 0, 2 * IN_L0)
    b_l0 = asc.LocalTensor(a.dtype, asc.TPosition.B2, 0, 2 * IN_L0)
    c_l0 = asc.LocalTensor(c.dtype, asc.TPosition.CO1, 0, 2 * IN_TILE)

    # Everything is free at first.
    asc.set_flag(asc.HardEvent.MTE1_MTE2, 0)
    asc.set_flag(asc.HardEvent.MTE1_MTE2, 1)
    asc.set_flag(asc.HardEvent.M_MTE1, 0)
    asc.set_flag(asc.HardEvent.M_MTE1, 1)
    asc.set_flag(asc.HardEvent.FIX_M, 0)
    asc.set_flag(asc.HardEvent.FIX_M, 1)
    across = (n + TILE - 1) // TILE
    for tile in range(asc.get_block_idx(), (m + TILE - 1) // TILE * across, asc.get_block_num()):
        row = tile // across * TILE
        column = tile % across * TILE
        rows = min(TILE, m - row)
        columns = min(TILE, n - column)
        slot = tile // asc.get_block_num() % 2
        sums = c_l0[slot * IN_TILE :]
        asc.wait_flag(asc.HardEvent.FIX_M, slot)  # the tile before the last has left it
        for begin in range(0, k, DEPTH):
            half = begin // DEPTH % 2
            depth = min(DEPTH, k - begin)
            a_piece = a_l1[half * IN_L1 :]
            b_piece = b_l1[half * IN_L1 :]
            asc.wait_flag(asc.HardEvent.MTE1_MTE2, half)
            # Rows become columns of fractals.
            asc.data_copy(a_piece, a_gm[row * k + begin :], asc.Nd2NzParams(1, rows, depth, 0, k, rows, 1, 0))
            asc.data_copy(b_piece, b_gm[begin * n + column :], asc.Nd2NzParams(1, depth, columns, 0, n, depth, 1, 0))
            asc.set_flag(asc.HardEvent.MTE2_MTE1, half)
            asc.wait_flag(asc.HardEvent.MTE2_MTE1, half)
            for inner in range(0, depth, STEP):
                side = inner // STEP % 2
                step = min(STEP, depth - inner)
                a_part = a_l0[side * IN_L0 :]
                b_part = b_l0[side * IN_L0 :]
                asc.wait_flag(asc.HardEvent.M_MTE1, side)
                # L0A wants rows of fractals; L0B, too, and each of them transposed.
                for i in range(rows // 16):
                    load = asc.LoadData2DParams(inner // 16 * (rows // 16) + i, step // 16, rows // 16)
                    asc.load_data(a_part[i * (step // 16) * FRACTAL :], a_piece, load)
                for j in range(step // 16):
                    load = asc.LoadData2DParams(inner // 16 + j, columns // 16, depth // 16, if_transpose=True)
                    asc.load_data(b_part[j * (columns // 16) * FRACTAL :], b_piece, load)
                asc.set_flag(asc.HardEvent.MTE1_M, side)
                asc.wait_flag(asc.HardEvent.MTE1_M, side)
                first = begin + inner == 0
                asc.mmad(sums, a_part, b_part, asc.MmadParams(rows, columns, step, 0, False, first))
                if rows // 16 * (columns // 16) < 10:
                    asc.pipe_barrier(asc.PipeID.PIPE_M)  # the next product would come before these sums are there
                asc.set_flag(asc.HardEvent.M_MTE1, side)
            asc.set_flag(asc.HardEvent.MTE1_MTE2, half)
        asc.set_flag(asc.HardEvent.M_FIX, slot)
        asc.wait_flag(asc.HardEvent.M_FIX, slot)
        asc.fixpipe(c_gm[row * n + column :], sums, asc.FixpipeParamsV220(columns, rows, rows, n))
        asc.set_flag(asc.HardEvent.FIX_M, slot)

    # A flag left set would disturb the next kernel.
    asc.wait_flag(asc.HardEvent.MTE1_MTE2, 0)
    asc.wait_flag(asc.HardEvent.MTE1_MTE2, 1)
    asc.wait_flag(asc.HardEvent.M_MTE1, 0)
    asc.wait_flag(asc.HardEvent.M_MTE1, 1)
    asc.wait_flag(asc.HardEvent.FIX_M, 0)
    asc.wait_flag(asc.HardEvent.FIX_M, 1)


# [kernel end]


def run(cores: int, m: int, n: int, k: int) -> None:
    """Multiplies on the twin and compares with NumPy in float64."""
    random = np.random.default_rng(1)
    a = random.standard_normal((m, k)).astype(np.float16)
    b = random.standard_normal((k, n)).astype(np.float16)
    c = np.full((m, n), np.nan, np.float32)
    matmul[cores](a, b, c, m, n, k)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    # Every step rounds once to float32.
    bound = (k + 1) * 2.0**-24 * (np.abs(a).astype(np.float64) @ np.abs(b).astype(np.float64))
    error = np.abs(c - exact)
    right = "within the bound of float32 sums" if (error <= bound).all() else "WRONG"
    print(f"{cores:2} cores, {m} x {k} times {k} x {n}: {right}, largest error {error.max():.1e}")


def main() -> None:
    run(1, 16, 16, 16)
    run(2, 256, 256, 512)
    run(20, 400, 272, 336)
    run(20, 128, 1024, 1040)
    rng = np.random.default_rng(2)
    a, b = (rng.standard_normal((144, 144)).astype(np.float16) for _ in range(2))
    matmul.check[1](a, b, np.full((144, 144), np.nan, np.float32), 144, 144, 144)
    print("the checked twin has nothing to say")


if __name__ == "__main__":
    main()
