"""The marks of tests: what a quick test must not do, and which tests a choice of marks leaves out."""

import ctypes
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import guard
import pytest

pytestmark = pytest.mark.unchecked(reason="launches nothing")


class Quick:
    """Stands for a test with the mark."""

    def get_closest_marker(self, name: str) -> str | None:
        return name if name == "quick" else None


def swallow(work: Callable[[], object]) -> None:
    try:
        work()
    except RuntimeError:
        pass


def import_torch() -> None:
    import torch  # noqa: F401


WORK: dict[str, Callable[[], object]] = {
    "starts a process": lambda: subprocess.run([sys.executable, "--version"], check=True),
    "imports torch": import_torch,
    "loads libm": lambda: ctypes.CDLL("libm.so.6"),
}


@pytest.mark.parametrize("what", WORK)
def test_what_a_quick_test_must_not_do(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "torch"]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(RuntimeError, match=what), guard.watching(Quick()):  # type: ignore[arg-type]
        WORK[what]()
    with pytest.raises(pytest.fail.Exception, match=what), guard.watching(Quick()):  # type: ignore[arg-type]
        swallow(WORK[what])


def test_others_may(request: pytest.FixtureRequest) -> None:
    with guard.watching(request.node):
        WORK["starts a process"]()


@pytest.mark.parametrize(
    ("marks", "place", "ignored"),
    [
        ("quick", "test_floors.py", None),
        ("quick", "test_examples.py", True),
        ("quick", "passes", None),  # a folder: its files are asked for one by one
        ("not unchecked", "passes", True),
        ("not slow and not unchecked", "passes", True),
        ("not unchecked", "runtime", None),
        ("not slow", "passes", None),
        ("", "test_examples.py", None),
    ],
)
def test_what_a_choice_of_marks_does_not_import(
    marks: str, place: str, ignored: bool | None, pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = Path(__file__).parent
    shared = pytestconfig.pluginmanager.get_plugin(str(root / "conftest.py"))
    assert shared is not None and (root / place).exists()
    monkeypatch.setattr(pytestconfig.option, "markexpr", marks)
    assert shared.pytest_ignore_collect(root / place, pytestconfig) is ignored


def test_the_marks_of_a_folder_reach_its_tests(pytestconfig: pytest.Config) -> None:
    """Folders that are left out of the checked run, by their conftest, and files, by their own mark."""
    root = Path(__file__).parent
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "-m"]
    places = [root / "passes" / "test_flag.py", root / "runtime" / "test_cache.py", root / "runtime" / "test_source.py"]

    def collected(marks: str) -> set[str]:
        done = subprocess.run([*command, marks, *places], capture_output=True, text=True, cwd=root.parent, check=False)
        return {line.partition("::")[0] for line in done.stdout.splitlines() if "::" in line}

    assert collected("not unchecked") == {"tests/runtime/test_source.py"}
    assert collected("unchecked") == {"tests/passes/test_flag.py", "tests/runtime/test_cache.py"}
