"""`kernel.trace`: launches on the checked twin that keep what every pipe did.

In: a kernel, cores, arguments. Out: a `Trace`. What was found is in its report and raises nothing: a trace is
for inspection.
"""

from __future__ import annotations

from typing import Any

from opwright.check.events import recorded
from opwright.check.trace import Trace
from opwright.kernel.target import Mode
from opwright.runtime.launching import Launchable, Launcher
from opwright.tracebacks import bordered

__tracebackhide__ = True  # pytest leaves out frames of this module


class Tracer:
    """A kernel to be traced: `trace[cores](...)` launches it."""

    def __init__(self, kernel: Launchable) -> None:
        self.kernel = kernel

    def __repr__(self) -> str:
        return f"<{self.kernel.__name__}.trace>"

    @bordered
    def __getitem__(self, grid: Any) -> TracedLauncher:
        return TracedLauncher(self.kernel[grid])


class TracedLauncher:
    """A kernel to be traced, with its number of cores."""

    def __init__(self, launcher: Launcher) -> None:
        self.launcher = launcher

    def __repr__(self) -> str:
        return f"<{self.launcher.kernel.__name__}.trace on {self.launcher.describe()}>"

    @bordered
    def __call__(self, *arguments: object, **keywords: object) -> Trace:
        """Runs the kernel on the checked twin and keeps what it did."""
        bound = self.launcher.bind(arguments, keywords)
        kernel = self.launcher.kernel.checked_kernel(bound, Mode.RECORDED)
        return Trace(recorded(kernel, self.launcher.cores_for(kernel, bound), bound))
