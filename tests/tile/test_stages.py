"""Loops with 1, 2, 3 and 4 stages: bits, checked, 16 orders; loops in a row and within each other."""

import re

import numpy as np
import pytest
from test_compiled import compare

from opwright import tile
from opwright.settings import settings


@tile.jit
def in_a_row(x: tile.Tensor, y: tile.Tensor, FIRST: tile.constexpr, SECOND: tile.constexpr, SIZE: tile.constexpr = 16):
    """Two loops with other stages; the second one's sums depend on the first one's."""
    for row in tile.parallel(x.shape[0]):
        total = tile.zeros((SIZE,))
        for cols in tile.range(x.shape[1], SIZE, stages=FIRST):
            total = total + x[row, cols].sum()
        for cols in tile.range(x.shape[1], SIZE, stages=SECOND):
            y[row, cols] = x[row, cols] * 2.0 - total


@tile.jit
def within(
    x: tile.Tensor,
    y: tile.Tensor,
    z: tile.Tensor,
    FIRST: tile.constexpr,
    SECOND: tile.constexpr,
    SIZE: tile.constexpr = 16,
):
    """A loop in a loop, both with copies of their own."""
    for i in tile.parallel(1):
        for rows in tile.range(x.shape[0], 4, stages=FIRST):
            first = x[rows, tile.span(0, SIZE, stop=x.shape[1])]
            for cols in tile.range(x.shape[1], SIZE, stages=SECOND):
                y[rows, cols] = x[rows, cols] * 0.5 + first.sum()
            z[rows, tile.span(0, SIZE, stop=x.shape[1])] = first + float(i)


@pytest.mark.parametrize("kernel", [in_a_row, within], ids=lambda one: one.__name__)
@pytest.mark.parametrize(
    ("soc", "first", "second"), [("ascend910b", 1, 3), ("ascend910b", 3, 4), ("ascend950", 4, 1), ("ascend950", 3, 3)]
)
def test_stages(kernel: tile.TileKernel, soc: str, first: int, second: int) -> None:
    generator = np.random.default_rng(0)
    with settings.scope(soc=soc):
        for shape in [(0, 5), (1, 1), (5, 17), (3, 97)]:
            arrays = [generator.integers(-9, 9, shape).astype(np.float32) for _ in range(2)]
            if kernel is within:
                arrays.append(np.zeros(shape, np.float32))
            compare(kernel, arrays, {"FIRST": first, "SECOND": second}, 0)


def test_stages_are_slots() -> None:
    """As many as the loop says."""
    for stages in (1, 2, 3, 4):
        report = in_a_row.report("f32[4, 64]", "f32[4, 64]", FIRST=2, SECOND=stages)
        slots = f"{stages} x " if stages > 1 else ""
        assert re.search(rf"\n  y_tile, line \d+: 16 of float32, {slots}64 bytes at ", report)
