"""Kernels that a compiler of tiles gets wrong easily: each gives what NumPy gives, or is refused."""

from collections.abc import Callable

import numpy as np
import pytest
from bits import assert_same_bits

from opwright import asc, errors, tile
from opwright.tile.kernel import TileKernel


@tile.jit
def subtracts_twice(x: tile.Tensor, y: tile.Tensor, z: tile.Tensor, COLS: tile.constexpr = 64):
    """A block of one number, and columns of which more is read than there is."""
    cols = tile.whole(x.shape[1], COLS)
    for rows in tile.parallel(x.shape[0], 8):
        t = x[rows, cols]
        r = 1.0 / t
        y[rows, cols] = r - t.max(axis=1, keepdims=True)
    for rows in tile.parallel(x.shape[0], 8):
        t = x[rows, cols]
        z[rows, cols] = t - t.max(axis=1, keepdims=True)


@tile.jit
def mean_in_each_arm(x: tile.Tensor, y: tile.Tensor, z: tile.Tensor, p: int, COLS: tile.constexpr = 64):
    """Each arm needs the number of columns."""
    cols = tile.whole(x.shape[1], COLS)
    for rows in tile.parallel(x.shape[0], 8):
        t = x[rows, cols]
        if p > 0:
            y[rows, cols] = t - t.mean(axis=1, keepdims=True)
        else:
            z[rows, cols] = t - t.mean(axis=1, keepdims=True)


@tile.jit
def reads_before_it_adds(x: tile.Tensor, y: tile.Tensor, COLS: tile.constexpr = 16):
    """The maximum of one element is that element, as it was."""
    for row in tile.parallel(x.shape[0], 1):
        m = tile.zeros((1, 1))
        for cols in tile.range(x.shape[1], COLS):
            old = m.max(axis=1, keepdims=True)
            m = m + x[row, cols].sum(axis=1, keepdims=True)
            y[row, cols] = x[row, cols] - old


@tile.jit
def signs_of_zero(x: tile.Tensor, y: tile.Tensor, z: tile.Tensor):
    for i in tile.parallel(x.shape[0], 64):
        y[i] = x[i] / 0.0
        z[i] = x[i] / -0.0


@tile.jit
def overlap_add(x: tile.Tensor, y: tile.Tensor):
    """Iterations of two loops touch the same elements."""
    for _ in tile.parallel(1):
        for a in tile.range(x.shape[0], 64):
            for b in tile.range(128, 64):
                s = b.shifted(a.start)
                y[s] = y[s] + x[a]


@tile.jit
def sum_beside_narrow_columns(x: tile.Tensor, h: tile.Tensor, y: tile.Tensor, z: tile.Tensor):
    """The sum over rows is padded for a comparison in lanes of 16 bits; the rows that it is made of are not."""
    for rows in tile.parallel(x.shape[0], 9):
        for cols in tile.range(x.shape[1], 64, stages=2):
            z[rows, cols] = h[rows, cols]
            inner = tile.where(cols.index[None, :] <= rows.index[:, None] + 1, rows.index[:, None], cols.index[None, :])
            y[rows, cols] = tile.where(x[rows, cols].sum(axis=0, keepdims=True) <= cols.index[None, :], inner, 100)


@tile.jit
def with_numbers(x: tile.Tensor, y: tile.Tensor, n: int, f: float, SIZE: tile.constexpr = 64):
    """Integers of a launch beside floats: on a core they are float32."""
    for i in tile.parallel(x.shape[0], SIZE):
        t = x[i] * (n * 0.1) + 0.1 * x.shape[0] - i.start / 3
        for j in range(3):
            t = t + j * 0.7 * max(n, 2)
        if f > 0.1:
            t = t + 100.0
        y[i] = t * (SIZE * 0.1 * 0.3) + float(n) * 0.3


