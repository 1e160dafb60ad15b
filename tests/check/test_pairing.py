"""Flags that cannot be right are told before anything runs; what may be right is never told."""

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from check_kernels import adds_one

from opwright import asc
from opwright.asc import HardEvent
from opwright.ascendc.kernel_types import KERNEL_TYPES
from opwright.check.pairing import Mistake, pairing
from opwright.errors import CheckWarning, DeadlockError, FlagError
from opwright.runtime.jit import JitFunction

TESTS = Path(__file__).parents[1]


def mistakes(kernel: JitFunction, *arguments: object, soc: str | None = None) -> list[Mistake]:
    bound = kernel.binder.bind(arguments, {}, described=True)
    return pairing(kernel.program(bound, soc).ir, KERNEL_TYPES[kernel.options.kernel_type].kinds)


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"pairing_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@asc.jit
def never_waited(n: int):
    asc.set_flag(HardEvent.MTE2_V, 0)
    asc.wait_flag(HardEvent.MTE2_V, 0)
    asc.set_flag(HardEvent.MTE2_V, 1)  # here


@asc.jit
def never_set(n: int):
    asc.wait_flag(HardEvent.MTE2_V, 0)  # here


@asc.jit
def set_later(n: int):
    asc.wait_flag(HardEvent.MTE2_V, 0)  # here
    asc.set_flag(HardEvent.MTE2_V, 0)


@asc.jit
def set_twice(n: int):
    asc.set_flag(HardEvent.MTE2_V, 0)
    asc.set_flag(HardEvent.MTE2_V, 0)  # here
    asc.wait_flag(HardEvent.MTE2_V, 0)


@asc.jit
def other_id(n: int):
    asc.set_flag(HardEvent.V_MTE3, 0)  # here
    asc.wait_flag(HardEvent.V_MTE3, 1)  # here


@asc.jit
def set_in_a_turn(n: int):
    for _ in range(3):
        asc.set_flag(HardEvent.V_MTE3, 0)  # here
    asc.wait_flag(HardEvent.V_MTE3, 0)


@asc.jit
def waited_in_a_turn(n: int):
    asc.set_flag(HardEvent.V_MTE3, 0)
    for _ in range(2):
        asc.wait_flag(HardEvent.V_MTE3, 0)  # here


@asc.jit
def turns_of_the_run(n: int):
    for _ in range(n):
        asc.set_flag(HardEvent.V_MTE3, 0)  # here
    asc.wait_flag(HardEvent.V_MTE3, 0)


@asc.jit
def wait_of(event_id: int):
    asc.wait_flag(HardEvent.MTE2_V, event_id)  # here


@asc.jit
def in_a_helper(n: int):
    asc.set_flag(HardEvent.MTE2_V, 2)
    wait_of(2)
    wait_of(3)


class Buffers:
    """Sets a flag when it is made."""

    def __init__(self):
        asc.set_flag(HardEvent.V_MTE2, 0)

    def take(self):
        asc.wait_flag(HardEvent.V_MTE2, 0)  # here


@asc.jit
def in_a_method(n: int):
    buffers = Buffers()
    buffers.take()
    buffers.take()


WRONG = {
    never_waited: ("FlagError", "error", "flag MTE2_V 1 is still set when the core ends"),
    never_set: ("DeadlockError", "error", "flag MTE2_V 0 is waited for, but nothing set it before this line"),
    set_later: ("DeadlockError", "error", "flag MTE2_V 0 is waited for, but nothing set it before this line"),
    set_twice: ("FlagError", "error", "flag MTE2_V 0 is set again before anything waited for it"),
    set_in_a_turn: (
        "FlagError",
        "error",
        "every iteration of the loop sets flag V_MTE3 0 once more than it waits for it",
    ),
    waited_in_a_turn: (
        "DeadlockError",
        "error",
        "every iteration of the loop waits for flag V_MTE3 0 once more than it sets it",
    ),
    turns_of_the_run: (
        "FlagError",
        "warning",
        "every iteration of the loop sets flag V_MTE3 0 once more than it waits for it",
    ),
    in_a_helper: ("DeadlockError", "error", "flag MTE2_V 3 is waited for, but nothing set it before this line"),
    in_a_method: ("DeadlockError", "error", "flag V_MTE2 0 is waited for, but nothing set it before this line"),
}


@pytest.mark.quick
@pytest.mark.parametrize("kernel", WRONG, ids=lambda kernel: kernel.__name__)
def test_wrong(kernel: JitFunction) -> None:
    """One mistake each, at the line that is marked."""
    (found,) = mistakes(kernel, 3)
    assert (found.kind, found.severity, found.message) == WRONG[kernel]
    marked = {in_a_helper: wait_of, in_a_method: Buffers.take}.get(kernel, kernel)
    lines = marked.source.text.splitlines() if isinstance(marked, JitFunction) else None
    if lines is not None:
        assert "# here" in lines[int(found.at.split(":")[0]) - 1]
    assert bool(found.function) == (kernel in (in_a_helper, in_a_method))


