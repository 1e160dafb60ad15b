"""Atomic updates on the twin, against NumPy: bits; cores that update the same elements; clean in 16 orders.

Sums of floats are of whole numbers, so that their order does not show.
"""

from collections.abc import Callable

import numpy as np
import pytest
from test_compiled import compare

from opwright import tile
from opwright.errors import RaceError, TileNotBuilt
from opwright.settings import settings

pytestmark = pytest.mark.filterwarnings("ignore:.*FloatAtomic")  # sums of floats on several cores


@tile.jit
def column_sums(x: tile.Tensor, sums: tile.Tensor, COLS: tile.constexpr, ROWS: tile.constexpr):
    cols = tile.whole(x.shape[1], COLS)
    for rows in tile.parallel(x.shape[0], ROWS):
        tile.atomic_add(sums, (cols,), x[rows, cols].sum(axis=0))


@tile.jit
def histogram(x: tile.Tensor, index: tile.Tensor, out: tile.Tensor, COLS: tile.constexpr):
    """Rows of x are added to the rows of out that index names."""
    cols = tile.whole(x.shape[1], COLS)
    for row in tile.parallel(x.shape[0]):
        tile.atomic_add(out, (index[row], cols), x[row, cols])


@tile.jit
def extremes(
    x: tile.Tensor, least: tile.Tensor, most: tile.Tensor, own: tile.Tensor, z: tile.Tensor, SIZE: tile.constexpr
):
    for i in tile.parallel(x.shape[0], SIZE):
        there = tile.whole(i.count, SIZE)
        t = x[i]
        tile.atomic_min(least, there, t)
        tile.atomic_max(most, there, t)
        own[i] = t
        tile.atomic_add(own, i, t)
        tile.atomic_add(own, i, t)
        tile.atomic_max(own, i, z[i])  # behind the sums: no other iteration has these elements


@tile.jit
def in_order(x: tile.Tensor, y: tile.Tensor, SIZE: tile.constexpr):
    """An atomic update behind a store to the same elements, and before a load of them."""
    for row in tile.parallel(x.shape[0]):
        for i in tile.range(x.shape[1], SIZE):
            y[row, i] = x[row, i]
            tile.atomic_add(y, (row, i), x[row, i])
            y[row, i] = y[row, i]


@tile.jit
def keeps_most(x: tile.Tensor, y: tile.Tensor, SIZE: tile.constexpr):
    for i in tile.parallel(x.shape[0], SIZE):
        tile.atomic_max(y, i, x[i])


@tile.jit
def keeps_least(x: tile.Tensor, y: tile.Tensor, SIZE: tile.constexpr):
    for i in tile.parallel(x.shape[0], SIZE):
        tile.atomic_min(y, i, x[i])


SOCS = {"ascend910b": [np.float32, np.float16, np.int32, np.int8], "ascend950": [np.float32, np.int32]}


@pytest.fixture(params=[(soc, dtype) for soc, types in SOCS.items() for dtype in types], ids=str)
def whole_numbers(request: pytest.FixtureRequest) -> Callable[..., np.ndarray]:
    soc, dtype = request.param
    generator = np.random.default_rng(0)
    with settings.scope(soc=soc):
        yield lambda *shape: generator.integers(-9, 9, shape).astype(dtype)


def test_column_sums_over_cores() -> None:
    for shape in [(0, 5), (1, 1), (3, 0), (8, 7), (9, 63), (97, 65), (40, 128)]:
        x = np.random.default_rng(0).integers(-9, 9, shape).astype(np.float32)
        compare(column_sums, [x, np.zeros(shape[1], np.float32)], {"COLS": 128, "ROWS": 4}, 0)


def test_histogram_of_rows(whole_numbers: Callable[..., np.ndarray]) -> None:
    for rows, cols in [(0, 5), (1, 1), (3, 0), (41, 7), (13, 33)]:
        index = np.random.default_rng(1).integers(0, 3, rows).astype(np.int32)
        compare(histogram, [whole_numbers(rows, cols), index, whole_numbers(3, cols)], {"COLS": 40}, 0)


def test_extremes_and_the_order_of_one_iteration(whole_numbers: Callable[..., np.ndarray]) -> None:
    for length in (0, 1, 31, 32, 33, 97):
        x = whole_numbers(length)
        ones = np.full(32, 1, x.dtype)
        compare(extremes, [x, ones, ones, whole_numbers(length), whole_numbers(length)], {"SIZE": 32}, 0)
        compare(in_order, [x[None, :], whole_numbers(1, length)], {"SIZE": 16}, 0)


def test_nan_and_zeros_are_those_of_the_tile() -> None:
    x = np.array([np.nan, 1, 0.0, -0.0, np.nan, 2], np.float32)
    held = np.array([1, np.nan, -0.0, 0.0, np.nan, 3], np.float32)
    for kernel in (keeps_most, keeps_least):
        got, wanted = held.copy(), held.copy()
        kernel.check(x, got, SIZE=8)
        kernel.numpy(x, wanted, SIZE=8)
        assert got.tobytes() == wanted.tobytes()


def test_types_that_no_copy_combines_are_refused() -> None:
    with pytest.raises(TileNotBuilt, match=r"tile\.atomic_max of uint8"):
        keeps_most(np.zeros(4, np.uint8), np.zeros(4, np.uint8), SIZE=4)


@tile.jit
def sum_or_most(x: tile.Tensor, y: tile.Tensor, SIZE: tile.constexpr):
    for i in tile.parallel(2):
        if i == 0:
            tile.atomic_add(y, tile.span(0, SIZE), x[i, tile.span(0, SIZE)])
        else:
            tile.atomic_max(y, tile.span(0, SIZE), x[i, tile.span(0, SIZE)])


def test_a_sum_beside_a_maximum_of_the_same_elements() -> None:
    """Which iteration comes first shows in what is left, on two cores and on one."""
    for cores in (2, 1):
        with pytest.raises(RaceError, match="argument y"):
            sum_or_most.check[cores](np.ones((2, 64), np.int32), np.zeros(64, np.int32), SIZE=64)
