"""Every example runs, by itself and from anywhere."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("[0-9]*.py"))
WRONG_ON_PURPOSE = ("04_find_the_race",)  # it shows what a plain launch does not find


def test_there_are_examples() -> None:
    assert EXAMPLES
    assert [path.name[:2] for path in EXAMPLES] == [f"{number:02}" for number in range(1, len(EXAMPLES) + 1)]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path: Path, tmp_path: Path) -> None:
    environment = dict(os.environ)
    if path.stem in WRONG_ON_PURPOSE:
        environment.pop("OPWRIGHT_CHECK", None)
    command = [sys.executable, str(path)]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    # The first example that needs them may compile the operators, and says so.
    said = [line for line in done.stderr.splitlines() if not line.startswith("opwright: compiling ")]
    assert done.stdout and said == []
    assert "WRONG" not in done.stdout
    assert list(tmp_path.iterdir()) == []
    assert 'if __name__ == "__main__":\n    main()\n' in path.read_text(encoding="utf-8")


def test_vector_add_covers_what_it_says(tmp_path: Path) -> None:
    """Every element type, number of cores and length, and the refusal of bfloat16 with its reason."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "01_vector_add.py")],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "OPWRIGHT_THREADS": "2"},
        timeout=120,
        check=True,
    )
    right = [line for line in done.stdout.splitlines() if line.endswith(": equal to NumPy")]
    for dtype in ("float16", "float32", "int16", "int32"):
        for cores in (1, 8, 48):
            lines = [line for line in right if line.startswith(dtype) and f" {cores} cores" in line]
            assert len(lines) >= 3, (dtype, cores)
    assert "asc.add does not take bfloat16 on ascend910b: this SoC has no bfloat16 vector arithmetic" in done.stdout


def test_queues_cover_what_they_say(tmp_path: Path) -> None:
    """Every element type and number of cores, and both mistakes with their lines."""
    path = ROOT / "examples" / "02_vector_add_queues.py"
    command = [sys.executable, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=120, check=True)
    right = [line for line in done.stdout.splitlines() if line.endswith(": equal to NumPy")]
    for dtype in ("float16", "float32", "int32"):
        for cores in (1, 8, 48):
            assert sum(line.startswith(dtype) and f" {cores} cores" in line for line in right) == 3, (dtype, cores)
    assert "none of the 2 buffers of this queue is free: 2 dequeued" in done.stdout
    assert "x_in = queue.alloc_tensor(x.dtype)" in done.stdout
    assert "a tensor enqueued here is never dequeued, so flag MTE2_V 0 is still set when the core ends" in done.stdout
