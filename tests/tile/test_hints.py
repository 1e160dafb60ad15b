"""Findings in kernels over tiles have hints for people who set no flags."""

import numpy as np
import pytest

from opwright import tile
from opwright.errors import RaceError


@tile.jit
def put(values: tile.Tensor, slots: tile.Tensor, out: tile.Tensor, W: tile.constexpr):
    w = tile.whole(values.shape[1], W)
    for row in tile.parallel(values.shape[0]):
        out[slots[row], w] = values[row, w]


@pytest.mark.parametrize("cores", [1, 2])
def test_two_iterations_that_store_the_same_elements(cores: int) -> None:
    values, out = np.ones((2, 48), np.float32), np.zeros((4, 48), np.float32)
    with pytest.raises(RaceError, match="argument out from byte 192") as caught:
        put.check[cores](values, np.array([1, 1], np.int32), out, W=48)
    assert "hint: two iterations of tile.parallel touch the same elements" in str(caught.value)
    assert "set_flag" not in str(caught.value) and "sync_all" not in str(caught.value)