@pytest.mark.quick
def test_two_mistakes() -> None:
    """The order is that of the program; what is left set comes last."""
    assert [(one.kind, one.at) for one in mistakes(other_id, 1)] == [("DeadlockError", "4:4"), ("FlagError", "3:4")]


@asc.jit
def in_a_branch(n: int):
    asc.set_flag(HardEvent.MTE2_V, 0)
    if n > 3:
        asc.wait_flag(HardEvent.MTE2_V, 0)


@asc.jit
def id_of_the_run(n: int):
    asc.set_flag(HardEvent.MTE2_V, 0)
    asc.set_flag(HardEvent.MTE2_V, 1)
    for i in range(2):
        asc.wait_flag(HardEvent.MTE2_V, i)


@asc.jit
def leaves(n: int):
    asc.set_flag(HardEvent.MTE2_V, 0)
    if n > 3:
        return
    asc.wait_flag(HardEvent.MTE2_V, 0)


@asc.jit
def one_turn(n: int):
    for _ in range(1):
        asc.set_flag(HardEvent.MTE2_V, 0)
    asc.wait_flag(HardEvent.MTE2_V, 0)


@asc.jit
def broken_off(n: int):
    asc.set_flag(HardEvent.MTE2_V, 0)
    for i in range(4):
        asc.wait_flag(HardEvent.MTE2_V, 0)
        if i == n:
            break
        asc.set_flag(HardEvent.MTE2_V, 0)


@asc.jit
def handed_on(n: int):
    """Waits for the flag of the iteration before, sets that of the next."""
    asc.set_flag(HardEvent.V_MTE2, 0)
    for _ in range(n):
        asc.wait_flag(HardEvent.V_MTE2, 0)
        asc.set_flag(HardEvent.V_MTE2, 0)
    asc.wait_flag(HardEvent.V_MTE2, 0)


@asc.jit
def with_a_queue(n: int):
    """The queue's own flags are not seen here, so nothing is said about any."""
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, 1)
    pipe.init_buffer(queue, 1, 64)
    asc.set_flag(HardEvent.MTE2_V, 0)


RIGHT = (in_a_branch, id_of_the_run, leaves, one_turn, broken_off, handed_on, with_a_queue)


@pytest.mark.quick
@pytest.mark.parametrize("kernel", RIGHT, ids=lambda kernel: kernel.__name__)
def test_nothing_is_said_where_nothing_is_certain(kernel: JitFunction) -> None:
    assert mistakes(kernel, 3) == []


def test_no_golden_kernel_is_accused() -> None:
    cases = load(TESTS / "emit" / "kernels.py").CASES
    checked = 0
    for name, (kernel, arguments, soc) in cases.items():
        assert mistakes(kernel, *arguments, soc=soc) == [], name
        checked += 1
    assert checked > 50


def test_no_right_hazard_is_accused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(TESTS / "twin" / "hazards"))
    hazards, case = (importlib.import_module(name) for name in ("hazards", "hazard_case"))
    for number, (name, right) in enumerate(hazards.RIGHT.items()):
        folder = tmp_path / str(number)
        folder.mkdir()
        kernel, _ = case.load(folder, right)
        array = f"{right.dtype}[256]"
        assert mistakes(kernel, array, array, right.n, soc=kernel.soc().name) == [], name
    assert len(hazards.RIGHT) > 40


def test_a_launch_tells_it_once() -> None:
    """The run ends at the same line: it is told by the run, which knows more."""
    with pytest.raises(FlagError, match="flag MTE2_V 1 is still set when the core ends"):
        never_waited.check[1](1)
    (finding,) = never_waited.check.report()
    assert finding.kind is FlagError
    with pytest.raises(DeadlockError, match="the twin runs a core in program order"):
        never_set.check[1](1)
    assert len(never_set.check.report()) == 1


def test_what_the_run_does_not_reach_is_told() -> None:
    """The loop turns once, so that nothing goes wrong; it would if it turned twice."""
    with pytest.warns(CheckWarning, match="every iteration of the loop sets flag V_MTE3 0 once more"):
        turns_of_the_run.check[1](1)
    (finding,) = turns_of_the_run.check.report()
    line = turns_of_the_run.source.first_line + 3
    assert finding.severity == "warning" and finding.at is not None and finding.at.line == line


def test_a_right_kernel_stays_right() -> None:
    adds_one.check[1](np.ones(64, np.float32), np.zeros(64, np.float32))
    assert len(adds_one.check.report()) == 0