@tile.jit
def most_of_positions(x: tile.Tensor, y: tile.Tensor, n: int):
    """The index of a loop as a number that comes first."""
    for i in tile.parallel(x.shape[0], 64):
        t = x[i]
        for j in range(n):
            t = tile.maximum(j, t) - tile.minimum(i.start, t)
        y[i] = t


@tile.jit
def counted_before(x: tile.Tensor, y: tile.Tensor, z: tile.Tensor, counts: tile.Tensor, n: int):
    """What an iteration stores has as many elements as the one before had; an arm that is not taken has fewer."""
    for _ in tile.parallel(1):
        t = tile.zeros((64,))
        for i in range(counts.shape[0]):
            k = tile.span(0, 64, stop=counts[i])
            y[i, k] = t
            t = x[i, k] + 1.0
        head = tile.span(0, 32, stop=x.shape[1])
        z[head] = x[0, head]
        if n > 0:
            few = tile.whole(x.shape[1], 16)
            z[few] = x[1, few]


@tile.jit
def products_of_nothing(a: tile.Tensor, b: tile.Tensor, c: tile.Tensor, d: tile.Tensor, counts: tile.Tensor):
    """Along k there may be nothing: one product, two that are added up, and a sum of all."""
    cols = tile.whole(b.shape[1], 32)
    for i in tile.parallel(a.shape[0], 32):
        total = tile.zeros((32, 32))
        for n in range(counts.shape[0]):
            first, second = tile.span(0, 32, stop=counts[n, 0]), tile.span(0, 32, stop=counts[n, 1])
            one = tile.dot(a[i, first], b[first, cols])
            c[n, i, cols] = tile.dot(a[i, second], b[second, cols], one)
            total = tile.dot(a[i, first], b[first, cols], total)
        d[i, cols] = total


@tile.jit
def adds_to_nothing(a: tile.Tensor, b: tile.Tensor, c: tile.Tensor, n: int):
    cols, k = tile.whole(b.shape[1], 32), tile.span(0, 32, stop=n)
    for i in tile.parallel(a.shape[0], 32):
        c[i, cols] = tile.dot(a[i, k], b[k, cols]) + 1.0


def halves(*shape: int) -> np.ndarray:
    return rows(*shape).astype(np.float16)


@tile.jit
def starts_whole(x: tile.Tensor, y: tile.Tensor, z: tile.Tensor, n: int, COLS: tile.constexpr = 64):
    """A sum starts as a whole tile; a span ends with its size; an arm that is not taken takes fewer columns."""
    cols = tile.whole(x.shape[1], COLS)
    for _ in tile.parallel(1):
        acc = tile.zeros((8, COLS))
        for r in tile.range(x.shape[0], 8):
            acc = acc + x[r, cols]
        y[tile.span(0, 1), cols] = acc.sum(axis=0, keepdims=True)
        head = tile.span(0, 8, stop=x.shape[1])
        z[head] = x[0, head]
        if n > 0:
            few = tile.whole(x.shape[1], 16)
            z[few] = x[1, few]


@tile.jit
def is_read_later(x: tile.Tensor, w: tile.Tensor, y: tile.Tensor, n: int):
    """What the last iteration of the inner loop makes is stored by its first one, which has more rows."""
    cols = tile.whole(x.shape[1], 16)
    for _ in tile.parallel(1):
        acc = tile.zeros((8, 16))
        for a in tile.range(2, 1):
            for r in tile.range(n, 8):
                y[r.shifted(a.start * n), cols] = acc
                acc = tile.dot(x[tile.span(r.start + a.start, 8), cols], w[cols, cols]) * 2.0


@tile.jit
def stores_more_than_is_left(x: tile.Tensor, y: tile.Tensor, z: tile.Tensor, n: int, m: int):
    """An iteration stores more of what the one before has made than is stored at the end."""
    a, b = tile.span(0, 64, stop=n), tile.span(0, 64, stop=m)
    for _ in tile.parallel(1):
        t = tile.zeros((64,))
        for i in range(3):
            y[i, a] = t
            t = t + x[i, tile.span(0, 64)]
        z[b] = t


