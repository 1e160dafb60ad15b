"""Runs a kernel in other legal orders and compares what comes out.

In: a kernel built for the checked mode, its cores and arguments. Out: for each schedule whether its result differs from
that of the program order, and where first. A schedule is known by its seed: the same seed gives the same bytes. The
arguments hold the result of the program order afterwards. Refuses nothing of its own: what fails in program order is
raised, what fails in another order is a difference.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

from opwright.ascendc.dtypes import DTYPES
from opwright.errors import OpwrightError
from opwright.kernel.arguments import BoundArguments
from opwright.kernel.target import Mode
from opwright.twin.launch import Kernel


@dataclass(frozen=True)
class Schedule:
    """One schedule and what it changed."""

    seed: int
    argument: str = ""  # the first one that differs
    element: int = -1  # of that argument the first one that differs
    printed: bool = False  # other text was printed
    error: OpwrightError | None = None  # it failed

    @property
    def differs(self) -> bool:
        """Whether anything came out that the program order does not give."""
        return bool(self.argument) or self.printed or self.error is not None


@dataclass(frozen=True)
class Perturbed:
    """What the program order printed, and the schedules that were tried."""

    printed: str
    schedules: tuple[Schedule, ...]

    @property
    def first(self) -> Schedule | None:
        """The first schedule that changes the result."""
        return next((schedule for schedule in self.schedules if schedule.differs), None)


class Outputs:
    """The arguments that a kernel writes: their bytes can be taken, put back and compared."""

    def __init__(self, kernel: Kernel, bound: BoundArguments) -> None:
        self.places: list[tuple[str, int, int, int]] = []  # name, address, bytes, bytes of an element
        # Behind the arguments may be workspaces, which hold no results.
        for (name, kind), (_, writes), memory in zip(kernel.types, kernel.uses, bound.memories, strict=False):
            if writes and memory is not None:
                self.places.append((name, memory[0], memory[1], DTYPES[kind].bytes))

    def take(self) -> list[bytes]:
        """Their bytes as they are."""
        return [ctypes.string_at(base, size) for _, base, size, _ in self.places]

    def put(self, contents: list[bytes]) -> None:
        """Sets their bytes."""
        for (_, base, size, _), content in zip(self.places, contents, strict=True):
            ctypes.memmove(base, content, size)

    def difference(self, wanted: list[bytes]) -> tuple[str, int]:
        """The first argument and element that are not as wanted."""
        for (name, _, _, element), got, content in zip(self.places, self.take(), wanted, strict=True):
            if got != content:
                return name, _first_difference(got, content) // element
        return "", -1


def perturbed(kernel: Kernel, cores: int, bound: BoundArguments, count: int, seed: int = 0) -> Perturbed:
    """Runs the program order and then `count` schedules from `seed` on."""
    outputs = Outputs(kernel, bound)
    before = outputs.take()
    printed, error = run(kernel, cores, bound, 0)
    if error is not None:
        raise error
    reference = outputs.take()
    schedules = []
    try:
        for number in range(seed, seed + count):
            outputs.put(before)
            # In a launch record 0 stands for the program order.
            said, error = run(kernel, cores, bound, number + 1)
            argument, element = outputs.difference(reference)
            schedules.append(Schedule(number, argument, element, said != printed, error))
    finally:
        outputs.put(reference)
    return Perturbed(printed, tuple(schedules))


def run(kernel: Kernel, cores: int, bound: BoundArguments, seed: int) -> tuple[str, OpwrightError | None]:
    """One launch: what it printed, and what it failed with. Seed 0 is the program order."""
    from opwright.twin.report import error_of  # needs the table

    outcome = kernel.launch(cores, bound, Mode.PERTURBED, seed=seed)
    assert outcome is not None
    error = error_of(outcome, kernel) if outcome.fault else None
    return kernel.take_printed(outcome), error


def _first_difference(a: bytes, b: bytes) -> int:
    """Where two texts of one length, which are not equal, differ first."""
    low, high = 0, len(a)
    while high - low > 1:
        middle = (low + high) // 2
        if a[low:middle] != b[low:middle]:
            high = middle
        else:
            low = middle
    return low
