"""Calls with one source on every value of 16 bits, and on a million of float32, against wider types."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from call_kernels import BOUNDED, NUMPY, same, takes
from image import load

SOC = "ascend910b"
TILE = 8192
FLOATS = {
    "abs": np.abs,
    "relu": lambda x: np.where(x > 0, x, 0),
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "reciprocal": lambda x: 1 / x,
    "exp": np.exp,
    "ln": np.log,
}
FUNCTIONS = {
    "float16": FLOATS,
    "float32": FLOATS,
    "int16": {"bitwise_not": np.invert},
    "uint16": {"bitwise_not": np.invert},
}


def kernel_text(dtype: str) -> str:
    """Every function on a tile for each core; results of all elements follow one another, function by function."""
    lines = [
        "from opwright import asc",
        f'@asc.jit(soc="{SOC}")',
        "def functions(x: asc.GlobalAddress, z: asc.GlobalAddress, size: int):",
        f"    start = asc.get_block_idx() * {TILE}",
        "    x_gm = asc.GlobalTensor()",
        "    x_gm.set_global_buffer(x)",
        "    z_gm = asc.GlobalTensor()",
        "    z_gm.set_global_buffer(z)",
        f"    a = asc.LocalTensor(asc.{dtype}, asc.TPosition.VECIN, 0, {TILE})",
        f"    b = asc.LocalTensor(asc.{dtype}, asc.TPosition.VECOUT, {TILE * NUMPY[dtype].itemsize}, {TILE})",
        f"    asc.data_copy(a, x_gm[start:], {TILE})",
    ]
    for number, name in enumerate(FUNCTIONS[dtype]):
        lines += [
            "    asc.pipe_barrier(asc.PipeID.PIPE_ALL)",
            f"    asc.{name}(b, a, {TILE})",
            "    asc.pipe_barrier(asc.PipeID.PIPE_ALL)",
            f"    asc.data_copy(z_gm[{number} * size + start:], b, {TILE})",
        ]
    return "\n".join(lines) + "\n"


def values(dtype: str) -> np.ndarray:
    """Every pattern of 16 bits; of float32 2048 of every sign and exponent, the ends of each among them."""
    if dtype != "float32":
        return np.arange(65536, dtype=np.uint16).view(dtype)
    mantissas = np.random.default_rng(5).integers(0, 1 << 23, (512, 2048), dtype=np.uint32)
    mantissas[:, :4] = [0, 1, 1 << 22, (1 << 23) - 1]
    return (np.arange(512, dtype=np.uint32)[:, None] << 23 | mantissas).reshape(-1).view(np.float32)


@pytest.mark.parametrize("dtype", FUNCTIONS)
def test_every_value(dtype: str, tmp_path: Path, ran: Callable[[str, int, str], None]) -> None:
    assert all(takes(name, 0, SOC, T=dtype) for name in FUNCTIONS[dtype])
    x = values(dtype)
    z = np.full(len(FUNCTIONS[dtype]) * x.size, 99, x.dtype)
    load(tmp_path, f"functions_{dtype}", kernel_text(dtype)).functions[x.size // TILE](x, z, x.size)
    wide = {"float16": np.float64, "float32": np.longdouble}.get(dtype, x.dtype)
    for (name, function), got in zip(FUNCTIONS[dtype].items(), z.reshape(-1, x.size), strict=True):
        with np.errstate(all="ignore"):
            wanted = function(x.astype(wide))
            if dtype == "float16":
                wanted = wanted.astype(np.float32)  # what rounds to float16 is the nearest float32
            bounded = dtype == "float32" and name in BOUNDED
            same(got, wanted.astype(x.dtype), f"asc.{name} on every {dtype}", bounded)
        ran(name, 0, dtype)
