"""Rows: vector calls that compare, and that select by bits."""

from __future__ import annotations

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.elementwise import FLOATS, INT32_MAX, by_repeats
from opwright.ascendc.enums import CMPMODE, SelMode
from opwright.ascendc.row import (
    SET_MASK,
    Access,
    Form,
    Function,
    Row,
    dtypes,
    reads,
    reads_runs,
    steps,
    steps_by,
    writes,
    writes_runs,
)
from opwright.ascendc.rules import Align, NoPartialOverlap, Range
from opwright.ascendc.socs import A2, A5
from opwright.ascendc.type_rules import OneOf
from opwright.ascendc.vector_rules import Apart, Lanes, Moves, NoFeeding, WholeRepeats

TASK, SHORT = "Compare and select", "Comparisons and choices"
_ALL = tuple(DTYPES)
_MODE = OneOf("cmp_mode", tuple(CMPMODE), "src0", {soc: {"int32": (CMPMODE.EQ,)} for soc in A2})
_COUNT = Range("count", 0, INT32_MAX)
_ONE_OF_INT32 = {"int16": "compare float16 or float32; of integers this SoC compares int32 for equality"}
_COMPARED = dtypes(a2=(*FLOATS, "int32"), a5=_ALL, why=_ONE_OF_INT32)
_TO_REGISTER = dtypes(
    a2=(*FLOATS, "int32"),
    a5=FLOATS,
    why={**_ONE_OF_INT32, "int32": "into the register ascend950 compares float16 and float32 only: pass dst"},
)
_SELECTABLE = dtypes(a2=FLOATS, a5=_ALL)
_BITS = dtypes(a2=("uint8", "uint16", "uint32", "uint64"), a5=("uint8", "uint16", "uint32", "uint64"))
_BYTES = dtypes(a2=("uint8", "int8"), a5=("uint8", "int8"))
_REPEATS = "repeat_times: uint8, repeat_params: object"
_SELECTED = (
    "assumed(the bits of a repeat follow those of the repeat before it without a gap; the forms without a mask take "
    "every lane)"
)


def _aligned(*tensors: str) -> tuple[Align, ...]:
    return tuple(Align(tensor, 32) for tensor in tensors)


# Compare ------------------------------------------------------------------------------------------------------


def _whole(operand: str, strides: str) -> Access:
    """Every lane of every repeat: the mask means nothing to a comparison into a tensor."""
    fields = tuple(f"repeat_params.{strides}{which}Stride" for which in ("Blk", "Rep"))
    return Access(operand, False, "repeat_times", strides=fields, mask="mask", whole=True)


def _compared(second: str, params: str, meaning: str) -> tuple[Form, ...]:
    """The forms that write bits to a tensor; `second` is the parameter that src0 is compared with."""
    sources = ("src0", "src1") if second.startswith("src1: ub") else ("src0",)
    operands = f"dst: ub U, src0: ub T, {second}, cmp_mode: CMPMODE"
    rules = (*_aligned("dst", *sources), *(Apart("dst", source) for source in sources), _MODE)
    names = {source: source if len(sources) == 2 else "src" for source in sources}
    stepping = tuple(_whole(source, names[source]) for source in sources)
    return (
        Form(
            f"{operands}, count: uint32",
            pipe="PIPE_V",
            accesses=(writes_runs("dst", "opwright::bit_runs(count)"), *(reads(source) for source in sources)),
            rules=(_COUNT, WholeRepeats("count", "src0"), *rules),
            meaning=Function(meaning),
        ),
        *(
            Form(
                f"{operands}, mask: {mask}, {_REPEATS} {params}, {SET_MASK}",
                pipe="PIPE_V",
                accesses=(writes_runs("dst", "opwright::bit_runs_of(chosen, lane_count)"), *stepping),
                rules=rules,
                meaning=Function(f"{meaning}_repeats"),
                dtypes=by_repeats(_COMPARED),
            )
            for mask in ("uint64", "array uint64")
        ),
    )


