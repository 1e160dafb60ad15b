"""The engine of the checked twin against every legal schedule of small programs: no race missed, no false alarm.

`schedules.py` lists the schedules without knowing the engine. A race is told once for the later of two accesses: where
several earlier ones are in its way, the newest is named. So what must agree is: whether there is a race, that every
pair that is told is one, and whether anything stalls.
"""

import ctypes
import random

import pytest
from schedules import ALL, MTE2, MTE3, Access, Barrier, S, Set, Step, V, Wait, verdict

from opwright.runtime.cache import Store
from opwright.settings import settings
from opwright.twin.load import library
from opwright.twin.toolchain import toolchain

PROGRAMS = 5000
PARTS = 10
KINDS = {Access: 0, Set: 1, Wait: 2, Barrier: 3}
RACE, STALL = 0, 2


class Event(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_uint32) for name in ("core", "kind", "pipe", "other", "id")),
        ("line", ctypes.c_int32),
        ("memory", ctypes.c_uint32),
        ("written", ctypes.c_uint32),
        ("begin", ctypes.c_uint64),
        ("end", ctypes.c_uint64),
        ("more", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
    )


class Finding(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_uint32) for name in ("kind", "memory", "core", "first_core", "first_pipe", "second_pipe")),
        ("first_written", ctypes.c_uint32),
        ("second_written", ctypes.c_uint32),
        ("first_line", ctypes.c_int32),
        ("second_line", ctypes.c_int32),
        ("first_turn", ctypes.c_uint32),
        ("second_turn", ctypes.c_uint32),
        ("begin", ctypes.c_uint64),
        ("end", ctypes.c_uint64),
        ("element_bytes", ctypes.c_uint64),
    )


@pytest.fixture(scope="module")
def judge() -> ctypes._CFuncPtr:
    store = Store(settings.cache_dir)
    function = ctypes.CDLL(str(library(store, toolchain(store), checked=True).path)).opwright_judge
    function.restype = ctypes.c_uint64
    return function


def events(program: list[Step]) -> list[Event]:
    """A step is known to the engine by its place in the program, as its line."""
    found = []
    for line, step in enumerate(program):
        kind = KINDS[type(step)]
        match step:
            case Access(pipe, ranges):
                for place, (begin, end, written) in enumerate(ranges):
                    more = len(ranges) - 1 if place == 0 else 0
                    found.append(Event(0, kind, pipe, 0, 0, line, 0, written, begin, end, more))
            case Set(source, destination, number):
                found.append(Event(0, kind, source, destination, number, line))
            case Wait(source, destination, number):
                found.append(Event(0, kind, destination, source, number, line))
            case Barrier(pipe):
                found.append(Event(0, kind, pipe, 0, 0, line))
    return found


def judged(judge: ctypes._CFuncPtr, program: list[Step], rules: int) -> tuple[set[tuple[int, int]], bool]:
    told, out = events(program), (Finding * 1024)()
    trace = (Event * len(told))(*told)
    count = judge(trace, ctypes.c_uint64(len(told)), ctypes.c_uint32(rules), out, ctypes.c_uint64(len(out)))
    pairs = [sorted((finding.first_line, finding.second_line)) for finding in out[:count] if finding.kind == RACE]
    races = {(first, second) for first, second in pairs}
    return races, any(finding.kind == STALL for finding in out[:count])


def make(chance: random.Random) -> list[Step]:
    """A program of up to ten steps; flags are mostly waited for after they are set, and sometimes before or never."""
    pipes = chance.sample([S, V, MTE2, MTE3], chance.randint(2, 4))
    program: list[Step] = []
    pending: list[tuple[int, int, int]] = []
    for _ in range(chance.randint(2, 10)):
        dice = chance.random()
        if dice < 0.5:
            starts = [chance.randrange(6) for _ in range(chance.choice([1, 1, 2]))]
            ranges = tuple((start, start + chance.randint(1, 3), chance.random() < 0.6) for start in starts)
            program.append(Access(chance.choice(pipes), ranges))
        elif dice < 0.68:
            pending.append((*chance.sample(pipes, 2), chance.randrange(2)))
            program.append(Set(*pending[-1]))
        elif dice < 0.88:
            is_pending = pending and chance.random() < 0.85
            flag = pending.pop(chance.randrange(len(pending))) if is_pending else (*chance.sample(pipes, 2), 0)
            program.append(Wait(*flag))
        else:
            pipe = chance.choice([ALL, *(pipe for pipe in pipes if pipe != S)])
            program.append(Barrier(pipe))
    return program


@pytest.mark.parametrize("part", range(PARTS))
def test_small_programs(part: int, judge: ctypes._CFuncPtr) -> None:
    racy = stalled = 0
    for seed in range(part * PROGRAMS // PARTS, (part + 1) * PROGRAMS // PARTS):
        chance = random.Random(seed)
        program, rules = make(chance), chance.randrange(4)
        right = verdict(program, bool(rules & 1), bool(rules & 2))
        races, stalls = judged(judge, program, rules)
        assert stalls == right.stalls, (seed, rules, program)
        assert races <= right.races, (seed, rules, program, races - right.races)
        assert bool(races) == bool(right.races), (seed, rules, program, right.races)
        racy, stalled = racy + bool(right.races), stalled + right.stalls
    assert racy > 100 and stalled > 100


def test_flags_in_a_loop(judge: ctypes._CFuncPtr) -> None:
    """The copy of the second turn must wait until the add of the first has read: write after read over turns."""
    copy, add = Access(MTE2, ((0, 4, True),)), Access(V, ((0, 4, False), (8, 12, True)))
    turn = [copy, Set(MTE2, V, 0), Wait(MTE2, V, 0), add]
    races, _ = judged(judge, turn + turn, 1)
    assert races == {(0, 4), (3, 4)}
    back = [Set(V, MTE2, 0), Wait(V, MTE2, 0)]
    assert judged(judge, [*turn, *back, *turn], 1) == (set(), False)


def test_cores_that_write_the_same_bytes(judge: ctypes._CFuncPtr) -> None:
    """Global memory of two cores is ordered by a barrier over all cores and by nothing else."""

    def access(core: int, written: bool) -> Event:
        return Event(core, 0, MTE3, 0, 0, core, 7, written, 64, 96)

    out = (Finding * 8)()
    for first, second, count in ((True, True, 1), (True, False, 1), (False, False, 0)):
        trace = (Event * 2)(access(0, first), access(1, second))
        assert judge(trace, ctypes.c_uint64(2), ctypes.c_uint32(3), out, ctypes.c_uint64(8)) == count
    barrier = [Event(core, 4, 0, 0, 0, 9) for core in (0, 1)]
    trace = (Event * 4)(access(0, True), barrier[0], barrier[1], access(1, True))
    assert judge(trace, ctypes.c_uint64(4), ctypes.c_uint32(3), out, ctypes.c_uint64(8)) == 0
