"""Rows that a tile of integers chooses, on the twin, against NumPy: bits, sizes, views, 16 orders; wrong positions."""

import ml_dtypes
import numpy as np
import pytest
from test_compiled import compare

from opwright import tile
from opwright.errors import OpwrightError, TileNotBuilt
from opwright.settings import settings


@tile.jit
def embedding(
    table: tile.Tensor, tokens: tile.Tensor, y: tile.Tensor, COLS: tile.constexpr = 64, ROWS: tile.constexpr = 8
):
    cols = tile.whole(table.shape[1], COLS)
    for i in tile.parallel(tokens.shape[0], ROWS):
        y[i, cols] = table[tokens[i], cols]


@tile.jit
def scaled_pairs(
    table: tile.Tensor, pairs: tile.Tensor, y: tile.Tensor, z: tile.Tensor, COLS: tile.constexpr, ROWS: tile.constexpr
):
    """Positions that are computed, of one of several matrices; narrower and wider types beside what is gathered."""
    cols = tile.whole(table.shape[2], COLS)
    for which in tile.parallel(table.shape[0]):
        for i in tile.range(pairs.shape[0], ROWS):
            index = pairs[i]
            even, odd = table[which, index + index, cols], table[which, index * 2 + 1, cols]
            y[which, i, cols] = even.to(tile.float32) * 0.5 + odd.to(tile.float32)
            z[which, i, cols] = odd.to(tile.float32).to(tile.int8)


@tile.jit
def single_elements(x: tile.Tensor, index: tile.Tensor, y: tile.Tensor):
    for i in tile.parallel(index.shape[0], 8):
        y[i] = x[index[i]]


@pytest.mark.parametrize("soc", ["ascend910b", "ascend950"])
@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16, np.int8], ids=lambda one: one.__name__)
def test_embedding(soc: str, dtype: type) -> None:
    generator = np.random.default_rng(0)
    with settings.scope(soc=soc):
        for tokens, width in [(0, 5), (1, 1), (3, 0), (8, 63), (7, 64), (9, 64), (41, 13)]:
            table = generator.integers(-99, 99, (11, width)).astype(dtype)
            index = generator.integers(0, 11, tokens).astype(np.int32)
            compare(embedding, [table, index, np.zeros((tokens, width), dtype)], {}, 0)


@pytest.mark.parametrize("soc", ["ascend910b", "ascend910_93", "ascend950"])
def test_computed_positions(soc: str) -> None:
    generator = np.random.default_rng(0)
    with settings.scope(soc=soc):
        for count, width in [(0, 5), (1, 1), (3, 0), (8, 40), (9, 39), (17, 7)]:
            table = generator.integers(-99, 99, (3, 10, width)).astype(np.float16)
            index = generator.integers(0, 5, count).astype(np.int32)
            results = np.zeros((3, count, width), np.float32), np.zeros((3, count, width), np.int8)
            compare(scaled_pairs, [table, index, *results], {"COLS": 40, "ROWS": 8}, 0)


@pytest.mark.parametrize("wrong", [-1, 6, 2**31 - 1])
def test_positions_outside_stop_the_core(wrong: int) -> None:
    """Also where the memory behind them is there: the table is a part of a larger one."""
    table = np.zeros((20, 8), np.float32)[4:10]
    index = np.array([0, 5, wrong], np.int32)
    for run in (embedding, embedding.check, embedding.numpy):
        with pytest.raises(OpwrightError, match=r"outside (an axis of table|axis 0 of table)"):
            run(table, index, np.zeros((3, 8), np.float32))


def test_single_elements_are_refused() -> None:
    with pytest.raises(TileNotBuilt, match="a gather of single elements"):
        single_elements(np.zeros(9, np.float32), np.zeros(3, np.int32), np.zeros(3, np.float32))
