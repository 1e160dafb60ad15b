"""Reductions, types and functions: every number that an operation gives, against an independent computation."""

import math
import struct
from collections.abc import Callable
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from made import floats, tile_of

from opwright import tile
from opwright.tile.numbers import Float32, Int

pytestmark = pytest.mark.quick

FLOATS = (tile.float16, tile.bfloat16, tile.float32)


# Reductions ---------------------------------------------------------------------------------------------------


def rounded(value: float, dtype: tile.DataType) -> float:
    """To nearest even, by the text of IEEE 754: not the way of the evaluator."""
    if dtype.name == "bfloat16":
        return float(np.float64(value).astype(ml_dtypes.bfloat16))
    return struct.unpack(
        "e" if dtype.name == "float16" else "f", struct.pack("e" if dtype.name == "float16" else "f", value)
    )[0]


def sum_by_lanes(numbers: list[float], lanes: int, dtype: tile.DataType) -> float:
    """The order that the language documents, number by number."""
    sums: list[float | None] = [None] * lanes
    for position, number in enumerate(numbers):
        lane = position % lanes
        held = sums[lane]
        sums[lane] = number if held is None else rounded(held + number, dtype)
    while len(sums) > 1:
        joined = []
        for a, b in zip(sums[::2], sums[1::2], strict=True):
            joined.append(rounded(a + b, dtype) if a is not None and b is not None else a if b is None else b)
        sums = joined
    return sums[0] or 0.0


@pytest.mark.parametrize("count", [0, 1, 2, 63, 64, 65, 127, 128, 129, 200, 300])
@pytest.mark.parametrize(("dtype", "lanes"), [(tile.float32, 64), (tile.float16, 128)])
def test_order_of_sums(dtype: tile.DataType, lanes: int, count: int) -> None:
    array = (floats(3, count, seed=count) * 100).astype(dtype.name)
    got = tile_of(array, (4, 512)).sum(axis=1)
    assert got.shape == (4,) and got.counts == (3,)
    for row, total in zip(array, got.values, strict=True):
        assert total == sum_by_lanes([float(one) for one in row], lanes, dtype)


def test_bfloat16_is_summed_in_float32() -> None:
    array = floats(200, dtype=ml_dtypes.bfloat16)
    wanted = sum_by_lanes([float(one) for one in array], 64, tile.float32)
    assert float(tile_of(array).sum().values) == rounded(wanted, tile.bfloat16)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5, 8, 13])
