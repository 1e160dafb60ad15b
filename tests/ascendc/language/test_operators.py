"""Every operator of a number of the run, on either side, against NumPy: int is int64, float is float32."""

import importlib.util
import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from opwright import asc
from opwright.errors import TrapError, WrongType
from opwright.runtime.jit import JitFunction

LOW, HIGH = -(1 << 63), (1 << 63) - 1
# Operator -> an expression of the integers a and b.
INTEGERS = {
    "__add__": "a + b",
    "__radd__": "7 + b",
    "__sub__": "a - b",
    "__rsub__": "7 - b",
    "__mul__": "a * b",
    "__rmul__": "-3 * b",
    "__floordiv__": "a // b",
    "__rfloordiv__": "-7 // b",
    "__mod__": "a % b",
    "__rmod__": "-7 % b",
    "__and__": "a & b",
    "__rand__": "12 & b",
    "__or__": "a | b",
    "__ror__": "12 | b",
    "__xor__": "a ^ b",
    "__rxor__": "12 ^ b",
    "__lshift__": "a << 5",
    "__rshift__": "a >> 5",
    "__neg__": "-a",
    "__pos__": "+a",
    "__invert__": "~a",
    "__not__": "int(not a)",
    "__eq__": "int(a == b)",
    "__req__": "int(1 == b)",
    "__ne__": "int(a != b)",
    "__rne__": "int(1 != b)",
    "__lt__": "int(a < b)",
    "__rlt__": "int(1 < b)",
    "__le__": "int(a <= b)",
    "__rle__": "int(1 <= b)",
    "__gt__": "int(a > b)",
    "__rgt__": "int(1 > b)",
    "__ge__": "int(a >= b)",
    "__rge__": "int(1 >= b)",
    "ceildiv": "a.ceildiv(b)",
    "logical_and": "int(a.logical_and(b > 0))",
    "logical_or": "int((a > 5).logical_or(b))",
    "cast": "a.cast(asc.int8) + b.cast(asc.uint16)",
}
FLOATS = {
    "__add__": "x + y",
    "__radd__": "0.1 + y",
    "__sub__": "x - y",
    "__rsub__": "1 - y",
    "__mul__": "x * y",
    "__rmul__": "3 * y",
    "__truediv__": "x / y",
    "__rtruediv__": "1.5 / y",
    "__neg__": "-x",
    "__pos__": "+x",
    "__not__": "1.0 if not x else 0.0",
    "__eq__": "1.0 if x == y else 0.0",
    "__req__": "1.0 if 0.5 == y else 0.0",
    "__ne__": "1.0 if x != y else 0.0",
    "__rne__": "1.0 if 0.5 != y else 0.0",
    "__lt__": "1.0 if x < y else 0.0",
    "__rlt__": "1.0 if 0.5 < y else 0.0",
    "__le__": "1.0 if x <= y else 0.0",
    "__rle__": "1.0 if 0.5 <= y else 0.0",
    "__gt__": "1.0 if x > y else 0.0",
    "__rgt__": "1.0 if 0.5 > y else 0.0",
    "__ge__": "1.0 if x >= y else 0.0",
    "__rge__": "1.0 if 0.5 >= y else 0.0",
    "logical_and": "1.0 if x.logical_and(y > 0) else 0.0",
    "logical_or": "1.0 if (x > 1).logical_or(y) else 0.0",
    "cast": "x.cast(asc.float16) + y.cast(asc.bfloat16)",
}


def kernel_of(name: str, parameters: str, expressions: list[str], folder: Path) -> JitFunction:
    lines = [
        "from opwright import asc",
        "@asc.jit",
        f"def {name}(z: asc.GlobalAddress, {parameters}):",
        "    z_gm = asc.GlobalTensor()",
        f"    z_gm.set_global_buffer(z, {len(expressions)})",
        *(f"    z_gm.set_value({place}, {expression})" for place, expression in enumerate(expressions)),
    ]
    path = folder / f"{name}.py"
    path.write_text("\n".join(lines) + "\n")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def wrap(value: object, kind: type = np.int64) -> int:
    """An integer of any size in so many bits."""
    bits = np.dtype(kind).itemsize * 8
    low = int(np.iinfo(kind).min)
    return (int(value) - low) % (1 << bits) + low  # type: ignore[call-overload]


