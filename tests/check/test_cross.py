"""Flags and barriers between AICs and AIVs on the checked and the perturbed twin."""

import importlib
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from cross_kernels import HALF, TILE, all_meet, hand_over, named, numbered, swap, to_one

from opwright import asc
from opwright.asc import HardEvent, PipeID
from opwright.check.events import recorded
from opwright.check.perfetto import perfetto
from opwright.check.timeline import timeline
from opwright.errors import DeadlockError, FlagError, OpwrightError, RaceError
from opwright.kernel.target import Mode

ROOT = Path(__file__).parents[2]
GROUPS, TURNS = 2, 3


def arrays() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    x = np.arange(GROUPS * TILE, dtype=np.float32)
    return x, np.full_like(x, np.nan), np.full_like(x, np.nan)


def line_of(statement: str) -> int:
    """Where `hand_over` has it."""
    source = hand_over.source
    return next(source.first_line + place for place, line in enumerate(source.lines) if statement in line)


def test_tiles_are_handed_over() -> None:
    for kernel in (hand_over, hand_over.check, hand_over.check(perturb=16)):
        x, w, z = arrays()
        kernel[GROUPS](x, w, z, TURNS, "right")
        np.testing.assert_array_equal(z, x + 1)
    assert not hand_over.check.report().findings


@pytest.mark.parametrize(
    ("way", "kind", "words"),
    [
        (
            "another pipe",
            RaceError,
            "AIV 0: it reads 256 bytes of argument w from byte 0, element 0, which AIC 0 writes too",
        ),
        ("not waited for", FlagError, "AIC 0: flag 0 (mode 2) is set 3 times more than AIV 0 waits for it"),
        (
            "never set",
            DeadlockError,
            "line {full} for flag 0 (mode 2): AIC 0 never set it, and waits at line {free}",
        ),
        (
            "one sets it",
            DeadlockError,
            "at line {free} for flag 1 (mode 2): AIV 1 never set it, and waits at line {full}",
        ),
    ],
)
def test_what_is_wrong_is_told(way: str, kind: type[OpwrightError], words: str) -> None:
    with pytest.raises(kind) as caught:
        hand_over.check[GROUPS](*arrays(), TURNS, way)
    full, free = (line_of(f"asc.cross_core_wait_flag({flag}, 2") for flag in (0, 1))
    assert words.format(full=full, free=free) in str(caught.value)


def test_work_of_the_pipe_counts_and_no_other() -> None:
    """The copies in have ended when MTE2's flag is set, whatever those out do; so the workspace is free."""
    hand_over.check[GROUPS](*arrays(), TURNS, "set too early")
    assert not hand_over.check.report().findings


def test_a_missing_partner_is_told_in_fast_mode_too() -> None:
    with pytest.raises(DeadlockError, match=r"6 of 6 cores wait for ever: AIC 0 at line .* AIC 1 at line"):
        hand_over[GROUPS](*arrays(), TURNS, "one sets it")


