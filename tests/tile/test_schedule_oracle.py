"""Flags and barriers of random schedule trees, judged by others than the model: every schedule, and the checked twin.

The oracle of the twin (`tests/twin/oracle/schedules.py`) knows nothing of trees and bits. It sees executions of a tree:
those with all flags and barriers are clean, and for nearly every removal one is found that is not. The others need one
execution out of very many.
"""

from __future__ import annotations

import importlib
import random
from collections import Counter

import pytest
from schedule_kernels import mutants
from schedule_random import Maker
from schedule_traces import choice_by, faults, schedules, traced
from short import short

from opwright.tile.compiler.conflicts import Conflicts
from opwright.tile.compiler.ids import MOST_IDS
from opwright.tile.compiler.model import Model
from opwright.tile.compiler.schedule import Node, Synchronisation
from opwright.tile.compiler.sync import in_order, synchronised

TREES = 40  # of a part
EXECUTIONS = 60  # in which a removal is looked for
SHORT = 16  # steps of an execution of which every schedule is listed


def made(seed: int, most: int) -> tuple[list[Node], str, Synchronisation, schedules.Rules]:
    chance = random.Random(seed)
    tree = Maker(chance, most).tree()
    soc = chance.choice(("ascend910b", "ascend950"))
    return tree, soc, synchronised(tree, soc), schedules.Rules(soc == "ascend950", False)


@pytest.mark.parametrize("part", short(range(8), 2))
def test_every_removal_is_a_fault(part: int) -> None:
    counts: Counter[str] = Counter()
    for seed in range(part * TREES, (part + 1) * TREES):
        tree, soc, sync, rules = made(seed, most=5)
        model = Model(Conflicts(tree), in_order(soc))
        assert model.fault(sync.flags, sync.barriers) is None, seed
        ids = [(flag.source, flag.destination, number) for flag in sync.flags for number in flag.ids]
        assert len(ids) == len(set(ids)) and all(number < MOST_IDS for *_, number in ids)
        for execution in range(4):
            choose = choice_by(random.Random(seed + execution))
            program = traced(tree, sync.flags, sync.barriers, choose).program
            assert faults(program, rules) == set(), seed
            if len(program) <= SHORT:
                right = schedules.verdict([program], rules)
                assert not (right.races or right.again or right.never), seed
                counts["listed"] += 1
        for flags, barriers in mutants(sync):
            assert model.fault(flags, barriers) is not None, seed
            executions = (
                traced(tree, flags, barriers, choice_by(random.Random(seed + execution))).program
                for execution in range(EXECUTIONS)
            )
            counts["seen" if any(faults(program, rules) for program in executions) else "not seen"] += 1
    assert counts["seen"] > 2 * TREES and counts["listed"] > TREES
    assert counts["not seen"] <= counts["seen"] // 30, counts


@pytest.mark.parametrize("part", short(range(8), 1))
def test_the_engine_of_the_twin_agrees(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Random trees with some flags and barriers: the same races, and none where the model has no fault.

    The engine does not tell here which flags are set again too early.
    """
    engine = importlib.import_module("engine")
    judge = engine.load()
    counts: Counter[str] = Counter()
    for seed in range(10_000 + part * TREES, 10_000 + (part + 1) * TREES):
        tree, soc, sync, rules = made(seed, most=6)
        model = Model(Conflicts(tree), in_order(soc))
        for flags, barriers in [(list(sync.flags), list(sync.barriers)), *mutants(sync)[:4]]:
            fault = model.fault(flags, barriers, ids=False)
            raced = False
            for execution in range(4):
                program = traced(tree, flags, barriers, choice_by(random.Random(seed + execution))).program
                found = any(finding.kind == engine.RACE for finding in judge([program], rules))
                assert found == ("race" in faults(program, rules)), seed
                raced |= found
            assert not raced or fault is not None, seed
            counts["race" if raced else "hidden" if fault else "clean"] += 1
    assert counts["race"] > 2 * TREES and counts["clean"] >= TREES, counts
    assert counts["hidden"] < counts["race"] // 2, counts
