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
class Site:
    """A step with its place: the bodies around it and the place of its node in each of them, the outermost first."""

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

    first: Site
    second: Site
    body: Body
    places: tuple[int, int]
    again: bool
    slots: Slots | None


class Conflicts:
    """The bits of all steps of a tree, and what they stand for."""

    def __init__(self, tree: list[Node]) -> None:
        self.tree = tree
        self.sites: dict[Step, Site] = {}
        self.bodies: dict[tuple[int, int], Body] = {}  # by identity of the node and number of its arm
        self.places: dict[Node, tuple[Body, int]] = {}
        self.root = self._walk(tree, (), (), 0, (0, 0))
        self.owner: list[Site] = []  # of a bit
        self.own: dict[str, int] = defaultdict(int)  # bits of a pipe
        self.cleared: dict[Loop, int] = defaultdict(int)  # bits that mean nothing in the next iteration
        for site in self.sites.values():
            self._number(site)
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
        for second in self.sites.values():
            conflicts = 0
            for mask in second.conflicts.values():
                conflicts |= mask
            conflicts &= ~self.own[second.step.pipe]
            for first in self.sites.values():
                if first is second:
                    break
                if conflicts & first.all_bits:
                    yield self._meeting(first, second, conflicts)

    def _walk(self, nodes: list[Node], loops: tuple[Loop, ...], path: Path, depth: int, key: tuple[int, int]) -> Body:
        body = self.bodies[key] = Body(nodes, loops, depth)
        for place, node in enumerate(nodes):
            here = (*path, (body, place))
            self.places[node] = (body, place)
            if isinstance(node, Loop):
                self._walk(node.body, (*loops, node), here, depth + 1, (id(node), 0))
            elif isinstance(node, Branch):
                for arm, inside in enumerate(node.arms):
                    self._walk(inside, loops, here, depth + 1, (id(node), arm))
            else:
                self.sites[node] = Site(node, here)
        return body

    def _bit(self, site: Site) -> int:
        self.owner.append(site)
        bit = 1 << len(self.owner) - 1
        self.own[site.step.pipe] |= bit
        return bit

    def _number(self, site: Site) -> None:
        """A bit for each combination of slots."""
        step = site.step
        rings = [access.ring for access in (*step.reads, *step.writes) if access.ring is not None]
        site.slots = tuple(dict.fromkeys(ring.slots for ring in rings))
        advanced = [slots for loop in site.loops for slots in loop.advances]
        assert set(site.slots) <= set(advanced), "a ring outside of the loops that move its counter on"
        assert len(advanced) == len(set(advanced)), "a counter that two nested loops move on"
        for values in product(*(range(slots.count) for slots in site.slots)):
            site.bits[values] = self._bit(site)
            site.conflicts[values] = 0

    def _meet_on_chip(self) -> None:
        """Memories are cut where an access begins or ends; each piece knows who reads and who writes it."""
        spans = [
            (access.memory, first, first + access.last - access.first, written, site, values)
            for site in self.sites.values()
            for written, accesses in ((False, site.step.reads), (True, site.step.writes))
            for access in accesses
            if access.memory != GM
            for values in site.bits
            for first in [_first(access, site, values)]
        ]
        for memory in {span[0] for span in spans}:
            here = [span for span in spans if span[0] == memory]
            cuts = {cut: place for place, cut in enumerate(sorted({cut for span in here for cut in span[1:3]}))}
            readers, writers = [0] * len(cuts), [0] * len(cuts)
            for _, first, last, written, site, values in here:
                for place in range(cuts[first], cuts[last]):
                    (writers if written else readers)[place] |= site.bits[values]
            for _, first, last, written, site, values in here:
                for place in range(cuts[first], cuts[last]):
                    site.conflicts[values] |= writers[place] | (readers[place] if written else 0)

    def _meet_in_global_memory(self) -> None:
        """A bit for each access and set of loops whose iterations keep it apart from others."""
        accesses = [
            (site, access, written)
            for site in self.sites.values()
            for written, some in ((False, site.step.reads), (True, site.step.writes))
            for access in some
            if access.memory == GM
        ]
        bits: dict[tuple[int, tuple[Loop, ...]], int] = {}
        for site, access, written in accesses:
            for number, (other, one, one_written) in enumerate(accesses):
                meet = access.tensor is one.tensor and (written or one_written)
                if not meet or (access.atomic and access.atomic == one.atomic):
                    continue
                key = (number, apart(site, access, other, one))
                if key not in bits:
                    bits[key] = self._bit(other)
                    for loop in key[1]:
                        self.cleared[loop] |= bits[key]
                    for values in other.bits:
                        other.bits[values] |= bits[key]
                for values in site.conflicts:
                    site.conflicts[values] |= bits[key]

    def _meeting(self, first: Site, second: Site, conflicts: int) -> Meeting:
        common = [
            (body, (place, other))
            for (body, place), (same, other) in zip(first.path, second.path, strict=False)
            if body is same
        ]
        body, places = common[-1]
        met = conflicts & first.all_bits
        if body.loops:
            met &= ~self.cleared.get(body.loops[-1], 0)
        again = bool(met) and bool(body.loops)
        advanced = {slots for loop in body.loops for slots in loop.advances}
        rotating = [slots for slots in first.slots if slots in advanced and _same_slot(first, second, slots, met)]
        chosen = max(rotating, key=lambda slots: slots.count, default=None) if again else None
        return Meeting(first, second, body, places, again, chosen if chosen and chosen.count > 1 else None)


Path = tuple[tuple[Body, int], ...]


def apart(site: Site, access: Access, other: Site, one: Access) -> tuple[Loop, ...]:
    """The loops around both, from the outermost, of which every two iterations touch different elements."""
    moving = access.region.loops if access.region is not None and access.region is one.region else ()
    found = []
    for loop, same in zip(site.loops, other.loops, strict=False):
        if loop is not same or not (loop.parallel or loop in moving):
            break
        found.append(loop)
    return tuple(found)


def meet_at_once(first: Site, second: Site) -> bool:
    """Whether two steps meet in one iteration of everything around them."""
    common = [(first.slots.index(slots), place) for place, slots in enumerate(second.slots) if slots in first.slots]
    return any(
        met & bits and all(before[one] == after[other] for one, other in common)
        for after, met in second.conflicts.items()
        for before, bits in first.bits.items()
    )


def _first(access: Access, site: Site, values: tuple[int, ...]) -> int:
    """Where an access begins, with these slots."""
    if access.ring is None:
        return access.first
    return access.first + access.ring.pitch * values[site.slots.index(access.ring.slots)]


def _same_slot(first: Site, second: Site, slots: Slots, met: int) -> bool:
    """Whether two steps meet only where a counter has the same value for both."""
    if slots not in second.slots:
        return False
    place, other = first.slots.index(slots), second.slots.index(slots)
    return not any(
        second.conflicts[after] & bits & met
        for after in second.bits
        for before, bits in first.bits.items()
        if before[place] != after[other]
    )
