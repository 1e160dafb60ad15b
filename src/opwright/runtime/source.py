"""The source text of a function and where it stands now.

In: a Python function. Out: `Source`: the dedented text (what is hashed and parsed) and the file, first line and indent
that turn positions in it into positions in the file. Refuses functions without source.
"""

from __future__ import annotations

import inspect
import tokenize
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
    indent = len(lines[0]) - len(lines[0].lstrip())
    text = "".join(_dedented(lines, indent)) if indent else "".join(lines)
    return Source(function.__name__, text, function.__code__.co_filename, first_line, indent)


def _dedented(lines: list[str], indent: int) -> list[str]:
    """Moves code to the margin; unlike textwrap.dedent it leaves strings over several lines as they are."""
    inside: set[int] = set()
    for token in tokenize.generate_tokens(iter(lines).__next__):
        if token.type == tokenize.STRING:
            inside.update(range(token.start[0] + 1, token.end[0] + 1))
    return [
        line if number in inside else line[min(indent, len(line) - len(line.lstrip(" \t"))) :]
        for number, line in enumerate(lines, 1)
    ]
