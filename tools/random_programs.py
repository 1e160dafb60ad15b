"""Runs many random programs of the kernel language on the twin and in CPython, and compares what they compute.

Run it: python tools/random_programs.py [--programs N] [--seed N] [--workers N] [--state FILE] [--json FILE]

In: a first seed. Out: a table of the counts, and for each kind of mismatch one program made small. Programs run in
batches of 200, one kernel each, in processes of their own: a crash is a result. `--state` keeps the batches that were
done, for this commit only, so that an interrupted campaign goes on. The exit code is 1 if a program fails.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

ROOT = Path(__file__).parents[1]
PER_BATCH = 200
SECONDS = 900  # for a batch: a program that never ends is a failure, too
BATCH = """
import json, sys, tempfile
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from random_kernels import failures, programs, report
seed, count = int(sys.argv[2]), int(sys.argv[3])
texts, forms = programs(seed, count)
with tempfile.TemporaryDirectory() as folder:
    wrong = failures(Path(folder), texts)
    shown = {}
    for number, (kind, _) in sorted(wrong.items(), key=lambda one: len(texts[one[0]])):
        if kind not in shown:
            shown[kind] = report(Path(folder), number, texts[number])
print(json.dumps({"programs": count, "wrong": len(wrong), "shown": shown, "forms": sum(forms.values())}))
"""


def main() -> int:
    """Runs the campaign and tells what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=50_000, metavar="N", help="how many, rounded up to batches")
    parser.add_argument("--seed", type=int, default=1000, metavar="N", help="of the first batch; the tests use 0 to 33")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, metavar="N", help="batches at a time")
    parser.add_argument("--state", type=Path, metavar="FILE", help="keeps what was done, for this commit")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write what every batch gave")
    options = parser.parse_args()
    console = Console(width=None if sys.stdout.isatty() else 120)
    began = time.monotonic()
    commit = _commit()
    done = _load(options.state, commit)
    seeds = range(options.seed, options.seed + -(-options.programs // PER_BATCH))
    left = [seed for seed in seeds if seed not in done]
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("batches", total=len(seeds), completed=len(seeds) - len(left))
        for seed, answer in _batches(left, options.workers):
            done[seed] = answer
            _save(options.state, commit, done)
            progress.advance(task)
    answers = {seed: done[seed] for seed in seeds}
    if options.json is not None:
        options.json.write_text(json.dumps({"commit": commit, "batches": answers}, indent=2) + "\n", encoding="utf-8")
    wrong = sum(int(str(answer["wrong"])) for answer in answers.values())
    _tell(answers, wrong, commit, time.monotonic() - began, console)
    return 1 if wrong else 0


def _batches(seeds: list[int], workers: int) -> Iterator[tuple[int, dict[str, object]]]:
    """The answers of batches as they come; no more are begun than workers can take."""
    with ThreadPoolExecutor(workers) as pool:
        waiting: dict[Future[dict[str, object]], int] = {}
        rest = iter(seeds)
        while True:
            for seed in rest:
                waiting[pool.submit(_batch, seed)] = seed
                if len(waiting) == workers:
                    break
            if not waiting:
                return
            finished, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for one in finished:
                yield waiting.pop(one), one.result()


def _batch(seed: int) -> dict[str, object]:
    """One batch in a process and with a store of its own."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", BATCH, str(ROOT / "tests" / "frontend"), str(seed), str(PER_BATCH)]
        environment = {**os.environ, "OPWRIGHT_CACHE_DIR": folder}
        try:
            ran = subprocess.run(
                command, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False, cwd=folder
            )
        except subprocess.TimeoutExpired:
            return _failed(f"batch {seed} did not end within {SECONDS} s")
        if ran.returncode != 0:
            return _failed(f"batch {seed} ended with {ran.returncode}: {ran.stderr[-2000:]}")
    answer: dict[str, object] = json.loads(ran.stdout.splitlines()[-1])
    return answer


def _failed(why: str) -> dict[str, object]:
    return {"programs": PER_BATCH, "wrong": PER_BATCH, "shown": {"the batch failed": why}, "forms": 0}


def _tell(answers: dict[int, dict[str, object]], wrong: int, commit: str, seconds: float, console: Console) -> None:
    """The table, and one program for each kind of failure."""
    table = Table("random programs", "batches", "forms", "mismatches", "seconds", "commit")
    programs = sum(int(str(answer["programs"])) for answer in answers.values())
    forms = sum(int(str(answer["forms"])) for answer in answers.values())
    table.add_row(f"{programs:,}", str(len(answers)), f"{forms:,}", str(wrong), f"{seconds:.0f}", commit)
    console.print(table)
    shown: dict[str, str] = {}
    for answer in answers.values():
        kinds = answer["shown"]
        assert isinstance(kinds, dict)
        for kind, text in kinds.items():
            shown.setdefault(kind, text)
    for kind, text in shown.items():
        console.print(f"\n{kind}:\n{text}", markup=False, highlight=False)


def _commit() -> str:
    """The commit, with a mark if files differ from it."""
    said = subprocess.run(
        ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=10"],
        capture_output=True,
        text=True,
        check=True,
    )
    return said.stdout.strip()


def _load(path: Path | None, commit: str) -> dict[int, dict[str, object]]:
    """Batches that were done at this commit."""
    if path is None or not path.exists():
        return {}
    state = json.loads(path.read_text(encoding="utf-8"))
    return {int(seed): answer for seed, answer in state["batches"].items()} if state["commit"] == commit else {}


def _save(path: Path | None, commit: str, done: dict[int, dict[str, object]]) -> None:
    if path is not None:
        new = path.with_suffix(".new")
        new.write_text(json.dumps({"commit": commit, "batches": done}), encoding="utf-8")
        new.replace(path)


if __name__ == "__main__":
    sys.exit(main())
