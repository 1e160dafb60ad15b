"""Phrases that pages, help texts and sources do not use: each has a word of the field in its place."""

import bisect
import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from opwright.ascendc.table import ROWS
from opwright.cli import cli
from opwright.settings import settings

pytestmark = pytest.mark.quick
ROOT = Path(__file__).parents[1]
# Phrase -> what to write instead.
BANNED = {
    r"so many": "a number, N",
    r"ways? out(?! of)": "hint",
    r"mend(s|ed|ing)?": "fix",
    r"told": "reported",
    r"whoever|somebody|nobody|anybody": "name who it is",
    r"(of|in|before|during) the run(?!-)": "run time, compile time, before a launch",
    r"(the|each|every|next|first|second|of a) turns?": "iteration",
    r"takes? turns": "alternate",
    r"(no|has|have|had|its|the|takes?|leaves?) room": "scratch, memory, space",
    r"shall": "must, will",
    r"as it stands": "unchanged",
    r"lies? nowhere": "has no storage",
}
SOURCES = {".py", ".h", ".cpp", ".js", ".css", ".html"}
PATTERN = re.compile(
    rf"\b(?:{'|'.join(f'(?P<p{number}>{phrase})' for number, phrase in enumerate(BANNED))})\b", re.IGNORECASE
)
# What starts and ends a line of a comment or of a string that goes on in the next line.
MARKS = re.compile(r"""^\s*(?:(?://+|#+|\*+)\s)?\s*(?:[rf]{0,2}["'](?=\S))?|["']?\s*$""")


def found_in(name: str, text: str) -> list[str]:
    """Every banned phrase of a text with its line, also over the end of one; blocks of code and output are left out."""
    text = re.sub(r"^(`{3,}|:{3,}\{code).*?^\1`*$", lambda block: "\n" * block[0].count("\n"), text, flags=re.M | re.S)
    lines = [" ".join(MARKS.sub("", line).split()) for line in text.split("\n")]
    ends = list(itertools.accumulate(len(line) + 1 for line in lines))
    found = []
    for match in PATTERN.finditer(" ".join(lines)):
        assert match.lastgroup is not None
        instead = list(BANNED.values())[int(match.lastgroup[1:])]
        found.append(f"{name}:{bisect.bisect_right(ends, match.start()) + 1}: {match[0]!r}; write: {instead}")
    return found


def pages() -> Iterator[tuple[str, str]]:
    """Every page by hand, and the newest part of the changelog."""
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))):
        yield path.name, path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "docs" / "guide").glob("*.md")):
        yield path.name, path.read_text(encoding="utf-8")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    yield "CHANGELOG.md", "\n## ".join(changes.split("\n## ")[:2])


def helps(command: click.Command, name: str = "opwright") -> Iterator[tuple[str, str]]:
    """The help of a command and of those below it."""
    yield f"{name} --help", command.get_help(click.Context(command, info_name=name))
    if isinstance(command, click.Group):
        for own, below in command.commands.items():
            yield from helps(below, f"{name} {own}")


@pytest.mark.parametrize(("name", "text"), [pytest.param(name, text, id=name) for name, text in pages()])
def test_pages(name: str, text: str) -> None:
    assert not found_in(name, text)


def test_help_texts() -> None:
    assert not [line for name, text in helps(cli) for line in found_in(name, text)]


def test_settings_and_rows() -> None:
    assert not [line for setting in settings for line in found_in(setting.name, setting.doc)]
    assert not [line for row in ROWS.values() for line in found_in(row.name, f"{row.doc}\n{row.exactness}")]


def test_sources() -> None:
    """Error texts, docstrings and comments. What is generated has its words from them and from rows."""
    files = [path for path in (ROOT / "src").rglob("*") if path.suffix in SOURCES and "generated" not in path.parts]
    assert {path.suffix for path in files} == SOURCES
    found = (found_in(str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")) for path in files)
    assert not list(itertools.chain.from_iterable(found))


def test_a_banned_phrase_is_found() -> None:
    text = "Fine.\n```text\nnobody mends it\n```\nTry so many orders.\nEach turn is told.\n"
    assert [line.partition(";")[0] for line in found_in("page", text)] == [
        "page:5: 'so many'",
        "page:6: 'Each turn'",
        "page:6: 'told'",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "as it\nstands",
        "x = 1  # kept as it\n    # stands",
        "// kept as it\n// stands",
        "/*\n * kept as it\n * stands\n */",
        'hint = "kept as it "\n    "stands"',
        'hint = f"kept {what} as it "\n    f"stands"',
        "as  it\tstands",
    ],
)
def test_a_phrase_over_two_lines_is_found(text: str) -> None:
    assert [re.sub(r":\d+", "", line) for line in found_in("file", text)] == ["file: 'as it stands'; write: unchanged"]


def test_words_within_other_phrases_are_left() -> None:
    assert not found_in("file", "results on their way out of L0C, of the run-time values")
