"""Spans, indices, shapes, counts and loops: the rules of the language, one by one."""

import numpy as np
import pytest
from made import floats, tile_of

from opwright import tile

pytestmark = pytest.mark.quick


# Spans --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "size", "stop", "count"),
    [(0, 8, 8, 8), (0, 8, 3, 3), (5, 8, 3, 0), (5, 8, 6, 1), (2, 4, None, 4), (2, 4, 100, 4)],
)
def test_span(start: int, size: int, stop: int | None, count: int) -> None:
    span = tile.span(start, size, stop)
    assert (span.start, span.size, span.count) == (start, size, count)
    assert span.index.shape == (size,) and span.index.dtype == tile.int32
    assert span.index.values.tolist() == list(range(start, start + count))
    moved = span.shifted(10)
    assert (moved.start, moved.count) == (start + 10, count)


def test_whole_and_blocks() -> None:
    assert (tile.whole(5, 8).count, tile.whole(8, 8).count, tile.whole(0, 8).count) == (5, 8, 0)
    assert [tile.blocks(n, tile.float32) for n in (0, 1, 8, 9)] == [8, 8, 8, 16]
    assert [tile.blocks(n, tile.float16) for n in (0, 1, 16, 17)] == [16, 16, 16, 32]
    assert tile.blocks(33, tile.int8) == 64


# Indices ------------------------------------------------------------------------------------------------------


def test_loads() -> None:
    array = floats(5, 6, 7)
    x = tile.Tensor("x", array)
    rows, cols = tile.span(1, 4, stop=5), tile.span(3, 8, stop=7)
    assert (x[rows, 2, cols].values == array[1:5, 2, 3:7]).all()
    assert x[rows, 2, cols].shape == (4, 8) and x[rows, 2, cols].counts == (4, 4)
    assert (x[0, :, cols].values == array[0, :, 3:7]).all() and x[0, :, cols].shape == (6, 8)
    assert (x[0, 1, 2:5].values == array[0, 1, 2:5]).all()
    assert x[4, 5, 6] == array[4, 5, 6] and isinstance(x[4, 5, 6], float)
    ints = tile.Tensor("n", np.array([3, 2**40]))
    assert ints[1] == 2**40 and isinstance(ints[1], np.int64)
    assert x[0, 0, tile.span(9, 4, stop=7)].counts == (0,)  # nothing of it is there, and nothing is read


def test_a_load_is_a_copy() -> None:
    array = floats(8)
    loaded = tile.Tensor("x", array)[tile.span(0, 8)]
    before = array.copy()
    array[:] = 0
    assert (loaded.values == before).all()


def test_gather() -> None:
    array = floats(9, 4)
    x = tile.Tensor("x", array)
    index = tile_of(np.array([8, 0, 3], np.int32), (5,))
    got = x[index, tile.span(0, 4)]
    assert got.shape == (5, 4) and got.counts == (3, 4) and (got.values == array[[8, 0, 3]]).all()


def test_stores_write_what_is_there_in_both() -> None:
    array = np.zeros((4, 5), np.float32)
    y = tile.Tensor("y", array)
    value = tile_of(np.ones((3, 8), np.float32), (4, 8))
    y[tile.span(1, 4, stop=4), tile.span(2, 8, stop=5)] = value
    wanted = np.zeros((4, 5))
    wanted[1:4, 2:5] = 1
    assert (array == wanted).all()
    y[0, 0] = tile.full((), 9.0)
    assert array[0, 0] == 9


def test_none_adds_an_axis() -> None:
    t = tile_of(floats(3), (4,))
    assert t[:, None].shape == (4, 1) and t[:, None].counts == (3, 1)
    assert t[None, :].shape == (1, 4) and t[None].counts == (1, 3)
    assert t.sum()[None].shape == (1,)


