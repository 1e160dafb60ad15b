"""Rows: vector calls with one source."""

from __future__ import annotations

from opwright.ascendc.assumptions import ARITHMETIC, SUBNORMALS
from opwright.ascendc.elementwise import FLOATS, FLUSHED, INT64S, NEVER_BFLOAT16, OVERFLOW, ROUNDED, forms
from opwright.ascendc.row import Dtypes, Form, Row, dtypes

TASK, SHORT = "Vector", "One source"
_FLOATS = dtypes(a2=FLOATS, a5=FLOATS, why=NEVER_BFLOAT16)
_RELU = dtypes(a2=("int32", *FLOATS), a5=("int32", *FLOATS, "int64"), why=NEVER_BFLOAT16)
_BITS = dtypes(a2=("int16", "uint16"), a5=("int16", "uint16", "int8", "uint8", "int32", "uint32", *INT64S))

_BOUND = f"1 ulp: the twin is off by less than the last place of a float32, and rounds it to float16; {FLUSHED}"


def _forms(each: str, kinds: Dtypes = _FLOATS) -> tuple[Form, ...]:
    return forms(each, "src", kinds=kinds)


def _flushed(function: str) -> str:
    """A function that may take and give 0 for subnormal numbers."""
    return f"opwright::flushing<T>([](float x) {{ return opwright::{function}(x); }}, src)"


ROWS = (
    Row(
        "abs",
        "Abs",
        "Takes the absolute value of every element of a local tensor: dst = |src|.",
        forms=_forms("opwright::absolute(src)"),
        dtypes={"T": _FLOATS},
        assumes=(ARITHMETIC,),
        example="asc.abs(z_local, x_local, 64)",
    ),
    Row(
        "relu",
        "Relu",
        "Keeps the elements of a local tensor that are above 0, and puts 0 for the others: dst = src > 0 ? src : 0.",
        forms=_forms("opwright::relu(src)", _RELU),
        dtypes={"T": _RELU},
        exactness="assumed(NaN and -0 give +0)",
        assumes=(ARITHMETIC,),
        example="asc.relu(z_local, x_local, 64)",
    ),
    Row(
        "sqrt",
        "Sqrt",
        "Takes the square root of every element of a local tensor. Below 0 it is NaN; that of -0 is -0.",
        forms=_forms(_flushed("square_root")),
        dtypes={"T": _FLOATS},
        exactness=f"assumed({ROUNDED})",
        assumes=(ARITHMETIC, SUBNORMALS),
        example="asc.sqrt(z_local, x_local, 64)",
    ),
    Row(
        "rsqrt",
        "Rsqrt",
        "Takes 1 / sqrt of every element of a local tensor. Below 0 it is NaN; of 0 it is infinity, of -0 -infinity.",
        forms=_forms(_flushed("reciprocal_root")),
        dtypes={"T": _FLOATS},
        exactness=f"assumed({ROUNDED})",
        assumes=(ARITHMETIC, SUBNORMALS),
        example="asc.rsqrt(z_local, x_local, 64)",
    ),
    Row(
        "reciprocal",
        "Reciprocal",
        "Takes 1 / src of every element of a local tensor; of 0 it is infinity of the same sign.",
        forms=_forms(_flushed("reciprocal")),
        dtypes={"T": _FLOATS},
        exactness=f"assumed({ROUNDED}; {OVERFLOW})",
        assumes=(ARITHMETIC, SUBNORMALS),
        example="asc.reciprocal(z_local, x_local, 64)",
    ),
    Row(
        "exp",
        "Exp",
        "Raises e to the power of every element of a local tensor: dst = e^src.",
        forms=_forms(_flushed("exponential")),
        dtypes={"T": _FLOATS},
        exactness=f"bounded({_BOUND}; {OVERFLOW})",
        assumes=(ARITHMETIC, SUBNORMALS),
        example="asc.exp(z_local, x_local, 64)",
    ),
    Row(
        "ln",
        "Ln",
        "Takes the natural logarithm of every element of a local tensor. Below 0 it is NaN; that of 0 is -infinity.",
        forms=_forms(_flushed("logarithm")),
        dtypes={"T": _FLOATS},
        exactness=f"bounded({_BOUND})",
        assumes=(ARITHMETIC, SUBNORMALS),
        example="asc.ln(z_local, x_local, 64)",
    ),
    Row(
        "bitwise_not",
        "Not",
        "Inverts every bit of a local tensor: dst = ~src.",
        forms=_forms("~src", _BITS),
        dtypes={"T": _BITS},
        example="asc.bitwise_not(k_local, i_local, 64)",
    ),
)
