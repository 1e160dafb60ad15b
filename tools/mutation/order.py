"""Happens-before by brute force: which accesses of a recorded launch have certainly ended when another one starts.

In: the events that a checked launch recorded. Out: pairs of accesses to the same bytes, one of them a write, that
nothing orders. Nothing here comes from the engine that it judges: every event is a node of a graph, or two (an access
starts and ends), every rule of the chip an edge, and what comes before what is the closure of the whole graph, as one
set of accesses per node. An edge always leads to a later event, since a wait without an earlier set ends a launch.
"""

from __future__ import annotations

import ctypes
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

ACCESS, SET, WAIT, BARRIER, SYNC_ALL = range(5)
PIPE_S, PIPE_V, PIPE_ALL = 0, 1, 6
GM = 7  # the number of global memory, behind those on the chip
EVENT = np.dtype(
    [
        *((name, "u4") for name in ("core", "kind", "pipe", "other", "id")),
        ("line", "i4"),
        *((name, "u4") for name in ("memory", "written")),
        ("begin", "u8"),
        ("end", "u8"),
        ("more", "u4"),
        ("turn", "u4"),
    ]
)


@dataclass(frozen=True)
class Rules:
    """What the chip and the toolchain order by themselves."""

    vector_in_order: bool
    scalar_in_order: bool


@dataclass(frozen=True)
class Unordered:
    """Two accesses to the same bytes that may come in either order; lines are those of the text."""

    first_core: int
    first_line: int
    second_core: int
    second_line: int


def read_events(address: int | None, count: int) -> np.ndarray:
    """A copy of the events that the library keeps until the next launch."""
    if not address or not count:
        return np.zeros(0, EVENT)
    return np.frombuffer(ctypes.string_at(address, count * EVENT.itemsize), EVENT)


def unordered(events: np.ndarray, rules: Rules) -> list[Unordered]:
    """Every conflicting pair that nothing orders."""
    found = []
    phase = np.zeros(len(events), int)  # how many barriers over all cores came before, on the event's own core
    for core in np.unique(events["core"]):
        own = np.flatnonzero(events["core"] == core)
        phase[own] = np.cumsum(events["kind"][own] == SYNC_ALL)
        found += _within_core(events[own], rules)
    return found + _between_cores(events, phase)


def _conflicts(ranges: np.ndarray) -> Iterator[tuple[int, int]]:
    """Pairs of positions, the first one smaller, of ranges that share a byte, one of them written."""
    begin, end, memory, written = (ranges[name] for name in ("begin", "end", "memory", "written"))
    for place in range(1, len(ranges)):
        before = slice(0, place)
        meet = (begin[before] < end[place]) & (begin[place] < end[before]) & (memory[before] == memory[place])
        if not written[place]:
            meet &= written[before] != 0
        for other in np.flatnonzero(meet):
            yield int(other), place


@dataclass
class _Graph:
    """Nodes with the accesses that have ended before them: bit k of a node stands for the end of access k."""

    before: list[int] = field(default_factory=list)

    def node(self, *predecessors: int, ends: int | None = None) -> int:
        """Adds a node behind others; `ends`: the access that it is the end of."""
        known = 0
        for predecessor in predecessors:
            known |= self.before[predecessor]
        self.before.append(known if ends is None else known | 1 << ends)
        return len(self.before) - 1


