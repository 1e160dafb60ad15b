"""`opwright emit FILE.py:KERNEL`: prints the Ascend C text of a kernel.

In: a kernel, a SoC, a value or description per argument, passes to disable. Out: the text on standard output.
"""

from __future__ import annotations

import click

from opwright.cli._kernel import chosen_soc, leaving_out, load_kernel, read_arguments, takes_kernel


@click.command(name="emit")
@takes_kernel
def command(kernel: str, soc: str, arguments: tuple[str, ...], without: tuple[str, ...]) -> None:
    """Prints the Ascend C text of a kernel.

    FILE.py is imported, which runs its top level. Put code for a script below if __name__ == "__main__".

    \b
    Example:
      opwright emit examples/01_vector_add.py:vadd --soc ascend910b \\
        --arg x=f16[4096] --arg y=f16[4096] --arg z=f16[4096] --arg block_length=512

    In zsh, put the arrays in quotes: --arg 'x=f16[4096]'.
    """
    function = load_kernel(kernel)
    values = read_arguments(function, arguments, f"opwright emit {kernel} --soc {soc}")
    with leaving_out(without):
        click.echo(function.emit(soc=chosen_soc(function), **values), nl=False)
