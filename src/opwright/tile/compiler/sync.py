"""Flags and barriers that make a schedule tree right, none of which could be left out.

In: a tree and a SoC. Out: `Synchronisation`, of which nothing can be taken away: without any pair of a flag or any
barrier the model has a fault. `candidates.py` wants a flag for every conflict, `search.py` deletes and merges them,
`ids.py` gives them ids, `barriers.py` adds the barriers of single pipes.
"""

from __future__ import annotations

from collections.abc import Sequence

from opwright.ascendc.socs import A5
from opwright.tile.compiler.barriers import barriers_of
from opwright.tile.compiler.candidates import candidates
from opwright.tile.compiler.conflicts import Conflicts
from opwright.tile.compiler.ids import Ids
from opwright.tile.compiler.model import Model
from opwright.tile.compiler.operations import SCALAR
from opwright.tile.compiler.schedule import Flag, Node, Pair, Step, Synchronisation
from opwright.tile.compiler.search import Search


def synchronised(tree: list[Node], soc: str, between_cores: Sequence[tuple[Step, Step]] = ()) -> Synchronisation:
    """What to write between the calls of a kernel for a SoC.

    between_cores: a store that other cores answer, and the load that waits for the answer.
    """
    conflicts = Conflicts(tree)
    model = Model(conflicts, in_order(soc), _answers(conflicts, between_cores, soc))
    chosen = _flags(model, early=False)
    if chosen.added:
        chosen = min((chosen, _flags(model, early=True)), key=lambda ids: ids.cost)
    flags = chosen.assigned()
    others = chosen.search.barriers
    return Synchronisation(tuple(flags), (*others, *barriers_of(model, flags, others)), tuple(chosen.notes))


def _flags(model: Model, *, early: bool) -> Ids:
    """The flags of a tree.

    early: arms and loops hand on flags before any flag is deleted. That keeps flags in arms, where they are never set
    in vain; else they stand outside more often, and fewer are needed.
    """
    search = Search(model, candidates(model.conflicts))
    if early:
        search.hand_on()
    search.delete(ids=False)
    search.merge()
    search.hand_on()
    ids = Ids(search)
    ids.make_safe()
    ids.make_few()
    return ids


def _answers(conflicts: Conflicts, between_cores: Sequence[tuple[Step, Step]], soc: str) -> list[Flag]:
    """The order that messages between cores give, as flags that are not written.

    On 2201 a wait for another core stops the scalar unit, and with it every pipe.
    """
    found = []
    for store, load in between_cores:
        (body, behind), (other, before) = conflicts.positions[store], conflicts.positions[load]
        if body is other:
            destination = load.pipe if soc in A5 else SCALAR
            found.append(Flag(store.pipe, destination, (Pair(store, load),), 0, primed=before < behind))
    return found


def in_order(soc: str) -> frozenset[str]:
    """The pipes of which a call waits for the one ahead of it. Products that need a barrier have it from `cube.py`."""
    return frozenset({"S", "M", "V"} if soc in A5 else {"S", "M"})
