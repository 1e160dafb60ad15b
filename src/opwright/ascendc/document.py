"""Reference pages from the table: one per call, one per chapter that lists its calls, one per task with its chapters.

In: the table, and what the examples did when they were run. Out: file stem -> Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from opwright.ascendc import meanings, pictures, words
from opwright.ascendc.assumptions import ASSUMPTIONS
from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.enums import ENUMS
from opwright.ascendc.row import Dtypes, Form, Row
from opwright.ascendc.socs import SOCS
from opwright.ascendc.table import CHAPTER_OF, CHAPTERS, ROWS, SHORTS, TASK_OF, TASKS, TITLES
from opwright.ascendc.traits import GivesBack

# Folders of pages.
CALLS = "calls"
CHAPTERS_FOLDER = "chapters"
TASKS_FOLDER = "tasks"
PICTURES = "pictures"
_MAX_SHOWN = 24  # calls of a chapter on the page of its task


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
    links = Links()
    result = {f"{TASKS_FOLDER}/{file_of(task)}": _task(task) for task in TASKS}
    result |= {f"{CHAPTERS_FOLDER}/{chapter}": _chapter(chapter, rows) for chapter, rows in CHAPTERS.items()}
    result |= {f"{CALLS}/{name}": _call(row, examples[name], links) for name, row in ROWS.items()}
    result["enums"] = _enums()
    result["assumptions"] = _assumptions()
    return result


class Links:
    """Names of structs, classes and enumerations, and where a page of a call finds them."""

    def __init__(self) -> None:
        made = {row.short: f"{row.name}.md" for row in ROWS.values() if words.is_class(row)}
        self.places = {**made, **{name: f"../enums.md#asc{name.lower()}" for name in ENUMS}}
        self.names = re.compile(rf"(?<![\w.\[]){_any(self.places)}(?![\w(\]]|\.\w)")

    def __call__(self, text: str, own: str = "") -> str:
        """The text with its names as links; not the page's own name, and not within other code."""
        parts = re.split(r"(`[^`]*`)", text)
        for number, part in enumerate(parts):
            if part.startswith("`"):
                name = part.strip("`").removeprefix("asc.")
                if name in self.places and name != own:
                    parts[number] = f"[{part}]({self.places[name]})"
            else:
                parts[number] = self.names.sub(
                    lambda found: found[0] if found[0] == own else f"[{found[0]}]({self.places[found[0]]})", part
                )
        return "".join(parts)


def _any(names: Iterable[str]) -> str:
    return f"(?:{'|'.join(sorted(map(re.escape, names), key=len, reverse=True))})"


def file_of(task: str) -> str:
    """The name of a task's page."""
    return task.lower().replace(" ", "_")


def _task(task: str) -> str:
    """The chapters of a task, with their calls."""
    chapters = sorted((chapter for chapter in CHAPTERS if TASK_OF[chapter] == task), key=SHORTS.__getitem__)
    parts = [f"# {task}\n"]
    for chapter in chapters:
        parts.append(f"## {SHORTS[chapter]}\n\n[{TITLES[chapter]}](../{CHAPTERS_FOLDER}/{chapter}.md).\n")
        rows = CHAPTERS[chapter]
        shown = ", ".join(_link(row, f"../{CALLS}") for row in rows[:_MAX_SHOWN])
        more = f" and {len(rows) - _MAX_SHOWN} more" if len(rows) > _MAX_SHOWN else ""
        parts.append(f"{shown}{more}\n")
    tree = "\n".join(f"../{CHAPTERS_FOLDER}/{chapter}" for chapter in chapters)
    return "\n".join([*parts, f"```{{toctree}}\n:hidden:\n\n{tree}\n```\n"])


