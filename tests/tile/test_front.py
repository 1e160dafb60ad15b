"""The front end of tile kernels: what its IR means is what the evaluator computes, bit for bit."""

import math
from collections.abc import Callable
from typing import Any

import front_kernels
import ml_dtypes
import numpy as np
import pytest
import tile_kernels as kernels
from bits import assert_same_bits
from interpret import Stopped, lowered, request_of, run

from opwright import errors, tile
from opwright.ir import tile as ir
from opwright.ir import tile_memory as memory
from opwright.ir.language import VariableOp
from opwright.ir.tile import LoopOp
from opwright.ir.types import TileType
from opwright.ir.verifying import verify
from opwright.tile.compiler.front.lower import lowered_tile
from opwright.tile.compiler.front.state import state_of
from opwright.tile.kernel import TileKernel

SHAPES = [(0, 5), (1, 1), (3, 0), (7, 8), (9, 7), (13, 31)]
TYPES = [np.float32, np.float16, ml_dtypes.bfloat16]
BF16 = ml_dtypes.bfloat16


def random(seed: int, *shape: int, dtype: Any = np.float32) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def view(array: np.ndarray) -> np.ndarray:
    """The same numbers with gaps between rows."""
    around = np.full([size + 3 for size in array.shape], 77, array.dtype)
    inside = around[tuple(slice(1, size + 1) for size in array.shape)]
    inside[...] = array
    return inside


Case = tuple[TileKernel, Callable[[], list[Any]], dict[str, Any]]
CASES: dict[str, Case] = {}
for length in (0, 1, 31, 33, 64):
    CASES[f"add {length}"] = (
        kernels.add,
        lambda n=length: [random(0, n), random(1, n), view(np.zeros(n, np.float32))],
        {"BLOCK": 32},
    )
for shape in SHAPES:
    for dtype in TYPES:
        CASES[f"softmax {shape} {dtype.__name__}"] = (
            kernels.softmax,
            lambda shape=shape, dtype=dtype: [view(random(2, *shape, dtype=dtype)), view(np.zeros(shape, dtype))],
            {"ROWS": 8},
        )
        CASES[f"softmax_long {shape} {dtype.__name__}"] = (
            kernels.softmax_long,
            lambda shape=shape, dtype=dtype: [random(2, *shape, dtype=dtype), np.zeros(shape, dtype)],
            {"COLS": 8},
        )
        CASES[f"layer norm {shape} {dtype.__name__}"] = (
            kernels.add_layer_norm,
            lambda shape=shape, dtype=dtype: [
                *(random(seed, *shape, dtype=dtype) for seed in (3, 4)),
                *(random(seed, shape[1], dtype=dtype) for seed in (5, 6)),
                *(np.zeros(shape, dtype) for _ in range(2)),
                1e-5,
            ],
            {"COLS": 33, "ROWS": 4},
        )
    CASES[f"quantize {shape}"] = (
        kernels.quantize_rows,
        lambda shape=shape: [random(13, *shape) * 10, np.zeros(shape, np.int8), np.zeros(shape[0], np.float32)],
        {"COLS": 33},
    )
    CASES[f"transpose {shape}"] = (
        kernels.transpose,
        lambda shape=shape: [view(random(17, *shape)), np.zeros(shape[::-1], np.float32)],
        {"B": 8},
    )
    CASES[f"carried {shape}"] = (
        front_kernels.carried,
        lambda shape=shape: [random(20, *shape), random(21, shape[0], 12)],
        {},
    )
    CASES[f"shapes {shape}"] = (
        front_kernels.shapes,
        lambda shape=shape: [random(22, *shape), *(np.zeros(one, np.float32) for one in (shape, shape[::-1]))],
        {"C": 32},
    )
    CASES[f"nested {shape}"] = (
        front_kernels.nested,
        lambda shape=shape: [random(23, *shape), np.zeros(shape, np.float32)],
        {},
    )
    CASES[f"integers {shape}"] = (
        front_kernels.integers,
        lambda shape=shape: [
            (random(24, *shape) * 50).astype(np.int8),
            np.zeros(shape, np.int32),
            np.zeros(shape, np.int8),
        ],
        {},
    )
