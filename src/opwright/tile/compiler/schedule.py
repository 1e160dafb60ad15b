"""The schedule tree: the calls of a kernel in program order, the bytes that they touch, and the flags between them.

In: placement builds the tree, a list of nodes. Out: `sync.synchronised` gives the flags and barriers that it needs.
Nothing here knows IR: `payload` is whatever the maker of the tree needs to write the node.

**Slots.** A ring is a buffer with several slots. A counter, `Slots`, says which slot is in use: it is 0 at the start of
the kernel, and moves on by one (modulo its count) at the end of each iteration of every loop that names it in
`advances`. It is never reset: the first iteration of an inner loop goes on where the last one of the iteration before
stopped, and so do loops in a row that name the same counter and thereby share their rings. An access with a ring stands
in such a loop, at any depth. Loops that name one counter are not nested in each other.

**Order at one place.** Behind a node: its sets. Before a node: its waits, then its barriers. Sets behind a node come
before waits before the next one. Behind and before a loop or branch is outside of it. In a loop the counters move on
behind everything else.

**Start and end.** A primed flag is set once for each id, by its source pipe, before the first node of the kernel, and
waited for once for each id, by its destination pipe, behind the last one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

ALL_PIPES = "ALL"


@dataclass(eq=False)
class Slots:
    """A counter that says which slot of a ring is in use."""

    count: int


@dataclass(frozen=True)
class Ring:
    """Where the slots lie: slot k is `pitch` bytes behind slot k - 1."""

    slots: Slots
    pitch: int


@dataclass(eq=False)
class Region:
    """Elements of a tensor in global memory that move with loops.

    Two accesses of one region touch no common element if the iteration of one of `loops` differs between them.
    """

    loops: tuple[Loop, ...]


@dataclass(frozen=True)
class Access:
    """Bytes [first, last) of an on-chip memory, of slot 0 if there is a ring; or a tensor in global memory ("GM").

    Accesses of one tensor meet, whatever elements they touch, with two exceptions: iterations of a parallel loop, and
    iterations of the loops of a region that both have. `atomic`: the operation of an atomic write; those of one
    operation may come in any order.
    """

    memory: str
    first: int = 0
    last: int = 0
    ring: Ring | None = None
    tensor: object = None
    region: Region | None = None
    atomic: str = ""


@dataclass(eq=False)
class Step:
    """One call, on one pipe: MTE2, V, MTE3 or S; of cube cores also MTE1, M or FIX."""

    pipe: str
    reads: tuple[Access, ...] = ()
    writes: tuple[Access, ...] = ()
    payload: object = None


@dataclass(eq=False)
class Loop:
    """Runs its body any number of times, also never; `parallel`: its iterations have no element in common.

    once: it has one iteration each time, and is a loop only so that its counters move on.
    """

    body: list[Node] = field(default_factory=list)
    advances: tuple[Slots, ...] = ()
    parallel: bool = False
    payload: object = None
    once: bool = False


@dataclass(eq=False)
class Branch:
    """Runs one of its arms; an `if` without `else` has an empty arm."""

    arms: list[list[Node]] = field(default_factory=list)
    payload: object = None


Node: TypeAlias = "Step | Loop | Branch"


@dataclass(frozen=True)
class Pair:
    """A place where a flag is set and one where it is waited for, both in the same list of nodes."""

    behind: Node
    before: Node


@dataclass(frozen=True)
class Flag:
    """A flag between two pipes.

    Its id is `first_id`, with `slots` the counter is added to it. A primed flag goes from an iteration to a later one.
    Several pairs: loops in a row, each hands the flag on to the next.
    """

    source: str
    destination: str
    pairs: tuple[Pair, ...]
    first_id: int
    slots: Slots | None = None
    primed: bool = False

    @property
    def ids(self) -> range:
        """Every id that the flag uses."""
        return range(self.first_id, self.first_id + (self.slots.count if self.slots else 1))


@dataclass(frozen=True)
class Barrier:
    """A barrier of one pipe, or of `ALL_PIPES`, before a node."""

    pipe: str
    before: Node


@dataclass(frozen=True)
class Synchronisation:
    """What to write between the calls; `notes`: what ids forced upon it, for the report."""

    flags: tuple[Flag, ...]
    barriers: tuple[Barrier, ...]
    notes: tuple[str, ...] = ()
