"""Rows for the length of a test: the table, the names of `asc` and the headers are as if the chapter had them.

In: rows of a chapter, old or new, and what its C++ header says. Out: while `added` lasts, everything that is made from
rows knows them. Nothing of the package is written: the headers are a copy, with what the generator makes of the rows.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from signature_list import by_name, line_of

from opwright import asc
from opwright.ascendc import table
from opwright.ascendc.row import Row
from opwright.ir import calls
from opwright.kernel.names import Call
from opwright.store import sources
from opwright.store.store import digest, key_of
from opwright.twin import build, headers

CACHES = (table.methods_of, calls.call_class, calls.dialect)


@contextmanager
def added(folder: Path, rows: Mapping[str, tuple[Row, ...]], texts: Mapping[str, str]) -> Iterator[Path]:
    """Adds rows by chapter. `texts`: header, as "vec_extra.h", -> its text. Gives the folder of the headers."""
    shutil.copytree(build.TWIN, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    include = folder / build.INCLUDE.name
    generated = include / headers.GENERATED.relative_to(build.INCLUDE)
    for name, text in texts.items():
        (include / "opwright" / name).write_text(text)
    listed = by_name()  # as it is without them
    with pytest.MonkeyPatch.context() as patch:
        for chapter, more in rows.items():
            patch.setitem(table.CHAPTERS, chapter, (*table.CHAPTERS.get(chapter, ()), *more))
            patch.setitem(table.TITLES, chapter, table.TITLES.get(chapter, chapter))
            patch.setitem(table.SHORTS, chapter, table.SHORTS.get(chapter, chapter))
            patch.setitem(table.TASK_OF, chapter, table.TASK_OF.get(chapter, table.TASKS[0]))
            for row in more:
                patch.setitem(table.ROWS, row.name, row)
                patch.setitem(table.CHAPTER_OF, row.name, chapter)
                patch.setitem(calls._ROW_OF, f"asc.{row.name}", row)
                lines = [line_of(row, number) for number in range(len(row.forms))]
                patch.setitem(listed, lines[0].cpp, lines)
                if not row.is_method:
                    patch.setattr(asc, row.name, Call(row), raising=False)
        for module in (build, headers):
            patch.setattr(module, "INCLUDE", include)
        patch.setattr(build, "LIBRARY", folder / build.LIBRARY.name)
        for name, text in headers.render().items():
            (generated / name).write_text(text)
        # Rows are no part of the digests of sources, and the headers are others.
        made = key_of({str(path.relative_to(include)): digest(path.read_bytes()) for path in include.rglob("*.h")})
        stage = sources.stage
        patch.setattr(sources, "stage", lambda name: f"{stage(name)} {made}")
        _forget()
        try:
            yield include
        finally:
            _forget()


def _forget() -> None:
    for kept in CACHES:
        kept.cache_clear()
