"""What a compiled kernel is made of, in words: buffers, flags, barriers, and what had to be given up.

In: a lowered kernel. Out: a text with the author's lines.
"""

from __future__ import annotations

from collections import Counter

from opwright.ascendc.dtypes import DTYPES
from opwright.ir.language import At
from opwright.kernel.program import Request
from opwright.tile.compiler.buffers import UB
from opwright.tile.compiler.compile import Lowered
from opwright.tile.compiler.schedule import Flag, Node
from opwright.tile.compiler.tree import Part


def report(lowered: Lowered, request: Request) -> str:
    """The report of a kernel."""
    placement, made = lowered.placement, lowered.synchronisation
    lines = [f"{request.source.name} on {request.soc.name}"]
    for memory, used in placement.used.items():
        of = f"{memory}: {used:,} of {request.soc.usable(memory):,} bytes"
        lines.append(f"{of}; {placement.bounds[memory]:,} are in use at the fullest line")
    lines += ["", "buffers"]
    memories = list(placement.used)
    for home in sorted(placement.homes, key=lambda one: (memories.index(one.memory), one.address, one.buffers[0].name)):
        slots = f"{home.count} x " if home.count > 1 else ""
        for buffer in home.buffers:
            elements = f"{buffer.elements:,} of {buffer.dtype}"
            where = f" of {home.memory}" if home.memory != UB else ""
            size = f"{slots}{buffer.elements * DTYPES[buffer.dtype].bytes:,} bytes at {home.address:,}{where}"
            lines.append(f"  {buffer.name}, {_line(buffer.mark, request)}: {elements}, {size}")
    lines += ["", "flags"]
    lines += [f"  {text}" for flag in made.flags for text in _flag(flag, request)] or ["  none"]
    count = Counter(barrier.pipe for barrier in made.barriers)
    lines += ["", "barriers", *(f"  {number} of {pipe}" for pipe, number in count.items())]
    notes = [note for note in (placement.note, *made.notes) if note]
    if notes:
        lines += ["", "given up so that it fits", *(f"  {note}" for note in notes)]
    return "\n".join(lines) + "\n"


def _flag(flag: Flag, request: Request) -> list[str]:
    ids = f"id {flag.first_id}" if len(flag.ids) == 1 else f"ids {flag.ids[0]} to {flag.ids[-1]}, one for each slot"
    reach = ", to a later iteration" if flag.primed else ""
    return [
        f"{flag.source} to {flag.destination}{reach}, {ids}: behind {_of(pair.behind, request)}, "
        f"before {_of(pair.before, request)}"
        for pair in flag.pairs
    ]


def _of(node: Node, request: Request) -> str:
    assert isinstance(node.payload, Part)
    return _line(At.of(node.payload.last), request)


def _line(mark: str, request: Request) -> str:
    line = mark.partition(":")[0]
    return f"line {request.source.first_line + int(line) - 1}" if line else "the start"
