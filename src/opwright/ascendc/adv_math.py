"""Rows: mathematical functions that the toolchain composes of vector calls."""

from __future__ import annotations

from dataclasses import replace

from opwright.ascendc.assumptions import ARITHMETIC
from opwright.ascendc.composed import BOUND, COUNTED, FLOAT_TYPES, form, forms, function, taking
from opwright.ascendc.elementwise import FLOATS, NEVER_BFLOAT16
from opwright.ascendc.row import Each, Row, dtypes
from opwright.ascendc.socs import A5, ALL
from opwright.ascendc.type_rules import TypePair

TASK, SHORT = "Composed", "Mathematics"
_WHOLES = dtypes(a2=("int16", "uint16"), a5=("int16", "uint16"))
_POWERS = dtypes(a2=("int32", *FLOATS), a5=("int32", *FLOATS), why=NEVER_BFLOAT16)
_WHOLE = "assumed(the sign of a zero stays, infinities and NaN stay what they are)"
_TWO = ("dst: ub T", "src0: ub T", "src1: ub T")
_SUM_TYPES = (  # of src and dst
    ("float16", "float16"),
    ("float32", "float32"),
    ("float16", "float32"),
)

ROWS = (
    Row(
        "adv.axpy",
        "Axpy",
        "Adds a multiple of one local tensor to what another holds: dst = src * scalar + dst, by a product and a sum.",
        forms=(
            form(
                Each("opwright::multiplied_and_added(src, scalar, dst)"),
                ("dst: ub T", "src: ub U", "scalar: number U"),
                ("src",),
                count=True,
                has_scratch=True,
                into=True,
                rules=(TypePair("dst", "src", _SUM_TYPES),),
                spells_all=True,
            ),
        ),
        dtypes={"T": FLOAT_TYPES, "U": FLOAT_TYPES},
        exactness="assumed(product and sum are rounded to float32, whatever the types, and the result to its own)",
        assumes=(ARITHMETIC,),
        example="asc.adv.axpy(z_local, x_local, 0.5, 64, b_local)",
    ),
    function(
        "ceil", "Ceil", "Rounds every element of a local tensor up to an integer.", "upward", _WHOLE, counts=COUNTED
    ),
    Row(
        "adv.exp",
        "Exp",
        "Raises e to the power of every element of a local tensor: dst = e^src. The chip adds up as many terms of a "
        "series as taylor_expand_level says, or takes its own instruction with 0; the twin gives the best result.",
        forms=tuple(
            form(
                Each("opwright::power_of_e_of(src)"),
                ("dst: ub T", "src: ub T"),
                ("src",),
                count=True,
                has_scratch=has_scratch,
                more=("taylor_expand_level: template uint8",),
                asks=ALL,
            )
            for has_scratch in (False, True)
        ),
        dtypes={"T": FLOAT_TYPES},
        exactness=f"bounded({BOUND}, above all with few terms)",
        assumes=(ARITHMETIC,),
        example="asc.adv.exp(z_local, x_local, 64, 10)",
    ),
    function(
        "floor",
        "Floor",
        "Rounds every element of a local tensor down to an integer.",
        "downward",
        _WHOLE,
        counts=COUNTED,
    ),
    function(
        "frac",
        "Frac",
        taking("part behind the point", "It has the sign of the element: dst = src - trunc(src)."),
        "fraction",
        "assumed(that of an integer is +0, that of infinity NaN)",
    ),
    function(
        "log",
        "Log",
        taking("natural logarithm", "Below 0 it is NaN; that of 0 is -infinity."),
        "natural_logarithm",
        scratches=(False,),
        asks=(),
    ),
    Row(
        "adv.power",
        "Power",
        "Raises every element of a local tensor to the power of one of another: dst = src0^src1.",
        forms=tuple(
            # On ascend950 it asks even if it is given scratch.
            replace(one, needs_tpipe={**one.needs_tpipe, **dict.fromkeys(A5, "")})
            for one in forms(Each("opwright::power_of(src0, src1)"), _TWO, ("src0", "src1"))
        ),
        dtypes={"T": _POWERS},
        exactness=f"bounded({BOUND}; special cases are those of C; integers wrap, and 1 / n is 0)",
        assumes=(ARITHMETIC,),
        example="asc.adv.power(z_local, x_local, y_local, 64)",
    ),
    function(
        "round",
        "Round",
        "Rounds every element of a local tensor to the nearest integer.",
        "to_nearest",
        "assumed(halves go to even; the sign of a zero stays, infinities and NaN stay what they are)",
        counts=COUNTED,
    ),
    function(
        "sign",
        "Sign",
        taking("sign", "It is 1 above 0, -1 below it, and 0 for 0."),
        "sign_of",
        "assumed(-0 and NaN give 0)",
    ),
    function(
        "trunc", "Trunc", "Rounds every element of a local tensor towards 0 to an integer.", "towards_zero", _WHOLE
    ),
    Row(
        "adv.xor",
        "Xor",
        "Keeps the bits in which two local tensors differ: dst = src0 ^ src1.",
        forms=forms(Each("src0 ^ src1"), _TWO, ("src0", "src1"), asks=ALL),
        dtypes={"T": _WHOLES},
        example="asc.adv.xor(k_local, i_local, j_local, 64)",
    ),
)
