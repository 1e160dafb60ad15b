"""Corners where text and Python could part: the order of effects, helpers of one text, what a class really has."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from harness import load

from opwright import asc
from opwright.errors import BadField, KernelError, TrapError, TypeChanged, UnsupportedSyntax, WrongCall


def printed(kernel: object, capsys: pytest.CaptureFixture[str], *arguments: object) -> list[str]:
    kernel[1](*arguments)
    return capsys.readouterr().out.split()


# What reads memory is read where Python reads it ----------------------------------------------------------------


@asc.jit
def put(g, v: int):
    g.set_value(0, v)
    return v


class Box:
    def __init__(self, x: asc.GlobalAddress):
        self.g = asc.GlobalTensor()
        self.g.set_global_buffer(x, 8)

    def put(self, v: int):
        self.g.set_value(0, v)
        return v


@asc.jit
def reads_before_it_writes(x: asc.GlobalAddress):
    g = asc.GlobalTensor()
    g.set_global_buffer(x, 8)
    asc.printf("%d ", g.get_value(0) * 1000 + put(g, 51))
    asc.printf("%d %d ", g[0], put(g, 52))
    pair = (g.get_value(0), put(g, 53))
    asc.printf("%d %d ", pair[0], pair[1])
    values = asc.array(asc.int32, (g.get_value(0), put(g, 54)))
    asc.printf("%d %d ", values[0], values[1])
    box = Box(x)
    asc.printf("%d ", box.g.get_value(0) * 1000 + box.put(55))
    allocator = asc.LocalMemAllocator()
    asc.printf("%d %d", allocator.get_cur_addr(), allocator.alloc(asc.TPosition.VECCALC, asc.int32, 64).get_size())


def test_reads_come_before_later_writes(capsys: pytest.CaptureFixture[str]) -> None:
    got = printed(reads_before_it_writes, capsys, np.ones(8, np.int32))
    assert got == "1051 51 52 52 53 53 54 54055 0 64".split()


@asc.jit
def reads_unsigned(x: asc.GlobalAddress):
    g = asc.GlobalTensor()
    g.set_global_buffer(x, 4)
    big = g.get_value(0)
    asc.printf("%d %d", 1 if big > 5 else 0, int(big // 4))


def test_elements_of_uint64_are_not_negative(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(reads_unsigned, capsys, np.full(4, 2**64 - 1, np.uint64)) == ["1", str((2**64 - 1) // 4)]


# Helpers and classes are what they are, not what they look like ---------------------------------------------------


def times(k: int) -> object:
    @asc.jit
    def scaled(v):
        return v * k

    return scaled


two, three = times(2), times(3)


@asc.jit
def apply(f, v: int):
    return f(v)


class Holder:
    def __init__(self, f, v: int):
        self.f = f
        self.v = v

    def go(self):
        return self.f(self.v)


@asc.jit
def higher_order(n: int):
    asc.printf("%d %d ", apply(two, n), apply(three, n))
    asc.printf("%d %d", Holder(two, n).go(), Holder(three, n).go())


def test_helpers_of_one_text_are_two(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(higher_order, capsys, 10) == ["20", "30", "20", "30"]


class Base:
    def set_base(self):
        self.__v = 5

    def base(self):
        return self.__v


class Derived(Base):
    def __init__(self, n: int):
        self.__v = n
        self._Base__v = 0
        self.set_base()

    def own(self):
        return self.__v


@asc.jit
def private_names(n: int):
    d = Derived(n)
    asc.printf("%d %d", d.own(), d.base())


def test_private_names_belong_to_their_class(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(private_names, capsys, 3) == ["3", "5"]


class WithStatic:
    def __init__(self, n: int):
        self.n = n

    @staticmethod
    def pick(a, b=7):
        return b

    @property
    def size(self):
        return 1


class WithSetter:
    def __init__(self, n: int):
        self.n = n

    @property
    def n(self):
        return 1

    @n.setter
    def n(self, value):
        pass


class Silent:
    def __init__(self, n: int):
        self.n = n

    def __setattr__(self, name, value):
        pass


@asc.jit
def calls_a_static(n: int):
    asc.printf("%d", WithStatic(n).pick(5))


@asc.jit
def reads_a_property(n: int):
    asc.printf("%d", WithStatic(n).size)


@asc.jit
def sets_a_property(n: int):
    asc.printf("%d", WithSetter(n).n)


@asc.jit
def makes_a_silent_one(n: int):
    asc.printf("%d", Silent(n).n)


@asc.jit
def one_tensor_for_two_fields(x: asc.GlobalAddress):
    Twice(x)


class Twice:
    def __init__(self, x: asc.GlobalAddress):
        self.a = self.b = asc.GlobalTensor()


@asc.jit
def sets_a_buffer_late(x: asc.GlobalAddress):
    box = Late(x)
    box.init(x)


class Late:
    def __init__(self, x: asc.GlobalAddress):
        self.g = asc.GlobalTensor()
        self.g.set_global_buffer(x, 8)

    def init(self, x):
        self.g.set_global_buffer(x, 4)


@asc.jit
def address_of(x: asc.GlobalAddress, n: int):
    return x + n


@asc.jit
def gives_a_number(n: int):
    address_of(5, n)


@asc.jit
def rounds_by_annotation(x: float):
    n: int = x
    asc.printf("%d", n)


@asc.jit
def truth_by_annotation(n: int):
    b: bool = n
    asc.printf("%d", int(b))


@asc.jit
def deeper(k):
    return deeper(k + 1)


@asc.jit
def without_end(n: int):
    asc.printf("%d", deeper(0))


REFUSED = {
    "static method": (calls_a_static, (1,), UnsupportedSyntax, "a staticmethod"),
    "property": (reads_a_property, (1,), UnsupportedSyntax, "a property"),
    "property that is set": (sets_a_property, (1,), UnsupportedSyntax, "a property"),
    "setattr": (makes_a_silent_one, (1,), UnsupportedSyntax, "a class with __setattr__"),
    "one object for two fields": (one_tensor_for_two_fields, ("i32[8]",), UnsupportedSyntax, "made for one field"),
    "buffer of an old field": (sets_a_buffer_late, ("i32[8]",), UnsupportedSyntax, "fields in __init__"),
    "number for an address": (gives_a_number, (1,), WrongCall, "must be asc.GlobalAddress"),
    "float for an int": (rounds_by_annotation, (1.5,), TypeChanged, "becomes float"),
    "int for a bool": (truth_by_annotation, (3,), TypeChanged, "becomes int"),
    "recursion with other constants": (without_end, (1,), UnsupportedSyntax, "write a loop"),
}


@pytest.mark.quick
@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    kernel, arguments, kind, words = REFUSED[name]
    with pytest.raises(kind) as caught:
        kernel.emit(*arguments)
    assert words in str(caught.value) and isinstance(caught.value, KernelError)
    assert len(str(caught.value).splitlines()) < 15


# Narrow numbers -------------------------------------------------------------------------------------------------


@asc.jit
def narrow_parameter(v: asc.int8):
    v += 100
    return v


@asc.jit
def narrow(n: int, h: asc.float16):
    if n > 1000:
        z: asc.int8 = 1
    z = n
    asc.printf("%d %d %f", narrow_parameter(n), z, h)


def test_narrow_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    """A parameter of one width wraps as a variable does; a type written in a branch holds there."""
    assert printed(narrow, capsys, 100, 1.5) == ["-56", "100", "1.500000"]


class Wide:
    def __init__(self, n: int):
        count: asc.int8 = 1
        self.n = n + count
        self.count = 1000

    def add(self):
        self.count += 1
        return self.count


@asc.jit
def fields_are_not_names(n: int):
    asc.printf("%d", Wide(n).add())


def test_the_type_of_a_name_is_not_that_of_a_field(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(fields_are_not_names, capsys, 1) == ["1001"]


# Assertions -----------------------------------------------------------------------------------------------------


@asc.jit
def asserts(n: int):
    assert n > 0, f"n is {n} of {2 * 8}"
    assert n < 9, f"less than {9}"


def test_messages_of_assertions(capsys: pytest.CaptureFixture[str]) -> None:
    asserts[1](3)
    with pytest.raises(TrapError, match="assertion failed: n > 0; its message was printed"):
        asserts[1](-2)
    assert capsys.readouterr().out == "n is -2 of 16\n"
    with pytest.raises(TrapError, match="assertion failed: less than 9"):
        asserts[1](10)


# What a kernel depends on ---------------------------------------------------------------------------------------

DEPENDS = """
import enum
from dataclasses import dataclass
from opwright import asc

