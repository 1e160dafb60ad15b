"""What checking costs: the checked twin against the fast one without elision, side by side on the same threads.

Run it: python benchmarks/checked.py [--quick] [--json FILE]
Says nothing about an NPU: it measures the CPU twin. Ends with 1 if a floor does not hold.
"""

from __future__ import annotations

import argparse
import resource
import sys

import numpy as np
from _table import MedianRow, limit, measure, save, show
from checked_kernels import row_softmax
from vector_add_kernel import vadd

from opwright.settings import settings

GOAL = 3.0
FLOORS = {"add tile 256": 6.0, "add tile 2048": 4.0, "softmax with masks": 6.0}
CORES = 8


def adds(power: int, tile: int, threads: int, rounds: int) -> MedianRow:
    """Vector add of 2^power float32."""
    x, y = (np.random.default_rng(seed).random(1 << power, np.float32) for seed in (1, 2))
    z = np.full_like(x, np.nan)
    length = x.size // CORES
    with settings.scope(threads=threads, elide=False):
        row = measure(
            f"add tile {tile}, 2^{power}, threads {threads}",
            lambda: vadd.check[CORES](x, y, z, length, tile),
            lambda: vadd[CORES](x, y, z, length, tile),
            rounds,
            0.01,
        )
    if not np.array_equal(z, x + y):
        raise SystemExit(f"{row['case']}: wrong result")
    return row


def softmax(rows: int, threads: int, rounds: int) -> MedianRow:
    """Softmax of rows of 1000 float32."""
    x = np.random.default_rng(3).standard_normal((rows, 1000), np.float32)
    z = np.full_like(x, np.nan)
    with settings.scope(threads=threads, elide=False):
        row = measure(
            f"softmax with masks, {rows}x1000, threads {threads}",
            lambda: row_softmax.check[CORES](x, z, rows // CORES),
            lambda: row_softmax[CORES](x, z, rows // CORES),
            rounds,
            0.01,
        )
    expected = np.exp(x - x.max(1, keepdims=True))
    if not np.allclose(z, expected / expected.sum(1, keepdims=True), rtol=1e-5, atol=0):
        raise SystemExit(f"{row['case']}: wrong result")
    return row


def peak() -> str:
    """The most memory that this process has had so far."""
    return f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB"


def main() -> int:
    """Measures, prints, saves; returns 1 if a floor does not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="2^20 and 512 rows, fewer rounds")
    parser.add_argument("--json", metavar="FILE", help="where to write the rows")
    options = parser.parse_args()
    power, count, rounds = (20, 512, 3) if options.quick else (24, 4096, 5)

    with settings.scope(elide=False):
        x = np.ones(1 << power, np.float32)
        vadd[CORES](x, x, x.copy(), x.size // CORES, 256)
    print(f"peak memory: {peak()} after a fast launch")
    rows = []
    for threads in (1, 2):
        rows += [adds(power, tile, threads, rounds) for tile in (256, 2048)]
        rows.append(softmax(count, threads, rounds))
    show("checked against fast without elision", rows, "fast")
    print(f"peak memory: {peak()} after checked launches")
    save(options.json, rows)
    missed = 0
    for row in rows:
        floor = limit(FLOORS[row["case"].partition(",")[0]], options.quick)
        if row["ratio"] > floor:
            missed += 1
            print(f"floor missed: {row['case']}: {row['ratio']:.2f} > {floor}")
        elif row["ratio"] > GOAL:
            print(f"goal missed: {row['case']}: {row['ratio']:.2f} > {GOAL}")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
