"""Barriers between calls of one pipe, where the pipe does not wait for itself.

In: a model, and flags that order the pipes among each other. Out: barriers, of which none can be taken away. The first
ones stand before each call that meets an unfinished call of its pipe, as late as can be. Then what others imply goes,
one before a branch replaces several, and what only the first iteration of a loop needs moves before the loop.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from opwright.tile.compiler.conflicts import meet_at_once
from opwright.tile.compiler.model import Fault, Model
from opwright.tile.compiler.operations import SCALAR
from opwright.tile.compiler.schedule import ALL_PIPES, Barrier, Branch, Flag, Node, Step


def barriers_of(model: Model, flags: Sequence[Flag], others: Sequence[Barrier]) -> list[Barrier]:
    """The barriers of single pipes; `others`: of all pipes."""
    search = _Search(model, flags, others)
    wanted = model.stops(flags, others)
    found = search.fewer(wanted, wanted)
    if len(found) < len(wanted):  # which ones go may depend on the order
        found = min((found, search.fewer(wanted, wanted[::-1])), key=len)
    for branch in (node for node in model.conflicts.positions if isinstance(node, Branch)):
        for pipe in dict.fromkeys(barrier.pipe for barrier in found):
            found = min((found, search.fewer([*found, Barrier(pipe, branch)], found)), key=len)
    return search.moved_out(found)


@dataclass
class _Search:
    """Barriers on their way to fewer; `met`: the earlier call of the race without a barrier."""

    model: Model
    flags: Sequence[Flag]
    others: Sequence[Barrier]
    met: dict[Barrier, Step | None] = field(default_factory=dict)

    def fault(self, barriers: Sequence[Barrier]) -> Fault | None:
        return self.model.fault(self.flags, [*self.others, *barriers], ids=False, cross=False)

    def fewer(self, barriers: list[Barrier], order: Sequence[Barrier]) -> list[Barrier]:
        """Takes away what others imply, as far as `order` names it."""
        stops = self._stops(barriers)
        for barrier in order:
            met = self._needed_for(barrier, stops)
            if met is not None:
                self.met[barrier] = met
                continue
            kept = [one for one in barriers if one is not barrier]
            fault = self.fault(kept)
            if fault is None:
                barriers = kept
                stops[barrier.before].remove(barrier.pipe)
            else:
                self.met[barrier] = fault.first
        return barriers

    def _stops(self, barriers: Sequence[Barrier]) -> dict[Node, list[str]]:
        """The pipes that wait for something before a node."""
        found: dict[Node, list[str]] = defaultdict(list)
        for barrier in (*self.others, *barriers):
            found[barrier.before].append(barrier.pipe)
        for flag in self.flags:
            for pair in flag.pairs:
                found[pair.before].append(flag.destination)
        return found

    def _needed_for(self, barrier: Barrier, stops: Mapping[Node, list[str]]) -> Step | None:
        """A call shortly before, that certainly has not ended without this barrier: the model need not be asked."""
        pipe, step = barrier.pipe, barrier.before
        conflicts = self.model.conflicts
        body, position = conflicts.positions[step]
        if not isinstance(step, Step) or step.pipe != pipe or len(stops[step]) > 1:
            return None
        for before in reversed(body.nodes[:position]):
            if not isinstance(before, Step):
                return None
            if before.pipe == pipe and meet_at_once(conflicts.occurrences[before], conflicts.occurrences[step]):
                return before
            if any(one in (pipe, ALL_PIPES, SCALAR) for one in stops.get(before, ())):
                return None
        return None

    def moved_out(self, found: list[Barrier]) -> list[Barrier]:
        """Barriers stand before the outermost loop that the earlier call is not in, if they are right there."""
        outside: list[Barrier] = []
        for barrier in found:
            rest = [one for one in found if one is not barrier]
            met = self.met.get(barrier)
            inside = self.model.conflicts.occurrences[met].loops if met is not None else ()
            for loop in self.model.conflicts.positions[barrier.before][0].loops:
                moved = Barrier(barrier.pipe, loop)
                if loop not in inside and self.fault([*rest, *outside, moved]) is None:
                    outside.append(moved)
                    found = rest
                    break
        return self.fewer([*outside, *found], [*found, *outside]) if outside else found
