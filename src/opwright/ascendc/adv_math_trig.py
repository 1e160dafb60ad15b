"""Rows: sine, cosine and tangent, and their inverses, which the toolchain composes."""

from __future__ import annotations

from opwright.ascendc.composed import function, taking
from opwright.ascendc.socs import ALL

TASK, SHORT = "Composed", "Trigonometry"
ROWS = (
    function("acos", "Acos", taking("inverse cosine", "Beyond 1 and -1 it is NaN."), "arccosine"),
    function("asin", "Asin", taking("inverse sine", "Beyond 1 and -1 it is NaN."), "arcsine"),
    function("atan", "Atan", taking("inverse tangent"), "arctangent"),
    function("cos", "Cos", taking("cosine", "That of infinity is NaN."), "cosine", asks=ALL),
    function("sin", "Sin", taking("sine", "That of infinity is NaN."), "sine", asks=ALL),
    function("tan", "Tan", taking("tangent", "That of infinity is NaN."), "tangent"),
)
