"""The words of a schema.

In: a text. Out: tokens with their positions, an end at last. Refuses characters that stand nowhere in a schema.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, NoReturn

from opwright.errors import BadSchema, Location

NAME, NUMBER, TEXT, SIGN, END = "name", "number", "text", "sign", "end"
_TOKEN = re.compile(
    r"(?P<name>[A-Za-z_]\w*)"
    r"|(?P<number>-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?j?(?!\w))"
    r"|(?P<sign>->|::|\.\.\.|[().,*!?=|\[\]])"
    r"|(?P<text>\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')",
    re.ASCII,
)
_SPACE = re.compile(r"\s*")


class Token(NamedTuple):
    """One word: what it is, as it is written, and where it begins."""

    kind: str
    text: str
    start: int

    @property
    def words(self) -> str:
        """What stands there, in a message."""
        return "the end" if self.kind == END else f"'{self.text}'"


def refuse(text: str, start: int, reason: str, hint: str) -> NoReturn:
    """Raises BadSchema with a caret under a position of the schema."""
    before = text[:start]
    line, column = before.count("\n"), start - (before.rfind("\n") + 1)
    at = Location("<schema>", line + 1, column, text=text.split("\n")[line])
    raise BadSchema(at, reason=reason, hint=hint)


def tokens(text: str) -> Iterator[Token]:
    """The words of a schema in order."""
    start = 0
    while (start := _SPACE.match(text, start).end()) < len(text):  # type: ignore[union-attr]
        found = _TOKEN.match(text, start)
        if found is None:
            _refuse_character(text, start)
        yield Token(str(found.lastgroup), found[0], start)
        start = found.end()
    yield Token(END, "", len(text))


def _refuse_character(text: str, start: int) -> NoReturn:
    character = text[start]
    if character in "'\"":
        refuse(text, start, "a text has no end", f"close it with {character}")
    if re.match(r"-?\.?\d", text[start:]):
        refuse(text, start, "a number cannot be read", "write numbers as 3, -1, 0.5 or 1e-6")
    refuse(text, start, f"unexpected {character!r}", "names have letters, digits and _ only")
