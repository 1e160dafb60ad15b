"""The tile compiler: kernels over tiles against the same algorithm by hand, and against torch, side by side.

Run it: python benchmarks/tiles.py [--quick] [--json FILE]
Says nothing about an NPU: it measures the CPU twin. Ends with 1 if a floor does not hold. Against torch there is none.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import NamedTuple, TypedDict

import tiles_by_hand
import torch
from _table import MedianRow, measure, save, show

from opwright import tile
from opwright.settings import settings

FLOOR = 1.15  # of wall time against the kernel by hand
COLUMNS, ROWS = 1000, 8


@tile.jit
def matmul(a: tile.Tensor, b: tile.Tensor, c: tile.Tensor):
    """With the sizes of examples/12_matmul_cube.py."""
    for i, j in tile.parallel((a.shape[0], 128), (b.shape[1], 128)):
        acc = tile.zeros((128, 128))
        for k in tile.range(a.shape[1], 256, stages=2):
            acc = tile.dot(a[i, k], b[k, j], acc)
        c[i, j] = acc


@tile.jit
def matmul_leakyrelu(a: tile.Tensor, b: tile.Tensor, c: tile.Tensor, slope: float):
    """With the sizes of examples/13_matmul_leakyrelu_mix.py; the slope is less than 1."""
    for i, j in tile.parallel((a.shape[0], 64), (b.shape[1], 64)):
        acc = tile.zeros((64, 64))
        for k in tile.range(a.shape[1], 64, stages=2):
            acc = tile.dot(a[i, k], b[k, j], acc)
        c[i, j] = tile.maximum(acc, acc * slope)


class CompileRow(TypedDict):
    """Seconds of CPU time."""

    case: str
    cpu: float


def example(name: str) -> ModuleType:
    """A module of examples/."""
    path = Path(__file__).parents[1] / "examples" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Case(NamedTuple):
    """Two functions that do the same, and where each leaves its result; no results: they are not compared."""

    name: str
    ours: Callable[[], object]
    theirs: Callable[[], object]
    results: Sequence[torch.Tensor] = ()


def against_hand(power: int) -> list[Case]:
    """Kernels with the same algorithm, whose results have equal bits."""
    torch.manual_seed(1)
    return [*_vectors_by_hand(power), *_products_by_hand(1 << power // 2 - 1)]


def _vectors_by_hand(power: int) -> list[Case]:
    tile_add, tile_softmax = example("15_tile_add").add, example("16_tile_softmax").softmax
    tile_norm = example("17_tile_layer_norm").add_layer_norm
    x, y = torch.rand(2, 1 << power)
    added = torch.full((2, 1 << power), float("nan"))
    rows = (1 << power) // COLUMNS
    s, residual = torch.randn(2, rows, COLUMNS)
    weight, bias = torch.randn(2, COLUMNS)
    soft, norm, summed = torch.full((3, 2, rows, COLUMNS), float("nan"))
    return [
        Case(
            f"add, 2^{power}",
            lambda: tile_add[1](x, y, added[0], BLOCK=tiles_by_hand.BLOCK),
            lambda: tiles_by_hand.add[1](x, y, added[1], x.numel()),
            added,
        ),
        Case(
            f"softmax, {rows} x {COLUMNS}",
            lambda: tile_softmax[1](s, soft[0], ROWS=ROWS),
            lambda: tiles_by_hand.softmax[1](s, soft[1], rows, COLUMNS, ROWS),
            soft,
        ),
        Case(
            f"layer norm of a sum, {rows} x {COLUMNS}",
            lambda: tile_norm[1](s, residual, weight, bias, norm[0], summed[0], 1e-5, ROWS=ROWS // 2),
            lambda: tiles_by_hand.add_layer_norm[1](
                s, residual, weight, bias, norm[1], summed[1], 1e-5, rows, COLUMNS, ROWS // 2
            ),
            norm,
        ),
    ]


def _products_by_hand(side: int) -> list[Case]:
    """With the sizes of examples/12_matmul_cube.py and examples/13_matmul_leakyrelu_mix.py."""
    by_hand_12, by_hand_13 = example("12_matmul_cube").matmul, example("13_matmul_leakyrelu_mix")
    a, b = torch.randn(2, side, side).half()
    c, d = torch.zeros(2, 2, side, side)
    workspace = torch.zeros(2 * by_hand_13.IN_TILE)
    return [
        Case(
            f"matmul, {side} x {side}",
            lambda: matmul[1](a, b, c[0]),
            lambda: by_hand_12[1](a, b, c[1], side, side, side),
            c,
        ),
        Case(
            f"matmul and leaky relu, {side} x {side}",
            lambda: matmul_leakyrelu[1](a, b, d[0], 0.1),
            lambda: by_hand_13.matmul_leakyrelu[1](a, b, d[1], workspace, side, side, side, 0.1),
            d,
        ),
    ]


def measured(cases: Sequence[Case], rounds: int) -> list[MedianRow]:
    """Measures, and compares the results."""
    found = []
    for case in cases:
        found.append(measure(case.name, case.ours, case.theirs, rounds, 0.01))
        if len(case.results) and not torch.equal(case.results[0], case.results[1]):
            raise SystemExit(f"{case.name}: the results differ")
    return found


def against_torch(power: int, is_quick: bool) -> list[Case]:
    """The same sizes for both; products of float16 with sums of float32.

    Kernels on both kinds of cores take g++ long: a short measurement leaves them out.
    """
    torch.manual_seed(1)
    softmax, layer_norm = example("16_tile_softmax").softmax, example("17_tile_layer_norm").add_layer_norm
    linear_gelu = example("19_tile_linear_gelu").linear_gelu
    rows = (1 << power) // COLUMNS
    x, residual, y, summed = torch.randn(4, rows, COLUMNS)
    weight, bias = torch.randn(2, COLUMNS)
    side = 1 << power // 2 - 1
    a, b, half = torch.randn(3, side, side).half()
    c = torch.zeros(side, side)
    v = torch.randn(side).half()
    functional = torch.nn.functional
    on_one_kind = [
        Case(f"softmax, {rows} x {COLUMNS}", lambda: softmax(x, y), lambda: torch.softmax(x, 1)),
        Case(
            f"layer norm of a sum, {rows} x {COLUMNS}",
            lambda: layer_norm(x, residual, weight, bias, y, summed, 1e-5),
            lambda: functional.layer_norm(x + residual, (COLUMNS,), weight, bias, 1e-5),
        ),
        Case(f"matmul, {side} x {side}", lambda: matmul(a, b, c), lambda: a.float() @ b.float()),
    ]
    on_both = [
        Case(
            f"linear with bias and GELU, {side} x {side}",
            lambda: linear_gelu(a, b, v, half),
            lambda: functional.gelu(a.float() @ b.float() + v).half(),
        ),
        _attention(side),
    ]
    return on_one_kind if is_quick else [*on_one_kind, *on_both]


def _attention(tokens: int) -> Case:
    """One sequence, four heads, causal."""
    attention = example("20_tile_attention").attention
    q, k, v, o = torch.randn(4, tokens, 4, 64).half()
    starts = torch.tensor([0, tokens], dtype=torch.int32)
    plan = torch.tensor([(0, row) for row in range(0, tokens, 64)], dtype=torch.int32)
    scale = 0.125

    def by_torch() -> torch.Tensor:
        heads = (one.transpose(0, 1).float() for one in (q, k, v))
        return torch.nn.functional.scaled_dot_product_attention(*heads, is_causal=True, scale=scale).half()

    return Case(
        f"causal attention, {tokens} tokens, 4 heads",
        lambda: attention(q, k, v, o, starts, starts, plan, scale, CAUSAL=True, D=64, BM=64, BN=64),
        by_torch,
    )


def compile_times() -> list[CompileRow]:
    """CPU time from the source of a kernel to its C++ text, the compiler being loaded."""
    tokens, keys, plan = "f16[640, 4, 64]", "f16[640, 2, 64]", "i32[4, 2]"
    kernels = {
        "add": (example("15_tile_add").add, ("f32[100000]",) * 3),
        "softmax": (example("16_tile_softmax").softmax, ("f16[100,1000]",) * 2),
        "matmul": (matmul, ("f16[100,100]", "f16[100,100]", "f32[100,100]")),
        "causal attention": (
            example("20_tile_attention").attention,
            (tokens, keys, keys, tokens, "i32[3]", "i32[3]", plan, 1.0, True, 64, 128, 128),
        ),
    }
    found: list[CompileRow] = []
    for name, (kernel, arguments) in kernels.items():
        kernel.emit(*arguments)
        best = float("inf")
        for _ in range(3):
            begin = time.process_time()
            kernel.emit(*arguments)
            best = min(best, time.process_time() - begin)
        found.append({"case": f"{name}: tile source to C++ text", "cpu": best})
        print(f"{found[-1]['case']} {best * 1000:.0f} ms of CPU time")
    return found


def main() -> int:
    """Measures, prints, saves; returns 1 if the floor does not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="2^20 elements, fewer rounds and kernels")
    parser.add_argument("--json", metavar="FILE", help="where to write the rows")
    options = parser.parse_args()
    power, rounds = (20, 5) if options.quick else (24, 11)
    with settings.scope(threads=1):
        rows = measured(against_hand(power), rounds)
    show("tiles against asc by hand, one thread", rows, "by hand")
    compared: list[MedianRow] = []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        with settings.scope(threads=threads):
            some = measured(against_torch(power, options.quick), rounds)
        show(f"tiles against torch, threads {threads}", some, "torch")
        compared += [{**row, "case": f"{row['case']}, threads {threads}"} for row in some]
    save(options.json, [*rows, *compared, *compile_times()])
    # Both sides run on the twin: the floor holds on every CPU. A short measurement is too noisy for it.
    most = 2 * FLOOR if options.quick else FLOOR
    missed = [row for row in rows if row["ratio"] > most]
    for row in missed:
        print(f"floor missed: {row['case']}: {row['ratio']:.2f}", file=sys.stderr)
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
