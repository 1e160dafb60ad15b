"""Where a front end adds operations: the place in the author's source, and the block that grows there.

A front end implements `Site` for what it compiles, such as a node of a syntax tree.
"""

from __future__ import annotations

from typing import Protocol

from xdsl.ir import Operation

from opwright.errors import Location


class Site(Protocol):
    """A place in the author's source."""

    @property
    def at(self) -> Location:
        """The place, for errors."""

    def add(self, operation: Operation) -> Operation:
        """Appends an operation that stands for this place."""
