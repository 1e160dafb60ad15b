"""Rows: vector calls that convert element types."""

from __future__ import annotations

from opwright.ascendc.elementwise import FLOATS, OVERFLOW, call_forms
from opwright.ascendc.enums import RoundMode
from opwright.ascendc.row import Dtypes, Form, Function, Row, dtypes
from opwright.ascendc.socs import A2, A5
from opwright.ascendc.type_rules import Conversion, Pair, TypePair

_NONE = (RoundMode.CAST_NONE,)
_FIVE = (
    RoundMode.CAST_RINT,
    RoundMode.CAST_FLOOR,
    RoundMode.CAST_CEIL,
    RoundMode.CAST_ROUND,
    RoundMode.CAST_TRUNC,
)
_SIX = (*_FIVE, *_NONE)

# Not here yet: types of 4 bits and of 8-bit floats, double, and int32 to float16, which a scale goes with.
_A2_PAIRS: dict[Pair, tuple[RoundMode, ...]] = {
    ("int8", "float16"): _NONE,
    ("uint8", "float16"): _NONE,
    ("int16", "float16"): _SIX,
    ("int16", "float32"): _NONE,
    ("int32", "int16"): _NONE,
    ("int32", "float32"): _SIX,
    ("int32", "int64"): _NONE,
    ("int64", "int32"): _NONE,
    ("int64", "float32"): _FIVE,
    ("float16", "int8"): _SIX,
    ("float16", "uint8"): _SIX,
    ("float16", "int16"): _FIVE,
    ("float16", "int32"): _FIVE,
    ("float16", "float32"): _NONE,
    ("bfloat16", "int32"): _FIVE,
    ("bfloat16", "float32"): _NONE,
    ("float32", "int16"): _FIVE,
    ("float32", "int32"): _FIVE,
    ("float32", "int64"): _FIVE,
    ("float32", "float16"): (*_FIVE, RoundMode.CAST_ODD, *_NONE),
    ("float32", "bfloat16"): _FIVE,
    ("float32", "float32"): _FIVE,
}
_A5_PAIRS: dict[Pair, tuple[RoundMode, ...]] = {
    **_A2_PAIRS,
    ("float16", "bfloat16"): _FIVE,
    ("bfloat16", "float16"): _FIVE,
    ("int8", "int16"): _NONE,
    ("int8", "int32"): _NONE,
    ("uint8", "uint16"): _NONE,
    ("uint8", "uint32"): _NONE,
    ("int16", "uint8"): _NONE,
    ("int16", "int32"): _NONE,
    ("int16", "uint32"): _NONE,
    ("uint16", "uint8"): _NONE,
    ("uint16", "uint32"): _NONE,
    ("int32", "uint8"): _NONE,
    ("int32", "uint16"): _NONE,
    ("uint32", "uint8"): _NONE,
    ("uint32", "int16"): _NONE,
    ("uint32", "uint16"): _NONE,
}
_PAIRS = {**dict.fromkeys(A2, _A2_PAIRS), **dict.fromkeys(A5, _A5_PAIRS)}


def _types(side: int) -> Dtypes:
    """The types that a pair has on one side."""
    return Dtypes({soc: tuple(dict.fromkeys(pair[side] for pair in pairs)) for soc, pairs in _PAIRS.items()})


_RELU_PAIRS = (("float16", "int8"), ("int16", "int8"), ("float32", "float16"))


def _relu_row(name: str, cpp: str, verb: str, sign: str) -> Row:
    return Row(
        name,
        cpp,
        f"{verb} two local tensors element by element, keeps what is above 0 and converts it: "
        f"dst = max(src0 {sign} src1, 0).",
        forms=call_forms(
            ["dst: ub T", "src0: ub U", "src1: ub U"],
            ("src0", "src1"),
            Function(name),
            more=(TypePair("dst", "src0", _RELU_PAIRS),),
        ),
        dtypes={
            "T": dtypes(a2=("int8", "float16"), a5=("int8", "float16")),
            "U": dtypes(a2=("int16", *FLOATS), a5=("int16", *FLOATS)),
        },
        exactness=(
            "assumed(the sum is rounded to the type of the sources, where integers wrap, and then to nearest even; "
            f"int8 saturates; NaN and -0 give +0; {OVERFLOW})"
        ),
        example=f"asc.{name}(h_local, x_local, y_local, 64)",
    )


ROWS = (
    Row(
        "cast",
        "Cast",
        "Converts every element of a local tensor to another type; float32 to float32 rounds to integers.",
        forms=call_forms(
            ["dst: ub T", "src: ub U", "round_mode: RoundMode"],
            ("src",),
            Function("cast"),
            more=(Conversion("round_mode", "src", "dst", _PAIRS),),
        ),
        dtypes={"T": _types(1), "U": _types(0)},
        exactness=(
            "assumed(integers saturate, and NaN becomes 0 there; float16 and bfloat16 overflow as IEEE 754 says for "
            "the rounding, NaN stays NaN, as in arithmetic; public texts disagree whether they saturate by default)"
        ),
        example="asc.cast(h_local, x_local, asc.RoundMode.CAST_RINT, 64)",
    ),
    _relu_row("add_relu_cast", "AddReluCast", "Adds", "+"),
    _relu_row("sub_relu_cast", "SubReluCast", "Subtracts", "-"),
    Row(
        "set_deq_scale",
        "SetDeqScale",
        "Sets the scale by which the core's calls make float16 of int32, until it is set again.",
        forms=(Form("scale: float16", meaning=Function("set_deq_scale")),),
        exactness="assumed(a core starts with 0, which public texts leave open)",
        example="asc.set_deq_scale(0.5)",
    ),
)
