"""Runs `opwright` for the tests of this folder."""

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run() -> Run:
    """`run("list", "calls", NAME="value")`: a new process with that environment; None takes a variable out."""

    def call(*words: str, **environment: str | None) -> subprocess.CompletedProcess[str]:
        clean = {name: text for name, text in os.environ.items() if not name.startswith(("OPWRIGHT_", "ASCEND_"))}
        whole = {**clean, "OPWRIGHT_CACHE_DIR": os.environ["OPWRIGHT_CACHE_DIR"], "COLUMNS": "100", **environment}
        done = subprocess.run(
            [sys.executable, "-m", "opwright.cli", *words],
            capture_output=True,
            text=True,
            env={name: text for name, text in whole.items() if text is not None},
            timeout=240,
            check=False,
        )
        assert "Traceback" not in done.stdout + done.stderr
        return done

    return call