def integer(name: str, a: int, b: int) -> int:
    """What an operator gives: Python's result, of which 64 bits are kept."""
    match name:
        case "cast":
            return wrap(a, np.int8) + wrap(b, np.uint16)
        case "ceildiv":
            return wrap(-(wrap(-a) // b))  # the least number has no opposite
        case "logical_and":
            return int(np.logical_and(a, b > 0))
        case "logical_or":
            return int(np.logical_or(a > 5, b))
    return wrap(eval(INTEGERS[name], {}, {"a": a, "b": b}))


VALUES = [0, 1, -1, 2, 7, -8, 127, 128, -129, 65536, 1 << 31, (1 << 53) + 1, HIGH, LOW, LOW + 1, HIGH - 1]


def test_integers(tmp_path: Path, asserted: Callable[[str], None]) -> None:
    kernel = kernel_of("integers", "a: int, b: int", list(INTEGERS.values()), tmp_path)
    rng = np.random.default_rng(1)
    pairs = [*itertools.product(VALUES, VALUES), *rng.integers(LOW, HIGH, (200, 2)).tolist()]
    for a, b in pairs:
        if b == 0:
            continue
        z = np.full(len(INTEGERS), 99, np.int64)
        kernel[1](z, a, b)
        assert dict(zip(INTEGERS, z.tolist(), strict=True)) == {name: integer(name, a, b) for name in INTEGERS}, (a, b)
    z = np.full(len(INTEGERS), 99, np.int64)
    kernel.check[1](z, -40, 6)
    assert z.tolist() == [integer(name, -40, 6) for name in INTEGERS]
    with pytest.warns(Warning, match="does not fit int64"):
        kernel.check[1](z, HIGH, 1)
    for name in INTEGERS:
        asserted(f"PlainValue.{name}")


def single(name: str, x: np.float32, y: np.float32) -> np.float32:
    """What an operator gives in float32; constants are float32 too."""
    import ml_dtypes

    match name:
        case "cast":
            return np.float32(x.astype(np.float16)) + np.float32(y.astype(ml_dtypes.bfloat16))
        case "logical_and":
            return np.float32(np.logical_and(x, y > 0))
        case "logical_or":
            return np.float32(np.logical_or(x > 1, y))
    return np.float32(eval(FLOATS[name], {}, {"x": x, "y": y}))


SINGLES = [0.0, -0.0, 1.0, -1.5, 0.1, 0.5, 3.4e38, -3.4e38, 1e-45, 1.2e-38, np.inf, -np.inf, np.nan, 65519.0, 1e5]


def test_floats(tmp_path: Path, asserted: Callable[[str], None]) -> None:
    kernel = kernel_of("floats", "x: float, y: float", list(FLOATS.values()), tmp_path)
    rng = np.random.default_rng(2)
    random = rng.integers(0, 1 << 32, (200, 2), np.uint32).view(np.float32)
    for x, y in [*itertools.product(np.array(SINGLES, np.float32), repeat=2), *random]:
        z = np.full(len(FLOATS), 99, np.float32)
        kernel[1](z, float(x), float(y))
        with np.errstate(all="ignore"):
            wanted = np.array([single(name, x, y) for name in FLOATS], np.float32)
        same = (z.view(np.uint32) == wanted.view(np.uint32)) | (np.isnan(z) & np.isnan(wanted))
        assert same.all(), [(n, z[i], wanted[i], x, y) for i, n in enumerate(FLOATS) if not same[i]]
    for name in FLOATS:
        asserted(f"PlainValue.{name}")


@asc.jit
def mixed(z: asc.GlobalAddress, a: int, b: int, x: float):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 6)
    z_gm.set_value(0, a / b)
    z_gm.set_value(1, 7 / b)
    z_gm.set_value(2, a / 3)
    z_gm.set_value(3, a + x)
    z_gm.set_value(4, x.cast(asc.int32) * 1.0)
    z_gm.set_value(5, a.cast(asc.float32) - 0.5)


@pytest.mark.parametrize(("a", "b", "x"), [(1, 3, 0.25), (-16777217, 5, -1e9), (HIGH, -7, 3.99), (LOW, LOW, -3.99)])
def test_mixed(a: int, b: int, x: float) -> None:
    z = np.full(6, np.nan, np.float32)
    mixed[1](z, a, b, x)
    f = np.float32
    wanted = [f(a) / f(b), f(7) / f(b), f(a) / f(3), f(a) + f(x), f(int(f(x))), f(a) - f(0.5)]
    assert z.tobytes() == np.array(wanted, f).tobytes()


@asc.jit
def shifts(z: asc.GlobalAddress, a: int, amount: int):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 6)
    z_gm.set_value(0, a << amount)
    z_gm.set_value(1, a >> amount)
    z_gm.set_value(2, 5 << amount)
    z_gm.set_value(3, -1000 >> amount)
    if a > 0:
        b = a
        b <<= amount
        b >>= amount
        z_gm.set_value(4, b)


