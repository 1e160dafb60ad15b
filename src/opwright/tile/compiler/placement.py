"""Addresses of buffers in the memories of a core.

In: the buffers of a kernel, its loops and how much of each memory there is. Out: `Placement`: a ring or a single slot
for each buffer, with its address. Refuses a kernel that does not fit with `TileTooLarge`, which names the memory and
the tiles in use at the fullest line.

A buffer that a copy from or to another memory touches becomes a ring: it has a slot for each stage of the innermost
loop over spans that holds everything that touches it. Loops in a row with equal stages share a counter of slots, and
rings of equal size and role share their bytes. Then the largest comes first, each at the lowest address where nothing
lies that is in use at the same time.

Steps until all of a memory fits: rings lie apart from all else; they share bytes with what is in use in other loops
only; what is stored has one slot. In a kernel on both kinds of cores, which wait for each other in any case, what is
loaded has one slot, too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from opwright.errors import TileTooLarge
from opwright.ir import Operation
from opwright.ir.calls import CallOp
from opwright.ir.tile import LoopOp
from opwright.tile.compiler.buffers import UB, Buffer, Buffers
from opwright.tile.compiler.lives import Lives, accesses_of, lives_of
from opwright.tile.compiler.schedule import Slots

LOADED, STORED = "loaded", "stored"
_LOADS, _STORES = {"PIPE_MTE2", "PIPE_MTE1"}, {"PIPE_MTE3", "PIPE_FIX"}
# What is given up, step by step, and the roles that have rings then.
_STEPS = (
    ("", (LOADED, STORED)),
    ("rings share bytes with what other loops use", (LOADED, STORED)),
    ("what is stored has one slot", (LOADED,)),
    ("what is loaded and stored has one slot", ()),
)


@dataclass(eq=False)
class Home:
    """Bytes for buffers that share an address. `loops`: those whose iterations rotate its slots; none for one slot."""

    buffers: list[Buffer]
    role: str
    slots: Slots | None = None
    loops: list[LoopOp] = field(default_factory=list)
    address: int = -1

    @property
    def memory(self) -> str:
        """Where it lies."""
        return self.buffers[0].memory

    @property
    def pitch(self) -> int:
        """Bytes of a slot."""
        return max(buffer.bytes for buffer in self.buffers)

    @property
    def count(self) -> int:
        """How many slots there are."""
        return self.slots.count if self.slots else 1

    @property
    def bytes(self) -> int:
        """Bytes of all slots."""
        return self.pitch * self.count


@dataclass
class Placement:
    """Where everything lies. `note`: what had to be given up so that it fits."""

    homes: list[Home] = field(default_factory=list)
    used: dict[str, int] = field(default_factory=dict)  # bytes of each memory
    bounds: dict[str, int] = field(default_factory=dict)  # in use at the fullest line, with all slots of rings
    note: str = ""

    @property
    def bytes(self) -> int:
        """Of all memories."""
        return sum(self.used.values())

    @property
    def bound(self) -> int:
        """Of all memories."""
        return sum(self.bounds.values())

    def home(self, buffer: Buffer) -> Home:
        """Where a buffer lies."""
        return next(home for home in self.homes if buffer in home.buffers)


@dataclass
class _Uses:
    """What touches a buffer."""

    operations: list[Operation] = field(default_factory=list)
    pipes: set[str] = field(default_factory=set)


def place(buffers: Buffers, usable: Callable[[str], int], full_rings: bool = False) -> Placement:
    """Places all buffers of a kernel; with `full_rings` so that nothing has to wait for want of space.

    usable: how many bytes a memory has.
    """
    lives = lives_of(buffers)
    uses = _uses(buffers)
    found = Placement()
    counters: dict[tuple[object, int], Slots] = {}
    memories = list(dict.fromkeys(buffer.memory for buffer, used in uses.items() if used.operations))
    for memory in memories or [UB]:
        own = {buffer: used for buffer, used in uses.items() if buffer.memory == memory and used.operations}
        _place(memory, buffers, own, lives, counters, found, usable(memory), full_rings)
    return found


def _place(
    memory: str,
    buffers: Buffers,
    uses: dict[Buffer, _Uses],
    lives: Lives,
    counters: dict[tuple[object, int], Slots],
    found: Placement,
    available: int,
    full_rings: bool,
) -> None:
    """Places the buffers of one memory."""
    steps = _STEPS if buffers.messaged else _STEPS[:-1]
    for note, roles in steps[:1] if full_rings else steps:
        homes = _homes(uses, counters, roles)
        needed = _fit(homes, lives, uses, are_apart=not note)
        if needed <= available:
            found.homes += homes
            found.used[memory], found.bounds[memory] = needed, _bound(homes, lives)
            notes = [found.note, f"{memory}: {note}" if note and memory != UB else note]
            found.note = "; ".join(filter(None, notes))
            return
    _refuse(buffers, lives, homes, needed, available)


def _uses(buffers: Buffers) -> dict[Buffer, _Uses]:
    """What touches each buffer; where calls order themselves, only if nothing else does."""
    found = {buffer: _Uses() for buffer in buffers.by_tensor.values()}
    calls = [operation for operation in buffers.kernel.walk() if isinstance(operation, CallOp)]
    last = {call for branch in buffers.ordered for call in branch.walk()}
    for operation in sorted(calls, key=lambda call: call in last):
        for buffer, _ in accesses_of(operation, buffers):
            if operation not in last or not found[buffer].operations:
                found[buffer].operations.append(operation)
                found[buffer].pipes.add(operation.chosen.pipe)
    return found


def loops_around(operation: Operation) -> list[LoopOp]:
    """The loops over spans around an operation, outermost first."""
    loops: list[LoopOp] = []
    above = operation.parent_op()
    while above is not None:
        if isinstance(above, LoopOp):
            loops.append(above)
        above = above.parent_op()
    return loops[::-1]


def _loop_of(uses: _Uses) -> LoopOp | None:
    """The innermost loop that holds all uses."""
    common = None
    for level in zip(*(loops_around(one) for one in uses.operations), strict=False):
        if any(loop is not level[0] for loop in level):
            break
        common = level[0]
    return common


def _homes(uses: dict[Buffer, _Uses], counters: dict[tuple[object, int], Slots], roles: Collection[str]) -> list[Home]:
    """One for each buffer; rings of loops in a row share one. roles: which ones have rings."""
    homes: list[Home] = []
    for buffer, used in uses.items():
        role = LOADED if used.pipes & _LOADS else STORED if used.pipes & _STORES else ""
        home = Home([buffer], role)
        loop = _loop_of(used)
        stages = loop.stages.data if loop is not None else 1
        if loop is not None and role in roles and stages > 1:
            home.slots = counters.setdefault((loop.parent, stages), Slots(stages))
            home.loops.append(loop)
            twin = next((one for one in homes if _may_share(one, home)), None)
            if twin is not None:
                twin.buffers.append(buffer)
                twin.loops.append(loop)
                continue
        homes.append(home)
    return homes


def _may_share(first: Home, second: Home) -> bool:
    """Whether rings of two loops in a row may be one."""
    is_alike = (first.role, first.pitch, first.slots) == (second.role, second.pitch, second.slots)
    return is_alike and second.loops[0] not in first.loops


def _fit(homes: list[Home], lives: Lives, uses: dict[Buffer, _Uses], are_apart: bool) -> int:
    """Gives every home an address; how many bytes that takes."""
    placed: list[Home] = []
    for home in sorted(homes, key=lambda one: -one.bytes):
        around = sorted(
            (other for other in placed if _meet(home, other, lives, uses, are_apart)), key=lambda one: one.address
        )
        home.address = 0
        for other in around:
            if home.address + home.bytes <= other.address:
                break
            home.address = max(home.address, other.address + other.bytes)
        placed.append(home)
    return max((home.address + home.bytes for home in homes), default=0)


def _meet(first: Home, second: Home, lives: Lives, uses: dict[Buffer, _Uses], are_apart: bool) -> bool:
    """Whether two homes must not share bytes."""
    if are_apart and (first.role or second.role):
        return True
    for one, other in ((first, second), (second, first)):
        for loop in one.loops:
            if any(loop.is_ancestor(use) for buffer in other.buffers for use in uses[buffer].operations):
                return True
    others = sum(1 << lives.number[buffer] for buffer in second.buffers)
    return any((lives.clash[buffer] | lives.over[buffer]) & others for buffer in first.buffers) or any(
        lives.over[buffer] >> lives.number[other] & 1 for buffer in second.buffers for other in first.buffers
    )


def _bound(homes: list[Home], lives: Lives) -> int:
    """The bytes in use at the fullest operation, with all slots of rings, which live as long as their loops."""
    return max((sum(home.bytes for home in _at(operation, homes, lives)) for operation in lives.at), default=0)


def _at(operation: Operation, homes: list[Home], lives: Lives) -> list[Home]:
    """The homes in use at an operation."""
    bits = lives.at[operation]
    return [
        home
        for home in homes
        if any(bits >> lives.number[buffer] & 1 for buffer in home.buffers)
        or any(loop.is_ancestor(operation) for loop in home.loops)
    ]


def _refuse(buffers: Buffers, lives: Lives, homes: list[Home], needed: int, available: int) -> None:
    """Names what is in use at the fullest line."""
    fullest = max(lives.at, key=lambda one: sum(home.bytes for home in _at(one, homes, lives)))
    used = sorted(_at(fullest, homes, lives), key=lambda one: -one.bytes)
    first = buffers.site.source.first_line
    lines = []
    for home in used:
        buffer = home.buffers[0]
        line = first - 1 + int(buffer.mark.partition(":")[0] or 1)
        slots = f"{home.count} x " if home.count > 1 else ""
        lines.append(f"  {buffer.name} (line {line}): {slots}{home.pitch} bytes of {buffer.dtype}")
    buffers.site.move_before(fullest)
    raise TileTooLarge(
        buffers.site.at,
        needed=needed,
        memory=homes[0].memory,
        available=available,
        soc=buffers.site.soc.name,
        tiles="\n".join(lines),
        hint="",
    )
