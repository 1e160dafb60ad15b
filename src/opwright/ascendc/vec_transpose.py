"""Rows: vector calls that transpose."""

from __future__ import annotations

from opwright.ascendc.cube_rules import Holds, number_in
from opwright.ascendc.enums import TransposeType
from opwright.ascendc.row import Form, Function, Row, dtypes, reads, reads_runs, writes, writes_runs
from opwright.ascendc.rules import Align, Known, NoPartialOverlap
from opwright.ascendc.traits import TensorArray
from opwright.ascendc.vector_rules import Apart, BothApart

TASK, SHORT = "Vector", "Transpose"
_16 = ("int16", "uint16", "float16")
_EXTENDED = ("int8", "uint8", *_16, "int32", "uint32", "float32")
_TYPES = dtypes(a2=_EXTENDED, a5=_EXTENDED, why={"bfloat16": "use reinterpret_cast: bits are moved, not computed with"})

_LISTED = ", ".join(f"tensor{number}: ub T" for number in range(16))
_EXAMPLE = "asc.trans_data_to_5hd(lists, others, asc.TransDataTo5HDParams())"

_IMAGES = (TransposeType.TRANSPOSE_NCHW2NHWC, TransposeType.TRANSPOSE_NHWC2NCHW)
_MATRIX_OR_NONE = (TransposeType.TRANSPOSE_ND2ND_B16, TransposeType.TRANSPOSE_TYPE_NONE)
_PLANE = "uint64_t(params.hSize) * params.wSize"
_NO_IMAGE = "!opwright::is_image(params.transposeType)"


def _kind(known: Known) -> object:
    return known.field("params", "transpose_type")


def _plane(known: Known) -> int | None:
    """The elements of a plane of an image, if they are known."""
    height, width = number_in(known, "params", "h_size"), number_in(known, "params", "w_size")
    return height * width if height is not None and width is not None and _kind(known) in _IMAGES else None


def _other_kind(known: Known) -> int | None:
    kind = _kind(known)
    return kind.value if isinstance(kind, TransposeType) and kind not in (*_IMAGES, *_MATRIX_OR_NONE) else None


def _other_matrix(known: Known) -> int | None:
    if _kind(known) is not TransposeType.TRANSPOSE_ND2ND_B16:
        return None
    height, width = number_in(known, "params", "h_size"), number_in(known, "params", "w_size")
    fits = height == 16 and width in (None, 16) and known.dtype("dst") == "uint16"
    return None if fits else height


def _too_large(known: Known) -> int | None:
    channels = number_in(known, "params", "c_size") if _kind(known) in _IMAGES else None
    return next((size for size in (channels, _plane(known)) if size is not None and size > 4095), None)


def _parts_of_blocks(known: Known) -> int | None:
    plane = _plane(known)
    return plane if plane is not None and plane * known.element_bytes("dst") % 32 else None


def _in_place(known: Known) -> int | None:
    start, sizes = known.start("dst"), [number_in(known, "params", name) for name in ("n_size", "c_size")]
    is_some = all(sizes) and _plane(known)
    return start if is_some and start is not None and start == known.start("src") else None


_TRANSPOSABLE = (
    Holds(
        "params",
        "opwright::is_image(params.transposeType) || params.transposeType == TransposeType::TRANSPOSE_ND2ND_B16 || "
        "params.transposeType == TransposeType::TRANSPOSE_TYPE_NONE",
        "params.transposeType",
        "transpose_type must be NONE, ND2ND_B16, NCHW2NHWC or NHWC2NCHW",
        "use asc.TransposeType.TRANSPOSE_NCHW2NHWC, or another of these",
        TransposeType,
        _other_kind,
    ),
    Holds(
        "params",
        "params.transposeType != TransposeType::TRANSPOSE_ND2ND_B16 || "
        "(params.hSize == 16 && params.wSize == 16 && std::is_same<T, uint16_t>::value)",
        "params.hSize",
        "a matrix has 16 x 16 elements of 16 bits",
        "pass 16 for h_size and w_size, and a tensor of uint16",
        before=_other_matrix,
    ),
    Holds(
        "params",
        f"{_NO_IMAGE} || (params.cSize <= 4095 && {_PLANE} <= 4095)",
        f"params.cSize > 4095 ? params.cSize : {_PLANE}",
        "c_size and h_size * w_size must be at most 4095",
        "transpose in parts",
        before=_too_large,
    ),
    Holds(
        "params",
        f"{_NO_IMAGE} || {_PLANE} * sizeof(T) % 32 == 0",
        _PLANE,
        "h_size * w_size elements must fill whole blocks of 32 bytes",
        "choose a multiple, and leave the rest unused",
        before=_parts_of_blocks,
    ),
    Holds(
        "dst",
        f"{_NO_IMAGE} || {_PLANE} * params.nSize * params.cSize == 0 || dst.address() != src.address()",
        "dst.address()",
        "dst must not be src",
        "use another tensor for the result",
        before=_in_place,
    ),
)

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
                traits=(TensorArray(),),
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
                    writes_runs("dst", "opwright::transposed<T>(params)"),
                    reads_runs("src", "opwright::transposed<T>(params)"),
                    writes_runs("shared_tmp_buffer", "opwright::transposing_bytes<T>(params)"),
                ),
                rules=(
                    Align("dst", 32),
                    Align("src", 32),
                    Align("shared_tmp_buffer", 32),
                    *_TRANSPOSABLE,
                    NoPartialOverlap("dst", "src"),
                    Apart("shared_tmp_buffer", "src"),
                    BothApart("shared_tmp_buffer", "dst"),
                ),
                meaning=Function("transpose_extended"),
            ),
        ),
        dtypes={"T": _TYPES, "B": dtypes(a2=("uint8",), a5=("uint8",))},
        exactness="assumed(the buffer is used as far as public texts say it must reach, on every SoC)",
        example="scratch = asc.LocalTensor(asc.uint8, asc.TPosition.VECCALC, 8192, 4096)\n"
        "asc.transpose(z_local, x_local, scratch, "
        "asc.TransposeParamsExt(1, 2, 1, 8, asc.TransposeType.TRANSPOSE_NCHW2NHWC))",
    ),
)
