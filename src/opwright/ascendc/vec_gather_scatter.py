"""Rows: vector calls that gather and scatter elements."""

from __future__ import annotations

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.elementwise import INT32_MAX
from opwright.ascendc.row import Dtypes, Form, Function, Row, dtypes, fewer, reads, reads_runs, writes, writes_runs
from opwright.ascendc.rules import Align, Range
from opwright.ascendc.socs import A2, A5
from opwright.ascendc.traits import GivesBack
from opwright.ascendc.type_rules import SameWidth
from opwright.ascendc.vector_rules import Apart, Lanes, Moves

TASK, SHORT = "Gather and sort", "Gather and scatter"
_WIDE = ("int16", "uint16", "float16", "bfloat16", "int32", "uint32", "float32")
_64 = ("int64", "uint64")
_GATHERED = dtypes(a2=_WIDE, a5=tuple(DTYPES), why={"int64": "this SoC gathers elements of 16 or 32 bits"})
_COUNTED = fewer(_GATHERED, *_64, why="64 bits only with a mask and repeats, on ascend950")
_IN_REPEATS = dtypes(a2=_WIDE, a5=(*_WIDE, *_64), why={"int8": "8 bits only with a count"})
_OFFSETS: Dtypes = dtypes(a2=("uint32",), a5=("uint32",))
_PATTERNS = dtypes(a2=("uint16", "uint32"), a5=("uint16", "uint32"))
_COUNT = Range("count", 0, INT32_MAX)
_NO_COUNT = dict.fromkeys(A5, "it has no such register: asc.gather_mask returns the count")
_NO_SCATTER = dict.fromkeys(A2, "it has no instruction that scatters: use set_value, or sort by place and copy")


def _aligned(*tensors: str) -> tuple[Align, ...]:
    return tuple(Align(tensor, 32) for tensor in tensors)


# Gather and scatter -------------------------------------------------------------------------------------------


def _gather(mask: str = "") -> Form:
    operands = "dst: ub T, src: ub T, src_offset: ub O, src_base: uint32"
    rules = (*_aligned("dst", "src_offset", "src"), Apart("dst", "src_offset"), Apart("dst", "src"))
    source = reads_runs("src", "opwright::at_offsets(at, src_offset_read, src_base, sizeof(T))")
    if not mask:
        return Form(
            f"{operands}, count: uint32",
            pipe="PIPE_V",
            accesses=(writes("dst"), reads("src_offset"), source),
            rules=(_COUNT, *rules),
            meaning=Function("gather"),
            dtypes={"T": _COUNTED},
        )
    lanes = "opwright::lanes_of_repeats<T>(mask, repeat_times, dst_rep_stride)"
    return Form(
        f"{operands}, mask: {mask}, repeat_times: uint8, dst_rep_stride: uint16",
        pipe="PIPE_V",
        accesses=(
            writes_runs("dst", lanes),
            reads_runs("src_offset", "opwright::offsets_of_repeats<T>(mask, repeat_times)"),
            source,
        ),
        rules=(*((Lanes("mask", ("dst",)),) if mask == "uint64" else ()), *rules),
        meaning=Function("gather_lanes"),
        dtypes={"T": _IN_REPEATS},
    )


def _scatter(mask: str = "") -> Form:
    operands = "dst: ub T, src: ub T, dst_offset: ub O, dst_base: uint32"
    rules = (*_aligned("dst", "dst_offset", "src"), Apart("dst", "src"), Apart("dst", "dst_offset"))
    target = writes_runs("dst", "opwright::at_offsets(at, dst_offset_read, dst_base, sizeof(T))")
    if not mask:
        return Form(
            f"{operands}, count: uint32",
            pipe="PIPE_V",
            accesses=(reads("src"), reads("dst_offset"), target),
            rules=(_COUNT, *rules),
            meaning=Function("scatter"),
            not_on=_NO_SCATTER,
        )
    return Form(
        f"{operands}, mask: {mask}, repeat_times: uint8, src_rep_stride: uint8",
        pipe="PIPE_V",
        accesses=(
            reads_runs("src", "opwright::lanes_of_repeats<T>(mask, repeat_times, src_rep_stride)"),
            reads_runs("dst_offset", "opwright::offsets_of_repeats<T>(mask, repeat_times)"),
            target,
        ),
        rules=(*((Lanes("mask", ("src",)),) if mask == "uint64" else ()), *rules),
        meaning=Function("scatter_lanes"),
        dtypes={"T": _IN_REPEATS},
        not_on=_NO_SCATTER,
    )


# By a pattern -------------------------------------------------------------------------------------------------

_HOW = "reduce_mode: bool, mask: uint32, params: object GatherMaskParams"
_RESERVED = "gather_mask_mode: template GatherMaskMode = DEFAULT"
_FROM = reads_runs("src0", "opwright::gathered_blocks<T>(reduce_mode, mask, params)")
_TEXT = "AscendC::GatherMask({dst}, {src0}, {src1_pattern}, {reduce_mode}, {mask}, {params}, {out})"

_STRIDES = "repeat_params.dstBlkStride, repeat_params.dstRepStride"

