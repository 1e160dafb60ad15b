"""How much of UB kernels over tiles take. Nothing is compiled to C++."""

import ast

import pytest
import tile_kernels as kernels

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


def of_grids(dtype: str, columns: int = 1000) -> tuple[list[str], list[str]]:
    """Arguments of softmax and of layer norm."""
    grid, row = f"{dtype}[64, {columns}]", f"{dtype}[{columns}]"
    return [grid, grid], [grid, grid, row, row, grid, grid]


@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16"])
def test_bytes_against_those_in_use(dtype: str) -> None:
    """The floor is 1.1 of the bytes in use at the fullest line; the goal is 1.05."""
    of_softmax, of_layer_norm = of_grids(dtype)
    cases = [(kernels.softmax, of_softmax, {}), (kernels.add_layer_norm, [*of_layer_norm, 1e-5], {"COLS": 1008})]
    for kernel, arguments, constants in cases:
        placed = lowered(kernel, *arguments, **constants).placement
        print(f"{kernel.__name__}, {dtype}: {placed.bytes / placed.bound:.3f} of the bytes in use, goal 1.05")
        assert placed.bytes <= 1.1 * placed.bound


def waits_of_loops(text: str) -> list[int]:
    """How many flags each loop waits for in an iteration, without those of loops in it."""

    def count(nodes: list[ast.stmt]) -> int:
        arms = [arm for node in nodes if isinstance(node, ast.If) for arm in (node.body, node.orelse)]
        own = sum(isinstance(node, ast.Expr) and "wait_flag" in ast.unparse(node) for node in nodes)
        return own + sum(map(count, arms))

    found = [count(loop.body) for loop in ast.walk(ast.parse(text)) if isinstance(loop, ast.For)]
    return [number for number in found if number]


def test_flags_of_an_iteration() -> None:
    """Not more than the best versions by hand have."""
    of_softmax, of_layer_norm = of_grids("bf16")
    norm = [*of_layer_norm, 1e-5]
    assert waits_of_loops(lowered(kernels.add, *["f32[9999]"] * 3, BLOCK=1024).text) == [4]
    assert waits_of_loops(lowered(kernels.softmax, *of_softmax, ROWS=4).text) == [4]
    assert waits_of_loops(lowered(kernels.softmax_long, *of_softmax, COLS=256).text) == [2, 4]
    assert waits_of_loops(lowered(kernels.add_layer_norm, *norm, COLS=1008, ROWS=4).text) == [5]
