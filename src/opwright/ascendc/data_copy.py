"""Rows: copies between global and local memory."""

from __future__ import annotations

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.elementwise import INT32_MAX, INT64S
from opwright.ascendc.row import (
    SET_MASK,
    Each,
    Form,
    Function,
    Row,
    dtypes,
    reads,
    reads_runs,
    steps_by,
    writes,
    writes_runs,
)
from opwright.ascendc.rules import Align, NoPartialOverlap, Range, WholeBlocks
from opwright.ascendc.vector_rules import Lanes, Moves, NoFeeding

_ALL = tuple(DTYPES)
_COUNT = Range("count", 0, INT32_MAX)
_WHOLE = WholeBlocks("count", "dst")


def _blocks(params: str, stride: str) -> str:
    """The pieces of a copy whose lengths and gaps are in blocks."""
    return f"opwright::pieces({params}.blockCount, {params}.blockLen * 32ull, {params}.{stride} * 32ull)"


_INTO = writes_runs("dst", _blocks("repeat_params", "dstStride"))
_FROM = reads_runs("src", _blocks("repeat_params", "srcStride"))
_PARAMS = "data_copy_params"


def _padded(params: str, pad: str) -> Form:
    """Global memory to UB, each piece filled up to whole blocks."""
    return Form(
        f"dst: ub T, src: global T, data_copy_params: object {params}, pad_params: object {pad}",
        pipe="PIPE_MTE2",
        accesses=(
            writes_runs("dst", f"opwright::padded_pieces<T>(at, {_PARAMS}, pad_params)"),
            reads_runs("src", f"opwright::pieces({_PARAMS}.blockCount, {_PARAMS}.blockLen, {_PARAMS}.srcStride)"),
        ),
        rules=(Align("dst", 32),),
        meaning=Function("copy_padded_in"),
    )


def _unpadded(params: str) -> Form:
    """UB to global memory, without what fills the last block of each piece."""
    return Form(
        f"dst: global T, src: ub T, data_copy_params: object {params}",
        pipe="PIPE_MTE3",
        accesses=(
            writes_runs("dst", f"opwright::pieces({_PARAMS}.blockCount, {_PARAMS}.blockLen, {_PARAMS}.dstStride)"),
            reads_runs(
                "src", f"opwright::pieces_on_chip({_PARAMS}.blockCount, {_PARAMS}.blockLen, {_PARAMS}.srcStride)"
            ),
        ),
        rules=(Align("src", 32),),
        meaning=Function("copy_pieces_out"),
    )


def _lanes(mask: str) -> Form:
    """UB to UB, by lanes of repeats."""
    strides = {name: (f"repeat_params.{name}Stride", f"repeat_params.{name}RepeatSize") for name in ("dst", "src")}
    return Form(
        f"dst: ub T, src: ub T, mask: {mask}, repeat_time: uint8, repeat_params: object CopyRepeatParams, {SET_MASK}",
        pipe="PIPE_V",
        accesses=(
            steps_by("dst", True, "repeat_time", *strides["dst"]),
            steps_by("src", False, "repeat_time", *strides["src"]),
        ),
        rules=(
            *([Lanes("mask", ("dst", "src"))] * (mask == "uint64")),
            Align("dst", 32),
            Align("src", 32),
            Moves("repeat_params", "dst", "stride"),
            NoFeeding("dst", "src"),
        ),
        meaning=Each("src"),
    )


_BITS = ("int16", "uint16", "float16", "bfloat16", "int32", "uint32", "float32")

ROWS = (
    Row(
        "copy",
        "Copy",
        "Copies lanes of repeats from one local tensor to another.",
        forms=(_lanes("uint64"), _lanes("array uint64")),
        dtypes={"T": dtypes(a2=_BITS, a5=(*_BITS, "int8", "uint8", *INT64S))},
        example="asc.copy(z_local, x_local, 64, 2, asc.CopyRepeatParams(1, 1, 8, 8))",
    ),
    Row(
        "data_copy",
        "DataCopy",
        "Copies count elements, or pieces with gaps between them. The bytes of a count are rounded down to a multiple "
        "of 32: what is left over is not copied.",
        forms=(
            Form(
                "dst: ub T, src: global T, count: uint32",
                pipe="PIPE_MTE2",
                accesses=(writes("dst", floor=32), reads("src", floor=32)),
                rules=(_COUNT, Align("dst", 32), _WHOLE),
                meaning=Function("copy_in"),
            ),
            Form(
                "dst: global T, src: ub T, count: uint32",
                pipe="PIPE_MTE3",
                accesses=(writes("dst", floor=32), reads("src", floor=32)),
                rules=(_COUNT, Align("src", 32), _WHOLE),
                meaning=Function("copy_out"),
            ),
            Form(
                "dst: ub T, src: ub T, count: uint32",
                pipe="PIPE_V",
                accesses=(writes("dst", floor=32), reads("src", floor=32)),
                rules=(_COUNT, Align("dst", 32), Align("src", 32), NoPartialOverlap("dst", "src"), _WHOLE),
                meaning=Function("copy_local"),
            ),
            Form(
                "dst: ub T, src: global T, repeat_params: object DataCopyParams",
                pipe="PIPE_MTE2",
                accesses=(_INTO, _FROM),
                rules=(Align("dst", 32),),
                meaning=Function("copy_pieces_in"),
            ),
            Form(
                "dst: global T, src: ub T, repeat_params: object DataCopyParams",
                pipe="PIPE_MTE3",
                accesses=(_INTO, _FROM),
                rules=(Align("src", 32),),
                meaning=Function("copy_pieces_out"),
            ),
            Form(
                "dst: ub T, src: ub T, repeat_params: object DataCopyParams",
                pipe="PIPE_V",
                accesses=(_INTO, _FROM),
                rules=(Align("dst", 32), Align("src", 32), NoPartialOverlap("dst", "src")),
                meaning=Function("copy_pieces_local"),
            ),
        ),
        dtypes={"T": dtypes(a2=_ALL, a5=_ALL)},
        example="asc.data_copy(x_local, x_gm, 64)",
    ),
    Row(
        "data_copy_pad",
        "DataCopyPad",
        "Copies pieces of any number of bytes. On the chip each starts at a whole block, after its padding; what is "
        "left of its last block is filled with the padding value, or without padding with the piece's first element. "
        "Padding counts without a value leave padding undefined: the twin writes ones to all bits.",
        forms=(
            _padded("DataCopyExtParams", "DataCopyPadExtParams T"),
            _unpadded("DataCopyExtParams"),
            _padded("DataCopyParams", "DataCopyPadParams"),
            _unpadded("DataCopyParams"),
        ),
        dtypes={"T": dtypes(a2=_ALL, a5=_ALL)},
        example="asc.data_copy_pad(x_gm, x_local, asc.DataCopyExtParams(2, 20, 0, 0, 0))",
    ),
)
