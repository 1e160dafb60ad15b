"""Types of arguments and results: a base type, an optional one, a list, each with the memory that it shares.

In: parts. Out: values that can be compared, and their text in a schema.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

BASES = (
    "Tensor",
    "int",
    "SymInt",
    "float",
    "bool",
    "complex",
    "Scalar",
    "str",
    "ScalarType",
    "Layout",
    "MemoryFormat",
    "Device",
    "Generator",
)
ANYTHING = "*"  # the set of all memory


@dataclass(frozen=True)
class Alias:
    """The memory that a value shares: names of sets, before the call and after it, and whether the call writes it.

    Values with a common name may share memory. The names are sorted.
    """

    before: tuple[str, ...]
    after: tuple[str, ...]
    writes: bool = False

    def __str__(self) -> str:
        written = "!" if self.writes else ""
        then = f" -> {'|'.join(self.after)}" if self.after != self.before else ""
        return f"({'|'.join(self.before)}{written}{then})"


@dataclass(frozen=True)
class Base:
    """A type with a name, one of `BASES`."""

    name: str
    alias: Alias | None = None

    def __str__(self) -> str:
        return f"{self.name}{self.alias or ''}"


@dataclass(frozen=True)
class List:
    """A list; `size` if it always has as many elements."""

    of: Type
    size: int | None = None
    alias: Alias | None = None

    def __str__(self) -> str:
        size = "" if self.size is None else self.size
        return f"{self.of}[{size}]{self.alias or ''}"


@dataclass(frozen=True)
class Optional:
    """A value of a type, or None."""

    of: Base | List

    def __str__(self) -> str:
        return f"{self.of}?"


Type: TypeAlias = Base | List | Optional


def plain(kind: Type) -> str:
    """The text of a type without the memory that it shares and without the sizes of lists."""
    if isinstance(kind, Base):
        return kind.name
    return f"{plain(kind.of)}{'[]' if isinstance(kind, List) else '?'}"


def aliases(kind: Type) -> tuple[Alias, ...]:
    """All memory that a value of a type shares, that of the elements first."""
    own = () if isinstance(kind, Optional) or kind.alias is None else (kind.alias,)
    return own if isinstance(kind, Base) else (*aliases(kind.of), *own)
