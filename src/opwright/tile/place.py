"""Where the author's code is while a kernel runs in NumPy or is compiled, and what that run knows.

In: the frames of Python, or the place that a compiler is at. Out: a `Location` for errors, and the `Run` that is under
way.
"""

from __future__ import annotations

import itertools
import linecache
import random
import sys
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import CodeType, FrameType

from opwright.errors import Location

_OURS = __name__.rpartition(".")[0]


@dataclass
class Run:
    """One run of a kernel in NumPy. `extents`: how long the slices of each place in the code have been."""

    name: str
    code: CodeType | None = None
    order: random.Random = field(default_factory=lambda: random.Random(0))
    extents: dict[tuple[CodeType, int, int], int] = field(default_factory=dict)


# The place that a compiler is at: rules that it shares with NumPy refuse there.
compiling: ContextVar[Location | None] = ContextVar("compiling", default=None)
running: ContextVar[Run | None] = ContextVar("running", default=None)


def current() -> Run:
    """The run that is under way. Outside a kernel, where tiles can be tried by hand, it is a new one."""
    return running.get() or Run("tile")


def _is_ours(frame: FrameType) -> bool:
    name = str(frame.f_globals.get("__name__"))
    return name == _OURS or name.startswith(f"{_OURS}.")


def author_frames() -> Iterator[FrameType]:
    """The frames of the author's code, innermost first, up to the kernel's own; outside a kernel the innermost one."""
    frame: FrameType | None = sys._getframe(1)
    code = current().code
    while frame is not None:
        if not _is_ours(frame):  # ours lie between them where a kernel calls another one
            yield frame
            if frame.f_code is code or code is None:
                return
        frame = frame.f_back


@dataclass(frozen=True)
class Mark:
    """An instruction of the author's code."""

    code: CodeType
    instruction: int
    line: int

    def locate(self, calls: tuple[Location, ...] = ()) -> Location:
        """Its place. Python before 3.11 knows lines only: the caret then stands under the start of the line."""
        text = linecache.getline(self.code.co_filename, self.line)
        column = len(text) - len(text.lstrip())
        if sys.version_info >= (3, 11):
            found = next(itertools.islice(self.code.co_positions(), self.instruction // 2, None), None)
            if found is not None and found[0] == self.line and found[2] is not None:
                column = len(text.encode()[: found[2]].decode(errors="ignore"))
        return Location(self.code.co_filename, self.line, column, calls, text.rstrip("\n"))


def mark_of(frame: FrameType) -> Mark:
    """Where a frame is."""
    return Mark(frame.f_code, frame.f_lasti, frame.f_lineno)


def mark() -> Mark | None:
    """Where the author's code is."""
    frame = next(author_frames(), None)
    return mark_of(frame) if frame is not None else None


def here() -> Location | None:
    """The author's line that is under way, with the calls that led there."""
    if (place := compiling.get()) is not None:
        return place
    marks = [mark_of(frame) for frame in author_frames()]
    if not marks:
        return None
    calls = tuple(one.locate() for one in reversed(marks[1:]))
    return marks[0].locate(calls)
