"""Kernel objects: classes with `__init__` and methods, made and used in a kernel."""

import textwrap
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from harness import load

from opwright import errors
from opwright.settings import settings

Printed = pytest.CaptureFixture[str]


def module(folder: Path, text: str) -> ModuleType:
    return load(folder, "from opwright import asc\n\n\n" + textwrap.dedent(text))


COUNTER = """
class Counter:
    STEP = 3
    NAME = "counter"

    def __init__(self, start, by: asc.ConstExpr[int] = 2):
        self.value = start
        self.by = by
        self.turns = 0
        self.ratio = 0.5

    def step(self):
        self.value += self.by * self.STEP
        self.turns += 1

    def steps(self, n):
        for i in range(n):
            if self.value > 100:
                return False
            self.step()
            self.ratio = self.ratio * 2
        return True

    def reset(self, value=7):
        before, self.value = self.value, value
        return before, self.turns
"""


def test_methods_change_fields(tmp_path: Path, capsys: Printed) -> None:
    text = f"""{COUNTER}

@asc.jit
def run(n: int):
    a = Counter(n)
    b = Counter(n + 1, by=5)
    c = a
    done = a.steps(4)
    b.steps(n)
    c.value += 1000
    before, turns = b.reset()
    asc.printf("%d %d %d %f\\n", a.value, a.turns, int(done), a.ratio)
    asc.printf("%d %d %d %d\\n", b.value, b.turns, before, turns)
    b.reset(value=n)
    asc.printf("%d %d %d\\n", b.value, c.value, Counter.STEP + a.STEP)
"""
    made = module(tmp_path, text)
    assert made.Counter(0).STEP == 3
    for n in (0, 2, 95, 200):
        made.run[1](n)
        a, b = made.Counter(n), made.Counter(n + 1, by=5)
        done = a.steps(4)
        b.steps(n)
        a.value += 1000
        before, turns = b.reset()
        expected = f"{a.value} {a.turns} {int(done)} {a.ratio:f}\n7 {b.turns} {before} {turns}\n{n} {a.value} 6\n"
        assert capsys.readouterr().out == expected


def test_two_objects_of_one_class_with_other_types(tmp_path: Path, capsys: Printed) -> None:
    text = """
    class Pair:
        def __init__(self, first, second):
            self.first = first
            self.second = second
            self.sum = first + second

        def scale(self, by):
            self.first = self.first * by
            self.second = self.second * by
            return self.first + self.second


    @asc.jit
    def run(n: int, x: float):
        ints = Pair(n, 2)
        floats = Pair(x, n)
        both = Pair(0.5, x)
        asc.printf("%d %f %f %d %f\\n", ints.scale(3), floats.scale(2), both.scale(x), ints.sum, floats.sum)
    """
    made = module(tmp_path, text)
    assert made.run.emit(1, 0.5).count("struct Pair") == 3
    made.run[1](4, 1.5)
    assert capsys.readouterr().out == f"{18} {11.0:f} {3.0:f} {6} {5.5:f}\n"


def test_objects_in_objects_and_through_helpers(tmp_path: Path, capsys: Printed) -> None:
    text = """
    class Inner:
        def __init__(self, value):
            self.value = value

        def double(self):
            self.value *= 2
            return self


    class Outer:
        def __init__(self, value):
            self.left = Inner(value)
            self.right = Inner(0.5)
            self.count = 0

        def work(self):
            bump(self.left, 1)
            self.right.value += self.left.value
            self.count += 1


    @asc.jit
    def bump(inner, by):
        inner.value += by


    @asc.jit
    def run(n: int):
        outer = Outer(n)
        for i in range(3):
            outer.work()
        inner = outer.left
        bump(inner, 100)
        asc.printf("%d %f %d\\n", outer.left.value, outer.right.value, outer.count)
    """
    module(tmp_path, text).run[1](10)
    assert capsys.readouterr().out == f"113 {0.5 + 11 + 12 + 13:f} 3\n"


VECTOR = """
class VectorAdd:
    def __init__(self, x, y, z, length):
        self.length = length
        self.x_gm = asc.GlobalTensor()
        self.y_gm = asc.GlobalTensor()
        self.z_gm = asc.GlobalTensor()
        offset = asc.get_block_idx() * length
        self.x_gm.set_global_buffer(x + offset, length)
        self.y_gm.set_global_buffer(y + offset, length)
        self.z_gm.set_global_buffer(z + offset, length)
        self.a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 64)
        self.b = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 256, 64)

    def copy_in(self, start):
        asc.data_copy(self.a, self.x_gm[start:], 64)
        asc.data_copy(self.b, self.y_gm[start:], 64)

    def process(self):
        for start in range(0, self.length, 64):
            self.copy_in(start)
            asc.pipe_barrier(asc.PipeID.PIPE_ALL)
            asc.add(self.a, self.a, self.b, 64)
            asc.pipe_barrier(asc.PipeID.PIPE_ALL)
            asc.data_copy(self.z_gm[start:], self.a, 64)
            asc.pipe_barrier(asc.PipeID.PIPE_ALL)


@asc.jit
def run(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, length: int):
    VectorAdd(x, y, z, length).process()
"""


