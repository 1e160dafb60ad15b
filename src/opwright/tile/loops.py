"""Loops over axes: `parallel`, whose iterations run in any order, and `range`, whose iterations run in theirs.

In: lengths and sizes. Out: iterators over spans and numbers. Refuses sizes below 1, and stages other than 1 to 4. In
NumPy the order of `parallel` is a random one, so that a kernel that depends on it is found.
"""

from __future__ import annotations

import builtins
import dis
import itertools
from collections.abc import Iterator
from functools import cache
from types import CodeType
from typing import Any, overload

from opwright.errors import RuleBroken, WrongCall
from opwright.tile.numbers import Int
from opwright.tile.place import author_frames, current, here
from opwright.tile.spans import Span, integer, size_of

STAGES = (1, 2, 3, 4)


@overload
def parallel(n: int, /) -> Iterator[int]: ...
@overload
def parallel(n: int, size: int, /) -> Iterator[Any]: ...
@overload
def parallel(
    first: tuple[int, int], second: tuple[int, int], /, *others: tuple[int, int]
) -> Iterator[tuple[Span, ...]]: ...
def parallel(*axes: Any) -> Iterator[Any]:
    """Iterations in any order, on any core; nothing is carried from one to another.

    `for i in tile.parallel(n)` gives the numbers below n. `for rows in tile.parallel(n, size)` gives spans.
    `for i, j in tile.parallel((n, size), (m, size))` gives a span for each axis, and
    `for i, j in tile.parallel(n, m)` a number for each: with several names every argument is an axis of its own.
    """
    if not axes:
        raise WrongCall(
            here(), call="tile.parallel", message="it has no axis", signature="(n), (n, size), ((n, size), ...)"
        )
    if len(axes) == 2 and not any(isinstance(axis, tuple) for axis in axes) and _names_of_loop() == 1:
        axes = (axes,)
    parts = [_positions(axis) for axis in axes]
    order: list[Any] = parts[0] if len(parts) == 1 else list(itertools.product(*parts))
    current().order.shuffle(order)
    return iter(order)


def _positions(axis: Any) -> list[Any]:
    """The numbers or spans of an axis."""
    if not isinstance(axis, tuple):
        return list(map(Int, builtins.range(integer("tile.parallel", axis))))
    if len(axis) != 2:
        message = f"an axis is a length, or a length and a size, not {len(axis)} numbers"
        raise WrongCall(here(), call="tile.parallel", message=message, signature="(n), (n, size), ((n, size), ...)")
    return list(_spans("tile.parallel", 0, *axis))


def _spans(call: str, start: int, stop: int, size: int) -> Iterator[Span]:
    start, stop, size = integer(call, start), integer(call, stop), size_of(call, size)
    return (Span(at, size, stop) for at in builtins.range(start, stop, size))


@overload
def range(stop: int, size: int, /, *, stages: int = 2) -> Iterator[Span]: ...
@overload
def range(start: int, stop: int, size: int, /, *, stages: int = 2) -> Iterator[Span]: ...
def range(*numbers: int, stages: int = 2) -> Iterator[Span]:
    """Spans of `size` from `start`, or 0, up to `stop`, in order; tiles may be carried from one iteration to the next.

    stages: how many iterations have tiles in memory at the same time, so that copies run ahead; 1 to 4.
    """
    if len(numbers) not in (2, 3):
        message = f"it takes 2 or 3 numbers, not {len(numbers)}"
        raise WrongCall(here(), call="tile.range", message=message, signature="(stop, size) or (start, stop, size)")
    if stages not in STAGES:
        hint = "1 switches overlapping off; 2 overlaps copies with work"
        raise RuleBroken(here(), call="tile.range", rule="stages is 1, 2, 3 or 4", value=stages, hint=hint)
    start, stop, size = numbers if len(numbers) == 3 else (0, *numbers)
    return _spans("tile.range", start, stop, size)


def _names_of_loop() -> int:
    """How many names the loop has whose head is being evaluated; 1 where the call is no head of a loop."""
    frame = next(author_frames(), None)
    return _names_after(frame.f_code, frame.f_lasti) if frame is not None else 1


@cache
def _names_after(code: CodeType, instruction: int) -> int:
    following = [one for one in dis.get_instructions(code) if one.offset > instruction and one.opname != "EXTENDED_ARG"]
    head = [one.opname for one in following[:3]]
    if head != ["GET_ITER", "FOR_ITER", "UNPACK_SEQUENCE"]:
        return 1
    return int(following[2].arg or 0)
