"""What one function of a kernel knows while it is compiled: its names, its control flow, the stack of its arrays.

In: bindings, types and counts from the parts that lower statements. Out: the same, for the parts that come later.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from opwright.frontend.values import Binding, Shape
from opwright.ir.types import ScalarType


@dataclass
class Scope:
    """The names at one point of a function."""

    names: dict[str, Binding]
    declared: dict[str, ScalarType]  # types that the author wrote
    maybe_unset: set[str] = field(default_factory=set)  # set in a branch or a loop that may not have run

    def copy(self) -> Scope:
        """The same names for a branch or a loop, which may change them."""
        return Scope(dict(self.names), dict(self.declared), set(self.maybe_unset))


@dataclass
class Flow:
    """Where control goes."""

    ended: bool = False  # whether nothing that follows is reached: after break, continue and return
    loops: int = 0  # how many loops of the text enclose the current statement
    shape: Shape | None = None  # of what the function returns; None before its first return


@dataclass
class StackUse:
    """Arrays on the stack, in bytes."""

    own_bytes: int = 0  # of asc.array in the function itself
    lines: list[int] = field(default_factory=list)  # where they are made
    called_bytes: int = 0  # of the function that it calls with the most of them

    @property
    def total(self) -> int:
        """Of the function and of what it calls."""
        return self.own_bytes + self.called_bytes
