"""Rows: hyperbolic functions and their inverses, which the toolchain composes."""

from __future__ import annotations

from opwright.ascendc.composed import function, taking
from opwright.ascendc.socs import ALL

TASK, SHORT = "Composed", "Hyperbolic"
ROWS = (
    function("acosh", "Acosh", taking("inverse hyperbolic cosine", "Below 1 it is NaN."), "inverse_hyperbolic_cosine"),
    function("asinh", "Asinh", taking("inverse hyperbolic sine"), "inverse_hyperbolic_sine"),
    function(
        "atanh",
        "Atanh",
        taking("inverse hyperbolic tangent", "That of 1 is infinity, and beyond it is NaN."),
        "inverse_hyperbolic_tangent",
        asks=ALL,
    ),
    function("cosh", "Cosh", taking("hyperbolic cosine"), "hyperbolic_cosine"),
    function("sinh", "Sinh", taking("hyperbolic sine"), "hyperbolic_sine"),
    function("tanh", "Tanh", taking("hyperbolic tangent"), "hyperbolic_tangent"),
)
