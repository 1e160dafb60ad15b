"""The page of each operator, made from its definition, from what its tests expect, and from what was measured.

In: the operators of the package; the refusals of `tests/operators/golden/mistakes`; `measured/operators.json` and
`measured/accuracy.json`, which `benchmarks/operators.py` and `benchmarks/accuracy.py` write with `--json`. Out:
Markdown by the name of its page: one for each, and `operators` with all. What was not measured is not on a page.
"""

import inspect
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from opwright.operators._operator import OWN, Operator, operators

HERE = Path(__file__).parent
MISTAKES = HERE.parent / "tests" / "operators" / "golden" / "mistakes"
SPEED, ACCURACY = HERE / "measured" / "operators.json", HERE / "measured" / "accuracy.json"
_GRADIENTS = {
    "exact": "exact: reverse and forward mode, any order, `torch.func` too",
    "straight_through": "straight through: what comes in goes out",
    "none": "none: results never require a gradient",
}
_PROVIDERS = {
    "native": "C++ of its own, compiled into the library",
    "kernel": "its Ascend C kernel, compiled for this CPU as the twin compiles it",
    "reference": "plain PyTorch, which also serves every other device",
}


def pages() -> dict[str, str]:
    """All pages, by name."""
    own = [found for found in operators().values() if found.schema.space == OWN]
    listed = {f"operators/{found.name}": _page(found) for found in own}
    rows = [f"| [`{one.name}`](operators/{one.name}.md) | {_doc(one).splitlines()[0]} |" for one in own]
    head = (
        "# Operators\n\nEvery operator is in `opwright.ops` and in `torch.ops.opwright`. How they are used: "
        "[Operators in PyTorch](../guide/operators.md). Not run on an NPU.\n\n| operator | what it does |\n|---|---|\n"
    )
    tree = "\n".join(f"operators/{one.name}" for one in own)
    return {**listed, "operators": head + "\n".join(rows) + f"\n\n```{{toctree}}\n:hidden:\n\n{tree}\n```\n"}


def _doc(found: Operator) -> str:
    return inspect.getdoc(found.functions["reference"]) or ""


def _page(found: Operator) -> str:
    parts: list[Callable[[Operator], Iterator[str]]] = [_facts, _providers, _speed, _accuracy, _refusals]
    text = [f"# {found.name}\n", f"{_doc(found)}\n", "```text", *(form.schema.text for form in found.forms), "```\n"]
    return "\n".join([*text, *(line for part in parts for line in part(found))])


def _facts(found: Operator) -> Iterator[str]:
    dtypes = ", ".join(str(dtype).removeprefix("torch.") for dtype in found.dtypes)
    yield f"- dtypes: {dtypes}"
    for one, second in found.synonyms.items():
        yield f"- `{second}` is another name of `{one}` in `opwright.ops`"
    yield f"- gradient: {_GRADIENTS[found.gradient]}"
    if found.constants:
        yield f"- without a gradient: {', '.join(f'`{name}`' for name in found.constants)}"
    if found.rows:
        names = ", ".join(f"`{name}`" for name in found.rows)
        yield f"- rows are computed alone, with any number of dimensions in front: {names}; DTensor may shard those"
    for one in found.also:
        yield f"- also serves `{one.schema.qualified}({one.schema.text.partition('(')[2]}`"
    yield "- not run on an NPU\n"


def _providers(found: Operator) -> Iterator[str]:
    yield "## Providers\n\nOn a CPU, in the order in which they are asked; the first that takes a call serves it.\n"
    order = found.orders.get("cpu", ("reference",))
    yield from (f"{place}. {name}: {_PROVIDERS[name]}" for place, name in enumerate(order, 1))
    yield ""


def _speed(found: Operator) -> Iterator[str]:
    made = json.loads(SPEED.read_text(encoding="utf-8"))
    rows = [_Timed(row) for row in made["rows"] if row["case"].startswith(f"{found.name}, ")]
    if not rows:
        return
    yield f"## Speed\n\nThe first provider and others in microseconds of CPU time, one thread. {_measured(made)}\n"
    others = list(dict.fromkeys(row.other for row in rows))
    yield f"| dtype | rows | ours | {' | '.join(others)} |"
    yield "|" + "---|" * (3 + len(others))
    for dtype, count in dict.fromkeys((row.dtype, row.count) for row in rows):
        of_size = {row.other: row for row in rows if (row.dtype, row.count) == (dtype, count)}
        best = min(row.ours for row in of_size.values())
        cells = [f"{of_size[other].theirs:,.1f}" if other in of_size else "–" for other in others]
        yield f"| {dtype} | {count} | {best:,.1f} | {' | '.join(cells)} |"
    yield ""


class _Timed:
    """A row of `benchmarks/operators.py`: "NAME, DTYPE, COUNT rows, OTHER", and times of both."""

    def __init__(self, row: dict[str, Any]) -> None:
        _, self.dtype, size, self.other = row["case"].split(", ")
        self.count = int(size.removesuffix(" rows"))
        self.ours, self.theirs = 1e6 * row["ours"], 1e6 * row["theirs"]


def _accuracy(found: Operator) -> Iterator[str]:
    if not found.tolerance:
        what = "All providers write equal elements" if found.is_writing else "All providers give equal results"
        yield f"## Accuracy\n\n{what}; the tests compare them without a tolerance.\n"
        return
    made = json.loads(ACCURACY.read_text(encoding="utf-8"))
    rows = [row for row in made["rows"] if row["operator"] == found.name]
    if not rows:
        return
    yield (
        "## Accuracy\n\nThe largest error against float64, as a part of the largest number of a result; that of the "
        f"reference in plain PyTorch stands last. The tests allow twice that. {_measured(made)}\n"
    )
    names = list(dict.fromkeys(row["provider"] for row in rows))
    yield f"| dtype | {' | '.join(names)} | reference |\n|{'---|' * (2 + len(names))}"
    for dtype in dict.fromkeys(row["dtype"] for row in rows):
        of_type = {row["provider"]: row for row in rows if row["dtype"] == dtype}
        cells = [_number(of_type[name]["ours"]) for name in names]
        yield f"| {dtype} | {' | '.join(cells)} | {_number(next(iter(of_type.values()))['eager'])} |"
    yield ""


def _number(error: float | None) -> str:
    return "–" if error is None else f"{error:.2g}"


def _measured(made: dict[str, Any]) -> str:
    return f"{made['date']}, `{made['command']}`, commit {made['commit']}, {made['cpu']}."


def _refusals(found: Operator) -> Iterator[str]:
    text = (MISTAKES / f"{found.name}.txt").read_text(encoding="utf-8").strip()
    yield f"## What it refuses\n\n```text\n{text}\n```\n"
