"""Rows: conversions of numbers that threads call, by a name for each pair of types and way of rounding."""

from __future__ import annotations

from opwright.ascendc.row import Row
from opwright.ascendc.thread_rows import example, row

TASK, SHORT = "SIMT", "Conversions"
_WAYS = {
    "rn": "to the nearest, of two that are as near to the even one",
    "rz": "towards 0",
    "rd": "down",
    "ru": "up",
    "rna": "to the nearest, of two that are as near away from 0",
}
# The names of types in the names of calls.
_INTEGERS = {"int": "int32", "uint": "uint32", "ll": "int64", "ull": "uint64"}
_FLOATS = {"float": "float32", "half": "float16", "bfloat16": "bfloat16"}
_TYPES = {**_INTEGERS, **_FLOATS, "ushort": "uint16"}
_SATURATES = "exact"  # public texts say so of float
_LIKE_FLOAT = "assumed(as of a float32: what the type cannot hold becomes its nearest number, and NaN 0)"
_BEYOND = "assumed(what is too big becomes infinite or the largest number, as the way of rounding says in IEEE 754)"


def _row(name: str, source: str, target: str, gives: str, exactness: str = "exact") -> Row:
    shown = example(name, _TYPES[source], _TYPES[target])
    return row(name, gives, f"x: {_TYPES[source]}", shown, exactness, result=_TYPES[target], cpp=f"__{name}")


def _rounded(source: str, target: str, exactness: str = "exact") -> list[Row]:
    """One row for each way of rounding."""
    gives = f"a number of {_TYPES[source]} as {_TYPES[target]}"
    if source == target:
        gives = f"a number of {_TYPES[source]} as an integer that is still a {_TYPES[target]}"
    return [
        _row(f"{source}2{target}_{way}", source, target, f"{gives}, rounded {how}", exactness)
        for way, how in _WAYS.items()
    ]


def _with_integers(kind: str) -> list[Row]:
    is_float = kind == "float"
    rows = []
    for integer in _INTEGERS:
        rows += _rounded(kind, integer, _SATURATES if is_float else _LIKE_FLOAT)
        rows += _rounded(integer, kind, _BEYOND if kind == "half" else "exact")
    return rows


def _same_bits(source: str, target: str, exactness: str = "exact") -> Row:
    gives = f"the number of {_TYPES[target]} that has the same bits"
    return _row(f"{source}_as_{target}", source, target, gives, exactness)


ROWS = (
    *(one for kind in _FLOATS for one in _with_integers(kind)),
    *_rounded("float", "float"),
    _row("float2half", "float", "half", f"a number of float32 as float16, rounded {_WAYS['rn']}", _BEYOND),
    *_rounded("float", "half", _BEYOND),
    _row("float2half_ro", "float", "half", "a number of float32 as float16, rounded to odd", _BEYOND),
    _row("float2bfloat16", "float", "bfloat16", f"a number of float32 as bfloat16, rounded {_WAYS['rn']}", _BEYOND),
    *_rounded("float", "bfloat16", _BEYOND),
    *_rounded("half", "bfloat16"),
    *_rounded("bfloat16", "half", _BEYOND),
    _row("half2float", "half", "float", "a number of float16 as float32"),
    _row("bfloat162float", "bfloat16", "float", "a number of bfloat16 as float32"),
    *(_same_bits(*pair) for pair in (("int", "float"), ("uint", "float"), ("float", "int"), ("float", "uint"))),
    *(_same_bits(*pair) for pair in (("ushort", "half"), ("ushort", "bfloat16"))),
    _same_bits("half", "ushort", "assumed(the compiler has it: no public header declares it)"),
)
