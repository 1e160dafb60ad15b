"""The engine of the checked twin against every legal schedule of small programs: no race missed, no false alarm.

`schedules.py` lists the schedules without knowing the engine. What must agree:

- Every pair that is told is a race.
- Between cores: every race is told, as its very pair.
- On one core the engine keeps, for each byte, pipe and kind (read or write), the newest access. So a race may hide
  behind a newer one, but only behind that of the same later access, with the same byte, pipe and kind: for each byte in
  which two accesses race, the later one is told, with an access of the earlier one's pipe that touches the same byte in
  the same way and is not older. Hence the accesses at which a race is told are exactly the later ones of all races.
- Later is what comes later in the program. Only where a wait comes before its set does the engine carry steps out in
  another order than that of the program, and either of the two may be the later one.
- The cores that stall are the same, and what is told to stall never ends.
"""

import random
from collections import Counter

import numpy as np
import pytest
from engine import RACE, RACE_BETWEEN_CORES, STALL, Finding, Judge, load
from programs import Made, make
from schedules import (
    GM,
    MTE2,
    MTE3,
    UB,
    Access,
    Numbered,
    Program,
    Rules,
    Set,
    Step,
    SyncAll,
    Touch,
    V,
    Verdict,
    Wait,
    meetings,
    verdict,
)
from short import short

PROGRAMS = 6000
PARTS = 12
# How many programs of each kind a part has at least, so that none goes missing. Seeds are fixed: it does not flicker.
LEAST = {
    **{
        "clean": 100,
        "race": 200,
        "race between cores": 40,
        "stall": 60,
        "stall at sync_all": 15,
        "wait before set": 20,
    },
    **{"cores": 200, "sync_all": 120, "loose": 300, "loop": 40, "tiles": 40, "queues": 80},
    **{"clean cores": 70, "clean sync_all": 50, "clean loop": 10, "clean tiles": 10, "clean queues": 10},
}


@pytest.fixture(scope="module")
def judge() -> Judge:
    return load()


def is_in_order(numbered: Numbered) -> bool:
    """Whether every wait that has a set comes after it in the program. What has none holds its pipe for ever."""
    for wait in (i for i, step in enumerate(numbered.steps) if isinstance(step, Wait)):
        served_by = numbered.served_by(wait)
        if served_by is not None and served_by > wait:
            return False
    return True


def tells(
    finding: Finding, numbered: Numbered, earlier: int, later: int, byte: int, touches: tuple[Touch, Touch]
) -> bool:
    """Whether a finding tells of a race at a byte, with this access or one of the same pipe that is newer."""
    first, second = numbered.steps[earlier], numbered.steps[later]
    assert isinstance(first, Access) and isinstance(second, Access)
    return (
        (finding.second_line, finding.second_pipe, finding.first_pipe) == (later, second.pipe, first.pipe)
        and finding.first_line >= earlier
        and finding.memory == touches[0].memory
        and (finding.first_written, finding.second_written) == (touches[0].written, touches[1].written)
        and finding.begin <= byte < finding.end
    )


def compare(program: Program, rules: Rules, right: Verdict, findings: list[Finding]) -> None:
    numbered = Numbered(program, rules)
    cores = numbered.cores

    def pairs(kind: int) -> set[tuple[int, int]]:
        told = [sorted((f.first_line, f.second_line)) for f in findings if f.kind == kind]
        return {(first, second) for first, second in told}

    within = {(i, j) for i, j in right.races if cores[i] == cores[j]}
    assert pairs(RACE_BETWEEN_CORES) == right.races - within
    assert pairs(RACE) <= within
    told = [f for f in findings if f.kind == RACE]
    in_order = is_in_order(numbered)
    if in_order:
        assert {f.second_line for f in told} == {j for _, j in within}
    for i, j in within:
        first, second = numbered.steps[i], numbered.steps[j]
        assert isinstance(first, Access) and isinstance(second, Access)
        for a, b in meetings(first, second, same_core=True):
            for byte in range(max(a.begin, b.begin), min(a.end, b.end)):
                is_told = any(tells(f, numbered, i, j, byte, (a, b)) for f in told)
                if not in_order:
                    is_told = is_told or any(tells(f, numbered, j, i, byte, (b, a)) for f in told)
                assert is_told, (i, j, byte)
    stalls = [f for f in findings if f.kind == STALL]
    assert {f.core for f in stalls} == {cores[i] for i in right.never}
    assert {f.second_line for f in stalls} <= right.never


