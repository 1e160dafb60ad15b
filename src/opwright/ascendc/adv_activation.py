"""Rows: activations that the toolchain composes of vector calls."""

from __future__ import annotations

from opwright.ascendc.assumptions import ARITHMETIC
from opwright.ascendc.composed import BYTES, TEMP_BUFFER, asking
from opwright.ascendc.elementwise import FLOATS, NEVER_BFLOAT16
from opwright.ascendc.row import Form, Function, Row, dtypes, reads_runs, scratch, writes_runs
from opwright.ascendc.rules import Align, Chosen, NoPartialOverlap
from opwright.ascendc.socs import ALL
from opwright.ascendc.type_rules import TypePair
from opwright.ascendc.vector_rules import Apart, BothApart

TASK, SHORT = "Composed", "Activations"
_FLOATS = dtypes(a2=FLOATS, a5=FLOATS, why=NEVER_BFLOAT16)
_TYPES = (("float16", "float16"), ("float32", "float32"), ("float16", "float32"))  # of dst and of sum and max
_ROWS = "opwright::rows_of<T>(tiling)"
_RESULTS = "opwright::blocks_of(tiling)"


def _form(has_scratch: bool) -> Form:
    written = ("dst", "sum", "max", *[TEMP_BUFFER] * has_scratch)
    choices = ("reuse_source", "basic_block", "data_format_nz")
    plain = ("dst", "sum", "max", "src", *[TEMP_BUFFER] * has_scratch, "tiling")
    return Form(
        "dst: ub T, sum: ub U, max: ub U, src: ub T, tiling: object adv.SoftmaxTiling"
        + f", {TEMP_BUFFER}: ub B" * has_scratch
        + "".join(f", {choice}: template bool = False" for choice in choices),
        pipe="PIPE_V",
        accesses=(
            writes_runs("dst", _ROWS),
            writes_runs("sum", _RESULTS),
            writes_runs("max", _RESULTS),
            reads_runs("src", _ROWS),
            *[scratch(TEMP_BUFFER, f"opwright::as_many({TEMP_BUFFER}, {TEMP_BUFFER})")] * has_scratch,
        ),
        rules=(
            *(Align(name, 32) for name in (*written, "src")),
            TypePair("sum", "dst", _TYPES),
            Chosen("data_format_nz", 0, "the twin has rows that follow one another"),
            NoPartialOverlap("dst", "src"),
            *(Apart(name, "src") for name in written[1:]),
            *(BothApart(one, other) for at, one in enumerate(written) for other in written[:at]),
        ),
        meaning=Function("softmax"),
        dtypes={"B": BYTES} if has_scratch else {},
        types=("T",),
        order=(*plain, *choices),
        composed=True,
        needs_tpipe=asking(has_scratch, ALL),
        spells_all=True,  # T is not deduced where the sums are wider
    )


ROWS = (
    Row(
        "adv.softmax",
        "SoftMax",
        "Takes e^(x - greatest) / sum of each row of a local tensor; dst may be src. The greatest element and the sum "
        "of each row fill a block of 32 bytes of max and sum.",
        forms=(_form(False), _form(True)),
        dtypes={"T": _FLOATS, "U": _FLOATS},
        exactness=(
            "assumed(all is computed in float32 and rounded to the type of the results; the sum is added up in "
            "double, since its order is not published; a NaN in a row makes all of it NaN; basic_block and "
            "reuse_source change nothing)"
        ),
        assumes=(ARITHMETIC,),
        example="asc.adv.softmax(z_local, y_local, y_local[64:], x_local, asc.adv.SoftmaxTiling(2, 32))",
    ),
)
