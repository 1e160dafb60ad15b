"""What every benchmark shares: timing two sides in turns, a table for people, JSON for machines.

In: cases with two functions. Out: rows {"case", "ours", "theirs", "ratio"} in seconds; in a file also CPU, date, commit
and command.
"""

from __future__ import annotations

import datetime
import json
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TypedDict

from rich.console import Console
from rich.table import Table


class Row(TypedDict):
    """One case: best times of both sides, and their ratio."""

    case: str
    ours: float
    theirs: float
    ratio: float


class MedianRow(Row):
    """With the ratio of the medians beside it."""

    median_ratio: float


def measure(
    case: str,
    ours: Callable[[], object],
    theirs: Callable[[], object],
    rounds: int,
    seconds: float,
    clock: Callable[[], float] = time.perf_counter,
) -> MedianRow:
    """Times both sides in turns, so that noise hits both alike; each turn repeats a short function."""
    sides = (ours, theirs)
    repeats = []
    for side in sides:
        side()
        begin = clock()
        side()
        repeats.append(max(1, int(seconds / (clock() - begin + 1e-9))))
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for side, count, kept in zip(sides, repeats, times, strict=True):
            # OpenMP threads spin for some milliseconds after their work and would take the other side's core.
            time.sleep(0.02)
            side()
            begin = clock()
            for _ in range(count):
                side()
            kept.append((clock() - begin) / count)
    best = [min(kept) for kept in times]
    medians = [statistics.median(kept) for kept in times]
    return {
        "case": case,
        "ours": best[0],
        "theirs": best[1],
        "ratio": best[0] / best[1],
        "median_ratio": medians[0] / medians[1],
    }


def show(title: str, rows: Sequence[MedianRow], theirs: str) -> None:
    """Prints a table."""
    table = Table(title=title, title_justify="left")
    table.add_column("case")
    for column in ("ours", theirs, "ours / theirs", "by medians"):
        table.add_column(column, justify="right")
    for row in rows:
        ours, other = (f"{row[side] * 1e6:,.1f} us" for side in ("ours", "theirs"))  # type: ignore[literal-required]
        table.add_row(row["case"], ours, other, f"{row['ratio']:.2f}", f"{row['median_ratio']:.2f}")
    Console(width=110).print(table)


def save(path: str | None, rows: Sequence[Mapping[str, object]]) -> None:
    """Writes the rows as JSON, with where and when they were measured."""
    if path:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(json.dumps({**_origin(), "rows": rows}, indent=1) + "\n", encoding="utf-8")


def _origin() -> dict[str, str]:
    """What a time must be named with: CPU, date, commit, command."""
    root = Path(__file__).parents[1]
    asked = ["git", "-C", str(root), "rev-parse", "--short=8", "HEAD"]
    commit = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    cpu = Path("/proc/cpuinfo")
    lines = cpu.read_text(encoding="utf-8").splitlines() if cpu.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    arguments = [one for one in sys.argv[1:] if not one.endswith(".json") and one != "--json"]
    return {
        "cpu": models[0] if models else platform.machine(),
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "commit": commit or "unknown",
        "command": " ".join(["python", f"benchmarks/{Path(sys.argv[0]).name}", *arguments]),
    }


def limit(floor: float, is_quick: bool) -> float:
    """What a ratio may be: the floor, twice as much in a short measurement beside busy neighbours.

    Floors were measured on CPUs with AVX-512 VBMI; another CPU may have twice as much again.
    """
    return floor * (2 if is_quick else 1) * (1 if _has_vbmi() else 2)


@cache
def _has_vbmi() -> bool:
    cpu = Path("/proc/cpuinfo")
    return cpu.exists() and "avx512_vbmi" in cpu.read_text(encoding="utf-8")
