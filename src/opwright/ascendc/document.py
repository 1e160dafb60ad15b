"""Reference pages from the table: one per call, and one per chapter of Ascend C that lists its calls.

In: the table, and what the examples did when they were run. Out: file stem -> Markdown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from opwright.ascendc import words
from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.enums import ENUMS
from opwright.ascendc.row import Dtypes, Form, Row
from opwright.ascendc.socs import SOCS
from opwright.ascendc.table import CHAPTER_OF, CHAPTERS, ROWS, TITLES

# Folders of pages.
CALLS = "calls"
CHAPTERS_FOLDER = "chapters"


@dataclass(frozen=True)
class Example:
    """A row's example after its run on the twin."""

    soc: str
    kernel: str
    lines: tuple[int, ...]  # of the kernel, from 1, that are the example itself
    launch: str
    text: str  # Ascend C of the example's own lines
    given: tuple[str, ...]  # "x = [0.5, -1.0, ...]"
    results: tuple[str, ...]
    printed: str
    error: str  # of a call that is meant to stop the core


def pages(examples: Mapping[str, Example]) -> dict[str, str]:
    """All reference pages."""
    result = {f"{CHAPTERS_FOLDER}/{chapter}": _chapter(chapter, rows) for chapter, rows in CHAPTERS.items()}
    result |= {f"{CALLS}/{name}": _call(row, examples[name]) for name, row in ROWS.items()}
    result["enums"] = _enums()
    result["assumptions"] = _assumptions()
    return result


def _chapter(chapter: str, rows: tuple[Row, ...]) -> str:
    """The calls of a chapter, one line each."""
    table = [f"| {_link(row, f'../{CALLS}')} | `{row.cpp}` | {_cell(row.doc)} |" for row in rows]
    tree = "\n".join(f"../{CALLS}/{row.name}" for row in rows)
    return "\n".join(
        [
            f"# {TITLES[chapter]}\n",
            "| call | in Ascend C | what it does |\n|---|---|---|",
            *table,
            f"\n```{{toctree}}\n:hidden:\n\n{tree}\n```\n",
        ]
    )


def _link(row: Row, folder: str) -> str:
    return f"[{_title(row)}]({folder}/{row.name}.md)"


def _title(row: Row) -> str:
    """The name of a call; two underscores would begin bold print."""
    return f"asc.{row.name}".replace("__", r"\_\_")


def _cell(text: str) -> str:
    """A text within a table, where a bar would end the cell."""
    return text.replace("|", "\\|")


def _call(row: Row, example: Example) -> str:
    """The page of one call."""
    chapter = CHAPTER_OF[row.name]
    parts = [
        f"# {_title(row)}\n",
        f"{row.doc}\n",
        f"In Ascend C: `{row.cpp}`. Chapter: [{TITLES[chapter]}](../{CHAPTERS_FOLDER}/{chapter}.md).\n",
    ]
    for number, form in enumerate(row.forms, 1):
        heading = f"## Form {number} of {len(row.forms)}" if len(row.forms) > 1 else "## Form"
        parts.append(f"{heading}\n\n{_form(row, form)}")
    # What several forms have in common stands here once.
    parts += dict.fromkeys(f"{rule.table}\n" for form in row.forms for rule in form.rules if rule.table)
    if row.dtypes:
        parts.append("## Element types\n")
        parts += [_dtypes(variable, kinds) for variable, kinds in row.dtypes.items()]
    see = "" if row.exactness == "exact" else " See [assumptions](../assumptions.md)."
    parts.append(f"## Exactness\n\n{words.exactness_words(row)} Not run on an NPU.{see}\n")
    parts.append(_example(example))
    return "\n".join(parts)


