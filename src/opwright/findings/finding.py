"""Findings of the checked twin as values, and the report that holds all of a launch.

In: what `twin/report.py` made of the engine's integers. Out: text for people, JSON for programs, exceptions.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Any

from opwright.errors import (
    AssumedResult,
    CheckRemark,
    CheckWarning,
    Location,
    OpwrightError,
    UncleanedOutput,
    UninitialisedRead,
    UnwrittenOutput,
)
from opwright.findings.budget import Budget, describe_overlap
from opwright.findings.notebook import report_html

_PACKAGE = str(Path(__file__).parents[1])


def thread_name(thread: tuple[int, int, int]) -> str:
    """A thread as people write it, such as "(3,0,0)"."""
    return f"({','.join(map(str, thread))})"


@dataclass(frozen=True)
class Access:
    """One of the accesses that a finding is about.

    pipe: "MTE2", "V", ...; "" where a finding is not about a pipe.
    iteration: how often the line had run on its core before, from 0.
    thread: x, y and z of the thread of a block; None where it is not known, or where there are none.
    kind: "AIC" or "AIV" in a kernel that has both; else "".
    """

    at: Location | None
    core: int
    pipe: str = ""
    written: bool = False
    iteration: int = 0
    thread: tuple[int, int, int] | None = None
    kind: str = ""

    @property
    def core_name(self) -> str:
        """The core as messages name it."""
        return f"{self.kind or 'core'} {self.core}"

    def as_json(self) -> dict[str, object]:
        """For programs; lines and columns count from 1."""
        return {
            **_place(self.at),
            "core": self.core,
            "core_kind": self.kind,
            "pipe": self.pipe,
            "written": self.written,
            "iteration": self.iteration,
            "thread": list(self.thread) if self.thread is not None else None,
        }


@dataclass(frozen=True)
class Finding:
    """Something that is wrong, or may be.

    kind: the class of the exception that it raises.
    severity: "error" or "warning".
    access: the access at which it was found; of a race the later one in program order. first: the other one.
    memory, begin, end: the bytes concerned; of global memory they count from the start of `argument`.
    element: the first of them, in the operand of `access`, or in `argument`; -1 if it is not about elements.
    count, cores: how often it was found, and on how many cores.
    cause: the exception, where there was one before a launch: the kernel was refused.
    more: races that follow from this one: fixing it fixes them.
    """

    kind: type[OpwrightError]
    severity: str
    message: str
    hint: str
    kernel: str
    access: Access
    first: Access | None = None
    memory: str = ""
    argument: str = ""
    begin: int = 0
    end: int = 0
    element: int = -1
    count: int = 1
    cores: int = 1
    cause: OpwrightError | None = None
    more: tuple[Finding, ...] = ()

    @property
    def at(self) -> Location | None:
        """Where it was found."""
        return self.access.at

    def error(self) -> OpwrightError:
        """The exception that reports it."""
        if self.cause is not None:
            return self.cause
        core, message, hint = self.access.core_name, self.message, self.hint
        return self.kind(self.at, kernel=self.kernel, core=core, message=message, hint=hint)

    def __str__(self) -> str:
        on = f"on {self.cores} {'core' if self.cores == 1 else 'cores'}"
        again = f" ({self.count} times, {on})" if self.count > 1 else ""
        first, _, rest = str(self.error()).partition("\n")
        shown = f"{self.severity}: {self.kind.__name__}: {first}{again}\n{rest}".rstrip()
        if not self.more:
            return shown
        return f"{shown}\n{len(self.more)} more {'follows' if len(self.more) == 1 else 'follow'} from it"

    def as_json(self) -> dict[str, object]:
        """For programs; lines and columns count from 1."""
        return {
            "class": self.kind.__name__,
            "severity": self.severity,
            "message": self.message,
            "hint": self.hint,
            "kernel": self.kernel,
            **self.access.as_json(),
            "first": self.first.as_json() if self.first else None,
            "memory": self.memory,
            "argument": self.argument,
            "begin": self.begin,
            "end": self.end,
            "element": self.element,
            "count": self.count,
            "cores": self.cores,
            "more": [finding.as_json() for finding in self.more],
        }


@dataclass(frozen=True)
class Remark:
    """What a report shows although it is no finding: a kernel may mean it.

    kind: the class that it is shown as, with the severity "warning".
    doubt: how the first line of a report says it.
    """

    kind: type[OpwrightError]
    doubt: str

    def holds(self, finding: Finding) -> bool:
        """Whether this is one."""
        return finding.kind is self.kind and finding.severity == "warning"


# By the field of a report that holds them.
REMARKS = {
    "unwritten": Remark(UnwrittenOutput, "an output was not written in full"),
    "uncleaned": Remark(UncleanedOutput, "a value may stay in the data cache"),
    "assumed": Remark(AssumedResult, "a result depends on what is assumed of the chip"),
    "garbage": Remark(UninitialisedRead, "elements that nothing has written are computed with"),
}


@dataclass(frozen=True)
class Report:
    """All findings of one checked launch: those before a launch, then in the order of cores and of the program.

    budget: the memory that the kernel takes; `findings.budget.table` shows it.
    schedules: how many other legal orders were tried.
    unwritten: outputs that were written in part, and that the kernel does not declare as such. They are shown, but are
        no findings: a kernel may mean it. Empty beside errors. What `@asc.jit(outputs=...)` declares is a finding.
    uncleaned: `set_value` to an argument whose line of the data cache is never cleaned; shown likewise.
    assumed: results that are other numbers with a switch of `opwright list assumptions` the other way; shown likewise,
        once for a line and a switch. `count` of one says how many results.
    garbage: calls that computed with elements which nothing has written, though nothing of it left its core; shown as
        `unwritten` is. What leaves a core is a finding.
    stopped: the launch did not come to its end: it was refused, or a core was ended.
    """

    kernel: str
    soc: str
    cores: int
    findings: tuple[Finding, ...] = ()
    budget: Budget | None = None
    schedules: int = 0
    unwritten: tuple[Finding, ...] = ()
    uncleaned: tuple[Finding, ...] = ()
    assumed: tuple[Finding, ...] = ()
    garbage: tuple[Finding, ...] = ()
    stopped: bool = False

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def with_remarks(self, findings: Sequence[Finding]) -> Report:
        """The same with those of the findings that are remarks."""
        by_kind = {name: tuple(filter(remark.holds, findings)) for name, remark in REMARKS.items()}
        fields: dict[str, Any] = dict(by_kind)
        return replace(self, **fields)

    def remarks(self) -> dict[str, tuple[Finding, ...]]:
        """What is shown, but is no finding, by the field that holds it."""
        return {name: getattr(self, name) for name in REMARKS}

    def shown(self) -> list[Finding]:
        """All that the report shows: findings, then remarks."""
        return [*self.findings, *(finding for remarks in self.remarks().values() for finding in remarks)]

    def errors(self) -> list[Finding]:
        """Those that raise."""
        return [finding for finding in self.findings if finding.severity == "error"]

    def raise_or_warn(self) -> None:
        """Raises the first error; what is no error becomes Python warnings, remarks among them."""
        for finding in self.findings:
            if finding.severity == "warning":
                warnings.warn(str(finding), CheckWarning, stacklevel=_user_level())
        for finding in self.errors():
            raise finding.error()
        for remarks in self.remarks().values():
            for remark in remarks:
                warnings.warn(str(remark), CheckRemark, stacklevel=_user_level())

    def _summary(self) -> str:
        """Kernel, cores, SoC and how much was found, in one line."""
        where = f"{self.kernel} on {self.cores} {'core' if self.cores == 1 else 'cores'} of {self.soc}"
        count = f"{len(self.findings)} {'finding' if len(self.findings) == 1 else 'findings'}"
        if not self.findings:
            doubts = [REMARKS[name].doubt for name, remarks in self.remarks().items() if remarks]
            count = ", but ".join(["nothing found", *doubts[:1]]) + "".join(f", and {one}" for one in doubts[1:])
        return f"{where}: {count}"

    def __repr__(self) -> str:
        return f"<report of {self._summary()}>"

    def __str__(self) -> str:
        shown = [self._summary(), *map(str, self.shown())]
        if self.budget is not None and not self.errors():
            # They may be meant, and no order between their accesses shows whether they are.
            shown += [f"note: {describe_overlap(*pair)}" for pair in self.budget.overlapping()]
        return "\n\n".join(shown)

    def _repr_html_(self) -> str:
        """For notebooks."""
        return report_html(str(self))

    def as_json(self) -> dict[str, object]:
        """For programs."""
        findings = [finding.as_json() for finding in self.findings]
        return {
            "kernel": self.kernel,
            "soc": self.soc,
            "cores": self.cores,
            "schedules": self.schedules,
            "stopped": self.stopped,
            "findings": findings,
            **{name: [finding.as_json() for finding in remarks] for name, remarks in self.remarks().items()},
            "budget": self.budget.as_json() if self.budget is not None else None,
        }

    def to_json(self) -> str:
        """The same as text."""
        return json.dumps(self.as_json(), indent=2) + "\n"


def refused(error: OpwrightError, kernel: str) -> Finding:
    """The finding of a kernel that was refused before a launch."""
    return Finding(type(error), "error", error.message, error.hint, kernel, Access(error.at, 0), cause=error)


def user_frame() -> FrameType:
    """The innermost frame outside of this package: the launch."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(f"{_PACKAGE}{os.sep}"):
        frame = frame.f_back
    return frame


def _user_level() -> int:
    """The `stacklevel`, for the caller, of the innermost line outside of this package."""
    wanted, frame, level = user_frame(), sys._getframe(1), 1
    while frame is not wanted and frame.f_back is not None:
        frame, level = frame.f_back, level + 1
    return level


def _place(at: Location | None) -> dict[str, object]:
    if at is None:
        return {"file": None, "line": None, "column": None}
    written = at.written
    place: dict[str, object] = {"file": written.file, "line": written.line, "column": written.column + 1}
    if at.origin is not None:
        place["generated"] = {"line": at.line, "column": at.column + 1, "text": at.text.strip()}
    return place
