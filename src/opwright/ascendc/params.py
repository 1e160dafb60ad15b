"""Rows: small structs that say how a call goes through its operands: pieces of a copy, padding, strides."""

from __future__ import annotations

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.enums import BlockMode, DeqScale, pad_t
from opwright.ascendc.row import Form, Row, dtypes
from opwright.ascendc.rules import AtMostBytes, Chosen, Range
from opwright.ascendc.type_rules import OneOf

TASK, SHORT = "Copy", "Pieces, padding, strides"
_COUNT = Range("block_count", 0, 4095)
_PADDING = "With is_pad and a padding count the value fills the padding; without a count nothing is padded."


def _row(name: str, between_blocks: str, *operands: str) -> Row:
    strides = [f"{operand}_blk_stride: {between_blocks} = 1" for operand in operands]
    strides += [f"{operand}_rep_stride: uint8 = 8" for operand in operands]
    return Row(
        name,
        name,
        "Strides of a vector call, in blocks of 32 bytes: between the blocks of a repeat, then between repeats.",
        forms=(Form(", ".join(strides), result=f"object {name}"),),
        effect="value",
        example=f"params = asc.{name}({', '.join('1' for _ in operands)}, {', '.join('8' for _ in operands)})",
    )


def _extent(field: str) -> Form:
    """Reads one extent of a shape."""
    return Form("self: object ShapeInfo, dim: uint8", result="integer", text=f"{{self}}.{field}[{{dim}}]")


