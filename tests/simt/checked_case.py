"""What a case of the checked twin of threads is: a body, and what must be said about it.

In: nothing. Out: `Right` and `Wrong`, and the lines that a body marks.
"""

from __future__ import annotations

from dataclasses import dataclass, field

UB, GM = 0, 7
COUNT = 256  # elements of each argument


@dataclass(frozen=True)
class Right:
    """A body about which nothing is to be said."""

    body: str
    block: int | tuple[int, ...] = 64
    grid: int = 1


@dataclass(frozen=True)
class Wrong:
    """A body with one mistake. Lines that end with // first and // second are those that it is told with."""

    body: str
    fault: str
    details: dict[str, int] = field(default_factory=dict)
    block: int | tuple[int, ...] = 64
    grid: int = 1
    threads: tuple[tuple[int, int, int], tuple[int, int, int]] | None = None


def marked(body: str, before: str) -> dict[str, int]:
    """The lines of a body that are marked; `before`: the text that ends where the body's condition stands."""
    begin = before.count("\n") + 1
    found = {}
    for number, line in enumerate(body.splitlines(), begin):
        for mark in line.partition("// ")[2].split():
            found[mark] = number
    return found
