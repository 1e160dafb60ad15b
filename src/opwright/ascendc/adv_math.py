"""Rows: mathematical functions that the toolchain composes of vector calls."""

from __future__ import annotations

from opwright.ascendc.composed import forms
from opwright.ascendc.elementwise import FLOATS, NEVER_BFLOAT16
from opwright.ascendc.row import Each, Row, dtypes

_FLOATS = dtypes(a2=FLOATS, a5=FLOATS, why=NEVER_BFLOAT16)
_WHOLE = "assumed(the sign of a zero stays; NaN stays NaN)"


def _row(name: str, cpp: str, doc: str, function: str, exactness: str) -> Row:
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


ROWS = (
    _row("ceil", "Ceil", "Rounds every element of a local tensor up to an integer.", "upward", _WHOLE),
    _row("floor", "Floor", "Rounds every element of a local tensor down to an integer.", "downward", _WHOLE),
    _row("trunc", "Trunc", "Rounds every element of a local tensor towards 0 to an integer.", "towards_zero", _WHOLE),
)
