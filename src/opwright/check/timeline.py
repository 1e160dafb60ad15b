"""A recording as a drawing knows it: lanes, steps at program order, arrows and marks.

In: a `Recording`. Out: a `Timeline`. A step is an event at its place in its core's program; an arrow leads from the
k-th set of a flag to the k-th wait for it; a mark leads from a finding to the steps it is about. `part` leaves out what
is too much to draw, and says so.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from opwright.check.crossing import crossings
from opwright.check.events import Event, Recording
from opwright.errors import Location
from opwright.findings.finding import Access, Finding, Report
from opwright.kernel.source import Source

# In the order in which data goes through a core; others come behind.
_ORDER = ("S", "MTE2", "MTE1", "M", "FIX", "V", "MTE3")
_ByLine = dict[tuple[str, tuple[str, int, int] | None], list[int]]  # core and spot in the source -> places


@dataclass(frozen=True)
class Step:
    """An event and its place in the program. Cores that meet in `sync_all` meet there at the same place."""

    event: Event
    x: int


@dataclass(frozen=True)
class Mark:
    """A finding and its steps, as places in `Timeline.steps`, the earlier access first; none if none is known.

    stops: it ended its core, so what it is about comes after the last step there.
    """

    finding: Finding
    steps: tuple[int, ...]
    stops: bool = False


@dataclass(frozen=True)
class Timeline:
    """What is drawn.

    cores, names, pipes: a lane is one pipe of one core; cores by number and by name.
    arrows: pairs of places in `steps`.
    notes: sentences about what is left out.
    """

    report: Report
    sources: tuple[Source, ...]
    cores: tuple[int, ...]
    names: tuple[str, ...]
    pipes: tuple[str, ...]
    steps: tuple[Step, ...]
    arrows: tuple[tuple[int, int], ...]
    marks: tuple[Mark, ...]
    notes: tuple[str, ...] = ()


def timeline(recording: Recording, core: int | None = None) -> Timeline:
    """All of a recording, or what one core did."""
    steps = _steps(recording.events)
    notes = []
    if recording.lost:
        words = f"{recording.lost} records of its later part are missing"
        notes.append(f"The launch is too long to be kept whole: {words}.")
    if core is not None:
        steps = [step for step in steps if step.event.core == core]
        if recording.report.cores > 1:
            notes.append(f"Only core {core} of {recording.report.cores} is shown.")
    if not steps:
        notes.append("Nothing was done that touches memory or another pipe.")
    by_line: _ByLine = {}
    for place, step in enumerate(steps):
        by_line.setdefault((step.event.core_name, _spot(step.event.at)), []).append(place)
    marks = [Mark(finding, _found(finding, steps, by_line)) for finding in recording.report]
    if recording.stopped:
        marks[-1] = Mark(marks[-1].finding, (), stops=True)
    names = {step.event.lane: step.event.core_name for step in steps}
    return Timeline(
        report=recording.report,
        sources=recording.sources,
        cores=tuple(sorted(names)),
        names=tuple(names[lane] for lane in sorted(names)),
        pipes=_pipes(steps),
        steps=tuple(steps),
        arrows=(*_arrows(steps), *crossings([step.event for step in steps])),
        marks=tuple(marks),
        notes=tuple(notes),
    )


def _spot(at: Location | None) -> tuple[str, int, int] | None:
    return (at.file, at.line, at.column) if at else None


def _steps(events: Iterable[Event]) -> list[Step]:
    """Every event takes one place of its core's program; all cores leave `sync_all` at the same place."""
    # How many events each core has in each of its phases, which a sync_all ends.
    sizes: defaultdict[int, Counter[int]] = defaultdict(Counter)
    phase_of: Counter[int] = Counter()
    phases = []
    for event in events:
        phase = phase_of[event.lane]
        phases.append(phase)
        sizes[phase][event.lane] += 1
        phase_of[event.lane] += event.kind == "sync_all"
    begins = [0]
    for phase in range(len(sizes)):
        begins.append(begins[-1] + max(sizes[phase].values()))
    placed: Counter[tuple[int, int]] = Counter()
    steps = []
    for event, phase in zip(events, phases, strict=True):
        x = begins[phase] + placed[event.lane, phase]
        placed[event.lane, phase] += 1
        steps.append(Step(event, begins[phase + 1] - 1 if event.kind == "sync_all" else x))
    return steps