for m, n, k in ((0, 5, 3), (15, 17, 16), (16, 16, 0), (13, 33, 29)):
    CASES[f"linear {m} {n} {k}"] = (
        kernels.linear_gelu,
        lambda m=m, n=n, k=k: [random(7, m, k), random(8, k, n), random(9, n), np.full((m, n), 3, np.float32)],
        {"BM": 16, "BN": 16, "BK": 8},
    )
CASES["arithmetic"] = (front_kernels.arithmetic, lambda: [random(30, 29), np.zeros(29, np.float32), 5, 0.1], {})
CASES["indices"] = (
    front_kernels.indices,
    lambda: [
        random(31, 9, 3),
        np.zeros((8, 3), np.float32),
        np.array([8, 0, 3, 3, 1, 7, 2, 5], np.int32),
        np.arange(16, dtype=np.int32),
    ],
    {},
)
CASES["own distribution"] = (
    front_kernels.own_distribution,
    lambda: [random(32, 23), np.zeros(23, np.float32), np.array([0, 5, 5, 17], np.int32)],
    {},
)


def attention(causal: bool) -> list[Any]:
    q_starts, k_starts = np.array([0, 5, 22], np.int32), np.array([0, 23, 40], np.int32)
    q, k, v = (random(seed, tokens, heads, 6) for seed, tokens, heads in ((10, 22, 4), (11, 40, 2), (12, 40, 2)))
    plan = np.array([(0, 0), (1, 0), (1, 8), (1, 16)], np.int64)
    return [q, k, v, np.zeros_like(q), q_starts, k_starts, plan, 1 / math.sqrt(6)]


for causal in (False, True):
    CASES[f"attention {causal}"] = (
        kernels.attention,
        lambda causal=causal: attention(causal),
        {"CAUSAL": causal, "D": 8, "BM": 8, "BN": 5},
    )
CASES["cache write"] = (
    kernels.cache_write,
    lambda: [random(14, 6, 3, 7), np.zeros((5, 4, 3, 7), np.float32), np.array([3, -1, 19, 0, 7, 8], np.int32)],
    {"H": 4, "D": 8},
)
CASES["cache read"] = (
    kernels.cache_read,
    lambda: [
        random(16, 5, 4, 21),
        np.array([[4, 0, 2], [1, 3, 0], [2, 2, 2]], np.int32),
        np.array([9, 4, 0], np.int32),
        np.full((3, 12, 21), -1, np.float32),
    ],
    {"PAGE": 4, "W": 24},
)


@pytest.mark.parametrize("name", CASES)
def test_the_ir_means_what_the_kernel_says(name: str) -> None:
    kernel, arguments, keywords = CASES[name]
    given, expected = arguments(), arguments()
    kernel.numpy(*expected, **keywords)
    run(kernel, *given, **keywords)
    for got, wanted in zip(given, expected, strict=True):
        assert_same_bits(got, wanted)


@pytest.mark.parametrize("name", {name.split()[0]: name for name in CASES}.values())
def test_every_operation_has_a_place_and_verifies(name: str) -> None:
    kernel, arguments, keywords = CASES[name]
    request, _ = request_of(kernel, *arguments(), **keywords)
    _, module = lowered_tile(request)
    verify(module)
    lines = request.source.text.splitlines()
    for operation in module.walk():
        if operation.name not in ("builtin.module", "py.func"):
            line, column = map(int, operation.attributes["at"].data.split(":"))  # type: ignore[attr-defined]
            assert 1 <= line <= len(lines) and column <= len(lines[line - 1])


@pytest.mark.parametrize(
    ("starts", "n", "is_right"),
    [
        ([0, 0, 0], 0, True),
        ([1, 4, 0], 3, True),
        ([0, 0, 0], 8, False),  # row 7 of 5
        ([0, 0, -1], 3, False),  # a loop from -1 on
        ([0, 0, -5], 0, True),  # a whole axis of -1 elements has none
        ([0, 5, 0], 0, False),  # a whole axis of 9 elements
        ([0, 0, 3], 4, True),
        ([0, 0, 1], 5, False),  # positions 5 to 8, and the axis has 8
        ([1, 1, 1, 1, 1, 1], 0, False),  # row 5 of 5: the host knows that
    ],
)
def test_a_core_tests_what_the_host_does_not_know(starts: list[int], n: int, is_right: bool) -> None:
    def arguments() -> list[Any]:
        return [random(40, 5, 8), random(41, 5, 8), np.array(starts, np.int32), n]

    given, expected = arguments(), arguments()
    if is_right:
        front_kernels.tests_positions.numpy(*expected)
        run(front_kernels.tests_positions, *given)
        assert_same_bits(given[1], expected[1])
        return
    with pytest.raises((errors.OutOfRange, errors.SpanTooLong)):
        front_kernels.tests_positions.numpy(*expected)
    with pytest.raises((Stopped, errors.OutOfRange)):
        run(front_kernels.tests_positions, *given)


