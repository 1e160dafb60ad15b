"""What calls of the vector unit cost: the one place that forms are chosen by.

In: how a form does its work: calls, repeats, and calls that wait for the one before. Out: cycles, good enough to put
forms in order. The figures are public ones of the 2201 generation; the order of forms is the same for 3510.
"""

from __future__ import annotations

from dataclasses import dataclass

ISSUE = 4  # cycles until the scalar unit has issued a call with its addresses
_HEADS = {"copy": 24, "whole_reduce_sum": 46, "whole_reduce_max": 46, "whole_reduce_min": 46}  # until a result is there
_PER_REPEAT = {"copy": 1, "div": 4, "whole_reduce_sum": 3, "whole_reduce_max": 7, "whole_reduce_min": 7}
_HEAD, _OF_TWO = 28, 2  # of all others, which read two tiles at most


@dataclass(frozen=True)
class Work:
    """Calls of one name. waiting: those of them that read what the one before has written."""

    name: str
    calls: int
    repeats: int
    waiting: int = 0


def cycles(*works: Work) -> int:
    """What a form costs."""
    return sum(
        one.calls * ISSUE + one.repeats * _PER_REPEAT.get(one.name, _OF_TWO) + one.waiting * _HEADS.get(one.name, _HEAD)
        for one in works
    )
