"""`kernel.check`: launches on the checked twin.

In: a kernel, cores, arguments. Out: a `Report`; the first error of it is raised. The arrays hold what the program gives
in its own order.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from opwright.check.finding import Report
from opwright.errors import NoReport, OpwrightError
from opwright.runtime.arguments import Bound
from opwright.runtime.jit import hidden
from opwright.runtime.launch import Kernel
from opwright.twin.constants import CHECKED

if TYPE_CHECKING:
    from opwright.runtime.jit import JitFunction


class Check:
    """A kernel to be checked: `check[cores](...)` launches it, `check.report()` has all findings of the last launch."""

    def __init__(self, kernel: JitFunction) -> None:
        self.kernel = kernel
        self._last = threading.local()

    def __getitem__(self, grid: int | tuple[int, object]) -> CheckedLauncher:
        return CheckedLauncher(self, self.kernel[grid].cores)

    def report(self) -> Report:
        """All findings of the last checked launch of this thread."""
        report: Report | None = getattr(self._last, "report", None)
        if report is None:
            raise NoReport(kernel=self.kernel.__name__)
        return report

    def keep(self, report: Report) -> None:
        """Remembers what `report` gives."""
        self._last.report = report


class CheckedLauncher:
    """A kernel to be checked, with its number of cores."""

    def __init__(self, check: Check, cores: int) -> None:
        self.check = check
        self.cores = cores

    def __call__(self, *arguments: object, **keywords: object) -> None:
        """Runs the kernel on the checked twin; raises the first error that was found."""
        kernel = self.check.kernel
        try:
            bound = kernel.border.bind(arguments, keywords)
            report = checked(kernel.kernel_for(bound, checked=True), self.cores, bound)
            self.check.keep(report)
            report.tell()
        except OpwrightError as error:
            raise hidden(error) from None


def checked(kernel: Kernel, cores: int, bound: Bound) -> Report:
    """Launches a kernel that was built for the checked mode."""
    from opwright.check.static import budget_of, with_static
    from opwright.twin.report import findings_of

    outcome = kernel.launch(cores, bound, CHECKED)
    assert outcome is not None
    try:
        findings = findings_of(outcome, kernel)
    finally:
        kernel.finish(outcome)
    return Report(kernel.name, kernel.soc.name, cores, with_static(kernel, findings), budget_of(kernel))
