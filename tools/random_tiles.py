"""Runs many random expressions over tiles on the twin and in NumPy, and compares what they compute.

Run it: python tools/random_tiles.py [--expressions N] [--seed N] [--state FILE]

In: a first seed. Out: a line for each batch of 80 expressions, and one with the counts; of what is wrong the kernel.
Batches run in processes of their own and go through SoCs and element types in turn: `tests/tile/random_tiles.py` says
what is compared. `--state` keeps the batches that were done, for this commit only, so that an interrupted campaign goes
on. The exit code is 1 if something is wrong.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from datetime import datetime, timezone
from itertools import product
from pathlib import Path

ROOT = Path(__file__).parents[1]
SECONDS = 3000  # for a batch
FIRST_SEED = 1000  # the tests use 0 to 12
BATCH = """
import json, sys, tempfile
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from random_tiles import failures
with tempfile.TemporaryDirectory() as folder:
    wrong, expressions = failures(Path(folder), int(sys.argv[2]), sys.argv[3], sys.argv[4])
print(json.dumps({"expressions": expressions, "wrong": wrong}))
"""


def main() -> int:
    """Runs the campaign and says what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--expressions", type=int, default=20_000, metavar="N", help="how many, at least")
    parser.add_argument("--seed", type=int, default=FIRST_SEED, metavar="N", help="of the first batch")
    parser.add_argument("--state", type=Path, metavar="FILE", help="keeps what was done, for this commit")
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT / "tests" / "tile"))
    from random_tiles import SOCS, TYPES

    commit = subprocess.run(
        ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=10"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    done = _load(options.state, commit)
    places = list(product(SOCS, TYPES))
    total, wrong, seed = 0, 0, options.seed
    while total < options.expressions:
        soc, dtype = places[seed % len(places)]
        if str(seed) not in done:
            done[str(seed)] = _batch(seed, soc, dtype)
            _save(options.state, commit, done)
        answer = done[str(seed)]
        total += answer["expressions"]
        wrong += len(answer["wrong"])
        print(f"seed {seed}, {soc}, {dtype}: {total:,} expressions, {wrong} wrong", flush=True)
        for text in answer["wrong"]:
            print(text, flush=True)
        seed += 1
    date = datetime.now(timezone.utc).date()
    print(f"{date}, commit {commit}: {total:,} expressions of seeds {options.seed} to {seed - 1}, {wrong} wrong")
    return 1 if wrong else 0


def _batch(seed: int, soc: str, dtype: str) -> dict:
    """One batch in a process of its own: a crash is a result."""
    command = [sys.executable, "-c", BATCH, str(ROOT / "tests" / "tile"), str(seed), soc, dtype]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return {"expressions": 0, "wrong": [f"batch {seed} did not end within {SECONDS} s"]}
    if ran.returncode != 0:
        return {"expressions": 0, "wrong": [f"batch {seed} ended with {ran.returncode}: {ran.stderr[-3000:]}"]}
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
