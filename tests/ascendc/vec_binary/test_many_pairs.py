"""Sums, products and quotients of a million pairs, against wider types: every pair of special values among them."""

from collections.abc import Callable
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from call_kernels import NUMPY, same, takes
from image import load

SOC = "ascend910b"
TILE, TILES = 8192, 128
FUNCTIONS = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}


def kernel_text(dtype: str) -> str:
    """Every function on a tile for each core; results of all elements follow one another, function by function."""
    size = NUMPY[dtype].itemsize
    lines = [
        "from opwright import asc",
        f'@asc.jit(soc="{SOC}")',
        "def functions(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress):",
        f"    start = asc.get_block_idx() * {TILE}",
    ]
    for place, (name, local) in enumerate(("xa", "yb", "zc")):
        lines += [
            f"    {name}_gm = asc.GlobalTensor()",
            f"    {name}_gm.set_global_buffer({name})",
            f"    {local} = asc.LocalTensor(asc.{dtype}, asc.TPosition.VECCALC, {place * TILE * size}, {TILE})",
        ]
    lines += [f"    asc.data_copy({local}, {name}_gm[start:], {TILE})" for name, local in ("xa", "yb")]
    for number, name in enumerate(FUNCTIONS):
        lines += [
            "    asc.pipe_barrier(asc.PipeID.PIPE_ALL)",
            f"    asc.{name}(c, a, b, {TILE})",
            "    asc.pipe_barrier(asc.PipeID.PIPE_ALL)",
            f"    asc.data_copy(z_gm[{number * TILE * TILES} + start:], c, {TILE})",
        ]
    return "\n".join(lines) + "\n"


def pairs(dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """Random bits; every pair of special values; quotients and sums near where rounding turns."""
    kind, random = NUMPY[dtype], np.random.default_rng(17)
    x, y = (random.integers(0, 256, TILE * TILES * kind.itemsize, dtype=np.uint8).view(kind) for _ in range(2))
    info = ml_dtypes.finfo(kind)
    ends = [0.0, info.smallest_subnormal, info.tiny, 1, 1 + info.eps, 1 - info.epsneg, 3, info.max, np.inf, np.nan]
    special = np.array([float(end) for end in ends], np.float64).astype(kind)
    special = np.concatenate([special, -special])
    grid = np.array(np.meshgrid(np.arange(special.size), np.arange(special.size))).reshape(2, -1)
    x[: grid.shape[1]], y[: grid.shape[1]] = special[grid[0]], special[grid[1]]
    near = slice(TILE, TILE * TILES // 2)  # numbers of like size, so that most results are not 0 or infinite
    for values in (x, y):
        values[near] = (random.standard_normal(near.stop - near.start) * 8).astype(np.float32).astype(kind)
    return x, y


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_many_pairs(dtype: str, tmp_path: Path, ran: Callable[[str, int, str], None]) -> None:
    x, y = pairs(dtype)
    z = np.full(len(FUNCTIONS) * x.size, 99, x.dtype)
    load(tmp_path, f"pairs_{dtype}", kernel_text(dtype)).functions[TILES](x, y, z)
    # Twice the digits and two more are enough for these four to be rounded twice.
    wide = {"float16": np.float32, "float32": np.float64}[dtype]
    for (name, function), got in zip(FUNCTIONS.items(), z.reshape(-1, x.size), strict=True):
        assert takes(name, 0, SOC, T=dtype)
        with np.errstate(all="ignore"):
            same(got, function(x.astype(wide), y.astype(wide)).astype(x.dtype), f"asc.{name} on {dtype}")
        ran(name, 0, dtype)
