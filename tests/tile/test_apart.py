"""`x[rows, 3]`: elements that lie apart in memory, loaded and stored on the twin. The bits of NumPy."""

import ml_dtypes
import numpy as np
import pytest
from test_masks import FLOATS, compare

from opwright import tile
from opwright.errors import TileNotBuilt
from opwright.settings import settings

TYPES = {"float32": np.float32, "bfloat16": ml_dtypes.bfloat16, "int16": np.int16}
PLACES = [*(("ascend910b", one) for one in TYPES), ("ascend950", "float32")]


@tile.jit
def columns(x: tile.Tensor, y: tile.Tensor, k: int, COLS: tile.constexpr = 40, ROWS: tile.constexpr = 13):
    cols = tile.whole(x.shape[0], COLS)
    row = x[cols, 1]
    for rows in tile.parallel(x.shape[0], ROWS):
        t, u = x[rows, 3], x[rows, k]
        y[rows, 0] = t
        y[rows, 2] = tile.maximum(t, u)
        y[rows, tile.span(3, 1)] = x[rows, tile.span(0, 1)]
        y[rows, 4] = (u[:, None] + row[None, :]).max(axis=1)


@pytest.mark.parametrize(("soc", "dtype"), PLACES)
@pytest.mark.filterwarnings("ignore")  # conversions of NaN
def test_columns_of_a_tensor(soc: str, dtype: str) -> None:
    generator = np.random.default_rng(0)
    numbers = FLOATS if dtype != "int16" else [-32768, -1, 0, 7, 32767]
    with settings.scope(soc=soc):
        for length in (0, 1, 12, 13, 14, 31, 40):
            arrays = [generator.choice(numbers, (length, 5)).astype(TYPES[dtype]) for _ in range(2)]
            compare(columns, arrays[:1], arrays[1], 2)
            wide = np.zeros((length, 9), TYPES[dtype])
            wide[:, 2:7] = arrays[0]
            compare(columns, [wide[:, 2:7]], arrays[1], 4)


@tile.jit
def bytes_apart(x: tile.Tensor, y: tile.Tensor):
    for rows in tile.parallel(x.shape[0], 64):
        y[rows] = x[rows, 3]


def test_bytes_that_lie_apart_are_refused() -> None:
    with pytest.raises(TileNotBuilt, match="a load or store of int8 that lie apart in memory is not built yet"):
        bytes_apart.lower("i8[64, 4]", "i8[64]")
