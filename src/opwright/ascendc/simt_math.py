"""Rows: functions of floats that threads call."""

from __future__ import annotations

from opwright.ascendc.row import Row
from opwright.ascendc.thread_rows import example, row

TASK, SHORT = "SIMT", "Mathematics"
_ONE = "x: float32"
_TWO = "x: float32, y: float32"
_EXACT = "exact"
_HARDWARE = "bounded(1 ulp by public texts, of normal numbers; the twin is within 1 ulp of the exact value)"
_SOFTWARE = (
    "bounded(1 ulp, which public texts say of the instruction below it and not of the whole; the twin is within 1 ulp "
    "of the exact value)"
)
_NO_FIGURE = (
    "assumed(public texts give no figure: the twin is within 1 ulp of the exact value, the chip has approximations of "
    "its own)"
)
_AS_IN_C = "assumed(public texts give no figure: the twin gives what C says, exactly)"
_TO_INTEGER = "assumed(what an int64 cannot hold becomes its nearest number, and NaN 0)"

# Name, what it gives, and how exact that is.
_OF_ONE = (
    ("expf", "e to the power of a number", _HARDWARE),
    ("exp2f", "2 to the power of a number", _NO_FIGURE),
    ("exp10f", "10 to the power of a number", _NO_FIGURE),
    ("expm1f", "e to the power of a number, minus 1; close to 0, too", _SOFTWARE),
    ("logf", "the natural logarithm; below 0 it is NaN, that of 0 is -infinity", _SOFTWARE),
    ("log2f", "the logarithm to base 2; below 0 it is NaN, that of 0 is -infinity", _SOFTWARE),
    ("log10f", "the logarithm to base 10; below 0 it is NaN, that of 0 is -infinity", _SOFTWARE),
    ("log1pf", "the natural logarithm of 1 + x; close to 0, too", _SOFTWARE),
    ("sqrtf", "the square root; below 0 it is NaN", _HARDWARE),
    ("rsqrtf", "1 divided by the square root; that of 0 is infinite", _SOFTWARE),
    ("cbrtf", "the cube root, which has the sign of x", _SOFTWARE),
    ("rcbrtf", "1 divided by the cube root", _SOFTWARE),
    ("sinf", "the sine; that of infinity is NaN", _NO_FIGURE),
    ("cosf", "the cosine; that of infinity is NaN", _SOFTWARE),
    ("tanf", "the tangent; that of infinity is NaN", _NO_FIGURE),
    ("sinpif", "the sine of pi x", _NO_FIGURE),
    ("cospif", "the cosine of pi x", _NO_FIGURE),
    ("tanpif", "the tangent of pi x", _SOFTWARE),
    ("asinf", "the inverse sine; beyond 1 and -1 it is NaN", _NO_FIGURE),
    ("acosf", "the inverse cosine; beyond 1 and -1 it is NaN", _NO_FIGURE),
    ("atanf", "the inverse tangent", _SOFTWARE),
    ("sinhf", "the hyperbolic sine", _NO_FIGURE),
    ("coshf", "the hyperbolic cosine", _NO_FIGURE),
    ("tanhf", "the hyperbolic tangent", _SOFTWARE),
    ("asinhf", "the inverse hyperbolic sine", _NO_FIGURE),
    ("acoshf", "the inverse hyperbolic cosine; below 1 it is NaN", _SOFTWARE),
    ("atanhf", "the inverse hyperbolic tangent; that of 1 is infinite, beyond it is NaN", _SOFTWARE),
    ("erff", "the error function", _NO_FIGURE),
    ("erfcf", "1 minus the error function; far out, too", _NO_FIGURE),
    ("erfcxf", "1 minus the error function, times e to the power of x squared", _NO_FIGURE),
    ("erfinvf", "the inverse of the error function; that of 1 is infinite", _NO_FIGURE),
    ("erfcinvf", "the inverse of erfcf, from 0 to 2", _NO_FIGURE),
    ("normcdff", "the probability that a standard normal variable is at most x", _NO_FIGURE),
    ("normcdfinvf", "the inverse of normcdff, from 0 to 1", _NO_FIGURE),
    ("tgammaf", "the gamma function", _NO_FIGURE),
    ("lgammaf", "the natural logarithm of the magnitude of the gamma function", _NO_FIGURE),
    ("fabsf", "the magnitude", _EXACT),
    ("saturatef", "the number, but at least 0 and at most 1", "assumed(NaN gives 0)"),
    ("floorf", "the integer at or below a number, as a float", _EXACT),
    ("ceilf", "the integer at or above a number, as a float", _EXACT),
    ("truncf", "the integer towards 0, as a float", "assumed(the sign of a zero stays)"),
    ("roundf", "the nearest integer, halves away from 0, as a float", _EXACT),
    ("rintf", "the nearest integer, halves to even, as a float", _EXACT),
    ("nearbyintf", "the nearest integer, halves to even, as a float", _EXACT),
    ("logbf", "the exponent of a number, as a float; that of 0 is -infinity", _AS_IN_C),
)
_OF_TWO = (
    ("powf", "x to the power of y", f"{_NO_FIGURE[:-1]}; special cases are those of C)"),
    ("hypotf", "the length of (x, y), without overflow on the way", _NO_FIGURE),
    ("rhypotf", "1 divided by the length of (x, y)", _NO_FIGURE),
    ("fdividef", "x / y", _HARDWARE),
    ("fmodf", "what is left of x after whole multiples of y, with the sign of x", _AS_IN_C),
    ("remainderf", "x minus the nearest multiple of y, of two that are as near the even one", _AS_IN_C),
    ("fdimf", "x - y, or 0 if that is negative", _AS_IN_C),
    ("fmaxf", "the larger number; a NaN does not count, and 0 is above -0", _EXACT),
    ("fminf", "the smaller number; a NaN does not count, and -0 is below 0", _EXACT),
    ("copysignf", "the magnitude of x with the sign of y", _EXACT),
    ("nextafterf", "the next float from x towards y", _AS_IN_C),
)
_AS_WORDS = {"saturatef": "__saturatef"}  # Python's name -> the C name, where they differ


