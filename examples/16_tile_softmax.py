"""Softmax of rows, over tiles: short rows, many in one tile, and rows of any length, in parts.

Run it: python examples/16_tile_softmax.py

The compiler chooses how many rows one tile holds (`tile.auto`), places the buffers, lets copies run ahead of the work,
and sets no flag that could be left out. The checked twin then runs the kernel in sixteen orders. Compare it with
05_softmax.py, which does the same by hand. Not run on an NPU.
"""

import numpy as np

from opwright import tile


# [kernel]
@tile.jit
def softmax(x: tile.Tensor, y: tile.Tensor, COLS: tile.constexpr, ROWS: tile.constexpr = tile.auto):
    cols = tile.whole(x.shape[1], COLS)
    for rows in tile.parallel(x.shape[0], ROWS):
        t = x[rows, cols].to(tile.float32)
        e = tile.exp(t - t.max(axis=1, keepdims=True))
        y[rows, cols] = (e / e.sum(axis=1, keepdims=True)).to(y.dtype)


@softmax.sizes
def _(x, y):
    return {"COLS": tile.blocks(x.shape[1], x.dtype)}


@tile.jit
def softmax_long(x: tile.Tensor, y: tile.Tensor, COLS: tile.constexpr = 4096):
    for row in tile.parallel(x.shape[0]):
        m, total = tile.full((1,), -tile.inf), tile.zeros((1,))
        for cols in tile.range(x.shape[1], COLS, stages=2):
            t = x[row, cols].to(tile.float32)
            new = tile.maximum(m, t.max())
            total = total * tile.exp(m - new) + tile.exp(t - new).sum()
            m = new
        for cols in tile.range(x.shape[1], COLS, stages=2):
            y[row, cols] = (tile.exp(x[row, cols].to(tile.float32) - m) / total).to(y.dtype)


# [kernel end]


def reference(x: np.ndarray) -> np.ndarray:
    """In double."""
    powers = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


def main() -> None:
    """Rows of one element, of some, and longer than the unified buffer."""
    random = np.random.default_rng(0)
    cases = (
        (softmax, 3, 1),
        (softmax, 100, 77),
        (softmax, 33, 1000),
        (softmax_long, 2, 4097),
        (softmax_long, 3, 60_000),
    )
    for kernel, rows, columns in cases:
        x = (10 * random.standard_normal((rows, columns))).astype(np.float32)
        y = np.full_like(x, np.nan)
        kernel.check(perturb=16)(x, y)
        wrong = np.max(np.abs(y - reference(x)) / reference(x))
        said = "as NumPy has it" if wrong < 1e-5 else "WRONG"
        print(f"{kernel.__name__}, {rows} rows of {columns:,}: {said}, off by {wrong:.0e} at most")


if __name__ == "__main__":
    main()
