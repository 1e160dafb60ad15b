"""Every golden text and the twin's library compile without a warning, with every compiler that is here."""

import shutil
import subprocess
from pathlib import Path

import pytest

from opwright.twin.toolchain import FLAGS

HERE = Path(__file__).parent
TWIN = HERE.parents[1] / "src" / "opwright" / "twin"
GOLDEN = sorted((HERE / "golden").glob("*.cpp"))

WARNINGS = (
    "-Wall -Wextra -Werror -Wno-unused-parameter -Wno-unused-variable -Wno-unused-but-set-variable -Wno-unused-value"
).split()
COMPILERS = ["g++", "clang++", "g++-11"]
FAST = [flag for flag in FLAGS if flag not in ("-O3", "-shared")]


def compiler(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        # Not every system has an older g++ to install.
        pytest.skip(f"{name} is not {'here' if name == 'g++-11' else 'installed'}")
    return path


# Half a minute each: an older version is for the night.
@pytest.mark.parametrize("name", ["g++", "clang++", pytest.param("g++-11", marks=pytest.mark.slow)])
def test_golden_texts(name: str, tmp_path: Path) -> None:
    """All texts in one file each, compiled in one run of the compiler."""
    command = [compiler(name), *FAST, *WARNINGS, "-fsyntax-only", f"-I{TWIN / 'include'}", *GOLDEN]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


@pytest.mark.parametrize("name", COMPILERS)
@pytest.mark.parametrize("text", ["vector_calls_f16", "conditions"])
def test_golden_object(name: str, text: str, tmp_path: Path) -> None:
    """Some warnings come only from a whole compilation."""
    source = HERE / "golden" / f"{text}.cpp"
    command = [compiler(name), *FAST, "-O3", *WARNINGS, "-c", f"-I{TWIN / 'include'}", source, "-o", tmp_path / "out.o"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", COMPILERS)
def test_library(name: str, tmp_path: Path) -> None:
    source = TWIN / "library" / "library.cpp"
    strict = [flag for flag in WARNINGS if not flag.startswith("-Wno")]
    command = [compiler(name), *FAST, "-O2", *strict, "-c", f"-I{TWIN / 'include'}", source, "-o", tmp_path / "out.o"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
