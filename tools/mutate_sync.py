"""Removes synchronisation from every example and test kernel, one piece at a time, and counts what is not noticed.

Run it: python tools/mutate_sync.py [--only TEXT] [--most N] [--jobs N] [--json FILE]

In: the examples and tests of this repository, run once on the checked twin to collect their launches, in several
processes that take some of the files each. Out: a table, and as the last line "mutants N, caught N, equivalent N,
missed N". Launches whose cores wait for words in global memory are left out: no trace shows their order.

A mutant is a kernel with a flag, a barrier, an enque or deque or the offset of a buffer taken out of its IR.
It is caught if the checked twin finds an error; the table shows apart those of which only a result changed although
everything is in order, and those that never end. A survivor is equivalent only if a brute-force happens-before over
its whole trace (`mutation/order.py`, which shares nothing with the engine) orders all its conflicting pairs; otherwise
it is missed. The exit code is 1 if one is missed or crashes the twin, or if a race is reported where the brute force
sees none.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

from mutation.judge import (
    MOST_SWITCHES,
    RESULTS,
    Edit,
    Verdict,
    build,
    edits_of,
    judge,
    load,
    mutated,
    rules,
    tools,
    with_switches,
)
from mutation.launches import Original, collect
from mutation.mutants import Mutant, mutants_of
from mutation.order import unordered
from rich.console import Console
from rich.progress import Progress
from rich.table import Column, Table

from opwright.frontend.compile import LoweredProgram
from opwright.kernel.program import Place
from opwright.twin.locations import locate

NEVER_ENDS = "never ends"
PARTS = 8  # for each job: files take different times
SECONDS = 30  # a mutant may take: a removal can make a loop endless
TOGETHER = 24  # mutants that are compiled at once


@dataclass(frozen=True)
class Judged:
    """A mutant with its verdict; `offset`: of the buffer that lost it."""

    kernel: str
    kind: str
    offset: int | None
    places: tuple[str, ...]
    verdict: Verdict


@dataclass
class Answer:
    """What came of some files.

    unordered: kernels with a race without a removal; skipped: launches left out; failed: parts that gave no answer.
    """

    kernels: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    unordered: list[str] = field(default_factory=list)
    judged: list[Judged] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def add(self, other: Answer) -> None:
        """Takes what came of other files."""
        self.kernels += other.kernels
        self.skipped += other.skipped
        self.unordered += other.unordered
        self.judged += other.judged
        self.failed += other.failed

    def save(self, path: Path) -> None:
        """As JSON."""
        data = {
            "kernels": self.kernels,
            "skipped": dict(self.skipped),
            "unordered": self.unordered,
            "judged": [asdict(one) for one in self.judged],
        }
        path.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> Answer:
        """What `save` wrote."""
        data = json.loads(path.read_text(encoding="utf-8"))
        judged = [
            Judged(**{**one, "places": tuple(one["places"]), "verdict": Verdict(**one["verdict"])})
            for one in data["judged"]
        ]
        return cls(data["kernels"], Counter(data["skipped"]), data["unordered"], judged)


def main() -> int:
    """Collects, mutates, judges, tells."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="TEXT", help='only kernels whose "file:name" contains this')
    parser.add_argument("--most", type=int, metavar="N", help="a sample of so many mutants, the same every time")
    parser.add_argument("--part", metavar="K/N", help="only every Nth file, from the Kth on, in this process")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="processes at a time")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write every verdict")
    options = parser.parse_args()
    console = Console(width=None if sys.stdout.isatty() else 120)
    began = time.monotonic()
    tools()  # the library is built before processes need it
    in_parts = options.part is None and options.most is None and options.jobs > 1
    answer = _in_parts(options.only, options.jobs, console) if in_parts else _here(options, console)
    words = ", ".join(f"{why} {number}" for why, number in answer.skipped.most_common())
    console.print(
        f"{answer.kernels} kernels; {answer.skipped.total()} launches left out{f': {words}' if words else ''}"
    )
    _tell(answer, console)
    if options.json is not None:
        answer.save(options.json)
    console.print(f"{time.monotonic() - began:.0f} s")
    count = Counter(one.verdict.outcome for one in answer.judged)
    alarms = sum(one.verdict.false_alarm for one in answer.judged)
    caught, equivalent, missed = (count[outcome] for outcome in ("caught", "equivalent", "missed"))
    print(f"mutants {len(answer.judged)}, caught {caught}, equivalent {equivalent}, missed {missed}")
    return 1 if missed or count["crash"] or alarms or answer.unordered or answer.failed else 0


def _in_parts(only: str, jobs: int, console: Console) -> Answer:
    """Collects and judges in processes: a launch can only be judged where its kernel was read."""
    answer = Answer()
    number = PARTS * jobs
    with (
        tempfile.TemporaryDirectory() as folder,
        Progress(console=console, transient=True) as progress,
        ThreadPoolExecutor(jobs) as pool,
    ):

        def run_part(part: int) -> Answer:
            path = Path(folder) / f"{part}.json"
            command = [sys.executable, __file__, "--part", f"{part}/{number}", "--only", only, "--json", str(path)]
            ran = subprocess.run(command, capture_output=True, text=True, check=False)
            if not path.exists():
                words = f"part {part} ended with {ran.returncode}:\n{ran.stdout[-2000:]}{ran.stderr[-2000:]}"
                return Answer(failed=[words])
            return Answer.load(path)

        for one in progress.track(pool.map(run_part, range(number)), total=number, description="parts"):
            answer.add(one)
    return answer