def _chapter(chapter: str, rows: tuple[Row, ...]) -> str:
    """The calls of a chapter, one line each."""
    table = [f"| {_link(row, f'../{CALLS}')} | `{row.cpp}` | {_cell(row.doc)} |" for row in rows]
    task = TASK_OF[chapter]
    return "\n".join(
        [
            f"# {SHORTS[chapter]}\n",
            f"{TITLES[chapter]}. Task: [{task}](../{TASKS_FOLDER}/{file_of(task)}.md).\n",
            "| call | in Ascend C | what it does |\n|---|---|---|",
            *table,
            "",
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


def _call(row: Row, example: Example, links: Links) -> str:
    """The page of one call."""
    chapter = CHAPTER_OF[row.name]
    task = TASK_OF[chapter]
    owner = f" A method of {links(row.owner)}." if row.owner in ROWS else ""
    parts = [
        # Hundreds of calls in the sidebar of every page would make it long, and the build slow.
        "---\norphan: true\n---\n",
        f"# {_title(row)}\n",
        f"{links(row.doc, row.short)}\n",
        f"In Ascend C: `{row.cpp}`.{owner} Task: [{task}](../{TASKS_FOLDER}/{file_of(task)}.md), "
        f"[{SHORTS[chapter]}](../{CHAPTERS_FOLDER}/{chapter}.md).\n",
        _example(row, example),
    ]
    drawn: set[str] = set()
    for number, form in enumerate(row.forms, 1):
        heading = f"## Form {number} of {len(row.forms)}" if len(row.forms) > 1 else "## Form"
        parts.append(f"{heading}\n\n{_form(row, form, links)}")
        for name in pictures.of_form(row, form):
            # One drawing says it for all forms.
            if name not in drawn:
                parts.append(f"![{pictures.ALTS[name]}](../{PICTURES}/{name}.svg)\n")
            drawn.add(name)
    # What several forms have in common stands here once.
    parts += dict.fromkeys(f"{rule.table}\n" for form in row.forms for rule in form.rules if rule.table)
    if row.dtypes:
        parts.append("## Element types\n")
        parts += [_dtypes(variable, kinds) for variable, kinds in row.dtypes.items()]
    see = "" if row.exactness == "exact" else " See [assumptions](../assumptions.md)."
    parts.append(f"## Exactness\n\n{words.describe_exactness(row)} Not run on an NPU.{see}\n")
    if row.assumes:
        parts.append(f"{words.describe_assumes(row)}\n")
    return "\n".join(parts)


def _form(row: Row, form: Form, links: Links) -> str:
    lines = [f"```python\n{words.wrapped(words.signature(row, form))}\n```\n"]
    # A method's own object is worth a line if the call touches it.
    touched = {access.operand for access in form.accesses}
    shown = [parameter for parameter in form.parameters if parameter.name != "self" or "self" in touched]
    shown = [] if row.fields else shown
    if shown:
        lines.append("| parameter | what it is |\n|---|---|")
        for parameter in shown:
            said = [links(words.describe_parameter(form, parameter), row.short), meanings.meaning(row, parameter)]
            lines.append(f"| `{parameter.name}` | {_cell('; '.join(filter(None, said)))} |")
        lines.append("")
    if (form.result or form.get(GivesBack)) and not words.is_class(row):
        returned = words.result_type(form)
        lines.append(f"Returns {links(returned) if returned in links.places else f'`{returned}`'}.\n")
    lines.append(f"{words.describe_runs(row, form)}.\n")
    if form.rules:
        lines += [*(f"- {links(words.describe_rule(form, rule), row.short)}." for rule in form.rules), ""]
    lines += [f"{said}\n" for said in words.describe_where(row, form)]
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


def _example(row: Row, example: Example) -> str:
    """The call, its text and what came out; then the kernel that was run, behind a line to click on."""
    lines = [
        f"## Example\n\n```{{code-block}} python\n{row.example}\n```\n",
        f"becomes\n\n```cpp\n{example.text}\n```\n",
    ]
    shown = [*example.given, *example.results]
    outcome = "\n".join(shown) + "\n" * bool(shown) + example.printed + (f"{example.error}\n" if example.error else "")
    if outcome:
        lines.append(f"and the kernel below, run as `{example.launch}`, gives\n\n```text\n{outcome}```\n")
    else:
        lines.append(f"The kernel below, run as `{example.launch}`, has nothing to show: no data changes.\n")
    marked = ", ".join(map(str, example.lines))
    return "\n".join(
        [
            *lines,
            f"A test runs it on the twin for {example.soc} and compares what comes out. Not run on an NPU.\n",
            "```{raw} html\n<details><summary>The whole kernel</summary>\n```\n",
            f"```{{code-block}} python\n:emphasize-lines: {marked}\n\n{example.kernel}```\n",
            "```{raw} html\n</details>\n```\n",
        ]
    )


def _enums() -> str:
    parts = ["# Enumerations\n"]
    for name, text in ENUMS.items():
        parts.append(f"## asc.{name}\n\n{text.python.__doc__}\n\n| value | in the text |\n|---|---|")
        parts += [f"| {value.name} | `{text.spell(value)}` |" for value in text.python]
        parts.append("")
    return "\n".join(parts)


def _switches() -> list[str]:
    """What can be assumed in another way."""
    lines = [
        "## Switches\n\nWhere public texts disagree the twin can do either. "
        "`OPWRIGHT_CHIP_ASSUMPTIONS=saturate_casts=on` or "
        '`@asc.jit(chip_assumptions="saturate_casts=on")` chooses; several are separated by commas. '
        "They are about calls of the vector unit: what leaves L0C, conversions of threads and scalar numbers "
        "do not depend on them, since public texts name no setting that would decide them.\n\n"
        "| switch | on | off | on by default on | why |\n|---|---|---|---|---|"
    ]
    for one in ASSUMPTIONS.values():
        where = ", ".join(soc for soc in SOCS if soc in one.default) or "none"
        lines.append(f"| `{one.name}` | {one.on} | {one.off} | {where} | {one.why} |")
    return [*lines, ""]


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
            title = f"[{SHORTS[chapter]}]({CHAPTERS_FOLDER}/{chapter}.md)"
            reason = _cell(row.exactness.removeprefix(f"{kind}(").removesuffix(")"))
            lines.append(f"| {_link(row, CALLS)} | {title} | {reason} |")
        lines.append("")
    lines += _switches()
    exact = sum(row.exactness == "exact" for row in ROWS.values())
    return "\n".join([*lines, f"The other {exact} calls are exact.\n"])
