"""Rows: products of the matrix unit."""

from __future__ import annotations

from opwright.ascendc.cube_mmad_params import unit_flag_of
from opwright.ascendc.cube_rules import Holds, Together
from opwright.ascendc.row import Access, Form, Function, Row, dtypes, reads_runs, writes_runs
from opwright.ascendc.rules import Align, Rule
from opwright.ascendc.socs import A2, A5

TASK, SHORT = "Cube", "Products"
_FLOATS = ("float16", "bfloat16", "float32")
_FP8 = ("float8_e4m3", "float8_e5m2")
# The types of fm, filter and dst.
_A2 = (("int8", "int8", "int32"), *((name, name, "float32") for name in _FLOATS))
_A5 = (*_A2, *((left, right, "float32") for left in _FP8 for right in _FP8), ("hifloat8", "hifloat8", "float32"))
_TYPES = Together("dst", ("fm", "filter"), {**dict.fromkeys(A2, _A2), **dict.fromkeys(A5, _A5)})
_INPUTS = dtypes(
    a2=("int8", *_FLOATS),
    a5=("int8", *_FLOATS, *_FP8, "hifloat8"),
    why={"uint8": "the matrix unit multiplies signed integers only"},
)
_T = dtypes(a2=("int32", "float32"), a5=("int32", "float32"))
_INT8, _INT32 = dtypes(a2=("int8",), a5=("int8",)), dtypes(a2=("int32",), a5=("int32",))
_LEFT = reads_runs("fm", "opwright::left_of_product<U>(at, params)")
_RIGHT = reads_runs("filter", "opwright::right_of_product<S>(params)")
_SUMS = writes_runs("dst", "opwright::sums_of_product(params)")
_BEFORE = reads_runs("dst", "opwright::sums_before_product(params)")
_ALIGNED = (Align("dst", 1024), Align("fm", 512), Align("filter", 512))
_ROOM = Holds(
    "params",
    "!params.kDirectionAlign || (!opwright::is_3510(at) && sizeof(U) == 4)",
    "params.kDirectionAlign",
    "k_direction_align of params is for float32, and not for ascend950",
    "leave it False",
)
_IS_SET = Holds(
    "params",
    "!params.cmatrixInitVal || (opwright::is_3510(at) && params.isBias)",
    "params.cmatrixInitVal",
    "with a bias cmatrix_init_val of params must be False: the chip would start from 0",
    "pass cmatrix_init_val=False",
)
_SAME = Holds(
    "bias",
    "bias.address() == dst.address()",
    "bias.address()",
    "a bias in L0C must start where dst does",
    "pass dst itself, or put the bias in BT",
)


def _with_bias(memory: str, meaning: str, bias: str, more: tuple[Rule, ...]) -> Form:
    return Form(
        f"dst: l0c T, fm: l0a U, filter: l0b S, bias: {memory} T, params: object MmadParams",
        pipe="PIPE_M",
        accesses=(_SUMS, _LEFT, _RIGHT, reads_runs("bias", bias)),
        rules=(_TYPES, *_ALIGNED, *more, _IS_SET, _ROOM, unit_flag_of("params")),
        meaning=Function(meaning),
        state="product_mode",
        unit=("dst", "params"),
    )


_ACCESSES: tuple[Access, ...] = (_SUMS, _BEFORE, _LEFT, _RIGHT)

ROWS = (
    Row(
        "mmad",
        "Mmad",
        "Multiplies two matrices: dst = start + fm x filter, see asc.MmadParams. fm is in L0A, in fractals of 16 rows "
        "and 32 bytes, row by row, on ascend950 column by column; filter in L0B, each fractal transposed; dst in L0C "
        "in fractals of 16 x 16, column by column. Sides need not be whole fractals: their padding does not count. An "
        "fm of one row is stored without fractals. A bias has n elements in BT, which every row starts from, or is "
        "dst itself in L0C. A side of 0 makes the call do nothing.",
        forms=(
            Form(
                "dst: l0c T, fm: l0a U, filter: l0b S, params: object MmadParams",
                pipe="PIPE_M",
                accesses=_ACCESSES,
                rules=(_TYPES, *_ALIGNED, _ROOM, unit_flag_of("params")),
                meaning=Function("mmad"),
                state="product_mode",
                state_touched="opwright::bias_without_name<T>(at, params)",
                unit=("dst", "params"),
            ),
            _with_bias("bt", "mmad_with_bias", "opwright::bias_of_product(params)", (Align("bias", 64),)),
            _with_bias("l0c", "mmad_onto_sums", "opwright::sums_of_product(params)", (_SAME,)),
        ),
        dtypes={"T": _T, "U": _INPUTS, "S": _INPUTS},
        exactness=(
            "assumed(each element is summed along k in order, every step fused and rounded once to float32; int32 "
            "saturates once, in the sum of start and product; without a bias tensor the bias is at the start of BT; "
            "with m of 1 and disable_gemv fm has fractals)"
        ),
        example="asc.mmad(x_l0c, h_l0a, r_l0b, asc.MmadParams(16, 16, 16))",
    ),
    Row(
        "mmad_with_sparse",
        "MmadWithSparse",
        "Multiplies a matrix of int8 by a sparse one, of which two of every four rows are kept for each column; "
        "asc.load_data_with_sparse loads them with the indices of those rows. k counts all rows.",
        forms=(
            Form(
                "dst: l0c T, fm: l0a U, filter: l0b U, mmad_params: object MmadParams",
                pipe="PIPE_M",
                accesses=(
                    writes_runs("dst", "opwright::sums_of_product(mmad_params)"),
                    reads_runs("dst", "opwright::sums_before_product(mmad_params)"),
                    reads_runs("fm", "opwright::left_of_sparse(mmad_params)"),
                    reads_runs("filter", "opwright::right_of_product<U>(mmad_params, 2)"),
                ),
                rules=(
                    *_ALIGNED,
                    Holds(
                        "mmad_params",
                        "mmad_params.k % 4 == 0 && !mmad_params.kDirectionAlign",
                        "mmad_params.k",
                        "k of mmad_params must be a multiple of 4, and k_direction_align False",
                        "fill the matrices up with zeros",
                    ),
                    Holds(
                        "mmad_params",
                        "opwright::start_of_product(mmad_params) != opwright::CubeStart::BIAS",
                        "mmad_params.cmatrixSource",
                        "cmatrix_source of mmad_params must be False: a sparse product takes no bias",
                        "start from what is in dst, and let asc.mmad put the bias there",
                    ),
                    unit_flag_of("mmad_params"),
                ),
                state_touched="opwright::indices_of_product(at, filter, mmad_params)",
                meaning=Function("mmad_with_sparse"),
                not_on=dict.fromkeys(A5, "it has no sparse products"),
            ),
        ),
        dtypes={"T": _INT32, "U": _INT8},
        exactness="assumed(int32 saturates once, as in asc.mmad; an index of 3 counts on)",
        example="c_l0b = asc.LocalTensor(asc.int8, asc.TPosition.B2, 0, 1024)\n"
        "asc.mmad_with_sparse(m_l0c, c_l0a, c_l0b, asc.MmadParams(16, 16, 64))",
    ),
)
