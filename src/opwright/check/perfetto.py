"""A timeline as a Chrome trace, which Perfetto (ui.perfetto.dev) and chrome://tracing load.

In: a `Timeline`. Out: JSON text. A core is a process, a pipe a thread, a step a slice of one unit of time at its place
in the program; time means program order and nothing else. Flags are flows from set to wait; a finding is an instant of
its core and, where it has two accesses, a flow between them.
"""

from __future__ import annotations

import json

from opwright.check.timeline import Mark, Step, Timeline

# Length of a step, in the microseconds of the format. A flow belongs to the slice around it, so it lies in the middle.
_UNIT = 10
_MIDDLE = 5
_MAX_PIPES = 100


def perfetto(shown: Timeline) -> str:
    """The trace as text."""
    events = _names(shown)
    for step in shown.steps:
        events += [_slice(step, pipe, shown) for pipe in _pipes_of(step, shown)]
    for number, (source, target) in enumerate(shown.arrows):
        name = shown.steps[source].event.flag
        events += _flow(name, "flag", number, shown.steps[source], shown.steps[target], shown)
    for number, mark in enumerate(shown.marks):
        events += _finding(mark, number, shown)
    # Readers sort by time; at the same time the order of the file counts, and a flow needs its slice.
    events.sort(key=lambda event: (event["ph"] != "M", event.get("ts", 0)))
    about = {"kernel": shown.report.kernel, "soc": shown.report.soc, "notes": " ".join(shown.notes)}
    # One event per line: long traces stay small, short ones can be read.
    lines = ",\n".join(json.dumps(event) for event in events)
    return f'{{"displayTimeUnit": "ms", "otherData": {json.dumps(about)}, "traceEvents": [\n{lines}\n]}}\n'


def _names(shown: Timeline) -> list[dict[str, object]]:
    """Cores and pipes by name, in order. Number 0 means the idle process to readers, so numbers count from 1."""
    found: list[dict[str, object]] = []
    for core, name in zip(shown.cores, shown.names, strict=True):
        process = {"ph": "M", "pid": core + 1, "tid": 0}
        found.append({**process, "name": "process_name", "args": {"name": name}})
        found.append({**process, "name": "process_sort_index", "args": {"sort_index": core}})
        for place, pipe in enumerate(shown.pipes):
            thread = {"ph": "M", **_thread(core, pipe, shown)}
            found.append({**thread, "name": "thread_name", "args": {"name": pipe}})
            found.append({**thread, "name": "thread_sort_index", "args": {"sort_index": place}})
    return found


def _thread(core: int, pipe: str, shown: Timeline) -> dict[str, object]:
    """Threads have numbers of their own in the whole trace."""
    return {"pid": core + 1, "tid": (core + 1) * _MAX_PIPES + shown.pipes.index(pipe) + 1}


def _pipes_of(step: Step, shown: Timeline) -> tuple[str, ...]:
    """The pipes of a step: a barrier of all pipes is in all of them."""
    return shown.pipes if step.event.pipe == "ALL" else (step.event.pipe,)


def _slice(step: Step, pipe: str, shown: Timeline) -> dict[str, object]:
    event = step.event
    arguments: dict[str, object] = {"line": str(event.at.written) if event.at else "", "iteration": event.iteration}
    if event.at:
        arguments["source"] = event.at.written.text.strip()
        if event.at.origin is not None:
            arguments["generated"] = event.at.text.strip()
    if event.flag:
        arguments["flag"] = event.flag
    for way, written in (("reads", False), ("writes", True)):
        ranges = [one for one in event.ranges if one.written is written]
        if ranges:
            arguments[way] = ", ".join(f"{one.argument or one.memory} {one.begin}..{one.end}" for one in ranges)
    return {
        "ph": "X",
        "name": event.call or event.kind,
        "cat": event.kind,
        **_thread(event.lane, pipe, shown),
        "ts": step.x * _UNIT,
        "dur": _UNIT,
        "args": arguments,
    }


def _flow(name: str, kind: str, number: int, first: Step, second: Step, shown: Timeline) -> list[dict[str, object]]:
    """A pair of flow events; the one that starts it must not come later."""
    first, second = sorted((first, second), key=lambda step: step.x)
    ends: list[dict[str, object]] = []
    for phase, step in (("s", first), ("f", second)):
        thread = _thread(step.event.lane, step.event.pipe, shown)
        ends.append({"ph": phase, "name": name, "cat": kind, "id": number, **thread, "ts": step.x * _UNIT + _MIDDLE})
    ends[1]["bp"] = "e"
    return ends


def _finding(mark: Mark, number: int, shown: Timeline) -> list[dict[str, object]]:
    """A finding at its later access, or behind the last step of the core that it ended."""
    finding = mark.finding
    own = [step for step in shown.steps if step.event.core_name == finding.access.core_name] if mark.stops else []
    if not mark.steps and not own:
        return []
    step = own[-1] if own else shown.steps[mark.steps[-1]]
    event: dict[str, object] = {
        "ph": "i",
        "s": "p",
        "name": finding.kind.__name__,
        "cat": "finding",
        **_thread(step.event.lane, _pipes_of(step, shown)[0], shown),
        "ts": step.x * _UNIT + (_UNIT if own else _MIDDLE),
        "args": {"severity": finding.severity, "message": finding.message, "hint": finding.hint},
    }
    if len(mark.steps) < 2:
        return [event]
    return [event, *_flow(finding.kind.__name__, "finding", number, shown.steps[mark.steps[0]], step, shown)]