def rows(*shape: int) -> np.ndarray:
    return np.random.default_rng(shape).uniform(1, 2, shape).astype(np.float32)


def nothing(*shape: int) -> np.ndarray:
    return np.full(shape, np.nan, np.float32)


RUN: dict[str, tuple[TileKernel, Callable[[], tuple[object, ...]]]] = {
    "fill": (subtracts_twice, lambda: (rows(13, 61), nothing(13, 61), nothing(13, 61))),
    "mean, first arm": (mean_in_each_arm, lambda: (rows(13, 61), nothing(13, 61), nothing(13, 61), 1)),
    "mean, second arm": (mean_in_each_arm, lambda: (rows(13, 61), nothing(13, 61), nothing(13, 61), 0)),
    "another name of a variable": (reads_before_it_adds, lambda: (rows(3, 61), nothing(3, 61))),
    "zeros": (signs_of_zero, lambda: (rows(70), nothing(70), nothing(70))),
    "padding of a sum": (
        sum_beside_narrow_columns,
        lambda: (
            np.ones((1, 65), np.int32),
            np.arange(65, dtype=np.int16)[None, :],
            np.zeros((1, 65), np.int32),
            np.zeros((1, 65), np.int16),
        ),
    ),
    "numbers": (with_numbers, lambda: (rows(150), nothing(150), 7, float(np.float32(0.1)))),
    "positions": (most_of_positions, lambda: (np.arange(150, dtype=np.int32), np.zeros(150, np.int32), 3)),
    "counts of the iteration before": (
        counted_before,
        lambda: (rows(5, 61), nothing(5, 61), nothing(61), np.array([10, 30, 0, 61, 5], np.int32), 0),
    ),
    "products": (
        products_of_nothing,
        lambda: (
            halves(70, 32),
            halves(32, 20),
            nothing(5, 70, 20),
            nothing(70, 20),
            np.array([(0, 0), (0, 5), (7, 0), (0, 0), (3, 30)], np.int32),
        ),
    ),
    "products and vectors": (adds_to_nothing, lambda: (halves(70, 32), halves(32, 20), nothing(70, 20), 0)),
    "two loops along one axis": (overlap_add, lambda: (rows(192), rows(256))),
    "a sum starts whole": (starts_whole, lambda: (rows(19, 61), nothing(1, 61), nothing(8), 0)),
    "more than is left": (
        stores_more_than_is_left,
        lambda: (rows(3, 64), nothing(3, 64), nothing(64), 60, 10),
    ),
    "an iteration later": (is_read_later, lambda: (rows(17, 16), rows(16, 16), nothing(22, 16), 11)),
}


@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.parametrize("name", RUN)
def test_as_numpy(name: str) -> None:
    kernel, arguments = RUN[name]
    for launch in (kernel, kernel.check(perturb=8)):
        given, expected = arguments(), arguments()
        kernel.numpy(*expected)
        launch(*given)
        for got, wanted in zip(given, expected, strict=True):
            assert_same_bits(got, wanted)


@tile.jit
def leaves_early(x: tile.Tensor, y: tile.Tensor):
    for i in tile.parallel(x.shape[0], 64):
        t = x[i]
        for j in range(8):
            s = t * 2.0
            if j == 3:
                break
            t = s
        y[i] = t


@tile.jit
def returns_early(x: tile.Tensor, y: tile.Tensor, n: int):
    if n == 0:
        return
    for i in tile.parallel(x.shape[0], 64):
        y[i] = x[i]


@tile.jit
def exchanges(x: tile.Tensor, y: tile.Tensor, z: tile.Tensor):
    for i in tile.parallel(x.shape[0], 64):
        y[i] = x[i] * 2.0
    for i in tile.parallel(x.shape[0], 64):
        z[i] = y[i] + 1.0


