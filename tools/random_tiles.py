"""Runs many random expressions over tiles on the twin and in NumPy, and compares what they compute.

Run it: python tools/random_tiles.py [--expressions N] [--seed N] [--jobs N] [--state FILE]

In: a first seed. Out: a line for each batch, and one with the counts; of what is wrong the kernel. Batches go through
SoCs and element types in turn, and every 16th has products of matrices: `tests/tile/random_tiles.py` says what is
compared. They run in processes of their own, several at once with --jobs: a crash is a result. `--state` keeps the
batches that were done, for this commit only, so that an interrupted campaign goes on. The exit code is 1 if something
is wrong.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone
from itertools import product
from pathlib import Path

ROOT = Path(__file__).parents[1]
SECONDS = 3000  # for a batch
FIRST_SEED = 1000  # the tests use those from 0 on
BATCH = """
import json, sys, tempfile
from dataclasses import asdict
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import random_tiles
with tempfile.TemporaryDirectory() as folder:
    batch = getattr(random_tiles, sys.argv[2])(Path(folder), int(sys.argv[3]), *sys.argv[4:], times=2)
print(json.dumps(asdict(batch)))
"""


def main() -> int:
    """Runs the campaign and says what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--expressions", type=int, default=20_000, metavar="N", help="how many, at least")
    parser.add_argument("--seed", type=int, default=FIRST_SEED, metavar="N", help="of the first batch")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="batches at once")
    parser.add_argument("--state", type=Path, metavar="FILE", help="keeps what was done, for this commit")
    options = parser.parse_args()
    commit = subprocess.run(
        ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=10"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    done = _load(options.state, commit)
    total, wrong, refused, seed = 0, 0, 0, options.seed
    with ThreadPoolExecutor(options.jobs) as pool:
        while total < options.expressions:
            seeds = [one for one in range(seed, seed + options.jobs) if str(one) not in done]
            for one, answer in zip(seeds, pool.map(_batch, seeds), strict=True):
                done[str(one)] = answer
            _save(options.state, commit, done)
            for one in range(seed, seed + options.jobs):
                answer = done[str(one)]
                total += answer["expressions"]
                wrong += len(answer["wrong"])
                refused += len(answer["refused"])
                words = ", ".join(_case(one))
                print(f"seed {one}, {words}: {total:,} expressions, {wrong} wrong, {refused} refused", flush=True)
                for text in [*answer["wrong"], *answer["refused"]]:
                    print(text, flush=True)
            seed += options.jobs
    date = datetime.now(timezone.utc).date()
    print(
        f"{date}, commit {commit}: {total:,} expressions of seeds {options.seed} to {seed - 1}, {wrong} wrong, "
        f"{refused} kernels refused"
    )
    return 1 if wrong else 0


def _case(seed: int) -> tuple[str, ...]:
    """What a batch has: a function of `tests/tile/random_tiles.py`, a SoC, a type."""
    socs, types = ("ascend910b", "ascend950", "ascend910_93"), ("float32", "float16", "bfloat16")
    if seed % 16 == 15:
        return "products_of", socs[seed // 16 % 2]
    return "expressions_of", *list(product(socs, types))[seed % 9]


def _batch(seed: int) -> dict:
    """One batch in a process of its own."""
    function, *rest = _case(seed)
    command = [sys.executable, "-c", BATCH, str(ROOT / "tests" / "tile"), function, str(seed), *rest]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return {"expressions": 0, "wrong": [f"batch {seed} did not end within {SECONDS} s"], "refused": []}
    if ran.returncode != 0:
        said = f"batch {seed} ended with {ran.returncode}: {ran.stderr[-3000:]}"
        return {"expressions": 0, "wrong": [said], "refused": []}
    answer: dict = json.loads(ran.stdout.splitlines()[-1])
    return answer


def _load(path: Path | None, commit: str) -> dict[str, dict]:
    """Batches that were done at this commit."""
    if path is None or not path.exists():
        return {}
    state = json.loads(path.read_text(encoding="utf-8"))
    return dict(state["batches"]) if state["commit"] == commit else {}


def _save(path: Path | None, commit: str, done: dict[str, dict]) -> None:
    if path is not None:
        new = path.with_suffix(".new")
        new.write_text(json.dumps({"commit": commit, "batches": done}), encoding="utf-8")
        new.replace(path)


if __name__ == "__main__":
    sys.exit(main())
