"""SIMT on the twin: elementwise add and 3-D strided copies against torch, side by side; barriers per second.

Run it: python benchmarks/simt.py [--quick] [--json FILE]
Says nothing about an NPU: it measures the CPU twin. Ends with 1 if a floor does not hold.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

import numpy as np
import torch
from _table import MedianRow, limit, measure, save, show
from simt_kernels import add, barriers, shuffles, strided_copy

from opwright.settings import settings

FLOORS = {"add": 1.5, "copy": 2.0}
BLOCK = 1024


def adds(power: int, threads: int, rounds: int) -> MedianRow:
    """z = x + y of 2^power float32, a thread for each element."""
    torch.manual_seed(1)
    x, y = torch.rand(1 << power), torch.rand(1 << power)
    z, out = torch.full_like(x, float("nan")), torch.empty_like(x)
    grid = x.numel() // BLOCK
    with settings.scope(threads=threads):
        row = measure(
            f"add, 2^{power}, threads {threads}",
            lambda: add[grid, BLOCK](x, y, z, x.numel()),
            lambda: torch.add(x, y, out=out),
            rounds,
            0.01,
        )
    if not torch.equal(z, out):
        raise SystemExit(f"{row['case']}: wrong result")
    return row


def copies(power: int, threads: int, rounds: int) -> list[MedianRow]:
    """A 3-D view of some 2^power float32 into a plain tensor: a block for each row of the result."""
    side = (1 << (power - 17)) - 1  # a grid has at most 65535 blocks
    base = torch.rand(side, 256, 512)
    wide = torch.rand(side, 512, 1024)
    views = {
        "rows in another order (1, 0, 2)": base.permute(1, 0, 2),
        "every second row and column": wide[:, ::2, ::2],
        "turned over (0, 2, 1)": base.permute(0, 2, 1),
    }
    rows = []
    for name, view in views.items():
        source = wide if view.data_ptr() == wide.data_ptr() else base
        y = torch.full(tuple(view.shape), float("nan"))
        out = torch.empty_like(y)
        n0, n1, n2 = view.shape
        with settings.scope(threads=threads):
            row = measure(
                f"copy, {name}, {side}x256x512, threads {threads}",
                lambda: strided_copy[(n1, n0), n2](source, y, n2, *view.stride()),  # noqa: B023
                lambda: out.copy_(view),  # noqa: B023
                rounds,
                0.01,
            )
        if not torch.equal(y, view):
            raise SystemExit(f"{row['case']}: wrong result")
        rows.append(row)
    return rows


def meetings(counts: Sequence[int]) -> None:
    """How often threads can meet: every arrival of a thread counts."""
    turns, grid = 200, 4
    for threads in counts:
        for name, kernel in (("barrier", barriers), ("warp call", shuffles)):
            y = np.zeros(grid * threads, np.int32)
            with settings.scope(threads=1):
                kernel[grid, threads](y, 1)
                best = float("inf")
                for _ in range(3):
                    begin = time.perf_counter()
                    kernel[grid, threads](y, turns)
                    best = min(best, time.perf_counter() - begin)
            said = f"{name}, {threads} threads: {turns * grid / best:,.0f} per second"
            print(f"{said}, {grid * threads * turns / best / 1e6:.1f} million arrivals of threads")


def main() -> int:
    """Measures, prints, saves; returns 1 if a floor does not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="2^22 elements, fewer rounds")
    parser.add_argument("--json", metavar="FILE", help="where to write the rows")
    options = parser.parse_args()
    power, rounds = (22, 3) if options.quick else (24, 11)
    rows: list[MedianRow] = []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        rows += [adds(power, threads, rounds), *copies(power, threads, rounds)]
    show("SIMT on the twin", rows, "torch")
    meetings((32, 1024) if options.quick else (32, 256, 1024, 2048))
    save(options.json, rows)
    missed = [row for row in rows if row["ratio"] > limit(FLOORS[row["case"].partition(",")[0]], options.quick)]
    for row in missed:
        print(f"floor missed: {row['case']}: {row['ratio']:.2f}", file=sys.stderr)
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
