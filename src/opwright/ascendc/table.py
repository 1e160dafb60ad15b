"""All rows, found by walking the chapters of this folder: a new chapter is a new file with `ROWS`.

In: the chapter modules. Out: `ROWS` by name and `CHAPTERS`. Refuses two rows of one name.
"""

from __future__ import annotations

import importlib
import pkgutil

import opwright.ascendc
from opwright.ascendc.row import Row

_MACHINERY = frozenset({"document", "dtypes", "enums", "row", "rules", "socs", "table"})


def _walk() -> dict[str, tuple[Row, ...]]:
    """Chapter name -> its rows."""
    names = sorted(module.name for module in pkgutil.iter_modules(opwright.ascendc.__path__))
    chapters = [name for name in names if name not in _MACHINERY]
    return {name: importlib.import_module(f"opwright.ascendc.{name}").ROWS for name in chapters}


CHAPTERS: dict[str, tuple[Row, ...]] = _walk()
ROWS: dict[str, Row] = {row.name: row for rows in CHAPTERS.values() for row in rows}
assert len(ROWS) == sum(len(rows) for rows in CHAPTERS.values()), "two rows of one name"

CHAPTER_OF: dict[str, str] = {row.name: name for name, rows in CHAPTERS.items() for row in rows}
