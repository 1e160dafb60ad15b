"""`tools/mutate_sync.py`: its brute force agrees with every schedule, and no removal from an example is missed."""

import importlib
import importlib.util
import json
import os
import random
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from check_kernels import adds_one

from opwright import asc
from opwright.asc import HardEvent, TPosition

ROOT = Path(__file__).parents[2]
PROGRAMS = 400
SAMPLE = 12  # of the mutants of the examples
COUNTS = r"mutants (\d+), caught (\d+), equivalent (\d+), missed (\d+)"


def load(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


order = load("mutation_order", ROOT / "tools" / "mutation" / "order.py")


@pytest.fixture
def oracle(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Small programs with all their schedules, which know neither the engine nor the tool."""
    monkeypatch.syspath_prepend(str(ROOT / "tests" / "twin" / "oracle"))
    parts = [vars(importlib.import_module(name)) for name in ("schedules", "programs", "engine", "crossing_programs")]
    parts[-1] = {"make_group": parts[-1]["make"]}
    return SimpleNamespace(**{name: value for part in parts for name, value in part.items()})


def is_served(oracle: SimpleNamespace, steps: list[object]) -> bool:
    """Whether every wait of a core has its set before it: another program ends a launch."""
    pending: Counter[tuple[int, int, int]] = Counter()
    for step in steps:
        if isinstance(step, oracle.Set):
            pending[step.source, step.destination, step.id] += 1
        elif isinstance(step, oracle.Wait):
            flag = (step.source, step.destination, step.id)
            if not pending[flag]:
                return False
            pending[flag] -= 1
    return True


def test_every_schedule_agrees(oracle: SimpleNamespace) -> None:
    """The pairs that nothing orders are those that some schedule does in the other order."""
    chance = random.Random(7)
    looked_at = with_races = with_cores = 0
    while looked_at < PROGRAMS:
        program = oracle.make(chance).program
        rules = oracle.Rules(chance.random() < 0.5, chance.random() < 0.5)
        right = oracle.verdict(program, rules)
        if right.never or not all(is_served(oracle, steps) for steps in program):
            continue
        told = b"".join(bytes(event) for event in oracle.events(program))
        given = order.Rules(rules.vector_in_order, rules.scalar_in_order)
        found = order.unordered(np.frombuffer(told, order.EVENT), given)
        pairs = {tuple(sorted((pair.first_line, pair.second_line))) for pair in found}
        assert pairs == {tuple(sorted(pair)) for pair in right.races}, program
        looked_at += 1
        with_races += bool(right.races)
        with_cores += len(program) > 1
    assert PROGRAMS // 4 < with_races < PROGRAMS and with_cores > PROGRAMS // 4


def test_every_schedule_of_a_group_agrees(oracle: SimpleNamespace) -> None:
    """The same of an AIC and its AIVs with flags between them."""
    chance = random.Random(8)
    looked_at = with_races = 0
    while looked_at < PROGRAMS:
        program = oracle.make_group(chance)
        rules = oracle.Rules(False, False)
        right = oracle.verdict(program, rules)
        if right.never or not all(is_served(oracle, steps) for steps in program):
            continue
        told = b"".join(bytes(event) for event in oracle.as_group(oracle.events(program)))
        found = order.unordered(np.frombuffer(told, order.EVENT), order.Rules(False, False))
        pairs = {tuple(sorted((pair.first_line, pair.second_line))) for pair in found}
        assert pairs == {tuple(sorted(pair)) for pair in right.races}, program
        looked_at += 1
        with_races += bool(right.races)
    assert PROGRAMS // 4 < with_races < PROGRAMS * 3 // 4


def test_cores_meet_at_barriers() -> None:
    """Both cores write the same bytes; a barrier over all cores between the writes orders them."""
    events = np.zeros(4, order.EVENT)
    events["core"] = [0, 0, 1, 1]
    events["kind"] = [order.ACCESS, order.SYNC_ALL, order.SYNC_ALL, order.ACCESS]
    events["memory"], events["written"], events["end"], events["line"] = order.GM, 1, 32, [1, 2, 2, 3]
    rules = order.Rules(True, True)
    assert order.unordered(events, rules) == []
    (pair,) = order.unordered(events[[0, 1, 3, 2]], rules)
    assert (pair.first_core, pair.first_line, pair.second_core, pair.second_line) == (0, 1, 1, 3)
    events["written"] = [order.ATOMIC, 0, 0, order.ATOMIC]
    assert order.unordered(events[[0, 1, 3, 2]], rules) == []  # in any order they give the same
    events["written"][0] = 1
    assert len(order.unordered(events[[0, 1, 3, 2]], rules)) == 1


def test_what_the_engine_does_not_see_is_missed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each pair of a set and its wait is caught; with an engine that finds nothing, each is missed.

    All are compiled together, and each of them is itself.
    """
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    judge, mutants = (importlib.import_module(f"mutation.{name}") for name in ("judge", "mutants"))
    arrays = (np.ones(64, np.float32), np.full(64, np.nan, np.float32))
    launch = judge.Launch("here", adds_one, 1, arrays, {})
    program = judge.compiled(launch)
    pairs = [mutant for mutant in mutants.mutants_of(program.ir) if mutant.kind == "set and wait"]
    assert len(pairs) == 2
    programs = [program, *(judge.mutated(program, pair) for pair in pairs)]
    judge.build(launch, programs, tmp_path)
    right = judge.run(launch, judge.load(launch, program, tmp_path, 0))
    assert right.findings == [] and np.isnan(arrays[1]).all()
    edits = [sorted(judge.edits_of(program.text, one.text)) for one in programs]
    assert [len(one) for one in edits] == [0, 2, 2]
    (tmp_path / "switches").mkdir()
    judge.build(launch, [judge.with_switches(program, edits[1] + edits[2])], tmp_path / "switches")
    loaded = [(programs[number], judge.load(launch, programs[number], tmp_path, number)) for number in (1, 2)]
    loaded.append((program, judge.load(launch, program, tmp_path / "switches", 0, (2, 3))))
    for own, kernel in loaded:
        seen = judge.judge(launch, own, kernel, right.outputs)
        assert (seen.outcome, seen.why, seen.false_alarm) == ("caught", "RaceError", False)
        with monkeypatch.context() as patch:
            patch.setattr(judge, "findings_of", lambda outcome, kernel, sharing: [])
            unseen = judge.judge(launch, own, kernel, right.outputs)
        assert unseen.outcome == "missed" and unseen.why.startswith("nothing orders")


@dataclass(frozen=True)
class Text:
    """A program, as far as it is a text."""

    text: str


def test_edits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines that are gone, and numbers that are others; whatever else differs is none."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    judge = importlib.import_module("mutation.judge")
    text = "    LocalTensor<float> a(VECIN, 256, 64);\n    AscendC::PipeBarrier<PIPE_V>();\n    queue.EnQue(a);\n"
    barrier, address = judge.Edit(2), judge.Edit(1, 14, "0")
    assert judge.edits_of(text, text) == frozenset()
    assert judge.edits_of(text, text.replace("    AscendC::PipeBarrier<PIPE_V>();\n", "")) == {barrier}
    assert judge.edits_of(text, text.replace("256", "0")) == {address}
    assert judge.edits_of(text, text.replace("256", "n")) is None
    assert judge.edits_of(text, text.replace("PIPE_V", "PIPE_M")) is None
    assert judge.edits_of(text, text[text.index("\n") + 1 :]) is None
    edits = [barrier, address, judge.Edit(1, 14, "32")]
    switched = judge.with_switches(Text(text), edits).text
    assert switched == (
        "    LocalTensor<float> a(VECIN, (opwright_switches[2] ? 32 : (opwright_switches[1] ? 0 : 256)), 64);\n"
        "if (!opwright_switches[0]) { AscendC::PipeBarrier<PIPE_V>(); }\n    queue.EnQue(a);\n"
    )


@asc.jit
def adds_up(x: asc.GlobalAddress, z: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    a = asc.LocalTensor(asc.int32, TPosition.VECIN, 0, 8)
    asc.data_copy(a, x_gm, 8)
    asc.set_flag(HardEvent.MTE2_MTE3, 0)
    asc.wait_flag(HardEvent.MTE2_MTE3, 0)
    asc.set_atomic_add(asc.int32)
    asc.data_copy(z_gm, a, 8)
    asc.set_atomic_none()


@asc.jit
def waits_for_words(w: asc.GlobalAddress):
    w_gm = asc.GlobalTensor()
    w_gm.set_global_buffer(w)
    pipe = asc.TPipe()
    buffer = asc.TBuf(TPosition.VECIN)
    pipe.init_buffer(buffer, 1024)
    asc.ib_wait(w_gm, buffer.get(asc.int32), 0, 0)


def test_words_between_cores_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """No event tells that a core waits for a word of another one: the brute force would see no order."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    judge, mutants = (importlib.import_module(f"mutation.{name}") for name in ("judge", "mutants"))
    words = judge.compiled(judge.Launch("here", waits_for_words, 1, (np.zeros(64, np.int32),), {}))
    flags = judge.compiled(judge.Launch("here", adds_up, 1, (np.ones(8, np.int32), np.zeros(8, np.int32)), {}))
    assert mutants.orders_by_words(words.ir) and not mutants.orders_by_words(flags.ir)


@asc.simt
def neighbours(y: asc.LocalTensor):
    i = asc.simt.threadIdx.x
    y[i] = y[(i + 1) % 64]


@asc.jit(soc="ascend950")
def threads_race(z: asc.GlobalAddress):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    y = asc.LocalTensor(asc.float32, TPosition.VECCALC, 0, 64)
    asc.duplicate(y, 1.0, 64)
    asc.vf_call(neighbours, 64, y)
    asc.set_flag(HardEvent.V_MTE3, 0)
    asc.wait_flag(HardEvent.V_MTE3, 0)
    asc.data_copy(z_gm, y, 64)


def test_a_race_of_threads_is_no_false_alarm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Their accesses are no events, so that the brute force cannot deny it."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    judge = importlib.import_module("mutation.judge")
    launch = judge.Launch("here", threads_race, 1, (np.zeros(64, np.float32),), {})
    program = judge.compiled(launch)
    judge.build(launch, [program], tmp_path)
    seen = judge.judge(launch, program, judge.load(launch, program, tmp_path), [])
    assert (seen.outcome, seen.why, seen.false_alarm) == ("caught", "RaceError", False)


def test_atomic_copies_of_cores(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The library tells which accesses are atomic; nothing orders them, and nothing has to."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    judge = importlib.import_module("mutation.judge")
    launch = judge.Launch("here", adds_up, 3, (np.ones(8, np.int32), np.zeros(8, np.int32)), {})
    program = judge.compiled(launch)
    judge.build(launch, [program], tmp_path)
    ran = judge.run(launch, judge.load(launch, program, tmp_path))
    assert ran.findings == [] and ran.outputs[1] == np.full(8, 3, np.int32).tobytes()
    assert np.count_nonzero(ran.events["written"] == order.ATOMIC) == 3
    assert order.unordered(ran.events, judge.rules(adds_up)) == []


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    return importlib.import_module("mutate_sync")


def test_a_crash_is_not_caught(tool: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mutant that ends the process has an outcome of its own, and the tool fails."""
    original = SimpleNamespace(
        launch=SimpleNamespace(name="here:kernel"), program=SimpleNamespace(text=""), run=SimpleNamespace(outputs=[])
    )
    monkeypatch.setattr(tool, "load", lambda *_: os._exit(3))
    verdict = tool._in_a_process(original, None, None, Path(), 0)
    assert verdict.outcome == "crash"
    crashed = tool.Judged("here:kernel", "barrier", None, (), verdict)
    monkeypatch.setattr(tool, "tools", lambda: None)
    monkeypatch.setattr(tool, "collect", lambda *_: ([], Counter({"nothing to remove": 2})))
    monkeypatch.setattr(sys, "argv", ["mutate_sync.py", "--part", "0/1"])
    for judged, code in (([crashed], 1), ([], 0)):
        monkeypatch.setattr(tool, "_judge_all", lambda *_, judged=judged: judged)
        assert tool.main() == code


def test_what_is_shown_apart(tool: ModuleType) -> None:
    """What no finding told is counted as caught, but the table says so."""
    verdicts = [
        ("caught", "results"),
        ("caught", "never ends"),
        ("caught", "RaceError"),
        ("crash", "x"),
        ("missed", "y"),
    ]
    columns = [tool._column(tool.Verdict(*verdict)) for verdict in verdicts]
    assert columns == ["other results", "never ends", "found", "crash", "missed"]


def test_right_hazards_are_mutated(tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    launches = importlib.import_module("mutation.launches")
    monkeypatch.syspath_prepend(str((ROOT / launches.HAZARDS).parent))
    hazards, case = (importlib.import_module(name) for name in ("hazards", "hazard_case"))
    few = {
        "a flag": case.Right(case.lines(case.COPY, case.IN_, case.ADD)),
        "another one": case.Right(case.lines(case.FILL, case.OUT, case.WRITE)),
        "nothing": case.Right("asc.duplicate(a, 1.0, 64)\n"),
        "too early": case.Right(case.lines(case.COPY, case.ADD, case.OUT, case.WRITE)),
    }
    monkeypatch.setattr(hazards, "RIGHT", few)
    recorder = launches.Recorder(origin=launches.HAZARDS)
    launches._launch_hazards(recorder, tmp_path)
    names = [original.launch.name for original in recorder.originals()]
    assert names == ["tests/twin/hazards/hazards.py:kernel"] * 2
    assert recorder.skipped == {"nothing to remove": 1, "findings without a removal": 1}


def test_examples(tmp_path: Path) -> None:
    """A sample of all removals: races, flags and queues are caught, and nothing is missed."""
    written = tmp_path / "verdicts.json"
    command = [sys.executable, str(ROOT / "tools" / "mutate_sync.py"), "--only", "examples/", "--most", str(SAMPLE)]
    done = subprocess.run(
        [*command, "--json", str(written)], capture_output=True, text=True, cwd=tmp_path, timeout=600, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    match = re.fullmatch(COUNTS, done.stdout.splitlines()[-1])
    assert match is not None, done.stdout
    mutants, caught, equivalent, missed = map(int, match.groups())
    assert mutants == caught + equivalent == SAMPLE and missed == 0 and caught > SAMPLE // 2
    judged = json.loads(written.read_text())["judged"]
    assert len(judged) == SAMPLE
    assert {"RaceError", "FlagError", "DeadlockError"} <= {one["verdict"]["why"] for one in judged}
    assert all(re.search(r"examples/\d\d_\w+\.py:\d+$", place) for one in judged for place in one["places"])


def test_parts_are_put_together(tool: ModuleType, tmp_path: Path) -> None:
    answer = tool.Answer(2, Counter({"refused": 1}), ["here:racy"])
    answer.judged.append(tool.Judged("here:kernel", "barrier", 32, ("file:1",), tool.Verdict("missed", "why", True)))
    answer.save(tmp_path / "part.json")
    whole = tool.Answer.load(tmp_path / "part.json")
    assert whole == answer
    whole.add(answer)
    assert (whole.kernels, whole.skipped["refused"], len(whole.unordered), len(whole.judged)) == (4, 2, 2, 2)


def test_alike_removals_are_made_twice(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Of six equal pairs of an unrolled loop two sets, two waits and the groups are left; other surroundings count."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    judge, mutants = (importlib.import_module(f"mutation.{name}") for name in ("judge", "mutants"))
    path = tmp_path / "unrolled.py"
    path.write_text(UNROLLED, encoding="utf-8")
    launch = judge.Launch("here", load("unrolled", path).unrolled, 1, (np.ones(64, np.float32),), {})
    made = mutants.mutants_of(judge.compiled(launch).ir)
    count = Counter(mutant.kind for mutant in made)
    # The first and the last pair have other neighbours than those in between.
    assert count["set_flag"] <= 4 and count["wait_flag"] <= 4
    assert count["set_flag"] >= 2 and count["wait_flag"] >= 2


UNROLLED = """\
from opwright import asc


@asc.jit
def unrolled(x: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    local = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    for _ in asc.static_range(6):
        asc.data_copy(local, x_gm, 64)
        asc.set_flag(asc.HardEvent.MTE2_V, 0)
        asc.wait_flag(asc.HardEvent.MTE2_V, 0)
        asc.adds(local, local, 1.0, 64)
"""
