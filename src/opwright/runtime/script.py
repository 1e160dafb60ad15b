"""A script with every launch checked.

In: a file of Python, its arguments, how many other legal orders to try. Out: `Checked`: each launch with the line it
came from and its report, and what ended the script. A finding does not end it, what would end a plain launch does.
Launches of threads that the script starts count, those of other processes do not.
"""

from __future__ import annotations

import runpy
import sys
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from opwright.errors import OpwrightError
from opwright.findings.finding import Finding, Report, user_frame
from opwright.runtime.checked import Watcher, watched
from opwright.settings import settings


@dataclass(frozen=True)
class Launched:
    """Launches of one line that gave the same report; `times`: how many."""

    file: str
    line: int
    report: Report
    times: int = 1

    def __str__(self) -> str:
        times = f", {self.times} launches" if self.times > 1 else ""
        return f"{self.file}:{self.line}{times}: {self.report}"

    def as_json(self) -> dict[str, object]:
        """For programs."""
        return {"launched_from": {"file": self.file, "line": self.line}, "times": self.times, **self.report.as_json()}


@dataclass(frozen=True)
class Checked:
    """What came of a script.

    failure: what ended it, in words; "" if it came to its end.
    """

    script: str
    launched: tuple[Launched, ...]
    failure: str = ""

    def errors(self) -> list[Finding]:
        """Those of all launches."""
        return [finding for one in self.launched for finding in one.report.errors()]

    def __str__(self) -> str:
        count = sum(one.times for one in self.launched)
        wrong = sum(one.times for one in self.launched if one.report.errors())
        errors = f", {wrong} with errors" if wrong else ""
        launches = "no launch" if not count else f"{count} {'launch' if count == 1 else 'launches'}{errors}"
        return "\n\n".join([*map(str, self.launched), f"{self.script}: {launches}"])

    def as_json(self) -> dict[str, object]:
        """For programs."""
        launches = [one.as_json() for one in self.launched]
        return {"script": self.script, "launches": launches, "failure": self.failure or None}

    def merged(self) -> Report:
        """All findings in one report; what several launches found is there once."""
        reports = [one.report for one in self.launched]
        findings = [finding for report in reports for finding in report.findings]
        remarks = [finding for report in reports for some in report.remarks().values() for finding in some]
        return Report(self.script, settings.soc, 0, _once(findings)).with_remarks(_once(remarks))


def _once(findings: list[Finding]) -> tuple[Finding, ...]:
    return tuple({str(finding): finding for finding in findings}.values())


def run_script(path: Path, perturb: int = 0, seed: int = 0, arguments: Sequence[str] = ()) -> Checked:
    """Runs a file as `python FILE ARGUMENTS` does."""
    seen: list[tuple[str, int, Report]] = []

    def note(report: Report) -> None:
        frame = user_frame()
        seen.append((frame.f_code.co_filename, frame.f_lineno, report))

    failure = ""
    with _every_launch_checked(), watched(Watcher(note, perturb, seed)), _as_main(path, arguments):
        try:
            runpy.run_path(str(path), run_name="__main__")
        except SystemExit as end:
            failure = f"SystemExit: {end.code}" if end.code else ""
        except Exception as error:
            failure = _describe(error, path)
    times = Counter((file, line, str(report)) for file, line, report in seen)
    distinct = {(file, line, str(report)): report for file, line, report in seen}
    launched = [Launched(file, line, report, times[key]) for key, report in distinct.items() for file, line, _ in [key]]
    return Checked(str(path), tuple(launched), failure)


@contextmanager
def _every_launch_checked() -> Iterator[None]:
    """For all threads, unlike a scope."""
    before = settings.check
    settings.prefer(check="1")
    try:
        yield
    finally:
        settings.prefer(check=str(int(before)))


@contextmanager
def _as_main(path: Path, given: Sequence[str]) -> Iterator[None]:
    """Arguments and path of a script that was started by itself."""
    arguments, folders = sys.argv, list(sys.path)
    sys.argv = [str(path), *given]
    sys.path.insert(0, str(path.parent.resolve()))
    try:
        yield
    finally:
        sys.argv, sys.path[:] = arguments, folders


def _describe(error: Exception, path: Path) -> str:
    """The traceback from the script's first line on. An error of ours names its line by itself, and is in a report."""
    if isinstance(error, OpwrightError):
        return f"{path} was ended by {type(error).__name__}: {error.message}"
    place = error.__traceback__
    while place is not None and Path(place.tb_frame.f_code.co_filename).resolve() != path.resolve():
        place = place.tb_next
    return "".join(traceback.format_exception(type(error), error, place)).rstrip()