@pytest.mark.parametrize("aiv_only", [False, True])
def test_cores_meet(aiv_only: bool) -> None:
    """At the barrier of the AIVs nobody knows what AICs did."""
    x = np.arange(GROUPS * 3 * 8, dtype=np.float32)
    z = np.full(GROUPS * 7 * 8, np.nan, np.float32)
    if aiv_only:
        with pytest.raises(RaceError, match=r"AIV \d: it reads 32 bytes of argument z.* which AIC \d writes too"):
            all_meet.check[GROUPS](x, z, aiv_only)
        kinds = {(finding.access.kind, finding.first.kind) for finding in all_meet.check.report() if finding.first}
        assert kinds == {("AIV", "AIC"), ("AIC", "AIV")}  # the first is that of the lower group
        return
    for kernel in (all_meet, all_meet.check(perturb=16)):
        z[:] = np.nan
        kernel[GROUPS](x, z, aiv_only)
        blocks, all_blocks = x.reshape(-1, 8), z.reshape(-1, 8)
        after = (np.arange(2 * GROUPS) + 1) % (2 * GROUPS)
        np.testing.assert_array_equal(all_blocks[: 3 * GROUPS], blocks)
        np.testing.assert_array_equal(all_blocks[3 * GROUPS : 5 * GROUPS], blocks[GROUPS + after])
        np.testing.assert_array_equal(all_blocks[5 * GROUPS :], blocks[after // 2])


def test_flags_of_one_aiv_and_its_aic() -> None:
    for kernel in (to_one, to_one.check, to_one.check(perturb=16)):
        x, z, _ = arrays()
        kernel[GROUPS](x, z, "right")
        np.testing.assert_array_equal(z, x + 1)
    assert not to_one.check.report().findings


_FLAGS_ACROSS = "asc.cross_core_set_flag after the first, on its pipe, and asc.cross_core_wait_flag before the second"


@pytest.mark.parametrize(
    ("way", "kind", "words"),
    [
        ("set too early", RaceError, "which AIC 0 writes too"),
        ("another pipe", RaceError, "of UB from byte 0"),
        ("another pipe waits", RaceError, "which AIC 0 writes too"),
        ("of the first", DeadlockError, "for flag 1 (mode 4): AIC 0 never set it, and has ended"),
    ],
)
def test_wrong_flags_of_one_aiv_are_told(way: str, kind: type[OpwrightError], words: str) -> None:
    x, z, _ = arrays()
    with pytest.raises(kind) as caught:
        to_one.check[GROUPS](x, z, way)
    assert words in str(caught.value)
    # Of memory that cores share, nothing is said about threads and their atomics.
    assert (_FLAGS_ACROSS in str(caught.value)) == (kind is RaceError)
    assert "simt" not in str(caught.value)


@pytest.mark.parametrize(
    ("soc", "on_aic", "call", "which", "words"),
    [
        ("ascend910b", True, "pipe_barrier", PipeID.PIPE_V, "an AIC of ascend910b has no PIPE_V"),
        ("ascend950", True, "pipe_barrier", PipeID.PIPE_MTE3, "an AIC of ascend950 has no PIPE_MTE3"),
        ("ascend910b", False, "set_flag", HardEvent.M_MTE1, "an AIV of ascend910b has no PIPE_M"),
        ("ascend910b", False, "wait_flag", HardEvent.MTE2_MTE1, "an AIV of ascend910b has no PIPE_MTE1"),
        ("ascend950", True, "set_flag", HardEvent.MTE2_MTE3, "an AIC of ascend950 has no PIPE_MTE3"),
        ("ascend910b", True, "cross_core_set_flag", PipeID.PIPE_V, "an AIC of ascend910b has no PIPE_V"),
        ("ascend950", True, "cross_core_set_flag", PipeID.PIPE_MTE3, "an AIC of ascend950 has no PIPE_MTE3"),
        ("ascend950", False, "cross_core_wait_flag", PipeID.PIPE_FIX, "an AIV of ascend950 has no PIPE_FIX"),
    ],
)
def test_a_pipe_that_a_core_has_not(soc: str, on_aic: bool, call: str, which: object, words: str) -> None:
    kernel = asc.jit(named.function, kernel_type="mix_1_2", soc=soc)
    with pytest.raises(FlagError) as caught:
        kernel[1](np.zeros(8, np.float32), on_aic, call, which)
    assert f"asc.{call}: {words}" in str(caught.value)
    mine = "PIPE_S, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_FIX" if on_aic else "PIPE_S, PIPE_V, PIPE_MTE2, PIPE_MTE3"
    assert f"it has {mine}" in str(caught.value)


def test_a_pipe_that_only_some_have() -> None:
    """An AIC of the first generation has MTE3; there, the pipe of a wait between cores says nothing."""
    for which in (PipeID.PIPE_MTE3, PipeID.PIPE_ALL):
        named[1](np.zeros(8, np.float32), True, "pipe_barrier", which)
    with pytest.raises(DeadlockError):
        named[1](np.zeros(8, np.float32), True, "cross_core_wait_flag", PipeID.PIPE_V)


@pytest.mark.filterwarnings("ignore::opwright.errors.CheckWarning")
@pytest.mark.parametrize(("flag", "told"), [(10, []), (26, []), (15, [15, 15]), (27, [11, 27])])
def test_flags_of_one_aiv_that_are_not_for_kernels(flag: int, told: list[int]) -> None:
    numbered.check[1](np.zeros(8, np.float32), flag)
    findings = sorted(numbered.check.report().findings, key=lambda one: one.message)
    assert [one.severity for one in findings] == ["warning"] * len(told)
    assert [one.message.split(" is not for kernels")[0] for one in findings] == [
        f"flag {number} between cores" for number in told
    ]


def test_flags_of_two_aivs() -> None:
    for kernel in (swap, swap.check, swap.check(perturb=16)):
        x, w, z = arrays()
        kernel[GROUPS](x, w, z, "right")
        np.testing.assert_array_equal(z.reshape(-1, 2, HALF), x.reshape(-1, 2, HALF)[:, ::-1])
    assert not swap.check.report().findings


@pytest.mark.parametrize(
    ("way", "kind", "words"),
    [
        ("another pipe", RaceError, "of argument w from byte 0, element 0, which AIV 0 writes too"),
        ("another pipe waits", RaceError, "which AIV 0 writes too"),
        ("not waited for", FlagError, "flag 3 (mode 1) is set once more than AIV 0 waits for it"),
        ("one sets it", DeadlockError, "for flag 3 (mode 1): AIV 1 never set it"),
    ],
)
def test_wrong_flags_of_two_aivs_are_told(way: str, kind: type[OpwrightError], words: str) -> None:
    with pytest.raises(kind) as caught:
        swap.check[GROUPS](*arrays(), way)
    assert words in str(caught.value)


def verdicts_on(
    judge: ModuleType, launch: Any, program: Any, right: Any, mutants: list[Any], folder: Path
) -> list[Any]:
    """Of the tool, on mutants that are compiled together."""
    folder.mkdir()
    programs = [judge.mutated(program, mutant) for mutant in mutants]
    judge.build(launch, programs, folder)
    kernels = [judge.load(launch, one, folder, number) for number, one in enumerate(programs)]
    return [judge.judge(launch, one, kernel, right.outputs) for one, kernel in zip(programs, kernels, strict=True)]


def test_every_removal_is_caught(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each set and each wait between cores, and all of one flag: no removal goes unnoticed."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    judge, mutants, order = (importlib.import_module(f"mutation.{name}") for name in ("judge", "mutants", "order"))
    launch = judge.Launch("here", hand_over, GROUPS, (*arrays(), TURNS, "right"), {})
    program = judge.compiled(launch)
    judge.build(launch, [program], tmp_path)
    right = judge.run(launch, judge.load(launch, program, tmp_path))
    assert right.findings == [] and order.unordered(right.events, judge.rules(hand_over)) == []
    all_mutants = mutants.mutants_of(program.ir)
    crosses = [mutant for mutant in all_mutants if "cross" in mutant.kind or "cores" in mutant.kind]
    assert len(crosses) == 6
    local = [mutant for mutant in all_mutants if mutant.kind == "set and wait"]
    verdicts = verdicts_on(judge, launch, program, right, crosses + local[:5], tmp_path / "mutants")
    assert {verdict.outcome for verdict in verdicts[:6]} == {"caught"}
    assert {verdict.outcome for verdict in verdicts} <= {"caught", "equivalent"}
    assert not any(verdict.false_alarm for verdict in verdicts)
    assert {verdict.why for verdict in verdicts} >= {"RaceError", "FlagError", "DeadlockError"}


def test_every_removal_from_the_example_is_caught(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Four tiles of one group: each half of the workspace is used again."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    judge, mutants = (importlib.import_module(f"mutation.{name}") for name in ("judge", "mutants"))
    example = importlib.import_module("13_matmul_leakyrelu_mix")
    a, b = np.ones((256, 64), np.float16), np.ones((64, 64), np.float16)
    c, workspace = np.full((256, 64), np.nan, np.float32), np.full(2 * example.IN_TILE, np.nan, np.float32)
    launch = judge.Launch("example", example.matmul_leakyrelu, 1, (a, b, c, workspace, 256, 64, 64, 0.5), {})
    program = judge.compiled(launch)
    judge.build(launch, [program], tmp_path)
    right = judge.run(launch, judge.load(launch, program, tmp_path))
    assert right.findings == []
    crosses = [one for one in mutants.mutants_of(program.ir) if "cross" in one.kind or "cores" in one.kind]
    assert Counter(one.kind for one in crosses) == {
        "cross_core_set_flag": 4,
        "cross_core_wait_flag": 4,
        "set and wait of cores": 4,
    }
    verdicts = verdicts_on(judge, launch, program, right, crosses, tmp_path / "mutants")
    missed = [
        (mutant.kind, mutant.places(program.ir))
        for mutant, verdict in zip(crosses, verdicts, strict=True)
        if verdict.outcome != "caught"
    ]
    assert missed == []


def test_lanes_have_the_names_of_cores() -> None:
    given = arrays()  # they must outlive the launch
    bound = hand_over.binder.bind((*given, TURNS, "right"), {})
    shown = timeline(recorded(hand_over.kernel_for(bound, Mode.CHECKED), GROUPS, bound))
    assert shown.cores == (0, 1, 2, 3, 4, 5)
    assert shown.names == ("AIC 0", "AIV 0", "AIV 1", "AIC 1", "AIV 2", "AIV 3")
    pairs = [(shown.steps[a].event, shown.steps[b].event) for a, b in shown.arrows]
    crossed = [(a.core_name, b.core_name, a.id, a.iteration) for a, b in pairs if a.kind == "cross_set"]
    full = [("AIC 0", aiv, 0, turn) for aiv in ("AIV 0", "AIV 1") for turn in range(TURNS)]
    free = [(aiv, "AIC 0", 1, turn) for aiv in ("AIV 0", "AIV 1") for turn in range(TURNS - 1)]
    assert sorted(one for one in crossed if "AIC 0" in one) == sorted(full + free)
    assert len(crossed) == 2 * len(full + free)
    text = perfetto(shown)
    assert '"name": "AIC 1"' in text and '"name": "AIV 3"' in text and '"name": "0 (mode 2)"' in text
