"""What the cores of a checked launch did, event by event.

In: a kernel built for the checked mode, cores, arguments. Out: a `Recording`: the report, the events in the order of
cores and of the program, and the text of the kernel's functions. The library keeps a limited number of records; what it
left out is counted. Refuses a library whose events are laid out in another way.
"""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from opwright.check.static import budget_of, report_of
from opwright.errors import CorruptArtefact, Location
from opwright.findings.finding import Report
from opwright.kernel.arguments import BoundArguments
from opwright.kernel.source import Source
from opwright.kernel.target import Mode
from opwright.twin.enumerations import TraceKind
from opwright.twin.incident import memory_name, pipe_name
from opwright.twin.launch import Kernel
from opwright.twin.launch_record import Outcome
from opwright.twin.locations import function_source, locate, place_of

KINDS = tuple(kind.name.lower() for kind in TraceKind)
_LAYOUT = 5  # which size `opwright_layout` tells


class TraceEvent(ctypes.Structure):
    """One event as the library writes it, laid out as in `library/check/event.h`."""

    _fields_ = (
        *((name, ctypes.c_uint32) for name in ("core", "kind", "pipe", "other", "id")),
        ("line", ctypes.c_int32),
        ("memory", ctypes.c_uint32),
        ("written", ctypes.c_uint32),
        ("begin", ctypes.c_uint64),
        ("end", ctypes.c_uint64),
        ("more", ctypes.c_uint32),
        ("iteration", ctypes.c_uint32),
        ("core_kind", ctypes.c_uint32),
        ("group", ctypes.c_uint32),
    )
    core: int
    kind: int
    pipe: int
    other: int
    id: int
    line: int
    memory: int
    written: int
    begin: int
    end: int
    more: int
    iteration: int
    core_kind: int
    group: int


@dataclass(frozen=True)
class ByteRange:
    """Bytes that a call read or wrote; of global memory they count from the start of `argument`."""

    memory: str
    argument: str
    begin: int
    end: int
    written: bool


@dataclass(frozen=True)
class Event:
    """What a core did.

    core, core_kind: the core as messages name it; the kind is "AIC" or "AIV" in a kernel that has both, else "".
    lane: the number of the core among all of the launch: by groups, and in a group the AIC first.
    kind: one of KINDS.
    pipe: "V", ...; "ALL" for a barrier of all pipes; of a set the source, of a wait the destination.
    other: of a set the destination, of a wait the source. id: the number of the flag. mode: of a flag between cores.
    call: the call of Ascend C, such as "data_copy"; "" where a line is not one.
    iteration: how often the line had done this on its core before, from 0.
    """

    core: int
    kind: str
    pipe: str
    other: str
    id: int
    at: Location | None
    call: str
    ranges: tuple[ByteRange, ...]
    iteration: int
    core_kind: str = ""
    lane: int = 0
    group: int = 0
    mode: int = 0

    @property
    def core_name(self) -> str:
        """The core as messages name it."""
        return f"{self.core_kind or 'core'} {self.core}"

    @property
    def flag(self) -> str:
        """The flag of a set or a wait, such as "MTE2_V 0"; "" of anything else."""
        if self.kind in ("cross_set", "cross_wait"):
            return f"{self.id} (mode {self.mode})"
        if self.kind not in ("set", "wait"):
            return ""
        source, destination = (self.pipe, self.other) if self.kind == "set" else (self.other, self.pipe)
        return f"{source}_{destination} {self.id}"


@dataclass(frozen=True)
class Recording:
    """A checked launch with all that was done in it.

    stopped: the last finding ended its core.
    lost: how many records the library did not keep; an access has one for each of its ranges.
    sources: the kernel, then the helpers that it uses.
    """

    report: Report
    events: list[Event]
    stopped: bool
    lost: int
    sources: tuple[Source, ...]


def recorded(kernel: Kernel, cores: int, bound: BoundArguments) -> Recording:
    """Launches a kernel that was built for the checked mode, and keeps what its cores did."""
    layout = ctypes.CDLL(str(kernel.library.path)).opwright_layout
    layout.restype = ctypes.c_uint64
    if layout(_LAYOUT) != ctypes.sizeof(TraceEvent):
        raise CorruptArtefact(path=kernel.library.path)
    outcome = kernel.launch(cores, bound, Mode.RECORDED)
    assert outcome is not None
    try:
        report = report_of(outcome, kernel, cores, bound.views, budget_of(kernel, cores, bound))
        events = _events(outcome, kernel, bound)
        stopped, lost = outcome.fault != 0, outcome.events_lost
    finally:
        kernel.finish(outcome)
    sources = dict.fromkeys(function_source(kernel, number) for number in range(len(kernel.functions)))
    return Recording(report, events, stopped, lost, tuple(sources))


def _events(outcome: Outcome, kernel: Kernel, bound: BoundArguments) -> list[Event]:
    """The library's events as values. An access of several ranges comes as several of them."""
    if not outcome.events:
        return []
    raw = (TraceEvent * outcome.event_count).from_address(outcome.events)
    arguments = [
        (memory[0], memory[0] + memory[1], name)
        for name, memory in zip(bound.names, bound.memories, strict=True)
        if memory is not None
    ]

    @cache
    def place(line: int) -> tuple[Location | None, str]:
        found = place_of(kernel, line)
        return locate(kernel, found), found.call

    found: list[Event] = []
    lanes = _lanes(raw)
    done: Counter[tuple[int, int, int]] = Counter()
    ranges: list[ByteRange] = []
    for one in raw:
        is_access = KINDS[one.kind] == "access"
        if is_access:
            ranges.append(_range(one, arguments))
            if one.more:
                continue
        at, call = place(one.line)
        if at is None and KINDS[one.kind] == "barrier":
            continue  # that ends the kernel: the author did not write it
        if KINDS[one.kind] == "sync_all":
            found.pop()  # the barrier of all pipes that is a part of it
        lane = lanes[one.group, one.core_kind, one.core]
        where = (lane, one.line, one.kind)
        found.append(
            Event(
                core=one.core,
                kind=KINDS[one.kind],
                pipe=pipe_name(one.pipe),
                other=pipe_name(one.other) if KINDS[one.kind] in ("set", "wait") else "",
                id=one.id,
                at=at,
                call=call,
                ranges=tuple(ranges),
                iteration=one.iteration if is_access else done[where],
                core_kind=kernel.kernel_type.kind_name(one.core_kind),
                lane=lane,
                group=one.group,
                mode=one.other if KINDS[one.kind] in ("cross_set", "cross_wait") else 0,
            )
        )
        done[where] += 1
        ranges.clear()
    return found


def _lanes(raw: Iterable[TraceEvent]) -> dict[tuple[int, int, int], int]:
    """Numbers of cores, by group, kind and core. Where there is one kind they are those of the cores."""
    cores = {(one.group, one.core_kind, one.core) for one in raw}
    if len({kind for _, kind, _ in cores}) < 2:
        return {core: core[2] for core in cores}
    in_order = sorted(cores, key=lambda core: (core[0], -core[1], core[2]))
    return {core: lane for lane, core in enumerate(in_order)}


def _range(one: TraceEvent, arguments: list[tuple[int, int, str]]) -> ByteRange:
    memory = memory_name(one.memory)
    for base, end, name in arguments:
        if memory == "GM" and base <= one.begin < end:
            return ByteRange(memory, name, one.begin - base, one.end - base, bool(one.written))
    return ByteRange(memory, "", one.begin, one.end, bool(one.written))
