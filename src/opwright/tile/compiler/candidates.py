"""One flag for every two calls that need an order: more than enough, of which `sync` deletes what others imply.

In: the conflicts of a tree. Out: flags without ids, those first that should go first: of outer bodies, and with a long
reach. A flag stands in the innermost body with both calls; a loop or a branch in it counts as one node. From an
iteration to a later one it is set behind the one node and waited for before the other, which stands no later; it is
primed at the start of the kernel. Every execution of a body sets such a flag as often as it waits for it, so loops may
have no iterations, and bodies may be arms.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from opwright.tile.compiler.conflicts import Body, Conflicts
from opwright.tile.compiler.schedule import Flag, Pair, Slots


class _Kind(NamedTuple):
    """Flags of which one can stand for another."""

    source: str
    destination: str
    body: Body
    primed: bool
    slots: Slots | None


def candidates(conflicts: Conflicts) -> list[Flag]:
    """Every flag that may be needed, without those that another one of the same kind implies."""
    wanted: dict[_Kind, set[tuple[int, int]]] = defaultdict(set)
    for one in conflicts.meetings():
        first, second = one.first.step.pipe, one.second.step.pipe
        earlier, later = one.positions
        if earlier < later:
            wanted[_Kind(first, second, one.body, primed=False, slots=None)].add((earlier, later))
        elif one.again:  # in two arms
            wanted[_Kind(first, second, one.body, primed=True, slots=one.slots)].add((earlier, later))
        if one.again:
            wanted[_Kind(second, first, one.body, primed=True, slots=one.slots)].add((later, earlier))
    found = []
    for kind, positions in wanted.items():
        for behind, before in positions:
            if not any(one != (behind, before) and one[0] >= behind and one[1] <= before for one in positions):
                pair = Pair(kind.body.nodes[behind], kind.body.nodes[before])
                found.append(Flag(kind.source, kind.destination, (pair,), 0, kind.slots, kind.primed))
    return sorted(found, key=lambda flag: reach(conflicts, flag, flag.pairs[0]))


def reach(conflicts: Conflicts, flag: Flag, pair: Pair) -> tuple[int, int]:
    """Smaller for a pair that should go first: of an outer body, and with more nodes between set and wait."""
    body, behind = conflicts.positions[pair.behind]
    before = conflicts.positions[pair.before][1]
    iterations = len(flag.ids) if flag.primed else 0
    return body.depth, behind - before - iterations * len(body.nodes)
