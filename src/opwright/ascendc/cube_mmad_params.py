"""Rows: structs that say what a product of the matrix unit does, and what becomes of its result."""

from __future__ import annotations

from opwright.ascendc.cube_rules import Holds, OnlyWith
from opwright.ascendc.enums import CO2Layout
from opwright.ascendc.row import Form, Row
from opwright.ascendc.rules import OneNumberOf, Range, Rule
from opwright.ascendc.socs import A2
from opwright.ascendc.traits import SetsFields
from opwright.ascendc.type_rules import Never, OneOf

TASK, SHORT = "Cube", "Structs of products"
_SIDES = "m: uint16 = 0, n: uint16 = 0, k: uint16 = 0"
_UNIT = OneNumberOf("unit_flag", (0, 2, 3))
_PRODUCT = (Range("m", 0, 4095), Range("n", 0, 4095), Range("k", 0, 4095))
_GEMV = Never("disable_gemv", True, A2, "leave it out: there an fm of one row has no fractals")
_STARTS = "unit_flag: uint8 = 0, cmatrix_source: predicate = False, cmatrix_init_val: predicate = True"
_STRIDE = Range("dst_stride", 1, (1 << 32) - 1)
_RESULT = (Range("n_size", 0, 4095), _STRIDE)
_SIZES = "n_size: uint16, m_size: uint16, src_stride: uint16, dst_stride: uint32"
_STRIDES = (
    "src_stride is from one column of fractals of L0C to the next, in rows of 16. dst_stride is that of the "
    "destination: of rows in elements; of fractals in blocks of 32 bytes, on ascend950 in elements"
)

_ROWS_ONLY = tuple(
    OnlyWith(name, default, "layout", CO2Layout.ROW_MAJOR)
    for name, default in (("nd_num", 1), ("src_nd_stride", 0), ("dst_nd_stride", 0))
)


def unit_flag_of(params: str) -> Holds:
    """What calls test that take a unit flag."""
    return Holds(
        params,
        f"{params}.unitFlag != 1 && {params}.unitFlag <= 3",
        f"{params}.unitFlag",
        f"unit_flag of {params} must be 0, 2 or 3",
        "pass 3 in the last product and in the copy, 2 in products before, or 0 everywhere",
    )


def _of_3510(
    layouts: tuple[CO2Layout, ...], more: str, fields: dict[str, str], needed: str = "", rules: tuple[Rule, ...] = ()
) -> Form:
    """The parameters of some layouts on ascend950: fields that no constructor has are set one by one."""
    return Form(
        f"layout: template CO2Layout, {_SIZES}, {needed}quant_pre: QuantModes = NoQuant, deq_scalar: uint64 = 0, "
        "relu_en: bool = False, unit_flag: uint8 = 0, dual_dst_ctl: uint8 = 0, sub_block_id: predicate = False, "
        f"is_channel_split: bool = False, {more}",
        rules=(*_RESULT, _UNIT, Range("dual_dst_ctl", 0, 2), OneOf("layout", layouts), *rules),
        result="object FixpipeParamsArch3510",
        text="AscendC::FixpipeParamsArch3510<{layout}>",
        traits=(
            SetsFields(
                {
                    "quant_pre": "quantPre",
                    "deq_scalar": "deqScalar",
                    "relu_en": "reluEn",
                    "unit_flag": "unitFlag",
                    "dual_dst_ctl": "dualDstCtl",
                    "sub_block_id": "subBlockId",
                    "is_channel_split": "isChannelSplit",
                    **{name: f"params.{field}" for name, field in fields.items()},
                },
                always=("deq_scalar",),
            ),
        ),
        not_on=dict.fromkeys(A2, "asc.FixpipeParamsV220 serves it"),
    )


