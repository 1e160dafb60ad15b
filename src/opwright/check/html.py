"""A timeline as a page: one file that loads nothing, for a browser on a desk or on a phone.

In: a `Timeline`. Out: HTML. The page in `page/` gets its words as JSON and makes text of them, never markup, so nothing
that comes from a user's file can become a part of the page.
"""

from __future__ import annotations

import json
from html import escape
from importlib.resources import files
from string import Template

from opwright._version import __version__
from opwright.check.events import ByteRange, Event
from opwright.check.timeline import Mark, Step, Timeline, part
from opwright.errors import Location
from opwright.findings.finding import Access, Finding, thread_name

# More boxes than this make a browser slow.
MAX_STEPS = 3000
_MAX_RANGES = 6


def html(whole: Timeline) -> str:
    """The page."""
    shown = part(whole, MAX_STEPS)
    report = shown.report
    title = f"{report.kernel} on {report.cores} {'core' if report.cores == 1 else 'cores'} of {report.soc}"
    data = {
        "about": "A trace of the checked twin: the calls of each pipe, in program order. Run on a CPU, not on an NPU; "
        "places are not times.",
        "cores": shown.cores,
        "names": shown.names,
        "pipes": shown.pipes,
        "steps": [_step(step, shown) for step in shown.steps],
        "arrows": shown.arrows,
        "findings": [_finding(mark, shown) for mark in shown.marks],
        "sources": [
            {
                "name": source.name,
                "file": source.file,
                "first": source.first_line,
                "lines": [line.rstrip("\r\n") for line in source.lines],
            }
            for source in shown.sources
        ],
        "notes": shown.notes,
    }
    page = files("opwright.check") / "page"
    return Template((page / "trace.html").read_text("utf-8")).substitute(
        title=escape(title),
        version=escape(__version__),
        style=(page / "trace.css").read_text("utf-8").rstrip(),
        script=(page / "trace.js").read_text("utf-8").rstrip(),
        data=_in_script(data),
    )


def _in_script(data: object) -> str:
    """JSON that no HTML parser can take for the end of its element."""
    text = json.dumps(data, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _step(step: Step, shown: Timeline) -> dict[str, object]:
    event = step.event
    return {
        "core": event.lane,
        "pipe": event.pipe,
        "x": step.x,
        "kind": event.kind,
        "call": event.call,
        "flag": event.flag,
        "where": f"{event.at.written.file}:{event.at.words.removeprefix('line ')}" if event.at else "",
        "text": event.at.written.text.strip() if event.at else "",
        "line": _line(event.at, shown),
        "iteration": event.iteration,
        "reads": _ranges(event, False),
        "writes": _ranges(event, True),
    }


def _line(at: Location | None, shown: Timeline) -> tuple[int, int] | None:
    """A place as a number of a source and a line of its file."""
    for number, source in enumerate(shown.sources if at else ()):
        if at and at.file == source.file and source.first_line <= at.line < source.first_line + len(source.lines):
            return number, at.line
    return None


def _ranges(event: Event, written: bool) -> list[str]:
    """The bytes that a step reads or writes, in words; only some of them if there are many."""
    ranges = [one for one in event.ranges if one.written is written]
    words = [_bytes(one) for one in ranges[:_MAX_RANGES]]
    return words if len(ranges) <= _MAX_RANGES else [*words, f"and {len(ranges) - _MAX_RANGES} more ranges"]


def _bytes(one: ByteRange) -> str:
    size = one.end - one.begin
    where = f"argument {one.argument}" if one.argument else one.memory
    return f"{size} {'byte' if size == 1 else 'bytes'} of {where}, {one.begin} to {one.end}"


def _finding(mark: Mark, shown: Timeline) -> dict[str, object]:
    finding = mark.finding
    accesses = [("first", finding.first), ("then", finding.access)] if finding.first else [("here", finding.access)]
    return {
        "kind": finding.kind.__name__,
        "severity": finding.severity,
        "again": f", {finding.count} times" if finding.count > 1 else "",
        "message": f"{finding.kernel}, {finding.access.core_name}: {finding.message}",
        "hint": finding.hint,
        "steps": mark.steps,
        "stops": _lane(finding.access, shown) if mark.stops else None,
        "places": [_place(word, access, finding, shown) for word, access in accesses if access.at],
    }


def _lane(access: Access, shown: Timeline) -> int | None:
    """The number of an access's core; None if it is not drawn."""
    return dict(zip(shown.names, shown.cores, strict=True)).get(access.core_name)


def _place(word: str, access: Access, finding: Finding, shown: Timeline) -> dict[str, object]:
    assert access.at is not None
    actor = f"thread {thread_name(access.thread)}" if access.thread is not None else access.pipe
    doing = f"{actor} {'writes' if access.written else 'reads'}" if actor else ""
    run = f"iteration {access.iteration + 1}" if access.pipe and access.thread is None else ""
    who = ", ".join(filter(None, (doing, access.core_name, run)))
    return {
        "who": f"{word}: {who}",
        "where": access.at.words,
        "text": access.at.written.text.strip(),
        "line": _line(access.at, shown),
    }
