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