ROWS = (
    Row(
        "DataCopyParams",
        "DataCopyParams",
        "Pieces of a copy: `block_count` of `block_len` blocks of 32 bytes, with gaps between them, also in blocks. "
        "For data_copy_pad block_len is in bytes, and so are the gaps in global memory.",
        forms=(
            Form(
                "block_count: uint16 = 1, block_len: uint16 = 0, src_stride: uint16 = 0, dst_stride: uint16 = 0",
                rules=(_COUNT,),
                result="object DataCopyParams",
            ),
        ),
        effect="value",
        example="asc.data_copy(x_local, x_gm, asc.DataCopyParams(2, 1, 1, 0))",
    ),
    Row(
        "DataCopyEnhancedParams",
        "DataCopyEnhancedParams",
        "What a copy does beside copying. All of it is about the matrix unit: other copies leave it as it is.",
        forms=(
            Form(
                "block_mode: BlockMode = BLOCK_MODE_NORMAL, deq_scale: DeqScale = DEQ_NONE, deq_value_in: uint64 = 0, "
                "sid_store_mode_in: uint8 = 0, is_relu_in: bool = False, pad_mode_in: pad_t = PAD_NONE, "
                "pad_value_in: uint64 = 0",
                rules=(
                    OneOf("block_mode", (BlockMode.BLOCK_MODE_NORMAL,)),
                    OneOf("deq_scale", (DeqScale.DEQ_NONE,)),
                    Chosen("is_relu_in", 0, "only the matrix unit does more; it comes later"),
                    OneOf("pad_mode_in", (pad_t.PAD_NONE,)),
                ),
                result="object DataCopyEnhancedParams",
            ),
        ),
        effect="value",
        example="asc.data_copy(x_local, x_gm, asc.DataCopyParams(2, 1, 1, 0), asc.DataCopyEnhancedParams())",
    ),
    Row(
        "SliceInfo",
        "SliceInfo",
        "The part of one dimension that a copy moves: from start_index to end_index, both of them inside, with stride "
        "elements between two pieces. A piece has burst_len blocks of 32 bytes; in all but the innermost dimension it "
        "is one row, and burst_len is 1. shape_value is the length of the whole dimension.",
        forms=(
            Form(
                "start_index: uint32 = 0, end_index: uint32 = 31, stride: uint32 = 0, burst_len: uint32 = 32, "
                "shape_value: uint32 = 0",
                result="object SliceInfo",
            ),
        ),
        effect="value",
        example="asc.data_copy(x_local, x_gm, [asc.SliceInfo(0, 15, 0, 1, 16)], [asc.SliceInfo(8, 31, 8, 1, 64)], 1)",
    ),
    Row(
        "DataCopyExtParams",
        "DataCopyExtParams",
        "Pieces of a copy: `block_count` of `block_len` bytes, with gaps between them: in bytes in global memory, in "
        "blocks of 32 bytes on the chip. rsv means nothing. ascend950 itself takes gaps of 64 bits, negative ones too; "
        "here they are as on ascend910b.",
        forms=(
            Form(
                "block_count: uint16 = 1, block_len: uint32 = 0, src_stride: uint32 = 0, dst_stride: uint32 = 0, "
                "rsv: uint32 = 0",
                rules=(_COUNT, Range("block_len", 0, (1 << 21) - 1)),
                result="object DataCopyExtParams",
            ),
        ),
        effect="value",
        example="asc.data_copy_pad(x_gm, x_local, asc.DataCopyExtParams(2, 20, 0, 4, 0))",
    ),
    Row(
        "DataCopyPadParams",
        "DataCopyPadParams",
        f"Padding of each piece, in elements, of at most 32 bytes on a side. {_PADDING} The value is its bits.",
        forms=(
            Form(
                "is_pad: bool = False, left_padding: uint8 = 0, right_padding: uint8 = 0, padding_value: uint64 = 0",
                result="object DataCopyPadParams",
            ),
        ),
        effect="value",
        exactness="assumed(padding_value holds the bits of an element)",
        example="asc.data_copy_pad(x_local, x_gm, asc.DataCopyParams(2, 20), asc.DataCopyPadParams(True, 0, 3, 0))",
    ),
    Row(
        "DataCopyPadExtParams",
        "DataCopyPadExtParams",
        f"Padding of each piece, in elements of `dtype`, of at most 32 bytes on a side. {_PADDING}",
        forms=(
            Form(
                "dtype: template dtype T, is_pad: bool = False, left_padding: uint8 = 0, right_padding: uint8 = 0, "
                "padding_value: number T = 0",
                rules=(AtMostBytes("left_padding", "dtype", 32), AtMostBytes("right_padding", "dtype", 32)),
                result="object DataCopyPadExtParams T",
            ),
        ),
        dtypes={"T": dtypes(a2=tuple(DTYPES), a5=tuple(DTYPES))},
        effect="value",
        example="asc.data_copy_pad(x_local, x_gm, asc.DataCopyExtParams(2, 20), "
        "asc.DataCopyPadExtParams(asc.float32, True, 0, 3, -1.0))",
    ),
    Row(
        "GatherRepeatParams",
        "GatherRepeatParams",
        "Strides of asc.gatherb, in blocks of 32 bytes: between the blocks of a repeat, then between repeats.",
        forms=(Form("dst_blk_stride: uint8 = 1, dst_rep_stride: uint16 = 8", result="object GatherRepeatParams"),),
        effect="value",
        example="asc.gatherb(w_local, v_local, u_local, 1, asc.GatherRepeatParams(1, 8))",
    ),
    Row(
        "GatherMaskParams",
        "GatherMaskParams",
        "How asc.gather_mask goes through src0, in blocks of 32 bytes: between the blocks of a repeat, how many "
        "repeats, between repeats; then from the pattern of one repeat to that of the next.",
        forms=(
            Form(
                "src0_block_stride: uint8 = 1, repeat_times: uint16 = 1, src0_repeat_stride: uint16 = 0, "
                "src1_repeat_stride: uint8 = 0",
                result="object GatherMaskParams",
            ),
        ),
        effect="value",
        example="asc.gather_mask(z_local, x_local, 1, False, 0, asc.GatherMaskParams(1, 2, 8, 0))",
    ),
    Row(
        "TransDataTo5HDParams",
        "TransDataTo5HDParams",
        "How asc.trans_data_to_5hd goes on: of 8-bit elements which half of a block is written and read; how many "
        "repeats; and from one to the next, in blocks of 32 bytes. A single repeat starts one step further on.",
        forms=(
            Form(
                "dst_high_half: bool = False, src_high_half: bool = False, repeat_times: uint8 = 1, "
                "dst_rep_stride: uint16 = 0, src_rep_stride: uint16 = 0",
                result="object TransDataTo5HDParams",
            ),
        ),
        effect="value",
        example="asc.trans_data_to_5hd(lists, others, asc.TransDataTo5HDParams(False, False, 1, 0, 0))",
    ),
    Row(
        "TransposeParamsExt",
        "TransposeParamsExt",
        "The shape and the kind of a transposition. A matrix of 16 x 16 has h_size and w_size 16.",
        forms=(
            Form(
                "n_size: uint16 = 0, c_size: uint16 = 0, h_size: uint16 = 0, w_size: uint16 = 0, "
                "transpose_type: TransposeType = TRANSPOSE_ND2ND_B16",
                result="object TransposeParamsExt",
            ),
        ),
        effect="value",
        example="scratch = asc.LocalTensor(asc.uint8, asc.TPosition.VECCALC, 8192, 4096)\n"
        "asc.transpose(z_local, x_local, scratch, "
        "asc.TransposeParamsExt(1, 2, 1, 8, asc.TransposeType.TRANSPOSE_NHWC2NCHW))",
    ),
    Row(
        "ShapeInfo",
        "ShapeInfo",
        "The extents of a tensor, what they were before padding or reordering, and how its elements lie: a note that a "
        "tensor can carry. No call looks at it. Without original_shape that is the shape.",
        forms=(
            Form("shape: array uint32 any", result="object ShapeInfo"),
            Form("shape: array uint32 any, data_format: DataFormat", result="object ShapeInfo"),
            Form(
                "shape: array uint32 any, original_shape: array uint32 any, data_format: DataFormat = ND",
                result="object ShapeInfo",
            ),
            Form("", result="object ShapeInfo"),
        ),
        effect="value",
        exactness="assumed(an empty one has no dimensions)",
        example="shape_info = asc.ShapeInfo([8, 16])\nx_local.set_shape_info(shape_info)",
    ),
    Row(
        "ShapeInfo.shape",
        "shape",
        "The extent of dimension `dim`, from 0.",
        forms=(_extent("shape"),),
        effect="value",
        nonnegative=True,
        example="number = asc.ShapeInfo([8, 16]).shape(1)",
    ),
    Row(
        "ShapeInfo.original_shape",
        "originalShape",
        "The extent that dimension `dim` had before padding or reordering.",
        forms=(_extent("originalShape"),),
        effect="value",
        nonnegative=True,
        example="number = asc.ShapeInfo([8, 16], [5, 16]).original_shape(0)",
    ),
    Row(
        "get_shape_size",
        "GetShapeSize",
        "How many elements a shape has: the product of its extents.",
        forms=(Form("shape_info: object ShapeInfo", result="integer"),),
        effect="value",
        nonnegative=True,
        exactness="assumed(a shape without dimensions has 1 element)",
        example="number = asc.get_shape_size(asc.ShapeInfo([8, 16]))",
    ),
    Row(
        "VdeqInfo",
        "VdeqInfo",
        "Scales, offsets and whether results are signed, of the 16 elements of a block; those that are not given are "
        "0. An offset has 9 bits.",
        forms=(
            Form(
                "scale: array float32 16, offset: array int16 16, sign_mode: array bool 16",
                result="object VdeqInfo",
            ),
        ),
        effect="value",
        example="scales = asc.LocalTensor(asc.uint64, asc.TPosition.VECCALC, 8192, 16)\n"
        "asc.set_deq_scale(scales, asc.VdeqInfo([0.5, 2.0], [1, 0], [True, True]))\n"
        "asc.cast_deq(c_local, i_local, 64)",
    ),
    _row("UnaryRepeatParams", "uint16", "dst", "src"),
    _row("BinaryRepeatParams", "uint8", "dst", "src0", "src1"),
    Row(
        "BrcbRepeatParams",
        "BrcbRepeatParams",
        "Strides of brcb, in blocks of 32 bytes: between the blocks of a repeat, then between repeats.",
        forms=(Form("dst_blk_stride: uint16 = 1, dst_rep_stride: uint16 = 8", result="object BrcbRepeatParams"),),
        effect="value",
        example="asc.brcb(z_local, x_local, 1, asc.BrcbRepeatParams(1, 8))",
    ),
    Row(
        "CopyRepeatParams",
        "CopyRepeatParams",
        "Strides of copy, in blocks of 32 bytes: between the blocks of a repeat, then between repeats.",
        forms=(
            Form(
                "dst_stride: uint16 = 0, src_stride: uint16 = 0, dst_repeat_size: uint16 = 0, "
                "src_repeat_size: uint16 = 0",
                result="object CopyRepeatParams",
            ),
        ),
        effect="value",
        example="asc.copy(z_local, x_local, 64, 2, asc.CopyRepeatParams(1, 1, 8, 8))",
    ),
    Row(
        "CheckLocalMemoryIAParam",
        "CheckLocalMemoryIAParam",
        "Which of four watches it is, what it watches, in blocks of 32 bytes of the unified buffer up to before "
        "`end_addr`, for which accesses, and whether it is on.",
        forms=(
            Form(
                "enable_bit: uint8 = 0, start_addr: uint32 = 0, end_addr: uint32 = 0, is_scalar_read: bool = False, "
                "is_scalar_write: bool = False, is_vector_read: bool = False, is_vector_write: bool = False, "
                "is_mte_read: bool = False, is_mte_write: bool = False, is_enable: bool = False",
                rules=(
                    Range("enable_bit", 0, 3),
                    Range("start_addr", 0, 65535),
                    Range("end_addr", 0, 65535),
                ),
                result="object CheckLocalMemoryIAParam",
            ),
        ),
        effect="value",
        exactness="assumed(addresses count blocks of 32 bytes)",
        example="asc.check_local_memory_ia(asc.CheckLocalMemoryIAParam(0, 64, 128, is_mte_write=True, is_enable=True))",
    ),
)
