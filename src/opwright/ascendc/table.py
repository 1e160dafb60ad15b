"""All rows, found by walking the chapters of this folder: a new chapter is a new file with `ROWS`.

In: the chapter modules; each says what its calls are for (`TASK`) and how it is called in a list (`SHORT`). Out: `ROWS`
by name, `CHAPTERS`, `TITLES`, `SHORTS`, `TASK_OF`. Refuses two rows of one name, and a task that is none of `TASKS`.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from types import ModuleType

import opwright.ascendc
from opwright.ascendc.row import Row
from opwright.ascendc.traits import Aggregate, Trait

# What people come for, in the order in which the documentation has it.
TASKS = (
    "Copy",
    "Vector",
    "Reduce",
    "Compare and select",
    "Gather and sort",
    "Cube",
    "SIMT",
    "Sync",
    "Composed",
    "Memory",
    "Core",
    "Host",
)
# Modules of this folder that read the rows.
_READERS = frozenset({"coverage", "document", "meanings", "pictures", "table"})


def _walk() -> dict[str, ModuleType]:
    """Chapter name -> its module."""
    names = sorted({module.name for module in pkgutil.iter_modules(opwright.ascendc.__path__)} - _READERS)
    modules = {name: importlib.import_module(f"opwright.ascendc.{name}") for name in names}
    return {name: module for name, module in modules.items() if hasattr(module, "ROWS")}


_MODULES = _walk()
CHAPTERS: dict[str, tuple[Row, ...]] = {name: module.ROWS for name, module in _MODULES.items()}
# A chapter's title is what its docstring says after "Rows: ".
_TITLES = {name: (module.__doc__ or name).removeprefix("Rows: ").removesuffix(".") for name, module in _MODULES.items()}
TITLES: dict[str, str] = {name: title[0].upper() + title[1:] for name, title in _TITLES.items()}
SHORTS: dict[str, str] = {name: module.SHORT for name, module in _MODULES.items()}
TASK_OF: dict[str, str] = {name: module.TASK for name, module in _MODULES.items()}  # by chapter
assert {*TASK_OF.values()} == {*TASKS}, "a chapter of no task, or a task without a chapter"
ROWS: dict[str, Row] = {row.name: row for rows in CHAPTERS.values() for row in rows}
assert len(ROWS) == sum(len(rows) for rows in CHAPTERS.values()), "two rows of one name"


@cache
def methods_of(name: str) -> dict[str, Row]:
    """The methods of a class, with those of its base."""
    base = ROWS[name].base if name in ROWS else ""
    own = {row.short: row for row in ROWS.values() if row.owner == name}
    return {**(methods_of(base) if base else {}), **own}


def is_a(name: str, base: str) -> bool:
    """Whether the class of a row is another, or has its methods."""
    while name and name != base:
        name = ROWS[name].base
    return name == base


CHAPTER_OF: dict[str, str] = {row.name: name for name, rows in CHAPTERS.items() for row in rows}
# Structs of Ascend C that a kernel may get by value, by the names of their fields.
AGGREGATES: dict[tuple[str, ...], Row] = {
    form.named: row for row in ROWS.values() for form in row.forms if form.get(Aggregate)
}


def row_with(kind: type[Trait]) -> Row:
    """The one row of which a form has a property."""
    (row,) = rows_with(kind)
    return row


def rows_with(kind: type[Trait]) -> list[Row]:
    """The rows of which a form has a property."""
    return [row for row in ROWS.values() if any(form.get(kind) for form in row.forms)]
