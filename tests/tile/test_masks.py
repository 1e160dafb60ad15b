"""Comparisons, bool tiles, `where` and positions on the twin: the bits of NumPy, with NaN, infinity and both zeros.

Every launch is checked, and run in 16 other orders.
"""

import ml_dtypes
import numpy as np
import pytest

from opwright import tile
from opwright.errors import TileNotBuilt
from opwright.settings import settings

TYPES = {"float32": np.float32, "float16": np.float16, "bfloat16": ml_dtypes.bfloat16}
SHAPES = [(9, 40), (4, 40), (3, 39), (1, 1), (5, 23), (0, 3), (8, 7)]
FLOATS = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, 1.5, 0.5, -2.0]
COUNT = 7  # expressions of each kernel
pytestmark = pytest.mark.filterwarnings("ignore")  # conversions of NaN


@tile.jit
def choices(
    x: tile.Tensor,
    z: tile.Tensor,
    w: tile.Tensor,
    c: tile.Tensor,
    y: tile.Tensor,
    p: float,
    COLS: tile.constexpr = 40,
    ROWS: tile.constexpr = 4,
):
    cols = tile.whole(x.shape[1], COLS)
    row = w[cols][None, :]
    for rows in tile.parallel(x.shape[0], ROWS):
        a, b = x[rows, cols], z[rows, cols]
        column = c[rows][:, None]
        y[0, rows, cols] = tile.where(a < b, a, b)
        y[1, rows, cols] = tile.where(a >= 0.5, a, -tile.inf)
        y[2, rows, cols] = tile.where(cols.index[None, :] <= rows.index[:, None] + 3, a, -tile.inf)
        y[3, rows, cols] = tile.where(a != row, 1.5, b)
        y[4, rows, cols] = tile.where(column > row, row, column)
        y[5, rows, cols] = tile.where(column <= 0.0, a, b)
        y[6, rows, cols] = tile.where((row == 1.0) | (a == b), 0.0, b)


@tile.jit
def joined(
    x: tile.Tensor,
    z: tile.Tensor,
    w: tile.Tensor,
    c: tile.Tensor,
    y: tile.Tensor,
    p: float,
    COLS: tile.constexpr = 40,
    ROWS: tile.constexpr = 4,
):
    cols = tile.whole(x.shape[1], COLS)
    row = w[cols][None, :]
    for rows in tile.parallel(x.shape[0], ROWS):
        a, b = x[rows, cols], z[rows, cols]
        column = c[rows][:, None]
        y[0, rows, cols] = tile.where(~((a > b) & (row < a)), a, 0.0)
        y[1, rows, cols] = tile.where(a > p, p, -0.0).to(y.dtype)
        y[2, rows, cols] = tile.where(b == b, 1.0, 0.0).to(y.dtype) + column
        seen = a > 0.0
        if rows.start % 8 == 0:
            seen = b > 0.0
        y[3, rows, cols] = tile.where(seen, a, b)
        some = a == a
        for _ in range(3):
            some = some & (a > -1.0)
        y[4, rows, cols] = tile.where(some, row, a)
        y[5, rows, cols] = tile.where(a.max() > 1.0, a, column)
        y[6, rows, cols] = tile.where(~(row != 0.5), column, a)


PLACES = [
    *((choices, "ascend910b", dtype) for dtype in TYPES),
    *((choices, "ascend950", dtype) for dtype in ("float32", "bfloat16")),
    (choices, "ascend910_93", "float32"),
    *((joined, "ascend910b", dtype) for dtype in ("float32", "float16")),
    (joined, "ascend950", "float16"),
]


@pytest.mark.parametrize(("kernel", "soc", "dtype"), PLACES)
def test_choices_of_floats(kernel: tile.TileKernel, soc: str, dtype: str) -> None:
    generator = np.random.default_rng(0)
    with settings.scope(soc=soc):
        for shape in SHAPES:
            sizes = (shape, shape, shape[1:], shape[:1], (COUNT, *shape))
            arrays = [generator.choice(FLOATS, size).astype(TYPES[dtype]) for size in sizes]
            compare(kernel, arrays[:-1], arrays[-1], 0.5)


