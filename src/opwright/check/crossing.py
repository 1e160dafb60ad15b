"""Which set of a flag between cores serves which wait, in a recording.

In: what the cores did, each in the order of its program. Out: pairs of places, from a set to a wait. A wait is served
by the sets of the same round: in mode 2 by those of all AIVs, or that of the AIC; in mode 1 by those of both AIVs; in
mode 4 by that of the other core. Mode 0 has as many pairs as cores times cores, and is left out.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from opwright.check.events import Event

_OF_AIV_1 = 16  # added to the flags of AIV 1 on its AIC, in mode 4


def crossings(events: Sequence[Event]) -> list[tuple[int, int]]:
    """From each set to the waits that it serves."""
    first = _first_lanes(events)
    sets: defaultdict[tuple[object, ...], defaultdict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for place, event in enumerate(events):
        if event.kind == "cross_set" and event.mode:
            sets[_key(event, first, is_set=True)][event.lane].append(place)
    rounds: Counter[tuple[object, ...]] = Counter()
    found = []
    for place, event in enumerate(events):
        if event.kind != "cross_wait" or not event.mode:
            continue
        key = _key(event, first, is_set=False)
        round_ = rounds[event.lane, key]
        rounds[event.lane, key] += 1
        found += [(own[round_], place) for own in sets[key].values() if round_ < len(own)]
    return found


def _first_lanes(events: Sequence[Event]) -> dict[int, int]:
    """Of each group its first AIV."""
    first: dict[int, int] = {}
    for event in events:
        if event.core_kind != "AIC":
            first[event.group] = min(first.get(event.group, event.lane), event.lane)
    return first


def _key(event: Event, first: dict[int, int], is_set: bool) -> tuple[object, ...]:
    """The same for a set and the waits that count it."""
    from_aic = (event.core_kind == "AIC") == is_set
    number = event.id
    if event.mode == 4 and event.core_kind == "AIV":
        number += _OF_AIV_1 * (event.lane - first[event.group])
    return event.group, event.mode, event.mode != 1 and from_aic, number
