"""`opwright check FILE.py:KERNEL`: runs a kernel on the checked twin and prints what it found.

In: a kernel as for `opwright emit`, cores, a seed. Out: the report on standard output, in colour on a terminal; also as
JSON and as SARIF. The exit code is 1 if an error was found.
"""

from __future__ import annotations

import contextlib
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from opwright.check.finding import Report
from opwright.check.launcher import MOST_SCHEDULES, MOST_SEED
from opwright.cli._kernel import leaving_out, takes_kernel
from opwright.cli._launch import launcher_of, prepared, takes_launch, told_if_slow
from opwright.errors import CheckWarning, KernelError, RunError

if TYPE_CHECKING:
    from rich.text import Text

# How the parts of a report are coloured.
_STYLES = {
    r"(?m)^error: \w+": "bold red",
    r"(?m)^warning: \w+": "bold yellow",
    r"(?m)^ +--> .*$": "cyan",
    r"(?m)^ *\d* \|": "dim",
    r"(?m)(?<= )\^$": "bold red",
    r"(?m)^hint: .*$": "green",
    r"nothing found$": "bold green",
}


def coloured(report: Report) -> Text:
    """A report for a terminal."""
    from rich.text import Text

    shown = Text(str(report))
    for pattern, style in _STYLES.items():
        shown.highlight_regex(pattern, style)
    return shown


def _print(report: Report) -> None:
    """Prints a report as it is; in colour on a terminal."""
    if not sys.stdout.isatty():
        click.echo(str(report))
        return
    from rich.console import Console

    Console(highlight=False).print(coloured(report), soft_wrap=True)


@click.command(name="check")
@takes_kernel
@takes_launch
@click.option(
    "--perturb",
    type=click.IntRange(0, MOST_SCHEDULES),
    default=0,
    show_default=True,
    help="Try so many other legal orders.",
)
@click.option(
    "--perturb-seed",
    type=click.IntRange(0, MOST_SEED),
    default=0,
    show_default=True,
    help="The first of these orders; a finding names the seed of its own.",
)
@click.option("--memory", is_flag=True, help="Show the buffers of the kernel and what each SoC has left.")
@click.option("--json", "json_file", type=click.File("w", "utf-8", lazy=True), help="Write the report as JSON, too.")
@click.option("--sarif", "sarif_file", type=click.File("w", "utf-8", lazy=True), help="Write it as SARIF 2.1.0, too.")
@click.pass_context
def command(
    context: click.Context,
    kernel: str,
    soc: str,
    arguments: tuple[str, ...],
    without: tuple[str, ...],
    cores: int,
    grid: tuple[int, ...],
    block: tuple[int, ...],
    seed: int,
    perturb: int,
    perturb_seed: int,
    memory: bool,
    json_file: TextIO | None,
    sarif_file: TextIO | None,
) -> None:
    """Runs a kernel on the checked twin and prints what it found.

    Races between pipes and between cores, reads of what nothing has written, flags, queues, addresses: with the lines
    of Python and what would mend it. Arrays are described as TYPE[LENGTH] and filled with random numbers, floats with
    normal ones, integers with 0 to 7, unless --arg says otherwise. It runs on the CPU, not on an NPU.

    --perturb 16 also runs the kernel in 16 other orders that a chip may choose, and compares the results.
    --perturb 1 --perturb-seed N runs the order N alone.

    The exit code is 0 if no error was found, 1 if one was or the kernel cannot be compiled, 2 if the command line is
    wrong. A file "-" is standard output, which then has nothing else.

    \b
    Example:
      opwright check examples/04_find_the_race.py:forgets_to_wait \\
        --arg x=f32[4096] --arg z=f32[4096] --arg tiles=4

    In zsh, put the arrays in quotes: --arg 'x=f32[4096]'.
    """
    alone = [file.name for file in (json_file, sarif_file) if file is not None].count("-")
    if alone > 1:
        raise click.UsageError("--json - --sarif -: standard output can have one of them")
    function, values = prepared(kernel, arguments, seed)
    launcher = launcher_of(function)
    with contextlib.ExitStack() as stack:
        stack.enter_context(leaving_out(without))
        stack.enter_context(told_if_slow("compiling and running the kernel"))
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore", CheckWarning)  # the report has them
        if alone:
            stack.enter_context(contextlib.redirect_stdout(sys.stderr))
        # The report of the launch has what it raises.
        stack.enter_context(contextlib.suppress(KernelError, RunError))
        function.check(perturb=perturb, seed=perturb_seed)[launcher.grid](**values)
    report = function.check.report()
    if json_file is not None:
        json_file.write(report.to_json())
    if sarif_file is not None:
        from opwright.check.sarif import sarif

        sarif_file.write(sarif(report, Path.cwd()))
    if not alone:
        _print(report)
        if memory and report.budget is not None:
            from rich.console import Console

            from opwright.check.budget import table

            Console(soft_wrap=True).print("", table(report.budget), sep="\n")
    context.exit(1 if report.errors() else 0)
