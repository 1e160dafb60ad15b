"""Long lines of printed Python over several lines, as people would break them.

In: a line. Out: lines that mean the same. The content of the longest pair of brackets gets a line, or a line to each
part where it is still too long. A line without brackets stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

WIDTH = 100
_INDENT = "    "
_OPENING, _CLOSING = "([{", ")]}"


@dataclass(frozen=True)
class _Pair:
    """A pair of brackets that stands in no other one: where it begins and ends, and where its commas are."""

    begin: int
    end: int
    commas: tuple[int, ...]


def wrapped(line: str) -> list[str]:
    """A line, broken if it is too long."""
    if len(line) <= WIDTH:
        return [line]
    pairs = [pair for pair in _pairs(line) if pair.begin < WIDTH and pair.end > pair.begin + 1]
    if not pairs:
        return [line]
    pair = max(pairs, key=lambda one: one.end - one.begin)
    margin = line[: len(line) - len(line.lstrip())]
    head, content, tail = line[: pair.begin + 1], line[pair.begin + 1 : pair.end], line[pair.end :]
    if len(margin + _INDENT + content) <= WIDTH:
        return [head, margin + _INDENT + content, *wrapped(margin + tail)]
    borders = [pair.begin, *pair.commas, pair.end]
    parts = [line[begin + 1 : end].strip() for begin, end in pairwise(borders)]
    comma = "," if pair.commas else ""  # one more comma would make a tuple of a single part
    inner = [text for part in parts if part for text in wrapped(f"{margin}{_INDENT}{part}{comma}")]
    return [head, *inner, *wrapped(margin + tail)]


def _pairs(line: str) -> Iterator[_Pair]:
    """The outermost pairs of brackets, none of a text between quotes."""
    depth = begin = 0
    commas: list[int] = []
    quote = ""
    is_escaped = False
    for place, character in enumerate(line):
        if quote:
            quote = "" if character == quote and not is_escaped else quote
            is_escaped = character == "\\" and not is_escaped
        elif character in "\"'":
            quote = character
        elif character in _OPENING:
            if not depth:
                begin, commas = place, []
            depth += 1
        elif character in _CLOSING and depth:  # the end of a broken line begins with the bracket that ends it
            depth -= 1
            if not depth:
                yield _Pair(begin, place, tuple(commas))
        elif character == "," and depth == 1:
            commas.append(place)
