"""The trees of random programs of threads: what each form looks like in Python, and what it means.

In: nodes. Out: lines of text for the front end, and values for the reference, which never sees that text. Integers are
Python's, with a bound for each node that keeps them within 64 bits; floats are NumPy's float32, rounded at every step.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

SLOTS = 8  # elements of each thread in memory
READ_ONLY = 64  # elements that all threads read

RANGES = {f"{sign}int{bits}": (bits, sign == "") for sign in ("", "u") for bits in (8, 16, 32, 64)}


def wrapped(value: int, dtype: str) -> int:
    """An integer as a type holds it."""
    bits, signed = RANGES[dtype]
    half = 1 << (bits - 1) if signed else 0
    return (value + half) % (1 << bits) - half


def single(value: int | float) -> np.float32:
    """Through int64: NumPy would turn a Python int into a double first, and round twice."""
    return np.int64(value).astype(np.float32) if isinstance(value, int) else np.float32(value)


def held(value: Any, dtype: str) -> Any:
    """A number as memory of a type holds it."""
    return wrapped(int(value), dtype) if dtype in RANGES else np.float32(np.dtype(dtype).type(single(value)))


@dataclass(frozen=True)
class Node:
    """An expression or a statement; `most` bounds the magnitude of an integer."""

    form: str
    parts: tuple[Any, ...] = ()
    most: int = 0


def _steps(value: int) -> int:
    count = 0
    value = abs(value) % 50 + 1
    while value != 1:
        value = value // 2 if value % 2 == 0 else 3 * value + 1
        count += 1
        if count > 20:
            break
    return count


def _mix(v: int, w: int) -> int:
    for i in range(3):
        if v > w:
            return v - w + i
        v += w // 2 + 1
    return v


def _clamp(v: Any, low: Any, high: Any) -> Any:
    if v < low:
        return low
    if v > high:
        return high
    return v


HELPERS = """\
@simt
def steps(value):
    count = 0
    value = abs(value) % 50 + 1
    while value != 1:
        if value % 2 == 0:
            value = value // 2
        else:
            value = 3 * value + 1
        count += 1
        if count > 20:
            break
    return count


@simt
def mix(v, w):
    for i in range(3):
        if v > w:
            return v - w + i
        v += w // 2 + 1
    return v


@simt
def clamp(v, low, high):
    if v < low:
        return low
    elif v > high:
        return high
    return v


@simt
def blend(p, q):
    return p * 0.25 + q


@simt
def look(address, i, j):
    return address[i] - address[j]


@simt
def replace(address, i, value):
    before = address[i]
    address[i] = value
    return before
