"""`opwright env`: prints every OPWRIGHT_* setting with its current value.

In: the settings. Out: a table or JSON. A value that cannot be read is shown with the reason, and the exit code is 1.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

import click

from opwright.cli._table import show_json, show_table
from opwright.errors import BadSetting
from opwright.settings import Setting, settings


@dataclass(frozen=True)
class Shown:
    """One setting as it is now. `error` says why its text cannot be read; `value` is that text then."""

    name: str
    value: object
    source: str  # "environment" or "default"
    purpose: str
    error: str | None = None


def _look(setting: Setting[object]) -> Shown:
    source = "default" if setting.given() is None else "environment"
    try:
        value = getattr(settings, setting.attribute)
    except BadSetting as error:
        return Shown(setting.name, setting.given(), source, setting.doc, str(error.fields["message"]))
    return Shown(setting.name, str(value) if isinstance(value, Path) else value, source, setting.doc)


def _text(value: object) -> str:
    """A value as it would be written in the environment."""
    if isinstance(value, bool):
        return str(int(value))
    return str(value) or "(empty)"


@click.command(name="env")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: a list of objects, one per setting.")
@click.pass_context
def command(context: click.Context, as_json: bool) -> None:
    """Prints every OPWRIGHT_* setting.

    It shows the current value of each, where that comes from, and what it is for.
    """
    shown = [_look(setting) for setting in settings]
    if as_json:
        show_json([asdict(one) for one in shown])
    else:
        rows = [(one.name, _text(one.value), one.source, one.purpose) for one in shown]
        show_table(("setting", "value", "from", "what it is for"), rows)
    for one in shown:
        if one.error:
            click.echo(f"error: {BadSetting(name=one.name, value=one.value, message=one.error)}", err=True)
    context.exit(1 if any(one.error for one in shown) else 0)