def test_shifts(asserted: Callable[[str], None]) -> None:
    for a, amount in itertools.product(VALUES, (0, 1, 7, 31, 32, 62, 63)):
        z = np.full(6, 99, np.int64)
        shifts[1](z, a, amount)
        wanted = [wrap(a << amount), a >> amount, wrap(5 << amount), -1000 >> amount]
        wanted.append(wrap(a << amount) >> amount if a > 0 else 99)
        assert z.tolist() == [*wanted, 99], (a, amount)
    shifts.check[1](np.zeros(6, np.int64), 5, 3)
    for amount in (-1, 64, HIGH, LOW):
        with pytest.raises(TrapError, match="a shift by an amount outside of 0 to 63"):
            shifts[1](np.zeros(6, np.int64), 1, amount)
    for name in ("__lshift__", "__rshift__", "__rlshift__", "__rrshift__"):
        asserted(f"PlainValue.{name}")


@asc.jit
def shifts_in_a_loop(z: asc.GlobalAddress, a: int, amount: int, turns: int):
    """What stops the core must not happen before the first turn."""
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 1)
    for _ in range(turns):
        z_gm.set_value(0, (a * a) << amount)


def test_shifts_in_a_loop() -> None:
    text = shifts_in_a_loop.emit("i64[1]", 1, 1, 1)
    assert text.index("for (") < text.index("<< amount")
    z = np.full(1, 99, np.int64)
    shifts_in_a_loop[1](z, 3, 64, 0)
    assert z.tolist() == [99]
    shifts_in_a_loop[1](z, 3, 4, 2)
    assert z.tolist() == [144]


@asc.jit
def unsigned_shifts(z: asc.GlobalAddress, a: asc.uint64, amount: asc.uint64):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 2)
    z_gm.set_value(0, a << amount)
    z_gm.set_value(1, a >> amount)


def test_unsigned_shifts() -> None:
    for a, amount in itertools.product((0, 1, 1 << 63, (1 << 64) - 1), (0, 1, 63)):
        z = np.full(2, 99, np.uint64)
        unsigned_shifts[1](z, a, amount)
        assert z.tolist() == [(a << amount) % (1 << 64), a >> amount]
    with pytest.raises(TrapError, match="a shift"):
        unsigned_shifts[1](np.zeros(2, np.uint64), 1, 64)


@pytest.mark.parametrize("expression", ["a // b", "a % b", "a / b", "7 // b", "a.ceildiv(b)"])
def test_division_by_zero(expression: str, tmp_path: Path) -> None:
    kernel = kernel_of("divides", "a: int, b: int", [f"int({expression})"], tmp_path)
    with pytest.raises(TrapError, match="division by zero"):
        kernel[1](np.zeros(1, np.int64), 5, 0)


def test_casts_of_what_does_not_fit() -> None:
    with pytest.raises(TrapError, match="no 64-bit integer"):
        mixed[1](np.zeros(6, np.float32), 1, 1, float("nan"))


@pytest.mark.parametrize(
    ("name", "expression", "words"),
    [
        ("__pow__", "a ** b", "multiply in a loop instead"),
        ("__rpow__", "2 ** b", "multiply in a loop instead"),
        ("", "x // 2.0", "divide integers"),
        ("", "x % 2.0", "remainder of integers"),
        ("", "x & 1", "combine integers"),
        ("", "~x", "invert an integer"),
        ("", "a << 64", "0 to 63"),
        ("", "a << x", "0 to 63"),
        ("", "a.cast(asc.float64)", "no such numbers"),
    ],
)
def test_refusals(name: str, expression: str, words: str, tmp_path: Path, asserted: Callable[[str], None]) -> None:
    kernel = kernel_of("refused", "a: int, b: int, x: float", [expression], tmp_path)
    with pytest.raises(Exception, match=words) as refused:
        kernel.emit("i64[1]", 1, 1, 1.0)
    assert isinstance(refused.value, WrongType) or "cast" in expression
    if name:
        asserted(f"PlainValue.{name}")
