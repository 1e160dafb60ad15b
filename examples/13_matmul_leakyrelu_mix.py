"""A matrix product whose activation runs on vector cores: cube and vector cores of one kernel, side by side.

Run it: python examples/13_matmul_leakyrelu_mix.py
See its Ascend C: opwright emit examples/13_matmul_leakyrelu_mix.py:matmul_leakyrelu --soc ascend910b \
--arg a=f16[65536] --arg b=f16[65536] --arg c=f32[65536] --arg workspace=f32[32768] --arg m=256 --arg n=256 \
--arg k=256 --arg slope=0.1

The text is compiled once for each kind of core; `asc.ascend_is_aic()` chooses. On ascend910b the two kinds share no
memory but the global one: each cube core leaves its tiles in a workspace, which has room for two of them, and flags
between the cores say when a tile is there, and when its room is free again. It runs on the CPU twin. Not run on an NPU.
"""

import numpy as np

from opwright import asc

TILE = 64  # rows and columns of a tile of C
STEP = 64  # of what is multiplied at once, along k
FRACTAL = 256  # elements of 16 x 16
IN_TILE, IN_PIECE = TILE * TILE, TILE * STEP
GROUP = 2  # the mode of a flag between a cube core and its vector cores
READY, FREE = 0, 2  # the first of two flags each: one for each half of the workspace