K = {number}
WIDTH = asc.{width}

class Mode(enum.Enum):
    A = {number}

@dataclass(frozen=True)
class Config:
    {first}: int
    {second}: int

CONFIG = Config({number}, 100)

@asc.jit
def default(v, k=K):
    return v * k

@asc.jit
def annotated(v: WIDTH):
    return v

class Op:
    def __init__(self, n: int, k=K):
        self.n = n * k

    def add(self, by=K):
        return self.n + by

@asc.jit
def kernel(n: int):
    op = Op(n)
    asc.printf("%d %d %d %d %d %d", Mode.A.value, default(n), annotated(n * 30), CONFIG.a, op.n, op.add())
"""


def test_everything_read_is_part_of_the_key(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each is changed by itself; the text of the kernel stays what it is."""
    for name, number, width, fields, expected in (
        ("first", 3, "int8", ("a", "b"), "3 30 44 3 30 33"),
        ("number", 4, "int8", ("a", "b"), "4 40 44 4 40 44"),
        ("width", 4, "int16", ("a", "b"), "4 40 300 4 40 44"),
        ("fields", 4, "int16", ("c", "a"), "4 40 300 100 40 44"),
    ):
        text = DEPENDS.format(number=number, width=width, first=fields[0], second=fields[1])
        assert printed(load(tmp_path, text, name).kernel, capsys, 10) == expected.split(), name


