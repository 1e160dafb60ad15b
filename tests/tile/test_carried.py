"""What goes from one iteration of `tile.parallel` to another is seen in the text of a kernel, and nothing else is."""

from collections.abc import Callable

import numpy as np
import pytest

from opwright import errors, tile

pytestmark = pytest.mark.quick

ALL = tile.span(0, 4)


def sums(x: tile.Tensor, FLAG: tile.constexpr):
    total = tile.zeros((4,))
    for i in tile.parallel(3):
        total = total + x[i, ALL]


def sums_in_place(x: tile.Tensor, FLAG: tile.constexpr):
    total = tile.zeros((4,))
    for i in tile.parallel(3):
        total += x[i, ALL]


def counts(x: tile.Tensor, FLAG: tile.constexpr):
    n = 0
    for i in tile.parallel(3):
        x[i, ALL] = x[i, ALL] + n
        n = n + 1


def keeps_the_last(x: tile.Tensor, FLAG: tile.constexpr):
    for i in tile.parallel(3):
        last = x[i, ALL]
    x[0, ALL] = last


def keeps_the_index(x: tile.Tensor, FLAG: tile.constexpr):
    for i in tile.parallel(3):
        x[i, ALL] = x[i, ALL]
    x[i, ALL] = x[0, ALL]


def sets_it_in_a_branch(x: tile.Tensor, FLAG: tile.constexpr):
    n = 0
    for i in tile.parallel(3):
        if i > 1:
            n = 1
        x[i, ALL] = x[i, ALL] + n


def sets_it_in_a_loop(x: tile.Tensor, FLAG: tile.constexpr):
    n = 0
    for i in tile.parallel(3):
        for k in range(i):
            n = k
        x[i, ALL] = x[i, ALL] + n


def sets_it_if_asked(x: tile.Tensor, FLAG: tile.constexpr):
    n = 0
    for i in tile.parallel(3):
        if FLAG:
            n = n + i


WRONG = {
    sums: ("total", "another"),
    sums_in_place: ("total", "another"),
    counts: ("n", "another"),
    keeps_the_last: ("last", "what follows the loop"),
    keeps_the_index: ("i", "what follows the loop"),
    sets_it_in_a_branch: ("n", "another"),
    sets_it_in_a_loop: ("n", "another"),
    sets_it_if_asked: ("n", "another"),
}


@pytest.mark.parametrize("function", WRONG, ids=lambda function: function.__name__)
def test_carried(function: Callable[..., None]) -> None:
    name, where = WRONG[function]
    with pytest.raises(
        errors.CarriedByParallel, match=f"'{name}' goes from one iteration of tile.parallel to {where}"
    ) as caught:
        tile.jit(function).numpy(np.ones((3, 4), np.float32), FLAG=True)
    assert caught.value.at is not None and name in caught.value.at.snippet()


def sets_it_first(x: tile.Tensor, FLAG: tile.constexpr):
    total = tile.zeros((4,))
    for i in tile.parallel(3):
        total = x[i, ALL]
        total = total + 1
        x[i, ALL] = total
    total = tile.zeros((4,))
    x[0, ALL] = total


def carries_within(x: tile.Tensor, FLAG: tile.constexpr):
    weight = x[0, ALL]
    for i in tile.parallel(3):
        total = tile.zeros((4,))
        for _ in range(2):
            total = total * 2 + weight
        x[i, ALL] = total


def sets_it_in_both_branches(x: tile.Tensor, FLAG: tile.constexpr):
    n = 5
    for i in tile.parallel(3):
        if i > 1:
            n = 1
        else:
            n = 2
        x[i, ALL] = x[i, ALL] + n


def does_not_set_it(x: tile.Tensor, FLAG: tile.constexpr):
    n = 0
    for i in tile.parallel(3):
        if FLAG:
            n = n + 1
        if FLAG and i > 0:
            n = n + 1
        x[i, ALL] = x[i, ALL] + n


@pytest.mark.parametrize(
    "function",
    [sets_it_first, carries_within, sets_it_in_both_branches, does_not_set_it],
    ids=lambda function: function.__name__,
)
def test_not_carried(function: Callable[..., None]) -> None:
    tile.jit(function).numpy(np.ones((3, 4), np.float32), FLAG=False)


def breaks(x: tile.Tensor):
    for i in tile.parallel(3):
        if i > 1:
            break


def continues(x: tile.Tensor):
    for _ in tile.range(8, 4):
        continue


@pytest.mark.parametrize("function", [breaks, continues])
def test_loops_are_not_left(function: Callable[..., None]) -> None:
    with pytest.raises(errors.UnsupportedSyntax, match=r"(break|continue) in a loop of tile\.parallel or tile\.range"):
        tile.jit(function).numpy(np.ones((3, 4), np.float32))


def breaks_a_plain_loop(x: tile.Tensor):
    for i in tile.parallel(3):
        for k in range(3):
            if k > i:
                break


def test_plain_loops_may_be_left() -> None:
    tile.jit(breaks_a_plain_loop).numpy(np.ones((3, 4), np.float32))


def test_a_kernel_without_source_runs() -> None:
    names: dict[str, object] = {"tile": tile}
    exec("def doubles(x):\n    for i in tile.parallel(x.shape[0], 4):\n        x[i] = x[i] * 2\n", names)
    array = np.ones(7, np.float32)
    tile.jit(names["doubles"]).numpy(array)  # type: ignore[call-overload]
    assert (array == 2).all()
