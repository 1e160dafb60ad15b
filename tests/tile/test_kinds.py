"""Which operations cube cores do, and which cores a kernel needs."""

import pytest
from dot_kernels import attention, linear_gelu, matmul, matmul_relu, product_of_halves, scaled

from opwright import tile
from opwright.ir.functions import functions
from opwright.tile.compiler.front.lower import lowered_tile
from opwright.tile.compiler.kinds import CUBE, MIX, VECTOR, Kinds, kinds_of
from opwright.tile.kernel import TileKernel

pytestmark = pytest.mark.quick
HALF, SINGLE = "f16[64, 64]", "f32[64, 64]"


@tile.jit
def add(x: tile.Tensor, y: tile.Tensor):
    for i in tile.parallel(x.shape[0], 64):
        y[i, 0:64] = x[i, 0:64] + 1.0


def kinds(kernel: TileKernel, *arguments: object) -> Kinds:
    bound = kernel.binder.bind(arguments, {}, described=True)
    return kinds_of(functions(lowered_tile(kernel.request(bound, None))[1])[-1])


def test_kernels() -> None:
    assert kinds(add, SINGLE, SINGLE) == Kinds(VECTOR, frozenset())
    assert kinds(matmul, HALF, HALF, SINGLE).kernel == CUBE
    assert kinds(matmul_relu, HALF, HALF, HALF).kernel == CUBE
    assert kinds(product_of_halves, HALF, HALF, SINGLE).kernel == CUBE
    assert kinds(scaled, HALF, HALF, SINGLE, 0.5).kernel == MIX


def test_what_cube_cores_do_of_a_mixed_kernel() -> None:
    """Products, their operands, and the zeros that they start from with their variable; vector cores store."""
    sums = ["py.load", "py.load", "py.store", "py.variable", "tile.counted", "tile.counted", "tile.full"]
    for kernel, arguments, expected in (
        (linear_gelu, (HALF, HALF, "f32[64]", HALF), [*sums, "tile.dot", "tile.load", "tile.load"]),
        (attention, (HALF, HALF, HALF, HALF), [*["tile.dot"] * 2, *["tile.load"] * 3, "tile.transpose"]),
    ):
        found = kinds(kernel, *arguments)
        assert found.kernel == MIX
        assert sorted(operation.name for operation in found.cube) == sorted(expected)
