"""What every pipe did in a launch on the checked twin.

In: a recording. Out: a `Trace`, which a notebook shows and `save` writes as a page or for Perfetto. Refuses other kinds
of files.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path

from opwright.check.events import Recording
from opwright.check.html import html
from opwright.check.perfetto import perfetto
from opwright.check.timeline import Timeline, timeline
from opwright.errors import ArgumentError
from opwright.findings.finding import Report

__tracebackhide__ = True  # pytest leaves out frames of this module
KINDS = (".html", ".json")


@dataclass(frozen=True)
class Trace:
    """What the cores of one launch did, in program order, with the report of the checked twin."""

    recording: Recording

    @property
    def report(self) -> Report:
        """What was found."""
        return self.recording.report

    def timeline(self, core: int | None = None) -> Timeline:
        """What is drawn: all cores, or one alone."""
        if core is not None and not 0 <= core < self.report.cores:
            message = f"trace of core {core}: the cores are 0 to {self.report.cores - 1}"
            raise ArgumentError(kernel=self.report.kernel, message=message)
        return timeline(self.recording, core)

    def save(self, path: str | Path, core: int | None = None) -> None:
        """Writes a page that needs nothing else (.html), or a trace for ui.perfetto.dev (.json)."""
        file = Path(path)
        if file.suffix not in KINDS:
            message = f"trace.save({str(path)!r}): a file .html is a page, one .json a trace for Perfetto"
            raise ArgumentError(kernel=self.report.kernel, message=message)
        shown = self.timeline(core)
        file.write_text(perfetto(shown) if file.suffix == ".json" else html(shown), encoding="utf-8")

    def counted(self, core: int | None = None) -> str:
        """How many events are drawn, and how much was found, in words."""
        found = len(self.report)
        findings = "no finding" if not found else f"{found} {'finding' if found == 1 else 'findings'}"
        return f"{len(self.timeline(core).steps)} events, {findings}"

    def __repr__(self) -> str:
        cores = f"{self.report.cores} {'core' if self.report.cores == 1 else 'cores'}"
        return f"<trace of {self.report.kernel} on {cores} of {self.report.soc}: {self.counted()}>"

    def _repr_html_(self) -> str:
        """For notebooks: the page in a frame of its own, so that neither can disturb the other."""
        page = escape(html(self.timeline()), quote=True)
        style = "width: 100%; height: 640px; border: 1px solid #ccc"
        return f'<iframe sandbox="allow-scripts" style="{style}" srcdoc="{page}"></iframe>'
