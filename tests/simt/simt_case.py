"""What a planted mistake is: a small kernel of threads, what must be said about it, and the same kernel mended.

In: a case and a folder. Out: the kernel, loaded from a file there, with the numbers of the lines that its text marks.
Marks stand behind lines: `# [first]`, `# [second]`, `# [here]`; a line with `# [wrong]` is only in the wrong kernel,
one with `# [right]` only in the mended one.
"""

import importlib.util
import itertools
import linecache
import re
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

HEAD = """\
from opwright import asc
from opwright.asc import HardEvent, TPosition, simt


@simt
def plus(value, more):
    return value + more


@simt
def put(address, i, value):
    address[i] = value  # [put]
"""
PURE = """

@simt
def kernel(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    t = simt.threadIdx.x
{threads}
"""
MIXED = """

@simt
def threads(x: asc.GlobalAddress, z: asc.GlobalAddress, a: asc.LocalTensor, b: asc.LocalTensor, n: int):
    t = simt.threadIdx.x
{threads}


@asc.jit(soc="ascend950")
def kernel(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    a = asc.LocalTensor(asc.int32, TPosition.VECIN, 0, 64)
    b = asc.LocalTensor(asc.{second}, TPosition.VECOUT, {at}, 64)
{core}
"""
ELEMENTS = 256  # of x and of z


@dataclass(frozen=True)
class Right:
    """A kernel that looks suspicious, and about which nothing must be said.

    threads: what threads do. core: what the core does, for a mixed kernel. place: what stands in the brackets.
    second, at: type and place in UB of the second local tensor of a mixed kernel.
    """

    threads: str
    core: str = ""
    place: Any = None
    n: int = 1
    second: str = "int32"
    at: int = 256

    @property
    def brackets(self) -> Any:
        if self.place is not None:
            return self.place
        return 1 if self.core else (1, 64)


@dataclass(frozen=True)
class Wrong(Right):
    """A kernel with one mistake.

    kind: name of the class of its error. words: what the message says, threads among it.
    mended: what to launch the mended kernel with instead, if the mistake was in the launch.
    """

    kind: str = "RaceError"
    words: tuple[str, ...] = ()
    mended: dict[str, Any] | None = None


_numbers = itertools.count()


def text_of(case: Right, mended: bool) -> str:
    """The source of the kernel."""
    dropped = "[wrong]" if mended else "[right]"

    def body(part: str) -> str:
        lines = textwrap.dedent(part).strip("\n").splitlines()
        return textwrap.indent("\n".join(line for line in lines if dropped not in line), "    ")

    frame = MIXED if case.core else PURE
    parts = {"threads": body(case.threads), "core": body(case.core), "second": case.second, "at": case.at}
    return HEAD + frame.format(**parts)


def load(folder: Path, case: Right, mended: bool = True) -> tuple[Any, dict[str, int]]:
    """The kernel, and the number of each marked line."""
    text = text_of(case, mended)
    path = folder / "planted_kernel.py"
    path.write_text(text, encoding="utf-8")
    linecache.checkcache(str(path))
    spec = importlib.util.spec_from_file_location(f"planted_{next(_numbers)}", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    comments = ((number, line.rpartition("  # ")[2]) for number, line in enumerate(text.splitlines(), 1))
    marks = {mark: number for number, comment in comments for mark in re.findall(r"\[(\w+)\]", comment)}
    return module.kernel, marks


def arguments(n: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Numbers to read; what nobody writes stays a number that stands out."""
    return np.arange(ELEMENTS, dtype=np.int32), np.full(ELEMENTS, -1, np.int32), n
