"""Rows: bits of a scalar, and its conversion."""

from __future__ import annotations

from opwright.ascendc.enums import RoundMode
from opwright.ascendc.row import Form, Function, Row, dtypes
from opwright.ascendc.rules import Range, TemplateRange
from opwright.ascendc.socs import ALL
from opwright.ascendc.type_rules import OneOf

TASK, SHORT = "Core", "Scalars"
_BIT = TemplateRange("count_value", 0, 1)
_TO_INT32 = (RoundMode.CAST_RINT, RoundMode.CAST_FLOOR, RoundMode.CAST_CEIL, RoundMode.CAST_ROUND)
_TO_FLOAT16 = (RoundMode.CAST_ODD,)
_TARGETS = ("float16", "int32")


def _row(name: str, cpp: str, doc: str, signature: str, example: str, exactness: str = "exact") -> Row:
    rules: tuple[Range, ...] = (_BIT,) if "count_value" in signature else ()
    return Row(
        name,
        cpp,
        doc,
        forms=(Form(signature, rules=rules, meaning=Function(name), result="int64"),),
        exactness=exactness,
        effect="value",
        example=example,
    )


ROWS = (
    _row(
        "scalar_get_sff_value",
        "ScalarGetSFFValue",
        "The number of the lowest bit that is `count_value`, 0 or 1, from 0; -1 if there is none.",
        "value_in: uint64, count_value: template int32",
        "first = asc.scalar_get_sff_value(40, 1)",
    ),
    _row(
        "scalar_get_count_of_value",
        "ScalarGetCountOfValue",
        "How many of the 64 bits are `count_value`, 0 or 1.",
        "value_in: uint64, count_value: template int32",
        "ones = asc.scalar_get_count_of_value(40, 1)",
    ),
    _row(
        "scalar_count_leading_zero",
        "ScalarCountLeadingZero",
        "How many of the highest bits are 0; 64 of 0.",
        "value_in: uint64",
        "zeros = asc.scalar_count_leading_zero(40)",
    ),
    _row(
        "count_bits_cnt_same_as_sign_bit",
        "CountBitsCntSameAsSignBit",
        "How many of the highest bits below the sign bit are what it is.",
        "value_in: int64",
        "bits = asc.count_bits_cnt_same_as_sign_bit(-40)",
        "assumed(the sign bit itself does not count)",
    ),
    Row(
        "scalar_cast",
        "ScalarCast",
        "A float as a number of another type, rounded as `round_mode` says: to an int32, or to odd to a float16.",
        forms=(
            Form(
                "value_in: float32, dtype: template dtype T, round_mode: template RoundMode",
                rules=(OneOf("round_mode", _TO_INT32, "dtype", {soc: {"float16": _TO_FLOAT16} for soc in ALL}),),
                result="number T",
                text="AscendC::ScalarCast<float, {dtype}, {round_mode}>({value_in})",
            ),
        ),
        dtypes={"T": dtypes(a2=_TARGETS, a5=_TARGETS, why={"float32": "value_in is one already"})},
        exactness="assumed(what int32 cannot hold becomes its nearest number, and NaN 0)",
        effect="value",
        example="number = asc.scalar_cast(2.5, asc.int32, asc.RoundMode.CAST_RINT)",
    ),
)
