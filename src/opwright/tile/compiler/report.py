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
from opwright.tile.compiler.calls import Written
from opwright.tile.compiler.compile import Lowered
from opwright.tile.compiler.schedule import Flag, Node
from opwright.tile.compiler.traces import Channel
from opwright.tile.compiler.tree import Stretch


def report(lowered: Lowered, request: Request) -> str:
    """The report of a kernel."""
    lines = [f"{request.source.name} on {request.soc.name}"]
    if lowered.mixed is None:
        lines += _of_cores(lowered, request)
    else:
        for word, part in (("cube", lowered.mixed.cube), ("vector", lowered.mixed.vector)):
            lines += ["", f"{word} cores", *_of_cores(part, request)]
        lines += ["", "between cube and vector cores"]
        lines += [f"  {_channel(one, request)}" for one in lowered.mixed.parts.channels]
    return "\n".join(lines) + "\n"


def _channel(channel: Channel, request: Request) -> str:
    """A value that crosses."""
    crossing = channel.crossing
    way = "to vector cores" if crossing.from_cube else "to cube cores"
    slots = f"{channel.slots} x {crossing.elements:,} of {crossing.dtype} for each group"
    words = {"there": channel.there, "free": channel.free}
    flags = [f'"{word}" {flag}' for word, flag in words.items() if flag is not None]
    line = _line(At.of(crossing.maker), request)
    return f"{crossing.name}, {line}: {way}, {slots}; first flag of {', of '.join(flags)}"


def _of_cores(made_for: Written | Lowered, request: Request) -> list[str]:
    """What one kind of core has."""
    placement, made = made_for.placement, made_for.synchronisation
    lines = []
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
    reads = Counter(_scalar_reads(made_for, request))
    slow = [f"{_line(mark, request)}: {words}" for mark, words in made_for.buffers.site.slow]
    given_up = [note for note in (placement.note, *made.notes) if note]
    for title, found in (
        ("barriers", barriers),
        ("read by the scalar unit", [f"{what}{_times(number)}" for what, number in reads.items()]),
        ("slow forms", list(dict.fromkeys(slow))),
        ("given up so that it fits", given_up),
    ):
        lines += ["", title, *(f"  {one}" for one in found or ["none"])]
    return lines


def _times(number: int) -> str:
    return f", {number} times" if number > 1 else ""


def _scalar_reads(made_for: Written | Lowered, request: Request) -> Iterator[str]:
    """Numbers that the scalar unit reads: what comes next waits for them."""
    for operation in made_for.buffers.kernel.walk():
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
    assert isinstance(node.payload, Stretch)
    return _line(At.of(node.payload.first), request)


def _of(node: Node, request: Request) -> str:
    assert isinstance(node.payload, Stretch)
    return _line(At.of(node.payload.last), request)


def _line(mark: str, request: Request) -> str:
    line = mark.partition(":")[0]
    return f"line {request.source.first_line + int(line) - 1}" if line else "the start"
