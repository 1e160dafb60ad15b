"""What a kernel says of its TPipe: that it makes one, the calls that need it, and the tensors placed past it.

In: every call as it is lowered, and C++ of the author's. Out: `Pipes`, which refuses two things. A call that asks
for the TPipe, or it for room or event ids, in a kernel that makes none: on the chip it would follow a pointer that
points nowhere. And a tensor that is placed by hand in a memory that a TPipe of the same core hands out: the pipe does
not know of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from opwright.ascendc.kernel_types import owner_of
from opwright.ascendc.row import Form, Row
from opwright.ascendc.socs import Soc
from opwright.errors import Location, MixedPlacement, NeedsPipe

PIPE = "TPipe"
# C++ of the author's is not read, only searched: what it seems to make may serve calls, and refuses nothing.
MAKES_PIPE = re.compile(r"\bTPipe\s+\w")
_MAKE_ONE = "make a TPipe, and take tensors from its buffers: asc.TBuf, pipe.init_buffer, buffer.get"
BY_HAND = ("LocalTensor", "LocalMemAllocator.alloc")


@dataclass(frozen=True)
class Spot:
    """A place of a kernel: the number of its function, and the kinds of cores that come to it from there."""

    function: int
    kinds: frozenset[str]


class Pipes:
    """Notes of one compilation."""

    def __init__(self, soc: Soc) -> None:
        self.soc = soc
        self.is_made = False
        self.needed: NeedsPipe | None = None  # by the first call that needs one
        self.made: list[Spot] = []  # where Python makes one
        self.placed: list[tuple[Spot, MixedPlacement]] = []  # by hand: what is wrong with it if there is a TPipe
        self.called: dict[int, list[Spot]] = {}  # number of a helper -> where it is called

    def note(self, row: Row, form: Form, name: str, at: Callable[[], Location]) -> None:
        """Notes a call, `name` in messages."""
        instead = form.needs_tpipe.get(self.soc.name)
        if instead is not None and self.needed is None:
            way_out = f"{instead}; or {_MAKE_ONE}" if instead else _MAKE_ONE
            self.needed = NeedsPipe(at(), call=name, soc=self.soc.name, way_out=way_out)

    def note_made(self, spot: Spot) -> None:
        """Notes a TPipe."""
        self.is_made = True
        self.made.append(spot)

    def note_placed(self, name: str, memory: str, spot: Spot, at: Location) -> None:
        """Notes a tensor that is placed by hand."""
        # Of another core's memory, which ascend950 can name, the pipe of this one hands out nothing.
        own = Spot(spot.function, spot.kinds & {owner_of(memory)})
        self.placed.append((own, MixedPlacement(at, call=name, memory=memory)))

    def note_text(self, code: str) -> None:
        """Notes C++ of the author's."""
        self.is_made |= bool(MAKES_PIPE.search(code))

    def note_call(self, helper: int, spot: Spot) -> None:
        """Notes where a helper is called."""
        self.called.setdefault(helper, []).append(spot)

    def check(self) -> None:
        """Refuses a call that needs a TPipe if nothing makes one, and tensors placed by hand if the same core does."""
        if self.needed and not self.is_made:
            raise self.needed
        made = frozenset[str]().union(*map(self._kinds, self.made))
        for spot, mixed in self.placed:
            if made & self._kinds(spot):
                raise mixed

    def _kinds(self, spot: Spot) -> frozenset[str]:
        """The kinds of cores that come to a place: those of its branch that come to its function."""
        if not spot.function:
            return spot.kinds
        return spot.kinds & frozenset[str]().union(*map(self._kinds, self.called[spot.function]))
