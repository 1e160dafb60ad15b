"""Happens-before by brute force: which accesses of a recorded launch have certainly ended when another one starts.

In: the events that a checked launch recorded. Out: pairs of accesses to the same bytes, one of them a write, that
nothing orders. Nothing here comes from the engine that it judges: every event is a node of a graph, or two (an access
starts and ends), every rule of the chip an edge, and what comes before what is the closure of the whole graph, as one
set of accesses per node. Cores take turns while the graph is made: each goes on until it waits for another one, so that
an edge always leads to a node that is made later.
"""

from __future__ import annotations

import ctypes
from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

ACCESS, SET, WAIT, BARRIER, SYNC_ALL, CROSS_SET, CROSS_WAIT = range(7)
ATOMIC = 2  # in `written`
PIPE_S, PIPE_V, PIPE_M, PIPE_ALL, PIPE_FIX = 0, 1, 2, 6, 10
UB, L1, L0C, GM = 0, 1, 4, 7
FOREIGN = {9: (0, UB), 10: (1, UB), 11: (None, L1)}  # memory of another core of the group: which AIV, None: the AIC
LONG = 10 * 1024  # bytes of results from which on the next product waits for them
EVENT = np.dtype(
    [
        *((name, "u4") for name in ("core", "kind", "pipe", "other", "id")),
        ("line", "i4"),
        *((name, "u4") for name in ("memory", "written")),
        ("begin", "u8"),
        ("end", "u8"),
        *((name, "u4") for name in ("more", "iteration", "core_kind", "group")),
    ]
)


@dataclass(frozen=True)
class Rules:
    """What the chip and the toolchain order by themselves; `holds_core`: a wait for another core holds all pipes."""

    vector_in_order: bool
    scalar_in_order: bool
    holds_core: bool = True


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
    """Every conflicting pair that nothing orders, those of one core first."""
    launch = _Launch(events, rules)
    launch.run()
    within, between = [], set()
    for later, earlier in sorted(launch.conflicts):
        first, second = launch.accesses[earlier], launch.accesses[later]
        if later not in launch.starts or earlier not in launch.starts:
            continue  # it never started
        lines = (int(events["core"][first]), int(events["line"][first]), int(events["core"][second]))
        pair = Unordered(*lines, int(events["line"][second]))
        if launch.core_of[first] == launch.core_of[second]:
            if not launch.knows(later, earlier) and not _in_order_on_chip(launch, earlier, later):
                within.append(pair)
        elif not launch.knows(later, earlier) and not launch.knows(earlier, later):
            between.add(pair)
    return within + sorted(between, key=lambda one: (one.first_core, one.first_line, one.second_core, one.second_line))


def _in_order_on_chip(launch: _Launch, earlier: int, later: int) -> bool:
    """Two accesses of which the chip lets the second wait: both meet in L0C and nowhere else."""
    if launch.met_in[later, earlier] != {L0C}:
        return False
    first, second = (launch.ranges_of(number) for number in (earlier, later))
    pipes = {int(first["pipe"][0]), int(second["pipe"][0])}
    if pipes == {PIPE_M}:
        results = first[(first["memory"] == L0C) & (first["written"] != 0)]
        return int((results["end"] - results["begin"]).sum()) >= LONG
    return pipes == {PIPE_M, PIPE_FIX} and bool(first["other"][0] and second["other"][0])


def _conflicts(ranges: np.ndarray, space: np.ndarray) -> Iterator[tuple[int, int]]:
    """Pairs of positions, the first one smaller, of ranges that share a byte, one of them written.

    Atomic copies may come in any order.
    """
    begin, end, written = (ranges[name] for name in ("begin", "end", "written"))
    for place in range(1, len(ranges)):
        before = slice(0, place)
        meet = (begin[before] < end[place]) & (begin[place] < end[before]) & (space[before] == space[place])
        if not written[place]:
            meet &= written[before] != 0
        elif written[place] == ATOMIC:
            meet &= written[before] != ATOMIC
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


