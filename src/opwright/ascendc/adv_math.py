"""Rows: mathematical functions that the toolchain composes of vector calls."""

from __future__ import annotations

from opwright.ascendc.composed import form, forms
from opwright.ascendc.elementwise import FLOATS, NEVER_BFLOAT16
from opwright.ascendc.row import Each, Row, dtypes
from opwright.ascendc.type_rules import TypePair

_FLOATS = dtypes(a2=FLOATS, a5=FLOATS, why=NEVER_BFLOAT16)
_WHOLES = dtypes(a2=("int16", "uint16"), a5=("int16", "uint16"))
_POWERS = dtypes(a2=("int32", *FLOATS), a5=("int32", *FLOATS), why=NEVER_BFLOAT16)

_WHOLE = "assumed(the sign of a zero stays, infinities and NaN stay what they are)"
_BOUND = "1 ulp from the exact value; the chip has approximations of its own, whose bits may be others"


def _row(name: str, cpp: str, doc: str, function: str, exactness: str = f"bounded({_BOUND})") -> Row:
    """A function of one element."""
    return Row(
        f"adv.{name}",
        cpp,
        doc,
        forms=forms(Each(f"opwright::{function}(src)"), ("dst: ub T", "src: ub T"), ("src",)),
        dtypes={"T": _FLOATS},
        exactness=exactness,
        example=f"asc.adv.{name}(z_local, x_local, 64)",
    )


def _of(what: str, more: str = "") -> str:
    return f"Takes the {what} of every element of a local tensor.{more and f' {more}'}"


_TWO = ("dst: ub T", "src0: ub T", "src1: ub T")
_SUM_TYPES = (  # of src and dst
    ("float16", "float16"),
    ("float32", "float32"),
    ("float16", "float32"),
)

ROWS = (
    _row("acos", "Acos", _of("inverse cosine", "Beyond 1 and -1 it is NaN."), "arccosine"),
    _row("acosh", "Acosh", _of("inverse hyperbolic cosine", "Below 1 it is NaN."), "inverse_hyperbolic_cosine"),
    _row("asin", "Asin", _of("inverse sine", "Beyond 1 and -1 it is NaN."), "arcsine"),
    _row("asinh", "Asinh", _of("inverse hyperbolic sine"), "inverse_hyperbolic_sine"),
    _row("atan", "Atan", _of("inverse tangent"), "arctangent"),
    _row(
        "atanh",
        "Atanh",
        _of("inverse hyperbolic tangent", "That of 1 is infinity, and beyond it is NaN."),
        "inverse_hyperbolic_tangent",
    ),
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
                room=True,
                into=True,
                rules=(TypePair("dst", "src", _SUM_TYPES),),
                spells_all=True,
            ),
        ),
        dtypes={"T": _FLOATS, "U": _FLOATS},
        exactness="assumed(product and sum are rounded to float32, whatever the types, and the result to its own)",
        example="asc.adv.axpy(z_local, x_local, 0.5, 64, b_local)",
    ),
    _row("ceil", "Ceil", "Rounds every element of a local tensor up to an integer.", "upward", _WHOLE),
    _row("cos", "Cos", _of("cosine", "That of infinity is NaN."), "cosine"),
    _row("cosh", "Cosh", _of("hyperbolic cosine"), "hyperbolic_cosine"),
    _row(
        "digamma",
        "Digamma",
        _of("slope of ln(gamma)", "At 0, and below it at integers, it is NaN."),
        "log_gamma_slope",
        f"bounded({_BOUND}; near zeros below 0 the error is at most 2^-40)",
    ),
    _row("erf", "Erf", _of("error function"), "error_function"),
    _row("erfc", "Erfc", _of("error function", "What it lacks to 1: dst = 1 - erf(src)."), "error_function_complement"),
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
                room=room,
                more=("taylor_expand_level: template uint8",),
            )
            for room in (False, True)
        ),
        dtypes={"T": _FLOATS},
        exactness=f"bounded({_BOUND}, above all with few terms)",
        example="asc.adv.exp(z_local, x_local, 64, 10)",
    ),
    _row("floor", "Floor", "Rounds every element of a local tensor down to an integer.", "downward", _WHOLE),
    _row(
        "frac",
        "Frac",
        _of("part behind the point", "It has the sign of the element: dst = src - trunc(src)."),
        "fraction",
        "assumed(that of an integer is +0, that of infinity NaN)",
    ),
    _row(
        "lgamma",
        "Lgamma",
        _of("logarithm of |gamma|", "At 0, and below it at integers, it is infinity."),
        "log_gamma",
        f"bounded({_BOUND}; near zeros below 0 the error is at most 2^-40)",
    ),
    _row("log", "Log", _of("natural logarithm", "Below 0 it is NaN; that of 0 is -infinity."), "natural_logarithm"),
    Row(
        "adv.power",
        "Power",
        "Raises every element of a local tensor to the power of one of another: dst = src0^src1.",
        forms=forms(Each("opwright::power_of(src0, src1)"), _TWO, ("src0", "src1")),
        dtypes={"T": _POWERS},
        exactness=f"bounded({_BOUND}; special cases are those of C; integers wrap, and 1 / n is 0)",
        example="asc.adv.power(z_local, x_local, y_local, 64)",
    ),
    _row(
        "round",
        "Round",
        "Rounds every element of a local tensor to the nearest integer.",
        "to_nearest",
        "assumed(halves go to even; the sign of a zero stays, infinities and NaN stay what they are)",
    ),
    _row(
        "sign",
        "Sign",
        _of("sign", "It is 1 above 0, -1 below it, and 0 for 0."),
        "sign_of",
        "assumed(-0 and NaN give 0)",
    ),
    _row("sin", "Sin", _of("sine", "That of infinity is NaN."), "sine"),
    _row("sinh", "Sinh", _of("hyperbolic sine"), "hyperbolic_sine"),
    _row("tan", "Tan", _of("tangent", "That of infinity is NaN."), "tangent"),
    _row("tanh", "Tanh", _of("hyperbolic tangent"), "hyperbolic_tangent"),
    _row("trunc", "Trunc", "Rounds every element of a local tensor towards 0 to an integer.", "towards_zero", _WHOLE),
    Row(
        "adv.xor",
        "Xor",
        "Keeps the bits in which two local tensors differ: dst = src0 ^ src1.",
        forms=forms(Each("src0 ^ src1"), _TWO, ("src0", "src1")),
        dtypes={"T": _WHOLES},
        example="asc.adv.xor(k_local, i_local, j_local, 64)",
    ),
)
