"""What a queue does, as flags: a model that knows neither the twin's queues nor its engine.

A call of a queue gives the steps that it stands for. Refuses, by an assertion, what a queue does not allow: the
programs of the tests misuse buffers, not queues.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from schedules import MTE2, MTE3, Set, Step, V, Wait

EVENT_IDS = 8


@dataclass
class EventIds:
    """The event ids of a core that are given out, for each pair of pipes."""

    given: dict[tuple[int, int], set[int]] = field(default_factory=dict)

    def give(self, source: int, destination: int) -> int:
        taken = self.given.setdefault((source, destination), set())
        lowest = min(set(range(EVENT_IDS)) - taken)
        taken.add(lowest)
        return lowest

    def take_back(self, flag: Set) -> Wait:
        self.given[flag.source, flag.destination].remove(flag.id)
        return Wait(flag.source, flag.destination, flag.id)


@dataclass
class Queue:
    """Buffers are known by their numbers. A buffer is free, made, ready (in the queue) or taken."""

    producer: int
    consumer: int
    buffers: int
    ids: EventIds
    states: list[str] = field(init=False)
    ready: list[int] = field(default_factory=list)  # in the order of the queue
    flags: dict[int, Set] = field(default_factory=dict)  # of each buffer, set and not waited for
    turn: int = 0

    def __post_init__(self) -> None:
        self.states = ["free"] * self.buffers

    def having(self, *states: str) -> list[int]:
        return [number for number, state in enumerate(self.states) if state in states]

    def alloc(self) -> tuple[int, list[Step]]:
        """The next free buffer in turn; waits until it was emptied the last time."""
        free = self.having("free")
        buffer = min(free, key=lambda number: (number - self.turn) % self.buffers)
        self.turn = (buffer + 1) % self.buffers
        self.states[buffer] = "made"
        flag = self.flags.pop(buffer, None)
        return buffer, [self.ids.take_back(flag)] if flag else []

    def enque(self, buffer: int) -> list[Step]:
        assert self.states[buffer] in ("made", "taken")
        self.states[buffer] = "ready"
        self.ready.append(buffer)
        return [self._set(buffer, self.producer, self.consumer)]

    def deque(self) -> tuple[int, list[Step]]:
        buffer = self.ready.pop(0)
        self.states[buffer] = "taken"
        return buffer, [self.ids.take_back(self.flags.pop(buffer))]

    def free(self, buffer: int) -> list[Step]:
        assert self.states[buffer] in ("made", "taken")
        self.states[buffer] = "free"
        return [self._set(buffer, self.consumer, self.producer)]

    def _set(self, buffer: int, source: int, destination: int) -> Set:
        self.flags[buffer] = Set(source, destination, self.ids.give(source, destination))
        return self.flags[buffer]


def vecin(ids: EventIds, buffers: int) -> Queue:
    return Queue(MTE2, V, buffers, ids)


def vecout(ids: EventIds, buffers: int) -> Queue:
    return Queue(V, MTE3, buffers, ids)