def test_tensors_as_fields(tmp_path: Path) -> None:
    made = module(tmp_path, VECTOR)
    for dtype in (np.float32, np.float16, np.int32):
        x, y = np.arange(512).astype(dtype), np.arange(512)[::-1].astype(dtype).copy()
        z = np.full(512, -1, dtype)
        for array in (x, y):
            array.flags.writeable = False
        made.run[4](x, y, z, 128)
        assert np.array_equal(z, x + y)
    z.flags.writeable = False
    with pytest.raises(errors.ReadOnlyArgument, match="argument z"):
        made.run[4](x, y, z, 128)


@pytest.mark.unchecked(reason="compiles into a store of its own: the checked library once more")
def test_a_class_is_part_of_the_kernel(tmp_path: Path, capsys: Printed) -> None:
    """A constant of the class or a method that changes gives a new kernel."""
    text = """
    class Adds:
        STEP = {step}

        def __init__(self, n):
            self.n = n

        def get(self):
            return self.n {operator} self.STEP


    @asc.jit
    def run(n: int):
        asc.printf("%d\\n", Adds(n).get())
    """
    with settings.scope(cache_dir=tmp_path / "cache"):
        for step, operator in ((1, "+"), (2, "+"), (2, "*")):
            module(tmp_path, text.format(step=step, operator=operator)).run[1](10)
        made = module(tmp_path, text.format(step=1, operator="+"))
        for step in (1, 5):
            made.Adds.STEP = step
            made.run[1](10)
    assert capsys.readouterr().out == "11\n12\n20\n11\n15\n"


def test_a_fault_in_a_method_shows_the_calls(tmp_path: Path) -> None:
    text = f"""{COUNTER}

@asc.jit
def run(n: int):
    counter = Counter(1 // n)
    counter.steps(1)


class Divides:
    def __init__(self, n):
        self.n = 7 // n


@asc.jit
def makes(n: int):
    Divides(n)
"""
    made = module(tmp_path, text)
    with pytest.raises(errors.TrapError, match="division by zero") as caught:
        made.makes[1](0)
    message = str(caught.value)
    assert "self.n = 7 // n" in message and message.count("called from") == 1


HEAD = """
class Box:
    def __init__(self, value):
        self.value = value
        self.fixed = 3

    def late(self):
        self.other = 1

    def set(self, value):
        self.value = value


class Branches:
    def __init__(self, n):
        if n > 0:
            self.value = n


class Empty:
    pass
"""
REFUSED = {
    "new field in a method": ("Box(n).late()", "UnsupportedSyntax", "a new field 'other' here"),
    "new field outside": ("b = Box(n)\nb.other = 1", "UnsupportedSyntax", "a new field 'other' here"),
    "field in a branch": ("Branches(n)", "UnsupportedSyntax", "a new field 'value' here"),
    "unknown field": ("b = Box(n)\nasc.printf('%d', b.valeu)", "UnknownName", "did you mean 'value'?"),
    "unknown method": ("Box(n).sett(3)", "UnknownName", "did you mean 'set'?"),
    "another type": ("Box(n).set(0.5)", "TypeChanged", "'Box.value' was int and becomes float"),
    "constant set again": ("b = Box(n)\nb.fixed = 4", "UnsupportedSyntax", "setting 'fixed' to something else"),
    "no initialiser": ("Empty()", "UnsupportedSyntax", "a class without an __init__"),
    "missing argument": ("Box()", "WrongCall", "argument 'value' is missing"),
    "unknown keyword": ("Box(valeu=n)", "WrongCall", "did you mean 'value'?"),
    "two objects in one name": (
        "b = Box(n)\nif n > 1:\n    b = Box(n + 1)",
        "UnsupportedSyntax",
        "only numbers, addresses and tensors can change",
    ),
    "object as a number": ("asc.printf('%d', Box(n) + 1)", "WrongType", "'+' does not take"),
    "field of a number": ("n.value = 3", "UnsupportedSyntax", "setting 'value' of int"),
}


@pytest.mark.quick
@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str, tmp_path: Path) -> None:
    body, kind, words = REFUSED[name]
    made = module(tmp_path, HEAD + "\n\n@asc.jit\ndef run(n: int):\n" + textwrap.indent(body, "    ") + "\n")
    with pytest.raises(errors.KernelError) as caught:
        made.run.emit(1)
    assert type(caught.value).__name__ == kind, caught.value
    assert words in str(caught.value) and "\nhint: " in str(caught.value)
