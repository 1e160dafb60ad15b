"""Every legal schedule of a small program on one core, listed without the engine.

A program is a list of steps in program order. An access has a start and an end of its own. `verdict` walks all states
that some schedule reaches and tells which pairs of accesses come in either order, and whether anything stalls.
"""

from __future__ import annotations

from dataclasses import dataclass

S, V, MTE2, MTE3, ALL = 0, 1, 4, 5, 6


@dataclass(frozen=True)
class Access:
    """Work of a pipe: ranges of (begin, end, written)."""

    pipe: int
    ranges: tuple[tuple[int, int, bool], ...]


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


Step = Access | Set | Wait | Barrier


def queue_of(step: Step) -> int:
    """The pipe in whose queue a step waits for its turn."""
    match step:
        case Access(pipe=pipe) | Barrier(pipe=pipe):
            return S if pipe == ALL else pipe
        case Set(source=pipe) | Wait(destination=pipe):
            return pipe
    raise AssertionError


def conflict(a: Access, b: Access) -> bool:
    return any(x[0] < y[1] and y[0] < x[1] and (x[2] or y[2]) for x in a.ranges for y in b.ranges)


@dataclass(frozen=True)
class Verdict:
    races: frozenset[tuple[int, int]]
    stalls: bool


def verdict(program: list[Step], vector_in_order: bool, scalar_in_order: bool) -> Verdict:
    """Walks every reachable state. A state: how many steps are issued, which have begun, which have ended."""
    count = len(program)
    queues: dict[int, list[int]] = {}
    for number, step in enumerate(program):
        queues.setdefault(queue_of(step), []).append(number)
    before = {number: queue[:place] for queue in queues.values() for place, number in enumerate(queue)}
    pairs = [
        (i, j)
        for j in range(count)
        for i in range(j)
        if isinstance(program[i], Access) and isinstance(program[j], Access) and conflict(program[i], program[j])
    ]
    flags: dict[tuple[int, int, int], tuple[list[int], list[int]]] = {}
    for number, step in enumerate(program):
        if isinstance(step, (Set, Wait)):
            sets, waits = flags.setdefault((step.source, step.destination, step.id), ([], []))
            (sets if isinstance(step, Set) else waits).append(number)

    def awaited(j: int) -> list[int]:
        """The accesses that the chip or the toolchain lets j wait for."""
        found = set()
        for i in range(j):
            if not isinstance(program[i], Access):
                continue
            a, b = program[i].pipe, program[j].pipe
            if a == b and (a == S or (a == V and vector_in_order)):
                found.add(i)
            elif a != b and scalar_in_order and S in (a, b) and conflict(program[i], program[j]):
                # The toolchain does it with a flag, which comes after all earlier work of its pipe.
                found |= {k for k in range(i + 1) if isinstance(program[k], Access) and program[k].pipe == a}
        return sorted(found)

    waited = {number: awaited(number) for number, step in enumerate(program) if isinstance(step, Access)}

    def may_begin(number: int, issued: int, begun: int, ended: int) -> bool:
        step = program[number]
        if number >= issued or begun >> number & 1:
            return False
        # A set does not hold its own pipe up.
        if any(not begun >> i & 1 for i in before[number] if not isinstance(program[i], Set)):
            return False
        match step:
            case Access():
                return all(ended >> i & 1 for i in waited[number])
            case Set():
                return all(ended >> i & 1 for i in before[number] if isinstance(program[i], Access))
            case Wait():
                sets, waits = flags[step.source, step.destination, step.id]
                place = waits.index(number)
                return place < len(sets) and bool(begun >> sets[place] & 1)
            case Barrier(pipe=pipe):
                others = range(number) if pipe == ALL else before[number]
                if pipe == ALL and any(not begun >> i & 1 for i in others):
                    return False
                return all(ended >> i & 1 for i in others if isinstance(program[i], Access))

    def may_issue(issued: int, begun: int) -> bool:
        """The scalar unit issues in program order, and stands still while its own queue does."""
        own = [i for i in queues.get(S, []) if i < issued and not isinstance(program[i], Set)]
        return issued < count and all(begun >> i & 1 for i in own)

    late: dict[tuple[int, int], set[int]] = {pair: set() for pair in pairs}  # which one began before the other ended
    stalls = False
    seen: set[tuple[int, int, int]] = set()
    todo = [(0, 0, 0)]
    while todo:
        state = todo.pop()
        if state in seen:
            continue
        seen.add(state)
        issued, begun, ended = state
        moves = []
        if may_issue(issued, begun):
            moves.append((issued + 1, begun, ended))
        for number in range(issued):
            bit = 1 << number
            if may_begin(number, issued, begun, ended):
                is_access = isinstance(program[number], Access)
                if is_access:
                    for i, j in pairs:
                        other = i if number == j else j if number == i else None
                        if other is not None and not ended >> other & 1:
                            late[i, j].add(number)
                moves.append((issued, begun | bit, ended if is_access else ended | bit))
            elif begun & bit and not ended & bit:
                moves.append((issued, begun, ended | bit))
        if not moves and (issued < count or begun != (1 << count) - 1):
            stalls = True
        todo += moves
    races = {pair for pair, first in late.items() if len(first) == 2}
    return Verdict(frozenset(races), stalls)