# Shapes and counts --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "shape", "counts"),
    [
        (((4, 8), (3, 5)), ((4, 8), (2, 7)), (4, 8), (2, 5)),
        (((4, 8), (3, 5)), ((8,), (6,)), (4, 8), (3, 5)),
        (((4, 1), (3, 1)), ((1, 8), (1, 5)), (4, 8), (3, 5)),
        (((4, 8), (3, 5)), ((1, 1), (1, 1)), (4, 8), (3, 5)),
        (((4, 8), (3, 5)), ((1, 8), (0, 5)), (4, 8), (0, 5)),
        (((), ()), ((8,), (5,)), (8,), (5,)),
    ],
)
def test_broadcasting(first: tuple, second: tuple, shape: tuple, counts: tuple) -> None:
    a, b = (floats(*there, seed=seed) for seed, (_, there) in enumerate((first, second)))
    got = tile_of(a, first[0]) * tile_of(b, second[0])
    assert (got.shape, got.counts) == (shape, counts)
    wide = [
        np.broadcast_to(np.pad(one, [(0, s - n) for s, n in zip(size, one.shape, strict=True)]) if size else one, shape)
        for one, (size, _) in ((a, first), (b, second))
    ]
    assert (got.values == (wide[0] * wide[1])[tuple(map(slice, counts))]).all()


def test_fill_makes_the_rest() -> None:
    t = tile_of(np.ones((2, 3), np.float32), (4, 4)).fill(7)
    assert t.counts == (4, 4) and t.values.sum() == 6 + 7 * 10
    assert t.sum().values == 76


def test_a_tile_does_not_change() -> None:
    t = tile.zeros((4,))
    before = t
    t += 1
    assert (before.values == 0).all() and (t.values == 1).all()
    with pytest.raises(ValueError, match="read-only"):
        t.values[0] = 3


def test_transposed() -> None:
    t = tile_of(floats(2, 3), (4, 8)).T
    assert t.shape == (8, 4) and t.counts == (3, 2)


# Loops --------------------------------------------------------------------------------------------------------


def test_range() -> None:
    def spans(*numbers: int) -> list[tuple[int, int]]:
        return [(span.start, span.count) for span in tile.range(*numbers)]

    assert spans(10, 4) == [(0, 4), (4, 4), (8, 2)] and spans(0, 4) == [] and spans(4, 4) == [(0, 4)]
    assert spans(3, 10, 4) == [(3, 4), (7, 3)] and spans(10, 3, 4) == []


def test_parallel() -> None:
    numbers, pairs = [], []
    for i in tile.parallel(5):
        numbers.append(i)
    for i, j in tile.parallel(2, 3):
        pairs.append((i, j))
    assert sorted(numbers) == list(range(5))
    assert sorted(pairs) == [(i, j) for i in range(2) for j in range(3)]
    spans = []
    for rows in tile.parallel(10, 4):
        spans.append((rows.start, rows.count))
    assert sorted(spans) == [(0, 4), (4, 4), (8, 2)]
    blocks = []
    for i, j in tile.parallel((5, 4), (3, 2)):
        blocks.append((i.start, i.count, j.start, j.count))
    assert sorted(blocks) == [(0, 4, 0, 2), (0, 4, 2, 1), (4, 1, 0, 2), (4, 1, 2, 1)]


@tile.jit
def numbers_its_iterations(count: tile.Tensor, order: tile.Tensor):
    for i in tile.parallel(order.shape[0]):
        tile.atomic_add(count, 0, tile.full((), 1.0))
        order[i] = count[tile.span(0, 1)].sum()


def test_the_seed_chooses_the_order() -> None:
    orders = []
    for seed in (0, 0, 1, 2):
        order = np.zeros(20, np.float32)
        numbers_its_iterations.numpy(np.zeros(1, np.float32), order, seed=seed)
        assert sorted(order) == list(range(1, 21))
        orders.append(tuple(order))
    assert orders[0] == orders[1] and len(set(orders)) == 3
    assert orders[0] != tuple(range(1, 21))
