"""The tile compiler: kernels over tiles against the same algorithm by hand, and against torch, side by side.

Run it: python benchmarks/tiles.py [--quick] [--json FILE]
Says nothing about an NPU: it measures the CPU twin. Ends with 1 if a floor does not hold. Against torch there is none.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
from pathlib import Path
from types import ModuleType

import tiles_by_hand
import torch
from _table import MedianRow, limit, measure, save, show

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


def example(name: str) -> ModuleType:
    """A module of examples/."""
    path = Path(__file__).parents[1] / "examples" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def against_hand(power: int, rounds: int) -> list[MedianRow]:
    """Equal bits, and how long each takes, on one thread."""
    torch.manual_seed(1)
    tile_add, tile_softmax = example("15_tile_add").add, example("16_tile_softmax").softmax
    x, y = torch.rand(1 << power), torch.rand(1 << power)
    z, by_hand = torch.full_like(x, float("nan")), torch.full_like(x, float("nan"))
    found = [
        measure(
            f"add, 2^{power}",
            lambda: tile_add[1](x, y, z, BLOCK=tiles_by_hand.BLOCK),
            lambda: tiles_by_hand.add[1](x, y, by_hand, x.numel()),
            rounds,
            0.01,
        )
    ]
    _refuse_other_bits("add", z, by_hand)
    rows = (1 << power) // COLUMNS
    s = torch.randn(rows, COLUMNS)
    p, q = torch.full_like(s, float("nan")), torch.full_like(s, float("nan"))
    found.append(
        measure(
            f"softmax, {rows}x{COLUMNS}",
            lambda: tile_softmax[1](s, p, ROWS=ROWS),
            lambda: tiles_by_hand.softmax[1](s, q, rows, COLUMNS, ROWS),
            rounds,
            0.01,
        )
    )
    _refuse_other_bits("softmax", p, q)
    side = 1 << power // 2 - 1
    by_hand_12 = example("12_matmul_cube").matmul
    a, b = (torch.randn(side, side).half() for _ in range(2))
    c, d = torch.zeros(2, side, side)
    found.append(
        measure(
            f"matmul, {side} x {side}",
            lambda: matmul[1](a, b, c),
            lambda: by_hand_12[1](a, b, d, side, side, side),
            rounds,
            0.01,
        )
    )
    _refuse_other_bits("matmul", c, d)
    return found


def _refuse_other_bits(name: str, ours: torch.Tensor, theirs: torch.Tensor) -> None:
    if not torch.equal(ours, theirs):
        raise SystemExit(f"{name}: the results differ")


def against_torch(power: int, threads: int, rounds: int) -> list[MedianRow]:
    """The same number of threads each."""
    torch.manual_seed(1)
    softmax, layer_norm = example("16_tile_softmax").softmax, example("17_tile_layer_norm").add_layer_norm
    rows = (1 << power) // COLUMNS
    x, residual, y, summed = (torch.randn(rows, COLUMNS) for _ in range(4))
    weight, bias = torch.randn(2, COLUMNS)
    side = 1 << power // 2 - 1
    a, b = (torch.randn(side, side).half() for _ in range(2))
    c = torch.zeros(side, side)
    cases = (
        (f"softmax, {rows}x{COLUMNS}", lambda: softmax(x, y), lambda: torch.softmax(x, 1)),
        (f"matmul, {side} x {side}", lambda: matmul(a, b, c), lambda: a.float() @ b.float()),
        (
            f"layer norm of a sum, {rows}x{COLUMNS}",
            lambda: layer_norm(x, residual, weight, bias, y, summed, 1e-5),
            lambda: torch.nn.functional.layer_norm(x + residual, (COLUMNS,), weight, bias, 1e-5),
        ),
    )
    with settings.scope(threads=threads):
        return [measure(f"{name}, threads {threads}", ours, theirs, rounds, 0.01) for name, ours, theirs in cases]


def compile_times() -> None:
    """CPU time from the source of a kernel to its C++ text, the compiler being loaded."""
    kernels = {
        "add": (example("15_tile_add").add, ("f32[100000]",) * 3),
        "softmax": (example("16_tile_softmax").softmax, ("f16[100,1000]",) * 2),
        "matmul": (matmul, ("f16[100,100]", "f16[100,100]", "f32[100,100]")),
    }
    for name, (kernel, arguments) in kernels.items():
        kernel.emit(*arguments)
        best = float("inf")
        for _ in range(3):
            begin = time.process_time()
            kernel.emit(*arguments)
            best = min(best, time.process_time() - begin)
        print(f"{name}: tile source to C++ text {best * 1000:.0f} ms of CPU time")


def main() -> int:
    """Measures, prints, saves; returns 1 if the floor does not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="2^20 elements, fewer rounds")
    parser.add_argument("--json", metavar="FILE", help="where to write the rows")
    options = parser.parse_args()
    power, rounds = (20, 5) if options.quick else (24, 11)
    with settings.scope(threads=1):
        rows = against_hand(power, rounds)
    show("tiles against asc by hand, one thread", rows, "by hand")
    compared: list[MedianRow] = []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        compared += against_torch(power, threads, rounds)
    show("tiles against torch", compared, "torch")
    compile_times()
    save(options.json, rows + compared)
    missed = [row for row in rows if row["ratio"] > limit(FLOOR, options.quick)]
    for row in missed:
        print(f"floor missed: {row['case']}: {row['ratio']:.2f}", file=sys.stderr)
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
