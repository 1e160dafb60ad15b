"""Layer norm of a sum, over tiles: weights that are loaded once, two results, float16 in and out, float32 between.

Run it: python examples/17_tile_layer_norm.py

Not run on an NPU.
"""

import numpy as np

from opwright import tile


# [kernel]
@tile.jit
def add_layer_norm(
    x: tile.Tensor,
    residual: tile.Tensor,
    weight: tile.Tensor,
    bias: tile.Tensor,
    y: tile.Tensor,
    summed: tile.Tensor,
    eps: float,
    COLS: tile.constexpr,
    ROWS: tile.constexpr = tile.auto,
):
    cols = tile.whole(x.shape[1], COLS)
    w, b = weight[cols].to(tile.float32), bias[cols].to(tile.float32)
    for rows in tile.parallel(x.shape[0], ROWS):
        s = x[rows, cols].to(tile.float32) + residual[rows, cols].to(tile.float32)
        summed[rows, cols] = s.to(x.dtype)
        d = s - s.mean(axis=1, keepdims=True)
        rstd = tile.rsqrt((d * d).mean(axis=1, keepdims=True) + eps)
        y[rows, cols] = (d * rstd * w + b).to(x.dtype)


# [kernel end]


@add_layer_norm.sizes
def _(x):
    return {"COLS": tile.blocks(x.shape[1], x.dtype)}


def reference(x: np.ndarray, residual: np.ndarray, weight: np.ndarray, bias: np.ndarray, eps: float) -> np.ndarray:
    """In double."""
    total = x.astype(np.float64) + residual
    away = total - total.mean(1, keepdims=True)
    return away / np.sqrt((away**2).mean(1, keepdims=True) + eps) * weight + bias


def main() -> None:
    """Two types and three widths, on the checked twin."""
    random = np.random.default_rng(0)
    for dtype, rows, columns in ((np.float32, 10, 64), (np.float32, 5, 1000), (np.float16, 37, 768)):
        x, residual = random.standard_normal((2, rows, columns)).astype(dtype)
        weight, bias = random.standard_normal((2, columns)).astype(dtype)
        y, summed = np.full((2, rows, columns), np.nan, dtype)
        add_layer_norm.check(x, residual, weight, bias, y, summed, 1e-5)
        wrong = np.max(np.abs(y - reference(x, residual, weight, bias, 1e-5)))
        limit = 1e-5 if dtype is np.float32 else 2e-2
        is_sum = np.array_equal(summed, x + residual)
        said = "as NumPy has it" if wrong < limit and is_sum else "WRONG"
        print(f"{np.dtype(dtype).name}, {rows} rows of {columns:,}: {said}, off by {wrong:.0e} at most")


if __name__ == "__main__":
    main()