ROWS = (
    Row(
        "gather",
        "Gather",
        "Takes elements of src from the places that src_offset names: bytes, not elements, counted from src_base bytes "
        "behind the start of src. With a mask every repeat fills 256 bytes of dst.",
        forms=(_gather("uint64"), _gather("array uint64"), _gather()),
        dtypes={"T": _GATHERED, "O": _OFFSETS},
        exactness="assumed(the offsets of a repeat follow those of the repeat before it without a gap)",
        example="asc.gather(z_local, x_local, u_local, 0, 8)",
    ),
    Row(
        "gatherb",
        "Gatherb",
        "Takes whole blocks of 32 bytes of src0 from the places that offset names, in bytes: eight to a repeat.",
        forms=(
            Form(
                "dst: ub T, src0: ub T, offset: ub O, repeat_times: uint8, repeat_params: object GatherRepeatParams",
                pipe="PIPE_V",
                accesses=(
                    writes_runs("dst", f"opwright::whole_steps<T>(repeat_times, {_STRIDES})"),
                    reads_runs("offset", "opwright::offsets_of_blocks(repeat_times)"),
                    reads_runs("src0", "opwright::at_offsets(at, offset_read, 0, 32)"),
                ),
                rules=(
                    *_aligned("dst", "offset", "src0"),
                    Moves("repeat_params", "dst"),
                    Apart("dst", "offset"),
                    Apart("dst", "src0"),
                ),
                meaning=Function("gather_blocks"),
            ),
        ),
        dtypes={
            "T": dtypes(
                a2=("uint16", "uint32"),
                a5=tuple(DTYPES),
                why={"float32": "this SoC takes uint16 or uint32: use reinterpret_cast"},
            ),
            "O": _OFFSETS,
        },
        example="asc.gatherb(w_local, v_local, u_local, 1, asc.GatherRepeatParams(1, 8))",
    ),
    Row(
        "gather_mask",
        "GatherMask",
        "Writes the elements of src0 that a pattern chooses one after the other and returns how many there are. The "
        "pattern is a tensor of bits, or one of 7: 1 even places, 2 odd ones, 3 to 6 the first to fourth of every "
        "four, 7 all. A repeat has 256 bytes, or with reduce_mode `mask` elements.",
        forms=(
            Form(
                f"dst: ub T, src0: ub T, src1_pattern: ub U, {_HOW}, {_RESERVED}",
                pipe="PIPE_V",
                accesses=(
                    _FROM,
                    reads_runs("src1_pattern", "opwright::pattern_of<T>(reduce_mode, mask, params)"),
                    writes_runs("dst", "opwright::gathered_bytes(at, src0_read, src1_pattern_read)"),
                ),
                rules=(
                    *_aligned("dst", "src0", "src1_pattern"),
                    SameWidth("src1_pattern", "dst"),
                    Apart("dst", "src0"),
                    Apart("dst", "src1_pattern"),
                ),
                meaning=Function("gather_mask"),
                traits=(GivesBack(("uint64_t",)),),
                text=_TEXT,
            ),
            Form(
                f"dst: ub T, src0: ub T, src1_pattern: uint8, {_HOW}, {_RESERVED}",
                pipe="PIPE_V",
                accesses=(
                    _FROM,
                    writes_runs("dst", "opwright::gathered_bytes(at, src0_read, src1_pattern)"),
                ),
                rules=(Range("src1_pattern", 1, 7), *_aligned("dst", "src0"), Apart("dst", "src0")),
                meaning=Function("gather_fixed"),
                traits=(GivesBack(("uint64_t",)),),
                text=_TEXT,
            ),
        ),
        dtypes={"T": dtypes(a2=_WIDE, a5=_WIDE), "U": _PATTERNS},
        exactness="assumed(every element of a repeat is read; with reduce_mode all SoCs count as ascend910b does)",
        nonnegative=True,
        example="count = asc.gather_mask(z_local, x_local, 2, False, 0, asc.GatherMaskParams(1, 1, 0, 0))",
    ),
    Row(
        "get_gather_mask_remain_count",
        "GetGatherMaskRemainCount",
        "How many elements the last asc.gather_mask wrote.",
        forms=(Form("", meaning=Function("gathered_count"), result="int64", not_on=_NO_COUNT),),
        effect="reads",
        nonnegative=True,
        exactness="assumed(0 before the first asc.gather_mask)",
        example="asc.gather_mask(z_local, x_local, 3, False, 0, asc.GatherMaskParams(1, 1, 0, 0))\n"
        "count = asc.get_gather_mask_remain_count()",
    ),
    Row(
        "scatter",
        "Scatter",
        "Puts elements of src to the places that dst_offset names: bytes, not elements, counted from dst_base bytes "
        "behind the start of dst. What no offset names keeps its value.",
        forms=(_scatter("uint64"), _scatter("array uint64"), _scatter()),
        dtypes={"T": dtypes(a2=tuple(DTYPES), a5=tuple(DTYPES)), "O": _OFFSETS},
        exactness="assumed(of two elements for one place the later one stays; offsets of repeats follow one another)",
        example="asc.scatter(z_local, x_local, u_local, 0, 8)",
    ),
)
