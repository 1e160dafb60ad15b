"""Which calls of a schedule tree meet at the same bytes.

In: a tree. Out: `Conflicts`. Each step has a bit for each combination of the slots that it may touch; a step in global
memory has bits of its own. `meetings` lists the pairs of steps that need an order, in the same iteration or in a later
one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from opwright.tile.compiler.schedule import Access, Branch, Loop, Node, Slots, Step

GM = "GM"


@dataclass(eq=False)
class Body:
    """A list of nodes that run one after the other; `loops`: those around it, the outermost first."""

    nodes: list[Node]
    loops: tuple[Loop, ...]
    depth: int


@dataclass(eq=False)
class Occurrence:
    """A step, the bodies around it and the position of its node in each of them, the outermost first."""

    step: Step
    path: tuple[tuple[Body, int], ...]
    slots: tuple[Slots, ...] = ()  # of its accesses
    bits: dict[tuple[int, ...], int] = field(default_factory=dict)  # by slots
    conflicts: dict[tuple[int, ...], int] = field(default_factory=dict)

    @property
    def loops(self) -> tuple[Loop, ...]:
        """The loops around it, the outermost first."""
        return self.path[-1][0].loops

    @property
    def all_bits(self) -> int:
        """The bits of all its slots."""
        found = 0
        for bit in self.bits.values():
            found |= bit
        return found


@dataclass(frozen=True)
class Meeting:
    """Two steps that need an order, `first` earlier in the text; `body`: the innermost one with both.

    again: also in a later iteration. slots: the counter with which the later iteration comes back to the same bytes.
    """

    first: Occurrence
    second: Occurrence
    body: Body
    positions: tuple[int, int]
    again: bool
    slots: Slots | None


class Conflicts:
    """The bits of all steps of a tree, and what they stand for."""

    def __init__(self, tree: list[Node]) -> None:
        self.tree = tree
        self.occurrences: dict[Step, Occurrence] = {}
        self.bodies: dict[tuple[int, int], Body] = {}  # by identity of the node and number of its arm
        self.positions: dict[Node, tuple[Body, int]] = {}
        self.root = self._walk(tree, (), (), 0, (0, 0))
        self.owner: list[Occurrence] = []  # of a bit
        self.own: dict[str, int] = defaultdict(int)  # bits of a pipe
        self.cleared: dict[Loop, int] = defaultdict(int)  # bits that mean nothing in the next iteration
        for occurrence in self.occurrences.values():
            self._number(occurrence)
        self._meet_on_chip()
        self._meet_in_global_memory()

    def body(self, node: Node, arm: int = 0) -> Body:
        """The body of a loop, or an arm of a branch."""
        return self.bodies[id(node), arm]

    def step_of(self, bits: int) -> Step:
        """The step of the lowest bit."""
        return self.owner[(bits & -bits).bit_length() - 1].step

    def meetings(self) -> Iterator[Meeting]:
        """Every two steps of different pipes that need an order."""
        for second in self.occurrences.values():
            conflicts = 0
            for mask in second.conflicts.values():
                conflicts |= mask
            conflicts &= ~self.own[second.step.pipe]
            for first in self.occurrences.values():
                if first is second:
                    break
                if conflicts & first.all_bits:
                    yield self._meeting(first, second, conflicts)

    def _walk(self, nodes: list[Node], loops: tuple[Loop, ...], path: Path, depth: int, key: tuple[int, int]) -> Body:
        body = self.bodies[key] = Body(nodes, loops, depth)
        for position, node in enumerate(nodes):
            here = (*path, (body, position))
            self.positions[node] = (body, position)
            if isinstance(node, Loop):
                self._walk(node.body, (*loops, node), here, depth + 1, (id(node), 0))
            elif isinstance(node, Branch):
                for arm, inside in enumerate(node.arms):
                    self._walk(inside, loops, here, depth + 1, (id(node), arm))
            else:
                self.occurrences[node] = Occurrence(node, here)
        return body

    def _bit(self, occurrence: Occurrence) -> int:
        self.owner.append(occurrence)
        bit = 1 << len(self.owner) - 1
        self.own[occurrence.step.pipe] |= bit
        return bit

    def _number(self, occurrence: Occurrence) -> None:
        """A bit for each combination of slots."""
        step = occurrence.step
        rings = [access.ring for access in (*step.reads, *step.writes) if access.ring is not None]
        occurrence.slots = tuple(dict.fromkeys(ring.slots for ring in rings))
        advanced = [slots for loop in occurrence.loops for slots in loop.advances]
        assert set(occurrence.slots) <= set(advanced), "a ring outside of the loops that move its counter on"
        assert len(advanced) == len(set(advanced)), "a counter that two nested loops move on"
        for values in product(*(range(slots.count) for slots in occurrence.slots)):
            occurrence.bits[values] = self._bit(occurrence)
            occurrence.conflicts[values] = 0

    def _meet_on_chip(self) -> None:
        """Memories are cut where an access begins or ends; each piece knows who reads and who writes it."""
        spans = [
            (access.memory, first, first + access.last - access.first, written, occurrence, values)
            for occurrence in self.occurrences.values()
            for written, accesses in ((False, occurrence.step.reads), (True, occurrence.step.writes))
            for access in accesses
            if access.memory != GM
            for values in occurrence.bits
            for first in [_first(access, occurrence, values)]
        ]
        for memory in {span[0] for span in spans}:
            here = [span for span in spans if span[0] == memory]
            cuts = {cut: position for position, cut in enumerate(sorted({cut for span in here for cut in span[1:3]}))}
            readers, writers = [0] * len(cuts), [0] * len(cuts)
            for _, first, last, written, occurrence, values in here:
                for position in range(cuts[first], cuts[last]):
                    (writers if written else readers)[position] |= occurrence.bits[values]
            for _, first, last, written, occurrence, values in here:
                for position in range(cuts[first], cuts[last]):
                    occurrence.conflicts[values] |= writers[position] | (readers[position] if written else 0)

    def _meet_in_global_memory(self) -> None:
        """A bit for each access and set of loops whose iterations keep it apart from others."""
        accesses = [
            (occurrence, access, written)
            for occurrence in self.occurrences.values()
            for written, some in ((False, occurrence.step.reads), (True, occurrence.step.writes))
            for access in some
            if access.memory == GM
        ]
        bits: dict[tuple[int, tuple[Loop, ...]], int] = {}
        for occurrence, access, written in accesses:
            for number, (other, one, one_written) in enumerate(accesses):
                meet = access.tensor is one.tensor and (written or one_written)
                if not meet or (access.atomic and access.atomic == one.atomic):
                    continue
                key = (number, apart(occurrence, access, other, one))
                if key not in bits:
                    bits[key] = self._bit(other)
                    for loop in key[1]:
                        self.cleared[loop] |= bits[key]
                    for values in other.bits:
                        other.bits[values] |= bits[key]
                for values in occurrence.conflicts:
                    occurrence.conflicts[values] |= bits[key]

    def _meeting(self, first: Occurrence, second: Occurrence, conflicts: int) -> Meeting:
        common = [
            (body, (position, other))
            for (body, position), (same, other) in zip(first.path, second.path, strict=False)
            if body is same
        ]
        body, positions = common[-1]
        met = conflicts & first.all_bits
        if body.loops:
            met &= ~self.cleared.get(body.loops[-1], 0)
        again = bool(met) and bool(body.loops)
        advanced = {slots for loop in body.loops for slots in loop.advances}
        rotating = [slots for slots in first.slots if slots in advanced and _same_slot(first, second, slots, met)]
        chosen = max(rotating, key=lambda slots: slots.count, default=None) if again else None
        return Meeting(first, second, body, positions, again, chosen if chosen and chosen.count > 1 else None)


Path = tuple[tuple[Body, int], ...]


def apart(occurrence: Occurrence, access: Access, other: Occurrence, one: Access) -> tuple[Loop, ...]:
    """The loops around both, from the outermost, of which every two iterations touch different elements."""
    moving = access.region.loops if access.region is not None and access.region is one.region else ()
    found = []
    for loop, same in zip(occurrence.loops, other.loops, strict=False):
        if loop is not same or not (loop.parallel or loop in moving):
            break
        found.append(loop)
    return tuple(found)


def meet_at_once(first: Occurrence, second: Occurrence) -> bool:
    """Whether two steps meet in one iteration of everything around them."""
    common = [
        (first.slots.index(slots), position) for position, slots in enumerate(second.slots) if slots in first.slots
    ]
    return any(
        met & bits and all(before[one] == after[other] for one, other in common)
        for after, met in second.conflicts.items()
        for before, bits in first.bits.items()
    )


def _first(access: Access, occurrence: Occurrence, values: tuple[int, ...]) -> int:
    """Where an access begins, with these slots."""
    if access.ring is None:
        return access.first
    return access.first + access.ring.pitch * values[occurrence.slots.index(access.ring.slots)]


def _same_slot(first: Occurrence, second: Occurrence, slots: Slots, met: int) -> bool:
    """Whether two steps meet only where a counter has the same value for both."""
    if slots not in second.slots:
        return False
    position, other = first.slots.index(slots), second.slots.index(slots)
    return not any(
        second.conflicts[after] & bits & met
        for after in second.bits
        for before, bits in first.bits.items()
        if before[position] != after[other]
    )
