"""Functions of integers that threads call, against Python's integers: limits, single bits and anything."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from image import NUMPY, load
from thread_calls import HEAD, calls

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.table import CHAPTERS, ROWS
from opwright.errors import KernelError

Ran = Callable[[str, int, str], None]
Function = Callable[..., int]


def bits(value: int, kind: str) -> str:
    """All bits, the highest first."""
    width = 8 * DTYPES[kind].bytes
    return f"{value % (1 << width):0{width}b}"


def wrapped(value: int, kind: str) -> int:
    low, high = DTYPES[kind].limits
    return (value - low) % (high - low + 1) + low


def low24(value: int) -> int:
    """The lowest 24 bits, of which the highest is a sign."""
    return (value + (1 << 23)) % (1 << 24) - (1 << 23)


def chosen_bytes(x: int, y: int, s: int) -> int:
    source = x.to_bytes(4, "little") + y.to_bytes(4, "little")
    return int.from_bytes(bytes(source[(s >> 4 * i) & 7] for i in range(4)), "little")


# Call -> element type and what it means.
OF_ONE: dict[str, tuple[tuple[str, ...], Callable[[int, str], int]]] = {
    "clz": (("int32", "int64"), lambda x, kind: len(bits(x, kind)) - len(bits(x, kind).lstrip("0"))),
    "ffs": (("int32", "int64"), lambda x, kind: bits(x, kind)[::-1].find("1") + 1),
    "popc": (("uint32", "uint64"), lambda x, kind: bits(x, kind).count("1")),
    "brev": (("uint32", "uint64"), lambda x, kind: int(bits(x, kind)[::-1], 2)),
    "labs": (("int64",), lambda x, kind: wrapped(abs(x), kind)),
    "llabs": (("int64",), lambda x, kind: wrapped(abs(x), kind)),
}
OF_TWO: dict[str, tuple[str, str, Function]] = {  # types of the sources and of the result
    "mulhi": ("int32", "int32", lambda x, y: (x * y) >> 32),
    "umulhi": ("uint32", "uint32", lambda x, y: (x * y) >> 32),
    "mul64hi": ("int64", "int64", lambda x, y: (x * y) >> 64),
    "umul64hi": ("uint64", "uint64", lambda x, y: (x * y) >> 64),
    "mul_i32toi64": ("int32", "int64", lambda x, y: x * y),
    "mul24": ("int32", "int32", lambda x, y: wrapped(low24(x) * low24(y), "int32")),
    "umul24": ("uint32", "uint32", lambda x, y: (x % (1 << 24)) * (y % (1 << 24)) % (1 << 32)),
    "hadd": ("int32", "int32", lambda x, y: (x + y) // 2),
    "rhadd": ("int32", "int32", lambda x, y: (x + y + 1) // 2),
    "uhadd": ("uint32", "uint32", lambda x, y: (x + y) // 2),
    "urhadd": ("uint32", "uint32", lambda x, y: (x + y + 1) // 2),
    "umax": ("uint32", "uint32", max),
    "umin": ("uint32", "uint32", min),
    "llmax": ("int64", "int64", max),
    "llmin": ("int64", "int64", min),
    "ullmax": ("uint64", "uint64", max),
    "ullmin": ("uint64", "uint64", min),
}
OF_THREE: dict[str, tuple[str, Function]] = {
    "byte_perm": ("uint32", chosen_bytes),
    "sad": ("int32", lambda x, y, z: (abs(x - y) + z) % (1 << 32)),
    "usad": ("uint32", lambda x, y, z: (abs(x - y) + z) % (1 << 32)),
}


def numbers(kind: str, seed: int) -> np.ndarray:
    """Limits, every single bit and what is next to it, and anything."""
    low, high = DTYPES[kind].limits
    single = [1 << bit for bit in range(8 * DTYPES[kind].bytes)]
    chosen = [0, 1, 2, low, low + 1, high, high - 1, *(v for bit in single for v in (bit, bit - 1, -bit))]
    inside = [wrapped(value, kind) for value in chosen]
    random = np.random.default_rng(seed)
    anything = random.integers(low, high, 1000, NUMPY[kind], endpoint=True)
    small = random.integers(max(low, -99), 99, 200).astype(NUMPY[kind])
    made = np.concatenate([np.array(inside, NUMPY[kind]), anything, small])
    return made if seed == 0 else random.permutation(made)


@pytest.mark.quick
def test_every_row_is_tested() -> None:
    assert {f"simt.{name}" for name in (*OF_ONE, *OF_TWO, *OF_THREE)} == {row.name for row in CHAPTERS["simt_integer"]}


def same(call: str, got: np.ndarray, *arguments: object) -> None:
    want = np.array(arguments[0], got.dtype)
    np.testing.assert_array_equal(got, want, call)


@pytest.mark.parametrize("kind", ["int32", "int64", "uint32", "uint64"])
def test_of_one(kind: str, tmp_path: Path, ran: Ran) -> None:
    x = numbers(kind, 0)
    names = [name for name, (kinds, _) in OF_ONE.items() if kind in kinds]
    texts = [f"simt.{name}(x[i])" for name in names]
    got = calls(tmp_path, f"one_{kind}", texts, kind, ["x"]).run({"x": x}, len(x))
    for name, row in zip(names, got, strict=True):
        same(name, row, [OF_ONE[name][1](int(value), kind) for value in x])
        ran(f"simt.{name}", 0, kind if ROWS[f"simt.{name}"].dtypes else "")


@pytest.mark.parametrize("kind", ["int32", "int64", "uint32", "uint64"])
def test_of_two(kind: str, tmp_path: Path, ran: Ran) -> None:
    names = [name for name, told in OF_TWO.items() if told[1] == kind]
    x, y = {}, {}
    for source in {OF_TWO[name][0] for name in names}:
        x[source], y[source] = numbers(source, 0), numbers(source, 1)
    arrays = {f"{letter}_{source}": values[source] for letter, values in (("x", x), ("y", y)) for source in x}
    count = min(map(len, arrays.values()))
    texts = [f"simt.{name}(x_{OF_TWO[name][0]}[i], y_{OF_TWO[name][0]}[i])" for name in names]
    got = calls(tmp_path, f"two_{kind}", texts, kind, list(arrays)).run(arrays, count)
    for name, row in zip(names, got, strict=True):
        source, _, meaning = OF_TWO[name]
        same(name, row, [meaning(int(a), int(b)) for a, b in zip(x[source][:count], y[source][:count], strict=True)])
        ran(f"simt.{name}", 0, kind if ROWS[f"simt.{name}"].dtypes else "")


def test_of_three(tmp_path: Path, ran: Ran) -> None:
    arrays = {
        f"{letter}_{kind}": numbers(kind, seed) for seed, letter in enumerate("xyz") for kind in ("int32", "uint32")
    }
    count = len(arrays["x_int32"])
    texts = [f"simt.{name}(x_{kind}[i], y_{kind}[i], z_uint32[i])" for name, (kind, _) in OF_THREE.items()]
    got = calls(tmp_path, "three", texts, "uint32", list(arrays)).run(arrays, count)
    for (name, (kind, meaning)), row in zip(OF_THREE.items(), got, strict=True):
        sources = (arrays[f"x_{kind}"], arrays[f"y_{kind}"], arrays["z_uint32"])
        same(name, row, [meaning(*map(int, values)) for values in zip(*sources, strict=True)])
        ran(f"simt.{name}", 0, "")


def test_what_does_not_fit_wraps(tmp_path: Path) -> None:
    """Numbers of Python have 64 bits; a call of 32 takes the lowest."""
    x = np.array([5 << 32 | 7, -1, (1 << 31) + 3, 1 << 40], np.int64)
    texts = ["simt.umax(x[i] + 1, 2)", "simt.mul_i32toi64(x[i] + 1, 3)"]
    largest, product = calls(tmp_path, "wraps", texts, "int64", ["x"]).run({"x": x}, len(x))
    assert largest.tolist() == [8, 2, (1 << 31) + 4, 2]
    assert product.tolist() == [24, 0, 3 * (4 - (1 << 31)), 3]


def test_constants_have_64_bits(tmp_path: Path) -> None:
    """As numbers of Python have; one that is narrower says so."""
    texts = [
        "simt.clz(5)",
        "simt.clz(asc.number(5, asc.int32))",
        "simt.ffs(1 << 40)",
        "simt.popc(asc.number(7, asc.uint64))",
    ]
    got = calls(tmp_path, "constants", texts, "int64", []).run({}, 1)
    assert got.ravel().tolist() == [61, 29, 41, 3]


@pytest.mark.quick
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("y[0] = simt.popc(x[0] + 1)", "say how many bits count: asc.number(x, asc.uint32)"),
        ("y[0] = simt.clz(asc.number(1, asc.uint32))", "make it signed: asc.number(x, asc.int32)"),
        ("y[0] = simt.brev(1.5)", "float32"),
        ("y[0] = simt.hadd(1, 2)", "make both narrow: asc.number(x, asc.int32)"),
        ("y[0] = simt.mulhi(1.5, 2)", "x must be an integer, got float 1.5"),
        ("y[0] = simt.umax(-1, 2)", "x is a uint32"),
        ("y[0] = simt.mulhi(x[0])", "'y' is missing"),
    ],
)
def test_wrong_uses(text: str, words: str, tmp_path: Path) -> None:
    lines = f"{HEAD}\n@simt\ndef wrong(x: asc.GlobalAddress, y: asc.GlobalAddress):\n    {text}\n"
    with pytest.raises(KernelError, match=re.escape(words)):
        load(tmp_path, "wrong", lines).wrong.emit("i32[4]", "i32[4]")
