"""Phrases that pages and help texts do not use: each has a word of the field in its place."""

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
    r"ways? out": "hint",
    r"mend(s|ed|ing)?": "fix",
    r"(is|are|was|were|gets?) told": "reported",
    r"whoever|somebody|nobody|anybody": "name who it is",
    r"(of|in|before|during) the run": "run time, compile time, before a launch",
    r"(the|each|every|next|first|second|of a) turns?": "iteration",
    r"takes? turns": "alternate",
    r"(no|has|have|had|its|the|takes?|leaves?) room": "scratch, memory, space",
    r"shall": "must, will",
    r"as it stands": "unchanged",
    r"lies? nowhere": "has no storage",
}
PATTERN = re.compile(
    "|".join(rf"(?P<p{number}>\b(?:{phrase})\b)" for number, phrase in enumerate(BANNED)), re.IGNORECASE
)


def found_in(name: str, text: str) -> list[str]:
    """Every banned phrase of a text with its line; blocks of code and output are left out."""
    text = re.sub(r"^(`{3,}|:{3,}\{code).*?^\1`*$", lambda block: "\n" * block[0].count("\n"), text, flags=re.M | re.S)
    found = []
    for match in PATTERN.finditer(text):
        assert match.lastgroup is not None
        instead = list(BANNED.values())[int(match.lastgroup[1:])]
        found.append(f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]!r}; write: {instead}")
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


def test_a_banned_phrase_is_found() -> None:
    text = "Fine.\n```text\nnobody mends it\n```\nTry so many orders.\nEach turn is told.\n"
    assert [line.partition(";")[0] for line in found_in("page", text)] == [
        "page:5: 'so many'",
        "page:6: 'Each turn'",
        "page:6: 'is told'",
    ]
