"""`opwright list`: what there is: calls, SoCs, operators, passes; and which part of a list of names the calls cover.

In: the table; a CSV file with the columns name and group. Out: a table or JSON. Refuses a file without those columns.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from opwright.cli._table import show_json, show_table

if TYPE_CHECKING:
    from opwright.ascendc.row import Row

_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group(name="list")
def command() -> None:
    """Lists calls, SoCs, operators or passes."""


# Calls --------------------------------------------------------------------------------------------------------


def socs_of(row: Row) -> dict[str, dict[str, list[str]]]:
    """SoC -> variable -> short names of the data types that some form of the call takes there."""
    from opwright.ascendc.dtypes import DTYPES
    from opwright.ascendc.socs import SOCS

    found: dict[str, dict[str, list[str]]] = {}
    for soc in SOCS:
        forms = [form for form in row.forms if soc not in form.not_on]
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
    help="Compare with a list of names instead: a CSV file with the columns name and group.",
)
@_JSON
def calls(coverage: Path | None, as_json: bool) -> None:
    """Lists the calls of Ascend C.

    Their names, chapters, names in Ascend C, and the SoCs that have them with the data types that they take there.

    \b
    Example:
      opwright list calls --coverage names.csv
    where names.csv has lines such as
      name,group
      asc.add,basic/vec_binary
      asc.HardEvent.MTE2_V,core/enum_value
    """
    if coverage is not None:
        _show_coverage(coverage, as_json)
        return
    from opwright.ascendc.table import CHAPTERS

    entries = [
        (f"asc.{row.name}", chapter, row.cpp, socs_of(row)) for chapter, rows in CHAPTERS.items() for row in rows
    ]
    if as_json:
        show_json([dict(zip(("name", "chapter", "ascendc", "socs"), entry, strict=True)) for entry in entries])
    else:
        rows = [(name, chapter, cpp, _socs_text(socs)) for name, chapter, cpp, socs in entries]
        show_table(("call", "chapter", "in Ascend C", "SoCs and data types"), rows)


# Coverage -----------------------------------------------------------------------------------------------------


def our_names() -> set[str]:
    """Every name of the kernel language: what `opwright.asc` has, values of enumerations, methods."""
    import enum
    import importlib
    import inspect

    from opwright.ascendc.table import ROWS

    asc = importlib.import_module("opwright.asc")
    names = {f"asc.{name}" for name in (*ROWS, *asc.__all__)}
    structs = [row for row in ROWS.values() if row.forms[0].braces]
    names |= {f"asc.{row.name}.{field}" for row in structs for field in row.forms[0].named}
    for name in asc.__all__:
        value = getattr(asc, name)
        if inspect.isclass(value) and issubclass(value, enum.Enum):
            names |= {f"asc.{name}.{member}" for member in value.__members__}
        elif inspect.isclass(value):
            methods = [key for key, method in vars(value).items() if inspect.isfunction(method) and key[0] != "_"]
            names |= {f"asc.{name}.{method}" for method in methods}
    return names


def _read_names(path: Path) -> dict[str, list[str]]:
    """Group -> its names, each once, in the file's order; refuses what is not such a file."""
    import csv

    groups: dict[str, dict[str, None]] = {}
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            missing = [column for column in ("name", "group") if column not in (reader.fieldnames or ())]
            if missing:
                has = ", ".join(reader.fieldnames or ()) or "nothing"
                raise click.ClickException(
                    f"{path} has no column {' and no column '.join(missing)}; its first line has: {has[:200]}"
                )
            for line in reader:
                if name := (line["name"] or "").strip():
                    groups.setdefault((line["group"] or "").strip(), {})[name] = None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise click.ClickException(f"{path} cannot be read as CSV: {error}") from None
    if not groups:
        raise click.ClickException(f"{path} has no names below its first line")
    return {group: list(names) for group, names in groups.items()}


def _percent(covered: int, total: int) -> float:
    """In tenths; 100 % means all."""
    return 100.0 if covered == total else min(99.9, round(100 * covered / total, 1))


def _show_coverage(path: Path, as_json: bool) -> None:
    ours = our_names()
    groups = _read_names(path)
    missing = {group: [name for name in names if name not in ours] for group, names in groups.items()}
    total = sum(map(len, groups.values()))
    covered = total - sum(map(len, missing.values()))
    percent = _percent(covered, total)
    counts = {group: len(names) - len(missing[group]) for group, names in groups.items()}
    if as_json:
        listed = {name for names in groups.values() for name in names}
        by_group = [
            {"group": group, "covered": counts[group], "total": len(names), "missing": missing[group]}
            for group, names in groups.items()
        ]
        totals = {"covered": covered, "total": total, "percent": percent}
        show_json({"groups": by_group, "not_in_the_list": sorted(ours - listed), **totals})
        return
    rows = [
        (group or "(no group)", f"{counts[group]}/{len(names)}", f"{_percent(counts[group], len(names)):.1f} %")
        for group, names in groups.items()
    ]
    show_table(("group", "covered", "share"), rows, numbers=("covered", "share"))
    click.echo(f"covered {covered} of {total} ({percent:.1f} %)")


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
    click.echo(f"Memories in KiB, less what the toolchain keeps. OPWRIGHT_SOC is {settings.soc}.")


@command.command(name="operators")
@_JSON
def operators(as_json: bool) -> None:
    """Lists the operators that come with Opwright."""
    _show_described([], "operator", as_json)


@command.command(name="passes")
@_JSON
def passes(as_json: bool) -> None:
    """Lists the passes over the IR, in the order in which they run."""
    from opwright.passes import in_order

    found = [(name, (module.__doc__ or "").partition("\n")[0]) for name, module in in_order().items()]
    _show_described(found, "pass", as_json)


def _show_described(found: list[tuple[str, str]], kind: str, as_json: bool) -> None:
    """Names with one line about each."""
    if as_json:
        show_json([{"name": name, "purpose": purpose} for name, purpose in found])
    elif found:
        show_table((kind, "what it does"), found)
    else:
        click.echo("none yet")
