"""Extremes over rows, whole tiles by `fill`, integers: the twin gives the bits of NumPy.

Every launch is checked, and run in 16 other orders.
"""

import ml_dtypes
import numpy as np
import pytest
from test_masks import FLOATS, compare

from opwright import tile
from opwright.settings import settings

TYPES = {"float32": np.float32, "float16": np.float16, "bfloat16": ml_dtypes.bfloat16}
PLACES = [*(("ascend910b", one) for one in TYPES), ("ascend950", "float32"), ("ascend950", "bfloat16")]
SHAPES = [(9, 72), (8, 72), (7, 71), (1, 1), (3, 9), (0, 4), (15, 40)]
pytestmark = pytest.mark.filterwarnings("ignore")  # conversions of NaN


@tile.jit
def of_rows(x: tile.Tensor, w: tile.Tensor, y: tile.Tensor, COLS: tile.constexpr = 72, ROWS: tile.constexpr = 8):
    cols = tile.whole(x.shape[1], COLS)
    for rows in tile.parallel(x.shape[0], ROWS):
        part = rows.start // ROWS
        a = x[rows, cols]
        y[0, part, cols] = a.max(axis=0) + 0.0
        y[1, part, cols] = a.min(axis=0) + 0.0
        whole = a.fill(2.0)
        y[2, part, cols] = whole.sum(axis=0)[None, :].max(axis=0) + whole.min().to(y.dtype)
        y[3, part, cols] = w[cols].fill(-1.0).max() + tile.where((a > 0.0).fill(1), 1.0, 0.0).to(y.dtype).sum(axis=0)
        y[4, part, cols] = (tile.where(w[cols] > 0.5, 1.0, 3.0).fill(4.0) * tile.arange(COLS, tile.float32)).to(y.dtype)


@pytest.mark.parametrize(("soc", "dtype"), PLACES)
def test_rows(soc: str, dtype: str) -> None:
    generator = np.random.default_rng(0)
    with settings.scope(soc=soc):
        for shape in SHAPES:
            sizes = (shape, shape[1:], (5, -(-shape[0] // 8), shape[1]))
            arrays = [generator.choice(FLOATS, size).astype(TYPES[dtype]) for size in sizes]
            compare(of_rows, arrays[:-1], arrays[-1])


@tile.jit
def integers(
    x: tile.Tensor,
    z: tile.Tensor,
    w: tile.Tensor,
    c: tile.Tensor,
    y: tile.Tensor,
    n: int,
    LOW: tile.constexpr,
    COLS: tile.constexpr = 40,
    ROWS: tile.constexpr = 4,
):
    cols = tile.whole(x.shape[1], COLS)
    row = w[cols][None, :]
    for rows in tile.parallel(x.shape[0], ROWS):
        a, b = x[rows, cols], z[rows, cols]
        column = c[rows][:, None]
        y[0, rows, cols] = a + b - row * column
        y[1, rows, cols] = -a + tile.abs(b) * 3
        y[2, rows, cols] = tile.maximum(a, row) - tile.minimum(3, b)
        y[3, rows, cols] = (a - LOW) * (n - b)
        y[4, rows, cols] = tile.where(a < column, b, -7) + a.max(axis=0)[None, :]
        y[5, rows, cols] = a.to(tile.int8).to(y.dtype) + b.to(tile.uint8).to(y.dtype)
        y[6, rows, cols] = a.to(tile.float16).to(y.dtype) - b.to(tile.float32).to(y.dtype)
        y[7, rows, cols] = a.to(tile.int16).to(y.dtype) + tile.arange(ROWS, y.dtype)[:, None]


@tile.jit
def largest_columns(x: tile.Tensor, y: tile.Tensor, COLS: tile.constexpr = 40):
    cols = tile.whole(x.shape[1], COLS)
    for rows in tile.parallel(x.shape[0], 4):
        y[0, rows] = x[rows, cols].max(axis=1)
        y[1, rows] = x[rows, cols].min(axis=1)


@pytest.mark.parametrize("soc", ["ascend910b", "ascend950"])
@pytest.mark.parametrize("dtype", [np.int32, np.int16])
def test_integers(soc: str, dtype: type) -> None:
    generator = np.random.default_rng(1)
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    some = [low, low + 1, -129, -128, -1, 0, 1, 4, 127, 128, 255, 256, 3000, high - 1, high]
    with settings.scope(soc=soc):
        for shape in ((9, 40), (4, 39), (1, 1), (0, 3), (7, 17)):
            sizes = (shape, shape, shape[1:], shape[:1], (8, *shape))
            arrays = [generator.choice(some, size).astype(dtype) for size in sizes]
            compare(integers, arrays[:-1], arrays[-1], 4, LOW=int(low))
            if dtype == np.int16:
                compare(largest_columns, arrays[:1], np.zeros((2, shape[0]), dtype))