@tile.jit
def repeats(x: tile.Tensor, y: tile.Tensor):
    for _ in tile.range(x.shape[0], 64):
        for i in tile.parallel(x.shape[0], 64):
            y[i] = y[i] + x[i]


@tile.jit
def on_every_core(x: tile.Tensor, y: tile.Tensor, z: tile.Tensor):
    for i in tile.parallel(x.shape[0], 64):
        z[i] = x[i]
    for i in tile.range(x.shape[0], 64):
        y[i] = y[i] + x[i]


@tile.jit
def sums(x: tile.Tensor):
    total = tile.zeros((64,))
    for i in tile.parallel(x.shape[0], 64):
        total = total + x[i]
    return total


@tile.jit
def carries_in_a_function(x: tile.Tensor, y: tile.Tensor):
    for i in tile.parallel(y.shape[0], 64):
        y[i] = sums(x)


@tile.jit
def carries_around(x: tile.Tensor, y: tile.Tensor):
    last = tile.zeros((64,))
    for _ in range(2):
        y[tile.span(0, 64)] = last
        for i in tile.parallel(x.shape[0], 64):
            last = x[i]


@tile.jit
def many_rows(x: tile.Tensor, y: tile.Tensor, ROWS: tile.constexpr):
    cols = tile.whole(x.shape[1], 8)
    for rows in tile.range(x.shape[0], ROWS, stages=1):
        t = x[rows, cols]
        y[rows] = (t - t.max(axis=1, keepdims=True)).sum(axis=1)


@tile.jit
def stores_before_it_adds(a: tile.Tensor, c: tile.Tensor, n: int):
    both = tile.span(0, 32)
    for i in tile.parallel(a.shape[0], 32):
        acc = tile.zeros((32, 32))
        for k in range(n):
            c[k, i, both] = acc
            acc = tile.dot(a[i, both], a[both, both], acc)


@tile.jit
def sums_one_or_none(x: tile.Tensor, y: tile.Tensor, n: int):
    one = tile.span(0, 1, stop=n)
    for i in tile.parallel(x.shape[0], 64):
        y[i] = x[i, one].sum(axis=1)


@tile.jit
def sums_no_rows(x: tile.Tensor, y: tile.Tensor):
    cols = tile.span(0, 8)
    for i in tile.parallel(1):
        y[i, cols] = x[tile.span(0, 4, stop=0), cols].sum(axis=0)


