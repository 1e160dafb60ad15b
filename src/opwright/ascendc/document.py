"""Reference pages from the table: one per chapter of Ascend C, built with the documentation.

In: the table. Out: file stem -> Markdown.
"""

from __future__ import annotations

from opwright.ascendc.enums import ENUMS
from opwright.ascendc.row import Dtypes, Form, Row
from opwright.ascendc.socs import SOCS
from opwright.ascendc.table import CHAPTERS, TITLES


def pages() -> dict[str, str]:
    """All reference pages."""
    result = {chapter: _chapter(chapter, rows) for chapter, rows in CHAPTERS.items()}
    result["enums"] = _enums()
    result["assumptions"] = _assumptions()
    return result


def _chapter(chapter: str, rows: tuple[Row, ...]) -> str:
    title = TITLES[chapter]
    return f"# {title}\n\n" + "\n".join(_row(row) for row in rows)


def _row(row: Row) -> str:
    lines = [f"## asc.{row.name}\n", f"{row.doc}\n", f"In Ascend C: `{row.cpp}`.\n"]
    if row.example:
        lines.append(f"```python\n{row.example}\n```\n")
    for form in row.forms:
        lines.append(_form(form))
        lines += [f"Not on {soc}: {reason}.\n" for soc, reason in form.not_on.items()]
        lines += [_dtypes(variable, kinds) for variable, kinds in form.dtypes.items()]
    lines += [_dtypes(variable, kinds) for variable, kinds in row.dtypes.items()]
    lines.append(f"On the twin: {row.exactness.replace('(', ': ', 1).removesuffix(')')}. Not run on an NPU.\n")
    return "\n".join(lines)


def _dtypes(variable: str, kinds: Dtypes) -> str:
    head = f"| SoC | `{variable}` |\n|---|---|\n"
    return head + "".join(f"| {name} | {', '.join(kinds.by_soc[name])} |\n" for name in SOCS)


def _form(form: Form) -> str:
    pipe = "the pipe of the event or argument" if "(" in form.pipe or form.pipe == "pipe" else form.pipe
    lines = [f"`({form.signature})`{f' → {form.result}' if form.result else ''}, on {pipe}\n"]
    lines += [f"- {rule.sentence}" for rule in form.rules]
    lines += [f"\n{rule.table}" for rule in form.rules if rule.table]
    return "\n".join(lines) + "\n"


def _enums() -> str:
    parts = ["# Enumerations\n"]
    for name, text in ENUMS.items():
        parts.append(f"## asc.{name}\n\n{text.python.__doc__}\n\n| value | in the text |\n|---|---|")
        parts += [f"| {value.name} | `{text.spell(value)}` |" for value in text.python]
        parts.append("")
    return "\n".join(parts)


def _assumptions() -> str:
    """What public facts leave open, and what the twin takes for granted there."""
    rows = [row for rows in CHAPTERS.values() for row in rows if row.exactness.startswith("assumed")]
    lines = [
        "# Assumptions\n",
        "Where public texts are silent or disagree, the twin assumes the following. Not checked on an NPU.\n",
        "| call | assumed |\n|---|---|",
    ]
    lines += [f"| asc.{row.name} | {row.exactness.removeprefix('assumed(').removesuffix(')')} |" for row in rows]
    return "\n".join(lines) + "\n"
