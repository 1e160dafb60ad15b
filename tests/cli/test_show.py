"""`opwright show`: each stage of a kernel, an overview of all, and help that loads nothing heavy."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from opwright import passes
from opwright.cli import cli

Run = Callable[..., subprocess.CompletedProcess[str]]
OnTerminal = Callable[[list[str]], tuple[int, str]]
Golden = Callable[[str, str], None]
ROOT = Path(__file__).parents[2]

KERNEL = """\
from opwright import asc


@asc.jit
def scale(z: asc.GlobalAddress, n: int, m: int):
    total = 0
    for i in range(n):
        size = n * m
        total += size + i * 0
        if asc.get_block_idx() % 1 > 0:
            asc.trap()
    asc.printf("%d\\n", total)
"""
WORDS = ("--arg", "z=f32[64]", "--arg", "n=4", "--arg", "m=3")


@pytest.fixture
def show(run: Run, tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    (tmp_path / "file.py").write_text(KERNEL)

    def call(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return run("show", f"{tmp_path}/file.py:scale", *WORDS, *words, **environment)

    return call


def test_overview(show: Run, golden: Golden) -> None:
    done = show()
    assert (done.returncode, done.stderr) == (0, "")
    golden("show_overview.txt", re.sub(r"[0-9]+ nodes", "some nodes", done.stdout))


@pytest.mark.parametrize("stage", ["ir", *passes.names(), "text"])
def test_stage(stage: str, show: Run, golden: Golden) -> None:
    done = show("--stage", stage)
    assert (done.returncode, done.stderr) == (0, "")
    golden(f"show_{stage}.{'cpp' if stage == 'text' else 'mlir'}", done.stdout)


def test_syntax_tree(show: Run) -> None:
    lines = show("--stage", "ast").stdout.splitlines()
    assert lines[0] == "Module("
    assert any(line.strip().startswith("For(") for line in lines)


def test_text_is_what_emit_prints(show: Run, run: Run, tmp_path: Path) -> None:
    for words in ((), ("--without", "hoist"), ("--without", "hoist", "--without", "fold")):
        emitted = run("emit", f"{tmp_path}/file.py:scale", *WORDS, *words)
        assert emitted.returncode == 0
        assert show("--stage", "text", *words).stdout == emitted.stdout
    assert run("emit", f"{tmp_path}/file.py:scale", *WORDS).stdout != emitted.stdout


def test_pass_that_is_left_out(show: Run) -> None:
    words = show("--without", "fold").stdout.split()
    assert "hoist" in words and "fold" not in words
    done = show("--without", "fold", "--stage", "fold")
    assert done.returncode == 2 and "the pass fold is disabled" in done.stderr
    done = show("--stage", "hoist", OPWRIGHT_WITHOUT="hoist")
    assert done.returncode == 2 and "the pass hoist is disabled" in done.stderr


def test_refused(show: Run) -> None:
    done = show("--stage", "folds")
    assert done.returncode == 2 and "'folds' is not one of 'ast', 'ir', 'fold'" in done.stderr
    done = show("--without", "folds")
    assert done.returncode == 2 and "'folds' is not one of 'fold'" in done.stderr
    done = show(OPWRIGHT_WITHOUT="folds")
    assert done.returncode == 1
    assert "OPWRIGHT_WITHOUT='folds': there is no pass 'folds'; did you mean fold?" in done.stderr


def test_colour_on_a_terminal_only(tmp_path: Path, on_terminal: OnTerminal) -> None:
    (tmp_path / "file.py").write_text(KERNEL)
    command = [sys.executable, "-m", "opwright.cli", "show", f"{tmp_path}/file.py:scale", *WORDS]
    for stage in ("ast", "ir", "text"):
        plain = subprocess.run([*command, "--stage", stage], capture_output=True, text=True, check=True).stdout
        assert "\x1b[" not in plain
        code, coloured = on_terminal([*command, "--stage", stage])
        assert code == 0
        assert "\x1b[" in coloured
        # Nothing is cut or wrapped.
        assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain


def test_help_text(run: Run, golden: Golden) -> None:
    golden("opwright_show_help.txt", run("show", "--help", COLUMNS="80").stdout)


COMMANDS = [(), *((name,) for name in cli.commands), *(("list", name) for name in cli.commands["list"].commands)]
LOADED = """
import json, resource, sys
from opwright.cli import cli
try:
    cli({words!r}, prog_name="opwright")
except SystemExit as end:
    assert end.code == 0
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps([used.ru_utime, sorted({{name.split(".")[0] for name in sys.modules}})]))
"""


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_help_is_quick(words: tuple[str, ...]) -> None:
    """Time is measured with room for a busy machine; what would make it slow is what it loads."""
    seconds = []
    for _ in range(3):
        code = LOADED.format(words=[*words, "--help"])
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        used, loaded = json.loads(done.stdout.splitlines()[-1])
        assert not {"xdsl", "numpy", "torch", "rich", "pygments", "ml_dtypes"} & set(loaded)
        seconds.append(used)
    assert min(seconds) < 0.5, seconds
