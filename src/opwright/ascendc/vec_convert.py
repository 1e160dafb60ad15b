"""Rows: vector calls that convert element types."""

from __future__ import annotations

from dataclasses import replace

from opwright.ascendc.elementwise import call_forms
from opwright.ascendc.enums import RoundMode
from opwright.ascendc.row import Dtypes, Function, Row
from opwright.ascendc.socs import A2, A5
from opwright.ascendc.vector_rules import Conversion, Pair

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


ROWS = (
    Row(
        "cast",
        "Cast",
        "Converts every element of a local tensor to another type; float32 to float32 rounds to integers.",
        forms=tuple(
            replace(form, rules=(*form.rules, Conversion("round_mode", "src", "dst", _PAIRS)))
            for form in call_forms(["dst: ub T", "src: ub U", "round_mode: RoundMode"], ("src",), Function("cast"))
        ),
        dtypes={"T": _types(1), "U": _types(0)},
        exactness=(
            "assumed(integers saturate, and NaN becomes 0 there; float16 and bfloat16 overflow as IEEE 754 says for "
            "the rounding, NaN stays NaN, as in arithmetic; public texts disagree whether they saturate by default)"
        ),
        example="asc.cast(h_local, x_local, asc.RoundMode.CAST_RINT, 64)",
    ),
)
