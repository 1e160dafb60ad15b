"""Rows: printing from a kernel, and marks for profilers."""

from __future__ import annotations

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.row import CORE, SIMT, Form, Function, Row, dtypes, reads, reads_runs

TASK, SHORT = "Core", "Printing and profiling"
_ALL = {"T": dtypes(a2=tuple(DTYPES), a5=tuple(DTYPES))}
_LIKE_PRINTF = "the twin has words of its own for it, and all earlier work of the core ends first"


# What is printed leaves the core by a copy to global memory, or stands there.
_SHAPE = ", shape_info: object ShapeInfo"
_PIPES = {"local": "PIPE_MTE3", "global": "PIPE_MTE2"}


def _dump(kind: str, shape: str = "") -> Form:
    return Form(
        f"tensor: {kind} T, desc: uint32, dump_size: uint32{shape}",
        pipe=_PIPES[kind],
        accesses=(reads("tensor", "dump_size"),),
    )


def _point(kind: str) -> Form:
    return Form(
        f"tensor: {kind} T, index: uint32, count_off: uint32, dump_size: uint32",
        pipe=_PIPES[kind],
        accesses=(reads_runs("tensor", "opwright::dumped<T>(count_off, dump_size)"),),
    )


def _mark(name: str, cpp: str, what: str) -> Row:
    return Row(
        name,
        cpp,
        f"{what} what a profiler measures. On the twin it does nothing.",
        forms=(Form("", meaning=Function(name)),),
        example=f"asc.{name}()",
    )


ROWS = (
    Row(
        "printf",
        "printf",
        "Prints with a C format. On the twin the output of all cores comes in the order of their index.",
        forms=(Form("desc: text, arguments: rest"),),
        callers=(CORE, SIMT),
        example='asc.printf("core %d\\n", asc.get_block_idx())',
    ),
    Row(
        "dump_tensor",
        "DumpTensor",
        "Prints the first `dump_size` elements of a tensor, with the number `desc` of your choice. On the twin it "
        "comes among what asc.printf prints: the core, the number, where the tensor lies, its type, then its elements, "
        "with a shape a line for each row of its last dimension.",
        forms=(_dump("global"), _dump("local"), _dump("global", _SHAPE), _dump("local", _SHAPE)),
        dtypes=_ALL,
        exactness=f"assumed({_LIKE_PRINTF})",
        example="asc.dump_tensor(x_local, 5, 8)",
    ),
    Row(
        "dump_acc_chk_point",
        "DumpAccChkPoint",
        "Prints `dump_size` elements of a tensor from element `count_off` on, as asc.dump_tensor does: a point at "
        "which results are compared, with the number `index`.",
        forms=(_point("local"), _point("global")),
        dtypes=_ALL,
        exactness=f"assumed({_LIKE_PRINTF})",
        example="asc.dump_acc_chk_point(x_local, 1, 4, 4)",
    ),
    Row(
        "print_time_stamp",
        "PrintTimeStamp",
        "Prints a number `desc_id` of your choice and the counter of asc.get_system_cycle, which on the twin counts "
        "how often it was asked for.",
        forms=(Form("desc_id: uint32", meaning=Function("print_time_stamp")),),
        exactness="assumed(the number of calls so far stands for time)",
        example="asc.print_time_stamp(7)",
    ),
    _mark("metrics_prof_start", "MetricsProfStart", "Begins"),
    _mark("metrics_prof_stop", "MetricsProfStop", "Ends"),
)
