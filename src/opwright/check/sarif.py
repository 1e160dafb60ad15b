"""A report as SARIF 2.1.0, the format in which editors and code hosts take findings.

In: a `Report` and a folder. Out: JSON text. Every class of findings is a rule, with its docstring; files in the folder
are named relative to it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from opwright._version import __version__
from opwright.errors import Location, OpwrightError, RunError
from opwright.findings.finding import Access, Finding, Report, thread_name

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(report: Report, folder: Path) -> str:
    """The report as text, ending with a newline."""
    kinds = list(dict.fromkeys([*_kinds(RunError), *(finding.kind for finding in report)]))
    shown = report.shown()
    run = {
        "tool": {
            "driver": {
                "name": "opwright",
                "semanticVersion": __version__,
                "rules": [_rule(kind) for kind in kinds],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, kinds.index(finding.kind), folder) for finding in shown],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _kinds(kind: type[OpwrightError]) -> Iterator[type[OpwrightError]]:
    yield kind
    for below in kind.__subclasses__():
        yield from _kinds(below)


def _rule(kind: type[OpwrightError]) -> dict[str, object]:
    words = {"text": (kind.__doc__ or kind.__name__).strip()}
    return {"id": kind.__name__, "name": kind.__name__, "shortDescription": words, "fullDescription": words}


def _result(finding: Finding, rule: int, folder: Path) -> dict[str, object]:
    hint = f"\nhint: {finding.hint}" if finding.hint else ""
    where = f", {finding.access.core_name}" if finding.cause is None else ""
    result: dict[str, object] = {
        "ruleId": finding.kind.__name__,
        "ruleIndex": rule,
        "level": finding.severity,
        "message": {"text": f"{finding.kernel}{where}: {finding.message}{hint}"},
        "locations": [
            {
                **_physical(finding.at, folder),
                "logicalLocations": [{"name": finding.kernel, "kind": "function"}],
            }
        ],
        "occurrenceCount": finding.count,
        "properties": {
            "cores": finding.cores,
            "core": finding.access.core,
            "iteration": finding.access.iteration,
            **({"thread": list(finding.access.thread)} if finding.access.thread is not None else {}),
        },
    }
    related = [_related(finding.first, folder)] if finding.first else []
    places = [finding.at, finding.first.at if finding.first else None]
    related += [_generated(at) for at in places if at is not None and at.origin is not None]
    calls = [*finding.at.calls[::-1], *finding.at.one_of] if finding.at else []
    related += [{**_physical(call, folder), "message": {"text": "called from here"}} for call in calls]
    if related:
        result["relatedLocations"] = [{"id": number, **one} for number, one in enumerate(related)]
    return result


def _related(access: Access, folder: Path) -> dict[str, object]:
    doing = "writes" if access.written else "reads"
    if access.thread is not None:
        words = f"the other access: thread {thread_name(access.thread)} {doing} here ({access.core_name})"
    else:
        who, run = access.pipe or "core", access.iteration + 1
        words = f"the earlier access: {who} {doing} here ({access.core_name}, iteration {run})"
    return {**_physical(access.at, folder), "message": {"text": words}}


def _generated(at: Location) -> dict[str, object]:
    """A line that is in no file."""
    assert at.origin is not None
    return {"message": {"text": f"generated line {at.line}, from line {at.origin.line}: {at.text.strip()}"}}


def _physical(at: Location | None, folder: Path) -> dict[str, object]:
    """Where something stands; nothing where that is not known."""
    if at is None:
        return {}
    at = at.written
    region: dict[str, object] = {"startLine": at.line, "startColumn": at.column + 1}
    if at.text:
        region["snippet"] = {"text": at.text.rstrip("\r\n")}
    return {"physicalLocation": {"artifactLocation": _artifact(at.file, folder), "region": region}}


def _artifact(file: str, folder: Path) -> dict[str, str]:
    path = Path(file).absolute()
    try:
        below = path.relative_to(folder.absolute())
    except ValueError:
        return {"uri": path.as_uri()}
    return {"uri": quote(below.as_posix()), "uriBaseId": "%SRCROOT%"}
