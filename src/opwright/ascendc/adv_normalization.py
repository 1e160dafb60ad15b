"""Rows: normalizations that the toolchain composes of vector calls."""

from __future__ import annotations

from opwright.ascendc.assumptions import ARITHMETIC
from opwright.ascendc.composed import BYTES, TEMP_BUFFER, asking
from opwright.ascendc.elementwise import FLOATS, NEVER_BFLOAT16
from opwright.ascendc.row import Form, Function, Row, dtypes, reads_runs, scratch, writes_runs
from opwright.ascendc.rules import Align
from opwright.ascendc.socs import ALL
from opwright.ascendc.vector_rules import Apart, BothApart

TASK, SHORT = "Composed", "Normalization"
_ROWS = "opwright::rows_of<T>(tiling)"


def _form(has_scratch: bool) -> Form:
    return Form(
        f"dst: ub T, src: ub T, gamma: ub T, epsilon: number T, tiling: object adv.RmsNormTiling"
        f"{f', {TEMP_BUFFER}: ub B' * has_scratch}, basic_block: template bool = False",
        pipe="PIPE_V",
        accesses=(
            writes_runs("dst", _ROWS),
            reads_runs("src", _ROWS),
            reads_runs("gamma", "opwright::row_of<T>(tiling)"),
            *[scratch(TEMP_BUFFER, f"opwright::as_many({TEMP_BUFFER}, {TEMP_BUFFER})")] * has_scratch,
        ),
        rules=(
            *(Align(name, 32) for name in ("dst", "src", "gamma", *[TEMP_BUFFER] * has_scratch)),
            *(Apart(name, read) for name in ("dst", *[TEMP_BUFFER] * has_scratch) for read in ("src", "gamma")),
            *[BothApart(TEMP_BUFFER, "dst")] * has_scratch,
        ),
        meaning=Function("rms_norm"),
        dtypes={"B": BYTES} if has_scratch else {},
        types=("T",),
        order=("dst", "src", "gamma", *[TEMP_BUFFER] * has_scratch, "epsilon", "tiling", "basic_block"),
        composed=True,
        needs_tpipe=asking(has_scratch, ALL),
    )


ROWS = (
    Row(
        "adv.rmsnorm",
        "RmsNorm",
        "Divides each row of a local tensor by the root of the mean of its squares and multiplies it by gamma: dst = "
        "src / sqrt(mean(src^2) + epsilon) * gamma.",
        forms=(_form(False), _form(True)),
        dtypes={"T": dtypes(a2=FLOATS, a5=FLOATS, why=NEVER_BFLOAT16)},
        exactness=(
            "assumed(all is computed in float32 and rounded to the type of dst; the squares are added up in "
            "double, since their order is not published; the sum is multiplied by reciprocal_of_h_length; what follows "
            "the data of a row takes no part in it, but is multiplied as well; basic_block changes nothing)"
        ),
        assumes=(ARITHMETIC,),
        example="asc.adv.rmsnorm(z_local, x_local, y_local, 0.001, asc.adv.RmsNormTiling(1, 2, 32, 32, 0.03125))",
    ),
)
