"""The corpus of races under sixteen schedules: of the wrong kernels most change their result, of the right ones none.

The corpus is about order, not about numbers, so bodies are made to show what happened: every turn of a loop gets values
and places of its own, constants become values that differ, and at the end both tiles are copied out. A right kernel
that is no longer right so, because a tile was never filled, runs as it is.
"""

import importlib.util
import itertools
import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from textwrap import indent

import hazard_case
import numpy as np
import pytest
from hazard_case import EVERY, IN_, Right, Wrong
from hazards import RIGHT, WRONG
from perturbing import perturb
from short import short

from opwright.check.perturb import Perturbed
from opwright.errors import CheckWarning, OpwrightError, RaceError, RunError
from opwright.runtime.jit import JitFunction

SHOW = f"{EVERY}asc.data_copy(z_gm[256:], a, 64)\nasc.data_copy(z_gm[320:], b, 64)\n"
VALUES = f"asc.data_copy(b, x_gm[192 - 64 * asc.get_block_idx():], 64)\n{IN_}asc.adds(b, b, 1.0, 64)\n"
FILL = f"asc.data_copy(a, x_gm[64:], 64)\nasc.data_copy(b, x_gm[128:], 64)\n{EVERY}"
SHOW_CORES = f"{EVERY}asc.data_copy(z_gm[256 + 64 * asc.get_block_idx():], a, 64)\n"
SHARE = 0.9
RACES = {name: case for name, case in WRONG.items() if case.kind is RaceError and not case.warns}


def shown(case: Right | Wrong) -> Right:
    body = case.body
    if "for i in" in body:
        body = body.replace("x_gm,", "x_gm[i * 64:],").replace("z_gm,", "z_gm[i * 64:],")
    body = re.sub(r"(?m)^( *)asc.duplicate\(b, 1.0, 64\)\n", lambda found: indent(VALUES, found[1]), body)
    return with_body(case, body + (SHOW if case.cores == 1 else SHOW_CORES))


def ways_to_show(case: Right) -> Iterator[Right]:
    """A right kernel with more or less of that: not every one is still right if its tiles are shown."""
    yield shown(case)
    yield with_body(case, FILL + shown(case).body)
    if case.cores == 1:
        yield with_body(case, case.body + SHOW)
        yield with_body(case, FILL + case.body + SHOW)
    else:
        yield with_body(case, FILL + case.body + SHOW_CORES)


def with_body(case: Right | Wrong, body: str) -> Right:
    return Right(body, case.options, case.cores, case.n, case.dtype)


def arguments(dtype: str = "float32") -> tuple[np.ndarray, np.ndarray]:
    x = np.random.default_rng(0).random(512, np.float32)
    return (x if dtype == "float32" else x * 100).astype(dtype), np.full(512, 99, dtype)


def run(folder: Path, case: Right) -> Perturbed:
    kernel, _ = hazard_case.load(folder, case)
    return perturb(kernel, case.cores, *arguments(case.dtype), case.n)


def load(folder: Path, body: str) -> JitFunction:
    return hazard_case.load(folder, Right(body))[0]


def findings(folder: Path, case: Right) -> list[type[OpwrightError]]:
    """What the checked twin says about a case; what is refused before any run counts, too."""
    kernel, _ = hazard_case.load(folder, case)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CheckWarning)
            kernel.check[case.cores](*arguments(case.dtype), case.n)
    except RunError:
        pass
    except OpwrightError as error:
        return [type(error)]
    return [finding.kind for finding in kernel.check.report()]


@pytest.mark.parametrize("step", short((2, 1), 1))
def test_wrong(step: int, tmp_path: Path) -> None:
    """Every race, or every second one."""
    found = {}
    for number, (name, case) in enumerate(itertools.islice(RACES.items(), 0, None, step)):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert RaceError in findings(folder, shown(case)), name
        found[name] = run(folder, shown(case)).first
    missed = [name for name, first in found.items() if first is None]
    assert len(found) >= 38 / step
    assert len(missed) <= (1 - SHARE) * len(found), (len(found), missed)


SHOWN = 72  # of the right kernels at least can show what happened


