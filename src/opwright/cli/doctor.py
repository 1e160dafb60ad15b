"""`opwright doctor`: checks this machine, says what is wrong and how to fix it.

In: the checks of `opwright.package.doctor`. Out: a table or JSON, and exit code 1 if there is a problem.
"""

from __future__ import annotations

from dataclasses import asdict

import click

from opwright.cli._table import show_json, show_table


@click.command(name="doctor")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: a list of {check, verdict, evidence, remedy}.")
@click.option("--warm", is_flag=True, help="First compile all that is compiled once per machine: a minute or two.")
@click.pass_context
def command(context: click.Context, as_json: bool, warm: bool) -> None:
    """Checks whether this machine has what Opwright needs.

    It checks Python, packages, compilers, CANN, the cache directory, a tiny kernel on the twin, and the operators.

    The verdict of a check is ok, warning or problem. The exit code is 1 if there is a problem. It takes a few seconds,
    because it compiles a kernel.

    The checked twin and the operators are compiled on first use, which takes a while. --warm compiles them now, for
    instance while an image is built.
    """
    if warm:
        from opwright.package.warm import warm as built

        for line in built():
            click.echo(line, err=as_json)
    from opwright.package.doctor import examine

    results = examine()
    if as_json:
        show_json([asdict(one) for one in results])
    else:
        rows = [
            (one.check, one.verdict, one.evidence + (f"\nremedy: {one.remedy}" if one.remedy else ""))
            for one in results
        ]
        show_table(("check", "verdict", "evidence"), rows)
        counts = {verdict: sum(one.verdict == verdict for one in results) for verdict in ("problem", "warning")}
        words = [f"{count} {verdict}{'s' * (count > 1)}" for verdict, count in counts.items() if count]
        click.echo(f"{len(results)} checks: {', '.join(words) or 'all ok'}")
    context.exit(1 if any(one.verdict == "problem" for one in results) else 0)
