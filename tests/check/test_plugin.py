"""The pytest plugin: kernels that tests launch run on the checked twin when a mark or an option asks for it."""

import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

HERE = Path(__file__).parent
TESTS = f"""
import sys
sys.path.insert(0, {str(HERE)!r})
import numpy as np
import pytest
from check_kernels import adds_one, two_mistakes

def wrong():
    two_mistakes[1](np.zeros(1024, np.float32), np.zeros(1024, np.float32), 3)

def test_plain():
    wrong()

@pytest.mark.opwright_check
def test_marked():
    wrong()

@pytest.mark.opwright_check
def test_right():
    adds_one[1](np.zeros(64, np.float32), np.zeros(64, np.float32))

@pytest.mark.opwright_check(False)
def test_wrong_on_purpose():
    wrong()

@pytest.mark.opwright_check(wanted=False)
def test_not_wanted():
    wrong()

@pytest.fixture
def launched():
    wrong()

@pytest.mark.opwright_check
def test_with_a_fixture(launched):
    pass

@pytest.fixture
def read_anew():
    from opwright.settings import settings
    settings.reload()

@pytest.mark.opwright_check(wanted=True)
def test_settings_read_anew(read_anew):
    wrong()
"""
MARKED = ["test_marked", "test_settings_read_anew", "test_with_a_fixture"]  # the wrong ones that are to be checked


def run(folder: Path, *options: str, **environment: str) -> list[str]:
    """The names of the tests that failed. OPWRIGHT_CHECK is only what a test gives: it is what these are about."""
    inherited = {name: text for name, text in os.environ.items() if name != "OPWRIGHT_CHECK"}
    (folder / "test_kernels.py").write_text(TESTS)
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-rfE",
            "--strict-markers",
            "-p",
            "no:cacheprovider",
            *options,
            str(folder),
        ],
        env={**inherited, **environment},
        cwd=folder,
        capture_output=True,
        text=True,
    )
    lines = done.stdout.splitlines()
    failed = [line.split("::")[1].split()[0] for line in lines if line.startswith(("FAILED", "ERROR"))]
    assert done.returncode == (1 if failed else 0), done.stdout + done.stderr
    assert not failed or "UninitialisedRead" in done.stdout
    return failed


def test_the_mark(tmp_path: Path) -> None:
    assert sorted(run(tmp_path)) == MARKED


def test_the_option(tmp_path: Path) -> None:
    assert sorted(run(tmp_path, "--opwright-check")) == [*MARKED[:1], "test_plain", *MARKED[1:]]


def test_the_variable(tmp_path: Path) -> None:
    """A mark that takes a test out is stronger than the variable."""
    assert sorted(run(tmp_path, OPWRIGHT_CHECK="1")) == [*MARKED[:1], "test_plain", *MARKED[1:]]


def test_it_is_installed() -> None:
    (entry,) = entry_points(group="pytest11", name="opwright")
    assert entry.load().MARK == "opwright_check"


def test_tests_that_do_not_ask_load_nothing_of_ours(tmp_path: Path) -> None:
    (tmp_path / "test_other.py").write_text(
        "import sys\ndef test_other():\n    assert 'opwright.settings' not in sys.modules\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True).returncode == 0
