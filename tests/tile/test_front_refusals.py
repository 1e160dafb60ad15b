"""Mistakes that a compiler sees before a kernel runs: the error of NumPy, with the same words, at the same line."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import wrong_kernels
from interpret import lowered

from opwright import asc, errors, tile
from opwright.tile.kernel import TileKernel

pytestmark = pytest.mark.quick


def arguments() -> list[Any]:
    arrays = [np.ones((8, 16), dtype) for dtype in (np.float32, np.int32, np.float32)]
    return [*arrays, 3, 0.5, 4]


@pytest.mark.parametrize("kernel", wrong_kernels.KERNELS, ids=lambda kernel: kernel.__name__)
def test_the_same_mistake(kernel: TileKernel) -> None:
    found = []
    for run in (kernel.numpy, lambda *given: lowered(kernel, *given)):
        with pytest.raises(errors.OpwrightError) as caught:
            run(*arguments())
        found.append(caught.value)
    in_numpy, compiled = found
    assert type(compiled) is type(in_numpy)
    assert compiled.at is not None and in_numpy.at is not None
    assert compiled.at.line == in_numpy.at.line == last_line(kernel)
    assert (compiled.message, compiled.hint) == (in_numpy.message, in_numpy.hint)


def last_line(kernel: TileKernel) -> int:
    return kernel.source.locate(len(kernel.source.text.splitlines()), 0).line


# What NumPy takes and a compiler does not -----------------------------------------------------------------------


def double(t):
    return t * 2


@asc.jit
def helper(x: asc.GlobalAddress):
    pass


@tile.jit
def itself(x: tile.Tensor):
    itself(x)


@tile.jit
def early(t):
    if t.shape[0] == 4:
        return t
    return t + 1


S = 4


def length_at_run_time(x: tile.Tensor, n: int):
    x[tile.span(0, n)] = x[tile.span(0, n)]


def slice_of_any_length(x: tile.Tensor, n: int):
    x[0:n] = x[0:n]


def whole_axis(x: tile.Tensor, n: int):
    x[:] = x[:] + 1.0


def shape_at_run_time(x: tile.Tensor, n: int):
    x[0:S] = tile.zeros((n,))


def axis_at_run_time(x: tile.Tensor, n: int):
    x[0:S] = x[0:S] + x[0:S].sum(axis=n)


def plain_function(x: tile.Tensor, n: int):
    x[0:S] = double(x[0:S])


def function_of_asc(x: tile.Tensor, n: int):
    helper(x)


def call_of_asc(x: tile.Tensor, n: int):
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)


def recursion(x: tile.Tensor, n: int):
    itself(x)


def return_in_a_branch(x: tile.Tensor, n: int):
    x[0:S] = early(x[0:S])


def other_shape(x: tile.Tensor, n: int):
    t = tile.zeros((S,))
    for _ in range(n):
        t = tile.zeros((2 * S,))
    x[0:S] = t


def maybe_unset(x: tile.Tensor, n: int):
    if n > 3:
        t = tile.zeros((S,))
    x[0:S] = t


def span_set_again(x: tile.Tensor, n: int):
    s = tile.span(0, S)
    for k in range(n):
        s = tile.span(k, S)
    x[s] = tile.zeros((S,))


def assumes_what_is_read(x: tile.Tensor, n: int):
    tile.assume(x[n] > 0)


def python_s_abs(x: tile.Tensor, n: int):
    t = x[0:S]
    x[0:S] = abs(t)


def without_annotation(x, n: int):
    x[0:S] = tile.zeros((S,))


def unknown_attribute(x: tile.Tensor, n: int):
    x[0:S] = tile.zeros((x.size,))


def unknown_method(x: tile.Tensor, n: int):
    x[0:S] = x[0:S].maximum(1.0)


def wrong_keyword(x: tile.Tensor, n: int):
    x[0:S] = x[0:S] + x[0:S].sum(axes=0)


def two_names_for_one_axis(x: tile.Tensor, n: int):
    for i, j in tile.parallel(n):
        x[i] = x[j]


def prints_in_text(x: tile.Tensor, n: int):
    tile.print(f"x {n} {x[tile.span(0, 4)]}")


def prints_no_text(x: tile.Tensor, n: int):
    tile.print(n)


def prints(x: tile.Tensor, n: int):
    tile.print("x", n, x[tile.span(0, 4)])


def floor_division(x: tile.Tensor, n: int):
    x[0:S] = x[0:S] // 2.0


REFUSED: list[tuple[Callable[..., object], type[errors.OpwrightError], str]] = [
    (length_at_run_time, errors.WrongType, "tile.span does not take a size that is no constant"),
    (
        slice_of_any_length,
        errors.NotAnIndex,
        "0:n does not index x.*\n.*\n.*\n.*\n.*\nhint: its length must be a constant",
    ),
    (whole_axis, errors.NotAnIndex, r": does not index x[^!]*tile.whole\(x.shape\[0\], SIZE\)"),
    (shape_at_run_time, errors.WrongType, "full does not take int for shape"),
    (axis_at_run_time, errors.WrongType, "sum does not take int for axis"),
    (plain_function, errors.UnsupportedSyntax, "calling double"),
    (function_of_asc, errors.UnsupportedSyntax, "calling helper, a kernel of the front end asc,"),
    (call_of_asc, errors.UnsupportedSyntax, "calling asc.pipe_barrier"),
    (recursion, errors.UnsupportedSyntax, "32 functions that call each other"),
    (return_in_a_branch, errors.UnsupportedSyntax, "return before the last line"),
    (other_shape, errors.TypeChanged, r"tile \(4,\) of float32"),
    (maybe_unset, errors.MaybeUnset, "'?t'?"),
    (span_set_again, errors.UnsupportedSyntax, "setting 's', which is a Span"),
    (assumes_what_is_read, errors.UnsupportedSyntax, "only a core could test"),
    (python_s_abs, errors.WrongType, "abs does not take a tile[^!]*use tile.abs"),
    (without_annotation, errors.NotAKernel, "'x' is an array and has no annotation"),
    (unknown_attribute, errors.UnknownName, "tile.Tensor.size"),
    (unknown_method, errors.UnknownName, "tile.Tile.maximum"),
    (wrong_keyword, errors.WrongCall, "axes"),
    (two_names_for_one_axis, errors.UnsupportedSyntax, "taking 1 axis apart into 2 names"),
    (prints, errors.TileNotBuilt, "printing a tile on a core is not built yet"),
    (prints_in_text, errors.TileNotBuilt, "printing a tile on a core is not built yet"),
    (prints_no_text, errors.WrongType, "its first argument is a text"),
    (floor_division, errors.WrongType, "'//' does not take a tile"),
]


@pytest.mark.parametrize(("function", "kind", "words"), REFUSED, ids=lambda one: getattr(one, "__name__", ""))
def test_refused_with_a_line_and_a_hint(
    function: Callable[..., object], kind: type[errors.OpwrightError], words: str
) -> None:
    with pytest.raises(kind, match=words) as caught:
        lowered(tile.jit(function), "f32[16]", 3)
    at = caught.value.at
    assert at is not None and at.file == __file__
    assert caught.value.hint


def test_a_mistake_in_a_part_shows_the_calls() -> None:
    @tile.jit
    def adds(t):
        return t + tile.zeros((3,))

    @tile.jit
    def kernel(x: tile.Tensor):
        x[0:4] = adds(x[0:4])

    with pytest.raises(errors.TileShape) as caught:
        lowered(kernel, "f32[16]")
    at = caught.value.at
    assert at is not None and "return t + tile.zeros((3,))" in at.snippet()
    assert ["adds(x[0:4])" in call.snippet() for call in at.calls] == [True]
