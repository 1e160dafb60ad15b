"""Mistakes, one by one: the error, what it says, and the author's line with a caret."""

import traceback
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from opwright import errors, tile

pytestmark = pytest.mark.quick

ROWS = tile.span(0, 4)


def x(*shape: int, dtype: object = np.float32) -> tile.Tensor:
    return tile.Tensor("x", np.zeros(shape or (8,), dtype))


def stores(tensor: tile.Tensor, index: object, value: object) -> None:
    tensor[index] = value  # type: ignore[index, assignment]


def stores_to_a_part() -> None:
    tile.zeros((4,))[0] = 1


MASK = tile.arange(4) > 1
INTS, HALVES, SINGLES = (tile.zeros((4,), dtype) for dtype in (tile.int32, tile.float16, tile.float32))

CASES: dict[str, tuple[Callable[[], object], type[errors.OpwrightError], str]] = {
    "int with float": (lambda: INTS + SINGLES, errors.TileDtype, r"int32 and float32 have no common type"),
    "bool with float": (lambda: MASK * SINGLES, errors.TileDtype, r"bool and float32 have no common type"),
    "uint16 with int16": (
        lambda: tile.zeros((4,), tile.uint16) + tile.zeros((4,), tile.int16),
        errors.TileDtype,
        r"uint16 and int16",
    ),
    "a float with an int tile": (lambda: INTS * 0.5, errors.TileDtype, r"0.5 is a float and the tile is int32"),
    "a number that does not fit": (lambda: tile.zeros((4,), tile.int8) + 200, errors.TileDtype, r"200 does not fit"),
    "division of integers": (lambda: INTS / INTS, errors.TileDtype, r"takes floats, not int32"),
    "exp of integers": (lambda: tile.exp(INTS), errors.TileDtype, r"takes floats, not int32"),
    "mean of integers": (lambda: INTS.mean(), errors.TileDtype, r"takes floats, not int32"),
    "sum of int8": (lambda: tile.zeros((4,), tile.int8).sum(), errors.TileDtype, r"floats and int32, not int8"),
    "sum of bool": (lambda: MASK.sum(), errors.TileDtype, r"takes numbers, not bool"),
    "arithmetic on bool": (lambda: MASK + MASK, errors.TileDtype, r"takes numbers, not bool"),
    "and of numbers": (lambda: INTS & INTS, errors.TileDtype, r"bool tiles"),
    "a mask of numbers": (lambda: tile.where(INTS, 1.0, 0.0), errors.TileDtype, r"bool tiles"),
    "a cast of bool": (lambda: MASK.to(tile.float32), errors.TileDtype, r"takes numbers, not bool"),
    "a cast to 64 bits": (lambda: INTS.to(tile.int64), errors.TileDtype, r"no tile has the type int64"),
    "a load of 64 bits": (lambda: x(8, dtype=np.int64)[ROWS], errors.TileDtype, r"no tile has the type int64"),
    "floor to a float": (lambda: SINGLES.to(tile.float16, round="floor"), errors.TileDtype, r"round='floor'"),
    "an unknown rounding": (lambda: SINGLES.to(tile.int8, round="up"), errors.TileDtype, r"round='up'"),
    "a cast to NumPy's type": (lambda: SINGLES.to(np.float16), errors.WrongType, r"to does not take"),  # type: ignore[arg-type]
    "a store of another type": (lambda: stores(x(), ROWS, HALVES), errors.TileDtype, r"x holds float32 and the tile"),
    "dot of two types": (
        lambda: tile.dot(tile.zeros((4, 4)), tile.zeros((4, 4), tile.float16)),
        errors.TileDtype,
        r"float32 and float16",
    ),
    "dot of int32": (
        lambda: tile.dot(tile.zeros((4, 4), tile.int32), tile.zeros((4, 4), tile.int32)),
        errors.TileDtype,
        r"int32 and int32",
    ),
    "shapes": (lambda: tile.zeros((4, 8)) + SINGLES, errors.TileShape, r"\(4, 8\) and \(4,\) do not broadcast"),
    "dot of other sizes": (
        lambda: tile.dot(tile.zeros((4, 8)), tile.zeros((4, 8))),
        errors.TileShape,
        r"\(4, 8\) and \(4, 8\) do not fit",
    ),
    "a store of other sizes": (lambda: stores(x(), tile.span(0, 8), SINGLES), errors.TileShape, r"sizes \(8,\)"),
    "three axes": (lambda: x(4, 4, 4)[ROWS, ROWS, ROWS], errors.TileShape, r"a tile of 3 axes"),
    "three axes by None": (lambda: tile.zeros((4, 4))[None], errors.TileShape, r"would have 3 axes"),
    "an axis that is not there": (lambda: SINGLES.sum(axis=1), errors.TileShape, r"no axis 1"),
    "a size of 0": (lambda: tile.zeros((0, 4)), errors.TileShape, r"\(0, 4\) is not the shape"),
    "too few indices": (lambda: x(4, 4)[ROWS], errors.NotAnIndex, r"does not index x"),
    "a float as an index": (lambda: x()[0.5], errors.NotAnIndex, r"0.5 does not index x"),  # type: ignore[call-overload]
    "an open slice": (lambda: x()[2:], errors.NotAnIndex, r"2: does not index x"),
    "a slice with a step": (lambda: x()[0:8:2], errors.NotAnIndex, r"0:8:2 does not index x"),
    "an empty slice": (lambda: x()[4:4], errors.NotAnIndex, r"4:4 does not index x"),
    "a tile of floats as an index": (lambda: x()[SINGLES], errors.NotAnIndex, r"a tile of float32"),
    "a store by a tile": (lambda: stores(x(), INTS, SINGLES), errors.NotAnIndex, r"x in a store"),
    "a number in a tile": (lambda: SINGLES[0], errors.NotAnIndex, r"0 does not index a tile of shape \(4,\)"),  # type: ignore[index]
    "a span past the axis": (lambda: x()[tile.span(6, 4)], errors.OutOfRange, r"positions 6 to 9 lies outside axis 0"),
    "a negative start": (lambda: x()[tile.span(-1, 4)], errors.OutOfRange, r"positions -1 to 2"),
    "a number past the axis": (lambda: x()[8], errors.OutOfRange, r"position 8 lies outside"),
    "a negative number": (lambda: x()[-1], errors.OutOfRange, r"position -1"),
    "a gather past the axis": (lambda: x()[tile.arange(4) + 6], errors.OutOfRange, r"position 8 of a tile"),
    "a longer axis": (lambda: tile.whole(65, 64), errors.SpanTooLong, r"65 elements, and tile.whole has 64"),
    "a broken assumption": (lambda: tile.assume(False), errors.AssumptionBroken, r"does not hold"),
    "a view with gaps": (
        lambda: tile.Tensor("x", np.zeros((8, 8), np.float32)[:, ::2])[ROWS, :],
        errors.LastStride,
        r"strides \(8, 2\)",
    ),
    "a number of a view with gaps": (
        lambda: tile.Tensor("x", np.zeros(8, np.int32)[::2])[1],
        errors.LastStride,
        r"strides \(2,\)",
    ),
    "a store of a number": (lambda: stores(x(), ROWS, 1.0), errors.WrongType, r"a store does not take 1.0"),
    "a store to a tile": (stores_to_a_part, errors.WrongType, r"does not take a tile"),
    "a tile as a condition": (lambda: bool(SINGLES > 0), errors.WrongType, r"a condition does not take a tile"),
    "a loop over a tile": (lambda: list(SINGLES), errors.WrongType, r"a loop does not take a tile"),
    "a tensor as an operand": (lambda: SINGLES + x(), errors.WrongType, r"\+ does not take a Tensor"),  # type: ignore[operator]
    "an array as an operand": (lambda: np.zeros(4, np.float32) + SINGLES, errors.WrongType, r"a ndarray"),
    "maximum of numbers": (lambda: tile.maximum(1, 2), errors.WrongType, r"maximum does not take"),
    "exp of a number": (lambda: tile.exp(1.0), errors.WrongType, r"exp does not take"),  # type: ignore[arg-type]
    "a span of floats": (lambda: tile.span(0.5, 4), errors.WrongType, r"tile.span does not take 0.5"),  # type: ignore[arg-type]
    "a span of size 0": (lambda: tile.span(0, 0), errors.RuleBroken, r"a size is 1 or more"),
    "five stages": (lambda: tile.range(8, 4, stages=5), errors.RuleBroken, r"stages is 1, 2, 3 or 4"),
    "a range without size": (lambda: tile.range(8), errors.WrongCall, r"2 or 3 numbers, not 1"),  # type: ignore[call-overload]
    "parallel of nothing": (lambda: tile.parallel(), errors.WrongCall, r"no axis"),  # type: ignore[call-overload]
    "a helper": (
        lambda: tile.call(abs, SINGLES, out=(4, tile.float32)),
        errors.TileNotBuilt,
        r"tile.call in NumPy without a reference is not built yet",
    ),
    "a read-only array": (
        lambda: stores(tile.Tensor("x", SINGLES.values), ROWS, SINGLES),
        errors.ReadOnlyArgument,
        r"x is read-only",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_mistake(name: str) -> None:
    run, kind, words = CASES[name]
    with pytest.raises(kind, match=words) as caught:
        run()
    assert type(caught.value) is kind
    at = caught.value.at
    assert at is not None and at.file == __file__
    assert caught.value.hint


def test_the_number_of_a_written_tensor() -> None:
    tensor = x()
    tensor[ROWS] = SINGLES
    with pytest.raises(errors.WrittenAndRead):
        tensor[0]
    other = x()
    assert other[0] == 0
    with pytest.raises(errors.WrittenAndRead):
        other[ROWS] = SINGLES


def test_slices_of_one_place_are_equally_long() -> None:
    tensor = x()

    @tile.jit
    def slides(tensor: tile.Tensor):
        for i in range(3):
            tensor[i : i + 4]
            tensor[i : i + 2]

    slides.numpy(np.zeros(8, np.float32))

    @tile.jit
    def grows(tensor: tile.Tensor):
        for i in range(3):
            tensor[0 : i + 1]

    with pytest.raises(errors.NotAnIndex, match="0:2 does not index tensor"):
        grows.numpy(np.zeros(8, np.float32))
    assert tensor[0:8].shape == (8,)


# The author's lines --------------------------------------------------------------------------------------------


def doubled(t: tile.Tile) -> tile.Tile:
    return t * tile.zeros((3,))


@tile.jit
def calls_a_helper(y: tile.Tensor):
    y[ROWS] = doubled(SINGLES)


@tile.jit
def tripled(t, shape: tile.constexpr):
    return t * tile.full(shape, 3.0)


@tile.jit
def calls_a_kernel(y: tile.Tensor, SIZE: tile.constexpr):
    y[ROWS] = tripled(SINGLES + 1, (SIZE,))


def test_a_kernel_within_a_kernel_is_a_part_of_it() -> None:
    array = np.zeros(4, np.float32)
    calls_a_kernel.numpy(array, SIZE=4)
    assert (array == 3).all()
    with pytest.raises(errors.TileShape) as caught:
        calls_a_kernel.numpy(array, SIZE=3)
    at = caught.value.at
    assert at is not None and at.snippet().count("t * tile.full(shape, 3.0)") == 1
    assert [call.snippet().count("tripled(SINGLES + 1, (SIZE,))") for call in at.calls] == [1]


def test_the_place_is_the_author_s() -> None:
    with pytest.raises(errors.TileShape) as caught:
        calls_a_helper.numpy(np.zeros(4, np.float32))
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    at = caught.value.at
    assert at is not None and "return t * tile.zeros((3,))" in lines[at.line - 1]
    assert [lines[call.line - 1].strip() for call in at.calls] == ["y[ROWS] = doubled(SINGLES)"]
    files = [Path(frame.filename) for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert [file.name for file in files] == [Path(__file__).name, "tracebacks.py"]


# Before a kernel runs ------------------------------------------------------------------------------------------


@tile.jit
def adds(x: tile.Tensor, n: int, eps: float, flag: bool, BLOCK: tile.constexpr = 8):
    for i in tile.parallel(x.shape[0], BLOCK):
        x[i] = x[i] + eps


ONES = np.ones(4, np.float32)


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        ((), errors.WrongArguments, r"missing x, n, eps, flag"),
        ((ONES, 1, 0.5, True, 8, 9), errors.WrongArguments, r"too many positional"),
        (([1.0], 1, 0.5, True), errors.ArgumentError, r"x is a list: kernel.numpy takes arrays"),
        ((ONES.astype(np.float64), 1, 0.5, True), errors.UnsupportedDtype, r"float64"),
        ((ONES.astype(">f4"), 1, 0.5, True), errors.WrongByteOrder, r"byte order"),
        ((np.float32(1) + np.zeros(()), 1, 0.5, True), errors.ArgumentError, r"kernel.numpy takes arrays"),
        ((np.ones((1,) * 6, np.float32), 1, 0.5, True), errors.ArgumentError, r"6 axes"),
        ((ONES, 0.5, 0.5, True), errors.ArgumentError, r"n is a float, not an int"),
        ((ONES, True, 0.5, True), errors.ArgumentError, r"n is a bool, not an int"),
        ((ONES, 1, "a", True), errors.ArgumentError, r"eps is a str, not a float"),
        ((ONES, 1, 0.5, 1), errors.ArgumentError, r"flag is a int, not a bool"),
    ],
)
def test_arguments(arguments: tuple[object, ...], kind: type[errors.OpwrightError], words: str) -> None:
    with pytest.raises(kind, match=words):
        adds.numpy(*arguments)


def test_numbers_are_taken_as_they_are_annotated() -> None:
    array = np.ones(4, np.float32)
    adds.numpy(array, np.int64(3), 1, np.bool_(True))
    assert (array == 2).all()


def test_kernels_that_cannot_be_marked() -> None:
    def annotated(x: str): ...

    def seeded(seed: int): ...

    for function, words in (
        (annotated, "annotated with str"),
        (seeded, "option of kernel.numpy"),
        (3, "not a function"),
    ):
        with pytest.raises(errors.NotAKernel, match=words):
            tile.jit(function)  # type: ignore[arg-type]


def test_sizes() -> None:
    @tile.jit
    def fills(x: tile.Tensor, n: int, SIZE: tile.constexpr):
        x[tile.whole(x.shape[0], SIZE)] = tile.zeros((SIZE,))

    with pytest.raises(errors.NotAKernel, match="'n' is no tensor of fills"):

        @fills.sizes
        def takes_a_number(n):
            return {}

    @fills.sizes
    def gives_another(x):
        return {"n": x.shape[0]}

    with pytest.raises(errors.ArgumentError, match="sizes gives 'n'"):
        fills.numpy(ONES.copy(), 1)

    @fills.sizes
    def gives_one(x):
        return {"SIZE": tile.blocks(x.shape[0], x.dtype)}

    with pytest.raises(errors.WrongArguments, match="missing x, SIZE"):
        fills.numpy(n=1)
    array = ONES.copy()
    fills.numpy(array, 1)
    assert not array.any()
    with pytest.raises(errors.SpanTooLong):
        fills.numpy(array, 1, SIZE=2)
