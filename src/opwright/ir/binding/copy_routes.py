"""Routes between memories: what a refusal says of a call that copies, when none of its forms goes from here to there.

In: the row of a call, the SoC, the kinds of cores that reach the call, and where dst and src lie. Out: the routes that
the call has, in words, and what to call instead; None if a form has this route, on this SoC or another, or if the call
does not copy between memories.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from opwright.ascendc.kernel_types import owner_of
from opwright.ascendc.row import CORE, MEMORIES_OF_KIND, Form, Parameter, Row
from opwright.ascendc.socs import MEMORIES, Soc
from opwright.ascendc.table import ROWS

Route = tuple[str, str]  # from, to

_GM = "GM"
_ORDER = (_GM, *MEMORIES)


def no_route(row: Row, soc: Soc, kinds: Collection[str], source: str, target: str) -> tuple[str, str] | None:
    """Why tensors in these memories do not fit, and a hint."""
    if not _copies(row) or (source, target) in _routes(row):
        return None
    own = _routes(row, soc)
    others = [
        f"from {source} to {_either(end for start, end in own if start == source)}",
        f"to {target} from {_either(start for start, end in own if end == target)}",
    ]
    known = " and ".join(words for words in others if not words.endswith(" "))
    only = f", only {known}" if known else ""
    return f"  it has no path from {source} to {target}{only}", _hint(row, soc, kinds, source, target)


def _hint(row: Row, soc: Soc, kinds: Collection[str], source: str, target: str) -> str:
    """Another call, two calls, or the call's example."""
    routes = {name: _routes(one, soc) for name, one in ROWS.items() if _copies(one)}
    direct = [f"asc.{name}" for name, own in routes.items() if (source, target) in own]
    if direct:
        return f"use {' or '.join(direct)}"
    for memory in (*(name for name in MEMORIES if owner_of(name) in kinds), _GM):
        first = [name for name, own in routes.items() if (source, memory) in own]
        second = [name for name, own in routes.items() if (memory, target) in own]
        if first and second:
            # The same call for both, if there is one.
            names = [row.name if row.name in step else step[0] for step in (first, second)]
            return f"go through {memory}: asc.{names[0]} from {source}, then asc.{names[1]} to {target}"
    return f"for example: {row.example}"


def _copies(row: Row) -> bool:
    """Whether a call moves data between memories: its forms differ in where dst and src lie."""
    return (
        CORE in row.called_by and len({(form.parameters[0].kind, form.parameters[1].kind) for form in _moves(row)}) > 1
    )


def _routes(row: Row, soc: Soc | None = None) -> set[Route]:
    """All routes of a call, or those that a SoC has."""
    return {
        (source, target)
        for form in _moves(row)
        if soc is None or soc.name not in row.not_on(form)
        for target in _memories(form.parameters[0])
        for source in _memories(form.parameters[1])
    }


def _moves(row: Row) -> list[Form]:
    """The forms that take two tensors first, dst and src."""
    pairs = ((form, form.parameters[:2]) for form in row.forms)
    return [
        form
        for form, pair in pairs
        if [parameter.name for parameter in pair] == ["dst", "src"] and all(parameter.is_tensor for parameter in pair)
    ]


def _memories(parameter: Parameter) -> tuple[str, ...]:
    return (_GM,) if parameter.kind == "global" else MEMORIES_OF_KIND[parameter.kind]


def _either(memories: Iterable[str]) -> str:
    """Memories in their usual order."""
    return " or ".join(sorted(memories, key=_ORDER.index))