def _here(options: argparse.Namespace, console: Console) -> Answer:
    """Collects and judges in this process; mutants in processes of their own."""
    part, _, number = (options.part or "0/1").partition("/")
    originals, skipped = collect(options.only, int(part), int(number))
    work = [(original, mutant) for original in originals for mutant in mutants_of(original.program.ir)]
    racy = [one.launch.name for one in originals if unordered(one.run.events, rules(one.launch.kernel))]
    if options.most is not None and options.most < len(work):
        work = random.Random(1).sample(work, options.most)
    judged = _judge_all(work, 1 if options.part else options.jobs, console)
    return Answer(len(originals), skipped, racy, judged)


def _judge_all(work: list[tuple[Original, Mutant]], jobs: int, console: Console) -> list[Judged]:
    """Each mutant in a process of its own, which may crash or hang."""
    by_kernel: dict[int, tuple[Original, list[Mutant]]] = {}
    for original, mutant in work:
        by_kernel.setdefault(id(original), (original, []))[1].append(mutant)
    judged: list[Judged] = []
    with Progress(console=console, transient=True) as progress, ThreadPoolExecutor(jobs) as pool:
        task = progress.add_task("mutants", total=len(work))
        for done in pool.map(_judge_kernel, by_kernel.values()):
            judged += done
            progress.advance(task, len(done))
    return judged


@dataclass(frozen=True)
class Variant:
    """A mutant with its program, and its edits if switches can make them."""

    mutant: Mutant
    program: LoweredProgram
    edits: frozenset[Edit] | None


def _judge_kernel(one: tuple[Original, list[Mutant]]) -> list[Judged]:
    """Mutants that switches can make are compiled as one; the others some at a time."""
    original, mutants = one
    plain = original.program
    programs = [mutated(plain, mutant) for mutant in mutants]
    variants = [
        Variant(mutant, program, edits_of(plain.text, program.text))
        for mutant, program in zip(mutants, programs, strict=True)
    ]
    switched = [variant for variant in variants if variant.edits is not None]
    others = [variant for variant in variants if variant.edits is None]
    edits = list(dict.fromkeys(edit for variant in switched for edit in sorted(variant.edits or (), key=str)))
    if len(edits) > MOST_SWITCHES:
        switched, others, edits = [], variants, []
    judged = []
    if switched:
        judged += _judge_built(original, switched, [with_switches(plain, edits)], edits)
    most = 1 if plain.threads else TOGETHER  # a text with threads says how many, and stands alone
    for at in range(0, len(others), most):
        some = others[at : at + most]
        judged += _judge_built(original, some, [variant.program for variant in some])
    return judged


def _judge_built(
    original: Original, variants: list[Variant], programs: list[LoweredProgram], switches: Sequence[Edit] = ()
) -> list[Judged]:
    """Of the programs each variant has its own, or all share one with switches."""
    judged = []
    with tempfile.TemporaryDirectory() as folder:
        build(original.launch, programs, Path(folder))
        for place, variant in enumerate(variants):
            mutant = variant.mutant
            if not switches:
                verdict = _in_a_process(original, mutant, variant.program, Path(folder), place)
            else:
                chosen = [switches.index(edit) for edit in variant.edits or ()]
                verdict = _in_a_process(original, mutant, original.program, Path(folder), 0, chosen)
            places = _places(original, mutant)
            judged.append(Judged(original.launch.name, mutant.kind, mutant.offset, places, verdict))
    return judged


def _in_a_process(
    original: Original, mutant: Mutant, program: LoweredProgram, folder: Path, number: int, switches: Sequence[int] = ()
) -> Verdict:
    """Forks: kernels are functions of this process, and no other could load them."""
    launch = original.launch
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)

    def child() -> None:
        try:
            kernel = load(launch, program, folder, number, switches)
            theirs.send(judge(launch, program, kernel, original.run.outputs))
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
        raise RuntimeError(f"{launch.name}: {mutant} cannot be judged") from answer
    assert isinstance(answer, Verdict)
    return answer


def _places(original: Original, mutant: Mutant) -> tuple[str, ...]:
    """file:line of what is removed."""
    found = []
    for function, at in mutant.places(original.program.ir):
        location = locate(original.kernel, Place(at, function=function))
        found.append(f"{location.file}:{location.line}" if location else "?")
    return tuple(found)


def _tell(answer: Answer, console: Console) -> None:
    """The table, and everything that should not be."""
    judged = answer.judged
    columns = ("found", "other results", NEVER_ENDS, "equivalent", "missed", "crash")
    for title, key in (("removed", lambda one: one.kind), ("kernels of", lambda one: one.kernel.split(":")[0])):
        table = Table(Column(title, no_wrap=True), "mutants", *columns, "found as")
        for name in sorted({key(one) for one in judged}):
            group = [one for one in judged if key(one) == name]
            count = Counter(_column(one.verdict) for one in group)
            by = Counter(one.verdict.why for one in group if _column(one.verdict) == "found")
            words = ", ".join(f"{why} {number}" for why, number in by.most_common())
            table.add_row(name, str(len(group)), *(str(count[column]) for column in columns), words)
        console.print(table)
    for words in answer.failed:
        console.print(words, style="red", markup=False)
    for name in answer.unordered:
        console.print(f"unordered without a removal: {name}", style="red")
    for one in judged:
        if one.verdict.outcome in ("missed", "crash") or one.verdict.false_alarm:
            what = "false alarm" if one.verdict.false_alarm else one.verdict.outcome
            console.print(f"{what}: {one.kernel}: {one.kind} {', '.join(one.places)}: {one.verdict.why}")


def _column(verdict: Verdict) -> str:
    """Where the table counts a verdict: what was caught by no finding has columns of its own."""
    if verdict.outcome != "caught":
        return verdict.outcome
    return {RESULTS: "other results", NEVER_ENDS: NEVER_ENDS}.get(verdict.why, "found")


if __name__ == "__main__":
    sys.exit(main())
