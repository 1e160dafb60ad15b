"""The operations of a schedule tree with flags and barriers, as the model walks them.

In: conflicts, flags, barriers. Out: `Reader.read` gives the operations of a body. Steps of one pipe in a row are one
operation if nothing but barriers stands between them. What pipes and set flags do not know lies side by side in one
number, in a lane for each: first the pipes, the scalar unit at 0, then the ids of the flags. With `ids` a lane also has
a bit for each id: its last wait may not have happened.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple, TypeAlias

from opwright.tile.compiler.conflicts import Body, Conflicts, Occurrence
from opwright.tile.compiler.schedule import ALL_PIPES, Barrier, Flag, Loop, Node, Slots, Step

SCALAR = "S"

Seen: TypeAlias = dict[tuple[int, ...], list[int]]  # the states at one position: lanes by all that comes before them


class Entry(NamedTuple):
    """Calls of one pipe in a row, with certain slots: their bits, what they meet on other pipes, and each by itself."""

    bits: int
    last: int  # the bits of the last one
    meets: int
    calls: tuple[tuple[int, int, Step], ...]  # bits, what it meets on its own pipe; none if the pipe waits for itself


@dataclass(frozen=True)
class Calls:
    """Steps of one pipe in a row, for every combination of slots."""

    steps: tuple[Step, ...]
    counters: tuple[tuple[int, int], ...]  # position of a counter in a state, its stride in `entries`
    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class Run:
    """Steps of one pipe in a row; `stops`: positions with a barrier; `spread`: bits of entries in all lanes."""

    calls: Calls
    lane: int
    own: int
    spread: tuple[int, ...]
    stops: frozenset[int]


@dataclass(frozen=True)
class Signal:
    """A set or a wait; `counter`: position in a state of what is added to the token."""

    is_set: bool
    lane: int
    own: int
    token: int
    counter: int | None
    flag: Flag


@dataclass(frozen=True)
class Stop:
    """A barrier; `mask` leaves what is still unknown behind it."""

    mask: int


@dataclass(frozen=True)
class Repeat:
    """A loop; `seen`: the states before its body, or behind one that has one iteration."""

    body: list[Operation]
    counters: tuple[tuple[int, int], ...]  # position of a counter in a state, its count
    mask: int  # leaves the bits that mean something in the next iteration
    seen: Seen
    once: bool = False


@dataclass(frozen=True)
class Choice:
    """A branch; `seen`: the states behind it."""

    arms: list[list[Operation]]
    seen: Seen


Operation: TypeAlias = "Run | Signal | Stop | Repeat | Choice"


@dataclass
class Table:
    """What the calls of a tree do; `in_order`, `given`: as the model has them."""

    conflicts: Conflicts
    in_order: frozenset[str]
    given: tuple[Flag, ...] = ()
    _calls: dict[tuple[Step, ...], Calls] = field(default_factory=dict)

    def __post_init__(self) -> None:
        occurrences = self.conflicts.occurrences.values()
        pipes = dict.fromkeys([SCALAR, *(occurrence.step.pipe for occurrence in occurrences)])
        self.pipes = {pipe: position for position, pipe in enumerate(pipes)}
        bodies = self.conflicts.bodies.values()
        counters = [slots for body in bodies for loop in body.loops for slots in loop.advances]
        counters += [slots for occurrence in occurrences for slots in occurrence.slots]
        self.counters = {slots: 1 + position for position, slots in enumerate(dict.fromkeys(counters))}
        self.cross_bits = self.own_bits = 0
        for occurrence in occurrences:
            own = self.conflicts.own[occurrence.step.pipe]
            for met in occurrence.conflicts.values():
                self.cross_bits |= met & ~own
                self.own_bits |= 0 if occurrence.step.pipe in self.in_order else met & own

    def calls(self, steps: tuple[Step, ...]) -> Calls:
        """Steps of one pipe in a row."""
        if steps not in self._calls:
            occurrences = [self.conflicts.occurrences[step] for step in steps]
            counters = tuple(dict.fromkeys(slots for occurrence in occurrences for slots in occurrence.slots))
            strides, stride = [], 1
            for slots in reversed(counters):
                strides.append((self.counters[slots], stride))
                stride *= slots.count
            values = product(*(range(slots.count) for slots in counters))
            entries = tuple(self._entry(occurrences, dict(zip(counters, some, strict=True))) for some in values)
            self._calls[steps] = Calls(steps, tuple(strides), entries)
        return self._calls[steps]

    def _entry(self, occurrences: list[Occurrence], slots: dict[Slots, int]) -> Entry:
        pipe = occurrences[0].step.pipe
        own = self.conflicts.own[pipe]
        chosen = [(occurrence, tuple(slots[one] for one in occurrence.slots)) for occurrence in occurrences]
        bits = meets = 0
        for occurrence, key in chosen:
            bits |= occurrence.bits[key]
            meets |= occurrence.conflicts[key]
        calls = tuple(
            (occurrence.bits[key], occurrence.conflicts[key] & own, occurrence.step) for occurrence, key in chosen
        )
        return Entry(bits, calls[-1][0], meets & ~own, () if pipe in self.in_order else calls)


class Reader:
    """Turns bodies into operations, for certain flags and barriers."""

    def __init__(self, table: Table, flags: Sequence[Flag], barriers: Sequence[Barrier], ids: bool) -> None:
        self.table = table
        tokens = sum(len(flag.ids) for flag in flags)
        self.bits = len(table.conflicts.owner)
        self.width = self.bits + (tokens if ids else 0)
        self.lane = (1 << self.width) - 1
        self.first_token = len(table.pipes)
        lanes = self.first_token + tokens
        self.ones = sum(1 << lane * self.width for lane in range(lanes))
        # Shifts that bring what any lane has into the first one.
        self.halvings = [self.width << position for position in reversed(range((lanes - 1).bit_length()))]
        self.pipe_lanes = (1 << self.first_token * self.width) - 1
        self.sets: dict[Node, list[Operation]] = defaultdict(list)
        self.waits: dict[Node, list[Operation]] = defaultdict(list)
        self.start = 0  # the ids that are primed
        token = 0
        for flag in flags:
            self._place(flag, token)
            if flag.primed:
                self.start |= ((1 << len(flag.ids)) - 1) << token
            token += len(flag.ids)
        self.stops: dict[Node, list[str]] = defaultdict(list)
        for barrier in barriers:
            self.stops[barrier.before].append(barrier.pipe)
        used = {slots for occurrence in table.conflicts.occurrences.values() for slots in occurrence.slots}
        self.used = used | {flag.slots for flag in flags if flag.slots}  # other counters make no difference

    def _place(self, flag: Flag, token: int) -> None:
        """The sets and waits of a flag."""
        table = self.table
        counter = table.counters[flag.slots] if flag.slots else None
        for is_set, pipe, at in ((True, flag.source, self.sets), (False, flag.destination, self.waits)):
            lane, own = table.pipes[pipe] * self.width, table.conflicts.own[pipe]
            for pair in flag.pairs:
                at[pair.behind if is_set else pair.before].append(Signal(is_set, lane, own, token, counter, flag))

    def read(self, body: Body) -> list[Operation]:
        """The operations of a body: steps of one pipe in a row are one, if nothing but barriers stands between them."""
        conflicts = self.table.conflicts
        found: list[Operation] = []
        steps: list[Step] = []
        stops: set[int] = set()

        def close() -> None:
            if steps:
                calls, pipe = self.table.calls(tuple(steps)), steps[0].pipe
                spread = tuple(entry.bits * self.ones for entry in calls.entries)
                lane = self.table.pipes[pipe] * self.width
                found.append(Run(calls, lane, conflicts.own[pipe], spread, frozenset(stops)))
                steps.clear()
                stops.clear()

        for node in body.nodes:
            pipes = self.stops.get(node, [])
            if node in self.waits or not isinstance(node, Step) or (steps and steps[-1].pipe != node.pipe):
                close()
            found += self.waits.get(node, [])
            if isinstance(node, Step) and pipes == [node.pipe]:
                stops.add(len(steps))
            elif pipes:
                close()
                found += [self._stop(pipe) for pipe in pipes]
            if isinstance(node, Step):
                steps.append(node)
            elif isinstance(node, Loop):
                used = [slots for slots in node.advances if slots in self.used]
                counters = tuple((self.table.counters[slots], slots.count) for slots in used)
                mask = ~(conflicts.cleared.get(node, 0) * self.ones)
                found.append(Repeat(self.read(conflicts.body(node)), counters, mask, {}, node.once))
            else:
                found.append(Choice([self.read(conflicts.body(node, arm)) for arm in range(len(node.arms))], {}))
            if node in self.sets:
                close()
                found += self.sets[node]
        close()
        return found

    def _stop(self, pipe: str) -> Stop:
        if pipe == ALL_PIPES:
            return Stop(~self.pipe_lanes)
        return Stop(~(self.table.conflicts.own[pipe] << self.table.pipes[pipe] * self.width))
