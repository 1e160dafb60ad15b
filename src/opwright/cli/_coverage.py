"""Coverage: which part of a list of names the calls cover, and with evidence of tests, which part was shown to work.

In: a CSV file with the columns name and group, and maybe overloads; the evidence of tests, as JSON. Out: a table, or
JSON with what is missing and why. Refuses files that are not such files.

A name counts as ours if the kernel language has it. With evidence, a call is covered if tests ran it, and any other
name if a test asserts it.
"""

from __future__ import annotations

import enum
import importlib
import inspect
import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import click

from opwright.cli._table import show_json, show_table

if TYPE_CHECKING:
    from opwright.ascendc.coverage import Evidence

# Lists hold operators of runtime values as methods of this class.
_OPERATORS = "PlainValue"
_OPERATORS_BY_NAME = frozenset({"__not__", "cast", "ceildiv", "logical_and", "logical_or"})


# Names --------------------------------------------------------------------------------------------------------


@cache
def our_names() -> frozenset[str]:
    """Every name of the kernel language: what `opwright.asc` has, values of enumerations, methods, fields."""
    from opwright.ascendc.table import ROWS
    from opwright.ascendc.words import is_class

    asc = importlib.import_module("opwright.asc")
    names = {f"asc.{name}" for name in (*ROWS, *asc.__all__)}
    for name in asc.__all__:
        value = getattr(asc, name)
        if inspect.isclass(value) and issubclass(value, enum.Enum):
            names |= {f"asc.{name}.{member}" for member in value.__members__}
        elif inspect.isclass(value):
            methods = [key for key, method in vars(value).items() if inspect.isroutine(method) and key[0] != "_"]
            names |= {f"asc.{name}.{method}" for method in methods}
    # tensor(n) is another way to write tensor[n:].
    names |= {f"asc.{name.replace('__getitem__', '__call__')}" for name in ROWS if name.endswith("Tensor.__getitem__")}
    for row in filter(is_class, ROWS.values()):
        names |= {f"asc.{row.name}.{own}" for form in row.forms for own in form.named}
    return frozenset(names)


def is_operator(name: str) -> bool:
    """Whether it is an operator of runtime values: one of Python, possibly reflected, or one by name."""
    owner, _, own = name.partition(".")
    straight = own.replace("__r", "__", 1)
    return owner == _OPERATORS and (own in _OPERATORS_BY_NAME or hasattr(int, own) or hasattr(int, straight))


def is_known(name: str) -> bool:
    """Whether tests may rest on it: a name without `asc.` in front."""
    return f"asc.{name}" in our_names() or is_operator(name)


def lacks(name: str, evidence: Evidence) -> str:
    """Why evidence does not cover a name such as "asc.add", or ""."""
    from opwright.ascendc import coverage
    from opwright.ascendc.dtypes import DTYPES
    from opwright.ascendc.table import ROWS

    own = name.removeprefix("asc.")
    if not is_known(own):
        return "no row"
    if own in ROWS:
        return coverage.lacks(ROWS[own], evidence)
    members = {f"{own}.{value}" for value in _members(own)}
    is_used = own in evidence.asserted or (own in DTYPES and own in evidence.dtypes)
    return "" if is_used or (members and members <= evidence.asserted) else "no test rests on it"


def _members(name: str) -> list[str]:
    """The values of an enumeration."""
    value = getattr(importlib.import_module("opwright.asc"), name, None)
    return list(value.__members__) if inspect.isclass(value) and issubclass(value, enum.Enum) else []


# Files --------------------------------------------------------------------------------------------------------


def read_names(path: Path) -> dict[str, dict[str, str]]:
    """Group -> its names, each once, in the file's order, with their overloads; refuses what is not such a file."""
    import csv

    groups: dict[str, dict[str, str]] = {}
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
                    names = groups.setdefault((line["group"] or "").strip(), {})
                    names.setdefault(name, line.get("overloads") or "")
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise click.ClickException(f"{path} cannot be read as CSV: {error}") from None
    if not groups:
        raise click.ClickException(f"{path} has no names below its first line")
    return groups


