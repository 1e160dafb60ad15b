"""Every call of threads stands in a text that a clang-based compiler accepts: overloads as public texts declare them.

The kernels are made of the examples of the rows, one for each chapter: a row that is added is looked at, too.
"""

import shutil
import subprocess
from pathlib import Path

import pytest
from documentation import examples
from image import load
from thread_calls import HEAD

from opwright.ascendc.row import CORE
from opwright.ascendc.table import CHAPTERS

INCLUDE = Path(__file__).parents[2] / "src" / "opwright" / "twin" / "include"
OF_THREADS = {name: [row for row in rows if CORE not in row.called_by] for name, rows in CHAPTERS.items()}
STRICT = (
    "-x cuda --cuda-device-only -nocudainc -nocudalib -fsyntax-only -std=c++17 -Wno-unknown-cuda-version -Wall -Werror"
)


def text_of(chapter: str, folder: Path) -> str:
    """The examples of a chapter, one after the other."""
    around = [examples.ThreadSurrounding(row) for row in OF_THREADS[chapter]]
    arrays = sorted({name for one in around for name in one.arrays})
    parameters = ", ".join(f"{name}: asc.GlobalAddress" for name in arrays)
    lines = ["thread = simt.threadIdx.x", *(line for one in around for line in one.example)]
    body = "".join(f"    {line}\n" for line in lines)
    module = load(folder, chapter, f"{HEAD}\n@simt\ndef calls({parameters}):\n{body}")
    return module.calls.emit(*(f"{examples.LETTERS[name]}[128]" for name in arrays))


@pytest.mark.parametrize("chapter", [name for name, rows in OF_THREADS.items() if rows])
def test_examples_of_a_chapter(chapter: str, tmp_path: Path) -> None:
    clang = shutil.which("clang++")
    if clang is None:
        pytest.skip("clang++ is not installed")
    path = tmp_path / "kernel.cpp"
    path.write_text(text_of(chapter, tmp_path))
    words = path.read_text()
    assert all(row.cpp.removesuffix("]") in words for row in OF_THREADS[chapter])
    flags = [*STRICT.split(), "-Wno-unused-variable", "-DOPWRIGHT_STRICT", "-DOPWRIGHT_STRICT_FLAT", f"-I{INCLUDE}"]
    done = subprocess.run([clang, *flags, path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
