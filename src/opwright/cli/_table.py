"""What subcommands print with: tables for people, JSON for programs.

In: rows of text. Out: standard output. No cell is ever cut: what is too wide for the terminal goes on in the next line.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Literal

import click

# How a word that stands alone in a cell is coloured, where there is colour.
_STYLES = {"ok": "green", "warning": "yellow", "problem": "bold red"}


def show_table(columns: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[str] = ()) -> None:
    """Prints a table; the columns named in `numbers` are set to the right."""
    from rich import box  # takes longer to load than any help text may
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", show_edge=False)
    rows = list(rows)
    console = Console(highlight=False)
    # Names stand in the first column and stay whole, unless the terminal is too narrow for them.
    whole = max((len(row[0]) for row in rows), default=0) <= console.width // 2
    for number, name in enumerate(columns):
        justify: Literal["left", "right"] = "right" if name in numbers else "left"
        table.add_column(name, justify=justify, overflow="fold", no_wrap=whole and number == 0)
    for row in rows:
        # Text, not str: a path may have brackets, which rich would take for markup.
        table.add_row(*(Text(cell, style=_STYLES.get(cell, "")) for cell in row))
    console.print(table)


def show_json(value: object) -> None:
    """Prints plain data as JSON."""
    click.echo(json.dumps(value, indent=1, ensure_ascii=False))
