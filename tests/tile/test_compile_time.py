"""How long the compiler takes, in CPU time; and that it is not loaded where nothing is compiled."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
import tile_kernels as kernels

from opwright.errors import TileTooLarge
from opwright.tile.compiler import calls
from opwright.tile.names import AUTO_SIZES

FLOOR = 0.3  # seconds of CPU time from the kernel over tiles to Ascend C; the goal is half of it
RUNS = 9
SCRIPT = """
import sys
import numpy as np
sys.path.insert(0, {folder!r})
import tile_kernels
x = np.ones((9, 65), np.float32)
y = np.zeros_like(x)
tile_kernels.softmax(x, y)
assert abs(y - 1 / 65).max() < 1e-6
print(sorted(name for name in sys.modules if name.startswith(("xdsl", "opwright.tile.compiler", "opwright.emit"))))
"""


def seconds(columns: int) -> float:
    bound = kernels.softmax.binder.bind([f"f32[64, {columns}]"] * 2, {}, described=True)
    began = time.process_time()
    kernels.softmax.program(bound, "ascend910b")
    return time.process_time() - began


@pytest.mark.quick
def test_softmax_is_compiled_quickly() -> None:
    """The least of some runs: others work on the machine, too. ROWS is `tile.auto`."""
    taken = min(seconds(1000) for _ in range(RUNS))
    print(f"softmax: {1000 * taken:.0f} ms of CPU time to Ascend C, floor {1000 * FLOOR:.0f}, goal {500 * FLOOR:.0f}")
    assert taken <= FLOOR


@pytest.mark.quick
def test_few_sizes_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []
    place = calls.place
    monkeypatch.setattr(calls, "place", lambda *given: tried.append(given) or place(*given))
    seconds(1000)
    assert 1 <= len(tried) <= 3


@pytest.mark.quick
@pytest.mark.parametrize("columns", [8, 72, 400, 1000, 3000, 5000])
def test_the_largest_size_that_fits_is_taken(columns: int) -> None:
    """With all slots: the next larger one does not fit, or fits only if something is given up."""
    shapes = [f"f16[64, {columns}]"] * 2
    chosen = kernels.softmax.lower(*shapes, soc="ascend910b")
    for size in AUTO_SIZES:
        try:
            report = kernels.softmax.report(*shapes, soc="ascend910b", ROWS=size)
        except TileTooLarge:
            continue
        if report.endswith("given up so that it fits\n  none\n") or size == AUTO_SIZES[-1]:
            assert chosen == kernels.softmax.lower(*shapes, soc="ascend910b", ROWS=size)
            return


def test_a_warm_hit_loads_nothing_of_the_compiler(tmp_path: Path) -> None:
    script = SCRIPT.format(folder=str(Path(__file__).parent))
    environment = {**os.environ, "OPWRIGHT_OPT_LEVEL": "0"}
    answers = []
    for _ in range(2):
        ran = subprocess.run(
            [sys.executable, "-c", script], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert ran.returncode == 0, ran.stderr
        answers.append(ran.stdout.strip())
    assert answers[1] == "[]"
