"""tools/affected.py: which tests a change asks for."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.unchecked(reason="launches nothing")

ROOT = Path(__file__).parents[1]


@pytest.fixture
def affected(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(sys, "path", [str(ROOT / "tools"), *sys.path])
    return import_module("affected")


@pytest.mark.parametrize(
    ("file", "places"),
    [
        ("tests/emit/test_golden.py", ["tests/emit/test_golden.py"]),
        ("tests/emit/golden/loops.cpp", ["tests/emit"]),
        ("tests/passes/conftest.py", ["tests/passes"]),
        ("tests/conftest.py", ["tests"]),
        ("pyproject.toml", ["tests"]),
        ("README.md", ["tests/test_layout.py", "tests/test_readme.py"]),
        ("docs/guide/writing_kernels.md", ["tests/test_guide.py"]),
        ("examples/01_vector_add.py", ["tests/test_examples.py"]),
        ("src/opwright/emit/values.py", ["tests/emit", "tests/test_floors.py"]),
        ("src/opwright/ir/calls.py", ["tests/emit", "tests/frontend", "tests/ir"]),
        ("src/opwright/errors.py", ["tests/ascendc", "tests/cli", "tests/frontend", "tests/test_errors.py"]),
        ("src/opwright/ascendc/cube_load.py", ["tests/ascendc/cube", "tests/ascendc/test_signatures.py"]),
        ("src/opwright/twin/include/opwright/vec_reduce.h", ["tests/ascendc/vec_reduce", "tests/twin"]),
        ("src/opwright/twin/include/opwright/tensor.h", ["tests/ascendc", "tests/twin"]),
        ("src/opwright/twin/library/check/checker.h", ["tests/check", "tests/simt", "tests/twin"]),
        ("src/opwright/twin/library/library.cpp", ["tests/check", "tests/simt", "tests/twin"]),
    ],
)
def test_places(file: str, places: list[str], affected: ModuleType) -> None:
    found = [place.as_posix() for place in affected.places([Path(file)])]
    assert set(places) <= set(found)
    assert found == ["tests"] or "tests" not in found


def test_narrow_changes_stay_narrow(affected: ModuleType) -> None:
    assert affected.places([Path("tests/emit/test_golden.py"), Path("tests/emit/golden/x.cpp")]) == [Path("tests/emit")]
    assert Path("tests/ascendc/cube") not in affected.places([Path("src/opwright/twin/include/opwright/vec_reduce.h")])
    assert Path("tests/twin") not in affected.places([Path("docs/start.md")])


def test_changes_of_git(tmp_path: Path, affected: ModuleType) -> None:
    """Committed on the branch, changed, and not known to git yet; not what main has got since."""

    def git(*words: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=tmp_path, check=True, capture_output=True
        )

    def commit(name: str) -> None:
        (tmp_path / name).write_text(name)
        git("add", "-A")
        git("commit", "-m", name)

    git("init", "-b", "main")
    commit("first")
    git("checkout", "-b", "branch")
    commit("committed")
    git("checkout", "main")
    commit("of_main")
    git("checkout", "branch")
    (tmp_path / "first").write_text("changed")
    (tmp_path / "unknown").write_text("")
    assert sorted(map(str, affected.changed(tmp_path))) == ["committed", "first", "unknown"]
