"""Real launches against every legal schedule: a kernel that runs random programs, on one to three cores.

The twin raises RaceError exactly where two schedules order a conflicting pair differently, DeadlockError where cores
wait in `sync_all` for ever, FlagSetAgain where nothing else is wrong and a schedule sets a flag before the wait for
its last set, and nothing otherwise. A program that the twin refuses in program order as well (a flag set
twice, left set or waited for too early, a queue misused) may be told either way if it also has a race.
"""

import contextlib
import random
import re
from collections import Counter

import interpreter
import numpy as np
import pytest
from calls import Line, Translation, translate
from interpreter import BLOCK, GM_BLOCKS, LINES
from lines import make
from schedules import Numbered, Rules, S, Set, Verdict, verdict
from short import short

from opwright import asc
from opwright.errors import CacheError, DeadlockError, FlagSetAgain, OpwrightError, RaceError
from opwright.runtime.jit import JitFunction

PROGRAMS = 1500
PARTS = 6
# How many programs of each kind a part has at least, so that none goes missing.
LEAST = {
    **{"clean": 80, "race": 70, "race between cores": 7, "stall": 2, "refused": 25, "again": 3},
    **{"cores": 90, "sync_all": 40, "hand": 35, "loop": 40, "flags": 35, "queues": 70, "barriers": 70},
    **{"clean cores": 40, "clean sync_all": 25, "clean loop": 15, "clean flags": 10, "clean queues": 20},
    **{"race sync_all": 8, "race loop": 10, "race flags": 6, "race queues": 20},
}
# Kernels, and what the toolchain and the chip keep in order for them.
KERNELS = (
    (asc.jit(auto_sync=False)(interpreter.interpret), Rules(vector_in_order=False, scalar_in_order=False)),
    (asc.jit(auto_sync=True)(interpreter.interpret), Rules(vector_in_order=True, scalar_in_order=True)),
    (
        asc.jit(auto_sync=False, soc="ascend950")(interpreter.interpret),
        Rules(vector_in_order=True, scalar_in_order=False),
    ),
)


pytestmark = pytest.mark.filterwarnings("ignore::opwright.errors.CheckWarning")


def raised(kernel: JitFunction, program: list[list[Line]]) -> tuple[type[OpwrightError] | None, bool]:
    """The class of the first error, and whether there are others, of which the enumerator does not know."""
    code = np.zeros((len(program), LINES, 4), np.int32)
    for core, lines in enumerate(program):
        code[core, : len(lines)] = lines
    memory = np.zeros(GM_BLOCKS * BLOCK, np.float32)
    with contextlib.suppress(OpwrightError):
        kernel.check[len(program)](code, memory)
    # The enumerator knows order; what the data cache hides, and whose buffer a tensor is, are other matters.
    told = kernel.check.report().errors()
    others = [
        one for one in told if re.search("(was freed|waits in the queue)$", one.message) or one.kind is CacheError
    ]
    kinds = [finding.kind for finding in told if finding not in others]
    return kinds[0] if kinds else None, bool(others)


def judged(program: list[list[Line]], rules: Rules) -> tuple[set[type[OpwrightError] | None], str]:
    """What the twin may raise, and a word for it."""
    told = [translate(lines) for lines in program]
    right = verdict([core.steps for core in told], rules)
    refused: set[type[OpwrightError] | None] = set()
    first = 0
    for core in told:
        # A core that waits for the others for ever does not come to what would be refused.
        if core.error and not right.never & set(range(first, first + len(core.steps))):
            refused.add(core.error)
        first += len(core.steps)
    if refused:
        return refused | ({RaceError} if right.races else set()), "refused"
    if right.races:
        cores = Numbered([core.steps for core in told], rules).cores
        within = any(cores[i] == cores[j] for i, j in right.races)
        return {RaceError}, "race" if within else "race between cores"
    if right.never:
        return {DeadlockError}, "stall"
    return ({FlagSetAgain}, "again") if sets_again(told, right) else ({None}, "clean")


def sets_again(told: list[Translation], right: Verdict) -> bool:
    """Whether a flag that is set by hand is set too early. Those of the scalar unit the toolchain may keep in order."""
    first = 0
    for core in told:
        sets = [(first + number, core.steps[number]) for number in core.by_hand]
        if any(number in right.again and isinstance(step, Set) and step.source != S for number, step in sets):
            return True
        first += len(core.steps)
    return False


@pytest.mark.parametrize("part", short(range(PARTS), 2))
def test_launches(part: int) -> None:
    counts: Counter[str] = Counter()
    for seed in range(part * PROGRAMS // PARTS, (part + 1) * PROGRAMS // PARTS):
        chance = random.Random(seed)
        kernel, rules = chance.choice(KERNELS)
        kinds, program = make(chance)
        expected, outcome = judged(program, rules)
        error, has_others = raised(kernel, program)
        if has_others and outcome == "again":
            expected |= {None}  # it is told once nothing else is wrong
        assert error in expected, (seed, rules, program, expected)
        if outcome == "race between cores":
            counts[outcome] += 1
            outcome = "race"
        counts.update({outcome, *kinds, *(f"{outcome} {kind}" for kind in kinds)})
    for name, least in LEAST.items():
        assert counts[name] >= least, counts
