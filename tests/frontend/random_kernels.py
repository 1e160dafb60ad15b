"""Many random programs as one kernel, which runs the one it is asked for; and the reference for the same text.

In: seeds. Out: per program and arguments, what the twin and CPython compute. A program that fails is made smaller
until nothing can be left out, and shown as a Python function.
"""

from collections import Counter
from pathlib import Path

import numpy as np
from generator import Programs
from harness import load
from reference import as_numbers, interpret
from shrink import shrink

from opwright.errors import OpwrightError

PRELUDE = """\
from dataclasses import dataclass

from opwright import asc

LIMIT = 10
RATIO = 0.7
PAIR = (3, -4)


@dataclass
class Tiling:
    virtual: bool
    total: int
    new: asc.int16
    double: float
    unsigned: asc.uint8


class Tally:
    STEP = 3

    def __init__(self, start, scale):
        self.value = start
        self.scale = scale
        self.turns = 0

    def bump(self, by):
        self.value = self.value * self.STEP - by
        self.turns += 1
        if self.turns > 2:
            return self.value
        return by

    def scaled(self, x):
        self.scale = self.scale * x
        return self.scale + self.value


@asc.jit
def twice(v):
    return v + v


@asc.jit
def choose(which: asc.ConstExpr[int], v, w):
    if which == 0:
        return v - w
    if which == 1:
        return w
    return v * which


@asc.jit
def clamp(v, low, high):
    if v < low:
        return low
    elif v > high:
        return high
    return v


@asc.jit
def both(v, w):
    return w - 1, v


@asc.jit
def poke(array, i, v):
    before = array[i]
    array[i] = v
    return before + array[0]


def shifting(by):
    @asc.jit
    def shifted(v):
        return v - by

    return shifted


shifted = shifting(5)
"""
KERNEL = """

@asc.jit(soc="ascend950", opt_level=0)
def kernel(z: asc.GlobalAddress, f: asc.GlobalAddress, which: int, a: int, b: int, c: int, x: float, y: float, t):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 12)
    f_gm = asc.GlobalTensor()
    f_gm.set_global_buffer(f, 16)
    ints = asc.LocalTensor(asc.int64, asc.TPosition.VECIN, 0, 12)
    floats = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 96, 16)
    n, m, k, p, q = 0, 0, 0, 0.0, 0.0
{calls}
    asc.duplicate(ints, n, 4)
    asc.duplicate(ints[4:], m, 4)
    asc.duplicate(ints[8:], k, 4)
    asc.duplicate(floats, p, 8)
    asc.duplicate(floats[8:], q, 8)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, ints, 12)
    asc.data_copy(f_gm, floats, 16)
"""
# a, b, c, x, y and the fields of the struct.
ARGUMENTS = (
    (0, 1, 2, 0.5, -1.25, (True, 7, -300, 0.1, 255)),
    (5, -3, 7, 1e20, 0.0, (False, -(1 << 40), 12, -3e-39, 0)),
    (-11, 123456789, -2, -0.0, 3.4e38, (True, (1 << 63) - 1, -32768, 2.0, 9)),
    (1 << 62, 3, (1 << 63) - 1, 1.1, 2.0**-149, (False, 0, 1, 1e9, 100)),
)


class Batch:
    """Some programs as one kernel."""

    def __init__(self, folder: Path, programs: dict[int, str]) -> None:
        self.programs = programs
        calls = []
        for which in programs:
            calls += [f"    if which == {which}:", f"        n, m, k, p, q = program_{which}(a, b, c, x, y, t)"]
        self.text = PRELUDE + "\n\n" + "\n\n".join(programs.values()) + KERNEL.replace("{calls}", "\n".join(calls))
        self.module = load(folder, self.text)
        self.scope, _ = interpret(self.text)

    def twin(self, which: int, arguments: tuple) -> tuple[list[int], np.ndarray]:
        z, f = np.full(12, -77, np.int64), np.full(16, np.nan, np.float32)
        *numbers, fields = arguments
        self.module.kernel[1](z, f, which, *numbers, self.module.Tiling(*fields))
        return z[::4].tolist(), f[::8]

    def python(self, which: int, arguments: tuple) -> tuple[list[int], np.ndarray]:
        *numbers, fields = arguments
        tiling = as_numbers(self.module.Tiling(*fields))
        *integers, p, q = self.scope[f"program_{which}"](*map(as_numbers, numbers), tiling)
        return [int(value) for value in integers], np.array([p, q], np.float32)

    def wrong(self, which: int) -> tuple[str, str]:
        """How the twin and CPython disagree on a program: what kind of failure, and the whole of it."""
        for arguments in ARGUMENTS:
            try:
                expected = self.python(which, arguments)
            except Exception as error:
                return f"CPython: {type(error).__name__}", str(error)
            try:
                got = self.twin(which, arguments)
            except OpwrightError as error:
                return f"twin: {type(error).__name__}", str(error)
            if not same(got, expected):
                return "they differ", f"{arguments}: the twin has {got}, CPython {expected}"
        return "", ""


def same(got: tuple[list[int], np.ndarray], expected: tuple[list[int], np.ndarray]) -> bool:
    """Equal integers, and floats of equal bits; one NaN is like the other."""
    nan = np.isnan(got[1]) & np.isnan(expected[1])
    return got[0] == expected[0] and bool((nan | (got[1].view(np.uint32) == expected[1].view(np.uint32))).all())


def programs(seed: int, count: int) -> tuple[dict[int, str], Counter[str]]:
    """Texts by number, and the forms in them."""
    generator = Programs(seed)
    return {number: generator.make(number) for number in range(count)}, generator.forms


def failures(folder: Path, texts: dict[int, str]) -> dict[int, tuple[str, str]]:
    """The programs that fail, in one kernel if it compiles, otherwise each on its own."""
    batch = Batch(folder, texts)
    try:
        batch.twin(-1, ARGUMENTS[0])
    except OpwrightError:
        return {number: alone(folder, number, text) for number, text in texts.items() if alone(folder, number, text)[0]}
    return {number: wrong for number in texts if (wrong := batch.wrong(number))[0]}


def alone(folder: Path, number: int, text: str) -> tuple[str, str]:
    """What is wrong with one program."""
    try:
        batch = Batch(folder, {number: text})
    except SyntaxError as error:  # made smaller, a text can lose the loop around its break
        return "no program", str(error)
    return batch.wrong(number)


def report(folder: Path, number: int, text: str) -> str:
    """A failing program made small, as a Python function, and what it does."""
    kind = alone(folder, number, text)[0]
    small = shrink(text, lambda candidate: alone(folder, number, candidate)[0] == kind)
    return "\n".join([small, *alone(folder, number, small)])
