"""Rows: vector calls with one source."""

from __future__ import annotations

from opwright.ascendc.elementwise import FLOATS, INT64S, NEVER_BFLOAT16, count_form
from opwright.ascendc.row import Form, Row, dtypes

_FLOATS = dtypes(a2=FLOATS, a5=FLOATS, why=NEVER_BFLOAT16)


def _form(each: str) -> Form:
    return count_form(each, "src")


ROWS = (
    Row(
        "abs",
        "Abs",
        "Takes the absolute value of every element of a local tensor: dst = |src|.",
        forms=(_form("opwright::absolute(src)"),),
        dtypes={"T": _FLOATS},
        example="asc.abs(z_local, x_local, 64)",
    ),
    Row(
        "relu",
        "Relu",
        "Keeps the elements of a local tensor that are above 0, and puts 0 for the others: dst = src > 0 ? src : 0.",
        forms=(_form("opwright::relu(src)"),),
        dtypes={
            "T": dtypes(a2=("int32", *FLOATS), a5=("int32", *FLOATS, "int64"), why=NEVER_BFLOAT16),
        },
        exactness="assumed(NaN and -0 give +0)",
        example="asc.relu(z_local, x_local, 64)",
    ),
    Row(
        "sqrt",
        "Sqrt",
        "Takes the square root of every element of a local tensor. Below 0 it is NaN; that of -0 is -0.",
        forms=(_form("opwright::square_root(src)"),),
        dtypes={"T": _FLOATS},
        exactness=(
            "assumed(correctly rounded, with subnormals, on every SoC; ascend950 is said to err by up to 1 ulp and to "
            "take subnormals for 0 unless told otherwise, which the twin does not do)"
        ),
        example="asc.sqrt(z_local, x_local, 64)",
    ),
    Row(
        "bitwise_not",
        "Not",
        "Inverts every bit of a local tensor: dst = ~src.",
        forms=(_form("~src"),),
        dtypes={
            "T": dtypes(a2=("int16", "uint16"), a5=("int16", "uint16", "int8", "uint8", "int32", "uint32", *INT64S)),
        },
        example="asc.bitwise_not(k_local, i_local, 64)",
    ),
)
