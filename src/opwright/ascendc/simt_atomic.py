"""Rows: operations on memory that no other thread can come between."""

from __future__ import annotations

from opwright.ascendc.row import Form, Row, reads, simt_dtypes, writes

TASK, SHORT = "SIMT", "Atomics"
_INTEGERS = ("int32", "uint32")
_WIDE = ("int64", "uint64")
_SINGLE = (*_INTEGERS, "float32")
_ALL = (*_INTEGERS, "float16", "bfloat16", "float32")
_UNSIGNED = ("uint32",)
_NOT_OLD = " Gives the old value; that of a float16 or bfloat16 is inaccurate on the chip: do not use it."
_ORDER = "assumed(the twin takes threads in some order: sums of floats depend on it)"
_NAN = "assumed(a NaN gives way to a number; of 0 and -0 it is val)"
# Operation -> what becomes of the old value, the element types in UB, and how exact it is.
_OPERATIONS = {
    "add": (f"Adds to an element in one piece.{_NOT_OLD}", _ALL, _ORDER),
    "sub": ("Subtracts from an element in one piece.", _SINGLE, _ORDER),
    "exch": ("Replaces an element in one piece.", _SINGLE, "exact"),
    "max": (f"Makes an element the larger of it and a number, in one piece.{_NOT_OLD}", _ALL, _NAN),
    "min": (f"Makes an element the smaller of it and a number, in one piece.{_NOT_OLD}", _ALL, _NAN),
    "inc": ("Adds 1 to an element in one piece, or makes it 0 if it was val or more.", _UNSIGNED, "exact"),
    "dec": ("Subtracts 1 from an element in one piece, or makes it val if it was 0 or above val.", _UNSIGNED, "exact"),
    "and": ("Keeps the bits of an element that a number has too, in one piece.", _INTEGERS, "exact"),
    "or": ("Sets the bits of an element that a number has, in one piece.", _INTEGERS, "exact"),
    "xor": ("Turns the bits of an element that a number has, in one piece.", _INTEGERS, "exact"),
}
_CAS = "Replaces an element by val in one piece if it is equal to compare."
_CAS_FLOATS = "assumed(floats are equal if their bits are: 0 and -0 are not)"
# What changes an element that holds 5 when 32 threads do it, where 1 does not.
_EXAMPLES = {"max": "[4:], 9", "or": "[4:], 8", "xor": "[thread:], 1", "cas": "[4:], 5, 1"}


def _form(memory: str, values: str, taken: tuple[str, ...]) -> Form:
    why = {}
    if memory == "ub_address":
        why = dict.fromkeys(_WIDE, "only elements in global memory may have 64 bits")
    for name in ("float16", "bfloat16"):
        if name not in taken:
            why[name] = "threads can only add, and take the larger or smaller, in 16 bits"
    return Form(
        f"address: {memory} T, {values}",
        accesses=(reads("address", "1"), writes("address", "1")),
        result="scalar T",
        dtypes={"T": simt_dtypes(*taken, why=why)},
    )


def _row(name: str, doc: str, in_ub: tuple[str, ...], exactness: str, values: str = "val: number T") -> Row:
    wide = ("uint64",) if in_ub == _UNSIGNED else _WIDE
    letter = "w" if in_ub == _UNSIGNED else "n"
    return Row(
        f"simt.atomic_{name}",
        f"asc_atomic_{name}",
        doc if doc.endswith(_NOT_OLD) else f"{doc} Gives the old value.",
        forms=(_form("address", values, (*in_ub, *wide)), _form("ub_address", values, in_ub)),
        exactness=exactness,
        example=f"simt.atomic_{name}({letter}{_EXAMPLES.get(name, '[4:], 1')})",
    )


ROWS = (
    *(_row(name, *rest) for name, rest in _OPERATIONS.items()),
    _row("cas", _CAS, _SINGLE, _CAS_FLOATS, values="compare: number T, val: number T"),
)
