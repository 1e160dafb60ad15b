"""Vector add on the twin: against torch.add, against hand-written Ascend C, per launch, cold, and from the disk.

Run it: python benchmarks/vector_add.py [--quick] [--json FILE]
Says nothing about an NPU: it measures the CPU twin.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from _table import MedianRow, limit, measure, save, show
from vector_add_kernel import vadd

from opwright.ascendc.kernel_types import AIV
from opwright.settings import settings
from opwright.store.store import Store
from opwright.twin.build import build_kernel, entry_text
from opwright.twin.launch import Kernel, load_entry
from opwright.twin.toolchain import toolchain

HERE = Path(__file__).parent
FLOOR_PLAIN, FLOOR_COLD = 1.2, 1.5
GOAL_HIT = 0.12  # seconds of a process that finds its kernel in the cache, without NumPy's import
CORES = {14: 1, 20: 8, 26: 8}


def tensors(length: int) -> list[torch.Tensor]:
    """x, y and an output full of NaN."""
    torch.manual_seed(1)
    return [torch.rand(length), torch.rand(length), torch.full((length,), float("nan"))]


def against_torch(quick: bool) -> list[MedianRow]:
    """Sizes x tiles x threads x elision."""
    rows = []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        for power in (14, 20) if quick else (14, 20, 26):
            x, y, z = tensors(1 << power)
            expected = torch.add(x, y)
            out = torch.empty_like(z)
            cores = CORES[power]
            for tile in (1024, 2048, 8192):
                for elide in (False, True):
                    with settings.scope(threads=threads, elide=elide):
                        case = f"2^{power} tile {tile} threads {threads} {'elided' if elide else 'plain'}"
                        rounds = 5 if quick else 9
                        launch = vadd[cores]
                        length = x.numel() // cores
                        rows.append(
                            measure(
                                case,
                                lambda: launch(x, y, z, length, tile),  # noqa: B023
                                lambda: torch.add(x, y, out=out),  # noqa: B023
                                rounds,
                                0.01,
                            )
                        )
                        if not torch.equal(z, expected):
                            raise SystemExit(f"{case}: wrong result")
    return rows


def by_hand(rounds: int) -> list[MedianRow]:
    """The generated kernel against one that a person wrote over the same headers."""
    x, y, z = tensors(1 << 20)
    length = x.numel() // 8
    with settings.scope(threads=1):
        vadd[8](x, y, z, length)
        generated = vadd.compiled(x, y, z, length)
        hand = dataclasses.replace(generated, entries={AIV: hand_written_entry(generated)})
        bound = vadd.binder.bind((x, y, z, length, 2048), {})
        ours, theirs = (lambda: generated.run(8, bound)), (lambda: hand.run(8, bound))
        return [measure("generated / by hand, 2^20", ours, theirs, rounds, 0.01)]


def hand_written_entry(generated: Kernel) -> int:
    """Compiles the hand-written text as a generated one is."""
    text = (HERE / "vector_add_by_hand.cpp").read_text()
    store = Store(settings.cache_dir)
    with store.workspace() as folder:
        built = build_kernel(toolchain(store), text, entry_text("vadd", [kind for _, kind in generated.types]), folder)
    path = store.blob(store.save_blob(built.data, ".so"), ".so")
    assert path is not None
    return load_entry(path)


def warm_launch(rounds: int) -> list[MedianRow]:
    """One launch of 4 arguments on 1 core, against the cheapest call that torch has."""
    torch.set_num_threads(1)
    x, y, z = tensors(256)
    arrays = [tensor.numpy() for tensor in (x, y, z)]
    launch = vadd[1]
    return [
        measure("warm launch, torch", lambda: launch(x, y, z, 256), lambda: torch.add(x, y, out=z), rounds, 0.02),
        measure(
            "warm launch, NumPy",
            lambda: launch(*arrays, 256),
            lambda: np.add(arrays[0], arrays[1], out=arrays[2]),
            rounds,
            0.02,
        ),
    ]


FRESH = """
import sys, time
begin = time.perf_counter()
import numpy
imported = time.perf_counter()
sys.path.insert(0, {here!r})
from vector_add_kernel import vadd
ready = time.perf_counter()
x, y, z = (numpy.ones(4096, numpy.float32) for _ in range(3))
vadd[1](x, y, z, 4096)
done = time.perf_counter()
assert (z == 2).all()
loaded = [name for name in ("xdsl", "opwright.frontend", "opwright.ir", "torch") if name in sys.modules]
print(done - begin, imported - begin, ready - imported, done - ready, ",".join(loaded) or "none")
"""


def fresh_process(cache: str) -> tuple[float, str, str]:
    """Seconds from a new interpreter to its first result, and what was said on the way."""
    env = {**os.environ, "OPWRIGHT_CACHE_DIR": cache, "OPWRIGHT_DEBUG": "1"}
    begin = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", FRESH.format(here=str(HERE))], env=env, capture_output=True, text=True, check=True
    )
    return time.perf_counter() - begin, done.stdout, done.stderr


def cold_and_disk(report: Callable[[str], None], times: int) -> tuple[float, float]:
    """A first run on an empty cache, and one that finds its kernel there, without NumPy's import; best of some."""
    colds, hits = [], []
    for _ in range(times):
        with tempfile.TemporaryDirectory() as cache:
            colds.append(fresh_process(cache))
            hits += [fresh_process(cache) for _ in range(4)]
    for name, runs, target in (
        ("cold", colds, f"floor {FLOOR_COLD} s"),
        ("disk hit", hits, f"goal {GOAL_HIT * 1e3:.0f} ms without NumPy's import"),
    ):
        total, said, steps = min(runs)
        inside, numpy_time, own, first = (f"{float(part) * 1e3:.0f} ms" for part in said.split()[:4])
        report(f"{name}: {total * 1e3:.0f} ms for the process ({target}), {inside} after Python's start:")
        report(f"  import numpy {numpy_time}, import opwright.asc {own}, first launch {first}")
        report(f"  of xdsl, opwright.frontend, opwright.ir and torch it loaded: {said.split()[4]}")
        for line in steps.splitlines():
            report(f"  {line}")
    return min(colds)[0], min(total - float(said.split()[1]) for total, said, _ in hits)