F, G = "f32[256]", "f32[5000,8]"
REFUSED: dict[str, tuple[Callable[[], object], type[errors.OpwrightError], str]] = {
    "break": (lambda: leaves_early.emit(F, F), errors.UnsupportedSyntax, "break in a tile kernel"),
    "return": (lambda: returns_early.emit(F, F, 3), errors.UnsupportedSyntax, "return in a tile kernel"),
    "two loops": (lambda: exchanges.emit(F, F, F), errors.TileNotBuilt, "reading y, which tile.parallel writes"),
    "a loop around": (lambda: repeats.emit(F, F), errors.TileNotBuilt, "reading y, which tile.parallel writes"),
    "outside": (lambda: on_every_core.emit(F, F, F), errors.TileNotBuilt, "a store outside of tile.parallel"),
    "function": (lambda: carries_in_a_function.emit(F, F), errors.CarriedByParallel, "total"),
    "carried around": (lambda: carries_around.emit(F, F), errors.CarriedByParallel, "last"),
    "empty sum": (
        lambda: stores_before_it_adds.emit("f16[32,32]", "f32[3,32,32]", 3),
        errors.TileNotBuilt,
        "a sum that is stored before its first product",
    ),
    "one or none": (
        lambda: sums_one_or_none.emit("f32[256,3]", F, 0),
        errors.TileNotBuilt,
        "sum over an axis of one element that may not be there",
    ),
    "no rows": (lambda: sums_no_rows.emit(G, G), errors.TileNotBuilt, "sum over rows that may be empty"),
    "2048 rows": (lambda: many_rows.emit(G, "f32[5000]", ROWS=2048), errors.TileNotBuilt, "more than 2040 rows"),
    "4096 rows": (lambda: many_rows.emit(G, "f32[5000]", ROWS=4096), errors.TileNotBuilt, "more than 4095 rows"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    compile_it, kind, words = REFUSED[name]
    with pytest.raises(kind, match=words):
        compile_it()


@tile.jit
def in_order(x: tile.Tensor, y: tile.Tensor, z: tile.Tensor):
    for i in tile.parallel(x.shape[0], 64):
        y[i] = x[i] * 2.0
        z[i] = x[i] + 1.0


def test_one_array_as_two_arguments() -> None:
    a, z = rows(128), nothing(128)
    with pytest.raises(errors.ArgumentError, match="arguments x and y are the same memory"):
        in_order(a, a, z)
    with pytest.raises(errors.ArgumentError, match="arguments x and z are the same memory"):
        in_order.check(a, z, a)


@tile.jit
def into_both(x: tile.Tensor, y: tile.Tensor, z: tile.Tensor):
    for i, j in tile.parallel((x.shape[0], 4), (x.shape[1], 64)):
        y[i, j] = x[i, j] * 2.0
        z[i, j] = x[i, j] + 1.0


def test_views_of_one_array() -> None:
    """Those that interleave are written; those that share one element are refused."""
    x = rows(6 * 10).reshape(6, 10)
    both = nothing(6 * 20).reshape(6, 2, 10)
    into_both.check(x, both[:, 0], both[:, 1])
    assert np.array_equal(both[:, 0], x * 2) and np.array_equal(both[:, 1], x + 1)
    flat = nothing(6 * 20 + 1)
    wide = flat[:-1].reshape(6, 20)
    moved = flat[1:].reshape(6, 20)
    with pytest.raises(errors.ArgumentError, match="arguments y and z share elements"):
        into_both(x, wide[:, :10], moved[:, 8:18])
    with pytest.raises(errors.ArgumentError, match="arguments x and y share elements"):
        into_both(moved[:, 8:18], wide[:, :10], nothing(60).reshape(6, 10))
    into_both(moved[:, 9:19], wide[:, :10], nothing(60).reshape(6, 10))


@tile.jit
def picked(n: tile.Tensor, x: tile.Tensor, y: tile.Tensor):
    for i in tile.parallel(n.shape[0]):
        y[i, tile.span(0, 8)] = x[n[i], tile.span(0, 8)]


def test_numbers_of_a_view_with_gaps() -> None:
    """They would be read from the gaps."""
    n = np.array([5, 0, 3, 1, 2, 7])
    for run in (picked, picked.numpy):
        with pytest.raises(errors.LastStride, match="argument n of shape"):
            run(n[::2], rows(8, 8), nothing(3, 8))


@tile.jit
def whole_depth(a: tile.Tensor, b: tile.Tensor, c: tile.Tensor):
    cols, depth = tile.whole(b.shape[1], 32), tile.whole(a.shape[1], 32)
    for i in tile.parallel(a.shape[0], 32):
        c[i, cols] = tile.dot(a[i, depth], b[depth, cols])


@tile.jit
def seldom(a: tile.Tensor, b: tile.Tensor, c: tile.Tensor, n: int):
    cols, depth = tile.whole(b.shape[1], 32), tile.whole(a.shape[1], 32)
    for i in tile.parallel(a.shape[0], 32):
        if n > 0:
            c[i, cols] = tile.dot(a[i, depth], b[depth, cols])


def test_a_product_of_nothing_in_an_arm() -> None:
    """One that is not taken refuses nothing; one that is taken gives zeros."""
    a, b = np.zeros((5, 0), np.float16), np.zeros((0, 7), np.float16)
    for n, wanted in ((0, 3.0), (1, 0.0)):
        c = np.full((5, 7), 3.0, np.float32)
        seldom(a, b, c, n)
        assert (c == wanted).all()


def test_an_axis_of_no_elements() -> None:
    """Along k the launch is refused; of columns there is nothing to do."""
    with pytest.raises(errors.TileNotBuilt, match="whole_depth with a product of depth 0"):
        whole_depth(halves(7, 0), halves(0, 5), nothing(7, 5))
    whole_depth.check(halves(7, 5), halves(5, 0), nothing(7, 0))


@tile.jit
def without_parallel(x: tile.Tensor, y: tile.Tensor):
    for i in tile.range(x.shape[0], 64):
        y[i] = y[i] + x[i]


def test_a_kernel_without_parallel_on_several_cores() -> None:
    """Each core would add all of x. On one core, which is what a launch without a number takes, it adds once."""
    with pytest.raises(errors.ArgumentError, match=r"each of 8 cores would do all of it; .*without_parallel\[1\]"):
        without_parallel[8](rows(70), rows(70))
    with pytest.raises(errors.ArgumentError, match="each of 2 cores would do all of it"):
        without_parallel.check[2](rows(70), rows(70))
    y, wanted = rows(70), rows(70)
    without_parallel(rows(70), y)
    without_parallel[1](rows(70), y)
    np.testing.assert_array_equal(y, wanted + rows(70) + rows(70))


@tile.jit
def same_elements(x: tile.Tensor, y: tile.Tensor):
    for i in tile.parallel(x.shape[0], 64):
        y[tile.span(0, 64)] = x[i]


def test_iterations_that_store_the_same_elements() -> None:
    """Which of two stays is not defined: on two cores the checked twin finds it."""
    with pytest.raises(errors.RaceError, match="y"):
        same_elements.check(rows(128), nothing(64))


@tile.jit
def two_writers(x: tile.Tensor, y: tile.Tensor):
    for i in tile.parallel(y.shape[0], 64):
        y[i] = tile.zeros((64,))
    for j in tile.parallel(x.shape[0], 32):
        y[j] = x[j]


@pytest.mark.quick
def test_two_loops_that_write_one_tensor() -> None:
    """Cores do not wait for each other between the loops: the zeros of one may come behind the values of another."""
    with pytest.raises(errors.TileNotBuilt, match=r"writing y, which tile\.parallel writes in other iterations"):
        two_writers.emit("f32[64]", "f32[64]")


@asc.jit
def doubles(x: asc.LocalTensor, y: asc.LocalTensor):
    asc.muls(y, x, 2.0, 32 * 64)


@tile.jit
def call_beside_product(x: tile.Tensor, w: tile.Tensor, y: tile.Tensor):
    cols = tile.span(0, 64)
    for r in tile.parallel(x.shape[0], 32):
        product = tile.dot(x[r, cols], w[cols, cols])
        y[r, cols] = tile.call(doubles, product, out=((32, 64), tile.float32))


@pytest.mark.quick
def test_a_helper_beside_a_product() -> None:
    """Its calls would work on all rows, and each vector core has half of them."""
    with pytest.raises(errors.TileNotBuilt, match="helper on vector cores beside products of matrices"):
        call_beside_product.emit("f16[32, 64]", "f16[64, 64]", "f32[32, 64]")


@tile.jit
def float_positions(x: tile.Tensor, w: tile.Tensor, y: tile.Tensor):
    cols = tile.span(0, 16)
    for r in tile.parallel(x.shape[0], 32):
        y[r, cols] = tile.dot(x[r, cols], w[cols, cols]) + tile.arange(32, tile.float32)[:, None]


def test_positions_of_floats_in_halves() -> None:
    """Each vector core has half of the rows: its positions begin where its half does."""
    x, w = np.zeros((32, 16), np.float16), np.zeros((16, 16), np.float16)
    y = np.full((32, 16), np.nan, np.float32)
    float_positions.check(x, w, y)
    assert (y == np.arange(32)[:, None]).all()
