"""What a case of the hazard corpus is: the body of a small kernel, and what the checked twin must say about it.

In: a case and a folder. Out: the kernel, loaded from a file there, with the lines that its body marks: `# here`, or
`# first` and `# second` for two accesses.
"""

import importlib.util
import itertools
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from opwright.errors import OpwrightError
from opwright.runtime.jit import JitFunction

HEAD = """\
from opwright import asc
from opwright.asc import CacheLine, DcciDst, HardEvent, PipeID, RoundMode, TPosition

@asc.jit(opt_level=0, {options})
def kernel(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, TPosition.VECIN, 0, 64)
    b = asc.LocalTensor(x.dtype, TPosition.VECOUT, 256, 64)
"""
# Where the body makes a pipe, a and b come from it.
PIPE = "pipe = asc.TPipe()\n"
OF_THE_PIPE = """\
pipe = asc.TPipe()
for_a = asc.TBuf(TPosition.VECIN)
for_b = asc.TBuf(TPosition.VECOUT)
pipe.init_buffer(for_a, 256)
pipe.init_buffer(for_b, 256)
a = for_a.get(x.dtype)
b = for_b.get(x.dtype)
"""
ELEMENTS = 256  # of x and of z
BLOCK = "asc.get_block_idx()"


@dataclass(frozen=True)
class Right:
    """A kernel that looks suspicious, and about which nothing must be said."""

    body: str
    options: str = ""
    cores: int = 1
    n: int = 1
    dtype: str = "float32"


@dataclass(frozen=True)
class Wrong:
    """A kernel with one hazard: its number in the catalogue, or its name; the class of the error and words of it."""

    item: int | str
    body: str
    kind: type[OpwrightError]
    words: str
    options: str = ""
    cores: int = 1
    n: int = 1
    dtype: str = "float32"
    warns: bool = False


def pair(event: str, event_id: int | str = 0) -> str:
    """A flag, set and waited for at once."""
    return f"asc.set_flag(HardEvent.{event}, {event_id})\nasc.wait_flag(HardEvent.{event}, {event_id})\n"


IN_, OUT, BACK, FREE = pair("MTE2_V"), pair("V_MTE3"), pair("V_MTE2"), pair("MTE3_V")
EVERY = "asc.pipe_barrier(PipeID.PIPE_ALL)\n"
COPY, ADD, WRITE = "asc.data_copy(a, x_gm, 64)", "asc.adds(b, a, 1.0, 64)", "asc.data_copy(z_gm, b, 64)"
FILL = "asc.duplicate(a, 1.0, 64)\nasc.duplicate(b, 1.0, 64)\n"
QUEUES = """\
pipe = asc.TPipe()
source = asc.TQue(TPosition.VECIN, 1)
result = asc.TQue(TPosition.VECOUT, 1)
pipe.init_buffer(source, 2, 256)
pipe.init_buffer(result, 2, 256)
"""


def lines(*parts: str) -> str:
    """Statements, each on lines of its own."""
    return "".join(part if part.endswith("\n") else f"{part}\n" for part in parts)


def indented(*parts: str) -> str:
    """The same as the body of a loop or branch."""
    return "".join(f"    {line}\n" for line in lines(*parts).splitlines())


def loop(*parts: str, turns: str = "3") -> str:
    """A loop over statements."""
    return f"for i in range({turns}):\n" + indented(*parts)


_numbers = itertools.count()


def load(folder: Path, case: Right | Wrong) -> tuple[JitFunction, dict[str, int]]:
    """The kernel, and the number of each marked line."""
    head, body = HEAD.format(options=case.options), case.body
    if PIPE in body:
        head = "".join(line for line in head.splitlines(keepends=True) if "LocalTensor" not in line)
        body = body.replace(PIPE, OF_THE_PIPE, 1) if re.search(r"\b[ab]\b", body) else body
    text = head + indented(body)
    name = f"hazard_{next(_numbers)}"
    path = folder / f"{name}.py"  # of its own: Python takes a compiled file of the same second for that of the new text
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    marks = {line.rpartition("  # ")[2]: number for number, line in enumerate(text.splitlines(), 1) if "  # " in line}
    return module.kernel, marks


def arguments(case: Right | Wrong) -> tuple[np.ndarray, np.ndarray, int]:
    """Ones to read; what nobody writes stays a number that stands out."""
    return np.ones(ELEMENTS, case.dtype), np.full(ELEMENTS, 99, case.dtype), case.n
