"""Rows: vector calls that fill a tensor."""

from __future__ import annotations

from opwright.ascendc.elementwise import INT64S, by_repeats, forms
from opwright.ascendc.row import SET_MASK, Each, Form, Function, Row, dtypes, reads_runs, steps_by, writes_runs
from opwright.ascendc.rules import Align, NoPartialOverlap, Range
from opwright.ascendc.vector_rules import Lanes, Moves

TASK, SHORT = "Vector", "Fill"
_A2 = ("int16", "uint16", "float16", "bfloat16", "int32", "uint32", "float32")
_DTYPES = dtypes(a2=_A2, a5=(*_A2, "int8", "uint8", *INT64S))


def _repeated(mask: str) -> Form:
    """One scalar to lanes of repeats."""
    return Form(
        f"dst: ub T, scalar: number T, mask: {mask}, repeat_times: uint8, dst_block_stride: uint16, "
        f"dst_repeat_stride: uint8, {SET_MASK}",
        pipe="PIPE_V",
        accesses=(steps_by("dst", True, "repeat_times", "dst_block_stride", "dst_repeat_stride"),),
        rules=(
            *([Lanes("mask", ("dst",))] * (mask == "uint64")),
            Range("dst_block_stride", 1, 0xFFFF),
            Align("dst", 32),
        ),
        meaning=Each("scalar"),
        dtypes=by_repeats(_DTYPES),
    )


ROWS = (
    Row(
        "duplicate",
        "Duplicate",
        "Writes one scalar to the first count elements of a local tensor, or to lanes of repeats.",
        forms=(*forms("scalar", scalar=True)[:1], _repeated("uint64"), _repeated("array uint64")),
        dtypes={"T": _DTYPES},
        example="asc.duplicate(z_local, 3, 64)",
    ),
    Row(
        "brcb",
        "Brcb",
        "Fills blocks of 32 bytes with one element each: 8 elements and 8 blocks for each repeat. The elements follow "
        "one another; repeat_params says where the blocks go.",
        forms=(
            Form(
                "dst: ub T, src0: ub T, repeat_times: uint8, repeat_params: object BrcbRepeatParams",
                pipe="PIPE_V",
                accesses=(
                    writes_runs("dst", "opwright::filled_blocks<T>(repeat_times, repeat_params)"),
                    reads_runs("src0", "opwright::broadcast_elements<T>(repeat_times)"),
                ),
                rules=(
                    Align("dst", 32),
                    Align("src0", 32),
                    Moves("repeat_params", "dst"),
                    NoPartialOverlap("dst", "src0"),
                ),
                meaning=Function("brcb"),
            ),
        ),
        dtypes={"T": _DTYPES},
        example="asc.brcb(z_local, x_local, 1, asc.BrcbRepeatParams(1, 8))",
    ),
)
