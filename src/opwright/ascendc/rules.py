"""The closed set of rules a row may state about its operands.

In: a rule with its parameters. Out, from each rule: `holds` for values known before the run, `cpp` for values known
only in it, and `sentence` for people. Nothing else in the project knows what a rule means.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, eq=False)
class Range:
    """An integer parameter lies in [low, high]."""

    operand: str
    low: int
    high: int
    subject: ClassVar[str] = "value"

    def holds(self, value: int) -> bool:
        """Whether the constant `value` obeys the rule."""
        return self.low <= value <= self.high

    def cpp(self, value: str) -> str:
        """A C++ condition over the run-time value."""
        return f"{value} >= {self.low} && {value} <= {self.high}"

    @property
    def sentence(self) -> str:
        """The rule in words."""
        return f"{self.operand} must lie between {self.low} and {self.high}"


@dataclass(frozen=True, eq=False)
class Align:
    """A local tensor starts at a multiple of `bytes`."""

    operand: str
    bytes: int
    subject: ClassVar[str] = "address"

    def holds(self, value: int) -> bool:
        """Whether the constant address `value` obeys the rule."""
        return value % self.bytes == 0

    def cpp(self, value: str) -> str:
        """A C++ condition over the run-time address."""
        return f"{value} % {self.bytes} == 0"

    @property
    def sentence(self) -> str:
        """The rule in words."""
        return f"{self.operand} must start at a multiple of {self.bytes} bytes"


@dataclass(frozen=True, eq=False)
class NoPartialOverlap:
    """A written tensor is a read one exactly, or does not touch it; the twin compares the footprints."""

    operand: str
    other: str
    subject: ClassVar[str] = "footprint"

    @property
    def sentence(self) -> str:
        """The rule in words."""
        return f"{self.operand} may be {self.other} itself, but must not overlap it in part"


@dataclass(frozen=True, eq=False)
class Capacity:
    """A new tensor ends within the memory of its position; the twin's constructor tests it in the run."""

    operand: str  # the position
    address: str
    size: str
    subject: ClassVar[str] = "memory"

    @property
    def sentence(self) -> str:
        """The rule in words."""
        return f"{self.address} and {self.size} must lie within what a kernel may use of the memory of {self.operand}"


Rule = Range | Align | NoPartialOverlap | Capacity
