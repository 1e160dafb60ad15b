"""Tracebacks of what is refused: at most one frame of ours, and none in pytest."""

import os
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import opwright
from opwright import asc
from opwright.asc.runtime import config
from opwright.errors import OpwrightError

OURS = str(Path(opwright.__file__).parent)


@asc.jit(soc="ascend910b")
def raced(x: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    asc.data_copy(a, x_gm, 64)
    asc.adds(a, a, 1.0, 64)


@asc.jit(soc="ascend910b")
def refused(x: asc.GlobalAddress):
    asc.adds(x, x, 1.0, 64)


@asc.simt(soc="ascend950")
def by_threads(x: asc.GlobalAddress):
    x[0] = 1.0


ARRAY = np.zeros(64, np.float32)
CASES: dict[str, Callable[[], object]] = {
    "argument": lambda: raced[1]("text"),
    "kernel": lambda: refused[1](ARRAY),
    "emit": lambda: refused.emit("f32[64]"),
    "compiled": lambda: refused.compiled(ARRAY),
    "race": lambda: raced.check[1](ARRAY),
    "checked argument": lambda: raced.check[1]("text"),
    "trace": lambda: raced.trace[1]("text"),
    "grid": lambda: raced[2, 2],
    "checked grid": lambda: raced.check["text"],
    "traced grid": lambda: raced.trace["text"],
    "no grid": lambda: raced(ARRAY),
    "schedules": lambda: raced.check(perturb=-1),
    "no report": lambda: refused.check(seed=1).report(),
    "option": lambda: asc.jit(soc="ascend1"),
    "class": lambda: asc.jit(object),
    "signature": lambda: asc.jit(lambda *x: None),
    "threads": lambda: by_threads[1, 4096](ARRAY),
    "threads of nothing": lambda: asc.simt(object),
    "many threads": lambda: asc.simt(max_threads=1 << 20),
    "outside": lambda: asc.adds(1, 2, 3, 4),
    "outside a number": lambda: asc.number(1, asc.int32),
    "platform": lambda: config.set_platform("NPU"),
}


@pytest.mark.opwright_check(False)  # one kernel races on purpose, and all are refused
@pytest.mark.parametrize("case", CASES)
def test_one_frame_of_ours(case: str) -> None:
    with pytest.raises(OpwrightError) as caught:
        CASES[case]()
    frames = [frame.filename for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert sum(name.startswith(OURS) for name in frames) <= 1, frames


def test_none_in_pytest(tmp_path: Path) -> None:
    """Every case fails a test of a user, and what pytest shows are lines of theirs."""
    (tmp_path / "test_user.py").write_text(
        f"import sys\nsys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "import pytest\nfrom test_frames import CASES\n\n"
        "@pytest.mark.parametrize('case', CASES)\ndef test_case(case):\n    CASES[case]()\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", "."]
    environment = {key: value for key, value in os.environ.items() if key not in ("OPWRIGHT_CHECK", "OPWRIGHT_DEBUG")}
    done = subprocess.run(
        [*command, "."], cwd=tmp_path, capture_output=True, text=True, timeout=300, env=environment, check=False
    )
    assert f"{len(CASES)} failed" in done.stdout, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert any(line.startswith("test_user.py:") for line in lines), done.stdout
    places = (OURS, os.path.relpath(OURS, tmp_path), os.path.relpath(OURS, tmp_path.resolve()))
    assert [line for line in lines if line.startswith(places)] == []
