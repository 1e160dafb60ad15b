"""Arrays, numbers of one width, run-time steps, `return` of a kernel, C++ as it stands: values, stops and refusals."""

import math
import struct
import textwrap
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from harness import Program, load

from opwright import errors
from opwright.kernel.layouts import layout_of, pack

# The checked twin warns about numbers that wrap: here they are meant.
pytestmark = pytest.mark.filterwarnings("ignore::opwright.errors.CheckWarning")

Printed = pytest.CaptureFixture[str]
BIG = (0, 1, -1, 127, 128, 255, 256, -129, 65535, 1 << 31, -(1 << 31) - 1, (1 << 63) - 1, -(1 << 63))


def test_integers_wrap_to_their_width(tmp_path: Path) -> None:
    names = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32")
    lines = [f"SHOW(asc.number(n, asc.{name}))" for name in names]
    for name in names:
        lines += [f"v_{name}: asc.{name} = n", f"v_{name} += 1", f"SHOW(v_{name} * 3)"]
        lines += [f"a_{name} = asc.array(asc.{name}, (n, 1))", f"a_{name}[1] -= 2", f"SHOW(a_{name}[0] + a_{name}[-1])"]
    Program(tmp_path, "\n".join(lines), "n: int").agree(*((n,) for n in BIG))


def test_floats_round_to_their_width(tmp_path: Path) -> None:
    lines = []
    for name in ("float16", "bfloat16", "float32"):
        lines += [f"SHOWF(asc.number(x, asc.{name}))", f"v_{name}: asc.{name} = x", f"v_{name} *= 3"]
        lines += [f"SHOWF(v_{name} + 0.1)", f"SHOWF(asc.number(n, asc.{name}))"]
        lines += [f"SHOWF(asc.number(asc.number(x, asc.{other}), asc.{name}))" for other in ("float16", "bfloat16")]
    values = (0.1, -1.0, 65519.0, 65520.0, 1e-8, 6e-8, 3.4e38, 1.00390625, 1.01171875, -0.0)
    Program(tmp_path, "\n".join(lines), "x: float, n: int").agree(*((x, 2049) for x in values), (1.0, (1 << 60) + 1))


def test_an_integer_rounds_to_float32_once(tmp_path: Path) -> None:
    """2**60 + 2**36 + 1 lies just above the middle of two float32 numbers; by way of a double it would not.

    Constants, arguments and numbers of the run are rounded alike.
    """
    value = (1 << 60) + (1 << 36) + 1
    exact = float(np.int64(value).astype(np.float32))
    assert exact != float(np.float32(float(value)))
    lines = [f"SHOWF(x + {value})", "SHOWF(x + n)", f"SHOWF(float({value}))", "SHOWF(float(n))", "SHOWF(y)", "SHOWF(w)"]
    lines += [f"SHOWF({value} + 0.0)", f"v: asc.float32 = {value}", "SHOWF(v)"]
    program = Program(tmp_path, "\n".join(lines), "x: float, n: int, y: float, w: asc.float32")
    assert program.twin(0.0, value, value, value)[1] == [exact] * 8
    assert program.twin(0.0, value, np.int64(value), value)[1] == [exact] * 8
    assert program.twin(0.0, -value, -value, -value)[1][1::2] == [-exact, -exact, -exact, exact]

    @dataclass
    class Scales:
        first: float

    packed = struct.pack("=q", *pack(layout_of(Scales), Scales(value)))
    assert struct.unpack("=f4x", packed) == (exact,)


def test_unsigned_64_bits(tmp_path: Path, capsys: Printed) -> None:
    text = """
    from opwright import asc


    @asc.jit
    def run(n: int, u: asc.uint64):
        v = asc.number(n, asc.uint64)
        asc.printf("%u %u %u %u\\n", u + v, u * 2, u // 3, u % 1000)
        asc.printf("%u %u %d %d\\n", u >> 60, ~u, int(u > v), int(u) + n)
    """
    u, mask = (1 << 64) - 5, (1 << 64) - 1
    made = load(tmp_path, textwrap.dedent(text))
    made.run[1](7, u)
    for wrong in (1 << 64, -1):
        with pytest.raises(errors.WrongArguments, match=f"argument u = {wrong} does not fit uint64"):
            made.run[1](7, wrong)
    first = f"{(u + 7) & mask} {u * 2 & mask} {u // 3} {u % 1000}\n"
    assert capsys.readouterr().out == f"{first}{u >> 60} {~u & mask} 1 2\n"


