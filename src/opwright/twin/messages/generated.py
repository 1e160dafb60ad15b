"""Hints for findings in a kernel that was made of one over tiles, whose author sets no flags and chooses no addresses.

In: an `Incident` in a generated line. Out: a hint for the author of the tiles; None where the usual one is right.
"""

from __future__ import annotations

from opwright.errors import (
    DeadlockError,
    FlagError,
    FlagSetAgain,
    QueueError,
    RaceError,
    RuleError,
    StateError,
    UninitialisedRead,
)
from opwright.twin.incident import Incident, memory_name

_SAME_ELEMENTS = (
    "two iterations of tile.parallel touch the same elements: give each iteration elements of its own, or make two "
    "kernels of it"
)
_OURS = (
    "flags, barriers and addresses of this kernel are made by Opwright, so this is a fault of Opwright: please report "
    "it with the text that the kernel's lower(...) prints"
)
# What an author of tiles cannot cause on chip.
_ON_CHIP = (DeadlockError, FlagError, FlagSetAgain, QueueError, RaceError, RuleError, StateError, UninitialisedRead)


def hint_for_tiles(one: Incident) -> str | None:
    """The hint for an author of tiles."""
    if one.kernel.source.author is None or one.at is None or one.at.origin is None:
        return None
    if "memory" in one.details and memory_name(one["memory"]) == "GM":
        return _SAME_ELEMENTS if one.fault.error is RaceError else None
    return _OURS if issubclass(one.fault.error, _ON_CHIP) else None