def _form(row: Row, form: Form) -> str:
    lines = [f"```python\n{words.wrapped(words.signature(row, form))}\n```\n"]
    # A method's own object is worth a line if the call touches it.
    touched = {access.operand for access in form.accesses}
    told = [parameter for parameter in form.parameters if parameter.name != "self" or "self" in touched]
    told = [] if row.fields else told
    if told:
        lines.append("| parameter | what it is |\n|---|---|")
        lines += [f"| `{p.name}` | {_cell(words.parameter_words(form, p))} |" for p in told]
        lines.append("")
    lines.append(f"{words.runs_words(row, form)}.\n")
    if form.rules:
        lines += [*(f"- {words.rule_words(form, rule)}." for rule in form.rules), ""]
    lines += [f"Not on {soc}: {reason}.\n" for soc, reason in row.not_on(form).items()]
    lines += [_dtypes(variable, kinds) for variable, kinds in form.dtypes.items()]
    return "\n".join(lines)


def _dtypes(variable: str, kinds: Dtypes) -> str:
    """One line per SoC, and why what is absent is absent."""
    if all(set(kinds.by_soc[soc]) == set(DTYPES) for soc in SOCS):
        return f"`{variable}` may be any element type, on every SoC.\n"
    lines = [f"| SoC | `{variable}` |\n|---|---|"]
    for soc in SOCS:
        allowed = kinds.by_soc[soc]
        lines.append(f"| {soc} | {'all' if set(allowed) == set(DTYPES) else ', '.join(allowed) or 'none'} |")
    lines += ["", *(f"- {line}" for line in words.absent(kinds))]
    return "\n".join(lines) + "\n"


def _example(example: Example) -> str:
    """The kernel that was run, the text of the call in it, and what came out."""
    becomes = "The marked line becomes" if len(example.lines) == 1 else "The marked lines become"
    lines = [
        "## Example\n",
        f"A test runs this kernel on the twin for {example.soc} and compares what comes out. Not run on an NPU.\n",
        f"```{{code-block}} python\n:emphasize-lines: {', '.join(map(str, example.lines))}\n\n{example.kernel}```\n",
        f"{becomes}\n\n```cpp\n{example.text}\n```\n",
        f"`{example.launch}` gives\n",
    ]
    shown = [*example.given, *example.results]
    outcome = "\n".join(shown) + "\n" * bool(shown) + example.printed + (f"{example.error}\n" if example.error else "")
    if not outcome:
        lines[-1] = f"`{example.launch}` runs; there is nothing to show: no data changes.\n"
        return "\n".join(lines)
    return "\n".join([*lines, f"```text\n{outcome}```\n"])


def _enums() -> str:
    parts = ["# Enumerations\n"]
    for name, text in ENUMS.items():
        parts.append(f"## asc.{name}\n\n{text.python.__doc__}\n\n| value | in the text |\n|---|---|")
        parts += [f"| {value.name} | `{text.spell(value)}` |" for value in text.python]
        parts.append("")
    return "\n".join(parts)


def _assumptions() -> str:
    """What public facts leave open, and what the twin takes for granted there; and where it only comes close."""
    parts = {
        "assumed": "Where public texts are silent or disagree, the twin assumes the following. Not checked on an NPU.",
        "bounded": "These results may differ from those of the chip. The bound is what public texts promise of it.",
    }
    lines = ["# Assumptions and bounds\n"]
    for kind, text in parts.items():
        rows = [row for row in ROWS.values() if row.exactness.startswith(kind)]
        lines.append(f"## {kind.capitalize()}\n\n{text}\n\n| call | chapter | {kind} |\n|---|---|---|")
        for row in rows:
            chapter = CHAPTER_OF[row.name]
            title = f"[{TITLES[chapter]}]({CHAPTERS_FOLDER}/{chapter}.md)"
            reason = _cell(row.exactness.removeprefix(f"{kind}(").removesuffix(")"))
            lines.append(f"| {_link(row, CALLS)} | {title} | {reason} |")
        lines.append("")
    exact = sum(row.exactness == "exact" for row in ROWS.values())
    return "\n".join([*lines, f"The other {exact} calls are exact.\n"])
