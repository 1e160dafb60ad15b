"""`opwright list`: what there is: calls, SoCs, operators, passes, assumptions.

A list to compare with goes to `_coverage.py`. In: the table. Out: a table or JSON. Refuses
evidence without a list to compare with.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import click

from opwright.cli._table import show_json, show_table

if TYPE_CHECKING:
    from opwright.ascendc.row import Row

_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group(name="list")
def command() -> None:
    """Lists calls, SoCs, operators, passes or assumptions."""


# Calls --------------------------------------------------------------------------------------------------------


def socs_of(row: Row) -> dict[str, dict[str, list[str]]]:
    """SoC -> variable -> short names of the data types that some form of the call takes there."""
    from opwright.ascendc.dtypes import DTYPES
    from opwright.ascendc.socs import SOCS

    found: dict[str, dict[str, list[str]]] = {}
    for soc in SOCS:
        forms = [form for form in row.forms if soc not in row.not_on(form)]
        taken: dict[str, set[str]] = {}
        for form in forms:
            for variable, kinds in row.dtypes_of(form).items():
                taken.setdefault(variable, set()).update(kinds.by_soc.get(soc, ()))
        if forms:
            found[soc] = {
                variable: [dtype.short for dtype in DTYPES.values() if dtype.name in names]
                for variable, names in taken.items()
            }
    return found


def _socs_text(socs: dict[str, dict[str, list[str]]]) -> str:
    """A line for each group of SoCs that take the same."""
    from opwright.ascendc.dtypes import DTYPES
    from opwright.ascendc.socs import SOCS

    groups: dict[str, list[str]] = {}
    for soc, variables in socs.items():
        words = {
            variable: "every dtype" if len(shorts) == len(DTYPES) else " ".join(shorts) or "no dtype"
            for variable, shorts in variables.items()
        }
        if len(words) == 1:
            text = next(iter(words.values()))
        else:
            text = "; ".join(f"{variable}: {word}" for variable, word in words.items())
        groups.setdefault(text, []).append(soc)
    lines = []
    for text, names in groups.items():
        who = "all" if len(names) == len(SOCS) else ", ".join(names)
        lines.append(f"{who}: {text}" if text else who)
    return "\n".join(lines) or "none"


@command.command(name="calls")
@click.option(
    "--coverage",
    metavar="CSV",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Compare the calls with a list of names: a CSV file with the columns name and group.",
)
@click.option(
    "--evidence",
    metavar="JSON",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Count only calls that tests have run: the file that the tests of the calls write.",
)
@click.argument("words", nargs=-1, metavar="[WORD]...")
@_JSON
def calls(words: tuple[str, ...], coverage: Path | None, evidence: Path | None, as_json: bool) -> None:
    """Lists the calls of Ascend C.

    It shows their names, chapters, names in Ascend C, and the data types that they take on each SoC. With words, only
    the calls whose names contain all of them.

    \b
    Example:
      opwright list calls --coverage names.csv
    where names.csv has lines such as
      name,group
      asc.add,basic/vec_binary
      asc.HardEvent.MTE2_V,core/enum_value
    """
    if words and coverage is not None:
        raise click.UsageError("--coverage compares a whole list and takes no words")
    if coverage is not None:
        from opwright.cli._coverage import show_coverage

        show_coverage(coverage, evidence, as_json)
        return
    if evidence is not None:
        raise click.UsageError("--evidence needs a list to compare with: add --coverage")
    from opwright.ascendc.table import CHAPTERS

    entries = [
        (f"asc.{row.name}", chapter, row.cpp, socs_of(row))
        for chapter, rows in CHAPTERS.items()
        for row in rows
        if all(word.lower() in f"asc.{row.name} {chapter} {row.cpp}".lower() for word in words)
    ]
    if not entries and not as_json:
        raise click.ClickException(f"no call has {' and '.join(words)} in its name")
    if as_json:
        show_json([dict(zip(("name", "chapter", "ascendc", "socs"), entry, strict=True)) for entry in entries])
    else:
        rows = [(name, chapter, cpp, _socs_text(socs)) for name, chapter, cpp, socs in entries]
        show_table(("call", "chapter", "in Ascend C", "SoCs and data types"), rows)


# The rest -----------------------------------------------------------------------------------------------------


@command.command(name="socs")
@_JSON
def socs(as_json: bool) -> None:
    """Lists the SoCs with their cores and memories."""
    from opwright.ascendc.socs import KIB, MEMORIES, SOCS
    from opwright.settings import settings

    if as_json:
        keys = ("name", "npu_arch", "aic", "aiv")
        show_json(
            [
                {**{key: getattr(soc, key) for key in keys}, "memory": {m: soc.usable(m) for m in MEMORIES}}
                for soc in SOCS.values()
            ]
        )
        return
    rows = [
        (soc.name, soc.npu_arch, str(soc.aic), str(soc.aiv), *(f"{soc.usable(m) / KIB:g}" for m in MEMORIES))
        for soc in SOCS.values()
    ]
    columns = ("SoC", "architecture", "cube cores", "vector cores", *MEMORIES)
    show_table(columns, rows, numbers=columns[2:])
    click.echo(f"Memories in KiB, without what the toolchain reserves. OPWRIGHT_SOC is {settings.soc}.")


@command.command(name="operators")
@_JSON
def operators(as_json: bool) -> None:
    """Lists the operators that come with Opwright."""
    _show_described(_operators(), "operator", as_json)


def _operators() -> list[tuple[str, str]]:
    """Every operator with its line. Their files are read, not imported: that would take PyTorch."""
    import opwright

    found = []
    for path in sorted((Path(opwright.__file__).parent / "operators").glob("[!_]*.py")):
        title = (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").partition("\n")[0]
        found.append((path.stem, title.removeprefix(f"`{path.stem}`: ")))
    return found


@command.command(name="passes")
@_JSON
def passes(as_json: bool) -> None:
    """Lists the passes over the IR, in the order in which they run."""
    from opwright.passes import in_order

    found = [(name, (module.__doc__ or "").partition("\n")[0]) for name, module in in_order().items()]
    _show_described(found, "pass", as_json)


@command.command(name="assumptions")
@_JSON
def assumptions(as_json: bool) -> None:
    """Lists the switches of OPWRIGHT_CHIP_ASSUMPTIONS.

    They decide what public documentation leaves open about the numbers of a chip.
    """
    from opwright.ascendc.assumptions import ASSUMPTIONS, assumed
    from opwright.ascendc.socs import SOCS
    from opwright.settings import settings

    states = {soc: assumed(soc, settings.chip_assumptions) for soc in SOCS}
    if as_json:
        show_json(
            [
                {"name": one.name, "on": one.on, "off": one.off, "state": {soc: states[soc][one.name] for soc in SOCS}}
                for one in ASSUMPTIONS.values()
            ]
        )
        return
    rows = []
    for one in ASSUMPTIONS.values():
        where = [soc for soc in SOCS if states[soc][one.name]]
        who = {0: "off", len(SOCS): "on"}.get(len(where), f"on: {', '.join(where)}")
        rows.append((one.name, who, f"on: {one.on}\noff: {one.off}"))
    show_table(("switch", "now", "what it does"), rows)


def _show_described(found: list[tuple[str, str]], kind: str, as_json: bool) -> None:
    """Names with one line about each."""
    if as_json:
        show_json([{"name": name, "purpose": purpose} for name, purpose in found])
    elif found:
        show_table((kind, "what it does"), found)
    else:
        click.echo("none yet")