# Structs ----------------------------------------------------------------------------------------------------------


@dataclass
class Numbers:
    x: float
    n: int


@asc.jit
def takes_numbers(numbers: Numbers):
    asc.printf("%f %d", numbers.x, numbers.n)


@asc.jit
def reads_no_field(numbers: Numbers):
    asc.printf("%d", numbers.m)


@pytest.mark.quick
@pytest.mark.parametrize("value", [Numbers(10**400, 1), Numbers(1.0, np.arange(3)), Numbers(1.0, None)], ids="123")
def test_fields_that_do_not_fit(value: Numbers) -> None:
    with pytest.raises(BadField, match="Numbers"):
        takes_numbers[1](value)


@pytest.mark.quick
def test_the_name_of_a_struct_is_in_the_message() -> None:
    with pytest.raises(KernelError, match=r"name 'Numbers\.m' is not defined"):
        reads_no_field.emit(Numbers(1.0, 1))


def test_methods_are_what_was_imported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = """
from opwright import asc

class Op:
    def __init__(self, n: int):
        self.n = n

    def get(self):
        return self.n + 111

@asc.jit
def kernel(n: int):
    asc.printf("%d", Op(n).get())
"""
    module = load(tmp_path, text, "edited")
    path = Path(module.__file__)
    path.write_text(text.replace("111", "222"))
    assert printed(module.kernel, capsys, 0) == ["111"]


# Objects as parameters of helpers ---------------------------------------------------------------------------------


class Counter:
    def __init__(self, start: int):
        self.count = start


@asc.jit
def bump(counter: Counter, by: int):
    counter.count += by
    return counter.count


@asc.jit
def counts(n: int):
    counter = Counter(n)
    asc.printf("%d %d", bump(counter, 2), bump(counter, 3))


def test_an_object_as_an_annotated_parameter(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(counts, capsys, 10) == ["12", "15"]