def _within_core(events: np.ndarray, rules: Rules) -> list[Unordered]:
    """What one core does in an order of the chip's choice."""
    ranges = np.flatnonzero(events["kind"] == ACCESS)
    access_of: dict[int, int] = {}  # position of a range -> number of its access
    first_of: list[int] = []  # number of an access -> its first position
    position = 0
    while position < len(events):
        if events["kind"][position] != ACCESS:
            position += 1
            continue
        more = int(events["more"][position])
        access_of.update({place: len(first_of) for place in range(position, position + more + 1)})
        first_of.append(position)
        position += more + 1
    conflicts: dict[int, set[int]] = defaultdict(set)  # number of an access -> earlier ones that it meets
    for first, second in _conflicts(events[ranges]):
        earlier, later = access_of[int(ranges[first])], access_of[int(ranges[second])]
        if earlier != later:
            conflicts[later].add(earlier)
    starts, graph = _graph(events, first_of, conflicts, rules)
    core = int(events["core"][0])
    return [
        Unordered(core, int(events["line"][first_of[earlier]]), core, int(events["line"][first_of[later]]))
        for later, all_earlier in sorted(conflicts.items())
        for earlier in sorted(all_earlier)
        if not graph.before[starts[later]] >> earlier & 1
    ]


def _graph(
    events: np.ndarray, first_of: list[int], conflicts: dict[int, set[int]], rules: Rules
) -> tuple[list[int], _Graph]:
    """The node at which each access starts, and the graph."""
    graph = _Graph()
    root = graph.node()
    last_start: dict[int, int] = defaultdict(lambda: root)  # of a queue: what the next one in it starts behind
    all_ended: dict[int, int] = defaultdict(lambda: root)  # of a queue: all its accesses so far have ended
    ended_at: list[int] = []  # of an access: `all_ended` of its queue, right behind it
    sets: dict[tuple[int, int, int], list[int]] = defaultdict(list)
    waits: dict[tuple[int, int, int], int] = defaultdict(int)
    starts: list[int] = []
    numbers = {place: number for number, place in enumerate(first_of)}
    pipes = [int(events["pipe"][place]) for place in first_of]
    for place, event in enumerate(events):
        kind, pipe, other, flag_id = (int(event[name]) for name in ("kind", "pipe", "other", "id"))
        # The scalar unit issues in program order, and stands still while the last one of its own has not started.
        behind = (last_start[pipe], last_start[PIPE_S])
        if kind == ACCESS:
            if place not in numbers:
                continue  # a further range of the one before
            number = numbers[place]
            if pipe == PIPE_S or (pipe == PIPE_V and rules.vector_in_order):
                behind += (all_ended[pipe],)
            if rules.scalar_in_order:
                # The toolchain sets a flag, which comes behind all earlier work of its pipe.
                met = (e for e in conflicts[number] if pipes[e] != pipe and PIPE_S in (pipes[e], pipe))
                behind += tuple(ended_at[earlier] for earlier in met)
            start = graph.node(*behind)
            starts.append(start)
            last_start[pipe] = start
            end = graph.node(start, ends=number)
            all_ended[pipe] = graph.node(all_ended[pipe], end)
            ended_at.append(all_ended[pipe])
        elif kind == SET:  # it holds nothing up
            sets[pipe, other, flag_id].append(graph.node(*behind, all_ended[pipe]))
        elif kind == WAIT:
            flag = (other, pipe, flag_id)
            last_start[pipe] = graph.node(*behind, sets[flag][waits[flag]])
            waits[flag] += 1
        elif kind == BARRIER and pipe != PIPE_ALL:
            last_start[pipe] = graph.node(*behind, all_ended[pipe])
        else:
            last_start[PIPE_S] = graph.node(*last_start.values(), *all_ended.values())
    return starts, graph


def _between_cores(events: np.ndarray, phase: np.ndarray) -> list[Unordered]:
    """Cores meet at barriers over all of them and nowhere else."""
    found = set()
    chosen = np.flatnonzero((events["kind"] == ACCESS) & (events["memory"] == GM))
    ranges, phases = events[chosen], phase[chosen]
    for first, second in _conflicts(ranges):
        a, b = ranges[first], ranges[second]
        if a["core"] != b["core"] and phases[first] == phases[second]:
            found.add(Unordered(int(a["core"]), int(a["line"]), int(b["core"]), int(b["line"])))
    return sorted(found, key=lambda pair: (pair.first_core, pair.first_line, pair.second_core, pair.second_line))
