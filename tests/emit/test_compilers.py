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


def sources(folder: Path) -> list[Path]:
    """The golden texts: those that include nothing but the headers of cores together, each in a namespace of its own.

    Reading the headers takes longer than reading a text.
    """
    head = '#include "kernel_operator.h"\n'
    together, alone = [head], []
    for number, path in enumerate(GOLDEN):
        text = path.read_text()
        if text.count("#") != 1 or head not in text:
            alone.append(path)
            continue
        # Functions of C would be the same one in every namespace.
        own = text.replace(head, "\n").replace('extern "C" ', "")
        together.append(f'namespace text_{number} {{\n#line 1 "{path}"\n{own}}}\n')
    assert len(together) > 100
    source = folder / "texts.cpp"
    source.write_text("".join(together))
    return [source, *alone]


@pytest.mark.parametrize("name", COMPILERS)
def test_golden_texts(name: str, tmp_path: Path) -> None:
    command = [compiler(name), *FAST, *WARNINGS, "-fsyntax-only", f"-I{TWIN / 'include'}", *sources(tmp_path)]
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
