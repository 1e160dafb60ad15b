"""Rows: vector calls that transpose."""

from __future__ import annotations

from opwright.ascendc.row import Form, Function, Row, dtypes, reads, reads_runs, writes, writes_runs
from opwright.ascendc.rules import Align, NoPartialOverlap
from opwright.ascendc.vector_rules import Apart, BothApart

TASK, SHORT = "Vector", "Transpose"
_16 = ("int16", "uint16", "float16")
_EXTENDED = ("int8", "uint8", *_16, "int32", "uint32", "float32")
_TYPES = dtypes(a2=_EXTENDED, a5=_EXTENDED, why={"bfloat16": "use reinterpret_cast: bits are moved, not computed with"})

_LISTED = ", ".join(f"tensor{number}: ub T" for number in range(16))
_EXAMPLE = "asc.trans_data_to_5hd(lists, others, asc.TransDataTo5HDParams())"

ROWS = (
    Row(
        "TensorList",
        "LocalTensor",
        "Sixteen local tensors, whose first blocks a call takes as the rows of a matrix.",
        forms=(
            Form(
                f"dtype: template dtype T, {_LISTED}",
                result="object TensorList T",
                text="AscendC::LocalTensor<{dtype}>",
                is_list=True,
            ),
        ),
        dtypes={"T": _TYPES},
        effect="object",
        example=f"rows = asc.TensorList(asc.float16, {', '.join(['h_local'] * 16)})",
    ),
    Row(
        "trans_data_to_5hd",
        "TransDataTo5HD",
        "Transposes blocks of 32 bytes. Of 16-bit elements block i of dst_list gets element i of each of the 16 blocks "
        "of src_list; of 8-bit ones half a block does; of 32-bit ones blocks 2 * i and 2 * i + 1 do.",
        forms=(
            Form(
                "dst_list: object TensorList T, src_list: object TensorList T, params: object TransDataTo5HDParams",
                pipe="PIPE_V",
            ),
        ),
        dtypes={"T": _TYPES},
        exactness="assumed(of a block of which half is written, the other half keeps its values)",
        example=_EXAMPLE,
    ),
    Row(
        "transpose",
        "Transpose",
        "Transposes a matrix of 16 x 16 elements of 16 bits; with params also [N,C,H,W] to [N,H,W,C] and back. The "
        "buffer of that form holds nothing of use before or after: the twin sets what is used of it to ones.",
        forms=(
            Form(
                "dst: ub T, src: ub T",
                pipe="PIPE_V",
                accesses=(writes("dst", "256"), reads("src", "256")),
                rules=(Align("dst", 32), Align("src", 32), NoPartialOverlap("dst", "src")),
                meaning=Function("transpose_matrix"),
                dtypes={"T": dtypes(a2=_16, a5=_16, why={"float32": "this form takes elements of 16 bits"})},
            ),
            Form(
                "dst: ub T, src: ub T, shared_tmp_buffer: ub B, params: object TransposeParamsExt",
                pipe="PIPE_V",
                accesses=(
                    writes_runs("dst", "opwright::transposed<T>(at, dst, src, params)"),
                    reads_runs("src", "opwright::transposed<T>(at, dst, src, params)"),
                    writes_runs("shared_tmp_buffer", "opwright::transposing_bytes<T>(params)"),
                ),
                rules=(
                    Align("dst", 32),
                    Align("src", 32),
                    Align("shared_tmp_buffer", 32),
                    NoPartialOverlap("dst", "src"),
                    Apart("shared_tmp_buffer", "src"),
                    BothApart("shared_tmp_buffer", "dst"),
                ),
                meaning=Function("transpose_extended"),
            ),
        ),
        dtypes={"T": _TYPES, "B": dtypes(a2=("uint8",), a5=("uint8",))},
        exactness="assumed(the buffer is used as far as public texts say it must reach, on every SoC)",
        example="room = asc.LocalTensor(asc.uint8, asc.TPosition.VECCALC, 8192, 4096)\n"
        "asc.transpose(z_local, x_local, room, "
        "asc.TransposeParamsExt(1, 2, 1, 8, asc.TransposeType.TRANSPOSE_NCHW2NHWC))",
    ),
)
