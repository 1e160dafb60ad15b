"""Spans: parts of an axis with a constant size, of which some may lie beyond its end.

In: numbers. Out: `Span`, which indexes tensors, and `blocks`, a size in whole blocks of 32 bytes. Refuses sizes below 1
and axes that are longer than `whole` allows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from opwright.ascendc.dtypes import DataType
from opwright.errors import RuleBroken, SpanTooLong, WrongType, brief
from opwright.tile.dtypes import INT32
from opwright.tile.numbers import wrapped
from opwright.tile.place import current, here
from opwright.tile.values import Tile

BLOCK_BYTES = 32


@dataclass(frozen=True)
class Span:
    """A part of an axis. start: its first position. size: a constant. stop: where the axis, or a part of it, ends."""

    start: int
    size: int
    stop: int

    def __post_init__(self) -> None:
        for name in ("start", "stop"):  # a launch knows them
            object.__setattr__(self, name, wrapped(int(getattr(self, name))))

    @property
    def count(self) -> int:
        """How many positions are there: those before `stop`, `size` at most."""
        found: int = wrapped(max(0, min(int(self.stop - self.start), self.size)))
        return found

    @property
    def index(self) -> Tile:
        """The positions, an int32 tile of shape (size,)."""
        values = np.arange(self.start, self.start + self.count, dtype=np.int64).astype(np.int32)
        return Tile(values, (self.size,), INT32)

    def shifted(self, n: int) -> Span:
        """The span n positions further on, of the same count."""
        return Span(self.start + integer("span.shifted", n), self.size, self.stop + n)


def integer(operation: str, value: Any) -> int:
    """A number that is an integer."""
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return int(value)
    got = f"a {type(value).__name__}" if isinstance(value, Tile) else brief(value)
    raise WrongType(here(), operation=operation, got=got, hint="it takes integers")


def size_of(call: str, value: Any) -> int:
    """A size of spans."""
    size = integer(call, value)
    if size < 1:
        hint = "a size is a constant: a number, or a parameter annotated with tile.constexpr"
        raise RuleBroken(here(), call=call, rule="a size is 1 or more", value=size, hint=hint)
    return size


def span(start: int, size: int, stop: int | None = None) -> Span:
    """`size` positions from `start` on, of which those before `stop` are there; all of them without `stop`.

    What is there must lie within the axis that it indexes. `size` is a constant.
    """
    start, size = integer("tile.span", start), size_of("tile.span", size)
    return Span(start, size, start + size if stop is None else integer("tile.span", stop))


def whole(length: int, size: int) -> Span:
    """A whole axis of `length` elements, at most `size`, a constant. A longer axis is refused before the launch."""
    length, size = integer("tile.whole", length), size_of("tile.whole", size)
    if length > size:
        raise SpanTooLong(here(), kernel=current().name, length=length, size=size)
    return Span(0, size, length)


def blocks(length: int, dtype: DataType) -> int:
    """`length` elements rounded up to whole blocks of 32 bytes, at least one: a size for `whole`."""
    per_block = BLOCK_BYTES // dtype.bytes
    return max(1, -(-length // per_block)) * per_block
