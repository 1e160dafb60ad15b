"""The engine of the perturbed twin against every legal schedule of small programs.

An order is legal if it turns no pair of accesses round that all schedules keep; `schedules.py` knows those without the
engine. And it must be worth its time: of the programs with a race most show it within sixteen seeds.
"""

import ctypes
import random

import pytest
from engine import Event, events
from programs import make
from schedules import Access, Numbered, Rules, S, Set, Step, SyncAll, Wait, verdict
from short import short

from opwright.kernel.target import Mode
from opwright.settings import settings
from opwright.store.store import Store
from opwright.twin.target import library
from opwright.twin.toolchain import toolchain

PROGRAMS = 5000
PARTS = 10
SEEDS = range(1, 17)


@pytest.fixture(scope="module")
def replay() -> ctypes._CFuncPtr:
    store = Store(settings.cache_dir)
    function = ctypes.CDLL(str(library(store, toolchain(store), Mode.CHECKED).path)).opwright_replay
    function.restype = ctypes.c_uint64
    return function


def replayed(replay: ctypes._CFuncPtr, program: list[Step], rules: Rules, seed: int) -> list[int]:
    told, out = events([program]), (ctypes.c_int32 * 64)()
    trace = (Event * len(told))(*told)
    bits = rules.vector_in_order | rules.scalar_in_order << 1
    count = replay(
        trace, ctypes.c_uint64(len(told)), ctypes.c_uint32(bits), ctypes.c_uint64(seed), out, ctypes.c_uint64(len(out))
    )
    return list(out[:count])


def is_served(program: list[Step]) -> bool:
    """Whether each wait comes after its set, as a kernel's must: the twin refuses any other before it is replayed."""
    flags: dict[tuple[int, int, int], int] = {}
    for step in program:
        if isinstance(step, (Set, Wait)):
            flag = (step.source, step.destination, step.id)
            flags[flag] = flags.get(flag, 0) + (1 if isinstance(step, Set) else -1)
            if flags[flag] < 0:
                return False
    return True


def is_read_by_scalar(step: Step) -> bool:
    """What the scalar unit reads it reads at once: nothing after it in the program can come before."""
    return isinstance(step, Access) and step.pipe == S and not any(touch.written for touch in step.touches)


@pytest.mark.parametrize("part", short(range(PARTS), 3))
def test_small_programs(part: int, replay: ctypes._CFuncPtr) -> None:
    racy = shown = 0
    for number in range(part * PROGRAMS // PARTS, (part + 1) * PROGRAMS // PARTS):
        chance = random.Random(number)
        cores, rules = make(chance).program, Rules(chance.random() < 0.5, chance.random() < 0.5)
        program = cores[0]
        if len(cores) > 1 or not is_served(program) or any(isinstance(step, SyncAll) for step in program):
            continue
        accesses = [i for i, step in enumerate(program) if isinstance(step, Access)]
        pairs = set(Numbered(cores, rules).pairs)
        races = verdict(cores, rules).races
        assert replayed(replay, program, rules, 0) == accesses
        turned: set[tuple[int, int]] = set()
        for seed in SEEDS:
            order = replayed(replay, program, rules, seed)
            assert sorted(order) == accesses
            place = {line: index for index, line in enumerate(order)}
            round_ = {(i, j) for i, j in pairs if place[i] > place[j]}
            assert round_ <= races, (number, rules, seed, program, round_ - races)
            turned |= round_
        if any(not is_read_by_scalar(program[i]) for i, _ in races):
            racy, shown = racy + 1, shown + bool(turned)
    assert racy > 50 and shown >= 0.9 * racy, (racy, shown)
