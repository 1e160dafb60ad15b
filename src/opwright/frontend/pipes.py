"""What a kernel places by hand beside its TPipe.

In: the TPipes that Python makes, the tensors placed by hand and the calls of helpers, as they are lowered. Out:
`Pipes`, which refuses a tensor that is placed by hand in a memory that a TPipe of the same core hands out: the pipe
does not know of it.
"""

from __future__ import annotations

from dataclasses import dataclass

from opwright.ascendc.kernel_types import owner_of
from opwright.errors import Location, MixedPlacement


@dataclass(frozen=True)
class Spot:
    """A place of a kernel: the number of its function, and the kinds of cores that come to it from there."""

    function: int
    kinds: frozenset[str]


class Pipes:
    """Notes of one compilation."""

    def __init__(self) -> None:
        self.made: list[Spot] = []  # where Python makes one
        self.placed: list[tuple[Spot, MixedPlacement]] = []  # by hand: what is wrong with it if there is a TPipe
        self.called: dict[int, list[Spot]] = {}  # number of a helper -> where it is called

    def note_made(self, spot: Spot) -> None:
        """Notes a TPipe."""
        self.made.append(spot)

    def note_placed(self, name: str, memory: str, spot: Spot, at: Location) -> None:
        """Notes a tensor that is placed by hand."""
        # Of another core's memory, which ascend950 can name, the pipe of this one hands out nothing.
        own = Spot(spot.function, spot.kinds & {owner_of(memory)})
        self.placed.append((own, MixedPlacement(at, call=name, memory=memory)))

    def note_call(self, helper: int, spot: Spot) -> None:
        """Notes where a helper is called."""
        self.called.setdefault(helper, []).append(spot)

    def check(self) -> None:
        """Refuses tensors placed by hand if the same core makes a TPipe."""
        made = frozenset[str]().union(*map(self._kinds, self.made))
        for spot, mixed in self.placed:
            if made & self._kinds(spot):
                raise mixed

    def _kinds(self, spot: Spot) -> frozenset[str]:
        """The kinds of cores that come to a place: those of its branch that come to its function."""
        if not spot.function:
            return spot.kinds
        return spot.kinds & frozenset[str]().union(*map(self._kinds, self.called[spot.function]))