def what_is_in(made: Made, rules: Rules, right: Verdict) -> set[str]:
    numbered = Numbered(made.program, rules)
    is_clean = not (right.races or right.never)
    there = {
        "clean": is_clean,
        "race": bool(right.races),
        "race between cores": any(numbered.cores[i] != numbered.cores[j] for i, j in right.races),
        "stall": bool(right.never),
        "stall at sync_all": any(isinstance(numbered.steps[i], SyncAll) for i in right.never),
        "wait before set": not is_in_order(numbered),
    }
    found = {name for name, is_there in there.items() if is_there}
    return found | made.kinds | {f"clean {kind}" for kind in made.kinds if is_clean}


@pytest.mark.parametrize("part", short(range(PARTS), 4))
def test_small_programs(part: int, judge: Judge) -> None:
    counts: Counter[str] = Counter()
    for seed in range(part * PROGRAMS // PARTS, (part + 1) * PROGRAMS // PARTS):
        chance = random.Random(seed)
        made = make(chance)
        rules = Rules(chance.random() < 0.5, chance.random() < 0.5)
        right = verdict(made.program, rules)
        try:
            compare(made.program, rules, right, judge(made.program, rules))
        except AssertionError as error:
            raise AssertionError(f"seed {seed}, {rules}, {made.program}, {right}") from error
        counts.update(what_is_in(made, rules, right))
    for name, least in LEAST.items():
        assert counts[name] >= least, counts


def test_flags_in_a_loop(judge: Judge) -> None:
    """The copy of the second turn must wait until the add of the first has read: write after read over turns."""
    copy = Access(MTE2, (Touch(UB, 0, 4, True),))
    add = Access(V, (Touch(UB, 0, 4, False), Touch(UB, 8, 12, True)))
    turn: list[Step] = [copy, Set(MTE2, V, 0), Wait(MTE2, V, 0), add]
    rules = Rules(vector_in_order=True, scalar_in_order=False)
    told = {(f.first_line, f.second_line) for f in judge([turn + turn], rules)}
    assert told == {(0, 4), (3, 4)}
    back: list[Step] = [Set(V, MTE2, 0), Wait(V, MTE2, 0)]
    assert judge([[*turn, *back, *turn]], rules) == []


def test_cores_that_write_the_same_bytes(judge: Judge) -> None:
    """Global memory of two cores is ordered by a barrier over all cores and by nothing else."""

    def access(written: bool) -> Access:
        return Access(MTE3, (Touch(GM, 64, 96, written),))

    rules = Rules(vector_in_order=True, scalar_in_order=True)
    for first, second, count in ((True, True, 1), (True, False, 1), (False, False, 0)):
        assert len(judge([[access(first)], [access(second)]], rules)) == count
    assert judge([[access(True), SyncAll()], [SyncAll(), access(True)]], rules) == []


def test_many_ranges(judge: Judge) -> None:
    """More ranges than one chunk of the engine holds: each write meets whoever wrote each of its bytes last."""
    chance = random.Random(5)
    last = np.full(1 << 16, -1)
    program, expected = [], set()
    for line in range(1000):
        begin = chance.randrange(len(last) - 1)
        end = min(begin + chance.choice([1, 7, 60, 5000]), len(last))
        program.append(Access(MTE2, (Touch(UB, begin, end, True),)))
        expected |= {(int(first), line) for first in np.unique(last[begin:end]) if first >= 0}
        last[begin:end] = line
    findings = judge([program], Rules(vector_in_order=True, scalar_in_order=True))
    assert {(finding.first_line, finding.second_line) for finding in findings} == expected