class _Launch:
    """The cores of a launch, what they touch in common, and the graph of all their work."""

    def __init__(self, events: np.ndarray, rules: Rules) -> None:
        self.events, self.rules, self.graph = events, rules, _Graph()
        self.root = self.graph.node()
        keys = list(zip(*(events[name].tolist() for name in ("group", "core_kind", "core")), strict=True))
        self.cores = sorted(set(keys), key=lambda key: (key[0], -key[1], key[2]))
        number = {key: place for place, key in enumerate(self.cores)}
        self.core_of = [number[key] for key in keys]
        self.first_aiv = {group: core for group, kind, core in reversed(self.cores) if not kind}
        self.accesses: list[int] = []  # number of an access -> its first position
        self.access_at: dict[int, int] = {}  # position of a range -> number of its access
        self._number_accesses()
        self.conflicts: set[tuple[int, int]] = set()  # later, earlier
        self.met_in: dict[tuple[int, int], set[int]] = defaultdict(set)  # the memories of a conflict
        self.earlier_of: dict[int, set[int]] = defaultdict(set)  # on the same core
        self._find_conflicts()
        self.starts: dict[int, int] = {}  # of an access: the node at which it starts
        self.raised: dict[tuple[int, bool, int], deque[list[int]]] = defaultdict(deque)  # core, mode 4, flag -> sets
        self.waiting: dict[tuple[object, ...], dict[int, deque[int]]] = defaultdict(lambda: defaultdict(deque))
        self.arrived: dict[bool, dict[int, list[int]]] = {False: defaultdict(list), True: defaultdict(list)}
        self.opened: dict[tuple[bool, int], int] = {}

    def run(self) -> None:
        """Lets every core go on until none can."""
        walks = [_Core(self, core).walk() for core in range(len(self.cores))]
        moved = True
        while moved:
            moved = False
            for walk in walks:
                while next(walk, False):
                    moved = True

    def knows(self, later: int, earlier: int) -> bool:
        """Whether an access has ended when another one starts."""
        return bool(self.graph.before[self.starts[later]] >> earlier & 1)

    def ranges_of(self, number: int) -> np.ndarray:
        """The ranges of an access."""
        first = self.accesses[number]
        return self.events[first : first + int(self.events["more"][first]) + 1]

    def _number_accesses(self) -> None:
        position = 0
        while position < len(self.events):
            if self.events["kind"][position] != ACCESS:
                position += 1
                continue
            more = int(self.events["more"][position])
            self.access_at.update({place: len(self.accesses) for place in range(position, position + more + 1)})
            self.accesses.append(position)
            position += more + 1

    def _find_conflicts(self) -> None:
        ranges = np.flatnonzero(self.events["kind"] == ACCESS)
        space = np.array([self._space(int(place)) for place in ranges], np.int64)
        for first, second in _conflicts(self.events[ranges], space):
            earlier, later = self.access_at[int(ranges[first])], self.access_at[int(ranges[second])]
            if earlier == later:
                continue
            self.conflicts.add((later, earlier))
            self.met_in[later, earlier].add(int(self.events["memory"][ranges[first]]))
            if self.core_of[ranges[first]] == self.core_of[ranges[second]]:
                self.earlier_of[later].add(earlier)

    def _space(self, place: int) -> int:
        """A number for the memory of a range: that of a core, or global memory."""
        memory, owner = int(self.events["memory"][place]), self.core_of[place]
        if memory == GM:
            return 0
        if memory in FOREIGN:
            group = self.cores[owner][0]
            aiv, memory = FOREIGN[memory]
            key = (group, 1, group) if aiv is None else (group, 0, self.first_aiv.get(group, 0) + aiv)
            owner = self.cores.index(key) if key in self.cores else -1 - group
        return 1 + owner * 8 + memory

    def set_cross(self, core: int, mode: int, flag: int, node: int) -> None:
        """A flag between cores is set; who counts it gets the sets that it stands for."""
        group, kind, number = self.cores[core]
        aivs = [place for place, (own, aiv_kind, _) in enumerate(self.cores) if own == group and not aiv_kind]
        aics = [place for place, (own, aic_kind, _) in enumerate(self.cores) if own == group and aic_kind]
        if mode == 4:
            if kind:
                side, theirs = divmod(flag, 16)
                targets = aivs[side : side + 1]
            else:
                targets, theirs = aics, flag + 16 * (number - self.first_aiv[group])
            for target in targets:
                self.raised[target, True, theirs].append([node])
            return
        if mode == 0:
            setters = targets = [place for place, (_, own_kind, _) in enumerate(self.cores) if own_kind == kind]
        elif mode == 1:
            setters = targets = aivs
        else:
            setters, targets = ([core], aivs) if kind else (aivs, aics)
        waiting = self.waiting[mode, kind, 0 if mode == 0 else group, flag]
        waiting[core].append(node)
        if all(waiting[setter] for setter in setters):
            nodes = [waiting[setter].popleft() for setter in setters]
            for target in targets:
                self.raised[target, False, flag].append(nodes)

    def arrive(self, aiv_only: bool, core: int, node: int) -> int:
        """A core comes to a barrier; its number there."""
        self.arrived[aiv_only][core].append(node)
        return len(self.arrived[aiv_only][core]) - 1

    def open(self, aiv_only: bool, turn: int) -> int | None:
        """The node behind a barrier, if all have come to it."""
        if (aiv_only, turn) not in self.opened:
            members = [core for core, (_, kind, _) in enumerate(self.cores) if not (aiv_only and kind)]
            came = [self.arrived[aiv_only][core] for core in members]
            if any(len(nodes) <= turn for nodes in came):
                return None
            self.opened[aiv_only, turn] = self.graph.node(*(nodes[turn] for nodes in came))
        return self.opened[aiv_only, turn]