def test_run_time_steps(tmp_path: Path) -> None:
    body = """
    turns = 0
    last = -1
    for i in range(n, m, k):
        turns += 1
        last = i
        if turns > 50:
            break
    SHOW(turns)
    SHOW(last)
    """
    program = Program(tmp_path, body, "n: int, m: int, k: int")
    least, most = -(1 << 63), (1 << 63) - 1
    program.agree(
        (0, 10, 3), (10, 0, -3), (0, 10, -1), (5, 5, 1), (0, 1, most), (least, most, most), (most, least, least)
    )
    program.agree((most - 3, most, 2), (least + 3, least, -2), (0, most, 1 << 60))
    with pytest.raises(errors.TrapError, match="the step of a range is 0"):
        program.twin(0, 10, 0)


def test_indices_outside_stop_the_core(tmp_path: Path) -> None:
    body = (
        "a = asc.array(asc.int32, (5, 6, 7))\nSHOW(a[n])\na[m] = 9\nSHOW(a[0] + a[1] * 10 + a[2] * 100 + len(a) * 1000)"
    )
    program = Program(tmp_path, body, "n: int, m: int")
    program.agree((0, 0), (2, 1), (1, 2))
    for arguments in ((3, 0), (0, 3), (-1, 0), (0, -1), (1 << 40, 0)):
        with pytest.raises(errors.TrapError, match="index outside of an array of 3"):
            program.twin(*arguments)


def test_a_kernel_may_return_anywhere(tmp_path: Path, capsys: Printed) -> None:
    text = """
    from opwright import asc


    @asc.jit
    def run(n: int):
        if n == 0:
            return
        for i in range(n):
            if i == 3:
                asc.printf("three ")
                return
            asc.printf("%d ", i)
        while True:
            n -= 1
            if n < 0:
                return None
            asc.printf("w")
    """
    made = load(tmp_path, textwrap.dedent(text))
    for n in (0, 2, 5):
        made.run[1](n)
    assert capsys.readouterr().out == "0 1 ww0 1 2 three "


def test_inline_code(tmp_path: Path, capsys: Printed) -> None:
    text = """
    from opwright import asc


    @asc.jit
    def run(n: int):
        asc.inline("__aicore__ inline int64_t seven() { return 7; }", before_function=True)
        values = asc.array(asc.int64, 1)
        asc.inline("$0[0] = $1 * seven() + $2;", (values, n, 2))
        asc.printf("%d\\n", values[0])
    """
    made = load(tmp_path, textwrap.dedent(text))
    made.run[1](5)
    assert capsys.readouterr().out == "37\n"
    assert made.run.emit(5).index("seven() {") < made.run.emit(5).index("void run(")


REFUSED = {
    "negative and unsigned": ("k = asc.number(n, asc.uint64) + n", "WrongType", "may be negative"),
    "constant that does not fit": (
        "k = asc.number(300, asc.uint8)",
        "WrongType",
        "a uint8 at run time does not take 300",
    ),
    "number without a type": ("k = asc.number(n, 3)", "UnsupportedSyntax", "asc.number without a data type"),
    "array without a length": ("k = asc.array(asc.int8, n)", "UnsupportedSyntax", "an array of int"),
    "array of nothing": ("k = asc.array(asc.int8, 0)", "UnsupportedSyntax", "an array of int 0"),
    "array that is too long": ("k = asc.array(asc.int64, 4096)", "UnsupportedSyntax", "an array of 32768 bytes"),
    "constant index outside": ("k = asc.array(asc.int8, 3)[3]", "WrongType", "index 3"),
    "float as an index": ("k = asc.array(asc.int8, 3)[x]", "WrongType", "index with an integer|an index"),
    "float into integers": ("k = asc.array(asc.int8, 3)\nk[0] = x", "WrongType", "convert it first: int(x)"),
    "element that does not fit": ("k = asc.array(asc.int8, (1, 200))", "WrongType", "from -128 to 127"),
    "length of a number": ("k = len(n)", "WrongType", "len does not take int"),
    "code that is no constant": ("asc.inline(n)", "UnsupportedSyntax", "this form of asc.inline"),
    "result of a kernel": ("return n", "UnsupportedSyntax", "a result of a kernel"),
}


@pytest.mark.quick
@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str, tmp_path: Path) -> None:
    body, kind, words = REFUSED[name]
    head = "from opwright import asc\n\n\n@asc.jit\ndef run(n: int, x: float):\n"
    made = load(tmp_path, head + textwrap.indent(body, "    ") + "\n")
    with pytest.raises(errors.KernelError) as caught:
        made.run.emit(1, 0.5)
    assert type(caught.value).__name__ == kind, caught.value
    assert any(word in str(caught.value) for word in words.split("|")), caught.value


def test_not_a_number_stays_one(tmp_path: Path) -> None:
    program = Program(tmp_path, "h: asc.float16 = x\nb: asc.bfloat16 = x\nSHOWF(h)\nSHOWF(b)", "x: float")
    assert all(map(math.isnan, program.twin(math.nan)[1]))
    assert program.twin(math.inf)[1] == [math.inf, math.inf]
