"""Mistakes as people make them, each a script beside this file: what they see is short, about their code, and helps.

The message is a golden. The whole of what Python prints has fewer than 15 lines.
"""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SCRIPTS = sorted(path for path in HERE.glob("*.py") if path != Path(__file__))
FEWER_THAN = 15


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_message(script: Path, golden: Callable[[str, str], None]) -> None:
    done = subprocess.run(
        [sys.executable, script.name], cwd=HERE, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 1
    shown = done.stderr.splitlines()
    assert len(shown) < FEWER_THAN, done.stderr
    start = next(number for number, line in enumerate(shown) if line.startswith("opwright.errors."))
    message = "\n".join(shown[start:]).removeprefix("opwright.errors.").replace(f"{HERE}/", "")
    assert "src/opwright" not in message and "site-packages" not in message
    assert "\nhint: " in message
    golden(f"{script.stem}.txt", message + "\n")


def test_there_are_enough() -> None:
    assert len(SCRIPTS) >= 10
