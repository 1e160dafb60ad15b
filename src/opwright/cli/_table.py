"""What subcommands print with: tables for people, JSON for programs.

In: rows of text. Out: standard output. No cell is cut, and no word or number broken, paths apart: a cell goes on in the
next line, and a table that is too wide for the terminal even so becomes a list.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Sequence
from typing import Literal

import click

_GAP = 2  # blanks between two columns
_PATH = 16  # the least number of columns of a path
# How a word that stands alone in a cell is coloured, where there is colour.
_STYLES = {"ok": "green", "warning": "yellow", "problem": "bold red"}


def show_table(columns: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[str] = ()) -> None:
    """Prints a table; the columns named in `numbers` are set to the right. Where whole words do not fit: a list."""
    from rich import box  # takes longer to load than any help text may
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    rows = list(rows)
    console = Console(highlight=False)
    widths = _widths([list(cells) for cells in zip(columns, *rows, strict=True)], console.width)
    if widths is None:
        for text in (text for row in rows for text in _listed(columns, row, numbers, console.width)):
            console.print(Text(text), soft_wrap=True)
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", show_edge=False, padding=(0, 1, 0, 0))
    for name, width in zip(columns, widths, strict=True):
        justify: Literal["left", "right"] = "right" if name in numbers else "left"
        table.add_column(name, justify=justify, overflow="fold", width=width)
    for row in rows:
        # Text, not str: a path may have brackets, which rich would take for markup.
        table.add_row(*(Text(cell, style=_STYLES.get(cell, "")) for cell in row))
    console.print(table)


def _widths(columns: Sequence[Sequence[str]], width: int) -> list[int] | None:
    """How wide the columns are at most, names in the first one whole; None if some word would break."""
    wanted = [max(len(line) for cell in cells for line in cell.split("\n")) for cells in columns]
    least = [max((_least(word) for cell in cells for word in cell.split()), default=0) for cells in columns]
    if wanted[0] <= width // 2:
        least[0] = wanted[0]
    surplus = sum(wanted) + _GAP * (len(columns) - 1) - width
    while surplus > 0:
        widest = max(range(len(columns)), key=lambda number: (wanted[number] > least[number], wanted[number]))
        if wanted[widest] <= least[widest]:
            return None
        wanted[widest] -= 1
        surplus -= 1
    return wanted


def _least(word: str) -> int:
    """The width that a word needs: its own. Paths may break, because they can be very long."""
    return min(len(word), _PATH) if "/" in word else len(word)


def _listed(columns: Sequence[str], row: Sequence[str], numbers: Sequence[str], width: int) -> list[str]:
    """A row as lines: its first cells beside each other, the last one below them; numbers with their names."""
    cells = [f"{name} {cell}" if name in numbers else cell for name, cell in zip(columns, row, strict=True)]
    lines = _wrapped("  ".join(cells[:-1]), width, "")
    for line in cells[-1].split("\n"):
        lines += _wrapped(line, width, "    ")
    return lines


def _wrapped(text: str, width: int, indent: str) -> list[str]:
    """Lines of whole words; only one that is wider than the terminal breaks."""
    return textwrap.wrap(text, width, initial_indent=indent, subsequent_indent=f"{indent}  ", break_on_hyphens=False)


def show_json(value: object) -> None:
    """Prints plain data as JSON."""
    click.echo(json.dumps(value, indent=1, ensure_ascii=False))
