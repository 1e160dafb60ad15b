"""Runs `opwright` for the tests of this folder."""

import os
import pty
import subprocess
import sys
from collections.abc import Callable

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
OnTerminal = Callable[[list[str]], tuple[int, str]]


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


@pytest.fixture
def on_terminal() -> OnTerminal:
    """`on_terminal(command)`: the exit code, and what a narrow terminal with colours gets, its line ends apart."""

    def call(command: list[str]) -> tuple[int, str]:
        environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "40"}
        environment.pop("NO_COLOR", None)
        main, terminal = pty.openpty()
        process = subprocess.Popen(command, stdout=terminal, stderr=subprocess.DEVNULL, env=environment)
        os.close(terminal)
        parts = []
        while part := _read(main):
            parts.append(part)
        code = process.wait()
        os.close(main)
        return code, b"".join(parts).decode().replace("\r\n", "\n")

    return call


def _read(main: int) -> bytes:
    try:
        return os.read(main, 65536)
    except OSError:  # how Linux says that the other end is closed
        return b""


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.unchecked(reason="its commands run in processes of their own"))