def main() -> int:
    """Measures, prints, saves; returns 1 if a floor does not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="no 2^26 and fewer rounds")
    parser.add_argument("--json", metavar="FILE", help="where to write the rows")
    options = parser.parse_args()

    rows = against_torch(options.quick)
    show("against torch.add(out=), float32", rows, "torch")
    rounds = 5 if options.quick else 15
    hand = by_hand(rounds)
    show("against hand-written Ascend C over the same headers", hand, "by hand")
    launches = warm_launch(rounds)
    show("warm launch, 4 arguments, 1 core, 256 elements (goal 10 us)", launches, "torch / NumPy")
    cold, hit = cold_and_disk(print, 2 if options.quick else 5)
    limits = [against_limit("cold start / floor", cold, FLOOR_COLD), against_limit("disk hit / goal", hit, GOAL_HIT)]
    save(options.json, [*rows, *hand, *launches, *limits])
    for line in goals_missed(rows, launches, hit):
        print(f"goal missed: {line}")
    missed = floors_missed(rows, cold, options.quick)
    for line in missed:
        print(f"floor missed: {line}")
    return int(bool(missed))


def against_limit(case: str, seconds: float, limit: float) -> MedianRow:
    """A figure beside what it should not exceed."""
    ratio = seconds / limit
    return {"case": case, "ours": seconds, "theirs": limit, "ratio": ratio, "median_ratio": ratio}


def goals_missed(rows: list[MedianRow], launches: list[MedianRow], hit: float) -> list[str]:
    """Which goals are not reached; nothing fails for them."""
    missed = [f"{row['case']}: {row['ours'] * 1e6:.1f} us > 10 us" for row in launches if row["ours"] > 10e-6]
    missed += [f"disk hit {hit * 1e3:.0f} ms > {GOAL_HIT * 1e3:.0f} ms"] if hit > GOAL_HIT else []
    elided = [row for row in rows if row["case"].startswith("2^26") and row["case"].endswith("elided")]
    return missed + [f"{row['case']}: {row['ratio']:.2f} > 1.0" for row in elided if row["ratio"] > 1.0]


def floors_missed(rows: list[MedianRow], cold: float, is_quick: bool) -> list[str]:
    """Which floors do not hold; at 2^26 without elision the best tile size counts."""
    slowest = limit(FLOOR_COLD, is_quick)
    missed = [f"cold start {cold:.2f} s > {slowest} s"] if cold > slowest else []
    for threads in (1, 2):
        ratios = [
            row["ratio"] for row in rows if row["case"].startswith("2^26") and f"threads {threads} plain" in row["case"]
        ]
        if ratios and min(ratios) > (most := limit(FLOOR_PLAIN, is_quick)):
            missed.append(f"2^26 plain on {threads} threads: {min(ratios):.2f} > {most}")
    return missed


if __name__ == "__main__":
    sys.exit(main())