class _Core:
    """One core on its way through its program."""

    def __init__(self, launch: _Launch, core: int) -> None:
        self.launch, self.core, self.graph = launch, core, launch.graph
        self.last_start: dict[int, int] = defaultdict(lambda: launch.root)  # what the next one in a queue starts behind
        self.all_ended: dict[int, int] = defaultdict(lambda: launch.root)  # of a queue: its accesses so far have ended
        self.ended_at: dict[int, int] = {}  # of an access: `all_ended` of its queue, right behind it
        self.sets: dict[tuple[int, int, int], list[int]] = defaultdict(list)
        self.waits: dict[tuple[int, int, int], int] = defaultdict(int)

    def walk(self) -> Iterator[bool]:
        """Goes on event by event; gives True for each that was done, False while it waits for another core."""
        for place in (place for place, core in enumerate(self.launch.core_of) if core == self.core):
            event = self.launch.events[place]
            kind, pipe, other, flag = (int(event[name]) for name in ("kind", "pipe", "other", "id"))
            # The scalar unit issues in program order, and stands still while the last one of its own has not started.
            behind = (self.last_start[pipe], self.last_start[PIPE_S])
            if kind == ACCESS:
                if self.launch.accesses[self.launch.access_at[place]] == place:
                    self.access(self.launch.access_at[place], pipe, behind)
            elif kind == SET:  # it holds nothing up
                self.sets[pipe, other, flag].append(self.graph.node(*behind, self.all_ended[pipe]))
            elif kind == WAIT:
                key = (other, pipe, flag)
                self.last_start[pipe] = self.graph.node(*behind, self.sets[key][self.waits[key]])
                self.waits[key] += 1
            elif kind == BARRIER and pipe != PIPE_ALL:
                self.last_start[pipe] = self.graph.node(*behind, self.all_ended[pipe])
            elif kind == CROSS_SET:
                self.launch.set_cross(self.core, other, flag, self.graph.node(*behind, self.all_ended[pipe]))
            elif kind == CROSS_WAIT:
                raised = self.launch.raised[self.core, other == 4, flag]
                while not raised:
                    yield False
                held = PIPE_S if self.launch.rules.holds_core else pipe
                self.last_start[held] = self.graph.node(self.last_start[held], behind[1], *raised.popleft())
            else:
                drained = self.graph.node(*self.last_start.values(), *self.all_ended.values())
                self.last_start[PIPE_S] = drained
                if kind == SYNC_ALL:
                    turn = self.launch.arrive(bool(other), self.core, drained)
                    while (opened := self.launch.open(bool(other), turn)) is None:
                        yield False
                    self.last_start[PIPE_S] = opened
            yield True

    def access(self, number: int, pipe: int, behind: tuple[int, ...]) -> None:
        """An access starts, and ends some time."""
        rules = self.launch.rules
        if pipe == PIPE_S or (pipe == PIPE_V and rules.vector_in_order):
            behind += (self.all_ended[pipe],)
        if rules.scalar_in_order:
            # The toolchain sets a flag, which comes behind all earlier work of its pipe.
            for earlier in self.launch.earlier_of[number]:
                other = int(self.launch.ranges_of(earlier)["pipe"][0])
                if other != pipe and PIPE_S in (other, pipe):
                    behind += (self.ended_at[earlier],)
        start = self.graph.node(*behind)
        self.launch.starts[number] = start
        self.last_start[pipe] = start
        end = self.graph.node(start, ends=number)
        self.all_ended[pipe] = self.graph.node(self.all_ended[pipe], end)
        self.ended_at[number] = self.all_ended[pipe]
