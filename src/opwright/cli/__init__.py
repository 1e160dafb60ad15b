"""The command `opwright`: one file per subcommand, found by walking this folder.

In: the command line. Out: what each subcommand prints. An error of ours is printed as its message, without a traceback.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys

import click

from opwright._version import __version__
from opwright.errors import OpwrightError


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="opwright")
def cli() -> None:
    """Write an NPU kernel in Python and prove it on any machine."""


for _module in pkgutil.iter_modules(__path__):
    if not _module.name.startswith("_"):
        cli.add_command(importlib.import_module(f"{__name__}.{_module.name}").command)


def main() -> None:
    """Runs the command line."""
    try:
        cli(prog_name="opwright")
    except OpwrightError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(1)