def _to_register(mask: str) -> Form:
    """One repeat, into the register of comparisons."""
    return Form(
        f"src0: ub T, src1: ub T, cmp_mode: CMPMODE, mask: {mask}, repeat_params: object BinaryRepeatParams, "
        f"{SET_MASK}",
        pipe="PIPE_V",
        accesses=tuple(
            steps_by(name, False, "1", f"repeat_params.{name}BlkStride", f"repeat_params.{name}RepStride")
            for name in ("src0", "src1")
        ),
        rules=(
            *((Lanes("mask", ("src0", "src1")),) if mask == "uint64" else ()),
            *_aligned("src0", "src1"),
            _MODE,
        ),
        meaning=Function("compare_to_register"),
        dtypes={"T": _TO_REGISTER},
        needs_tpipe=dict.fromkeys(A5, "pass a dst for the bits"),
    )


# Select -------------------------------------------------------------------------------------------------------


def _selected(second: str, mask: str = "") -> Form:
    """The forms with bits in a tensor: with a count, or with a mask and repeats."""
    is_scalar = second.startswith("src1: number")
    sources = ("src0",) if is_scalar else ("src0", "src1")
    of_tensors = (SelMode.VSEL_CMPMASK_SPR, SelMode.VSEL_TENSOR_TENSOR_MODE)
    modes = (SelMode.VSEL_TENSOR_SCALAR_MODE,) if is_scalar else of_tensors
    operands = f"dst: ub T, sel_mask: ub U, src0: ub T, {second}, sel_mode: SelMode"
    rules = (*_aligned("dst", "sel_mask", *sources), OneOf("sel_mode", modes), Apart("dst", "sel_mask"))
    if not mask:
        return Form(
            f"{operands}, count: uint32",
            pipe="PIPE_V",
            accesses=(
                writes("dst"),
                reads_runs("sel_mask", "opwright::selecting_bits<T>(sel_mode, count)"),
                *(reads(source) for source in sources),
            ),
            rules=(_COUNT, *rules, *(NoPartialOverlap("dst", source) for source in sources)),
            meaning=Function("select_scalar" if is_scalar else "select_tensor"),
        )
    return Form(
        f"{operands}, mask: {mask}, {_REPEATS} BinaryRepeatParams, {SET_MASK}",
        pipe="PIPE_V",
        accesses=(
            steps("dst", True),
            reads_runs("sel_mask", "opwright::selecting_bits<T>(sel_mode, opwright::elements_of(chosen, lane_count))"),
            *(steps(source, False) for source in sources),
        ),
        rules=(
            *((Lanes("mask", ("dst", *sources)),) if mask == "uint64" else ()),
            *rules,
            Moves("repeat_params", "dst"),
            *(NoFeeding("dst", source) for source in sources),
        ),
        meaning=Function("select_scalar_repeats" if is_scalar else "select_tensor_repeats"),
        dtypes=by_repeats(_SELECTABLE),
    )


def _every_lane(operand: str, writes: bool) -> Access:
    strides = f"repeat_params.{operand}BlkStride, repeat_params.{operand}RepStride"
    return Access(operand, writes, "", runs=f"opwright::whole_steps<T>(repeat_times, {strides})")


_SCALAR = "src1: number T"
_TENSOR = "src1: ub T"
_FROM_REGISTER = (
    Form(
        f"dst: ub T, sel_mask: ub U, src0: ub T, {_REPEATS} BinaryRepeatParams",
        pipe="PIPE_V",
        accesses=(
            _every_lane("dst", True),
            reads_runs("sel_mask", "opwright::bit_runs_of_repeats<T>(repeat_times)"),
            _every_lane("src0", False),
        ),
        rules=(
            *_aligned("dst", "sel_mask", "src0"),
            Moves("repeat_params", "dst"),
            Apart("dst", "sel_mask"),
            NoFeeding("dst", "src0"),
        ),
        meaning=Function("select_number_of_register"),
        dtypes=by_repeats(_SELECTABLE),
    ),
    Form(
        f"dst: ub T, src0: ub T, src1: ub T, {_REPEATS} BinaryRepeatParams, sel_mode: template SelMode",
        pipe="PIPE_V",
        accesses=(_every_lane("dst", True), _every_lane("src0", False), _every_lane("src1", False)),
        rules=(
            *_aligned("dst", "src0", "src1"),
            OneOf("sel_mode", (SelMode.VSEL_CMPMASK_SPR,)),
            Moves("repeat_params", "dst"),
            NoFeeding("dst", "src0"),
            NoFeeding("dst", "src1"),
        ),
        meaning=Function("select_by_register"),
        text="AscendC::Select<{T}, {sel_mode}>({dst}, {src0}, {src1}, {repeat_times}, {repeat_params})",
        dtypes=by_repeats(_SELECTABLE),
    ),
)

