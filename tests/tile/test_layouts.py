"""Tiles that are used in another layout than they were made in: bits, and no element is read that nothing wrote."""

import warnings

import numpy as np
import pytest
from test_compiled import compare

from opwright import tile
from opwright.settings import settings


@tile.jit
def column_as_row(x: tile.Tensor, v: tile.Tensor, y: tile.Tensor, z: tile.Tensor):
    """What was a column of one grid is the row of another, which is padded."""
    cols = tile.whole(x.shape[1], 16)
    for rows in tile.parallel(x.shape[0], 16):
        m = x[rows, cols].max(axis=1)
        for ks in tile.range(v.shape[0], 8):
            y[ks, rows] = v[ks, rows] - m
            z[ks, rows] = v[ks, rows].to(tile.float16).to(tile.float32) * (m + 1.0)[:, None].T


@tile.jit
def count_that_changes(x: tile.Tensor, y: tile.Tensor, R: tile.constexpr = 4):
    """A column whose count a loop sets is used in another loop, which does not set it."""
    for _ in tile.parallel(1):
        best = tile.full((R, 1), 0.0)
        for rows in tile.range(x.shape[0], R):
            best = x[rows, tile.whole(x.shape[1], 16)].max(axis=1, keepdims=True)
        for cols in tile.range(x.shape[1], 8):
            y[tile.span(0, R, stop=x.shape[0]), cols] = best + tile.zeros((R, 8))


@pytest.mark.parametrize("soc", ["ascend910b", "ascend950"])
def test_layouts(soc: str) -> None:
    generator = np.random.default_rng(0)
    with settings.scope(soc=soc), warnings.catch_warnings():
        warnings.simplefilter("error")
        for rows, cols, others in [(1, 1, 1), (11, 13, 5), (17, 16, 8), (3, 7, 9)]:
            x, v = (generator.integers(-9, 9, shape).astype(np.float32) for shape in ((rows, cols), (others, rows)))
            compare(column_as_row, [x, v, np.zeros_like(v), np.zeros_like(v)], {}, 0)
            compare(count_that_changes, [x, np.zeros_like(x)], {}, 0)


def test_a_number_is_computed_before_it_is_used() -> None:
    text = count_that_changes.lower("f32[11, 13]", "f32[11, 13]", soc="ascend910b")
    assert text.index("value_1 = value") < text.index("asc.brcb(")
