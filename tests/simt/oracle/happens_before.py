"""Which accesses of the threads of one block race, by brute force.

In: events in the order in which they came. Out: every pair that races, byte by byte. Events are the nodes of a graph:
each thread goes through its own accesses and the meetings that it takes part in, one after the other. Two accesses are
ordered if a path leads from one to the other, and by nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise

WARP = 32


class How(IntEnum):
    READ = 0
    WRITTEN = 1
    ATOMIC = 2
    ADDS_FLOATS = 3


UB, GM = 0, 7


@dataclass(frozen=True)
class Access:
    thread: int
    how: How
    memory: int
    address: int
    bytes: int

    def touches(self) -> set[tuple[int, int]]:
        return {(self.memory, byte) for byte in range(self.address, self.address + self.bytes)}


@dataclass(frozen=True)
class BlockMeets:
    pass


@dataclass(frozen=True)
class WarpMeets:
    warp: int


Event = Access | BlockMeets | WarpMeets


@dataclass(frozen=True)
class Race:
    """Two events by their numbers, the earlier one first, and a byte that both touch."""

    first: int
    second: int
    place: tuple[int, int]


def takes_part(event: Event, thread: int) -> bool:
    match event:
        case Access():
            return event.thread == thread
        case WarpMeets(warp):
            return thread // WARP == warp
    return True


def ordered_before(events: list[Event]) -> list[int]:
    """For each event those that come before it in every order, one bit each."""
    before = [0] * len(events)
    for thread in {event.thread for event in events if isinstance(event, Access)}:
        own = [number for number, event in enumerate(events) if takes_part(event, thread)]
        for earlier, later in pairwise(own):
            before[later] |= 1 << earlier
    # An edge leads from a lower to a higher number, so one pass closes the relation.
    for number in range(len(events)):
        known, closed = before[number], before[number]
        while known:
            low = known & -known
            closed |= before[low.bit_length() - 1]
            known ^= low
        before[number] = closed
    return before


def disturb(first: How, second: How) -> bool:
    """Whether the order of two accesses shows: of additions of floats, in the last bits."""
    if first is How.READ and second is How.READ:
        return False
    atomic = (How.ATOMIC, How.ADDS_FLOATS)
    return not (first in atomic and second in atomic) or first is second is How.ADDS_FLOATS


def races(events: list[Event]) -> set[Race]:
    before = ordered_before(events)
    found = set()
    for j, second in enumerate(events):
        for i, first in enumerate(events[:j]):
            if not (isinstance(first, Access) and isinstance(second, Access)):
                continue
            if first.thread == second.thread or before[j] >> i & 1 or not disturb(first.how, second.how):
                continue
            found |= {Race(i, j, place) for place in first.touches() & second.touches()}
    return found
