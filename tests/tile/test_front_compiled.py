"""The kernels that use every part of the language once, on the twin, against NumPy: bits, but for `exp`.

Kernels of which a part is not built are refused with its line, in no other way.
"""

from collections.abc import Callable

import front_kernels as kernels
import numpy as np
import pytest
from test_compiled import compare

from opwright import tile
from opwright.errors import TileNotBuilt
from opwright.settings import settings

ORDER = np.array([1, 2, 3, 0, 5, 6, 7, 8], np.int32)
STARTS = np.array([0, 7, 20], np.int32)
# Kernel -> its arguments, and how many units in the last place its results may be off. `tests_positions` lets
# iterations store the same elements: the checked twin refuses it.
BUILT: dict[tile.TileKernel, tuple[Callable[[Callable[..., np.ndarray]], list], int]] = {
    kernels.arithmetic: (lambda some: [some(30), some(30), 3, 0.5], 0),
    kernels.indices: (lambda some: [some(9, 4), some(8, 4), ORDER, some(16).astype(np.int32)], 0),
    kernels.own_distribution: (lambda some: [some(30), some(30), STARTS], 0),
    kernels.nested: (lambda some: [some(9, 7), some(9, 7)], 4),
}
IN_PART: dict[tile.TileKernel, tuple[Callable[[Callable[..., np.ndarray]], list], int]] = {
    kernels.shapes: (lambda some: [some(9, 7), some(9, 7), some(7, 9)], 0),
    kernels.carried: (lambda some: [some(3, 11), some(3, 12)], 0),
    kernels.integers: (
        lambda some: [some(9, 7).astype(np.int16), some(9, 7).astype(np.int32), some(9, 7).astype(np.int8)],
        0,
    ),
}


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).integers(-4, 5, shape).astype(np.float32)


CASES = [("ascend910b", one) for one in (*BUILT, *IN_PART)] + [("ascend950", one) for one in IN_PART]


@pytest.mark.parametrize(("soc", "kernel"), CASES, ids=lambda one: getattr(one, "__name__", one))
def test_kernels(kernel: tile.TileKernel, soc: str) -> None:
    arguments, ulps = {**BUILT, **IN_PART}[kernel]
    with settings.scope(soc=soc):
        try:
            compare(kernel, arguments(numbers), {}, ulps)
        except TileNotBuilt as error:
            assert kernel in IN_PART and error.at is not None and error.at.file == kernels.__file__
