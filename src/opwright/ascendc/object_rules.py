"""Rules about what an object was made with, such as the depth of a queue: C++ has it in the object's type.

In: the operand that is the object. Out: as of every rule in `rules.py`. Everything is known at compile time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from opwright.ascendc.rules import Known, Rule

_SIZE = "buf_id_size"


class OfObject(Rule):
    """A rule about a number in the type of an object."""

    def cpp(self, number: int, index: Mapping[str, int]) -> str:
        return ""


def _number(known: Known, operand: str, parameter: str) -> int | None:
    """A number that an object was made with."""
    text = known.made_with(operand).get(parameter)
    return None if text is None else int(text)


@dataclass(frozen=True, eq=False)
class Depth(OfObject):
    """A queue keeps the order of its tensors, or it does not: its depth is above 0, or 0."""

    operand: str
    ordered: bool
    instead: str  # for queues of the other kind

    def value(self, known: Known) -> int | None:
        return _number(known, self.operand, "depth")

    def holds(self, value: int) -> bool:
        return (value > 0) == self.ordered

    @property
    def sentence(self) -> str:
        return f"the depth of the queue must be {'above 0' if self.ordered else '0'}"

    def hint(self, known: Known) -> str:
        return self.instead


@dataclass(frozen=True, eq=False)
class SameSize(OfObject):
    """A pool within a pool has the same `buf_id_size`. Judges that of the inner one, 0 if it is that of the outer."""

    operand: str
    outer: str

    def value(self, known: Known) -> int | None:
        inner, outer = _number(known, self.operand, _SIZE), _number(known, self.outer, _SIZE)
        return None if inner is None or outer is None else inner * (inner != outer)

    def holds(self, value: int) -> bool:
        return value == 0

    @property
    def sentence(self) -> str:
        return f"buf_id_size of {self.operand} must be that of the pool that contains it"

    def hint(self, known: Known) -> str:
        return f"make it with {_number(known, self.outer, _SIZE)}"
