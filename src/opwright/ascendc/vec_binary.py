"""Rows: vector calls with two sources."""

from __future__ import annotations

from dataclasses import replace

from opwright.ascendc.assumptions import ARITHMETIC, INTEGERS, SUBNORMALS
from opwright.ascendc.elementwise import (
    A2_ARITHMETIC,
    FLOATS,
    FUSED,
    FUSED_ASSUMED,
    INT64S,
    NEVER_BFLOAT16,
    NO_BFLOAT16,
    OVERFLOW,
    OVERFLOW_ASSUMED,
    ROUNDED,
    call_forms,
    forms,
)
from opwright.ascendc.row import Dtypes, Form, Function, Row, dtypes, reads_runs, writes_runs
from opwright.ascendc.rules import Align, Range
from opwright.ascendc.vector_rules import Apart, BothApart, Lanes

TASK, SHORT = "Vector", "Two sources"
_SUMS = dtypes(
    a2=A2_ARITHMETIC,
    a5=(*A2_ARITHMETIC, "int8", "uint8", "uint16", "bfloat16", "uint32", *INT64S),
    why=NO_BFLOAT16,
)
_PRODUCTS = dtypes(a2=A2_ARITHMETIC, a5=(*A2_ARITHMETIC, "uint16", "bfloat16", "uint32", *INT64S), why=NO_BFLOAT16)
_RELUS = dtypes(
    a2=("int16", *FLOATS),
    a5=("int16", *FLOATS, *INT64S),
    why={**NEVER_BFLOAT16, "int32": "this call has no int32: use asc.add or asc.sub, then asc.relu"},
)
_FUSED = dtypes(a2=FLOATS, a5=(*FLOATS, "bfloat16", *INT64S), why=NO_BFLOAT16)
_FLOATS = dtypes(a2=FLOATS, a5=FLOATS, why=NEVER_BFLOAT16)
_INTO = dtypes(a2=FLOATS, a5=(*FLOATS, *INT64S), why=NEVER_BFLOAT16)
_BITS = dtypes(a2=("int16", "uint16"), a5=("int16", "uint16", "int8", "uint8", "int32", "uint32", *INT64S))
_RELUS_ASSUMED = f"assumed(integers wrap before they are compared with 0; NaN and -0 give +0; {OVERFLOW})"


def _forms(each: str, kinds: Dtypes, feeds: str = "") -> tuple[Form, ...]:
    return forms(each, "src0", "src1", kinds=kinds, feeds=feeds, counts_by_register=True)


_TURNS = "h_repeat, v_repeat, repeat_mode"
_ONLY_HALF = dtypes(a2=("float16",), a5=("float16",), why={"float32": "this call takes float16 only"})


def _interpolation(mask: str) -> Form:
    """Weighted sums of blocks that offsets name."""
    tensors = ("dst", "src0", "src0_offset", "src1", "shared_tmp_buffer")
    return Form(
        f"dst: ub T, src0: ub T, src0_offset: ub O, src1: ub T, mask: {mask}, h_repeat: uint8, repeat_mode: bool, "
        "dst_blk_stride: uint16, v_r_offset: uint16, v_repeat: uint8, shared_tmp_buffer: ub B",
        pipe="PIPE_V",
        accesses=(
            writes_runs("dst", "opwright::interpolated<T>(mask, v_repeat, dst_blk_stride, v_r_offset)"),
            reads_runs("src0_offset", "opwright::interpolated_offsets(h_repeat, v_repeat)"),
            reads_runs("src0", "opwright::at_offsets(at, src0_offset_read, 0, 32)"),
            reads_runs("src1", f"opwright::interpolated_weights<T>({_TURNS})"),
            writes_runs("shared_tmp_buffer", f"opwright::interpolating_bytes({_TURNS})"),
        ),
        rules=(
            *([Lanes("mask", ("dst",))] * (mask == "uint64")),
            Range("h_repeat", 1, 255),
            Range("v_repeat", 1, 255),
            Range("dst_blk_stride", 1, 65535),
            Range("v_r_offset", 128, 65534),
            *(Align(name, 32) for name in tensors),
            *(Apart(written, read) for written in (tensors[0], tensors[-1]) for read in tensors[1:-1]),
            BothApart(tensors[0], tensors[-1]),
        ),
        meaning=Function("interpolate"),
    )


