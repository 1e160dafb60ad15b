"""Kernels over tiles on the twin, against NumPy: bits, but for `exp` and its like; sizes 0, 1, tile ± 1, primes, views.

Every launch is checked, and run in 16 other orders.
"""

from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest
import tile_kernels as kernels
from bits import differing

from opwright import tile
from opwright.settings import settings

TYPES = {"float32": np.float32, "float16": np.float16, "bfloat16": ml_dtypes.bfloat16}
# ascend910_93 has the texts of ascend910b.
PLACES = [("ascend910b", one) for one in TYPES] + [("ascend910_93", "float32")] + [("ascend950", one) for one in TYPES]
SHAPES = [(0, 5), (1, 1), (3, 0), (7, 8), (8, 7), (9, 63), (13, 64), (17, 65), (5, 128), (16, 127)]
LANES = 128  # the most columns of the tiles below


@tile.jit
def rms_norm(
    x: tile.Tensor, weight: tile.Tensor, y: tile.Tensor, eps: float, COLS: tile.constexpr, ROWS: tile.constexpr
):
    cols = tile.whole(x.shape[1], COLS)
    w = weight[cols].to(tile.float32)
    for rows in tile.parallel(x.shape[0], ROWS):
        t = x[rows, cols].to(tile.float32)
        scale = tile.rsqrt((t * t).mean(axis=1, keepdims=True) + eps)
        y[rows, cols] = (t * scale * w).to(y.dtype)


def surrounded(array: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same numbers as a view with gaps between its rows, and all of what it is a view of."""
    around = np.full([size + 3 for size in array.shape], 77, array.dtype)
    view = around[tuple(slice(1, size + 1) for size in array.shape)]
    view[...] = array
    return view, around


def compare(kernel: tile.TileKernel, arguments: list, constants: dict[str, int], ulps: int) -> None:
    """The same launch on the twin and in NumPy. What lies around the arrays stays."""
    pairs = [[surrounded(one) if isinstance(one, np.ndarray) else one for one in arguments] for _ in range(2)]
    compiled, evaluated = ([one[0] if isinstance(one, tuple) else one for one in some] for some in pairs)
    kernel.check(*compiled, perturb=16, **constants)
    kernel.numpy(*evaluated, **constants)
    for got, wanted in zip(*pairs, strict=True):
        if isinstance(got, tuple):
            assert differing(got[1], wanted[1], ulps).tolist() == []


@pytest.fixture(params=PLACES, ids=lambda place: "-".join(place))
def numbers(request: pytest.FixtureRequest) -> Callable[..., np.ndarray]:
    """Random arrays of the type of this test, which runs for its SoC."""
    soc, name = request.param
    generator = np.random.default_rng(0)
    with settings.scope(soc=soc):
        yield lambda *shape: generator.standard_normal(shape).astype(TYPES[name])


def test_add(numbers: Callable[..., np.ndarray]) -> None:
    for length in (0, 1, 31, 32, 33, 97, 200):
        compare(kernels.add, [numbers(length) for _ in range(3)], {"BLOCK": 32}, 0)


def test_softmax(numbers: Callable[..., np.ndarray]) -> None:
    for shape in SHAPES:
        compare(kernels.softmax, [numbers(*shape), numbers(*shape)], {"COLS": LANES, "ROWS": 8}, 4)


def test_softmax_long(numbers: Callable[..., np.ndarray]) -> None:
    for shape in [*SHAPES, (2, 700), (3, 129)]:
        compare(kernels.softmax_long, [numbers(*shape), numbers(*shape)], {"COLS": LANES}, 8)


def test_add_layer_norm(numbers: Callable[..., np.ndarray]) -> None:
    for shape in SHAPES:
        arguments = [numbers(*shape), numbers(*shape), numbers(shape[1]), numbers(shape[1]), numbers(*shape)]
        compare(kernels.add_layer_norm, [*arguments, numbers(*shape), 1e-5], {"COLS": LANES, "ROWS": 4}, 0)


def test_rms_norm(numbers: Callable[..., np.ndarray]) -> None:
    for shape in SHAPES:
        arguments = [numbers(*shape), numbers(shape[1]), numbers(*shape), 1e-5]
        compare(rms_norm, arguments, {"COLS": LANES, "ROWS": 8}, 0)