def _of_floats(name: str, gives: str, exactness: str, signature: str) -> Row:
    arguments = ", ".join(f"{letter}[thread]" for letter in "xy"[: signature.count(":")])
    shown = f"z[thread] = simt.{name}({arguments})"
    return row(name, gives, signature, shown, exactness, cpp=_AS_WORDS.get(name, name))


def _length(count: int, inverse: bool) -> Row:
    name = f"{'r' * inverse}norm{count}df"
    names = "abcd"[:count]
    gives = f"{'1 divided by ' * inverse}the length of ({', '.join(names)})"
    shown = f"z[thread] = simt.{name}({', '.join(['x[thread]', 'y[thread]', '2.0', '-1.0'][:count])})"
    return row(name, gives, ", ".join(f"{letter}: float32" for letter in names), shown, _NO_FIGURE)


ROWS = (
    *(_of_floats(*one, _ONE) for one in _OF_ONE),
    *(_of_floats(*one, _TWO) for one in _OF_TWO),
    row(
        "atan2f",
        "the angle of the point (x, y), from -pi to pi",
        "y: float32, x: float32",
        "z[thread] = simt.atan2f(y[thread], x[thread])",
        f"{_SOFTWARE[:-1]}; special cases are those of C)",
    ),
    row(
        "fmaf",
        "x * y + z, rounded once",
        "x: float32, y: float32, z: float32",
        "z[thread] = simt.fmaf(x[thread], y[thread], 1.0)",
    ),
    *(_length(count, inverse) for count in (3, 4) for inverse in (False, True)),
    *(
        row(
            name,
            "x times 2 to the power of n",
            f"x: float32, n: {kind}",
            example(name, "float32", "float32", ", 3"),
            _AS_IN_C,
        )
        for name, kind in (("ldexpf", "int32"), ("scalbnf", "int32"), ("scalblnf", "int64"))
    ),
    row(
        "ilogbf",
        "the exponent of a number",
        _ONE,
        example("ilogbf", "float32", "int32"),
        "assumed(of 0 and NaN it is the least int32, of infinity the largest)",
        result="int32",
    ),
    *(
        row(
            name,
            f"the nearest integer, halves {halves}",
            _ONE,
            example(name, "float32", "int64"),
            _TO_INTEGER,
            "int64",
        )
        for halves, names in (("away from 0", ("lroundf", "llroundf")), ("to even", ("lrintf", "llrintf")))
        for name in names
    ),
    *(
        row(name, f"whether a number is {what}", _ONE, f"n[thread] = int(simt.{name}(x[thread]))", result="bool")
        for name, what in (("isfinite", "neither infinite nor NaN"), ("isinf", "infinite"), ("isnan", "NaN"))
    ),
    row(
        "signbit",
        "1 for numbers with a minus sign, -0 among them, and 0 for others",
        _ONE,
        example("signbit", "float32", "int32"),
        "assumed(public texts say that it is not 0)",
        result="int32",
        nonnegative=True,
    ),
)
