"""Texts as notebooks show them.

In: a report or the Ascend C text of a kernel. Out: HTML without scripts, in which nothing of a user's file can become
markup.
"""

from __future__ import annotations

import re
from html import escape

# How parts of a report are coloured, in text that is escaped.
_STYLES = (
    (r"(?m)^(error: \w+)", "color: #c0392b; font-weight: bold"),
    (r"(?m)^(warning: \w+)", "color: #b7791f; font-weight: bold"),
    (r"(?m)^( +--&gt; .*)$", "color: #0e7490"),
    (r"(?m)^( *\d* \|)", "opacity: 0.55"),
    (r"(?m)((?<= )\^)$", "color: #c0392b; font-weight: bold"),
    (r"(?m)^(hint: .*)$", "color: #2f855a"),
    (r"(?m)(nothing found)$", "color: #2f855a; font-weight: bold"),
)


class AscendCText(str):
    """The Ascend C text of a kernel: a string that notebooks show line by line."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return preformatted(escape(self))


def report_html(text: str) -> str:
    """A report in colours."""
    shown = escape(text)
    for pattern, style in _STYLES:
        shown = re.sub(pattern, rf'<span style="{style}">\1</span>', shown)
    return preformatted(shown)


def preformatted(markup: str) -> str:
    """Lines as they are."""
    return f'<pre style="overflow-x: auto">{markup}</pre>'
