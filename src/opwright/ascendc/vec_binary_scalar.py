"""Rows: vector calls with one source and one scalar."""

from __future__ import annotations

from opwright.ascendc.assumptions import ARITHMETIC
from opwright.ascendc.elementwise import (
    A2_ARITHMETIC,
    FLOATS,
    INT64S,
    NEVER_BFLOAT16,
    NO_BFLOAT16,
    OVERFLOW,
    OVERFLOW_ASSUMED,
    forms,
)
from opwright.ascendc.row import Dtypes, Form, Row, dtypes

TASK, SHORT = "Vector", "Source and scalar"
_SUMS = dtypes(a2=A2_ARITHMETIC, a5=(*A2_ARITHMETIC, "int8", "uint8", "bfloat16", *INT64S), why=NO_BFLOAT16)
_PRODUCTS = dtypes(a2=A2_ARITHMETIC, a5=(*A2_ARITHMETIC, "bfloat16", *INT64S), why=NO_BFLOAT16)
_FLOATS = dtypes(a2=FLOATS, a5=FLOATS, why=NEVER_BFLOAT16)
_A2_SHIFTS = ("int16", "uint16", "int32", "uint32")
_SHIFTS = dtypes(a2=_A2_SHIFTS, a5=(*_A2_SHIFTS, "int8", "uint8", *INT64S))


def _forms(each: str, kinds: Dtypes) -> tuple[Form, ...]:
    return forms(each, "src", kinds=kinds, scalar=True, counts_by_register=True)


ROWS = (
    Row(
        "adds",
        "Adds",
        "Adds a scalar to every element of a local tensor: dst = src + scalar. Integers wrap.",
        forms=_forms("src + scalar", _SUMS),
        dtypes={"T": _SUMS},
        exactness=OVERFLOW_ASSUMED,
        assumes=(ARITHMETIC,),
        example="asc.adds(z_local, x_local, 2, 64)",
    ),
    Row(
        "muls",
        "Muls",
        "Multiplies every element of a local tensor by a scalar: dst = src * scalar. Integers wrap.",
        forms=_forms("src * scalar", _PRODUCTS),
        dtypes={"T": _PRODUCTS},
        exactness=OVERFLOW_ASSUMED,
        assumes=(ARITHMETIC,),
        example="asc.muls(z_local, x_local, 0.5, 64)",
    ),
    Row(
        "maxs",
        "Maxs",
        "Takes the greater of each element of a local tensor and a scalar: dst = src > scalar ? src : scalar.",
        forms=_forms("opwright::maximum(src, scalar)", _SUMS),
        dtypes={"T": _SUMS},
        exactness="assumed(the scalar where either is NaN, and where both are zeros of whatever sign)",
        assumes=(ARITHMETIC,),
        example="asc.maxs(z_local, x_local, 0, 64)",
    ),
    Row(
        "mins",
        "Mins",
        "Takes the smaller of each element of a local tensor and a scalar: dst = src < scalar ? src : scalar.",
        forms=_forms("opwright::minimum(src, scalar)", _SUMS),
        dtypes={"T": _SUMS},
        exactness="assumed(the scalar where either is NaN, and where both are zeros of whatever sign)",
        assumes=(ARITHMETIC,),
        example="asc.mins(z_local, x_local, 6, 64)",
    ),
    Row(
        "leaky_relu",
        "LeakyRelu",
        "Multiplies the elements of a local tensor that are below 0 by a scalar: dst = src >= 0 ? src : src * scalar.",
        forms=_forms("opwright::leaky_relu(src, scalar)", _FLOATS),
        dtypes={"T": _FLOATS},
        exactness=f"assumed(-0 stays -0, NaN stays NaN; {OVERFLOW})",
        assumes=(ARITHMETIC,),
        example="asc.leaky_relu(z_local, x_local, 0.01, 64)",
    ),
    Row(
        "shift_left",
        "ShiftLeft",
        "Shifts the bits of every element of a local tensor to the left, zeros coming in: dst = src << scalar.",
        forms=_forms("opwright::shift_left(src, scalar)", _SHIFTS),
        dtypes={"T": _SHIFTS},
        exactness="assumed(an amount below 0, or not below the width of the type, gives 0)",
        example="asc.shift_left(k_local, i_local, 3, 64)",
    ),
    Row(
        "shift_right",
        "ShiftRight",
        "Shifts the bits of every element of a local tensor to the right, without rounding: dst = src >> scalar.",
        forms=_forms("opwright::shift_right(src, scalar)", _SHIFTS),
        dtypes={"T": _SHIFTS},
        exactness=(
            "assumed(copies of the sign come in for signed types, zeros for unsigned ones; an amount below 0, or not "
            "below the width of the type, leaves only these)"
        ),
        example="asc.shift_right(k_local, i_local, 3, 64)",
    ),
)