def _pipes(steps: Iterable[Step]) -> tuple[str, ...]:
    """The pipes that any core uses. All cores have the same lanes, so that they can be compared."""
    pipes = {step.event.pipe for step in steps} | {step.event.other for step in steps}
    used = sorted(pipes - {"ALL", ""}, key=lambda pipe: (_ORDER.index(pipe) if pipe in _ORDER else len(_ORDER), pipe))
    return tuple(used or ["S"])


def _arrows(steps: Iterable[Step]) -> tuple[tuple[int, int], ...]:
    """From each set to the wait that it serves."""
    sets: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    waits: Counter[tuple[int, str]] = Counter()
    arrows = []
    for place, step in enumerate(steps):
        flag = (step.event.lane, step.event.flag)
        if step.event.kind == "set":
            sets[flag].append(place)
        elif step.event.kind == "wait":
            if waits[flag] < len(sets[flag]):
                arrows.append((sets[flag][waits[flag]], place))
            waits[flag] += 1
    return tuple(arrows)


def _found(finding: Finding, steps: list[Step], by_line: _ByLine) -> tuple[int, ...]:
    """The steps that a finding is about."""
    second = _of_access(finding, finding.access, steps, by_line)
    if finding.first is None or finding.first.thread is not None:
        return tuple(second[:1])  # what all threads of a block do is one step
    first = _of_access(finding, finding.first, steps, by_line)
    if finding.first.core_name == finding.access.core_name:
        # A line of Python may be several lines of text: the pair is the nearest one that is in order.
        for place in second:
            if before := [other for other in first if other < place]:
                return before[-1], place
        return ()
    return (first[0], second[0]) if first and second else ()


def _of_access(finding: Finding, access: Access, steps: list[Step], by_line: _ByLine) -> list[int]:
    """The steps that an access may be. What is no access, such as a flag left set, is found by its line.

    What threads do is a step of the line that started them; a kernel that is nothing but threads has no such line.
    """
    spots = [_spot(access.at), *map(_spot, access.at.calls)] if access.at else []
    if spots and access.pipe == "V":
        spots.append(None)
    places = sorted(place for spot in spots for place in by_line.get((access.core_name, spot), []))
    if not access.pipe:
        return places
    return [
        place
        for place in places
        if (event := steps[place].event).kind == "access"
        and event.pipe == access.pipe
        and (access.thread is not None or event.iteration == access.iteration)
        and any(
            (one.memory, one.argument, one.written) == (finding.memory, finding.argument, access.written)
            and one.begin < finding.end
            and finding.begin < one.end
            for one in event.ranges
        )
    ]


def part(whole: Timeline, max_steps: int) -> Timeline:
    """At most `max_steps` steps: the cores of the first finding, and there the steps around it."""
    if len(whole.steps) <= max_steps:
        return whole
    first = next((mark.steps for mark in whole.marks if mark.steps), (0,))
    cores = list(dict.fromkeys(whole.steps[place].event.lane for place in first))
    middle = {core: place for place in reversed(first) for core in cores if whole.steps[place].event.lane == core}
    name_of = dict(zip(whole.cores, whole.names, strict=True))
    kept: list[int] = []
    notes = []
    for core in sorted(cores):
        own = [place for place, step in enumerate(whole.steps) if step.event.lane == core]
        room = max_steps // len(cores)
        begin = max(0, min(own.index(middle[core]) - room // 2, len(own) - room))
        kept += own[begin : begin + room]
        if len(own) > room:
            notes.append(f"Of {name_of[core]} the events {begin + 1} to {begin + room} of {len(own)} are drawn.")
    others = len(whole.cores) - len(cores)
    if others:
        notes.append(f"{others} other {'core is' if others == 1 else 'cores are'} not drawn.")
    new = {old: place for place, old in enumerate(kept)}
    return replace(
        whole,
        cores=tuple(sorted(cores)),
        names=tuple(name_of[core] for core in sorted(cores)),
        steps=tuple(whole.steps[place] for place in kept),
        arrows=tuple((new[a], new[b]) for a, b in whole.arrows if a in new and b in new),
        marks=tuple(
            replace(mark, steps=tuple(new[place] for place in mark.steps if place in new)) for mark in whole.marks
        ),
        notes=(*whole.notes, *notes),
    )
