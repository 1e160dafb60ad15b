"""Rows: bits of a scalar."""

from __future__ import annotations

from opwright.ascendc.row import Form, Function, Row
from opwright.ascendc.rules import Range, TemplateRange

_BIT = TemplateRange("count_value", 0, 1)


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
)
