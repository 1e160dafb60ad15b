"""What a compiled kernel is made of, in words: buffers, flags, barriers, numbers that the scalar unit reads, forms that
are slower than others, and what had to be given up.

In: a lowered kernel. Out: a text with the author's lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from opwright.ascendc.dtypes import DTYPES
from opwright.ir.calls import CallOp
from opwright.ir.language import At
from opwright.ir.names import name_of
from opwright.kernel.program import Request
from opwright.tile.compiler.buffers import UB, base_of, touched
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
    count = Counter((barrier.pipe, _begin(barrier.before, request)) for barrier in made.barriers)
    barriers = [f"{pipe} before {line}{_times(number)}" for (pipe, line), number in count.items()]
    reads = Counter(_scalar_reads(lowered, request))
    slow = [f"{_line(mark, request)}: {words}" for mark, words in lowered.buffers.site.slow]
    given_up = [note for note in (placement.note, *made.notes) if note]
    for title, found in (
        ("barriers", barriers),
        ("read by the scalar unit", [f"{what}{_times(number)}" for what, number in reads.items()]),
        ("slow forms", list(dict.fromkeys(slow))),
        ("given up so that it fits", given_up),
    ):
        lines += ["", title, *(f"  {one}" for one in found or ["none"])]
    return "\n".join(lines) + "\n"


def _times(number: int) -> str:
    return f", {number} times" if number > 1 else ""


def _scalar_reads(lowered: Lowered, request: Request) -> Iterator[str]:
    """Numbers that the scalar unit reads: what comes next waits for them."""
    for operation in lowered.buffers.kernel.walk():
        for tensor, is_written in touched(operation):
            if isinstance(operation, CallOp) and operation.chosen.pipe == "PIPE_S" and not is_written:
                name = name_of(base_of(tensor)) or "a tensor"
                yield f"{name.removesuffix('_gm').removesuffix('_slots')}, {_line(At.of(operation), request)}"


def _flag(flag: Flag, request: Request) -> list[str]:
    ids = f"id {flag.first_id}" if len(flag.ids) == 1 else f"ids {flag.ids[0]} to {flag.ids[-1]}, one for each slot"
    reach = ", to a later iteration" if flag.primed else ""
    return [
        f"{flag.source} to {flag.destination}{reach}, {ids}: behind {_of(pair.behind, request)}, "
        f"before {_of(pair.before, request)}"
        for pair in flag.pairs
    ]


def _begin(node: Node, request: Request) -> str:
    assert isinstance(node.payload, Part)
    return _line(At.of(node.payload.first), request)


def _of(node: Node, request: Request) -> str:
    assert isinstance(node.payload, Part)
    return _line(At.of(node.payload.last), request)


def _line(mark: str, request: Request) -> str:
    line = mark.partition(":")[0]
    return f"line {request.source.first_line + int(line) - 1}" if line else "the start"
