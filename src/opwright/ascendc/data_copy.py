"""Rows: copies between global and local memory."""

from __future__ import annotations

from opwright.ascendc.cube_copy import CUBE_COPIES, L1_TO_UB
from opwright.ascendc.cube_fixpipe import COPIES
from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.elementwise import INT32_MAX, INT64S
from opwright.ascendc.enums import TPosition
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
from opwright.ascendc.rules import Align, NoPartialOverlap, Range, Rule, WholeBlocks
from opwright.ascendc.type_rules import OneOf
from opwright.ascendc.vector_rules import Lanes, Moves, NoFeeding

TASK, SHORT = "Copy", "Between memories"
_ALL = tuple(DTYPES)
_COUNT = Range("count", 0, INT32_MAX)
_WHOLE = WholeBlocks("count", "dst")


def _blocks(params: str, stride: str) -> str:
    """The pieces of a copy whose lengths and gaps are in blocks."""
    return f"opwright::pieces({params}.blockCount, {params}.blockLen * 32ull, {params}.{stride} * 32ull)"


_INTO = writes_runs("dst", _blocks("repeat_params", "dstStride"))
_FROM = reads_runs("src", _blocks("repeat_params", "srcStride"))
_PARAMS = "data_copy_params"


def _enhanced(kinds: str, pipe: str, meaning: str, aligned: tuple[str, ...], more: tuple[Rule, ...] = ()) -> Form:
    """A copy of pieces with parameters that only the matrix unit has a use for."""
    dst, src = kinds.split()
    return Form(
        f"dst: {dst} T, src: {src} T, intri_params: object DataCopyParams, "
        "enhanced_params: object DataCopyEnhancedParams",
        pipe=pipe,
        accesses=(
            writes_runs("dst", _blocks("intri_params", "dstStride")),
            reads_runs("src", _blocks("intri_params", "srcStride")),
        ),
        rules=(*(Align(name, 32) for name in aligned), *more),
        meaning=Function(meaning),
    )


def _slices(dst: str, src: str, pipe: str) -> Form:
    """A copy of slices between global memory and UB."""
    dst_on_chip, src_on_chip = int(dst == "ub"), int(src == "ub")
    return Form(
        f"dst: {dst} T, src: {src} T, slice_list1: list SliceInfo, slice_list2: list SliceInfo, dim_value: uint32 = 1",
        pipe=pipe,
        accesses=(
            writes_runs("dst", f"opwright::sliced_as<T>(at, 2, slice_list1, dim_value, {dst_on_chip}, slice_list2)"),
            reads_runs("src", f"opwright::sliced<T>(at, 3, slice_list2, dim_value, {src_on_chip})"),
        ),
        rules=(Align("dst" if dst == "ub" else "src", 32),),
        meaning=Function("copy_slices"),
    )


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
        state="pad_value",
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
        meaning=Each("opwright::copied<T>(src)"),
    )


_BITS = ("int16", "uint16", "float16", "bfloat16", "int32", "uint32", "float32")
_ONLY_COPIED = dict.fromkeys(
    ("int8", "uint8", *INT64S), "it takes elements of 16 and 32 bits: asc.data_copy copies any, or reinterpret_cast"
)

ROWS = (
    Row(
        "copy",
        "Copy",
        "Copies lanes of repeats from one local tensor to another.",
        forms=(_lanes("uint64"), _lanes("array uint64")),
        dtypes={"T": dtypes(a2=_BITS, a5=_BITS, why=_ONLY_COPIED)},
        example="asc.copy(z_local, x_local, 64, 2, asc.CopyRepeatParams(1, 1, 8, 8))",
    ),
    Row(
        "data_copy",
        "DataCopy",
        "Copies count elements, pieces with gaps between them, or slices of tensors with several dimensions, of which "
        "the lists have the innermost first. The bytes of a count are rounded down to a multiple of 32: what is left "
        "over is not copied.",
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
            _enhanced("ub global", "PIPE_MTE2", "copy_enhanced_in", ("dst",)),
            _enhanced("global ub", "PIPE_MTE3", "copy_enhanced_out", ("src",)),
            _enhanced("ub ub", "PIPE_V", "copy_enhanced_local", ("dst", "src"), (NoPartialOverlap("dst", "src"),)),
            _slices("global", "ub", "PIPE_MTE3"),
            _slices("ub", "global", "PIPE_MTE2"),
            *COPIES,
            *CUBE_COPIES,
        ),
        dtypes={"T": dtypes(a2=_ALL, a5=_ALL)},
        example="asc.data_copy(x_local, x_gm, 64)",
    ),
    L1_TO_UB,
    Row(
        "data_copy_pad",
        "DataCopyPad",
        "Copies pieces of any number of bytes. On the chip each starts at a whole block, after its padding; what is "
        "left of its last block is filled with the padding value, or without padding with the piece's first element. "
        "Padding counts without a value take that of set_pad_value; before any was set they leave padding undefined: "
        "the twin writes ones to all bits.",
        forms=(
            _padded("DataCopyExtParams", "DataCopyPadExtParams T"),
            _unpadded("DataCopyExtParams"),
            _padded("DataCopyParams", "DataCopyPadParams"),
            _unpadded("DataCopyParams"),
        ),
        dtypes={"T": dtypes(a2=_ALL, a5=_ALL)},
        example="asc.data_copy_pad(x_gm, x_local, asc.DataCopyExtParams(2, 20, 0, 0, 0))",
    ),
    Row(
        "set_pad_value",
        "SetPadValue",
        "Sets what fills the padding of data_copy_pad where a copy asks for padding and gives no value. A float is "
        "float32; for tensors of other floats pass their bits as an integer.",
        forms=tuple(
            Form(
                f"padding_value: {kind}, pos: template TPosition = MAX",
                rules=(OneOf("pos", (TPosition.MAX, TPosition.VECIN, TPosition.VECOUT)),),
                text=f"AscendC::SetPadValue<{DTYPES[kind].cpp}, {{pos}}>({{padding_value}})",
            )
            for kind in ("int32", "float32")
        ),
        exactness="assumed(only set_pad_value sets it, a padding value of a copy does not)",
        example="asc.set_pad_value(7.0)\n"
        "asc.data_copy_pad(x_local, x_gm, asc.DataCopyExtParams(2, 20), "
        "asc.DataCopyPadExtParams(asc.float32, False, 0, 3))",
    ),
)
