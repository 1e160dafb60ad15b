"""Every legal schedule of a small program, listed without the engine.

A program is a list of steps for each core, in program order. An access has a start and an end of its own, and so has a
barrier over all cores: a core comes to it and leaves it. `verdict` walks all states that some schedule reaches and
tells which pairs of accesses come in either order, which flags may be set again too early, and which steps never end.
Steps are counted over all cores.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

S, V, MTE2, MTE3, ALL = 0, 1, 4, 5, 6
UB, GM = 0, 7


class Touch(NamedTuple):
    """Bytes of a memory that are read or written."""

    memory: int
    begin: int
    end: int
    written: bool


@dataclass(frozen=True)
class Access:
    """Work of a pipe."""

    pipe: int
    touches: tuple[Touch, ...]


@dataclass(frozen=True)
class Set:
    source: int
    destination: int
    id: int


@dataclass(frozen=True)
class Wait:
    source: int
    destination: int
    id: int


@dataclass(frozen=True)
class Barrier:
    pipe: int


@dataclass(frozen=True)
class CrossSet:
    """A flag between cores. Those of a program with such flags are a group: the first is its AIC, the others AIVs."""

    pipe: int
    mode: int
    id: int


@dataclass(frozen=True)
class CrossWait:
    """It holds the whole core."""

    mode: int
    id: int


@dataclass(frozen=True)
class SyncAll:
    """The barrier over all cores. The core first finishes what it has begun."""


Step = Access | Set | Wait | Barrier | CrossSet | CrossWait | SyncAll
Program = list[list[Step]]


@dataclass(frozen=True)
class Rules:
    vector_in_order: bool
    scalar_in_order: bool


@dataclass(frozen=True)
class Verdict:
    races: frozenset[tuple[int, int]]
    never: frozenset[int]  # steps that do not end in some schedule
    again: frozenset[int]  # sets that come before the wait for the set before them in some schedule


def queue_of(step: Step) -> int:
    """The pipe in whose queue a step waits for its turn."""
    match step:
        case Access(pipe=pipe) | Barrier(pipe=pipe):
            return S if pipe == ALL else pipe
        case Set(source=pipe) | Wait(destination=pipe) | CrossSet(pipe=pipe):
            return pipe
    return S


def meetings(a: Access, b: Access, same_core: bool) -> list[tuple[Touch, Touch]]:
    """The touches of two accesses that conflict. Cores share global memory only."""
    return [
        (x, y)
        for x in a.touches
        for y in b.touches
        if x.memory == y.memory
        and (same_core or x.memory == GM)
        and x.begin < y.end
        and y.begin < x.end
        and (x.written or y.written)
    ]


class Numbered:
    """The steps of all cores in one list, and what each of them waits for."""

    def __init__(self, program: Program, rules: Rules) -> None:
        self.rules = rules
        self.steps = [step for steps in program for step in steps]
        self.cores = [core for core, steps in enumerate(program) for _ in steps]
        self.core_count = len(program)

    def before(self, number: int) -> list[int]:
        """The steps that the same core issues earlier."""
        return [i for i in range(number) if self.cores[i] == self.cores[number]]

    def ahead(self, number: int) -> list[int]:
        """Those of them that are in the same queue."""
        own = queue_of(self.steps[number])
        return [i for i in self.before(number) if queue_of(self.steps[i]) == own]

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Accesses to the same bytes, at least one of them a write."""
        accesses = [(number, step) for number, step in enumerate(self.steps) if isinstance(step, Access)]
        return [
            (i, j) for j, b in accesses for i, a in accesses if i < j and meetings(a, b, self.cores[i] == self.cores[j])
        ]

    def accesses(self, numbers: list[int]) -> set[int]:
        return {i for i in numbers if isinstance(self.steps[i], Access)}

    def awaited(self, number: int) -> set[int]:
        """The accesses that the chip or the toolchain lets an access wait for."""
        found: set[int] = set()
        for i in self.accesses(self.before(number)):
            a, b = queue_of(self.steps[i]), queue_of(self.steps[number])
            if a == b and (a == S or (a == V and self.rules.vector_in_order)):
                found.add(i)
            elif a != b and self.rules.scalar_in_order and S in (a, b) and (i, number) in self.pairs:
                # The toolchain does it with a flag, which comes after all earlier work of its pipe.
                found |= {i, *self.accesses(self.ahead(i))}
        return found

    def served_by(self, wait: int) -> int | None:
        """The set that a wait takes: that of the same turn."""
        flag = self.steps[wait]
        assert isinstance(flag, Wait)
        turn = sum(self.steps[i] == flag for i in self.before(wait))
        given = Set(flag.source, flag.destination, flag.id)
        sets = [i for i, step in enumerate(self.steps) if step == given and self.cores[i] == self.cores[wait]]
        return sets[turn] if turn < len(sets) else None

    def waited_before(self, number: int) -> int | None:
        """The wait that a set comes after: that for the set of the turn before."""
        flag = self.steps[number]
        assert isinstance(flag, Set)
        turn = sum(self.steps[i] == flag for i in self.before(number))
        taken = Wait(flag.source, flag.destination, flag.id)
        waits = [i for i, step in enumerate(self.steps) if step == taken and self.cores[i] == self.cores[number]]
        return waits[turn - 1] if 0 < turn <= len(waits) else None

    def crossed_by(self, wait: int) -> list[int] | None:
        """The sets of other cores, or of this one too, that a wait takes: those of the same turn."""
        flag = self.steps[wait]
        assert isinstance(flag, CrossWait)
        turn = sum(self.steps[i] == flag for i in self.before(wait))
        aivs = list(range(1, self.core_count))
        partners = [0] if flag.mode == 2 and self.cores[wait] != 0 else aivs
        found = []
        for core in partners:
            sets = [
                i
                for i, step in enumerate(self.steps)
                if isinstance(step, CrossSet) and (step.mode, step.id) == (flag.mode, flag.id) and self.cores[i] == core
            ]
            if len(sets) <= turn:
                return None
            found.append(sets[turn])
        return found

    def meeting(self, number: int) -> list[int] | None:
        """The barriers over all cores that open together; none if a core never comes."""
        turn = sum(isinstance(self.steps[i], SyncAll) for i in self.before(number))
        found = []
        for core in range(self.core_count):
            own = [i for i, step in enumerate(self.steps) if isinstance(step, SyncAll) and self.cores[i] == core]
            if len(own) <= turn:
                return None
            found.append(own[turn])
        return found

    def needs(self, number: int) -> tuple[set[int], set[int]] | None:
        """What must have begun, and what must have ended, before a step begins; none if it never does."""
        step, before, ahead = self.steps[number], self.before(number), self.ahead(number)
        # The scalar unit issues in program order, and stands still while its own queue does. A pipe begins its work in
        # order. A set holds neither of them up.
        own = [i for i in before if queue_of(self.steps[i]) == S] + ahead
        begun = {i for i in own if not isinstance(self.steps[i], (Set, CrossSet))}
        ended = {i for i in before if isinstance(self.steps[i], SyncAll)}
        match step:
            case Access():
                ended |= self.awaited(number)
            case Set() | CrossSet():
                ended |= self.accesses(ahead)
            case CrossWait():
                crossed_by = self.crossed_by(number)
                if crossed_by is None:
                    return None
                begun |= set(crossed_by)
            case Wait():
                served_by = self.served_by(number)
                if served_by is None:
                    return None
                begun.add(served_by)
            case Barrier(pipe=pipe) if pipe != ALL:
                ended |= self.accesses(ahead)
            case Barrier() | SyncAll():
                begun |= set(before)
                ended |= self.accesses(before)
        return begun, ended


