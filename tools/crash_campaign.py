"""Calls kernels, commands and the store in hostile ways, each in a process of its own, and counts crashes and hangs.

Run it: python tools/crash_campaign.py [--only TEXT] [--workers N] [--json FILE]

In: the cases of `crash/cases.py`: arguments, launches, threads, commands, settings, contents of the store. Out: a table
by group, and what went wrong. A case may work or be refused, by an error of ours or by a TypeError, ValueError or
OverflowError. It must not end by a signal, by any other exception, or not at all. The exit code is 1 if one does.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from crash.cases import CASES, PRELUDE, Case
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

SECONDS = 120
OUTCOMES = ("worked", "refused", "other exception", "crash", "hang")
RUN = """
import sys
from pathlib import Path
import prelude
from opwright.errors import OpwrightError
try:
    exec(compile(Path("case.py").read_text(), "case.py", "exec"), vars(prelude))
except (OpwrightError, TypeError, ValueError, OverflowError) as error:
    print(f"{type(error).__name__}: {error}", file=sys.stderr)
    sys.exit(3)
"""


@dataclass(frozen=True)
class Outcome:
    """What came of a case; `said`: the end of what it printed."""

    group: str
    name: str
    outcome: str
    seconds: float
    said: str


def main() -> int:
    """Runs all cases and tells."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="TEXT", help='only cases whose "group: name" contains this')
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, metavar="N", help="cases at a time")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write every outcome")
    options = parser.parse_args()
    console = Console(width=None if sys.stdout.isatty() else 120)
    cases = [case for case in CASES if options.only in f"{case.group}: {case.name}"]
    with Progress(console=console, transient=True) as progress, ThreadPoolExecutor(options.workers) as pool:
        outcomes = list(progress.track(pool.map(run, cases), total=len(cases), description="cases"))
    if options.json is not None:
        options.json.write_text(json.dumps([asdict(one) for one in outcomes], indent=2) + "\n", encoding="utf-8")
    table = Table("group", "cases", *OUTCOMES)
    for group in dict.fromkeys(one.group for one in outcomes):
        count = Counter(one.outcome for one in outcomes if one.group == group)
        table.add_row(group, str(count.total()), *(str(count[outcome]) for outcome in OUTCOMES))
    console.print(table)
    bad = [one for one in outcomes if one.outcome not in ("worked", "refused")]
    for one in bad:
        console.print(f"{one.outcome}: {one.group}: {one.name}\n{one.said}", markup=False, highlight=False)
    count = Counter(one.outcome for one in outcomes)
    print(f"cases {len(outcomes)}, crashes {count['crash']}, hangs {count['hang']}, others {count['other exception']}")
    return 1 if bad else 0


def run(case: Case) -> Outcome:
    """One case in a process, a folder and a store of its own."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "prelude.py").write_text(PRELUDE, encoding="utf-8")
        (Path(folder) / "case.py").write_text(case.text, encoding="utf-8")
        environment = {**os.environ, "OPWRIGHT_CACHE_DIR": str(Path(folder) / "store"), **case.settings}
        try:
            ran = subprocess.run(
                [sys.executable, "-c", RUN],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Outcome(case.group, case.name, "hang", time.monotonic() - began, "")
    kind = {0: "worked", 3: "refused"}.get(ran.returncode, "crash" if ran.returncode < 0 else "other exception")
    return Outcome(case.group, case.name, kind, time.monotonic() - began, ran.stderr[-1500:])


if __name__ == "__main__":
    sys.exit(main())
