"""What the calls of the interpreter mean to the oracle.

In: the lines of a core. Out: the steps that they stand for, and the class of error with which the twin refuses them in
program order, if it does: then the core stops there.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import interpreter as at
from interpreter import BLOCK, BUFFER_BLOCKS
from queue_model import EventIds, Queue, vecin, vecout
from schedules import ALL, GM, MTE2, MTE3, UB, Access, Barrier, S, Set, Step, SyncAll, Touch, V, Wait

from opwright.errors import DeadlockError, FlagError, OpwrightError, QueueError

Line = tuple[int, int, int, int]
EVENTS = (
    *((MTE2, V), (V, MTE2), (V, MTE3), (MTE3, V), (MTE2, MTE3), (MTE3, MTE2)),
    *((S, V), (V, S), (S, MTE2), (MTE2, S), (S, MTE3), (MTE3, S)),
)
BARRIERS = (ALL, V, MTE2, MTE3)
# The scalar unit reads the next line, which waits for its own last access and conflicts with nothing.
NEXT_LINE = Access(S, ())


class Refused(Exception):
    """The twin ends the core here, with an error of this class."""

    def __init__(self, error: type[OpwrightError]) -> None:
        self.error = error


def blocks(memory: int, begin: int, count: int, written: bool) -> Touch:
    return Touch(memory, begin * BLOCK, (begin + count) * BLOCK, written)


def element(memory: int, block: int, written: bool) -> Touch:
    return Touch(memory, block * BLOCK, block * BLOCK + 1, written)


@dataclass
class Held:
    """A queue with the two variables of the kernel that hold its tensors: numbers of buffers. Before they are set they
    are tensors at the begin of UB."""

    queue: Queue
    first: int  # block
    made: int | None = None
    taken: int | None = None

    def block_of(self, buffer: int | None) -> int:
        return 0 if buffer is None else self.first + buffer * BUFFER_BLOCKS

    def call(self, which: int) -> list[Step]:
        """Alloc, enque, deque or free."""
        queue = self.queue
        steps: list[Step] = []
        if which == 0:
            require(queue.having("free"), QueueError)
            self.made, steps = queue.alloc()
        elif which == 1:
            require(self.made in queue.having("made", "taken"), QueueError)
            steps = queue.enque(self.made or 0)
        elif which == 2:
            require(queue.ready, QueueError)
            self.taken, steps = queue.deque()
        else:
            require(self.taken in queue.having("made", "taken"), QueueError)
            steps = queue.free(self.taken or 0)
        return steps


def require(holds: object, error: type[OpwrightError]) -> None:
    if not holds:
        raise Refused(error)


@dataclass
class Translation:
    steps: list[Step] = field(default_factory=list)
    by_hand: list[int] = field(default_factory=list)  # sets that are no queue's, by their numbers
    error: type[OpwrightError] | None = None


@dataclass
class Core:
    """A core in program order."""

    flags: set[Set] = field(default_factory=set)
    ids: EventIds = field(default_factory=EventIds)

    def __post_init__(self) -> None:
        self.into = Held(vecin(self.ids, at.VECIN_BUFFERS), 0)
        self.out = Held(vecout(self.ids, at.VECOUT_BUFFERS), at.VECOUT_FIRST)

    def run(self, line: Line) -> list[Step]:
        steps = self.meaning(line)
        for step in steps:
            match step:
                case Set():
                    require(step not in self.flags, FlagError)
                    self.flags.add(step)
                case Wait(source, destination, number):
                    require(Set(source, destination, number) in self.flags, DeadlockError)
                    self.flags.remove(Set(source, destination, number))
        return steps

    def meaning(self, line: Line) -> list[Step]:
        call, a, b, count = line
        whole = BUFFER_BLOCKS
        match call:
            case at.COPY_IN:
                return [Access(MTE2, (blocks(GM, b, count, False), blocks(UB, a, count, True)))]
            case at.ADD:
                return [Access(V, (blocks(UB, b, count, False), blocks(UB, a, count, True)))]
            case at.COPY_OUT:
                return [Access(MTE3, (blocks(UB, b, count, False), blocks(GM, a, count, True)))]
            case at.READ_UB | at.WRITE_UB:
                return [Access(S, (element(UB, a, call == at.WRITE_UB),)), NEXT_LINE]
            case at.READ_GM | at.WRITE_GM:
                return [Access(S, (element(GM, a, call == at.WRITE_GM),)), NEXT_LINE]
            case at.SET:
                return [Set(*EVENTS[b], a)]
            case at.WAIT:
                return [Wait(*EVENTS[b], a)]
            case at.BARRIER:
                return [Barrier(BARRIERS[a])]
            case at.SYNC_ALL:
                return [SyncAll()]
            case at.IN_ALLOC | at.IN_ENQUE | at.IN_DEQUE | at.IN_FREE:
                return self.into.call(call - at.IN_ALLOC)
            case at.OUT_ALLOC | at.OUT_ENQUE | at.OUT_DEQUE | at.OUT_FREE:
                return self.out.call(call - at.OUT_ALLOC)
            case at.IN_FILL:
                made = self.into.block_of(self.into.made)
                return [Access(MTE2, (blocks(GM, b, whole, False), blocks(UB, made, whole, True)))]
            case at.IN_USE:
                taken = self.into.block_of(self.into.taken)
                return [Access(V, (blocks(UB, taken, whole, False), blocks(UB, a, whole, True)))]
            case at.OUT_FILL:
                made = self.out.block_of(self.out.made)
                return [Access(V, (blocks(UB, b, whole, False), blocks(UB, made, whole, True)))]
            case at.OUT_DRAIN:
                taken = self.out.block_of(self.out.taken)
                return [Access(MTE3, (blocks(UB, taken, whole, False), blocks(GM, a, whole, True)))]
        raise AssertionError(call)

    def left_set(self) -> set[Set]:
        """When the kernel ends, the pipe waits for the flags of freed buffers, and for no others."""
        freed = {held.queue.flags.get(i) for held in (self.into, self.out) for i in held.queue.having("free")}
        return self.flags - freed


def translate(lines: list[Line]) -> Translation:
    core, done = Core(), Translation()
    try:
        for line in lines:
            steps = core.run(line)
            done.by_hand += [len(done.steps)] * (line[0] == at.SET)
            done.steps += steps
        require(not core.left_set(), FlagError)
    except Refused as refused:
        done.error = refused.error
    return done