def operations(kernel: TileKernel, kind: type, *arguments: object, **keywords: object) -> list[Any]:
    return [one for one in lowered(kernel, *arguments, **keywords).walk() if isinstance(one, kind)]


def test_counts_of_one_span_are_one_value() -> None:
    module = lowered(kernels.add, "f32[100]", "f32[100]", "f32[100]")
    counted = [one for one in module.walk() if isinstance(one, (ir.MakesTile, memory.PutsTile))]
    assert len(counted) == 4 and len({one.counts[0] for one in counted}) == 1


def test_counts_are_constants_where_they_can_be() -> None:
    @tile.jit
    def even(x: tile.Tensor, y: tile.Tensor, n: int):
        tile.assume(x.shape[0] % 64 == 0)
        tile.assume(y.shape[1] == 24)
        for i in tile.parallel(x.shape[0], 32):
            x[i] = x[i] + 1.0
        for row in tile.parallel(64, 16):
            y[row, :] = y[row, :] * 2.0
        for one in tile.parallel(n, 1):
            x[one] = x[one] - 1.0

    for one in operations(even, ir.MakesTile, "f32[64]", "f32[64,24]", 3):
        assert all(ir.constant_of(count) is not None for count in one.counts), one


def cells(kernel: TileKernel, *arguments: object, **keywords: object) -> tuple[int, int]:
    """Variables of tiles, and of numbers."""
    found = operations(kernel, VariableOp, *arguments, **keywords)
    tiles = sum(isinstance(one.cell.type.content, TileType) for one in found)
    return tiles, len(found) - tiles


def test_variables_of_tiles_have_numbers_beside_them_only_where_counts_change() -> None:
    assert cells(kernels.softmax_long, "f32[8,8]", "f32[8,8]") == (2, 0)
    # `total` and `best` keep their counts; those of `last` and `sign` change; `steps`, `left` and `begin` are numbers
    assert cells(front_kernels.carried, "f32[8,8]", "f32[8,12]") == (4, 5)


def test_loops() -> None:
    loops = operations(front_kernels.nested, LoopOp, "f32[8,8]", "f32[8,8]")
    assert [loop.kind.data for loop in loops] == ["parallel", "range"]
    (outer,) = operations(kernels.transpose, LoopOp, "f32[8,8]", "f32[8,8]")
    assert ir.constant_of(outer.first) == 0 and ir.constant_of(outer.step) == 1
    loops = operations(front_kernels.carried, LoopOp, "f32[8,8]", "f32[8,12]")
    assert [(loop.kind.data, loop.stages.data) for loop in loops] == [("parallel", 2), ("range", 3)]


def host(kernel: TileKernel, *arguments: object, **keywords: object) -> dict[str, Any]:
    request, _ = request_of(kernel, *arguments, **keywords)
    return state_of(lowered_tile(request)[0]).host.plain()


def test_what_the_host_tests() -> None:
    found = host(kernels.softmax, "f16[8,100]", "f16[8,100]")
    assert found["iterations"] == [["floordiv", ["add", "x_shape0", 15], 16]]
    assert [test[1:] for test in found["tests"]] == [
        ["whole", "x_shape1", 112],
        ["stride", "x", 2],
        ["axis", "y", 0, 0, "x_shape0"],
        ["axis", "y", 1, 0, "x_shape1"],
        ["stride", "y", 2],
    ]
    assert host(front_kernels.own_distribution, "f32[8]", "f32[8]", "i32[3]")["iterations"] == ["all", "all"]
    tests = host(front_kernels.indices, "f32[8,4]", "f32[8,4]", "i32[8]", "i32[16]")["tests"]
    assert ["assume", ["eq", ["mod", "order_shape0", 4], 0]] in [test[1:] for test in tests]
