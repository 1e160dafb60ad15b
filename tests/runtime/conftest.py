"""What the tests of the runtime share: Python in a process of its own."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def python(tmp_path: Path, cache_dir: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """`python(script, *words, **environment)`: runs a script outside the checkout; the test fails if it does not."""

    def run(
        script: Path, *words: str, check: bool = True, cwd: Path | None = None, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, str(script), *words],
            capture_output=True,
            text=True,
            timeout=60,
            cwd=cwd or tmp_path,
            env={**os.environ, "OPWRIGHT_CACHE_DIR": str(cache_dir), **environment},
            check=False,
        )
        assert not check or done.returncode == 0, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    return run
