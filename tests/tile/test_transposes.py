"""Transposed tiles on the twin, against NumPy: bits, every type, sizes 0, 1, tile +- 1, primes, views, 16 orders."""

import ml_dtypes
import numpy as np
import pytest
import tile_kernels as kernels
from test_compiled import compare

from opwright import tile
from opwright.settings import settings

SHAPES = [(0, 5), (1, 1), (3, 0), (63, 64), (64, 65), (65, 63), (7, 131), (97, 17), (130, 9)]


@tile.jit
def used(x: tile.Tensor, y: tile.Tensor, z: tile.Tensor, R: tile.constexpr, C: tile.constexpr):
    """What is transposed is computed before and after, and both are stored."""
    cols = tile.whole(x.shape[1], C)
    for rows in tile.parallel(x.shape[0], R):
        t = x[rows, cols] + 1
        u = t.T * 2
        y[cols, rows] = u + t.sum(axis=1)[None, :]
        z[rows, cols] = u.T - t


def bits(shape: tuple[int, int], dtype: object) -> np.ndarray:
    size = np.dtype(dtype).itemsize
    return np.random.default_rng(0).integers(0, 256, (*shape, size), np.uint8).view(dtype)[..., 0]


@pytest.mark.parametrize("soc", ["ascend910b", "ascend950"])
@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16, np.int16, np.int8], ids=lambda one: one.__name__)
def test_every_width(soc: str, dtype: type) -> None:
    with settings.scope(soc=soc):
        for shape in SHAPES:
            x = np.zeros(shape, dtype)
            x[...] = bits(shape, f"int{8 * x.itemsize}").view(x.dtype) if x.size else x
            x = np.where(np.isnan(x.astype(np.float32)), x.dtype.type(1), x)
            compare(kernels.transpose, [x, np.zeros(shape[::-1], dtype)], {"B": 64}, 0)
    for size in (1, 24, 33):
        x = bits((41, 19), np.int8).astype(dtype)
        compare(kernels.transpose, [x, np.zeros((19, 41), dtype)], {"B": size}, 0)


@pytest.mark.parametrize("soc", ["ascend910b", "ascend910_93", "ascend950"])
def test_computed_before_and_after(soc: str) -> None:
    with settings.scope(soc=soc):
        for dtype in (np.float32, np.float16):
            for shape in [(0, 5), (1, 1), (3, 0), (12, 40), (13, 39), (11, 7)]:
                x = np.random.default_rng(0).standard_normal(shape).astype(dtype)
                arguments = [x, np.zeros(shape[::-1], dtype), np.zeros(shape, dtype)]
                compare(used, arguments, {"R": 12, "C": 40}, 0)