ROWS = (
    Row(
        "MmadParams",
        "MmadParams",
        "The sides of a product, m x k times k x n, and what its sums start from: from 0 with cmatrix_init_val; "
        "otherwise from what is in dst, or with cmatrix_source from the bias. is_bias is an older way to start from "
        "what is in dst; fm_offset, en_ssparse and the two about winograd mean nothing any more. unit_flag 2 and 3 let "
        "asc.mmad and asc.fixpipe hand parts of L0C to each other: 3 in the last product and in the copy, 2 before. "
        "k_direction_align says that rows of fractals of a float32 fm hold a multiple of 16 columns "
        "(not on ascend950), disable_gemv that an fm of one row is in fractals, too (on ascend950).",
        forms=(
            Form(
                f"{_SIDES}, is_bias: bool = False, fm_offset: int32 = 0, en_ssparse: bool = False, "
                "en_winograd_a: bool = False, en_winograd_b: bool = False",
                rules=_PRODUCT,
                result="object MmadParams",
            ),
            Form(f"{_SIDES}, {_STARTS}", rules=(*_PRODUCT, _UNIT), result="object MmadParams"),
            Form(
                f"{_SIDES}, {_STARTS}, k_direction_align: bool = False, disable_gemv: bool = False",
                rules=(*_PRODUCT, _UNIT, _GEMV),
                result="object MmadParams",
                traits=(SetsFields({"k_direction_align": "kDirectionAlign", "disable_gemv": "disableGemv"}),),
            ),
        ),
        effect="value",
        example="asc.mmad(x_l0c, h_l0a, r_l0b, asc.MmadParams(16, 16, 16, cmatrix_init_val=False))",
    ),
    Row(
        "FixpipeParamsV220",
        "FixpipeParamsV220",
        f"What asc.fixpipe moves, m_size rows of n_size columns, and how. {_STRIDES}. quant_pre is the conversion, "
        "and deq_scalar its word: bits 0 to 31 a float32 scale, whose last 13 bits do not count; of integers 32 to 35 "
        "a shift less 1, if bit 36 is set; 37 to 45 an offset with a sign; bit 46 says that the result is int8, not "
        "uint8. As rows, nd_num matrices follow one another: src_nd_stride is in 1024 bytes, on ascend950 in rows of "
        "16, dst_nd_stride in elements. is_channel_split makes fractals of 8 columns of float32.",
        forms=(
            Form(
                f"{_SIZES}, quant_pre: QuantModes = NoQuant, deq_scalar: uint64 = 0, nd_num: uint16 = 1, "
                "src_nd_stride: uint16 = 0, dst_nd_stride: uint16 = 0, relu_en: bool = False, unit_flag: uint8 = 0, "
                "is_channel_split: bool = False",
                rules=(*_RESULT, _UNIT),
                result="object FixpipeParamsV220",
                order=(
                    "n_size",
                    "m_size",
                    "src_stride",
                    "dst_stride",
                    "relu_en",
                    "quant_pre",
                    "deq_scalar",
                    "nd_num",
                    "src_nd_stride",
                    "dst_nd_stride",
                    "unit_flag",
                    "is_channel_split",
                ),
            ),
        ),
        effect="value",
        exactness="assumed(on ascend950 strides count as those of asc.FixpipeParamsArch3510 do)",
        example="asc.fixpipe(s_gm, y_l0c, asc.FixpipeParamsV220(8, 8, 16, 8, asc.QuantModes.F322F16))",
    ),
    Row(
        "FixpipeParamsArch3510",
        "FixpipeParamsArch",
        "The parameters of asc.fixpipe on ascend950, for one layout. Strides count elements, in L0C rows of 16. "
        "As rows, nd_num matrices follow one another; as columns dn_num, and src_c0_stride, from one row of L0C to the "
        "next, is normally 1. To the memory of vector cores sub_block_id chooses one of two; with dual_dst_ctl 1 each "
        "of them gets half of the rows, with 2 half of the columns.",
        forms=(
            _of_3510(
                (CO2Layout.NZ, CO2Layout.ROW_MAJOR),
                "nd_num: uint16 = 1, src_nd_stride: uint16 = 0, dst_nd_stride: uint32 = 0",
                {"nd_num": "ndNum", "src_nd_stride": "srcNdStride", "dst_nd_stride": "dstNdStride"},
                rules=_ROWS_ONLY,
            ),
            _of_3510(
                (CO2Layout.COLUMN_MAJOR,),
                "dn_num: uint16 = 1, src_matrix_stride: uint16 = 0, dst_matrix_stride: uint32 = 0",
                {
                    "src_c0_stride": "srcNzC0Stride",
                    "dn_num": "dnNum",
                    "src_matrix_stride": "srcNzMatrixStride",
                    "dst_matrix_stride": "dstDnMatrixStride",
                },
                needed="src_c0_stride: uint16, ",
            ),
        ),
        effect="value",
        exactness="assumed(m_size and n_size are those of both halves)",
        example="asc.fixpipe(x_gm, y_l0c, asc.FixpipeParamsArch3510(asc.CO2Layout.ROW_MAJOR, 8, 8, 16, 8))",
    ),
    Row(
        "DataCopyCO12DstParams",
        "DataCopyCO12DstParams",
        f"What asc.data_copy moves out of L0C, m_size rows of n_size columns, and how. {_STRIDES}. quant_pre is the "
        "conversion; its word is that of asc.set_fix_pipe_pre_quant_flag, or of modes with V those that "
        "asc.set_fix_pipe_config named. With nz2nd_en the result is rows, of as many matrices as "
        "asc.set_fixpipe_nz2nd_flag said. channel_split makes fractals of 8 columns of float32.",
        forms=(
            Form(
                "n_size: uint16, m_size: uint16, dst_stride: uint32, src_stride: uint16, "
                "quant_pre: QuantModes = NoQuant, relu_pre: uint8 = 0, channel_split: bool = False, "
                "nz2nd_en: bool = False",
                rules=(*_RESULT, Range("relu_pre", 0, 1)),
                result="object DataCopyCO12DstParams",
            ),
        ),
        effect="value",
        example="asc.data_copy(s_gm, y_l0c, asc.DataCopyCO12DstParams(16, 8, 8, 16, asc.QuantModes.F322F16))",
    ),
)