ROWS = (
    Row(
        "compare",
        "Compare",
        "Compares two local tensors element by element and writes one bit for each: bit i % 8 of byte i / 8 is 1 if "
        "the comparison of elements i holds. Without dst one repeat is compared into the register of comparisons.",
        forms=(
            *_compared("src1: ub T", "BinaryRepeatParams", "compare"),
            _to_register("array uint64"),
            _to_register("uint64"),
        ),
        dtypes={"T": _COMPARED, "U": _BYTES},
        exactness=(
            "assumed(with dst the mask means nothing and every repeat writes all of its bits, one repeat after the "
            "other, as public texts say of ascend910b; with a count in the mask register bits of the last byte beyond "
            "it are 0; without dst lanes that the mask leaves out give 0, and of several repeats the last one counts)"
        ),
        example="asc.compare(b_local, x_local, y_local, asc.CMPMODE.LT, 64)",
    ),
    Row(
        "compare_scalar",
        "CompareScalar",
        "Compares every element of a local tensor with a number and writes one bit for each, as asc.compare does.",
        forms=_compared("src1_scalar: number T", "UnaryRepeatParams", "compare_scalar"),
        dtypes={"T": _COMPARED, "U": dtypes(a2=("uint8",), a5=("uint8",))},
        exactness="assumed(the mask means nothing, as for asc.compare)",
        example="asc.compare_scalar(b_local, x_local, 2.0, asc.CMPMODE.GE, 64)",
    ),
    Row(
        "get_cmp_mask",
        "GetCmpMask",
        "Writes the register of comparisons, 128 bits, to a local tensor.",
        forms=(
            Form(
                "dst: ub T",
                pipe="PIPE_V",
                accesses=(writes_runs("dst", "opwright::compared_bytes()"),),
                rules=(Align("dst", 16),),
                meaning=Function("get_compared"),
            ),
        ),
        dtypes={"T": dtypes(a2=_ALL, a5=_ALL)},
        example="asc.get_cmp_mask(b_local)",
    ),
    Row(
        "set_cmp_mask",
        "SetCmpMask",
        "Sets the register of comparisons from the first 16 bytes of a local tensor: bits for asc.select, or a number.",
        forms=(
            Form(
                "src: ub T",
                pipe="PIPE_V",
                accesses=(reads_runs("src", "opwright::compared_bytes()"),),
                rules=(Align("src", 16),),
                meaning=Function("set_compared"),
            ),
        ),
        dtypes={"T": dtypes(a2=_ALL, a5=_ALL)},
        example="asc.set_cmp_mask(b_local)",
    ),
    Row(
        "select",
        "Select",
        "Takes each element from src0 where its bit is 1, else from src1, a local tensor or a number. Without src1 the "
        "number is that of the register of comparisons, without sel_mask the bits are.",
        forms=(
            _selected(_SCALAR),
            _selected(_TENSOR),
            _selected(_SCALAR, "array uint64"),
            _selected(_SCALAR, "uint64"),
            _FROM_REGISTER[0],
            _selected(_TENSOR, "array uint64"),
            _selected(_TENSOR, "uint64"),
            _FROM_REGISTER[1],
        ),
        dtypes={"T": _SELECTABLE, "U": _BITS},
        exactness=_SELECTED,
        example="asc.select(z_local, b_local, x_local, y_local, asc.SelMode.VSEL_TENSOR_TENSOR_MODE, 64)",
    ),
)
