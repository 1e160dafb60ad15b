"""A whole matrix product on the twin (nd2nz, load_data, mmad, fixpipe) against torch.matmul, side by side.

Run it: python benchmarks/matmul_twin.py [--quick] [--json FILE]
Says nothing about an NPU: it measures the CPU twin. Ends with 1 if a floor does not hold.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

import torch
from _table import MedianRow, limit, measure, save, show
from matmul_kernels import TILE, matmul

from opwright.settings import settings

SIZES = (512, 1024, 2048)
HELD = (512, 1024)  # the sizes whose floors are held: of a short measurement, and of a whole one
FLOORS = {"float32": 4.0, "float16": 4.0}  # bfloat16 and int8 are told only


def product(dtype: str, size: int, threads: int, rounds: int) -> MedianRow:
    """C = A x B, square, each core a tile of C after the other."""
    torch.manual_seed(1)
    kind = getattr(torch, dtype)
    if kind == torch.int8:
        a, b = (torch.randint(-128, 128, (size, size), dtype=kind) for _ in range(2))
        theirs: Callable[[], torch.Tensor] = lambda: torch._int_mm(a, b)  # noqa: E731
    else:
        a, b = (torch.randn(size, size).to(kind) for _ in range(2))
        theirs = lambda: torch.matmul(a, b)  # noqa: E731
    c = torch.full((size, size), -1, dtype=torch.int32 if kind == torch.int8 else torch.float32)
    cores = min(20, (size // TILE) ** 2)
    with settings.scope(threads=threads):
        row = measure(
            f"{dtype}, {size}, threads {threads}",
            lambda: matmul[cores](a, b, c, size, size, size),
            theirs,
            rounds,
            0.02,
        )
    wide = torch.int32 if kind == torch.int8 else torch.float64
    exact = a.to(wide) @ b.to(wide)
    # Each element is a sum of `size` products, every step rounded to float32.
    bound = 0 if kind == torch.int8 else (size + 1) * 2.0**-24 * (a.to(wide).abs() @ b.to(wide).abs())
    if not ((c.to(wide) - exact).abs() <= bound).all():
        raise SystemExit(f"{row['case']}: wrong result")
    return row


def main() -> int:
    """Measures, prints, saves; returns 1 if a floor does not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help=f"only {HELD[0]}, fewer rounds")
    parser.add_argument("--json", metavar="FILE", help="where to write the rows")
    options = parser.parse_args()
    sizes, rounds = (HELD[:1], 3) if options.quick else (SIZES, 11)
    rows: list[MedianRow] = []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        rows += [
            product(dtype, size, threads, rounds)
            for dtype in ("float32", "float16", "bfloat16", "int8")
            for size in sizes
        ]
    show("Matrix products on the twin", rows, "torch")
    save(options.json, rows)
    size = HELD[0] if options.quick else HELD[1]
    held = {f"{dtype}, {size}": limit(floor, options.quick) for dtype, floor in FLOORS.items()}
    missed = [row for row in rows if row["ratio"] > held.get(row["case"].rpartition(",")[0], float("inf"))]
    for row in missed:
        print(f"floor missed: {row['case']}: {row['ratio']:.2f}", file=sys.stderr)
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
