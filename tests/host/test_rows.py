"""`host.rows`: rows of tensors as two dimensions, where NumPy has such a view, and a refusal where it has none."""

import random

import numpy as np
import pytest

from opwright import host
from opwright.host.rows import rows

pytestmark = pytest.mark.quick


def _view(rng: random.Random) -> np.ndarray:
    """A view of some array: dimensions in any order, parts of them, steps between elements."""
    shape = [rng.choice((1, 2, 3, 4)) for _ in range(rng.randint(1, 4))]
    view = np.zeros(shape, np.int8).transpose(rng.sample(range(len(shape)), len(shape)))
    for axis in range(view.ndim):
        if rng.random() < 0.2:
            view = view[(slice(None),) * axis + (slice(0, None, rng.choice((1, 2))),)]
    return view


def test_rows_are_those_of_a_view() -> None:
    rng = random.Random(0)
    seen = {True: 0, False: 0}
    for _ in range(2000):
        array = _view(rng)
        facts = host.strided(array.shape, array.strides, host.int8)
        width = array.shape[-1]
        wanted = array[:]
        try:
            wanted.shape = (array.size // width, width)  # refuses to copy
        except AttributeError:
            with pytest.raises(host.Refusal, match="x has rows that do not lie one stride apart"):
                rows("x", facts)
            seen[False] += 1
            continue
        found = rows("x", facts)
        assert tuple(found.shape) == wanted.shape
        places = [(i, j) for i in range(wanted.shape[0]) for j in range(width)]
        assert [i * found.strides[0] + j * found.strides[1] for i, j in places] == [
            wanted.strides[0] * i + wanted.strides[1] * j for i, j in places
        ]
        seen[True] += 1
    assert min(seen.values()) > 200, seen


@pytest.mark.parametrize("shape", [(0, 8), (3, 0), (2, 0, 4), (0,)])
def test_tensors_without_elements_have_rows(shape: tuple[int, ...]) -> None:
    found = rows("x", host.strided(shape, [7] * len(shape), host.float32))
    assert found.shape[0] * found.shape[1] == 0


def test_a_number_has_no_rows() -> None:
    with pytest.raises(host.Refusal, match="x must have at least one dimension"):
        rows("x", host.dense((), host.float32))
