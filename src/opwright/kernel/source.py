"""The source text of a function and where it stands.

In: a Python function and the lines of its file as they were when it was defined. Out: `Source`: the dedented text (what
is hashed and parsed) and the file, first line and indent that turn positions in it into positions in the file. Refuses
functions without source, lines that are not the function's, and functions that come from an older .pyc. A text that was
made from a function's is a `Source` too: its lines lead to those of the function.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, FunctionType

from opwright.errors import Location, NoSource, SourceChanged, StaleCode


@dataclass(frozen=True)
class Source:
    """A function's text. Positions in it survive when code above it moves; `locate` adds where it stands now.

    author: of a generated text, what it was made from. origins: its lines -> line and column of the author's text.
    """

    name: str
    text: str
    file: str
    first_line: int
    indent: int
    lines: tuple[str, ...] = field(repr=False)  # as they stand in the file
    author: Source | None = field(default=None, repr=False)
    origins: Mapping[int, tuple[int, int]] = field(default_factory=dict, repr=False, compare=False)

    def locate(self, line: int, column: int) -> Location:
        """The place in the file of a line (from 1) and column (from 0) of the text."""
        shown = self.lines[line - 1] if line <= len(self.lines) else ""
        origin = self.author.locate(*self.origins[line]) if self.author and line in self.origins else None
        return Location(self.file, self.first_line + line - 1, column + self.indent, text=shown, origin=origin)


def generated_source(author: Source, text: str, origins: Mapping[int, tuple[int, int]]) -> Source:
    """A text that was made from a function's; it is in no file."""
    lines = tuple(text.splitlines(keepends=True))
    return Source(author.name, text, f"<generated {author.name}>", 1, 0, lines, author, origins)


_UNCHECKED = (1).to_bytes(4, "little")  # flags of a .pyc that Python takes without a look at its source

# What files held when a function of theirs was marked: methods of their classes are read from there.
_as_imported: dict[str, Sequence[str]] = {}


def file_lines(function: FunctionType) -> Sequence[str]:
    """The lines of a function's file now; none if there is no such file.

    Asked for when the function is defined, so that a later edit of the file does not change the kernel. A file is read
    once for all its kernels (0.1 ms for 1000 lines).
    """
    file = function.__code__.co_filename
    if file == "<string>":
        return []  # code made by exec; from Python 3.13 on the text of `python -c` goes by that name
    linecache.checkcache(file)
    lines = linecache.getlines(file, function.__globals__)
    _as_imported[file] = lines
    return lines


def source_of(function: FunctionType, lines: Sequence[str] | None = None) -> Source:
    """The source of a function in the lines of its file, by default as they were when it was imported."""
    code = function.__code__  # not inspect's way: it would look through functools.wraps
    if lines is None:
        lines = _as_imported.get(code.co_filename) or file_lines(function)
    below = lines[code.co_firstlineno - 1 :]
    if not below:
        raise NoSource(name=function.__qualname__)
    try:
        own = inspect.getblock(below)
        indent = len(own[0]) - len(own[0].lstrip())
        text = "".join(_dedented(own, indent)) if indent else "".join(own)
        tree = ast.parse(text)
    except (SyntaxError, tokenize.TokenError, IndexError):
        tree = ast.Module([], [])
    if not _defines(tree, code):
        raise SourceChanged(name=function.__qualname__, file=code.co_filename, line=code.co_firstlineno)
    _refuse_stale(function, lines)
    return Source(function.__name__, text, code.co_filename, code.co_firstlineno, indent, tuple(own))


def _refuse_stale(function: FunctionType, lines: Sequence[str]) -> None:
    """Refuses a function of a .pyc that was made from other lines. Only doubtful ones: that compiles the whole file."""
    spec = function.__globals__.get("__spec__")
    cached = getattr(spec, "cached", None)
    # Other loaders, such as that of pytest, change what they load.
    if cached is None or type(getattr(spec, "loader", None)) is not SourceFileLoader:
        return
    code = function.__code__
    try:
        with Path(cached).open("rb") as file:
            is_unchecked = file.read(8)[4:] == _UNCHECKED
        is_newer = Path(code.co_filename).stat().st_mtime_ns >= Path(cached).stat().st_mtime_ns
        if not is_unchecked and not is_newer:
            return
        made = compile("".join(lines), code.co_filename, "exec", dont_inherit=True)
    except (OSError, SyntaxError, ValueError):
        return
    if code not in _codes(made):
        raise StaleCode(name=function.__qualname__, file=code.co_filename, line=code.co_firstlineno, cached=cached)


def _codes(code: CodeType) -> Iterator[CodeType]:
    """A code object and those inside it."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)


def _defines(tree: ast.Module, code: CodeType) -> bool:
    """Whether a text is the definition of a function: its name and its parameters."""
    match tree.body:
        case [ast.FunctionDef(name=name, args=arguments)]:
            names = tuple(argument.arg for argument in arguments.args)
            return (name, names) == (code.co_name, code.co_varnames[: code.co_argcount])
    return False


# Python 3.12 and later take f-strings apart.
_STRINGS = {tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}


def _dedented(lines: Sequence[str], indent: int) -> list[str]:
    """Moves code to the margin; unlike textwrap.dedent it leaves strings over several lines as they are."""
    inside: set[int] = set()
    for token in tokenize.generate_tokens(iter(lines).__next__):
        if token.type in _STRINGS:
            inside.update(range(token.start[0] + 1, token.end[0] + 1))
    return [
        line if number in inside else line[min(indent, len(line) - len(line.lstrip(" \t"))) :]
        for number, line in enumerate(lines, 1)
    ]
