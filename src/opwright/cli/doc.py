"""`opwright doc NAME`: a call as `help` shows it: its forms, what it does, element types, an example.

In: the name of a call, with or without `asc.`. Out: its description. Refuses other names and suggests similar ones.
"""

from __future__ import annotations

import difflib

import click


@click.command(name="doc")
@click.argument("name")
def command(name: str) -> None:
    """Prints what a call of Ascend C takes and does.

    \b
    Example:
      opwright doc asc.exp
    """
    from opwright.ascendc.table import ROWS
    from opwright.ascendc.words import described

    wanted = name.removeprefix("asc.")
    by_ascendc = [row.name for row in ROWS.values() if row.cpp == wanted]
    if wanted not in ROWS and by_ascendc:
        wanted = min(by_ascendc, key=len)
    if wanted not in ROWS:
        near = difflib.get_close_matches(wanted, ROWS, n=3) or [own for own in ROWS if wanted.lower() in own][:3]
        hint = f"did you mean {', '.join(f'asc.{own}' for own in near)}?" if near else "opwright list calls lists them"
        raise click.UsageError(f"there is no call {name!r}; {hint}")
    click.echo(described(ROWS[wanted]))
