"""Removes synchronisation from every example and test kernel, one piece at a time, and counts what is not noticed.

Run it: python tools/mutate_sync.py [--only TEXT] [--most N] [--jobs N] [--json FILE]

In: the examples and tests of this repository, run once on the checked twin to collect their launches. Out: a table, and
as the last line "mutants N, caught N, equivalent N, missed N". A mutant is a kernel with a flag, a barrier, an enque or
deque or the offset of a buffer taken out of its IR. It is caught if the checked twin finds an error; the table shows
apart those of which only a result changed although everything is in order, and those that never end. A survivor is
equivalent only if a brute-force happens-before over its whole trace (`mutation/order.py`, which shares nothing with the
engine) orders all its conflicting pairs; otherwise it is missed. The exit code is 1 if one is missed or crashes the
twin, or if a race is reported where the brute force sees none.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from mutation.judge import RESULTS, Verdict, judge, rules, tools
from mutation.launches import Original, collect
from mutation.mutants import Mutant, mutants_of
from mutation.order import unordered
from rich.console import Console
from rich.progress import Progress
from rich.table import Column, Table

from opwright.runtime.place import Place
from opwright.twin.report import locate

NEVER_ENDS = "never ends"
SECONDS = 30  # a mutant may take: a removal can make a loop endless


@dataclass(frozen=True)
class Judged:
    """A mutant with its verdict."""

    kernel: str
    mutant: Mutant
    places: tuple[str, ...]
    verdict: Verdict


def main() -> int:
    """Collects, mutates, judges, tells."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="TEXT", help='only kernels whose "file:name" contains this')
    parser.add_argument("--most", type=int, metavar="N", help="a sample of so many mutants, the same every time")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="processes at a time")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write every verdict")
    options = parser.parse_args()
    console = Console(width=None if sys.stdout.isatty() else 120)
    began = time.monotonic()
    tools()  # the library is built before processes need it
    originals, skipped = collect(options.only)
    work = [(original, mutant) for original in originals for mutant in mutants_of(original.program.ir)]
    console.print(f"{len(originals)} kernels, {len(work)} mutants; collected in {time.monotonic() - began:.0f} s")
    words = ", ".join(f"{why} {number}" for why, number in skipped.most_common())
    console.print(f"{skipped.total()} launches left out{f': {words}' if words else ''}")
    wrong = [original for original in originals if unordered(original.run.events, rules(original.launch.kernel))]
    if options.most is not None and options.most < len(work):
        work = random.Random(1).sample(work, options.most)
    judged = _judge_all(work, options.jobs, console)
    _tell(judged, wrong, console)
    if options.json is not None:
        options.json.write_text(json.dumps([_as_json(one) for one in judged], indent=2) + "\n", encoding="utf-8")
    console.print(f"{time.monotonic() - began:.0f} s")
    count = Counter(one.verdict.outcome for one in judged)
    alarms = sum(one.verdict.false_alarm for one in judged)
    caught, equivalent, missed = (count[outcome] for outcome in ("caught", "equivalent", "missed"))
    print(f"mutants {len(judged)}, caught {caught}, equivalent {equivalent}, missed {missed}")
    return 1 if missed or count["crash"] or alarms or wrong else 0


def _judge_all(work: list[tuple[Original, Mutant]], jobs: int, console: Console) -> list[Judged]:
    """Each mutant in a process of its own, which may crash or hang."""
    judged: list[Judged | None] = [None] * len(work)
    with Progress(console=console, transient=True) as progress, ThreadPoolExecutor(jobs) as pool:
        task = progress.add_task("mutants", total=len(work))
        waiting = {pool.submit(_in_a_process, *one): number for number, one in enumerate(work)}
        for done in as_completed(waiting):
            original, mutant = work[waiting[done]]
            judged[waiting[done]] = Judged(original.launch.name, mutant, _places(original, mutant), done.result())
            progress.advance(task)
    return [one for one in judged if one is not None]


def _in_a_process(original: Original, mutant: Mutant) -> Verdict:
    """Forks: kernels are functions of this process, and no other could load them."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)

    def child() -> None:
        try:
            theirs.send(judge(original.launch, mutant, original.program, original.run.outputs))
        except BaseException as error:
            theirs.send(error)

    process = context.Process(target=child)
    process.start()
    theirs.close()
    try:
        answer = ours.recv() if ours.poll(SECONDS) else Verdict("caught", NEVER_ENDS)
    except EOFError:
        answer = Verdict("crash", "the process ended")
    process.kill()
    process.join()
    if isinstance(answer, BaseException):
        raise RuntimeError(f"{original.launch.name}: {mutant} cannot be judged") from answer
    assert isinstance(answer, Verdict)
    return answer


def _places(original: Original, mutant: Mutant) -> tuple[str, ...]:
    """file:line of what is removed."""
    found = []
    for function, at in mutant.places(original.program.ir):
        location = locate(original.kernel, Place(at, function=function))
        found.append(f"{location.file}:{location.line}" if location else "?")
    return tuple(found)


def _tell(judged: list[Judged], wrong: list[Original], console: Console) -> None:
    """The table, and everything that should not be."""
    columns = ("found", "other results", NEVER_ENDS, "equivalent", "missed", "crash")
    for title, key in (("removed", lambda one: one.mutant.kind), ("kernels of", lambda one: one.kernel.split(":")[0])):
        table = Table(Column(title, no_wrap=True), "mutants", *columns, "found as")
        for name in sorted({key(one) for one in judged}):
            group = [one for one in judged if key(one) == name]
            count = Counter(_column(one.verdict) for one in group)
            by = Counter(one.verdict.why for one in group if _column(one.verdict) == "found")
            words = ", ".join(f"{why} {number}" for why, number in by.most_common())
            table.add_row(name, str(len(group)), *(str(count[column]) for column in columns), words)
        console.print(table)
    for original in wrong:
        console.print(f"unordered without a removal: {original.launch.name}", style="red")
    for one in judged:
        if one.verdict.outcome in ("missed", "crash") or one.verdict.false_alarm:
            what = "false alarm" if one.verdict.false_alarm else one.verdict.outcome
            console.print(f"{what}: {one.kernel}: {one.mutant.kind} {', '.join(one.places)}: {one.verdict.why}")


def _column(verdict: Verdict) -> str:
    """Where the table counts a verdict: what was caught by no finding has columns of its own."""
    if verdict.outcome != "caught":
        return verdict.outcome
    return {RESULTS: "other results", NEVER_ENDS: NEVER_ENDS}.get(verdict.why, "found")


def _as_json(one: Judged) -> dict[str, object]:
    return {
        "kernel": one.kernel,
        "kind": one.mutant.kind,
        "places": list(one.places),
        "offset": one.mutant.offset,
        "outcome": one.verdict.outcome,
        "why": one.verdict.why,
        "false_alarm": one.verdict.false_alarm,
    }


if __name__ == "__main__":
    sys.exit(main())
