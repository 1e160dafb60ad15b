"""A kernel is compiled with the chapters of its calls only, and the headers alone have all of them."""

import re
import subprocess
from pathlib import Path

import pytest

from opwright import asc
from opwright.ascendc.table import CHAPTERS
from opwright.twin.build import CHOSEN, INCLUDE, chapter_flags
from opwright.twin.toolchain import find_compiler

pytestmark = pytest.mark.unchecked(reason="is about headers, not about kernels")


@asc.jit
def adds_one(x: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 64)
    asc.data_copy(a, x_gm, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.add(a, a, a, 64, 1, asc.BinaryRepeatParams())
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(x_gm, a, 64)


def included(text: str, flags: list[str], folder: Path) -> set[str]:
    """The chapters whose calls the compiler sees."""
    (folder / "kernel.cpp").write_text(text)
    command = [find_compiler(), "-std=c++17", "-E", f"-I{INCLUDE}", *flags, str(folder / "kernel.cpp")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(re.findall(r'/calls/(\w+)\.h"', done.stdout))


def test_only_what_is_named(tmp_path: Path) -> None:
    text = adds_one.emit("float32[64]")
    wanted = {"common_ctrl", "data_copy", "params", "sync", "tensor", "vec_binary"}
    assert set(chapter_flags(text)) == {f"-D{CHOSEN}", *(f"-D{CHOSEN}_{chapter}" for chapter in wanted)}
    assert included(text, chapter_flags(text), tmp_path) == wanted
    # What threads call has headers of its own.
    assert included(text, [], tmp_path) == {name for name in CHAPTERS if not name.startswith("simt")}


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_stands_alone(chapter: str, tmp_path: Path) -> None:
    """Whatever a chapter needs, it includes."""
    source = tmp_path / "alone.cpp"
    source.write_text('#include "kernel_operator.h"\n')
    flags = [f"-D{CHOSEN}", f"-D{CHOSEN}_{chapter}"]
    command = [find_compiler(), "-std=c++17", "-fsyntax-only", f"-I{INCLUDE}", *flags, str(source)]
    subprocess.run(command, check=True)
