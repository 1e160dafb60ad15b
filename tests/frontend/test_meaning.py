"""Python keeps its meaning: each kernel runs on the twin and, with a stand-in for `asc`, in CPython; both must agree.

A kernel shows a value by filling a part of a tensor with it: `SHOW(value)` below becomes an `asc.duplicate`.
"""

import ast
import importlib.util
import itertools
import math
import random
import re
import textwrap
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from opwright.asc import ceildiv
from opwright.errors import TrapError

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
    asc.data_copy(z_gm, shown, {longs})
    asc.data_copy(f_gm, floats, {singles})
"""


class Tensor:
    """What a tensor is in the stand-in: a place in a dictionary of values."""

    def __init__(self, values=None, start=0):
        self.values, self.start = {} if values is None else values, start

    def __getitem__(self, part):
        return Tensor(self.values, self.start + part.start)


def wrap(value: int) -> int:
    return (int(value) + (1 << 63)) % (1 << 64) - (1 << 63)


class Int64(int):
    """An integer whose every step wraps at 64 bits."""


def _wrapping(name):
    plain = getattr(int, name)

    def method(self, *others):
        result = plain(self, *others)
        return result if result is NotImplemented else Int64(wrap(result))

    return method


for _name in "add sub mul floordiv mod and or xor lshift rshift".split():
    setattr(Int64, f"__{_name}__", _wrapping(f"__{_name}__"))
    setattr(Int64, f"__r{_name}__", _wrapping(f"__r{_name}__"))
for _name in "neg pos abs invert".split():
    setattr(Int64, f"__{_name}__", _wrapping(f"__{_name}__"))


class Stop(Exception):
    pass


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
        path = folder / f"kernel_{abs(hash(text))}.py"
        path.write_text(text)
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec and spec.loader
        self.module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.module)
        self.text = text

    def twin(self, *arguments):
        z, f = np.zeros(4 * (self.longs + 1), np.int64), np.zeros(8 * (self.singles + 1), np.float32)
        self.module.kernel[1](z, f, *arguments)
        assert (z.reshape(-1, 4) == z.reshape(-1, 4)[:, :1]).all()
        return z[::4][: self.longs].tolist(), f[::8][: self.singles].tolist()

    def python(self, *arguments):
        """The same text with a stand-in for `asc`; integers wrap at every step."""

        def duplicate(tensor, value, count):
            for i in range(count):
                tensor.values[tensor.start + i] = value

        def trap():
            raise Stop

        stand_in = SimpleNamespace(
            jit=lambda **options: lambda function: function,
            GlobalAddress=None,
            GlobalTensor=lambda: SimpleNamespace(set_global_buffer=lambda *a: None),
            LocalTensor=lambda *a: made.append(Tensor()) or made[-1],
            TPosition=SimpleNamespace(VECIN=0),
            int64=None,
            float32=None,
            duplicate=duplicate,
            data_copy=lambda *a: None,
            get_block_idx=lambda: Int64(0),
            get_block_num=lambda: Int64(1),
            printf=lambda *a: None,
            trap=trap,
            range=range,
            static_range=range,
            ceildiv=ceildiv,
            static_assert=lambda *a: None,
        )
        made: list[Tensor] = []
        scope: dict = {"asc": stand_in}
        exec(self.text.replace("from opwright import asc\n", ""), scope)
        scope["kernel"](None, None, *(Int64(a) if type(a) is int else a for a in arguments))
        shown, floats = (tensor.values for tensor in made)
        longs = [wrap(shown[4 * i]) for i in range(self.longs)]
        return longs, [float(np.float32(floats[8 * i])) for i in range(self.singles)]

    def agree(self, *calls) -> None:
        for arguments in calls:
            assert self.twin(*arguments) == self.python(*arguments), arguments


SIGNS = list(itertools.product((-7, -6, -1, 0, 1, 6, 7), (-3, -1, 1, 2, 3)))


def test_division(tmp_path: Path) -> None:
    body = """
    SHOW(n // m)
    SHOW(n % m)
    SHOW(n // 3)
    SHOW(n % 3)
    SHOW(n // -3)
    SHOW(n % -3)
    SHOW(n // 1)
    SHOW(n % -1)
    SHOW(-7 // m)
    SHOW(7 % m)
    SHOW(n // 4 * 4 + n % 4)
    SHOW((n // m) * m + n % m)
    SHOW(-7 // 2)
    SHOW(-7 % 2)
    SHOW(7 // -2)
    SHOW(asc.get_block_idx() // 3 + asc.get_block_num() % 3)
    SHOWF(n / m)
    SHOWF(n / 4)
    SHOWF(6 / 4)
    """
    program = Program(tmp_path, body, "n: int, m: int")
    program.agree(*SIGNS, (-(1 << 63), -1), ((1 << 63) - 1, -2))


def test_conditions(tmp_path: Path) -> None:
    body = """
    SHOW(0 <= n < 5)
    SHOW(n < m < 3)
    SHOW(n < m > 0 != k)
    SHOW(5 > n > -5 > m)
    SHOW(n != 0 and m // n > 1)
    SHOW(n == 0 or m % n == 1)
    SHOW(n == 0 or m == 0 or k // n // m > 0)
    SHOW(m // n if n != 0 else -1)
    SHOW(-2 if n == 0 else m % n)
    SHOW(1 if n > 0 else 2 if m > 0 else 3)
    SHOW((1 if n > 0 else 2) << 40)
    SHOW((2000000000 if n > 0 else 1) * (2000000000 if m > 0 else 3))
    SHOW(-(2147483647 if n > 0 else 1) - (2147483647 if m > 0 else 3))
    SHOW(not n)
    SHOW(not (n > 0 and m > 0))
    SHOW((n > 0) == (m > 0))
    SHOW((n > 0) + (m > 0) * 2 + (k > 0) * 4)
    SHOW((n > 0) & (m > 0) | (k > 0) ^ True)
    SHOW(True and n > 0)
    SHOW(False or n > 0)
    SHOW(n > 0 and True)
    SHOW(n if n else m)
    SHOW(LIMIT > 5 and n > LIMIT)
    SHOW(1 < 2 < n)
    SHOW(bool(n) + bool(n > 0))
    """
    values = (-2, 0, 1, 3)
    Program(tmp_path, body, "n: int, m: int, k: int").agree(*itertools.product(values, values, values))


def test_numbers(tmp_path: Path) -> None:
    body = """
    SHOW(min(n, m))
    SHOW(max(n, m))
    SHOW(min(n, m, 3))
    SHOW(max(-n, m - 1, n, 0))
    SHOW(abs(n) + abs(m - n))
    SHOW(abs(-9223372036854775807 - 1 + n * 0))
    SHOW(~n)
    SHOW(-n - -m)
    SHOW(+n)
    SHOW(n << 3 >> 1)
    SHOW(n >> 63)
    SHOW(n << 63)
    SHOW((n & 6) | (m ^ 5))
    SHOW(n & -m | 1)
    SHOW(n - m - 3 - (n - m))
    SHOW(n * (m + 2) * 3 - n * m)
    SHOW(n - (m - (n - 1)))
    SHOW(9223372036854775807 + n)
    SHOW(-9223372036854775808 - m)
    SHOW(n * 4611686018427387904)
    SHOW(2 ** 40 + n)
    SHOW(int(True) + n)
    SHOW(int(n > m) * 5)
    SHOW(PAIR[0] * n + PAIR[-1])
    SHOW((n > m) << 4)
    SHOW(-(n > m))
    SHOW(True + True)
    """
    Program(tmp_path, body, "n: int, m: int").agree(*SIGNS, ((1 << 62), -(1 << 62)), (5, 5))


def test_floats(tmp_path: Path) -> None:
    body = """
    SHOWF(n + 0.5)
    SHOWF(x * 0.5 - n)
    SHOWF(-x)
    SHOWF(abs(x))
    SHOWF(min(x, 0.25))
    SHOWF(max(x, n))
    SHOWF(x if n > 0 else n)
    SHOWF(float(n) / 4)
    SHOWF(1 / 3)
    SHOWF(2 ** -1)
    SHOW(n > 0.5)
    SHOW(x > n)
    SHOW(x == 0.5)
    SHOW(int(x))
    SHOW(int(x * 4) // 3)
    SHOW(int(-2.75))
    SHOW(bool(x))
    SHOW(1 if x else 2)
    SHOW(not x)
    SHOW(flag + n)
    SHOW(5 if flag else 6)
    SHOW(flag and x > 0)
    """
    calls = itertools.product((-2, 0, 3), (-1.75, -0.0, 0.5, 2.25), (False, True))
    Program(tmp_path, body, "n: int, x: float, flag: bool").agree(*calls)


def test_abs_of_minus_zero(tmp_path: Path) -> None:
    program = Program(tmp_path, "SHOWF(abs(x))\nSHOWF(min(x, 0.0))\nSHOWF(max(0.0, x))", "x: float")
    assert np.signbit(program.twin(-0.0)[1]).tolist() == np.signbit(program.python(-0.0)[1]).tolist()


def test_assignment(tmp_path: Path) -> None:
    body = """
    a, b = n, m
    a, b = b, a
    SHOW(a)
    SHOW(b)
    n, m = m + 0, n + 0
    SHOW(n * 10 + m)
    (c, d), [e, g] = (a + 1, b), (1, a)
    SHOW(c + d * 10 + e * 100 + g * 1000)
    first = second = n
    first += 1
    SHOW(first * 10 + second)
    first -= 2
    first *= 3
    first //= 2
    first %= 100
    first <<= 3
    first |= 5
    first &= 1023
    first ^= 3
    first >>= 1
    SHOW(first)
    t = (n, m, 7)
    SHOW(t[0] + t[1] * 10 + t[-1] * 100)
    if n > m:
        low, high = m, n
        label = 1
    else:
        low, high = n, m
        if m > 3:
            label = 2
        else:
            label = 3
    SHOW(low)
    SHOW(high)
    SHOW(label)
    total = 0
    if n > 0:
        total = total + 5
    elif m > 0:
        total += 7
        n = 100
    else:
        pass
    SHOW(total)
    SHOW(n)
    before = n
    n = n * 2
    if m > 1:
        n = n + before
        before = 9
    SHOW(before)
    SHOW(n)
    """
    Program(tmp_path, body, "n: int, m: int").agree(*itertools.product((-3, 1, 5), (-2, 2, 6)))


def test_loops(tmp_path: Path) -> None:
    body = """
    total = 0
    for i in range(n):
        total += i + 1
    SHOW(total)
    total = 0
    for i in range(n, 0, -1):
        total = total * 3 + i
    SHOW(total)
    for i in range(m, -m, -2):
        total = total * 3 + i
    for i in range(-3, n, 2):
        total = total * 3 + i
    for i in range(2, 8, 3):
        total = total * 3 + i
    SHOW(total)
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    SHOW(a)
    SHOW(b)
    bound = n
    turns = 0
    for i in range(bound):
        bound = bound + 1
        turns += 1
        i = i * 10
        turns += i
    SHOW(turns)
    SHOW(bound)
    i = 77
    for outer in range(n):
        SHOWN = i
        turns = turns * 5 + SHOWN
        for i in range(outer):
            turns += i
    SHOW(turns)
    SHOW(i)
    for i in range(0):
        turns = 0
    SHOW(i)
    last = -1
    for k in range(n):
        if k % 2 == 0:
            last = k
            for j in range(k, n):
                if j > k and j < 4:
                    last += j
        else:
            last -= k
    SHOW(last)
    start = 2
    stop = n + 2
    for k in range(start, stop):
        start = 50
        stop = 0
        last += k
    SHOW(last + start + stop)
    scale = 1
    x = 0.5
    for k in range(n):
        scale = scale * 2 if scale < 8 else scale - 7
        x += scale
        x = x / 2
    SHOW(scale)
    SHOWF(x)
    seen = 0
    for p in range(3):
        for q in range(3):
            for r in range(3):
                if p < q < r or p == q == r:
                    seen = seen * 2 + 1
    SHOW(seen)
    m += 1
    for k in range(m):
        m -= 1
        n = n + m
    SHOW(n)
    SHOW(m)
    """
    Program(tmp_path, body, "n: int, m: int").agree(*itertools.product((-1, 0, 1, 4, 7), (-2, 0, 3)))


def test_order_of_reads_and_writes(tmp_path: Path) -> None:
    """A value is what it was when it was computed, however late the text uses it."""
    body = """
    a = 0
    for i in range(n):
        a += 2
    b = a
    c = a * 10
    d = a + b
    a = 3
    SHOW(b + c + d)
    e = (a + 1) * (a + 2)
    if n > 1:
        a = 50
        e2 = a + b
        b = e2
    SHOW(e)
    SHOW(a)
    SHOW(b)
    keep = a
    keep2 = keep
    a, b, c = c, a + b, b
    SHOW(keep + keep2 * 3)
    SHOW(a)
    SHOW(b)
    SHOW(c)
    f = a if b > c else c
    a = 1
    SHOW(f)
    g = a
    for i in range(n):
        g += a
        a = g
        SHOWN = g
    h = g
    if n > 2:
        g = 5
    SHOW(h)
    SHOW(g + h)
    t = a > b and b // (a + 100) > 0
    b = 3
    a = 2
    SHOW(t)
    u = min(a, b) + max(a, b) * 10
    a = 9
    SHOW(u)
    SHOW(min(a, b))
    """
    Program(tmp_path, body, "n: int").agree((0,), (1,), (2,), (3,), (5,))


@pytest.mark.parametrize("expression", ["n // m", "n % m", "1 if n // m > 0 else 2", "n > 0 and n % m == 0"])
def test_division_by_zero_stops_the_core(expression: str, tmp_path: Path) -> None:
    program = Program(tmp_path, f"SHOW({expression})", "n: int, m: int")
    program.agree((5, 2))
    with pytest.raises(ZeroDivisionError):
        program.python(5, 0)
    with pytest.raises(TrapError, match="division by zero") as caught:
        program.twin(5, 0)
    assert caught.value.at is not None
    column = program.text.splitlines()[caught.value.at.line - 1].index(expression)
    assert caught.value.at.column >= column


@pytest.mark.parametrize("expression", ["n / m", "True / m", "(1 if n / m > 0 else 2) / 2", "n / (m > 0)"])
def test_true_division_of_integers_by_zero_stops_the_core(expression: str, tmp_path: Path) -> None:
    program = Program(tmp_path, f"SHOWF({expression})", "n: int, m: int")
    program.agree((5, 2), (-5, 1))
    with pytest.raises(ZeroDivisionError):
        program.python(5, 0)
    with pytest.raises(TrapError, match="division by zero"):
        program.twin(5, 0)


def test_division_with_a_float_is_ieee(tmp_path: Path) -> None:
    program = Program(tmp_path, "SHOWF(n / x)\nSHOWF(x / n)\nSHOWF(x / x)", "n: int, x: float")
    inf = math.inf
    assert program.twin(2, 0.0)[1][:2] == [inf, 0.0]
    assert program.twin(-2, 0.0)[1][:2] == [-inf, -0.0]
    assert program.twin(0, 1.5)[1] == [0.0, inf, 1.0]
    assert math.isnan(program.twin(1, 0.0)[1][2])


def test_int_of_a_float(tmp_path: Path) -> None:
    program = Program(tmp_path, "SHOW(int(x))\nSHOW(int(x) if x > 0 else 7)", "x: float")
    program.agree((0.0,), (-0.99,), (2.5,), (-2.5,), (-(2.0**63),), (2.0**63 - 2.0**39,), (1e-40,))
    for value in (math.nan, math.inf, -math.inf, 2.0**63, -(2.0**63) - 2.0**40, 3e38):
        with pytest.raises(TrapError, match=r"int\(\) of a float that no 64-bit integer can hold"):
            program.twin(value)


def test_int_of_a_float_that_is_not_reached(tmp_path: Path) -> None:
    program = Program(tmp_path, "SHOW(int(x) if n > 0 else 7)\nSHOW(n > 0 and int(x) > 3)", "n: int, x: float")
    program.agree((0, math.nan), (1, 4.5), (1, 2.5))


def test_trap_in_a_branch(tmp_path: Path) -> None:
    program = Program(tmp_path, "if n > 3:\n    asc.trap()\nSHOW(n)", "n: int")
    program.agree((3,))
    for run, error in ((program.python, Stop), (program.twin, TrapError)):
        with pytest.raises(error):
            run(4)


# Random expressions -------------------------------------------------------------------------------------------


class Generator:
    """Integer expressions over n, m and k. Divisors are odd, so never zero; shifts are by constants."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def truth(self, depth: int) -> str:
        pick = self.random.random()
        if depth <= 0 or pick < 0.5:
            operators = [
                self.random.choice(["<", "<=", ">", ">=", "==", "!="]) for _ in range(self.random.choice([1, 1, 2]))
            ]
            parts = [self.number(depth - 1) for _ in range(len(operators) + 1)]
            return f"({parts[0]} " + " ".join(f"{o} {p}" for o, p in zip(operators, parts[1:], strict=True)) + ")"
        if pick < 0.6:
            return f"(not {self.truth(depth - 1)})"
        word = self.random.choice([" and ", " or "])
        return "(" + word.join(self.truth(depth - 1) for _ in range(self.random.choice([2, 2, 3]))) + ")"

    def number(self, depth: int) -> str:
        if depth <= 0 or self.random.random() < 0.1:
            names = [
                "n",
                "m",
                "k",
                "n",
                "m",
                "k",
                str(self.random.randint(-9, 9)),
                str(self.random.choice([255, 4097, 1 << 33])),
            ]
            return self.random.choice(names)
        a, b = self.number(depth - 1), self.number(depth - 1)
        return self.random.choice(
            [
                f"({a} + {b})",
                f"({a} - {b})",
                f"({a} * {b})",
                f"({a} // ({b} | 1))",
                f"({a} % ({b} | 1))",
                f"({a} // {self.random.choice([-8, -5, -1, 1, 2, 3, 7])})",
                f"({a} % {self.random.choice([-8, -5, -1, 1, 2, 3, 7])})",
                f"({a} & {b})",
                f"({a} | {b})",
                f"({a} ^ {b})",
                f"({a} << {self.random.randint(0, 63)})",
                f"({a} >> {self.random.randint(0, 63)})",
                f"-{a}",
                f"(~{a})",
                f"abs({a})",
                f"min({a}, {b})",
                f"max({a}, {b}, k)",
                f"({a} if {self.truth(depth - 1)} else {b})",
                # CPython would add True and an Int64 without asking the latter.
                f"({b} + {self.truth(depth - 1)})",
                f"int({self.truth(depth - 1)})",
            ]
        )


ARGUMENTS = [
    (0, 0, 0),
    (1, -1, 2),
    (-7, 3, 5),
    (1 << 62, -(1 << 63), 12345),
    ((1 << 63) - 1, 97, -(1 << 40)),
    (-4242424242, 777777777777, 3),
]


@pytest.mark.parametrize("seed", range(6))
def test_random_expressions(seed: int, tmp_path: Path) -> None:
    generator = Generator(seed)
    expressions: list[str] = []
    while len(expressions) < 40:
        expression = generator.number(3)
        # Constants fold without wrapping, as Python does; a part without a name could leave 64 bits.
        if re.search(r"[nmk]", expression) and _folds(expression):
            expressions.append(expression)
    program = Program(tmp_path, "\n".join(f"SHOW({e})" for e in expressions), "n: int, m: int, k: int")
    for arguments in ARGUMENTS:
        got, expected = program.twin(*arguments)[0], program.python(*arguments)[0]
        wrong = [(e, g, x) for e, g, x in zip(expressions, got, expected, strict=True) if g != x]
        assert not wrong, (arguments, wrong)


class Statements(Generator):
    """Programs over the variables n, m, k: assignments, swaps, branches and loops within each other."""

    counters = itertools.count()

    def block(self, depth: int, indent: str) -> list[str]:
        lines: list[str] = []
        for _ in range(self.random.randint(1, 4)):
            lines += self.statement(depth, indent)
        return lines

    def number(self, depth: int) -> str:
        # A name that held a constant would be folded without wrapping.
        return f"({super().number(depth)} + zero)"

    def leave(self, indent: str) -> list[str]:
        """Sometimes the end of a turn or of a loop."""
        word = self.random.choice(["break", "continue", "", ""])
        return [f"{indent}if {self.truth(1)}:", f"{indent}    {word}"] if word else []

    def statement(self, depth: int, indent: str) -> list[str]:
        names = self.random.sample(["n", "m", "k"], 2)
        pick = self.random.random()
        if pick < 0.25 and depth > 0:
            lines = [f"{indent}if {self.truth(1)}:", *self.block(depth - 1, indent + "    ")]
            if self.random.random() < 0.6:
                lines += [f"{indent}else:", *self.block(depth - 1, indent + "    ")]
            return lines
        if pick < 0.45 and depth > 0:
            bounds = self.random.choice(["{} % 4", "3", "{} % 3, 4", "{} % 5, -2, -2", "{0} % 2, {0} % 5, 1"])
            # Sometimes the index is a variable of the program, or the body sets it.
            index = self.random.choice(["i", "j", "i", "j", names[1]])
            lines = [f"{indent}for {index} in range({bounds.format(names[0])}):"]
            body = self.block(depth - 1, indent + "    ")
            if self.random.random() < 0.4:
                body = [f"{indent}    {names[0]} = {names[0]} + {index}", *body]
            if self.random.random() < 0.2:
                body = [f"{indent}    {index} = {index} * 3 - {names[0]}", *body]
            return lines + body + self.leave(indent + "    ") + self.statement(0, indent + "    ")
        if pick < 0.52 and depth > 0:
            # The counter makes sure that it ends; what else stands in the test may end it sooner.
            counter = f"w{next(self.counters)}"
            lines = [f"{indent}{counter} = zero", f"{indent}while {counter} < 4 and {self.truth(1)}:"]
            body = [f"{indent}    {counter} += 1", *self.block(depth - 1, indent + "    ")]
            return lines + body + self.leave(indent + "    ") + self.statement(0, indent + "    ")
        if pick < 0.6:
            return [f"{indent}{names[0]}, {names[1]} = {names[1]}, {self.number(1)}"]
        if pick < 0.7:
            return [f"{indent}{names[0]} {self.random.choice(['+', '-', '^', '|'])}= {self.number(1)}"]
        if pick < 0.8:
            # A value that is used after what it was made from has changed.
            return [
                f"{indent}t = {self.number(2)}",
                f"{indent}{names[0]} = {self.number(1)}",
                f"{indent}{names[1]} = t + {names[1]}",
            ]
        if pick < 0.9:
            return [
                f"{indent}b = {self.truth(2)}",
                f"{indent}{names[0]} = {self.number(1)}",
                f"{indent}{names[1]} += b",
            ]
        return [f"{indent}{names[0]} = {self.number(2)}"]


WHILE = """
steps = 0
m = n
while m != 1:
    if steps >= 200:
        break
    steps += 1
    if m % 2 == 0:
        m = m // 2
        continue
    m = 3 * m + 1
SHOW(steps)
SHOW(m)

total = 0
k = n
while k > 0 and 100 // k < 60:
    k -= 2
    total += k
SHOW(total)

count = 0
while True:
    count += 1
    if count > n % 5:
        break
SHOW(count)

while False:
    count = 99
SHOW(count)

last = -1
for i in asc.range(n):
    if i % 3 == 1:
        continue
    if i > 10:
        break
    for j in range(i):
        if j == 2:
            break
        last = 10 * i + j
    last += 1
SHOW(last)

for i in range(3):
    if n == i:
        break
    else:
        found = i + 5
    total += found
SHOW(total)

size = 1
for i in asc.static_range(2, 8, 3):
    size = size * 10 + i
SHOW(size + n)
SHOW(asc.ceildiv(n, 4))
SHOW(asc.ceildiv(n, -3))
SHOW(asc.ceildiv(10, 4))
for i in asc.static_range(3):
    for j in range(n % 4):
        if j == i:
            continue
        total += j * i
SHOW(total)
"""


def test_while_break_continue(tmp_path: Path) -> None:
    program = Program(tmp_path, WHILE, "n: int")
    program.agree(*((n,) for n in (1, 2, 3, 5, 6, 7, 9, 27, 97)))


def test_a_condition_is_computed_before_every_turn(tmp_path: Path) -> None:
    """A division in the test must happen as often as Python does it, and where it would raise the core stops."""
    program = Program(tmp_path, "t = 0\nwhile n // m > 2:\n    m -= 1\n    t += 1\nSHOW(t)\nSHOW(m)", "n: int, m: int")
    program.agree((7, 3), (-9, 4), (100, 40))
    with pytest.raises(TrapError, match="division by zero"):
        program.twin(100, 3)


def test_assert_stops_the_core(tmp_path: Path) -> None:
    program = Program(tmp_path, 'assert n > 2, "n is too small"\nassert n < 10\nSHOW(n)', "n: int")
    program.agree((3,), (9,))
    with pytest.raises(TrapError, match="assertion failed: n is too small"):
        program.twin(2)
    with pytest.raises(TrapError, match="assertion failed"):
        program.twin(10)


@pytest.mark.parametrize("seed", range(8))
def test_random_programs(seed: int, tmp_path: Path) -> None:
    generator = Statements(100 + seed)
    blocks: list[str] = []
    while len(blocks) < 10:
        block = "\n".join(["n, m, k = n0, m0, k0", *generator.block(3, ""), "SHOW(n)", "SHOW(m)", "SHOW(k)"])
        if _folds(block):
            blocks.append(block)
    program = Program(tmp_path, "\n".join(blocks), "n0: int, m0: int, k0: int, zero: int")
    for arguments in ((0, 1, 2, 0), (5, -3, 7, 0), (-11, 123456789, -2, 0), (1 << 40, 3, (1 << 63) - 1, 0)):
        got, expected = program.twin(*arguments)[0], program.python(*arguments)[0]
        wrong = [blocks[i // 3] for i, pair in enumerate(zip(got, expected, strict=True)) if pair[0] != pair[1]]
        assert not wrong, f"{arguments}\n{wrong[0]}"


def _is_constant(node: ast.expr) -> bool:
    known = ("abs", "min", "max", "int", "bool")
    return all(part.id in known for part in ast.walk(node) if isinstance(part, ast.Name))


def _folds(expression: str) -> bool:
    """Whether every part that is constant fits 64 bits, so that folding and wrapping agree."""
    for node in ast.walk(ast.parse(expression)):
        if isinstance(node, ast.expr) and not any(
            isinstance(part, ast.Name) and part.id in "nmk" for part in ast.walk(node)
        ):
            if isinstance(node, (ast.Name, ast.Tuple)) or not _is_constant(node):
                continue
            try:
                value = eval(compile(ast.Expression(node), "", "eval"))
            except ZeroDivisionError:
                return False
            if not -(1 << 63) <= value < 1 << 63:
                return False
    return True