# [cube]
@asc.jit
def multiply(a_gm, b_gm, c_l0, row: int, column: int, n: int, k: int):
    """A tile of A x B into L0C. One piece after the other; 12_matmul_cube.py shows how they overlap."""
    a_l1 = asc.LocalTensor(a_gm.dtype, asc.TPosition.A1, 0, IN_PIECE)
    b_l1 = asc.LocalTensor(a_gm.dtype, asc.TPosition.B1, IN_PIECE * 2, IN_PIECE)
    a_l0 = asc.LocalTensor(a_gm.dtype, asc.TPosition.A2, 0, IN_PIECE)
    b_l0 = asc.LocalTensor(a_gm.dtype, asc.TPosition.B2, 0, IN_PIECE)
    for begin in range(0, k, STEP):
        asc.data_copy(a_l1, a_gm[row * k + begin :], asc.Nd2NzParams(1, TILE, STEP, 0, k, TILE, 1, 0))
        asc.data_copy(b_l1, b_gm[begin * n + column :], asc.Nd2NzParams(1, STEP, TILE, 0, n, STEP, 1, 0))
        asc.set_flag(asc.HardEvent.MTE2_MTE1, 0)
        asc.wait_flag(asc.HardEvent.MTE2_MTE1, 0)
        for i in range(TILE // 16):
            a_row = asc.LoadData2DParams(i, STEP // 16, TILE // 16)
            asc.load_data(a_l0[i * (STEP // 16) * FRACTAL :], a_l1, a_row)
        for j in range(STEP // 16):
            b_row = asc.LoadData2DParams(j, TILE // 16, STEP // 16, if_transpose=True)
            asc.load_data(b_l0[j * (TILE // 16) * FRACTAL :], b_l1, b_row)
        asc.set_flag(asc.HardEvent.MTE1_M, 0)
        asc.wait_flag(asc.HardEvent.MTE1_M, 0)
        asc.mmad(c_l0, a_l0, b_l0, asc.MmadParams(TILE, TILE, STEP, 0, False, begin == 0))
        # The next piece comes when this one has been used.
        asc.set_flag(asc.HardEvent.M_MTE2, 0)
        asc.wait_flag(asc.HardEvent.M_MTE2, 0)


# [vector]
@asc.jit
def activate(c_gm, tile_gm, n: int, slope: float):
    """Half of a tile, from the workspace to its place in C."""
    rows = TILE // 2
    c_local = asc.LocalTensor(tile_gm.dtype, asc.TPosition.VECIN, 0, rows * TILE)
    asc.data_copy(c_local, tile_gm, rows * TILE)
    asc.set_flag(asc.HardEvent.MTE2_V, 0)
    asc.wait_flag(asc.HardEvent.MTE2_V, 0)
    asc.leaky_relu(c_local, c_local, slope, rows * TILE)
    asc.set_flag(asc.HardEvent.V_MTE3, 0)
    asc.wait_flag(asc.HardEvent.V_MTE3, 0)
    asc.data_copy(c_gm, c_local, asc.DataCopyParams(rows, TILE // 8, 0, (n - TILE) // 8))


# [kernel]
@asc.jit(kernel_type="mix_1_2")
def matmul_leakyrelu(
    a: asc.GlobalAddress,
    b: asc.GlobalAddress,
    c: asc.GlobalAddress,
    workspace: asc.GlobalAddress,
    m: int,
    n: int,
    k: int,
    slope: float,
):
    """C = leaky_relu(A x B, slope); m, n and k are multiples of 64. The workspace has two tiles for each cube core."""
    a_gm = asc.GlobalTensor()
    b_gm = asc.GlobalTensor()
    c_gm = asc.GlobalTensor()
    a_gm.set_global_buffer(a, m * k)
    b_gm.set_global_buffer(b, k * n)
    c_gm.set_global_buffer(c, m * n)
    group = asc.get_block_idx() // asc.get_task_ratio()  # a cube core and its two vector cores
    rooms = asc.GlobalTensor()
    rooms.set_global_buffer(workspace + group * 2 * IN_TILE, 2 * IN_TILE)

    if asc.ascend_is_aiv():
        # Both halves of the workspace are free at first.
        asc.cross_core_set_flag(FREE, GROUP, asc.PipeID.PIPE_MTE3)
        asc.cross_core_set_flag(FREE + 1, GROUP, asc.PipeID.PIPE_MTE3)
    across = n // TILE
    tiles = m // TILE * across
    for tile in range(group, tiles, asc.get_block_num()):
        half = tile // asc.get_block_num() % 2
        row = tile // across * TILE
        column = tile % across * TILE
        if asc.ascend_is_aic():
            c_l0 = asc.LocalTensor(asc.float32, asc.TPosition.CO1, 0, IN_TILE)
            multiply(a_gm, b_gm, c_l0, row, column, n, k)
            asc.set_flag(asc.HardEvent.M_FIX, 0)
            asc.wait_flag(asc.HardEvent.M_FIX, 0)
            asc.cross_core_wait_flag(FREE + half, GROUP, asc.PipeID.PIPE_FIX)  # both vector cores have set it
            asc.fixpipe(rooms[half * IN_TILE :], c_l0, asc.FixpipeParamsV220(TILE, TILE, TILE, TILE))
            asc.cross_core_set_flag(READY + half, GROUP, asc.PipeID.PIPE_FIX)
            asc.set_flag(asc.HardEvent.FIX_M, 0)
            asc.wait_flag(asc.HardEvent.FIX_M, 0)
        else:
            part = asc.get_sub_block_idx() * (TILE // 2)
            asc.cross_core_wait_flag(READY + half, GROUP, asc.PipeID.PIPE_MTE2)
            activate(c_gm[(row + part) * n + column :], rooms[half * IN_TILE + part * TILE :], n, slope)
            asc.cross_core_set_flag(FREE + half, GROUP, asc.PipeID.PIPE_MTE3)
            asc.set_flag(asc.HardEvent.MTE3_MTE2, 0)
            asc.wait_flag(asc.HardEvent.MTE3_MTE2, 0)
    if asc.ascend_is_aic():
        # A flag left set would disturb the next kernel.
        asc.cross_core_wait_flag(FREE, GROUP, asc.PipeID.PIPE_FIX)
        asc.cross_core_wait_flag(FREE + 1, GROUP, asc.PipeID.PIPE_FIX)


# [kernel end]


def run(cores: int, m: int, n: int, k: int) -> None:
    """Multiplies on the twin and compares with NumPy in float64."""
    random = np.random.default_rng(1)
    slope = 0.125
    a = random.standard_normal((m, k)).astype(np.float16)
    b = random.standard_normal((k, n)).astype(np.float16)
    c = np.full((m, n), np.nan, np.float32)
    workspace = np.full(cores * 2 * IN_TILE, np.nan, np.float32)
    matmul_leakyrelu[cores](a, b, c, workspace, m, n, k, slope)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    bound = (k + 1) * 2.0**-24 * (np.abs(a).astype(np.float64) @ np.abs(b).astype(np.float64))
    error = np.abs(c - np.where(exact >= 0, exact, slope * exact))
    right = "within the bound of float32 sums" if (error <= bound).all() else "WRONG"
    print(f"{cores:2} cube and {2 * cores:2} vector cores, {m} x {k} times {k} x {n}: {right}")


def main() -> None:
    run(1, 64, 64, 64)
    run(1, 256, 128, 192)
    run(3, 256, 320, 128)
    run(20, 512, 512, 256)
    a, b = (np.ones((256, 256), np.float16) for _ in range(2))
    matmul_leakyrelu.check[2](a, b, np.zeros_like(a, np.float32), np.zeros(4 * IN_TILE, np.float32), 256, 256, 256, 0.1)
    print("the checked twin has nothing to say")


if __name__ == "__main__":
    main()
