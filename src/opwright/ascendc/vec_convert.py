"""Rows: vector calls that convert element types; `casts`, what asc.cast converts on each SoC."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from opwright.ascendc.assumptions import ARITHMETIC, CASTS, INTEGERS, SMALL_FLOATS
from opwright.ascendc.elementwise import FLOATS, INT32_MAX, OVERFLOW, call_forms
from opwright.ascendc.enums import RoundMode
from opwright.ascendc.row import MASK, Dtypes, Form, Function, Row, dtypes, reads_runs, steps, writes, writes_runs
from opwright.ascendc.rules import Align, Range
from opwright.ascendc.socs import A2, A5
from opwright.ascendc.type_rules import Conversion, Pair, TypePair
from opwright.ascendc.vector_rules import Apart, Lanes, Moves, WholeBytes

TASK, SHORT = "Vector", "Convert types"
_NONE = (RoundMode.CAST_NONE,)
_FIVE = (
    RoundMode.CAST_RINT,
    RoundMode.CAST_FLOOR,
    RoundMode.CAST_CEIL,
    RoundMode.CAST_ROUND,
    RoundMode.CAST_TRUNC,
)
_SIX = (*_FIVE, *_NONE)
_RINT = (RoundMode.CAST_RINT,)
_ROUND = (RoundMode.CAST_ROUND,)

_A2_PAIRS: dict[Pair, tuple[RoundMode, ...]] = {
    ("int8", "float16"): _NONE,
    ("uint8", "float16"): _NONE,
    ("int16", "float16"): _SIX,
    ("int16", "float32"): _NONE,
    ("int32", "int16"): _NONE,
    ("int32", "float16"): _NONE,
    ("int32", "float32"): _SIX,
    ("int32", "int64"): _NONE,
    ("int64", "int32"): _NONE,
    ("int64", "float32"): _FIVE,
    ("float16", "int8"): _SIX,
    ("float16", "uint8"): _SIX,
    ("float16", "int16"): _FIVE,
    ("float16", "int32"): _FIVE,
    ("float16", "float32"): _NONE,
    ("bfloat16", "int32"): _FIVE,
    ("bfloat16", "float32"): _NONE,
    ("float32", "int16"): _FIVE,
    ("float32", "int32"): _FIVE,
    ("float32", "int64"): _FIVE,
    ("float32", "float16"): (*_FIVE, RoundMode.CAST_ODD, *_NONE),
    ("float32", "bfloat16"): _FIVE,
    ("float32", "float32"): _FIVE,
    ("int4", "float16"): _NONE,
    ("float16", "int4"): _SIX,
}
_A5_PAIRS: dict[Pair, tuple[RoundMode, ...]] = {
    **_A2_PAIRS,
    ("float16", "bfloat16"): _FIVE,
    ("bfloat16", "float16"): _FIVE,
    ("int8", "int16"): _NONE,
    ("int8", "int32"): _NONE,
    ("uint8", "uint16"): _NONE,
    ("uint8", "uint32"): _NONE,
    ("int16", "uint8"): _NONE,
    ("int16", "int32"): _NONE,
    ("int16", "uint32"): _NONE,
    ("uint16", "uint8"): _NONE,
    ("uint16", "uint32"): _NONE,
    ("int32", "uint8"): _NONE,
    ("int32", "uint16"): _NONE,
    ("uint32", "uint8"): _NONE,
    ("uint32", "int16"): _NONE,
    ("uint32", "uint16"): _NONE,
    ("float16", "hifloat8"): _ROUND,
    ("float32", "hifloat8"): _ROUND,
    ("float32", "float8_e4m3"): _RINT,
    ("float32", "float8_e5m2"): _RINT,
    ("hifloat8", "float16"): _NONE,
    ("hifloat8", "float32"): _NONE,
    ("float8_e4m3", "float32"): _NONE,
    ("float8_e5m2", "float32"): _NONE,
}
_PAIRS = {**dict.fromkeys(A2, _A2_PAIRS), **dict.fromkeys(A5, _A5_PAIRS)}


def casts(soc: str) -> Mapping[Pair, tuple[RoundMode, ...]]:
    """What asc.cast converts on a SoC: (type of the source, type of the destination) -> how it may round.

    These are the pairs of its row. Two of them do more than convert: float32 to float32 rounds to integers, and int32
    to float16 multiplies by what set_deq_scale set.
    """
    return MappingProxyType(_PAIRS[soc])


def _types(side: int) -> Dtypes:
    """The types that a pair has on one side."""
    return Dtypes({soc: tuple(dict.fromkeys(pair[side] for pair in pairs)) for soc, pairs in _PAIRS.items()})


_RELU_PAIRS = (("float16", "int8"), ("int16", "int8"), ("float32", "float16"))


def _relu_row(name: str, cpp: str, verb: str, sign: str) -> Row:
    return Row(
        name,
        cpp,
        f"{verb} two local tensors element by element, keeps what is above 0 and converts it: "
        f"dst = max(src0 {sign} src1, 0).",
        forms=call_forms(
            ["dst: ub T", "src0: ub U", "src1: ub U"],
            ("src0", "src1"),
            Function(name, by_element=True),
            more=(TypePair("dst", "src0", _RELU_PAIRS),),
        ),
        dtypes={
            "T": dtypes(a2=("int8", "float16"), a5=("int8", "float16")),
            "U": dtypes(a2=("int16", *FLOATS), a5=("int16", *FLOATS)),
        },
        exactness=(
            "assumed(the sum is rounded to the type of the sources, where integers wrap, and then to nearest even; "
            f"int8 saturates; NaN and -0 give +0; {OVERFLOW})"
        ),
        assumes=(ARITHMETIC, INTEGERS, CASTS),
        example=f"asc.{name}(h_local, x_local, y_local, 64)",
    )


_INTO = "opwright::dequantised<T, U, half_block>(chosen, repeat_params.dstBlkStride, repeat_params.dstRepStride)"
_HOW = "is_vec_deq: template bool = True, half_block: template bool = True"
_DEQ_PAIRS = (("int16", "int8"), ("int16", "uint8"), ("int32", "float16"))
_DEQ_RULES = (Align("dst", 32), Align("src", 32), Apart("dst", "src"), TypePair("dst", "src", _DEQ_PAIRS))
_DEQ_STATE = "opwright::dequant_scales<U, is_vec_deq>(at, dequant)"


def _deq_steps(mask: str) -> Form:
    return Form(
        f"dst: ub T, src: ub U, mask: {mask}, repeat_times: uint8, repeat_params: object UnaryRepeatParams, "
        f"{MASK}: template bool = True, {_HOW}",
        pipe="PIPE_V",
        accesses=(writes_runs("dst", _INTO), steps("src", False)),
        rules=(
            *([Lanes("mask", ("src",))] * (mask == "uint64")),
            Moves("repeat_params", "dst"),
            *_DEQ_RULES,
        ),
        meaning=Function("cast_deq"),
        state="dequant",
        state_touched=_DEQ_STATE,
    )


_DEQ_FORMS = (
    Form(
        f"dst: ub T, src: ub U, count: uint32, {_HOW}",
        pipe="PIPE_V",
        accesses=(
            writes_runs("dst", "opwright::dequantised_to<T, U, half_block>(at, count)"),
            reads_runs("src", "opwright::dequantised_from<U>(at, count)"),
        ),
        rules=(Range("count", 0, INT32_MAX), *_DEQ_RULES),
        meaning=Function("cast_deq_count"),
        state="dequant",
        state_touched=_DEQ_STATE,
    ),
    _deq_steps("uint64"),
    _deq_steps("array uint64"),
)

ROWS = (
    Row(
        "cast",
        "Cast",
        "Converts every element of a local tensor to another type; float32 to float32 rounds to integers, and int32 to "
        "float16 multiplies by what set_deq_scale set. Two int4 share a byte: both are converted, or none.",
        forms=tuple(
            replace(form, rules=(*form.rules, WholeBytes(which, ("dst", "src"))), state="dequant")
            for form, which in zip(
                call_forms(
                    ["dst: ub T", "src: ub U", "round_mode: RoundMode"],
                    ("src",),
                    Function("cast", by_element=True),
                    more=(Conversion("round_mode", "src", "dst", _PAIRS),),
                ),
                ("count", "mask", "mask"),
                strict=True,
            )
        ),
        dtypes={"T": _types(1), "U": _types(0)},
        exactness=(
            "assumed(integers saturate, and NaN becomes 0 there; float16, bfloat16 and hifloat8 overflow as IEEE 754 "
            "says for the rounding, and NaN stays NaN, as in arithmetic; float8_e4m3 and float8_e5m2 saturate, and NaN "
            "becomes 0; public texts disagree about float16)"
        ),
        assumes=(INTEGERS, CASTS, SMALL_FLOATS),
        example="asc.cast(h_local, x_local, asc.RoundMode.CAST_RINT, 64)",
    ),
    _relu_row("add_relu_cast", "AddReluCast", "Adds", "+"),
    _relu_row("sub_relu_cast", "SubReluCast", "Subtracts", "-"),
    Row(
        "set_deq_scale",
        "SetDeqScale",
        "Sets the scale by which the core's calls make float16 of int32; or the scale, the offset and whether results "
        "are signed, of those that make 8 bits of int16; or a tensor of 16 of these. Setting one ends the others.",
        forms=(
            Form("scale: float16", meaning=Function("set_deq_scale")),
            Form(
                "scale: float32, offset: int16, sign_mode: bool",
                rules=(Range("offset", -256, 255),),
                meaning=Function("set_deq_scale"),
            ),
            Form(
                "vdeq: ub T, vdeq_info: object VdeqInfo",
                accesses=(writes("vdeq", "16"),),
                rules=(Align("vdeq", 32),),
                meaning=Function("set_deq_scale"),
                dtypes={"T": dtypes(a2=("uint64",), a5=("uint64",))},
            ),
        ),
        exactness="assumed(a core starts with 0, which public texts leave open)",
        example="asc.set_deq_scale(0.5)",
    ),
    Row(
        "cast_deq",
        "CastDeq",
        "Scales and converts. Of int16 it is dst = src * scale + offset as 8 bits, signed or not, by what "
        "set_deq_scale set, with is_vec_deq by one of 16 scales for each element of a block; each block of src becomes "
        "half a block of dst, with half_block its second half. Of int32 it is dst = src * scale as float16.",
        forms=_DEQ_FORMS,
        dtypes={
            "T": dtypes(a2=("int8", "uint8", "float16"), a5=("int8", "uint8", "float16")),
            "U": dtypes(a2=("int16", "int32"), a5=("int16", "int32")),
        },
        exactness=(
            "assumed(one rounding, to nearest even, after the offset is added; results saturate and NaN gives 0; "
            f"signed or not is what was set, whatever dst holds; {OVERFLOW})"
        ),
        assumes=(CASTS,),
        example="asc.set_deq_scale(0.5, 3, True)\nasc.cast_deq(c_local, i_local, 64, False)",
    ),
)