def compare(kernel: tile.TileKernel, arguments: list, result: np.ndarray, *numbers: float, **constants: int) -> None:
    """The same bits on the twin and in NumPy; which NaN a sum gives is open."""
    got, wanted = result.copy(), result.copy()
    kernel.check(*arguments, got, *numbers, perturb=16, **constants)
    kernel.numpy(*arguments, wanted, *numbers, **constants)
    bits = [one.view(f"u{one.itemsize}") for one in (got, wanted)]
    is_same = (bits[0] == bits[1]) | ((got != got) & (wanted != wanted))
    assert is_same.all(), (result.shape, np.argwhere(~is_same)[:3])


@tile.jit
def order_of_integers(k: tile.Tensor, m: tile.Tensor, y: tile.Tensor, n: int, SIZE: tile.constexpr = 72):
    for i in tile.parallel(k.shape[0], SIZE):
        a, b = k[i], m[i]
        y[0, i] = tile.where(a < b, 1.0, 0.0) + tile.where(a <= b, 2.0, 0.0) + tile.where(a == b, 4.0, 0.0)
        y[1, i] = tile.where(a > b, 1.0, 0.0) + tile.where(a >= b, 2.0, 0.0) + tile.where(a != b, 4.0, 0.0)
        y[2, i] = tile.where(a < n, 1.0, 0.0) + tile.where(a <= n, 2.0, 0.0) + tile.where(a == n, 4.0, 0.0)
        y[3, i] = tile.where(a > 5, 1.0, 0.0) + tile.where(a >= 5, 2.0, 0.0) + tile.where(5 != a, 4.0, 0.0)


@pytest.mark.parametrize(
    ("soc", "dtype"),
    [("ascend910b", np.int32), ("ascend910b", np.int16), ("ascend910b", np.uint8), ("ascend950", np.int32)],
)
def test_the_order_of_integers(soc: str, dtype: type) -> None:
    generator = np.random.default_rng(1)
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    with settings.scope(soc=soc):
        for length in (0, 1, 71, 72, 73, 211):
            arrays = [generator.choice([low, low + 1, 0, 4, 5, 6, high - 1, high], length) for _ in range(2)]
            result = np.zeros((4, length), np.float32)
            compare(order_of_integers, [one.astype(dtype) for one in arrays], result, 4)


@tile.jit
def long_mask(x: tile.Tensor, y: tile.Tensor, SIZE: tile.constexpr):
    for _ in tile.parallel(1):
        for i in tile.range(x.shape[0], SIZE, stages=1):
            y[i] = tile.where(x[i] > 0.5, 1.0, -2.0)


def test_a_mask_of_more_repeats_than_a_call_has() -> None:
    numbers = np.random.default_rng(2).standard_normal(16503).astype(np.float32)
    compare(long_mask, [numbers], np.zeros_like(numbers), SIZE=16500)


@tile.jit
def bytes_of_choice(k: tile.Tensor, m: tile.Tensor):
    for i in tile.parallel(k.shape[0], 64):
        m[i] = tile.where(k[i] > 3, k[i], 0)


def test_choices_of_bytes_are_refused_where_there_is_no_call() -> None:
    with pytest.raises(TileNotBuilt, match=r"where of int8 on ascend910b is not built yet\n(.*\n)+.*tile.where"):
        bytes_of_choice.lower("i8[64]", "i8[64]", soc="ascend910b")
    assert "asc.select(" in bytes_of_choice.lower("i8[64]", "i8[64]", soc="ascend950")


def test_the_report_names_choices_that_take_several_calls() -> None:
    shapes = ("f32[9]", "f32[9]")
    assert "where joins bits in several calls" in long_mask.report(*shapes, soc="ascend910b", SIZE=64)
    assert "where joins bits in several calls" not in long_mask.report(*shapes, soc="ascend950", SIZE=64)
