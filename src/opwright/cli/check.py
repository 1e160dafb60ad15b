"""`opwright check FILE.py:KERNEL`: runs a kernel, or a script, on the checked twin and prints what it found.

In: a kernel as for `opwright emit`, cores, a seed; or a script, which launches by itself. Out: the report on standard
output, in colour on a terminal; also as JSON and as SARIF. The exit code is 1 if an error was found.
"""

from __future__ import annotations

import contextlib
import functools
import json
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from opwright.cli._kernel import leaving_out, takes_kernel
from opwright.cli._launch import launcher_of, prepared, takes_launch, told_if_slow
from opwright.errors import CheckRemark, CheckWarning, KernelError, RunError
from opwright.findings.finding import Report
from opwright.runtime.checked import MOST_SCHEDULES, MOST_SEED
from opwright.runtime.script import Checked, run_script
from opwright.settings import settings

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


def coloured(report: Report | Checked) -> Text:
    """A report for a terminal."""
    from rich.text import Text

    shown = Text(str(report))
    for pattern, style in _STYLES.items():
        shown.highlight_regex(pattern, style)
    return shown


def _print(report: Report | Checked) -> None:
    """Prints a report as it is; in colour on a terminal."""
    if not sys.stdout.isatty():
        click.echo(str(report))
        return
    from rich.console import Console

    Console(highlight=False).print(coloured(report), soft_wrap=True)


def _show_memory(reports: Iterable[Report]) -> None:
    """Prints the buffers of each kernel."""
    from rich.console import Console

    from opwright.findings.budget import table

    console = Console(soft_wrap=True)
    for budget in dict.fromkeys(report.budget for report in reports if report.budget is not None):
        console.print("", table(budget), sep="\n")


def _check_script(
    path: Path, given: tuple[str, ...], soc: str, without: tuple[str, ...], perturb: int, perturb_seed: int
) -> Checked:
    """Runs a script; what belongs to one launch is refused."""
    context = click.get_current_context()
    for name, words in {"arguments": "--arg", "cores": "", "grid": "", "block": "", "seed": ""}.items():
        if context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT:
            message = (
                f"{words or f'--{name}'}: {path} is a script, which launches by itself; name a kernel, {path}:KERNEL"
            )
            raise click.UsageError(message)
    if context.get_parameter_source("soc") is not click.core.ParameterSource.DEFAULT:
        settings.prefer(soc=soc)
    settings.prefer(without=",".join((settings.without, *without)))  # not a scope: that would leave out threads
    return run_script(path, perturb, perturb_seed, given)


def _check_kernel(target: str, arguments: tuple[str, ...], seed: int, perturb: int, perturb_seed: int) -> Report:
    """Launches a kernel as the command line says."""
    function, values = prepared(target, arguments, seed)
    launcher = launcher_of(function)
    # The report of the launch has what it raises.
    with told_if_slow("compiling and running the kernel"), contextlib.suppress(KernelError, RunError):
        function.check(perturb=perturb, seed=perturb_seed)[launcher.grid](**values)
    return function.check.report()


@click.command(name="check")
@functools.partial(takes_kernel, target="FILE.py[:KERNEL]")
@click.argument("script_arguments", nargs=-1, metavar="[-- ARGUMENT...]")
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
    script_arguments: tuple[str, ...],
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
    """Runs a kernel or a script on the checked twin, and reports.

    Races between pipes and between cores, reads of what nothing has written, flags, queues, addresses: with the lines
    of Python and what would mend it. Arrays are described as TYPE[LENGTH] and filled with random numbers, floats with
    normal ones, integers with 0 to 7, unless --arg says otherwise. It runs on the CPU, not on an NPU.

    FILE.py alone is a script: it is run, every launch in it is checked, and each is reported with the line that it came
    from. A finding does not end the script. What follows -- are the script's own arguments.

    Of FILE.py:KERNEL the file is imported, which runs it: what it shall do as a script only goes below
    if __name__ == "__main__".

    --perturb 16 also runs the kernel in 16 other orders that a chip may choose, and compares the results.
    --perturb 1 --perturb-seed N runs the order N alone.

    The exit code is 0 if no error was found, 1 if one was, the kernel cannot be compiled or the script fails, 2 if the
    command line is wrong. A file "-" is standard output, which then has nothing else.

    \b
    Example:
      opwright check examples/04_find_the_race.py:forgets_to_wait \\
        --arg x=f32[4096] --arg z=f32[4096] --arg tiles=4
      opwright check examples/04_find_the_race.py
      opwright check script.py -- --size 3

    In zsh, put the arrays in quotes: --arg 'x=f32[4096]'.
    """
    alone = [file.name for file in (json_file, sarif_file) if file is not None].count("-")
    if alone > 1:
        raise click.UsageError("--json - --sarif -: standard output can have one of them")
    result: Report | Checked
    with contextlib.ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        for shown in (CheckWarning, CheckRemark):  # by the report
            warnings.simplefilter("ignore", shown)
        if alone:
            stack.enter_context(contextlib.redirect_stdout(sys.stderr))
        if Path(kernel).is_file():
            result = _check_script(Path(kernel), script_arguments, soc, without, perturb, perturb_seed)
        elif script_arguments and ":" in kernel:
            words = f"{' '.join(script_arguments)}: only a script, FILE.py, takes arguments of its own"
            raise click.UsageError(f"{words}; those of a kernel are --arg NAME=VALUE")
        else:
            stack.enter_context(leaving_out(without))
            result = _check_kernel(kernel, arguments, seed, perturb, perturb_seed)
    if json_file is not None:
        json_file.write(json.dumps(result.as_json(), indent=2) + "\n")
    if sarif_file is not None:
        from opwright.check.sarif import sarif

        sarif_file.write(sarif(result if isinstance(result, Report) else result.merged(), Path.cwd()))
    failure = result.failure if isinstance(result, Checked) else ""
    if failure:
        click.echo(failure, err=True)
    if not alone:
        _print(result)
        if memory:
            _show_memory([result] if isinstance(result, Report) else [one.report for one in result.launched])
    context.exit(1 if result.errors() or failure else 0)