ROWS = (
    Row(
        "add",
        "Add",
        "Adds two local tensors element by element: dst = src0 + src1. Integers wrap.",
        forms=_forms("src0 + src1", _SUMS, feeds="src1"),
        dtypes={"T": _SUMS},
        exactness=OVERFLOW_ASSUMED,
        assumes=(ARITHMETIC,),
        example="asc.add(z_local, x_local, y_local, 64)",
    ),
    Row(
        "sub",
        "Sub",
        "Subtracts two local tensors element by element: dst = src0 - src1. Integers wrap.",
        forms=_forms("src0 - src1", _SUMS, feeds="src1"),
        dtypes={"T": _SUMS},
        exactness=OVERFLOW_ASSUMED,
        assumes=(ARITHMETIC,),
        example="asc.sub(z_local, x_local, y_local, 64)",
    ),
    Row(
        "mul",
        "Mul",
        "Multiplies two local tensors element by element: dst = src0 * src1. Integers wrap.",
        forms=_forms("src0 * src1", _PRODUCTS, feeds="src1"),
        dtypes={"T": _PRODUCTS},
        exactness=OVERFLOW_ASSUMED,
        assumes=(ARITHMETIC,),
        example="asc.mul(z_local, x_local, y_local, 64)",
    ),
    Row(
        "div",
        "Div",
        "Divides two local tensors element by element: dst = src0 / src1. A division by 0 gives infinity or NaN.",
        forms=_forms("opwright::flushing<T>([](float a, float b) { return a / b; }, src0, src1)", _FLOATS),
        dtypes={"T": _FLOATS},
        exactness=f"assumed({ROUNDED}; {OVERFLOW})",
        assumes=(ARITHMETIC, SUBNORMALS),
        example="asc.div(z_local, x_local, y_local, 64)",
    ),
    Row(
        "max",
        "Max",
        "Takes the greater of two local tensors element by element: dst = src0 > src1 ? src0 : src1.",
        forms=_forms("opwright::maximum(src0, src1)", _SUMS, feeds="src1"),
        dtypes={"T": _SUMS},
        exactness="assumed(src1 where either is NaN, and where both are zeros of whatever sign)",
        assumes=(ARITHMETIC,),
        example="asc.max(z_local, x_local, y_local, 64)",
    ),
    Row(
        "min",
        "Min",
        "Takes the smaller of two local tensors element by element: dst = src0 < src1 ? src0 : src1.",
        forms=_forms("opwright::minimum(src0, src1)", _SUMS, feeds="src1"),
        dtypes={"T": _SUMS},
        exactness="assumed(src1 where either is NaN, and where both are zeros of whatever sign)",
        assumes=(ARITHMETIC,),
        example="asc.min(z_local, x_local, y_local, 64)",
    ),
    Row(
        "bitwise_and",
        "And",
        "Combines two local tensors bit by bit: dst = src0 & src1.",
        forms=_forms("src0 & src1", _BITS),
        dtypes={"T": _BITS},
        example="asc.bitwise_and(k_local, i_local, j_local, 64)",
    ),
    Row(
        "bitwise_or",
        "Or",
        "Combines two local tensors bit by bit: dst = src0 | src1.",
        forms=_forms("src0 | src1", _BITS),
        dtypes={"T": _BITS},
        example="asc.bitwise_or(k_local, i_local, j_local, 64)",
    ),
    Row(
        "add_relu",
        "AddRelu",
        "Adds two local tensors element by element and keeps what is above 0: dst = max(src0 + src1, 0).",
        forms=_forms("opwright::add_relu(src0, src1)", _RELUS, feeds="src1"),
        dtypes={"T": _RELUS},
        exactness=_RELUS_ASSUMED,
        assumes=(ARITHMETIC,),
        example="asc.add_relu(z_local, x_local, y_local, 64)",
    ),
    Row(
        "sub_relu",
        "SubRelu",
        "Subtracts two local tensors element by element and keeps what is above 0: dst = max(src0 - src1, 0).",
        forms=_forms("opwright::sub_relu(src0, src1)", _RELUS, feeds="src1"),
        dtypes={"T": _RELUS},
        exactness=_RELUS_ASSUMED,
        assumes=(ARITHMETIC,),
        example="asc.sub_relu(z_local, x_local, y_local, 64)",
    ),
    Row(
        "mul_add_dst",
        "MulAddDst",
        "Adds the products of two local tensors to what a third holds: dst = src0 * src1 + dst. Integers wrap.",
        forms=(
            *forms(
                "opwright::fused(src0, src1, dst)",
                "src0",
                "src1",
                kinds=_INTO,
                into=True,
                counts_by_register=True,
                types=("T", "T"),
            ),
            *forms("opwright::fused(src0, src1, dst)", "src0", "src1", into=True, narrow=True, counts_by_register=True),
        ),
        dtypes={"T": _INTO},
        exactness=FUSED_ASSUMED,
        assumes=(ARITHMETIC,),
        example="asc.mul_add_dst(z_local, x_local, y_local, 64)",
    ),
    Row(
        "fused_mul_add",
        "FusedMulAdd",
        "Multiplies a local tensor by another and adds a third: dst = src0 * dst + src1. Integers wrap.",
        forms=forms(
            "opwright::fused(src0, dst, src1)", "src0", "src1", kinds=_FUSED, into=True, counts_by_register=True
        ),
        dtypes={"T": _FUSED},
        exactness=FUSED_ASSUMED,
        assumes=(ARITHMETIC,),
        example="asc.fused_mul_add(z_local, x_local, y_local, 64)",
    ),
    Row(
        "fused_mul_add_relu",
        "FusedMulAddRelu",
        "Multiplies, adds and keeps what is above 0: dst = max(src0 * dst + src1, 0). Integers wrap first.",
        forms=forms(
            "opwright::fused_relu(src0, dst, src1)", "src0", "src1", kinds=_INTO, into=True, counts_by_register=True
        ),
        dtypes={"T": _INTO},
        exactness=f"assumed({FUSED}; NaN and -0 give +0)",
        assumes=(ARITHMETIC,),
        example="asc.fused_mul_add_relu(z_local, x_local, y_local, 64)",
    ),
    Row(
        "mul_cast",
        "MulCast",
        "Multiplies two local tensors element by element and converts the products to integers: dst = src0 * src1.",
        forms=call_forms(
            ["dst: ub T", "src0: ub U", "src1: ub U"], ("src0", "src1"), Function("mul_cast", by_element=True)
        ),
        dtypes={
            "T": dtypes(a2=("int8", "uint8"), a5=("int8", "uint8")),
            "U": dtypes(a2=("float16",), a5=("float16",)),
        },
        exactness="assumed(products are rounded to float16, then to nearest even; integers saturate, NaN gives 0)",
        assumes=(ARITHMETIC, INTEGERS),
        example="asc.mul_cast(c_local, h_local, h_local, 64)",
    ),
    Row(
        "add_deq_relu",
        "AddDeqRelu",
        "Adds two local tensors element by element, multiplies the sums by what set_deq_scale set and keeps what is "
        "above 0: dst = max((src0 + src1) * scale, 0). Sums wrap.",
        forms=tuple(
            replace(form, state="dequant")
            for form in call_forms(
                ["dst: ub T", "src0: ub U", "src1: ub U"],
                ("src0", "src1"),
                Function("add_deq_relu", by_element=True),
                counts_by_register=True,
            )
        ),
        dtypes={
            "T": dtypes(a2=("float16",), a5=("float16",)),
            "U": dtypes(a2=("int32",), a5=("int32",)),
        },
        exactness=f"assumed(one rounding, at the end; {OVERFLOW})",
        assumes=(ARITHMETIC,),
        example="asc.add_deq_relu(h_local, m_local, n_local, 64)",
    ),
    Row(
        "bilinear_interpolation",
        "BilinearInterpolation",
        "Adds up weighted blocks of 32 bytes. Each iteration takes eight blocks of src0 from the places that "
        "src0_offset names, in bytes, and multiplies them by one element of src1, or with repeat_mode by one of eight "
        "each; h_repeat iterations are added; v_repeat sums are v_r_offset elements apart. The buffer holds nothing of "
        "use before or after: the twin sets what is used of it to ones.",
        forms=(_interpolation("uint64"), _interpolation("array uint64")),
        dtypes={
            "T": _ONLY_HALF,
            "O": dtypes(a2=("uint32",), a5=("uint32",)),
            "B": dtypes(a2=("uint8",), a5=("uint8",)),
        },
        exactness="assumed(every product and every sum is rounded to float16, one iteration after the other; "
        "v_r_offset is "
        f"rounded down to whole blocks; the buffer is used on every SoC; {OVERFLOW})",
        assumes=(ARITHMETIC,),
        example="scratch = asc.LocalTensor(asc.uint8, asc.TPosition.VECCALC, 8192, 4096)\n"
        "asc.bilinear_interpolation(h_local, r_local, u_local, s_local, 128, 1, True, 1, 128, 1, scratch)",
    ),
)
