"""A target that writes text and nothing else: for another compiler, or for a reader.

In: a `Job`. Out: one blob, the kernel's text; loaded, an `EmittedKernel` that knows where the text is. Refuses to run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from opwright.errors import TargetRefused
from opwright.kernel.arguments import BoundArguments
from opwright.kernel.target import Artefact, Job, Mode, register

_TEXT = "kernel.cpp"


@dataclass(frozen=True)
class EmittedKernel:
    """A kernel that is a file."""

    name: str
    path: Path

    @property
    def text(self) -> str:
        """What the file holds."""
        return self.path.read_text(encoding="utf-8")

    def run(self, cores: int, bound: BoundArguments) -> None:
        """Refuses: nothing was compiled."""
        raise TargetRefused(kernel=self.name, target=EmitOnly.name, reason=f"only writes text, to {self.path}")


class EmitOnly:
    """Writes the text, in every mode the same."""

    name = "emit"

    def identity(self, mode: Mode) -> list[object]:
        """Nothing but the program decides."""
        return [self.name]

    def build(self, job: Job) -> Mapping[str, bytes]:
        """The text."""
        return {_TEXT: job.program.text.encode()}

    def load(self, artefact: Artefact) -> EmittedKernel:
        """Where the text is."""
        return EmittedKernel(artefact.request.source.name, artefact.blobs[_TEXT])


register(EmitOnly())
