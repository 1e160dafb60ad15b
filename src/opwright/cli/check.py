"""`opwright check FILE.py:KERNEL`: runs a kernel or a script on the checked twin and prints the report.

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
from opwright.cli._launch import launcher_of, message_if_slow, prepared, takes_launch
from opwright.errors import CheckRemark, CheckWarning, KernelError, RunError
from opwright.findings.finding import Report
from opwright.runtime.checked import MAX_SCHEDULES, MAX_SEED
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
    """Runs a script. Refuses options that belong to a single launch."""
    context = click.get_current_context()
    for name, words in {"arguments": "--arg", "cores": "", "grid": "", "block": "", "seed": ""}.items():
        if context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT:
            option = words or f"--{name}"
            message = f"{option}: {path} is a script, which makes its own launches; name a kernel, {path}:KERNEL"
            raise click.UsageError(message)
    if context.get_parameter_source("soc") is not click.core.ParameterSource.DEFAULT:
        settings.prefer(soc=soc)
    settings.prefer(without=",".join((settings.without, *without)))  # not a scope, which would not reach other threads
    return run_script(path, perturb, perturb_seed, given)


def _check_kernel(target: str, arguments: tuple[str, ...], seed: int, perturb: int, perturb_seed: int) -> Report:
    """Launches a kernel as the command line says."""
    function, values = prepared(target, arguments, seed)
    launcher = launcher_of(function)
    # The report of the launch has what it raises.
    with message_if_slow("compiling and running the kernel"), contextlib.suppress(KernelError, RunError):
        function.check(perturb=perturb, seed=perturb_seed)[launcher.grid](**values)
    return function.check.report()


@click.command(name="check")
@functools.partial(takes_kernel, target="FILE.py[:KERNEL]")
@click.argument("script_arguments", nargs=-1, metavar="[-- ARGUMENT...]")
@takes_launch
@click.option(
    "--perturb",
    type=click.IntRange(0, MAX_SCHEDULES),
    default=0,
    show_default=True,
    metavar="N",
    help="Also run N alternative legal schedules.",
)
@click.option(
    "--perturb-seed",
    type=click.IntRange(0, MAX_SEED),
    default=0,
    show_default=True,
    help="Seed of the first of these schedules; a finding names its seed.",
)
@click.option("--memory", is_flag=True, help="Show the buffers of the kernel and the memory that each SoC has left.")
@click.option("--json", "json_file", type=click.File("w", "utf-8", lazy=True), help="Also write the report as JSON.")
@click.option("--sarif", "sarif_file", type=click.File("w", "utf-8", lazy=True), help="Also write it as SARIF 2.1.0.")
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
    """Runs a kernel or a script on the checked twin and reports.

    It finds races between pipes and between cores, uninitialised reads, and misuse of flags, queues and addresses. Each
    finding shows the lines of Python and a hint. Arrays are described as TYPE[LENGTH] and filled with random numbers
    unless --arg says otherwise: floats are normally distributed, integers are 0 to 7. The kernel runs on the CPU, not
    on an NPU.

    FILE.py alone is a script. It runs with every launch checked, and each launch is reported with its line. A finding
    does not end the script. Arguments after -- go to the script.

    For FILE.py:KERNEL, the file is imported, which runs its top level. Put code for a script below
    if __name__ == "__main__".

    --perturb 16 also runs the kernel under 16 other schedules that a chip may choose, and compares the results.
    --perturb 1 --perturb-seed N runs only schedule N.

    The exit code is 0 if no error was found; 1 if one was found, the kernel does not compile or the script fails; 2 if
    the command line is wrong. A file named "-" is standard output; nothing else is printed there then.

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
        raise click.UsageError("--json - --sarif -: only one of them can go to standard output")
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
            words = f"{' '.join(script_arguments)}: only a script (FILE.py) takes its own arguments"
            raise click.UsageError(f"{words}; pass arguments of a kernel with --arg NAME=VALUE")
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
