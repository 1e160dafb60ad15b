"""Names in a printed function: the author's, and others where one is still needed or would mean something else.

In: a wished name and the value it is for. Out: a name. The front end makes a variable of a name that a branch or a loop
sets again, so a value inside of one never takes a name from outside.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

from opwright.ir import SSAValue
from opwright.ir.types import CellType

# What a printed text says itself.
RESERVED = frozenset(
    {*keyword.kwlist, "asc", "dataclass", "range", "min", "max", "abs", "int", "float", "bool", "self"}
)


class Scopes:
    """The names of one function, block by block."""

    def __init__(self, taken: Collection[str], last_use: Callable[[SSAValue], int]) -> None:
        self._taken = RESERVED | set(taken)
        self._last_use = last_use
        self._blocks: list[dict[str, SSAValue]] = [{}]
        self._set: list[set[str]] = [set()]  # the names that a block sets, and those in it
        self._retired: set[str] = set()
        self._counts: list[dict[str, int]] = [{}]  # how often a name was wished for

    def holder(self, name: str) -> SSAValue | None:
        """The value that has a name now."""
        return next((block[name] for block in reversed(self._blocks) if name in block), None)

    def take(self, wish: str, value: SSAValue, position: int, is_own: bool = False) -> str:
        """A name for a value from a position on; `is_own`: the author did not give it, so it is for nothing else."""
        name, number = wish, sum(counts.get(wish, 0) for counts in self._counts)
        self._counts[-1][wish] = self._counts[-1].get(wish, 0) + 1
        if not self._is_free(name, value, position, is_own):
            # The C++ text numbers equal names: the same number here leaves it as it is.
            name, number = f"{wish}_{max(number, 1)}", max(number, 1)
            while not self._is_free(name, value, position, is_own):
                number += 1
                name = f"{wish}_{number}"
        self._blocks[-1][name] = value
        self._set[-1].add(name)
        return name

    def retire(self, names: set[str]) -> None:
        """Keeps names of ours from later values: both sides of a branch set them, so they would become variables."""
        self._retired |= names

    def pass_on(self, name: str, value: SSAValue, variable: SSAValue) -> bool:
        """Gives a variable the name of the value that it starts with, if that has it in this very block."""
        if self._blocks[-1].get(name) is not value:
            return False
        self._blocks[-1][name] = variable
        return True

    def _is_free(self, name: str, value: SSAValue, position: int, is_own: bool) -> bool:
        if (name in self._taken and name != "self") or (is_own and name in self._retired):
            return False
        held = self.holder(name)
        if held is None or held is value:
            return True
        if is_own or name not in self._blocks[-1] or isinstance(held.type, CellType):
            return False
        return self._last_use(held) <= position

    @contextmanager
    def block(self) -> Iterator[set[str]]:
        """A branch, or the body of a loop; gives the names that are set in it."""
        self._blocks.append({})
        self._counts.append({})
        self._set.append(set())
        yield self._set[-1]
        inner = self._set.pop()
        self._set[-1] |= inner
        self._blocks.pop()
        self._counts.pop()
