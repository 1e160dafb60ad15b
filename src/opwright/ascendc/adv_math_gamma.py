"""Rows: the error function, and functions made of the gamma function, which the toolchain composes."""

from __future__ import annotations

from opwright.ascendc.composed import BOUND, function, taking

TASK, SHORT = "Composed", "Gamma and error function"
ROWS = (
    function(
        "digamma",
        "Digamma",
        taking("slope of ln(gamma)", "At 0, and below it at integers, it is NaN."),
        "log_gamma_slope",
        f"bounded({BOUND}; near zeros below 0 the error is at most 2^-40)",
    ),
    function("erf", "Erf", taking("error function"), "error_function"),
    function(
        "erfc", "Erfc", taking("error function", "What it lacks to 1: dst = 1 - erf(src)."), "error_function_complement"
    ),
    function(
        "lgamma",
        "Lgamma",
        taking("logarithm of |gamma|", "At 0, and below it at integers, it is infinity."),
        "log_gamma",
        f"bounded({BOUND}; near zeros below 0 the error is at most 2^-40)",
    ),
)
