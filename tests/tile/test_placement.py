"""How much of UB kernels over tiles take. Nothing is compiled to C++."""

import pytest

from opwright import tile
from opwright.tile.compiler.compile import Lowered

pytestmark = pytest.mark.quick


@tile.jit
def short(x: tile.Tensor, y: tile.Tensor):
    for i in tile.parallel(x.shape[0], 1024):
        t = tile.abs(x[i]) * 2.0 - 1.0
        y[i] = tile.abs(t) * 2.0 - 1.0


@tile.jit
def long(x: tile.Tensor, y: tile.Tensor):
    for i in tile.parallel(x.shape[0], 1024):
        t = tile.abs(x[i]) * 2.0 - 1.0
        t = tile.abs(t) * 3.0 - 1.0
        t = tile.floor(t) * 2.0 - 1.5
        t = tile.abs(t) / 2.0 + 1.0
        t = tile.sqrt(t) * 2.0 - 1.0
        y[i] = tile.abs(t) * 2.0 - 1.0


def lowered(kernel: tile.TileKernel, *arguments: object, soc: str = "ascend910b", **constants: object) -> Lowered:
    bound = kernel.binder.bind(arguments, constants, described=True)
    return kernel.program(bound, soc).lowered


@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16"])
def test_what_is_not_used_any_more_gives_its_bytes_back(dtype: str) -> None:
    """Also float32 on the way of types that the SoC does not compute in."""
    few, many = (lowered(kernel, f"{dtype}[5000]", f"{dtype}[5000]").placement.bytes for kernel in (short, long))
    assert many <= few + 1024 * 4 + 32  # a tile and the block of a number more live at the division
