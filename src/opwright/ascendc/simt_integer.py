"""Rows: functions of integers that threads call."""

from __future__ import annotations

from opwright.ascendc.row import Form, Row, simt_dtypes
from opwright.ascendc.thread_rows import example, row

TASK, SHORT = "SIMT", "Integers"
_LEAST = "assumed(the least number stays what it is)"
_HALF_DOWN = "assumed(what is half an integer is rounded down)"
_HALF_UP = "assumed(what is half an integer is rounded up)"
_SIGNED = simt_dtypes("int32", "int64", why={"uint32": "make it signed: asc.number(x, asc.int32)"})
_UNSIGNED = simt_dtypes("uint32", "uint64", why={"int64": "say how many bits count: asc.number(x, asc.uint32)"})
# Name, what it gives of x and y (and z), how exact that is.
_BY_TYPE: dict[str, tuple[tuple[str, str, str], ...]] = {
    "int32": (
        ("mulhi", "the upper 32 bits of the product", "exact"),
        ("mul24", "the product of the lowest 24 bits", "assumed(bit 23 is the sign; the product wraps to 32 bits)"),
        ("rhadd", "the average, rounded up", _HALF_UP),
    ),
    "uint32": (
        ("umulhi", "the upper 32 bits of the product", "exact"),
        ("umul24", "the product of the lowest 24 bits", "assumed(the product wraps to 32 bits)"),
        ("uhadd", "the average, rounded down", _HALF_DOWN),
        ("urhadd", "the average, rounded up", _HALF_UP),
        ("umax", "the larger number", "exact"),
        ("umin", "the smaller number", "exact"),
    ),
    "int64": (
        ("mul64hi", "the upper 64 bits of the product", "exact"),
        ("llmax", "the larger number", "exact"),
        ("llmin", "the smaller number", "exact"),
    ),
    "uint64": (
        ("umul64hi", "the upper 64 bits of the product", "exact"),
        ("ullmax", "the larger number", "exact"),
        ("ullmin", "the smaller number", "exact"),
    ),
}
_PLAIN = ("umax", "umin", "llmax", "llmin", "ullmax", "ullmin")  # whose C names have no underscores


def _wrapping(gives: str, kind: str) -> str:
    """Arguments are converted as C does it."""
    return f"{gives}; what does not fit {kind} wraps" if kind.endswith("32") else gives


def _of_bits(name: str, gives: str, signed: bool, result: str = "int32") -> Row:
    return Row(
        f"simt.{name}",
        f"__{name}",
        f"Gives {gives}.",
        forms=(Form("x: scalar T", result=result),),
        dtypes={"T": _SIGNED if signed else _UNSIGNED},
        effect="value",
        nonnegative=True,
        example=example(name, "int32", "int32") if signed else example(name, "uint32", "uint32"),
    )


def _of_two(name: str, gives: str, exactness: str, kind: str) -> Row:
    return row(
        name,
        _wrapping(gives, kind),
        f"x: {kind}, y: {kind}",
        example(name, kind, kind, ", 7"),
        exactness,
        result=kind,
        cpp=name if name in _PLAIN else f"__{name}",
    )


ROWS = (
    Row(
        "simt.hadd",
        "__hadd",
        "Gives the average, rounded down.",
        # A call of that name adds halves, so that the compiler must see two int32.
        forms=(Form("x: scalar T, y: scalar T", result="scalar T"),),
        dtypes={"T": simt_dtypes("int32", why={"int64": "make both narrow: asc.number(x, asc.int32)"})},
        exactness=_HALF_DOWN,
        effect="value",
        example=example("hadd", "int32", "int32", ", 7"),
    ),
    _of_bits("clz", "the number of highest bits that are 0; of 0 all are", signed=True),
    _of_bits("ffs", "the number of the lowest bit that is 1, counted from 1; 0 if there is none", signed=True),
    _of_bits("popc", "the number of bits that are 1", signed=False),
    _of_bits("brev", "the bits in reversed order", signed=False, result="scalar T"),
    row(
        "byte_perm",
        "four bytes of x and y: each 4 bits of s choose one, 0 to 3 from x and 4 to 7 from y",
        "x: uint32, y: uint32, s: uint32",
        "w[thread] = simt.byte_perm(u[thread], v[thread], 0x5140)",
        "assumed(the highest of each 4 bits of s does not count)",
        result="uint32",
        cpp="__byte_perm",
    ),
    *(_of_two(*one, kind) for kind, rows in _BY_TYPE.items() for one in rows),
    row(
        "mul_i32toi64",
        _wrapping("all 64 bits of the product", "int32"),
        "x: int32, y: int32",
        example("mul_i32toi64", "int32", "int64", ", 7"),
        result="int64",
        cpp="__mul_i32toi64",
    ),
    *(
        row(
            name,
            _wrapping("the distance of x and y, plus z", kind),
            f"x: {kind}, y: {kind}, z: uint32",
            example(name, kind, "uint32", ", 7, 1"),
            result="uint32",
            cpp=f"__{name}",
        )
        for name, kind in (("sad", "int32"), ("usad", "uint32"))
    ),
    *(
        row(name, "the magnitude", "x: int64", example(name, "int64", "int64"), _LEAST, result="int64")
        for name in ("labs", "llabs")
    ),
)
