"""Every flag and barrier that the compiler puts into a kernel is needed: without it the checked twin finds a fault.

All of a kernel's mutants are one text with a switch for each removal, compiled once; one core runs several iterations
of every loop, so that none is harmless because of the launch. Nothing is sampled. `tools/mutate_sync.py` does the same
for every kernel of the repository.
"""

import importlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from launches import BF16, EXAMPLES, LAUNCHES, ROOT, kernels_of, loaded

from opwright import asc
from opwright.settings import settings

# Of kernels with conversions the types that have most of them; of others float32.
TYPES = {"softmax": BF16, "softmax_long": BF16, "add_layer_norm": BF16}
KINDS = {"set_flag", "wait_flag", "set and wait", "pipe_barrier"}
KINDS |= {"cross_core_set_flag", "cross_core_wait_flag", "set and wait of cores"}


@pytest.fixture
def mutation(monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    """The tool's parts."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    yield SimpleNamespace(**{name: importlib.import_module(f"mutation.{name}") for name in ("judge", "mutants")})


@pytest.mark.quick
def test_every_kernel_of_the_examples_has_a_launch() -> None:
    names = {f"{path.stem}:{name}" for path in EXAMPLES for name in kernels_of(loaded(path))}
    assert len(names) >= 4 and names <= LAUNCHES.keys()


def survivors(launch: Any, mutation: SimpleNamespace, folder: Path, also: Sequence[Any] = ()) -> tuple[int, list[str]]:
    """How many mutants a kernel has, which of them give no finding, and what the brute force says of these.

    also: launches of the same text that come to other parts of it.
    """
    judge = mutation.judge
    program = judge.compiled(launch)
    mutants = mutation.mutants.synchronisation_of(program.ir)
    assert mutants and {mutant.kind for mutant in mutants} <= KINDS
    edits = [judge.edits_of(program.text, judge.mutated(program, one).text) for one in mutants]
    switches = sorted({edit for some in edits for edit in some}, key=str)
    judge.build(launch, [judge.with_switches(program, switches)], folder)
    right = judge.run(launch, judge.load(launch, program, folder))
    assert right.findings == []
    assert not any(judge.run(other, judge.load(other, program, folder)).errors() for other in also)
    found = []
    for mutant, some in zip(mutants, edits, strict=True):
        kernel = judge.load(launch, program, folder, 0, [switches.index(edit) for edit in some])
        if not any(judge.run(one, kernel).errors() for one in (launch, *also)):
            verdict = judge.judge(launch, program, kernel, right.outputs)
            found.append(f"{mutant.kind} in {mutant.places(program.ir)} is {verdict.outcome}")
    return len(mutants), found


SLOW = ("20_tile_attention:attention", "ascend950")  # a minute
CASES = [
    pytest.param(name, soc, marks=[pytest.mark.slow] if (name, soc) == SLOW else [])
    for name in LAUNCHES
    for soc in ("ascend910b", "ascend950")
]


@pytest.mark.parametrize(("name", "soc"), CASES)
def test_nothing_can_be_taken_out(name: str, soc: str, mutation: SimpleNamespace, tmp_path: Path) -> None:
    known = LAUNCHES[name]
    dtype = TYPES.get(known.kernel.__name__, np.float32)
    with settings.scope(soc=soc):
        launch, *also = (
            mutation.judge.Launch(name, known.kernel, 1, tuple(known.arguments(dtype, other)), known.constants)
            for other in ((False, True) if known.also else (False,))
        )
        count, found = survivors(launch, mutation, tmp_path, also)
    print(f"{name} on {soc}: {count} mutants, {len(found)} survivors")
    assert found == []


@asc.jit(auto_sync=False)
def with_too_much(x: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    local = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    for _ in range(5):
        asc.duplicate(local, 1.0, 64)
        asc.set_flag(asc.HardEvent.V_MTE3, 0)
        asc.wait_flag(asc.HardEvent.V_MTE3, 0)
        asc.pipe_barrier(asc.PipeID.PIPE_MTE3)
        asc.data_copy(x_gm, local, 64)
        asc.set_flag(asc.HardEvent.MTE3_V, 0)
        asc.wait_flag(asc.HardEvent.MTE3_V, 0)


def test_what_is_superfluous_is_seen(mutation: SimpleNamespace, tmp_path: Path) -> None:
    """A barrier that two flags imply."""
    launch = mutation.judge.Launch("here", with_too_much, 1, (np.zeros(64, np.float32),), {})
    count, (found,) = survivors(launch, mutation, tmp_path)
    assert count == 7
    assert found.startswith("pipe_barrier") and found.endswith("equivalent")
