"""Softmax of rows of any length: the greatest of a row, the sum of what is left, and a division, tile by tile.

Run it: python examples/05_softmax.py
See its Ascend C: opwright emit examples/05_softmax.py:row_softmax --arg x=f32[3000] --arg y=f32[3000] --arg rows=3 \
--arg columns=1000

Every core takes every n-th row. A row need not fill whole blocks of 32 bytes, nor fit the unified buffer: it is
read in tiles, once for its greatest element, once for the sum of e^(x - greatest), and once for the results. It runs on
the CPU twin, also under the checked one. Not run on an NPU.
"""

import numpy as np

from opwright import asc

TILE = 2048  # elements of one copy
LOWEST = -3.4028234663852886e38  # of all float32


# [kernel]
@asc.jit
def bring(tile: asc.LocalTensor, x_gm: asc.GlobalTensor, begin: int, count: int):
    """Copies `count` elements in, and waits for them."""
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    pieces = asc.DataCopyExtParams(1, count * 4, 0, 0, 0)
    asc.data_copy_pad(tile, x_gm[begin:], pieces, asc.DataCopyPadExtParams(asc.float32))
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)


@asc.jit
def powers(tile: asc.LocalTensor, greatest: float, count: int):
    """e^(x - greatest): at most 1, so that nothing overflows."""
    asc.adds(tile, tile, -greatest, count)
    asc.pipe_barrier(asc.PipeID.PIPE_V)
    asc.exp(tile, tile, count)
    asc.pipe_barrier(asc.PipeID.PIPE_V)


@asc.jit
def row_softmax(x: asc.GlobalAddress, y: asc.GlobalAddress, rows: int, columns: int):
    """y = e^x / sum(e^x) of each row."""
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, rows * columns)
    y_gm.set_global_buffer(y, rows * columns)
    # Reductions take event ids from a TPipe; tensors come from its buffers then.
    pipe = asc.TPipe()
    tile_buffer = asc.TBuf(asc.TPosition.VECCALC)
    scratch_buffer = asc.TBuf(asc.TPosition.VECCALC)
    found_buffer = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(tile_buffer, 4 * TILE)
    pipe.init_buffer(scratch_buffer, 4 * TILE)
    pipe.init_buffer(found_buffer, 32)
    tile = tile_buffer.get(asc.float32)
    scratch = scratch_buffer.get(asc.float32)
    found = found_buffer.get(asc.float32)

    for row in range(asc.get_block_idx(), rows, asc.get_block_num()):
        end = (row + 1) * columns
        greatest = LOWEST
        for begin in range(row * columns, end, TILE):
            count = min(TILE, end - begin)
            bring(tile, x_gm, begin, count)
            asc.reduce_max(found, tile, scratch, count)
            asc.pipe_barrier(asc.PipeID.PIPE_ALL)
            greatest = max(greatest, found.get_value(0))

        total = 0.0
        for begin in range(row * columns, end, TILE):
            count = min(TILE, end - begin)
            bring(tile, x_gm, begin, count)
            powers(tile, greatest, count)
            asc.reduce_sum(found, tile, scratch, count)
            asc.pipe_barrier(asc.PipeID.PIPE_ALL)
            total = total + found.get_value(0)

        for begin in range(row * columns, end, TILE):
            count = min(TILE, end - begin)
            bring(tile, x_gm, begin, count)
            powers(tile, greatest, count)
            asc.muls(tile, tile, 1.0 / total, count)
            asc.pipe_barrier(asc.PipeID.PIPE_ALL)
            asc.data_copy_pad(y_gm[begin:], tile, asc.DataCopyExtParams(1, count * 4, 0, 0, 0))


@asc.jit
def in_one_call(x: asc.GlobalAddress, y: asc.GlobalAddress, tiling: asc.adv.SoftmaxTiling):
    """The same with the call that the toolchain composes, for rows of whole blocks that fit the unified buffer."""
    count = tiling.src_m * tiling.src_k
    offset = asc.get_block_idx() * count
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + offset, count)
    y_gm.set_global_buffer(y + offset, count)
    pipe = asc.TPipe()  # the call takes its scratch from what the buffers leave
    rows_buffer = asc.TBuf(asc.TPosition.VECCALC)
    sums_buffer = asc.TBuf(asc.TPosition.VECCALC)
    greatest_buffer = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(rows_buffer, 32 * TILE)
    pipe.init_buffer(sums_buffer, 4 * TILE)
    pipe.init_buffer(greatest_buffer, 4 * TILE)
    rows = rows_buffer.get(asc.float32)
    sums = sums_buffer.get(asc.float32)
    greatest = greatest_buffer.get(asc.float32)
    asc.data_copy(rows, x_gm, count)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.adv.softmax(rows, sums, greatest, rows, tiling)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(y_gm, rows, count)


# [kernel end]


def reference(x: np.ndarray) -> np.ndarray:
    """In double."""
    powers = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


def compare(y: np.ndarray, x: np.ndarray, what: str) -> None:
    """Says how far a result is from NumPy's."""
    wrong = np.max(np.abs(y - reference(x)) / reference(x))
    print(f"{what}: {'as NumPy has it' if wrong < 1e-5 else 'WRONG'}, off by {wrong:.0e} at most")
    if not wrong < 1e-5:
        raise SystemExit(1)


def data(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """An input, and an output that shows what was not written."""
    x = (10 * np.random.default_rng(columns).standard_normal((rows, columns))).astype(np.float32)
    return x, np.full_like(x, np.nan)


def main() -> None:
    """Rows of one element, of some, of whole tiles and of more, on the checked twin."""
    for cores, rows, columns in ((1, 3, 1), (2, 5, 77), (4, 8, 1000), (2, 3, TILE), (3, 2, 2 * TILE + 5)):
        x, y = data(rows, columns)
        row_softmax.check[cores](x.reshape(-1), y.reshape(-1), rows, columns)
        compare(y, x, f"{rows:2} rows of {columns:5} on {cores} cores")
    for cores, rows, columns in ((1, 4, 64), (4, 8, 1000)):
        x, y = data(cores * rows, columns)
        in_one_call.check[cores](x.reshape(-1), y.reshape(-1), asc.adv.softmax_tiling(rows, columns, asc.float32))
        compare(y, x, f"{rows:2} rows of {columns:5} on each of {cores} cores, in one call")


if __name__ == "__main__":
    main()
