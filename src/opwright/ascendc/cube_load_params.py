"""Rows: structs that say what loads and copies of the matrix unit move."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from opwright.ascendc.row import Form, Row, dtypes
from opwright.ascendc.rules import Chosen, Range
from opwright.ascendc.socs import A2

TASK, SHORT = "Cube", "Structs of loads"
LOADED = ("int8", "uint8", "float16", "bfloat16", "int32", "uint32", "float32")
FILLED = ("int16", "uint16", "float16", "bfloat16", "int32", "uint32", "float32")
_FRACTAL = "A fractal is 16 rows of 32 bytes."
_REPEATS = Range("repeat_times", 0, 255)


_NOT_OLD = dict.fromkeys(A2, "no call there takes it")


def _row(
    name: str,
    doc: str,
    signature: str,
    rules: tuple[Range | Chosen, ...],
    example: str,
    not_on: Mapping[str, str] = MappingProxyType({}),
) -> Row:
    form = Form(signature, rules=rules, result=f"object {name}", not_on=dict(not_on))
    return Row(name, name, doc, forms=(form,), effect="value", example=example)


ROWS = (
    _row(
        "Nd2NzParams",
        "How asc.data_copy makes fractals of row-major matrices: nd_num matrices of n_value rows and d_value columns. "
        "In the source a row has src_d_value elements, and a matrix starts src_nd_matrix_stride elements after the "
        "one before. Element (r, c) goes to the block of 32 bytes with the number c // C0 * dst_nz_c0_stride + r * "
        "dst_nz_n_stride, as its element c % C0, where C0 elements have 32 bytes; matrices are dst_nz_matrix_stride "
        "elements apart. What is left of the last block of a row is zero.",
        "nd_num: uint16, n_value: uint16, d_value: uint16, src_nd_matrix_stride: uint16, src_d_value: uint16, "
        "dst_nz_c0_stride: uint16, dst_nz_n_stride: uint16, dst_nz_matrix_stride: uint16",
        (
            Range("nd_num", 0, 4095),
            Range("n_value", 0, 16384),
            Range("src_d_value", 1, 65535),
            Range("dst_nz_c0_stride", 1, 16384),
            Range("dst_nz_n_stride", 1, 16384),
        ),
        "asc.data_copy(h_l1, r_gm, asc.Nd2NzParams(1, 4, 32, 0, 32, 4, 1, 0))",
    ),
    _row(
        "Dn2NzParams",
        "How asc.data_copy makes fractals of matrices that are stored by columns: dn_num matrices, of which d_value "
        "rows of n_value elements are src_d_value elements apart. Element (d, n) becomes row n, column d of the "
        "matrix of fractals: as in asc.Nd2NzParams with r = n and c = d.",
        "dn_num: uint16, n_value: uint16, d_value: uint32, src_dn_matrix_stride: uint64, src_d_value: uint64, "
        "dst_nz_c0_stride: uint16, dst_nz_n_stride: uint16, dst_nz_matrix_stride: uint32",
        (
            Range("dn_num", 0, 4095),
            Range("n_value", 0, 16384),
            Range("d_value", 0, (1 << 21) - 1),
            Range("src_dn_matrix_stride", 0, (1 << 40) - 1),
            Range("src_d_value", 1, (1 << 40) - 1),
            Range("dst_nz_c0_stride", 1, 65535),
            Range("dst_nz_n_stride", 1, 65535),
        ),
        "tile = asc.LocalTensor(asc.float16, asc.TPosition.A1, 0, 256)\n"
        "asc.data_copy(tile, h_gm, asc.Dn2NzParams(1, 8, 16, 0, 8, 8, 1, 0))\n"
        "asc.pipe_barrier(asc.PipeID.PIPE_ALL)\n"
        "asc.load_data(h_l0a, tile, asc.LoadData2DParamsV2(0, 0, 1, 1, 1, 1))",
        _NOT_OLD,
    ),
    _row(
        "Nz2NdParamsFull",
        "How asc.data_copy makes row-major matrices of columns that are 16 elements wide: element (r, c) of matrix i "
        "is read at i * src_nd_matrix_stride * 256 + c // 16 * src_n_stride * 16 + r * 16 + c % 16, and goes to i * "
        "dst_nd_matrix_stride + r * dst_d_stride + c. All of it counts elements.",
        "nd_num: uint16, n_value: uint16, d_value: uint16, src_nd_matrix_stride: uint16, src_n_stride: uint16, "
        "dst_d_stride: uint16, dst_nd_matrix_stride: uint16",
        (),
        "asc.data_copy(r_gm, h_local, asc.Nz2NdParamsFull(1, 4, 32, 1, 4, 32, 1))",
    ),
    _row(
        "LoadData2DParams",
        "Which fractals asc.load_data moves: repeat_times of them, the first start_index fractals from the start of "
        f"src, each src_stride after the one before, with dst_gap fractals between them at dst. {_FRACTAL} "
        "if_transpose transposes each. With addr_mode 1 the source goes down. sid has no effect.",
        "start_index: uint16 = 0, repeat_times: uint8 = 1, src_stride: uint16 = 0, sid: uint8 = 0, dst_gap: uint16 = "
        "0, if_transpose: bool = False, addr_mode: uint8 = 0",
        (_REPEATS, Range("addr_mode", 0, 1)),
        "asc.load_data(h_l0a, h_l1, asc.LoadData2DParams(0, 2, 2, 0, 0, False, 0))",
    ),
    _row(
        "LoadData2DParamsV2",
        "Which part of a matrix in Nz asc.load_data moves: m_step times 16 rows from row m_start_position * 16 on, and "
        "k_step columns of 32 bytes from column k_start_position on. Fractal (m, k) of the part is the source's number "
        "(k_start_position + k) * src_stride + m_start_position + m, and becomes number k * dst_stride + m. "
        f"{_FRACTAL} if_transpose makes it the transposed matrix: fractal (i, j) of that becomes number j * dst_stride "
        "+ i. sid means nothing.",
        "m_start_position: uint32 = 0, k_start_position: uint32 = 0, m_step: uint16 = 0, k_step: uint16 = 0, "
        "src_stride: int32 = 0, dst_stride: uint16 = 0, if_transpose: bool = False, sid: uint8 = 0",
        (Range("m_step", 0, 255), Range("k_step", 0, 255), Range("src_stride", 0, (1 << 31) - 1)),
        "asc.load_data(h_l0a, h_l1, asc.LoadData2DParamsV2(0, 0, 2, 2, 2, 2))",
        _NOT_OLD,
    ),
    Row(
        "LoadData3DParamsV2",
        "LoadData3DParamsV2",
        "Which windows of an image in L1 asc.load_data makes a matrix of. The image has l1_h rows of l1_w pixels of "
        "channel_size channels, as [C1][H][W][C0], and around it pad_list pixels of pad_value: left, right, top, "
        "bottom. Row m of the matrix is the place of the filter at (m // Wo * stride_h, m % Wo * stride_w), where Wo "
        "places are side by side; column k has channel k % C0 of block q // (filter_w * filter_h) at the point (q // "
        "filter_w % filter_h * dilation_filter_h, q % filter_w * dilation_filter_w) of the filter, q = k // C0. Of "
        "that matrix it is m_extension rows from m_start_pt on and k_extension columns from k_start_pt on. "
        "filter_size_w and filter_size_h make the filter 256 longer. dtype is that of the tensors.",
        forms=(
            Form(
                "pad_list: array uint8 4 = 0, l1_h: uint16 = 1, l1_w: uint16 = 1, channel_size: uint16 = 1, "
                "k_extension: uint16 = 1, m_extension: uint16 = 1, k_start_pt: uint16 = 0, m_start_pt: uint16 = 0, "
                "stride_w: uint8 = 1, stride_h: uint8 = 1, filter_w: uint8 = 1, filter_h: uint8 = 1, "
                "dilation_filter_w: uint8 = 1, dilation_filter_h: uint8 = 1, en_transpose: bool = False, "
                "pad_value: number T = 0, filter_size_w: bool = False, filter_size_h: bool = False, "
                "f_matrix_ctrl: bool = False, en_small_k: bool = False, dtype: template dtype T = float16",
                order=(
                    *("dtype", "pad_list", "l1_h", "l1_w", "channel_size", "k_extension", "m_extension", "k_start_pt"),
                    *("m_start_pt", "stride_w", "stride_h", "filter_w", "filter_h", "dilation_filter_w"),
                    *("dilation_filter_h", "en_transpose", "en_small_k", "pad_value", "filter_size_w"),
                    *("filter_size_h", "f_matrix_ctrl"),
                ),
                rules=(
                    Range("l1_h", 0, 32767),
                    Range("l1_w", 0, 32767),
                    Range("stride_w", 1, 63),
                    Range("stride_h", 1, 63),
                    Range("dilation_filter_w", 1, 255),
                    Range("dilation_filter_h", 1, 255),
                    Chosen("f_matrix_ctrl", 0, "both sides use one description of the image"),
                    Chosen("en_small_k", 0, "no SoC has it any more"),
                ),
                result="object LoadData3DParamsV2 T",
            ),
        ),
        dtypes={"T": dtypes(a2=LOADED, a5=LOADED)},
        effect="value",
        example="asc.load_data(h_l0a, h_l1, asc.LoadData3DParamsV2([0, 0, 0, 0], 4, 4, 16, 64, 16, 0, 0, 1, 1, 2, 2))",
    ),
    _row(
        "LoadData3DParamsV2Pro",
        "The same as asc.LoadData3DParamsV2 in few numbers; asc.set_fmatrix says how large the image is and what is "
        "around it, asc.set_load_data_padding_value what that holds. ext_config is m_start_pt << 48 | k_start_pt << "
        "32 | m_extension << 16 | k_extension; filter_config is dilation_filter_h << 40 | dilation_filter_w << 32 | "
        "filter_h << 24 | filter_w << 16 | stride_h << 8 | stride_w.",
        "channel_size: uint16 = 0, en_transpose: bool = False, en_small_k: bool = False, filter_size_w: bool = False, "
        "filter_size_h: bool = False, f_matrix_ctrl: bool = False, ext_config: uint64 = 0, "
        f"filter_config: uint64 = {0x10101010101}",
        (
            Chosen("f_matrix_ctrl", 0, "both sides use one description of the image"),
            Chosen("en_small_k", 0, "no SoC has it any more"),
        ),
        "asc.set_fmatrix(4, 4, [0, 0, 0, 0])\n"
        "asc.load_data(h_l0a, h_l1, asc.LoadData3DParamsV2Pro(16, ext_config=16 << 16 | 16))",
    ),
    _row(
        "LoadData2dTransposeParams",
        "Which squares asc.load_data_with_transpose transposes: 32 x 32 elements of 8 bits, 16 x 16 of 16 and 32 "
        "bits. start_index and src_stride, from start to start, count squares. dst_gap fractals are between the first "
        f"fractals of two squares, dst_frac_gap between the two of one. {_FRACTAL}",
        "start_index: uint16 = 0, repeat_times: uint8 = 1, src_stride: uint16 = 0, dst_gap: uint16 = 0, "
        "dst_frac_gap: uint16 = 0, addr_mode: uint8 = 0",
        (_REPEATS, Range("addr_mode", 0, 0)),
        "asc.load_data_with_transpose(h_l0b, h_l1, asc.LoadData2dTransposeParams(0, 2, 1, 0, 0))",
    ),
    _row(
        "LoadData2dTransposeParamsV2",
        "As asc.LoadData2dTransposeParams, but start_index and src_stride count fractals, and src_frac_gap fractals "
        "are between the two of one square.",
        "start_index: uint16 = 0, repeat_times: uint8 = 0, src_stride: uint16 = 0, dst_gap: uint16 = 0, "
        "dst_frac_gap: uint16 = 0, src_frac_gap: uint16 = 0, addr_mode: uint8 = 0",
        (_REPEATS, Range("addr_mode", 0, 0)),
        "asc.load_data_with_transpose(h_l0b, h_l1, asc.LoadData2dTransposeParamsV2(0, 2, 1, 0, 0, 0))",
        _NOT_OLD,
    ),
    Row(
        "LoadDataRepeatParam",
        "LoadDataRepeatParam",
        "How often a load of an image is repeated, and by how much the window moves: with repeat_mode 0 by "
        "repeat_stride times 16 rows of the matrix, with 1 by repeat_stride times the elements of 32 bytes in its "
        "columns.",
        forms=(
            Form(
                "repeat_time: uint8 = 1, repeat_stride: uint16 = 0, repeat_mode: uint8 = 0",
                order=("repeat_stride", "repeat_time", "repeat_mode"),
                rules=(Range("repeat_mode", 0, 1),),
                result="object LoadDataRepeatParam",
            ),
        ),
        effect="value",
        example="asc.set_load_data_repeat(asc.LoadDataRepeatParam(1, 0, 0))",
    ),
    Row(
        "InitConstValueParams",
        "InitConstValueParams",
        "What asc.init_const_value fills: repeat_times pieces of block_num blocks with dst_gap blocks between them. A "
        "block has 32 bytes in L1 and 512 in L0A and L0B. dtype is that of the tensor.",
        forms=(
            Form(
                "repeat_times: uint16 = 0, block_num: uint16 = 0, dst_gap: uint16 = 0, init_value: number T = 0, "
                "dtype: template dtype T = float16",
                rules=(Range("repeat_times", 0, 32767), Range("block_num", 0, 32767), Range("dst_gap", 0, 32767)),
                result="object InitConstValueParams T",
            ),
        ),
        dtypes={"T": dtypes(a2=FILLED, a5=FILLED)},
        effect="value",
        example="asc.init_const_value(h_l1, asc.InitConstValueParams(2, 4, 4, 1.5))",
    ),
)
