"""The source text of a function and where it stands now.

In: a Python function. Out: `Source`: the dedented text (what is hashed and parsed) and the file, first line and indent
that turn positions in it into positions in the file. Refuses functions without source.
"""

from __future__ import annotations

import inspect
import textwrap
from dataclasses import dataclass
from types import FunctionType

from opwright.errors import Location, NoSource


@dataclass(frozen=True)
class Source:
    """A function's text. Positions in it survive when code above it moves; `locate` adds where it stands now."""

    name: str
    text: str
    file: str
    first_line: int
    indent: int

    def locate(self, line: int, column: int) -> Location:
        """The place in the file of a line (from 1) and column (from 0) of the text."""
        return Location(self.file, self.first_line + line - 1, column + self.indent)


def source_of(function: FunctionType) -> Source:
    """Reads the source of a function."""
    try:
        lines, first_line = inspect.getsourcelines(function)
    except (OSError, TypeError):
        raise NoSource(name=function.__qualname__) from None
    text = "".join(lines)
    dedented = textwrap.dedent(text)
    indent = len(lines[0]) - len(lines[0].lstrip())
    return Source(function.__name__, dedented, function.__code__.co_filename, first_line, indent)
