"""Targets: what makes something that can be launched from a program. They register themselves by name.

In: a `Job`. Out: blobs, which the store keeps; from verified blobs, in this or any later process, a `LoadedKernel`.
Refuses names that no target has, and a second target of one name.
"""

from __future__ import annotations

import contextlib
import enum
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from opwright.errors import BadSetting, TargetTaken
from opwright.kernel.program import Program, ProgramFacts, Request

if TYPE_CHECKING:
    from opwright.kernel.arguments import BoundArguments


class Mode(enum.Enum):
    """How a kernel runs. All but the fast mode run one and the same build.

    checked: every access is tested. perturbed: in another legal order. recorded: checked, and every event is kept.
    """

    FAST = "fast"
    CHECKED = "checked"
    PERTURBED = "perturbed"
    RECORDED = "recorded"

    @property
    def built(self) -> str:
        """The build that this mode runs."""
        return "fast" if self is Mode.FAST else "checked"


@dataclass(frozen=True)
class Job:
    """A program to be built.

    opt_level: how hard a compiler tries; no result depends on it.
    assumptions: what is assumed of the chip, as bits of `ascendc/assumptions.py`.
    step: times a step of the build, for OPWRIGHT_DEBUG=1.
    """

    request: Request
    program: Program
    mode: Mode = Mode.FAST
    opt_level: int = 3
    assumptions: int = 0
    step: Callable[[str], AbstractContextManager[None]] = field(default=lambda name: contextlib.nullcontext())


@dataclass(frozen=True)
class Artefact:
    """What a target built, from the store: its blobs were just verified.

    static: what the checked mode knows before any run.
    """

    request: Request
    facts: ProgramFacts
    blobs: Mapping[str, Path]
    static: Mapping[str, list[list[Any]]]


class LoadedKernel(Protocol):
    """Something that launches."""

    def run(self, cores: int, bound: BoundArguments) -> None:
        """Launches and waits; raises what went wrong."""


class Target(Protocol):
    """What makes something that launches from a program."""

    @property
    def name(self) -> str:
        """As the setting OPWRIGHT_TARGET has it."""

    def identity(self, mode: Mode) -> list[object]:
        """All of the target and the machine that decides what `build` makes: plain data, had without a compiler."""

    def build(self, job: Job) -> Mapping[str, bytes]:
        """Files by name, such as "aiv.so"."""

    def load(self, artefact: Artefact) -> LoadedKernel:
        """What launches the files that `build` made."""


_TARGETS: dict[str, Target] = {}


def register(target: Target) -> None:
    """Makes a target known by its name, which no other one has."""
    if target.name in _TARGETS:
        known = _TARGETS[target.name]
        raise TargetTaken(name=target.name, known=_class_of(known), new=_class_of(target))
    _TARGETS[target.name] = target


def _class_of(target: Target) -> str:
    return f"{type(target).__module__}.{type(target).__qualname__}"


def registered(name: str) -> Target:
    """The target of a name."""
    if name not in _TARGETS:
        known = ", ".join(sorted(_TARGETS))
        raise BadSetting(name="OPWRIGHT_TARGET", value=name, message=f"there is no such target; there are: {known}")
    return _TARGETS[name]