"""

# Form -> its text and its meaning. Integers never leave 64 bits: whoever makes nodes sees to it.
FORMS: dict[str, tuple[str, Callable[..., Any]]] = {
    "+": ("({} + {})", lambda a, b: a + b),
    "-": ("({} - {})", lambda a, b: a - b),
    "*": ("({} * {})", lambda a, b: a * b),
    "//": ("({} // ({} | 1))", lambda a, b: a // (b | 1)),
    "%": ("({} % ({} | 1))", lambda a, b: a % (b | 1)),
    "//constant": ("({} // {})", lambda a, b: a // b),
    "%constant": ("({} % {})", lambda a, b: a % b),
    "&": ("({} & {})", lambda a, b: a & b),
    "|": ("({} | {})", lambda a, b: a | b),
    "^": ("({} ^ {})", lambda a, b: a ^ b),
    "~": ("(~{})", lambda a: ~a),
    "<<": ("({} << {})", lambda a, b: a << b),
    ">>": ("({} >> {})", lambda a, b: a >> b),
    "negative": ("(-{})", lambda a: -a),
    "abs": ("abs({})", lambda a: abs(a)),
    "min": ("min({}, {})", lambda a, b: b if b < a else a),
    "max": ("max({}, {})", lambda a, b: b if b > a else a),
    "min of 3": ("min({}, {}, {})", lambda *all: min(*all)),
    "ternary": ("({1} if {0} else {2})", lambda test, a, b: a if test else b),
    "int of bool": ("int({})", lambda a: int(a)),
    "int of float": ("int(min(1e6, max(-1e6, {})))", lambda x: math.trunc(_clamp_float(x))),
    "ceildiv": ("asc.ceildiv({}, {})", lambda a, b: -(-a // b)),
    "steps": ("steps({})", _steps),
    "mix": ("mix({}, {})", _mix),
    "clamp": ("clamp({}, {}, {})", _clamp),
    "/": ("({} / {})", lambda a, b: a / b),
    "/ of ints": ("({} / ({} | 1))", lambda a, b: single(a) / single(b | 1)),
    "float of int": ("float({})", lambda a: single(a)),
    "float * int": ("({} * {})", lambda x, a: x * single(a)),
    "blend": ("blend({}, {})", lambda p, q: p * np.float32(0.25) + q),
    "<": ("({} < {})", lambda a, b: bool(a < b)),
    "<=": ("({} <= {})", lambda a, b: bool(a <= b)),
    "==": ("({} == {})", lambda a, b: bool(a == b)),
    "!=": ("({} != {})", lambda a, b: bool(a != b)),
    "odd": ("({} % 2 == 1)", lambda a: a % 2 == 1),
    "between": ("({} <= {} < {})", lambda a, b, c: bool(a <= b < c)),
    "and": ("({} and {})", lambda a, b: a and b),
    "or": ("({} or {})", lambda a, b: a or b),
    "not": ("(not {})", lambda a: not a),
}
for _dtype in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "float16"):
    FORMS[_dtype] = (f"asc.number({{}}, asc.{_dtype})", lambda a, dtype=_dtype: held(a, dtype))

ATOMICS: dict[str, Callable[[int, int], int]] = {
    "add": lambda old, value: old + value,
    "sub": lambda old, value: old - value,
    "max": max,
    "min": min,
    "and": lambda old, value: old & value,
    "or": lambda old, value: old | value,
    "xor": lambda old, value: old ^ value,
}


def _clamp_float(x: np.float32) -> float:
    high = x if x > np.float32(-1e6) else np.float32(-1e6)
    return float(high if high < np.float32(1e6) else np.float32(1e6))


def text(node: Node) -> str:
    """An expression as Python."""
    match node.form:
        case "literal":
            return repr(node.parts[0])
        case "name":
            return str(node.parts[0])
        case "load":
            return f"{node.parts[0]}[{text(node.parts[1])}]"
        case "look":
            return f"look({node.parts[0]}, {text(node.parts[1])}, {text(node.parts[2])})"
    return FORMS[node.form][0].format(*map(text, node.parts))


def lines(body: list[Node], indent: str = "    ") -> list[str]:
    """Statements as Python."""
    return [line for statement in body for line in _statement(statement, indent)]


def _statement(node: Node, indent: str) -> list[str]:
    inner = indent + "    "
    match node.form, node.parts:
        case "set", (name, value):
            return [f"{indent}{name} = {text(value)}"]
        case "declare", (name, dtype, value):
            return [f"{indent}{name}: asc.{dtype} = {text(value)}"]
        case "array", (name, dtype, length, value):
            return [f"{indent}{name} = asc.array(asc.{dtype}, {length}, {value})"]
        case "put", (memory, index, operator, value):
            return [f"{indent}{memory}[{text(index)}] {operator}= {text(value)}"]
        case "replace", (name, memory, index, value):
            return [f"{indent}{name} = replace({memory}, {text(index)}, {text(value)})"]
        case "if", (test, body, orelse):
            shown = [f"{indent}if {text(test)}:", *lines(body, inner)]
            return shown + ([f"{indent}else:", *lines(orelse, inner)] if orelse else [])
        case "for", (name, bounds, body):
            return [f"{indent}for {name} in range({', '.join(map(text, bounds))}):", *lines(body, inner)]
        case "while", (counter, test, body):
            head = [f"{indent}{counter} = 0", f"{indent}while {counter} < 4 and {text(test)}:"]
            return [*head, f"{inner}{counter} += 1", *lines(body, inner)]
        case "leave", (test, word):
            return [f"{indent}if {text(test)}:", f"{inner}{word}"]
        case "barrier", ():
            return [f"{indent}simt.syncthreads()"]
        case "fence", (name,):
            return [f"{indent}simt.{name}()"]
        case "atomic", (operation, memory, index, value):
            return [f"{indent}simt.atomic_{operation}({memory}[{text(index)} :], {text(value)})"]
        case "meet", (name, call, arguments):
            return [f"{indent}{name} = simt.{call}({', '.join(map(text, arguments))})"]
    raise ValueError(node.form)