def test_order_of_sums_of_rows(count: int) -> None:
    array = floats(count, 3) * 100
    rows = [row.copy() for row in array]
    while len(rows) > 1:
        kept, added = rows[: (len(rows) + 1) // 2], rows[(len(rows) + 1) // 2 :]
        rows = [row + added[i] if i < len(added) else row for i, row in enumerate(kept)]
    wanted = rows[0] if rows else np.zeros(3)
    got = tile_of(array, (16, 4)).sum(axis=0, keepdims=True)
    assert got.shape == (1, 4) and (got.values[0] == wanted).all()


def test_a_sum_of_all_adds_columns_first() -> None:
    array = floats(5, 100)
    t = tile_of(array)
    assert t.sum().values == t.sum(axis=1).sum().values
    assert t.sum().shape == () and t.sum(keepdims=True).shape == (1, 1)


@pytest.mark.parametrize("dtype", FLOATS)
def test_reductions_of_nothing(dtype: tile.DataType) -> None:
    t = tile.zeros((2, 8), dtype) * tile_of(np.ones((2, 0), np.float32), (2, 8)).to(dtype)
    assert t.counts == (2, 0)
    assert t.sum(axis=1).values.tolist() == [0, 0]
    assert t.max(axis=1).values.tolist() == [-math.inf] * 2 and t.min(axis=1).values.tolist() == [math.inf] * 2
    assert np.isnan(t.mean(axis=1).values.astype(float)).all()


def test_extremes_and_means_see_what_is_there() -> None:
    array = floats(3, 5) - 10
    t = tile_of(array, (4, 8))
    for axis in (0, 1, -1, None):
        assert (t.max(axis=axis).values == array.max(axis=axis)).all()
        assert (t.min(axis=axis).values == array.min(axis=axis)).all()
        assert np.allclose(t.mean(axis=axis).values, array.mean(axis=axis))
    ints = tile_of(np.array([-3, 9], np.int16), (4,))
    assert (ints.max().values, ints.min().values) == (9, -3)
    assert tile_of(np.zeros(0, np.int8), (4,)).max().values == -128
    assert np.isnan(tile_of(np.array([1, np.nan], np.float32)).max().values)


# Types --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("operation", ["__add__", "__sub__", "__mul__", "__truediv__"])
def test_every_operation_rounds_once(operation: str, dtype: tile.DataType) -> None:
    kind = ml_dtypes.bfloat16 if dtype == tile.bfloat16 else dtype.name
    a, b = floats(500, dtype=kind), floats(500, dtype=kind, seed=1)
    got = getattr(tile_of(a), operation)(tile_of(b)).values
    for x, y, z in zip(a, b, got, strict=True):
        exact = getattr(Fraction(float(x)), operation)(Fraction(float(y)))
        near = [
            Fraction(float(one))
            for one in (np.nextafter(z, z.dtype.type(-np.inf)), z, np.nextafter(z, z.dtype.type(np.inf)))
        ]
        assert abs(near[1] - exact) <= min(abs(near[0] - exact), abs(near[2] - exact))


def test_numbers_take_the_type_of_the_tile() -> None:
    half = tile.full((1,), 1.0, tile.float16)
    assert (half + 0.1).dtype == tile.float16 and (half + 0.1).values == np.float16(1) + np.float16(0.1)
    assert (2 - half).values == 1 and (1 / tile.full((1,), 4.0)).values == 0.25
    assert (tile.arange(3) + 1).dtype == tile.int32
    assert (half + 1).values == 2
    assert (half < 2).values.all()


def test_integers_wrap() -> None:
    t = tile_of(np.array([127, -128], np.int8))
    assert (t + 1).values.tolist() == [-128, -127]
    assert (-t).values.tolist() == [-127, -128]
    assert tile_of(np.full(3, 2**31 - 1, np.int32)).sum().values == np.int64(3 * (2**31 - 1)).astype(np.int32)


@pytest.mark.parametrize(
    ("number", "dtype", "wanted"),
    [
        (0.5, tile.int32, 0),
        (1.5, tile.int32, 2),
        (2.5, tile.int8, 2),
        (-2.5, tile.int16, -2),
        (300.0, tile.int8, 127),
        (-300.0, tile.int8, -128),
        (-3.0, tile.uint8, 0),
        (math.inf, tile.int32, 2**31 - 1),
        (-math.inf, tile.int16, -(2**15)),
        (math.nan, tile.int32, 0),
        (70000.0, tile.float16, math.inf),
        (3e9, tile.int32, 2**31 - 1),
        (1 + 2**-11, tile.float16, 1),
        (1 + 3 * 2**-11, tile.float16, 1 + 2**-9),
        (1 + 2**-8, tile.bfloat16, 1),
    ],
)
def test_casts_round_to_even_and_saturate(number: float, dtype: tile.DataType, wanted: float) -> None:
    assert float(tile.full((1,), number).to(dtype).values[0]) == wanted


def test_casts_of_integers() -> None:
    t = tile_of(np.array([300, -5, 100], np.int32))
    assert t.to(tile.int8).values.tolist() == [127, -5, 100]
    assert t.to(tile.uint8).values.tolist() == [255, 0, 100]
    # An integer that is rounded to float32 on its way would become the even neighbour.
    tricky = tile_of(np.array([2**24 + 2**16 + 1], np.int32))
    assert float(tricky.to(tile.bfloat16).values[0]) == 2**24 + 2**17
    below = 2**30 + 2**23 + 2**22 - 1  # float32 has the middle between two of bfloat16 next to it
    both = tile_of(np.array([below, -below], np.int32)).to(tile.bfloat16)
    assert [float(one) for one in both.values] == [2**30 + 2**23, -(2**30) - 2**23]
    assert float(tile_of(np.array([2**24 + 1], np.int32)).to(tile.float32).values[0]) == 2**24


@pytest.mark.parametrize(("round", "wanted"), [("floor", [-2, 1]), ("ceil", [-1, 2]), ("trunc", [-1, 1])])
def test_directed_rounding(round: str, wanted: list[int]) -> None:
    assert tile_of(np.array([-1.5, 1.5], np.float32)).to(tile.int32, round=round).values.tolist() == wanted


def test_integers_of_a_launch() -> None:
    """Beside a float they are float32 first; a quotient is float32; they wrap as 64 bits do; others stay Python's."""
    n, single = Int(3), np.float32
    for got, wanted in (
        (0.1 * n, single(0.1) * single(3)),
        (n * 0.1 * 0.7, single(0.1) * single(3) * single(0.7)),
        (n / 7, single(3) / single(7)),
        (1 / n, single(1) / single(3)),
        (n - 0.1, single(3) - single(0.1)),
        (Int(16777217) * 1.0, single(16777216)),
    ):
        assert isinstance(got, Float32) and got == float(wanted)
    assert isinstance(2 * n - 7 // n, Int) and 2 * n - 7 // n == 4 and Int(2**62) * 4 == 0
    assert Int(16777217) == 16777216.0 and Float32(0.1) <= 0.1 and not Float32(0.1) > 0.1
    assert Float32(1.0) / 0 == math.inf and f"{n:02}" == "03"
    with pytest.raises(ZeroDivisionError):
        n / Int(0)


def test_numbers_of_a_kernel_have_32_bits() -> None:
    third = Float32(1 / 3)
    assert third == float(np.float32(1 / 3)) and third * 3.3 == float(np.float32(1 / 3) * np.float32(3.3))
    assert 1 - third == float(np.float32(1) - np.float32(1 / 3)) and -third == float(-np.float32(1 / 3))
    assert 1 / third == float(np.float32(1) / np.float32(1 / 3)) and 0.1 + third == third + 0.1
    assert isinstance(third * tile.zeros((2,)), tile.Tile) and isinstance(third / tile.full((2,), 1.0), tile.Tile)


def test_bool_tiles() -> None:
    t = tile_of(floats(6), (8,))
    mask = (t > 0) & ~(t > 1) | (t == t.max())
    there = t.values
    assert mask.counts == (6,)
    assert (mask.values == ((there > 0) & ~(there > 1) | (there == there.max()))).all()
    assert (tile.where(mask, t, 0.0).values == np.where(mask.values, there, 0)).all()
    assert (tile.where(mask, 1, 0).dtype, tile.where(mask, 1.0, 0).dtype) == (tile.int32, tile.float32)
    assert ((t != t) | (t <= 0) | (t >= 0)).values.all()


# Functions ----------------------------------------------------------------------------------------------------

FUNCTIONS: dict[str, Callable[[float], float]] = {
    "exp": math.exp,
    "log": math.log,
    "sqrt": math.sqrt,
    "rsqrt": lambda x: 1 / math.sqrt(x),
    "reciprocal": lambda x: 1 / x,
    "tanh": math.tanh,
    "sigmoid": lambda x: 1 / (1 + math.exp(-x)),
    "erf": math.erf,
    "abs": abs,
    "floor": math.floor,
    "ceil": math.ceil,
    "round": round,
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name: str, dtype: tile.DataType) -> None:
    array = np.array([0.25, 0.5, 1.5, 2.5, 3.25], np.float32)
    t = getattr(tile, name)(tile_of(array, (8,)).to(dtype))
    assert t.dtype == dtype and t.counts == (5,)
    for x, got in zip(array, t.values, strict=True):
        assert float(got) == rounded(FUNCTIONS[name](float(x)), dtype)


def test_maximum_and_minimum() -> None:
    x, y = tile_of(np.array([1, np.nan, 3], np.float32)), tile_of(np.array([2, 2, np.nan], np.float32))
    assert np.array_equal(tile.maximum(x, y).values, np.array([2, 2, np.nan]), equal_nan=True)
    assert np.array_equal(tile.minimum(y, x).values, np.array([1, np.nan, 3]), equal_nan=True)
    assert tile.maximum(tile.arange(4), 2).values.tolist() == [2, 2, 2, 3]
    assert tile.minimum(2, tile.arange(4)).values.tolist() == [0, 1, 2, 2]


def test_new_tiles() -> None:
    assert tile.zeros((2, 3)).dtype == tile.float32 and tile.zeros(5).shape == (5,)
    assert (tile.full((2,), 7, tile.int8).values == 7).all()
    assert tile.arange(4).values.tolist() == [0, 1, 2, 3] and tile.arange(3, tile.float16).dtype == tile.float16


@pytest.mark.parametrize("dtype", FLOATS)
def test_dot_sums_in_order_with_one_rounding_a_step(dtype: tile.DataType) -> None:
    kind = ml_dtypes.bfloat16 if dtype == tile.bfloat16 else dtype.name
    a, b, c = floats(3, 40, dtype=kind), floats(40, 2, dtype=kind, seed=1), floats(3, 2, seed=2)
    got = tile.dot(tile_of(a, (4, 64)), tile_of(b, (64, 2)), tile_of(c, (4, 2)))
    assert got.dtype == tile.float32 and got.shape == (4, 2) and got.counts == (3, 2)
    for i in range(3):
        for j in range(2):
            total = Fraction(float(c[i, j]))
            for k in range(40):
                exact = total + Fraction(float(a[i, k])) * Fraction(float(b[k, j]))
                total = Fraction(float(nearest(exact)))
            assert Fraction(float(got.values[i, j])) == total


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("side", "wanted"), [(1, 1 + 2**-23), (-1, 1 + 2**-23)])
def test_a_step_of_dot_is_not_rounded_to_float64(sign: int, side: int, wanted: float) -> None:
    """The sum is off the middle between two float32 by 2**-70, which a float64 does not hold."""
    a, b, c = (np.full((1, 1), one, np.float32) for one in (1 + 2**-23, 1 - 2**-23, 1 + 2**-23))
    got = tile.dot(tile_of(a * np.float32(2**-24 * sign * side)), tile_of(b), tile_of(c * np.float32(sign)))
    assert float(got.values[0, 0]) == sign * wanted


def nearest(exact: Fraction) -> np.float32:
    """The float32 nearest to a fraction, the even one of two."""
    guess = np.float32(float(exact))
    around = [np.nextafter(guess, np.float32(-np.inf)), guess, np.nextafter(guess, np.float32(np.inf))]
    return min(around, key=lambda one: (abs(Fraction(float(one)) - exact), int(one.view(np.int32)) & 1))


def test_dot_of_int8() -> None:
    a, b = np.full((2, 5), -128, np.int8), np.full((5, 3), -128, np.int8)
    assert (tile.dot(tile_of(a), tile_of(b)).values == 5 * 2**14).all()
    most = tile.full((2, 3), 2**31 - 1, tile.int32)
    assert (tile.dot(tile_of(a), tile_of(b), most).values == 2**31 - 1).all()


def test_atomics() -> None:
    array = np.array([1, 5, 3, 9], np.float32)
    x = tile.Tensor("x", array)
    value = tile_of(np.array([4, 4, 4], np.float32), (4,))
    tile.atomic_add(x, tile.span(0, 4), value)
    assert array.tolist() == [5, 9, 7, 9]
    tile.atomic_max(x, (tile.span(0, 4),), value * 2)
    assert array.tolist() == [8, 9, 8, 9]
    tile.atomic_min(x, tile.span(0, 4), value * 0)
    assert array.tolist() == [0, 0, 0, 9]


def test_print(capsys: pytest.CaptureFixture[str]) -> None:
    tile.print("n is", 3, tile.arange(2))
    assert capsys.readouterr().out == "n is 3 tile (2,) of int32:\n[0 1]\n"
    tile.print(f"{tile.arange(2):03d} {tile.arange(1)}")
    assert capsys.readouterr().out == "[000 001] tile (1,) of int32:\n[0]\n"
    assert (tile.core(), tile.cores()) == (0, 1)
    tile.assume(True)


def test_an_integer_by_a_float_of_zero() -> None:
    """Of two integers it is a mistake, as on a core."""
    assert Int(3) / Float32(0.0) == math.inf
    with pytest.raises(ZeroDivisionError):
        Int(3) / Int(0)