class Move(NamedTuple):
    """A step begins or ends. A state has two bits for each step."""

    number: int
    needed: int
    done: int
    begins: bool


def moves(numbered: Numbered) -> list[Move]:
    count = len(numbered.steps)
    found = []
    for number, step in enumerate(numbered.steps):
        needs = numbered.needs(number)
        if needs is None:
            continue
        begun, ended = needs
        needed = sum(1 << i for i in begun) | sum(1 << count + i for i in ended)
        begin, end = 1 << number, 1 << count + number
        if isinstance(step, Access):
            found += [Move(number, needed, begin, True), Move(number, begin, end, False)]
        elif isinstance(step, SyncAll):
            found.append(Move(number, needed, begin, True))
            met = numbered.meeting(number)
            if met is not None:
                found.append(Move(number, sum(1 << i for i in met), end, False))
        else:
            found.append(Move(number, needed, begin | end, True))
    return found


def verdict(program: Program, rules: Rules) -> Verdict:
    """Walks every reachable state. When a step is issued is no part of it: that a step is issued late and that it
    begins late is the same to all others."""
    numbered = Numbered(program, rules)
    count = len(numbered.steps)
    partners = [0] * count  # the ends of the accesses that conflict with this one
    for i, j in numbered.pairs:
        partners[i] |= 1 << count + j
        partners[j] |= 1 << count + i
    waits = [numbered.waited_before(i) if isinstance(step, Set) else None for i, step in enumerate(numbered.steps)]
    again = set()
    late = [0] * count  # those of them that this one may begin before
    every = moves(numbered)
    whole = (1 << 2 * count) - 1
    missing = 0
    seen = {0}
    todo = [0]
    while todo:
        state = todo.pop()
        is_end = True
        for number, needed, done, begins in every:
            if state & done or state & needed != needed:
                continue
            is_end = False
            if begins:
                late[number] |= partners[number] & ~state
                wait = waits[number]
                if wait is not None and not state >> wait & 1:
                    again.add(number)
            after = state | done
            if after not in seen:
                seen.add(after)
                todo.append(after)
        if is_end:
            missing |= whole & ~state
    races = {(i, j) for i, j in numbered.pairs if late[i] >> count + j & 1 and late[j] >> count + i & 1}
    never = frozenset(i for i in range(count) if missing >> count + i & 1)
    return Verdict(frozenset(races), never, frozenset(again))
