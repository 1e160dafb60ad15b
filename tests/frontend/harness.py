"""A kernel in both worlds: on the twin and, with a stand-in for `asc`, in CPython; both must agree.

In: the body of a kernel. A kernel shows a value by filling a part of a tensor with it: `SHOW(value)` becomes an
`asc.duplicate` of int64, `SHOWF(value)` one of float32. Out: the values shown, by the twin and by Python.
"""

import hashlib
import importlib.util
import itertools
import re
import sys
import textwrap
from pathlib import Path
from types import ModuleType

import numpy as np
from reference import as_numbers, interpret, wrap

HEAD = """\
from opwright import asc

LIMIT = 10
PAIR = (3, 4)

@asc.jit(soc="ascend950")
def kernel(z: asc.GlobalAddress, f: asc.GlobalAddress, {parameters}):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    f_gm = asc.GlobalTensor()
    f_gm.set_global_buffer(f)
    shown = asc.LocalTensor(asc.int64, asc.TPosition.VECIN, 0, {longs})
    floats = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, {longs} * 8, {singles})
    asc.duplicate(shown, -77, {longs})
    asc.duplicate(floats, -77, {singles})
{body}
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, shown, {longs})
    asc.data_copy(f_gm, floats, {singles})
"""


def load(folder: Path, text: str, name: str = "") -> ModuleType:
    """A module of its own from a text."""
    name = name or f"kernel_{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    path = folder / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their annotations up there
    spec.loader.exec_module(module)
    return module


class Program:
    """A kernel in both worlds."""

    def __init__(self, folder: Path, body: str, parameters: str) -> None:
        body = textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")
        counters = {"SHOW": itertools.count(), "SHOWF": itertools.count()}

        def fill(match: re.Match[str]) -> str:
            which = match.group(1)
            tensor, step = ("shown", 4) if which == "SHOW" else ("floats", 8)
            return f"asc.duplicate({tensor}[{step * next(counters[which])}:], {match.group(2)}, {step})"

        body = re.sub(r"\b(SHOWF?)\((.*)\)$", fill, body, flags=re.M)
        self.longs, self.singles = (next(counter) for counter in counters.values())
        self.names = [part.split(":")[0].strip() for part in parameters.split(",")]
        text = HEAD.format(parameters=parameters, body=body, longs=4 * (self.longs + 1), singles=8 * (self.singles + 1))
        self.module = load(folder, text)
        self.text = text

    def twin(self, *arguments):
        z, f = np.zeros(4 * (self.longs + 1), np.int64), np.zeros(8 * (self.singles + 1), np.float32)
        self.module.kernel[1](z, f, *arguments)
        assert (z.reshape(-1, 4) == z.reshape(-1, 4)[:, :1]).all()
        return z[::4][: self.longs].tolist(), f[::8][: self.singles].tolist()

    def python(self, *arguments):
        """The same text in CPython, with numbers as a kernel has them."""
        scope, made = interpret(self.text)
        scope["kernel"](None, None, *map(as_numbers, arguments))
        shown, floats = (tensor.values for tensor in made)
        longs = [wrap(shown[4 * i]) for i in range(self.longs)]
        return longs, [float(np.float32(floats[8 * i])) for i in range(self.singles)]

    def agree(self, *calls) -> None:
        for arguments in calls:
            assert self.twin(*arguments) == self.python(*arguments), arguments