@pytest.mark.parametrize("step", short((8, 1), 1))
def test_right(step: int, tmp_path: Path) -> None:
    """Every kernel, or every eighth one."""
    showing = 0
    for number, (name, case) in enumerate(itertools.islice(RIGHT.items(), 0, None, step)):
        folder = tmp_path / str(number)
        folder.mkdir()
        way = next((way for way in ways_to_show(case) if not findings(folder, way)), None)
        showing += way is not None
        assert run(folder, way or case).first is None, name
    assert showing >= SHOWN / step


def test_where_it_differs(tmp_path: Path) -> None:
    """The add reads the last eight elements too early; what it writes is shown from element 320 on."""
    result = run(tmp_path, shown(RACES["part of a tile"]))
    places = {(schedule.argument, schedule.element) for schedule in result.schedules}
    assert places == {("z", 320), ("", -1)}


CORES = f"first = asc.get_block_idx() * n\nasc.data_copy(b, x_gm[asc.get_block_idx() * 64:], 64)\n{EVERY}"
WRITE = "asc.data_copy(z_gm[first:], b, 64)\n"
READ = (
    "asc.data_copy(a, z_gm[(asc.get_block_idx() + 1) % asc.get_block_num() * 64:], 64)\n"
    f"{EVERY}asc.data_copy(z_gm[256 + first:], a, 64)\n"
)


def test_cores_that_write_the_same_bytes(tmp_path: Path) -> None:
    kernel = load(tmp_path, CORES + WRITE)
    x, z = arguments()
    assert perturb(kernel, 4, x, z, 64).first is None
    first = perturb(kernel, 4, x, z, 56).first
    assert first is not None and (first.argument, first.element) == ("z", 56)


def test_a_core_that_reads_what_another_writes(tmp_path: Path) -> None:
    x, z = arguments()
    kernel = load(tmp_path, f"{CORES}{WRITE}{EVERY}{READ}")
    assert perturb(kernel, 4, x, z, 64).first is not None
    kernel = load(tmp_path, f"{CORES}{WRITE}asc.sync_all()\n{READ}")
    assert perturb(kernel, 4, x, np.full_like(z, np.nan), 64).first is None


def test_rounds_of_all_cores(tmp_path: Path) -> None:
    """Each turn reads what the neighbour wrote in the turn before: one missing barrier shows, none does not."""
    turn = (
        "    asc.data_copy(a, z_gm[(asc.get_block_idx() + 1) % asc.get_block_num() * 64:], 64)\n"
        "    asc.pipe_barrier(PipeID.PIPE_ALL)\n    asc.sync_all()\n    asc.adds(b, a, 1.0, 64)\n"
        "    asc.pipe_barrier(PipeID.PIPE_ALL)\n    asc.data_copy(z_gm[first:], b, 64)\n"
    )
    x, z = arguments()
    start = f"{CORES}{WRITE}asc.sync_all()\n"
    right = load(tmp_path, f"{start}for i in range(3):\n{turn}    asc.sync_all()\n")
    assert perturb(right, 4, x, z, 64).first is None
    expected = np.roll(x[:256].reshape(4, 64), -3, axis=0)
    for _ in range(3):
        expected = expected + np.float32(1)
    assert np.array_equal(z[:256], expected.reshape(-1))
    wrong = load(tmp_path, f"{start}for i in range(3):\n{turn}")
    assert perturb(wrong, 4, x, z, 64).first is not None


@pytest.mark.parametrize("example", ["01_vector_add", "02_vector_add_queues", "03_tiling_struct", "04_find_the_race"])
def test_examples(example: str) -> None:
    spec = importlib.util.spec_from_file_location(
        f"perturbed_{example}", Path(__file__).parents[3] / "examples" / f"{example}.py"
    )
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    x, y = np.random.default_rng(1).random((2, 3 * 5008), np.float32)
    z = np.full_like(x, np.nan)
    match example[:2]:
        case "03":
            assert perturb(module.scale_shift, 5, x, z, module.plan(len(x), 5, 2.5, -0.75)).first is None
            assert np.array_equal(z, x * np.float32(2.5) + np.float32(-0.75))
        case "04":
            assert perturb(module.forgets_to_wait, 1, x, z, 4).first is not None
            assert perturb(module.waits, 1, x, z, 4).first is None
        case _:
            assert perturb(module.vadd, 3, x, y, z, 5008).first is None
            assert np.array_equal(z, x + y)
