"""Flags that are right, on their way to fewer.

In: a model and flags without a fault. Out: fewer of them, still without one. Deleted: every pair of a set and a wait
that the others imply. Merged: two flags that are set by two calls in a row; the first wait is late by one call.
Handed on: loops in a row that go on with the same ring share its flags, so that none is needed between the loops.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import combinations, permutations

from opwright.tile.compiler.candidates import reach
from opwright.tile.compiler.conflicts import Body
from opwright.tile.compiler.model import Fault, Model
from opwright.tile.compiler.schedule import Barrier, Branch, Flag, Loop, Node, Pair, Step


@dataclass
class Search:
    """The flags of a tree, and its barriers of all pipes."""

    model: Model
    flags: list[Flag]
    barriers: list[Barrier] = field(default_factory=list)

    def fault(self, flags: list[Flag] | None = None, *, ids: bool) -> Fault | None:
        """What is wrong with flags, those of now or others; pipes wait for themselves, barriers come later."""
        return self.model.fault(self.flags if flags is None else flags, self.barriers, ids=ids, own=False)

    def delete(self, *, ids: bool) -> None:
        """Deletes every pair that the others imply, those of outer bodies and long reach first."""
        pairs = [(reach(self.model.conflicts, flag, pair), flag, pair) for flag in self.flags for pair in flag.pairs]
        pairs.sort(key=lambda one: one[0])
        only = 0
        while True:
            # Without a pair, the calls behind which it is set are in a race: it takes little time to look for those
            # alone. If all at once shows another race, its calls are looked at, too.
            flags = self.flags
            for _, flag, pair in pairs:
                fewer, bits = without(flags, pair), only | self._bits(flag.source, pair.behind)
                if self.model.fault(fewer, self.barriers, ids=ids, own=False, only=bits) is None:
                    flags = fewer
            fault = self.fault(flags, ids=ids) if flags != self.flags else None
            if fault is None:
                break
            only = only | self.model.conflicts.occurrences[fault.first].all_bits if fault.first else -1
        self.flags = flags

    def _bits(self, pipe: str, node: Node) -> int:
        """The bits of the calls of a pipe in a node."""
        match node:
            case Step():
                return self.model.conflicts.occurrences[node].all_bits if node.pipe == pipe else 0
            case Loop(body=body):
                inside = body
            case Branch(arms=arms):
                inside = [one for arm in arms for one in arm]
        bits = 0
        for one in inside:
            bits |= self._bits(pipe, one)
        return bits

    def merge(self) -> None:
        """Merges flags whose sets follow each other on their pipe."""
        before = len(self.flags)
        for first, second in permutations(list(self.flags), 2):
            merged = self._merged(first, second)
            if merged is not None and first in self.flags and second in self.flags:
                self.replace([first, second], merged, ids=False)
        if len(self.flags) < before:
            self.delete(ids=False)

    def hand_on(self) -> None:
        """Joins primed flags of two bodies if that makes one between them superfluous."""
        before = len(self.flags)
        for first, second in combinations(list(self.flags), 2):
            if not (alike(first, second) and first.primed and first in self.flags and second in self.flags):
                continue
            if self.bodies(first) & self.bodies(second):
                continue
            joined = [joint(first, second) if one is first else one for one in self.flags if one is not second]
            for other in self.flags:
                same_pipes = (other.source, other.destination) == (first.source, first.destination)
                if other is first or other is second or not same_pipes:
                    continue
                fewer = [one for one in joined if one is not other]
                if self.fault(fewer, ids=False) is None:
                    self.flags = fewer
                    break

        if len(self.flags) < before:
            self.delete(ids=False)

    def bodies(self, flag: Flag) -> set[Body]:
        """Where the pairs of a flag stand."""
        return {self.model.conflicts.positions[pair.behind][0] for pair in flag.pairs}

    def replace(self, old: list[Flag], new: Flag, *, ids: bool) -> bool:
        """Puts one flag in the place of others, if that is right."""
        changed = [new if flag is old[0] else flag for flag in self.flags if flag not in old[1:]]
        if self.fault(changed, ids=ids) is not None:
            return False
        self.flags = changed
        return True

    def _merged(self, first: Flag, second: Flag) -> Flag | None:
        """One flag for two, of which the second is set by the next call on their pipe."""
        merged = merged_in_body(self.model, first, second)
        if merged is None:
            return None
        body, early = self.model.conflicts.positions[first.pairs[0].behind]
        late = self.model.conflicts.positions[second.pairs[0].behind][1]
        between = {pipe for node in body.nodes[early + 1 : late] for pipe in pipes_of(node)}
        return merged if isinstance(body.nodes[late], Step) and first.source not in between else None


def alike(first: Flag, second: Flag) -> bool:
    """Whether one id can stand for both."""
    return (first.source, first.destination, first.primed) == (second.source, second.destination, second.primed) and (
        first.slots is second.slots
    )


def joint(first: Flag, second: Flag) -> Flag:
    """The pairs of two flags with the ids of one."""
    return replace(first, pairs=first.pairs + second.pairs)


def merged_in_body(model: Model, first: Flag, second: Flag) -> Flag | None:
    """The later set and the earlier wait of two flags of a body, if the first flag has the earlier set and wait."""
    if not alike(first, second) or len(first.pairs) + len(second.pairs) > 2:
        return None
    (one,), (other,) = first.pairs, second.pairs
    positions = model.conflicts.positions
    if positions[one.behind][0] is not positions[other.behind][0]:
        return None
    early, late = positions[one.behind][1], positions[other.behind][1]
    wait, next_wait = positions[one.before][1], positions[other.before][1]
    if not (early < late and wait < next_wait and (first.primed or late < wait)):
        return None
    return replace(first, pairs=(Pair(other.behind, one.before),))


def without(flags: list[Flag], pair: Pair) -> list[Flag]:
    """The flags without one pair."""
    kept: list[Flag] = []
    for flag in flags:
        pairs = tuple(one for one in flag.pairs if one is not pair)
        if pairs:
            kept.append(flag if len(pairs) == len(flag.pairs) else replace(flag, pairs=pairs))
    return kept


def pipes_of(node: Node) -> set[str]:
    """The pipes of all calls in a node."""
    match node:
        case Step(pipe=pipe):
            return {pipe}
        case Loop(body=body):
            return {pipe for one in body for pipe in pipes_of(one)}
        case Branch(arms=arms):
            return {pipe for arm in arms for one in arm for pipe in pipes_of(one)}
