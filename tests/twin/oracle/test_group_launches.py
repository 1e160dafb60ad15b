"""Real launches of groups against happens-before by brute force, which agrees with every schedule of small programs.

A kernel runs random programs on an AIC and its two AIVs, with flags between them: what the checked twin tells is what
nothing orders. In the perturbed twin every program that is clean gives the results of the program order.
"""

import contextlib
import importlib
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from opwright import asc
from opwright.asc import HardEvent, PipeID, TPosition
from opwright.check.events import recorded
from opwright.errors import OpwrightError, RaceError
from opwright.kernel.target import Mode

ROOT = Path(__file__).parents[3]
PROGRAMS = 150
LINES = 12
BLOCKS = 6  # of global memory, 8 numbers each
IN, OUT, SET_OUT, WAIT_OUT, SET_IN, WAIT_IN, BARRIER, CROSS_IN, CROSS_OUT, CROSS_WAIT, NOTHING = range(11)


@asc.jit(kernel_type="mix_1_2", auto_sync=False)
def interpret(code: asc.GlobalAddress, memory: asc.GlobalAddress, lines: int):
    code_gm = asc.GlobalTensor()
    code_gm.set_global_buffer(code)
    gm = asc.GlobalTensor()
    gm.set_global_buffer(memory)
    place = 1 + asc.get_sub_block_idx()
    if asc.ascend_is_aic():
        place = 0
    for line in range(lines):
        op = code_gm.get_value((place * lines + line) * 2)
        number = code_gm.get_value((place * lines + line) * 2 + 1)
        if asc.ascend_is_aic():
            tile = asc.LocalTensor(memory.dtype, TPosition.A1, 0, 8)
            if op == 0:
                asc.data_copy(tile, gm[number * 8 :], asc.DataCopyParams(1, 1, 0, 0))
            elif op == 1:
                asc.data_copy(gm[number * 8 :], tile, asc.DataCopyParams(1, 1, 0, 0))
        else:
            a = asc.LocalTensor(memory.dtype, TPosition.VECIN, 0, 8)
            if op == 0:
                asc.data_copy(a, gm[number * 8 :], 8)
            elif op == 1:
                asc.data_copy(gm[number * 8 :], a, 8)
            elif op == 9 and number == 2:
                asc.cross_core_wait_flag(2, 1, PipeID.PIPE_S)
            elif op == 8 and number == 2:
                asc.cross_core_set_flag(2, 1, PipeID.PIPE_MTE3)
        if op == 2:
            asc.set_flag(HardEvent.MTE2_MTE3, 0)
        elif op == 3:
            asc.wait_flag(HardEvent.MTE2_MTE3, 0)
        elif op == 4:
            asc.set_flag(HardEvent.MTE3_MTE2, 0)
        elif op == 5:
            asc.wait_flag(HardEvent.MTE3_MTE2, 0)
        elif op == 6:
            asc.pipe_barrier(PipeID.PIPE_ALL)
        elif op == 7:
            asc.cross_core_set_flag(number, 2, PipeID.PIPE_MTE2)
        elif op == 8 and number < 2:
            asc.cross_core_set_flag(number, 2, PipeID.PIPE_MTE3)
        elif op == 9 and number < 2:
            asc.cross_core_wait_flag(number, 2, PipeID.PIPE_S)


Code = list[tuple[int, int]]


def make(chance: random.Random) -> list[Code]:
    """The AIC fills blocks, the AIVs change them and hand them back; a step or two go wrong."""
    turns = chance.choice([1, 2])
    aic: Code = [(IN, 5)]
    for turn in range(turns):
        aic += [(SET_OUT, 0), (WAIT_OUT, 0), (OUT, chance.choice([0, 0, turn]))]
        aic.append((chance.choice([CROSS_OUT, CROSS_OUT, CROSS_OUT, CROSS_IN]), 0))
        if chance.random() < 0.8:
            aic.append((CROSS_WAIT, 1))
    program = [aic]
    met = chance.random() < 0.3
    for aiv in range(2):
        code: Code = []
        for turn in range(turns):
            code += [(CROSS_WAIT, 0), (IN, chance.choice([0, 0, turn]))]
            if chance.random() < 0.7:
                code += [(SET_OUT, 0), (WAIT_OUT, 0), (OUT, chance.choice([2 + aiv, 2 + aiv, 2, 4]))]
            code.append((chance.choice([CROSS_IN, CROSS_IN, CROSS_OUT]), 1))
        if met:
            code += [(CROSS_OUT, 2), (CROSS_WAIT, 2), (IN, 3 - aiv)]
        program.append(code)
    for _ in range(chance.choice([0, 1, 1])):
        code = chance.choice(program)
        place = chance.randrange(len(code) - 1)
        if chance.random() < 0.5:
            code[place], code[place + 1] = code[place + 1], code[place]
        else:
            code.insert(place, (BARRIER, 0))
    return [code[:LINES] for code in program]


def packed(program: list[Code]) -> np.ndarray:
    code = np.full((3, LINES, 2), NOTHING, np.int32)
    for core, lines in enumerate(program):
        code[core, : len(lines)] = lines
    return code.reshape(-1)


def start() -> np.ndarray:
    return np.arange(BLOCKS * 8, dtype=np.int32)


def test_what_is_told_is_what_nothing_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    order = importlib.import_module("mutation.order")
    judge = importlib.import_module("mutation.judge")
    counts: Counter[str] = Counter()
    for seed in range(PROGRAMS):
        program = make(random.Random(seed))
        code, memory = packed(program), start()
        bound = interpret.binder.bind((code, memory, LINES), {})
        kernel = interpret.kernel_for(bound, Mode.CHECKED)
        recording = recorded(kernel, 1, bound)
        errors = [one for error in recording.report.errors() for one in (error, *error.more)]
        if any(not issubclass(error.kind, RaceError) for error in errors):
            counts["refused"] += 1
            continue
        launch = judge.Launch("here", interpret, 1, (packed(program), start(), LINES), {})
        right = order.unordered(judge.run(launch, kernel).events, order.Rules(False, False))
        where = {number: int(place.at.split(":")[0]) for number, place in kernel.places.items() if place.at}
        expected = {frozenset((where[pair.first_line], where[pair.second_line])) for pair in right}
        first = interpret.source.first_line - 1
        told = {frozenset((error.first.at.line - first, error.at.line - first)) for error in errors}
        # On one core the newest access of each pipe stands for older ones, so that some pairs are not told.
        assert told <= expected, (seed, program, right, str(recording.report))
        assert set().union(*told) == set().union(*expected), (seed, program, right, str(recording.report))
        counts["race" if errors else "clean"] += 1
        if not errors:
            memories = []
            for checker in (interpret, interpret.check(perturb=2)):
                memories.append(start())
                with contextlib.suppress(OpwrightError):
                    checker[1](code, memories[-1], LINES)
            np.testing.assert_array_equal(*memories)
    assert counts["race"] > 30 and counts["clean"] > 20 and counts["refused"] < PROGRAMS // 2, counts
