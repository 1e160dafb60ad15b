"""Rows: what goes before a sort and after it."""

from __future__ import annotations

from opwright.ascendc.elementwise import FLOATS
from opwright.ascendc.row import Form, Function, Row, dtypes, reads_runs, writes_runs
from opwright.ascendc.rules import Align, Range
from opwright.ascendc.traits import Becomes
from opwright.ascendc.vector_rules import Apart, BothApart

TASK, SHORT = "Gather and sort", "Around a sort"
_T = {"T": dtypes(a2=FLOATS, a5=FLOATS)}
_REPEATS = Range("repeat_time", 0, 255)

ROWS = (
    Row(
        "adv.concat",
        "Concat",
        "Makes 16 * repeat_time elements ready for asc.sort. These SoCs sort elements as they are, so dst becomes "
        "src from now on, and no data moves.",
        forms=(
            Form(
                "dst: ub T, src: ub T, tmp: ub T, repeat_time: int32",
                rules=(_REPEATS,),
                traits=(Becomes("dst"),),
                lvalues=("src", "tmp"),
            ),
        ),
        dtypes=_T,
        exactness="assumed(dst becomes src: public texts say what comes out of the sort, not how)",
        example="asc.adv.concat(y_local, x_local, z_local, 2)\nasc.sort(z_local, y_local, u_local, z_local, 1)",
    ),
    Row(
        "adv.extract",
        "Extract",
        "Takes 32 * repeat_time pairs apart that asc.sort has written: the elements, and their indices.",
        forms=(
            Form(
                "dst_value: ub T, dst_index: ub U, src: ub T, repeat_time: int32",
                pipe="PIPE_V",
                accesses=(
                    writes_runs("dst_value", "opwright::elements_of<T>(repeat_time, 32)"),
                    writes_runs("dst_index", "opwright::elements_of<U>(repeat_time, 32)"),
                    reads_runs("src", "opwright::pairs_of(repeat_time)"),
                ),
                rules=(
                    _REPEATS,
                    *(Align(name, 32) for name in ("dst_value", "dst_index", "src")),
                    Apart("dst_value", "src"),
                    Apart("dst_index", "src"),
                    BothApart("dst_value", "dst_index"),
                ),
                meaning=Function("take_apart"),
                types=("T",),
                composed=True,
            ),
        ),
        dtypes={**_T, "U": dtypes(a2=("uint32",), a5=("uint32",))},
        example="asc.adv.extract(z_local, u_local, x_local, 1)",
    ),
)
