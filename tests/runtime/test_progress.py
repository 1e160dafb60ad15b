"""Long compiles: a spinner at terminals, a line in notebooks, silence in pipes; what `doctor --warm` builds."""

import os
import pty
import select
import subprocess
import sys

import pytest
from click.testing import CliRunner

from opwright.cli.doctor import command
from opwright.errors import NoCompiler
from opwright.kernel.target import Mode
from opwright.native.build import Library
from opwright.package import doctor, warm

PROGRAM = """
import time
from opwright.store.progress import compiling, showing
with compiling("the first", 3):
    with compiling("the second", 4):
        print("printed", showing())
    time.sleep(0.3)
print("after", showing())
"""


def test_a_spinner_at_a_terminal() -> None:
    """What the program prints goes where it always goes; of two compiles the first is shown."""
    main, terminal = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=terminal, text=True, env=environment, check=True)
    shown = os.read(main, 65536).decode() if select.select([main], [], [], 0)[0] else ""
    os.close(terminal)
    os.close(main)
    assert done.stdout == "printed True\nafter False\n"
    assert "opwright: compiling the first, once: about 3 s of CPU time" in shown and "second" not in shown


def test_silence_in_a_pipe() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("printed False\nafter False\n", "")


def test_a_line_in_a_notebook() -> None:
    program = "import sys\nsys.modules['ipykernel'] = sys\n" + PROGRAM
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "printed True\nafter False\n"
    assert done.stderr == "opwright: compiling the first, once: about 3 s of CPU time\n"


def test_warm(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them; one that cannot be built does not keep the others from it."""
    asked = []

    def library(store: object, tools: object, mode: Mode) -> None:
        asked.append(mode)
        if mode is Mode.CHECKED:
            raise NoCompiler(looked_for="g++")

    monkeypatch.setattr(warm, "library", library)
    monkeypatch.setattr(warm, "cpu_library", lambda: Library(None, reason="no room"))
    monkeypatch.setattr(warm, "torch_library", lambda home: Library(home))
    monkeypatch.setattr(doctor, "examine", list)
    done = CliRunner().invoke(command, ["--warm"])
    lines = done.output.splitlines()
    assert done.exit_code == 0 and asked == [Mode.FAST, Mode.CHECKED]
    assert lines[0].startswith("the twin: ready, ") and lines[1].startswith("the checked twin: ")
    assert "ready" not in lines[1] and lines[2] == "the operators: no room"
