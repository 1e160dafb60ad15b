"""The ids of flags: none is set again before its wait has certainly happened, and no two pipes need more than six.

In: a search whose flags give the right order. Out: the same flags with ids. A flag that may be set again too early
rotates through as many ids as its loop has slots; if that is not enough, the other pipe acknowledges by a flag back.
Where that cannot be either, and where ids run out although flags share and merge what they can, a barrier of all pipes
takes the place of a flag, and a note says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import combinations, permutations

from opwright.tile.compiler.model import SET_AGAIN
from opwright.tile.compiler.schedule import ALL_PIPES, Barrier, Flag, Pair, Slots
from opwright.tile.compiler.search import Search, alike, joint, merged_in_body

MOST_IDS = 6  # of eight; the toolchain keeps two


@dataclass
class Ids:
    """Gives ids to the flags of a search."""

    search: Search
    notes: list[str] = field(default_factory=list)
    _answered: set[tuple[str, str, Pair]] = field(default_factory=set)  # flags with a flag back, and flags back
    _apart: set[tuple[Flag, Flag]] = field(default_factory=set)  # flags that cannot share an id

    @property
    def added(self) -> bool:
        """Whether ids forced something upon the kernel: flags back, or barriers."""
        return bool(self.notes or self._answered)

    @property
    def cost(self) -> tuple[int, int]:
        """Smaller is better."""
        return len(self.search.barriers), len(self.search.flags)

    def make_safe(self) -> None:
        """Rotates, acknowledges or replaces flags until none may be set again too early; deletes what is implied."""
        changed = False
        while (fault := self.search.fault(ids=True)) is not None:
            assert fault.kind == SET_AGAIN and fault.flag is not None, fault
            changed |= not self._rotate(fault.flag) and self._add_order(fault.flag)
        if changed:
            self.search.delete(ids=True)
            self._delete_barriers()

    def make_few(self) -> None:
        """Lets flags share ids, merges them, or replaces one by a barrier, until six ids are enough."""
        changed = False
        while (pipes := self._crowded()) is not None:
            changed = True
            flags = [flag for flag in self.search.flags if (flag.source, flag.destination) == pipes]
            if not (self._share(flags) or self._merge(flags) or self._share_with_answer(flags)):
                self._replace(max(flags, key=lambda flag: len(flag.ids)), "no id is left")
        if changed:
            self.search.delete(ids=True)
            self._delete_barriers()

    def assigned(self) -> list[Flag]:
        """The flags with their ids, in the order of their first waits."""
        order = {node: position for position, node in enumerate(self.search.model.conflicts.positions)}
        following: dict[tuple[str, str], int] = {}
        found = []
        for flag in sorted(self.search.flags, key=lambda flag: min(order[pair.before] for pair in flag.pairs)):
            pipes = (flag.source, flag.destination)
            found.append(replace(flag, first_id=following.get(pipes, 0)))
            following[pipes] = found[-1].ids.stop
        return found

    def _rotate(self, flag: Flag) -> bool:
        """The next longer ring of ids, if the loop has one."""
        if flag.primed or len(flag.pairs) > 1:
            return False
        loops = self.search.model.conflicts.positions[flag.pairs[0].behind][0].loops
        counters = sorted(loops[-1].advances if loops else (), key=lambda slots: slots.count)
        longer: list[Slots] = [slots for slots in counters if slots.count > len(flag.ids)]
        if not longer:
            return False
        self._exchange(flag, replace(flag, slots=longer[0]))
        return True

    def _add_order(self, flag: Flag) -> bool:
        """A flag back, or a barrier in the place of the flag."""
        pair = flag.pairs[0]
        one, other = (
            (flag.source, flag.destination, pair),
            (flag.destination, flag.source, Pair(pair.before, pair.behind)),
        )
        if len(flag.pairs) == 1 and one not in self._answered and pair.behind is not pair.before:
            self._answered |= {one, other}
            slots = flag.slots if flag.primed else None
            self._exchange(flag, replace(flag, slots=slots))
            self.search.flags.append(Flag(flag.destination, flag.source, (other[2],), 0, slots, not flag.primed))
        else:
            self._replace(flag, "nothing says in time that it was waited for")
        return True

    def _replace(self, flag: Flag, why: str) -> None:
        """A barrier of all pipes before each wait."""
        self.search.flags.remove(flag)
        self.search.barriers += [Barrier(ALL_PIPES, pair.before) for pair in flag.pairs]
        self.notes.append(f"a barrier of all pipes stands for a flag {flag.source}_{flag.destination}: {why}")

    def _exchange(self, old: Flag, new: Flag) -> None:
        self.search.flags = [new if flag is old else flag for flag in self.search.flags]

    def _delete_barriers(self) -> None:
        """Deletes barriers of all pipes that other ones imply."""
        search = self.search
        for barrier in list(search.barriers):
            kept = search.barriers
            search.barriers = [one for one in kept if one is not barrier]
            if search.fault(ids=True) is not None:
                search.barriers = kept

    def _crowded(self) -> tuple[str, str] | None:
        """Two pipes with too many ids."""
        count: dict[tuple[str, str], int] = {}
        for flag in self.search.flags:
            pipes = (flag.source, flag.destination)
            count[pipes] = count.get(pipes, 0) + len(flag.ids)
        return next((pipes for pipes, number in count.items() if number > MOST_IDS), None)

    def _share(self, flags: list[Flag]) -> bool:
        """One id for two flags that are never set at the same time. Those that cannot are not tried again."""
        for two in combinations(flags, 2):
            if alike(*two) and two not in self._apart:
                if self.search.replace(list(two), joint(*two), ids=True):
                    return True
                self._apart.add(two)
        return False

    def _share_with_answer(self, flags: list[Flag]) -> bool:
        """One id for two flags of a body, with a flag back between them; those in the middle wait least."""
        positions = self.search.model.conflicts.positions
        single = [flag for flag in flags if not flag.primed]
        single.sort(key=lambda flag: positions[flag.pairs[-1].before][1])
        half = len(single) // 2
        for first, second in sorted(
            combinations(single, 2), key=lambda two: abs(single.index(two[1]) - single.index(two[0]) - half)
        ):
            behind, before = first.pairs[-1].before, second.pairs[0].behind
            if not alike(first, second) or positions[behind][0] is not positions[before][0]:
                continue
            if positions[behind][1] < positions[before][1]:
                back = Flag(first.destination, first.source, (Pair(behind, before),), 0)
                for slots in (None, first.slots):
                    self.search.flags.append(replace(back, slots=slots))
                    if self.search.replace([first, second], joint(first, second), ids=True):
                        return True
                    self.search.flags.pop()
        return False

    def _merge(self, flags: list[Flag]) -> bool:
        """One flag for two of a body: the first wait is late by some calls."""
        for first, second in permutations(flags, 2):
            merged = merged_in_body(self.search.model, first, second)
            if merged is not None and self.search.replace([first, second], merged, ids=True):
                return True
        return False
