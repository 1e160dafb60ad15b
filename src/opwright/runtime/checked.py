"""`kernel.check`: launches on the checked twin.

In: a kernel, cores, arguments; how many other legal orders to try. Out: a `Report`; the first error of it is raised.
The arrays hold what the program gives in its own order.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from opwright.check.launcher import checked, perturbed_findings
from opwright.errors import ArgumentError, NoReport, OpwrightError
from opwright.findings.finding import Report, refused
from opwright.kernel.target import Mode
from opwright.runtime.launching import Launchable, Launcher
from opwright.settings import settings
from opwright.tracebacks import bordered

__tracebackhide__ = True  # pytest leaves out frames of this module
MAX_SCHEDULES = 1 << 20
MAX_SEED = (1 << 63) - 1


class Check:
    """A kernel to be checked: `check[cores](...)` launches it, `check.report()` has all findings of the last launch.

    `check(perturb=16)` is another one, which also runs that many other legal orders, each chosen by a seed from `seed`
    on, and compares their results with that of the program order.
    """

    def __init__(self, kernel: Launchable, perturb: int = 0, seed: int = 0, of: Check | None = None) -> None:
        self.kernel = kernel
        self.perturb = perturb
        self.seed = seed
        self._of = of
        self._last = threading.local()

    def __repr__(self) -> str:
        orders = f"(perturb={self.perturb}, seed={self.seed})" if self.perturb else ""
        return f"<{self.kernel.__name__}.check{orders}>"

    def __call__(self, *, perturb: int = 0, seed: int = 0) -> Check:
        for name, value, most in (("perturb", perturb, MAX_SCHEDULES), ("seed", seed, MAX_SEED)):
            if type(value) is not int or not 0 <= value <= most:
                message = f"check({name}={value!r}): {name} is an integer from 0 to {most}"
                raise ArgumentError(kernel=self.kernel.__name__, message=message)
        return type(self)(self.kernel, perturb, seed, of=self)

    @bordered
    def __getitem__(self, grid: Any) -> CheckedLauncher:
        return CheckedLauncher(self, self.kernel[grid])

    def report(self) -> Report:
        """All findings of the last checked launch of this thread."""
        report: Report | None = getattr(self._last, "report", None)
        if report is None:
            raise NoReport(kernel=self.kernel.__name__)
        return report

    def keep(self, report: Report) -> None:
        """Remembers what `report` gives; `kernel.check.report()` gives it too."""
        self._last.report = report
        if self._of is not None:
            self._of.keep(report)
        elif _watcher is not None:
            _watcher.note(report)


@dataclass(frozen=True)
class Watcher:
    """Receives the report of every checked launch; its plain launches try other orders, too."""

    note: Callable[[Report], None]
    perturb: int = 0
    seed: int = 0


_watcher: Watcher | None = None


@contextmanager
def watched(watcher: Watcher) -> Iterator[None]:
    """While it lasts findings do not end a launch that the program meant to be a plain one; in all threads."""
    global _watcher
    before, _watcher = _watcher, watcher
    try:
        yield
    finally:
        _watcher = before


class CheckedLauncher:
    """A kernel to be checked, with its number of cores."""

    def __init__(self, check: Check, launcher: Launcher) -> None:
        self.check = check
        self.launcher = launcher

    def __repr__(self) -> str:
        return f"{repr(self.check)[:-1]} on {self.launcher.describe()}>"

    @bordered
    def __call__(self, *arguments: object, **keywords: object) -> None:
        """Runs the kernel on the checked twin; raises the first error that was found."""
        self._run(arguments, keywords, raising=True)

    def in_place_of_plain(self, arguments: tuple[object, ...], keywords: dict[str, object]) -> None:
        """What a plain launch is where every launch is checked."""
        watcher = _watcher
        if watcher is None:
            self(*arguments, **keywords)
            return
        check = self.check(perturb=watcher.perturb, seed=watcher.seed)
        CheckedLauncher(check, self.launcher)._run(arguments, keywords, raising=False)

    def _run(self, arguments: tuple[object, ...], keywords: dict[str, object], raising: bool) -> None:
        check = self.check
        try:
            report = self._checked(arguments, keywords)
        except OpwrightError as error:
            check.keep(self._refusal(error))
            raise
        check.keep(report)
        if raising or report.stopped:
            report.raise_or_warn()

    def _checked(self, arguments: tuple[object, ...], keywords: dict[str, object]) -> Report:
        check = self.check
        bound = self.launcher.bind(arguments, keywords)
        kernel = check.kernel.checked_kernel(bound, Mode.CHECKED)
        cores = self.launcher.cores_for(kernel, bound)
        other_orders = perturbed_findings(kernel, cores, bound, check.perturb, check.seed)
        report = checked(kernel, cores, bound)
        return replace(report, findings=(*report.findings, *other_orders), schedules=check.perturb)

    def _refusal(self, error: OpwrightError) -> Report:
        """The report of a launch that did not run."""
        kernel = self.check.kernel
        soc = kernel.options.soc or settings.soc
        return Report(kernel.__name__, soc, self.launcher.cores, (refused(error, kernel.__name__),), stopped=True)
