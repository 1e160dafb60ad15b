"""`opwright emit FILE.py:KERNEL`: prints the Ascend C text of a kernel.

In: a kernel, a SoC, a value or description per argument. Out: the text on standard output.
"""

from __future__ import annotations

import click

from opwright.ascendc.socs import SOCS
from opwright.cli._kernel import load_kernel, read_arguments
from opwright.settings import settings


@click.command(name="emit")
@click.argument("kernel", metavar="FILE.py:KERNEL")
@click.option(
    "--soc",
    type=click.Choice(list(SOCS)),
    default=lambda: settings.soc,
    show_default="OPWRIGHT_SOC or ascend910b",
)
@click.option(
    "--arg",
    "arguments",
    multiple=True,
    metavar="NAME=VALUE",
    help="An argument: a number, or an array described as TYPE[LENGTH], such as f16[4096]. Once for each.",
)
def command(kernel: str, soc: str, arguments: tuple[str, ...]) -> None:
    """Prints the Ascend C text of a kernel.

    \b
    Example:
      opwright emit examples/01_vector_add.py:vadd --soc ascend910b \\
        --arg x=f16[4096] --arg y=f16[4096] --arg z=f16[4096] --arg block_length=512

    In zsh, put the arrays in quotes: --arg 'x=f16[4096]'.
    """
    function = load_kernel(kernel)
    values = read_arguments(function, arguments, f"opwright emit {kernel} --soc {soc}")
    click.echo(function.emit(soc=soc, **values), nl=False)