def read_evidence(path: Path) -> Evidence:
    """What tests wrote; refuses a file that is not evidence, or claims what the table does not have."""
    from opwright.ascendc.coverage import Evidence

    try:
        return Evidence.of(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise click.ClickException(f"{path} cannot be read as evidence: {error}") from None


# The comparison -----------------------------------------------------------------------------------------------


@dataclass
class Group:
    """One group of the list."""

    names: list[str] = field(default_factory=list)  # that count
    missing: dict[str, str] = field(default_factory=dict)  # name -> why it is not covered
    without_row: int = 0
    exceptions: dict[str, str] = field(default_factory=dict)  # name or overload -> why it is left out
    later: dict[str, str] = field(default_factory=dict)  # name -> what later work it belongs to

    @property
    def covered(self) -> int:
        """How many names are covered."""
        return len(self.names) - len(self.missing)

    @property
    def with_row(self) -> int:
        """How many names the kernel language has."""
        return len(self.names) - self.without_row


def compare(listed: dict[str, dict[str, str]], evidence: Evidence | None) -> dict[str, Group]:
    """Each group, judged by names alone, or by evidence."""
    from opwright.ascendc.coverage import later, left_out
    from opwright.cli._overloads import unmet

    groups: dict[str, Group] = {}
    for title, names in listed.items():
        group = groups.setdefault(title, Group())
        for name, overloads in names.items():
            if what := later(title, name):
                group.later[name] = what
                continue
            is_ours = is_known(name.removeprefix("asc."))
            if not is_ours and (why := left_out(name)):
                group.exceptions[name] = why
                continue
            group.names.append(name)
            group.without_row += not is_ours
            reasons = [lacks(name, evidence)] if evidence else ["" if is_ours else "no row"]
            for signature in unmet(name, overloads) if evidence and is_ours else ():
                if why := left_out(name + signature):
                    group.exceptions[name + signature] = why
                else:
                    reasons.append(f"no form for {signature}")
            if why := "; ".join(filter(None, reasons)):
                group.missing[name] = why
    return groups


# What is shown ------------------------------------------------------------------------------------------------


def percent(covered: int, total: int) -> float:
    """In tenths; 100 % means all."""
    return 100.0 if covered == total else min(99.9, round(100 * covered / total, 1))


def show_coverage(path: Path, evidence_path: Path | None, as_json: bool) -> None:
    """Prints the comparison of a list with what there is, or with what was shown to work."""
    listed = read_names(path)
    groups = compare(listed, read_evidence(evidence_path) if evidence_path else None)
    total = sum(len(group.names) for group in groups.values())
    covered = sum(group.covered for group in groups.values())
    if as_json:
        _show_data(groups, listed, covered, total, by_name=evidence_path is None)
        return
    counted = {title: group for title, group in groups.items() if group.names or group.exceptions}
    rows = []
    for title, group in counted.items():
        names = len(group.names)
        counts = [f"{group.covered}/{names}"]
        if evidence_path:
            counts = [str(names), str(group.with_row), str(group.covered), str(len(group.exceptions))]
        rows.append((title or "(no group)", *counts, f"{percent(group.covered, names):.1f} %"))
    numbers = ["names", "rows", "executed", "exceptions"] if evidence_path else ["covered"]
    show_table(("group", *numbers, "share"), rows, numbers=(*numbers, "share"))
    for line in (*_left_out(groups), *_not_covered()):
        click.echo(line)
    whole = _all_names(listed)
    if whole > total:
        click.echo(f"of all {whole} names, later work and exceptions too: {covered} ({percent(covered, whole):.1f} %)")
    click.echo(f"covered {covered} of {total} ({percent(covered, total):.1f} %)")


def _all_names(listed: dict[str, dict[str, str]]) -> int:
    """How many names a list has, those that do not count included."""
    return sum(map(len, listed.values()))


def _left_out(groups: dict[str, Group]) -> list[str]:
    """What does not count, in words."""
    whats = [what for group in groups.values() for what in group.later.values()]
    parts = [f"{whats.count(what)} {what}" for what in dict.fromkeys(whats)]
    exceptions = {name: why for group in groups.values() for name, why in group.exceptions.items()}
    return [
        *([f"later, not counted: {', '.join(parts)}"] if parts else []),
        *(f"exception: {name}: {why}" for name, why in exceptions.items()),
    ]


def _not_covered() -> list[str]:
    """What no list has, and we do not have either."""
    from opwright.ascendc.coverage import NOT_COVERED

    return [f"not covered: {what}: {why}" for what, why in NOT_COVERED.items()]


def _show_data(
    groups: dict[str, Group], listed: dict[str, dict[str, str]], covered: int, total: int, by_name: bool
) -> None:
    by_group = [
        {
            "group": title,
            "covered": group.covered,
            "total": len(group.names),
            **({} if by_name else {"rows": group.with_row}),
            "missing": list(group.missing) if by_name else group.missing,
            **({"exceptions": group.exceptions} if group.exceptions else {}),
            **({"later": group.later} if group.later else {}),
        }
        for title, group in groups.items()
    ]
    from opwright.ascendc.coverage import NOT_COVERED

    all_names = {name for names in listed.values() for name in names}
    whole = _all_names(listed)
    totals = {"covered": covered, "total": total, "percent": percent(covered, total), "all_names": whole}
    totals["percent_of_all"] = percent(covered, whole)
    show_json(
        {"groups": by_group, "not_in_the_list": sorted(our_names() - all_names), "not_covered": NOT_COVERED, **totals}
    )
