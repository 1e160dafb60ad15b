"""Kernels with masks as users write them, on the twin: a causal softmax over long rows, lengths of rows, clamps.

`exp` has a bound of its own; all else has the bits of NumPy. Every launch is checked, and run in 16 other orders.
"""

import numpy as np
import pytest
from test_compiled import compare

from opwright import tile
from opwright.settings import settings

SOCS = ["ascend910b", "ascend950"]


@tile.jit
def causal_softmax(x: tile.Tensor, y: tile.Tensor, shift: int, COLS: tile.constexpr, ROWS: tile.constexpr):
    """Row r sees the columns up to r + shift."""
    for rows in tile.parallel(x.shape[0], ROWS):
        m, total = tile.full((ROWS, 1), -tile.inf), tile.zeros((ROWS, 1))
        for cols in tile.range(x.shape[1], COLS, stages=2):
            s = x[rows, cols].to(tile.float32)
            if cols.start + COLS > rows.start + shift:
                s = tile.where(cols.index[None, :] <= rows.index[:, None] + shift, s, -tile.inf)
            new = tile.maximum(m, s.max(axis=1, keepdims=True))
            total = total * tile.exp(m - new) + tile.exp(s - new).sum(axis=1, keepdims=True)
            m = new
        for cols in tile.range(x.shape[1], COLS, stages=2):
            s = x[rows, cols].to(tile.float32)
            s = tile.where(cols.index[None, :] <= rows.index[:, None] + shift, s, -tile.inf)
            y[rows, cols] = (tile.exp(s - m) / total).to(y.dtype)


@tile.jit
def up_to_lengths(x: tile.Tensor, lengths: tile.Tensor, y: tile.Tensor, COLS: tile.constexpr, ROWS: tile.constexpr):
    """The sum of the first elements of each row, each between 0 and 6; and twice the positions of some."""
    cols = tile.whole(x.shape[1], COLS)
    for rows in tile.parallel(x.shape[0], ROWS):
        seen = cols.index < lengths[rows][:, None]
        t = tile.minimum(tile.maximum(x[rows, cols], 0.0), 6.0)
        y[0, rows, cols] = tile.where(seen, t, 0.0) + tile.where(seen, t, 0.0).sum(axis=1, keepdims=True)
        y[1, rows, cols] = tile.full((ROWS, COLS), 2.0) * tile.where(
            seen & (t > 1.0), tile.arange(COLS, tile.float32), 0.0
        )


@pytest.mark.parametrize("soc", SOCS)
def test_causal_softmax(soc: str) -> None:
    generator = np.random.default_rng(0)
    with settings.scope(soc=soc):
        for shape, shift in (
            ((50, 300), 3),
            ((16, 128), 0),
            ((17, 129), 112),
            ((1, 1), 0),
            ((0, 4), 0),
            ((33, 64), 200),
        ):
            x = generator.standard_normal(shape).astype(np.float16)
            compare(causal_softmax, [x, np.zeros_like(x), shift], {"COLS": 128, "ROWS": 16}, 4)


@pytest.mark.parametrize("soc", SOCS)
def test_lengths_of_rows(soc: str) -> None:
    generator = np.random.default_rng(1)
    with settings.scope(soc=soc):
        for rows, cols in ((9, 40), (8, 33), (1, 1), (0, 3), (17, 7)):
            x = (4 * generator.standard_normal((rows, cols))).astype(np.float32)
            lengths = generator.integers(0, cols + 2, rows).astype(np.int32)
            compare(up_to_lengths, [x, lengths, np.zeros((2, rows, cols), np.float32)], {"COLS": 40, "ROWS": 8}, 0)
