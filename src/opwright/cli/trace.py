"""`opwright trace FILE.py:KERNEL -o OUT`: draws what each pipe did, with the findings of the checked twin.

In: a kernel as for `opwright check`. Out: a page that needs nothing else (OUT.html), or a trace for Perfetto
(OUT.json). Refuses other files.
"""

from __future__ import annotations

from pathlib import Path

import click

from opwright.cli._kernel import leaving_out, takes_kernel
from opwright.cli._launch import launcher_of, message_if_slow, prepared, takes_launch


@click.command(name="trace")
@takes_kernel
@takes_launch
@click.option("--core", type=click.IntRange(0), metavar="K", help="Show only this core.")
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Output file: .html for a page, .json for a trace that ui.perfetto.dev loads.",
)
def command(
    kernel: str,
    soc: str,
    arguments: tuple[str, ...],
    without: tuple[str, ...],
    cores: int,
    grid: tuple[int, ...],
    block: tuple[int, ...],
    seed: int,
    core: int | None,
    output: Path,
) -> None:
    """Draws what each pipe did, with flags and findings.

    The page is one file that loads nothing from elsewhere. It has a lane for each pipe of each core, in program order,
    and arrows for flags. It marks the accesses of each finding; point at a box to see its line of Python. Arrays are
    filled as in opwright check. The kernel runs on the CPU, so the trace has no times of an NPU.

    FILE.py is imported, which runs its top level. Put code for a script below if __name__ == "__main__".

    \b
    Example:
      opwright trace examples/04_find_the_race.py:forgets_to_wait -o race.html \\
        --arg x=f32[4096] --arg z=f32[4096] --arg tiles=4

    In zsh, put the arrays in quotes: --arg 'x=f32[4096]'.
    """
    if output.suffix not in (".html", ".json"):
        raise click.UsageError(f"-o {output}: name a file that ends in .html (a page) or .json (a trace for Perfetto)")
    function, values = prepared(kernel, arguments, seed)
    launcher = launcher_of(function)
    if core is not None and core >= launcher.cores:
        raise click.UsageError(f"--core {core}: the cores are 0 to {launcher.cores - 1}")
    with leaving_out(without), message_if_slow("compiling and running the kernel"):
        trace = function.trace[launcher.grid](**values)
    try:
        trace.save(output, core)
    except OSError as error:
        raise click.ClickException(f"{output} cannot be written: {error.strerror}") from None
    click.echo(f"{output}: {trace.counted(core)}")
