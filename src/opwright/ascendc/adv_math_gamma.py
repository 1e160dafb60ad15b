"""Rows: the error function, and functions made of the gamma function, which the toolchain composes."""

from __future__ import annotations

from dataclasses import replace

from opwright.ascendc.composed import BOUND, COUNTED, TEMP_BUFFER, function, taking
from opwright.ascendc.row import Row
from opwright.ascendc.socs import A5, ALL
from opwright.ascendc.type_rules import Never

TASK, SHORT = "Composed", "Gamma and error function"
_KEEPS = Never("is_reuse_source", True, A5, "leave it out: only float32 may be given away", "src", "float16")


def _digamma() -> Row:
    row = function(
        "digamma",
        "Digamma",
        taking("slope of ln(gamma)", "At 0, and below it at integers, it is NaN."),
        "log_gamma_slope",
        f"bounded({BOUND}; near zeros below 0 the error is at most 2^-40)",
        counts=COUNTED,
        asks=ALL,
    )
    forms = (replace(form, rules=(*form.rules, _KEEPS), lvalues=(TEMP_BUFFER,)) for form in row.forms)
    return replace(row, forms=tuple(forms))


ROWS = (
    _digamma(),
    function("erf", "Erf", taking("error function"), "error_function", asks=ALL),
    function(
        "erfc", "Erfc", taking("error function", "What it lacks to 1: dst = 1 - erf(src)."), "error_function_complement"
    ),
    function(
        "lgamma",
        "Lgamma",
        taking("logarithm of |gamma|", "At 0, and below it at integers, it is infinity."),
        "log_gamma",
        f"bounded({BOUND}; near zeros below 0 the error is at most 2^-40)",
        counts=COUNTED,
        asks=ALL,
    ),
)
