"""The forms of data_copy that the matrix unit has: to and from L1, into the tables of bias and scales, into fractals.

In: nothing. Out: `CUBE_COPIES`, which `data_copy.py` has among its forms. Each says on which SoC it has no path.
"""

from __future__ import annotations

from opwright.ascendc.cube_rules import Holds
from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.elementwise import INT32_MAX
from opwright.ascendc.load_rules import WholeUnits
from opwright.ascendc.row import Dtypes, Form, Function, Row, dtypes, reads, reads_runs, writes, writes_runs
from opwright.ascendc.rules import Align, Range, Rule, TemplateRange, WholeBlocks
from opwright.ascendc.socs import A2, A5

_NO_PATH_OUT = dict.fromkeys(A5, "it has no path from L1 to global memory")
_COUNT = Range("count", 0, INT32_MAX)
_FRACTALS = ("int8", "uint8", "int16", "uint16", "float16", "bfloat16", "int32", "uint32", "float32")
_WIDE = ("int16", "uint16", "float16", "bfloat16", "int32", "uint32", "float32")
_SIGNED = ("int16", "float16", "bfloat16", "int32", "float32")  # what goes from UB to fractals in L1
_BIAS = {"T": dtypes(a2=("int32", "float32"), a5=("int32", "float32"))}
_SCALES = {"T": dtypes(a2=("uint64",), a5=("uint64",))}
_AROUND = "repeat_params.blockCount, repeat_params.blockLen * 32ull, repeat_params"
_TO_PIECES, _FROM_PIECES = (f"opwright::pieces({_AROUND}.{side}Stride * 32ull)" for side in ("dst", "src"))


def _counted(kinds: str, pipe: str, meaning: str, aligned: str, not_on: dict[str, str]) -> Form:
    """A number of elements to L1, or from there."""
    dst, src = kinds.split()
    return Form(
        f"dst: {dst} T, src: {src} T, count: uint32",
        pipe=pipe,
        accesses=(writes("dst", floor=32), reads("src", floor=32)),
        rules=(_COUNT, Align(aligned, 32), WholeBlocks("count", "dst")),
        meaning=Function(meaning),
        not_on=not_on,
    )


def _pieces(kinds: str, pipe: str, meaning: str, aligned: str, not_on: dict[str, str]) -> Form:
    """Pieces of blocks to L1, or from there."""
    dst, src = kinds.split()
    return Form(
        f"dst: {dst} T, src: {src} T, repeat_params: object DataCopyParams",
        pipe=pipe,
        accesses=(writes_runs("dst", _TO_PIECES), reads_runs("src", _FROM_PIECES)),
        rules=(Align(aligned, 32),),
        meaning=Function(meaning),
        not_on=not_on,
    )


def _table(kind: str, pipe: str, unit: int, types: dict[str, Dtypes]) -> Form:
    """A number of elements into one of the small tables."""
    return Form(
        f"dst: {kind} T, src: l1 T, count: uint32",
        pipe=pipe,
        accesses=(writes("dst"), reads("src")),
        rules=(_COUNT, Align("dst", unit), Align("src", 32), WholeUnits("count", "dst", unit)),
        meaning=Function("copy_local"),
        dtypes=types,
    )


def _bias(source: str, ratio: str, types: dict[str, Dtypes], meaning: str) -> Form:
    """Pieces into the bias table; elements of 16 bits become float32 on the way."""
    return Form(
        f"dst: bt T, src: l1 {source}, repeat_params: object DataCopyParams",
        pipe="PIPE_MTE1",
        accesses=(
            writes_runs("dst", f"opwright::bias_to(at, repeat_params, {ratio})"),
            reads_runs("src", "opwright::bias_from(at, repeat_params)"),
        ),
        rules=(Align("dst", 64), Align("src", 32), *([_EVEN_BIAS] if source == "T" else [])),
        meaning=Function(meaning),
        dtypes=types,
    )


_EVEN_BIAS = Holds(
    "repeat_params",
    "!opwright::is_3510(at) || repeat_params.blockLen % 2 == 0",
    "repeat_params.blockLen",
    "block_len must be even on ascend950 for 32-bit elements: the bias table has blocks of 64 bytes",
    "copy one block more, and let the tensors be longer than the data",
)
_MATRICES_APART = "a distance of matrices must be a multiple of 32 bytes: blocks start there"


def _apart(number: str) -> Rule:
    return Holds(
        "intri_params",
        f"intri_params.{number} < 2 || intri_params.dstNzMatrixStride * sizeof(T) % 32 == 0",
        "intri_params.dstNzMatrixStride",
        f"dst_nz_matrix_stride: {_MATRICES_APART}",
        "round it up to whole blocks",
    )


_NO_WAY_ACROSS = dict.fromkeys(A2, "its matrix and vector cores meet in global memory only: copy there and back")


def _on(kind: str, operand: str) -> tuple[Rule, Rule]:
    """Which core of a group may copy to the other's memory."""
    is_vector = kind == "aiv"
    return (
        Holds(
            operand,
            f"opwright::is_vector_core(at) == {int(is_vector)}",
            "at.core.block",
            f"only {'vector' if is_vector else 'matrix'} cores copy that way",
            f"put it under `if asc.ascend_is_{kind}():`",
        ),
        Holds(
            operand,
            "opwright::is_whole_group(at)",
            "at.core.block",
            "it takes a group of one matrix core and two vector cores",
            'mark the kernel @asc.jit(kernel_type="mix_1_2")',
        ),
    )


_TO_L1 = (
    Form(
        "dst: l1 T, src: ub T, count: uint32",
        pipe="PIPE_MTE3",
        accesses=(
            writes_runs("dst", "opwright::of_matrix_core(opwright::counted<T>(count))"),
            reads_runs("src", "opwright::counted<T>(count)"),
        ),
        rules=(_COUNT, Align("dst", 32), Align("src", 32), WholeBlocks("count", "dst"), *_on("aiv", "src")),
        meaning=Function("copy_across"),
        not_on=_NO_WAY_ACROSS,
    ),
    Form(
        "dst: l1 T, src: ub T, repeat_params: object DataCopyParams",
        pipe="PIPE_MTE3",
        accesses=(
            writes_runs("dst", f"opwright::of_matrix_core({_TO_PIECES})"),
            reads_runs("src", _FROM_PIECES),
        ),
        rules=(Align("dst", 32), Align("src", 32), *_on("aiv", "src")),
        meaning=Function("copy_pieces_across"),
        not_on=_NO_WAY_ACROSS,
    ),
    Form(
        "dst: l1 T, src: ub T, intri_params: object Nd2NzParams",
        pipe="PIPE_MTE3",
        accesses=(
            writes_runs("dst", "opwright::of_matrix_core(opwright::nz_blocks<T>(intri_params, intri_params.ndNum))"),
            reads_runs("src", "opwright::nd_rows<T>(intri_params)"),
        ),
        rules=(
            Align("dst", 32),
            Align("src", 32),
            Holds(
                "intri_params",
                "intri_params.ndNum <= 1",
                "intri_params.ndNum",
                "nd_num must be 1 from UB",
                "copy matrices one by one",
            ),
            Holds(
                "intri_params",
                "intri_params.dValue * sizeof(T) % 32 == 0 && intri_params.srcDValue * sizeof(T) % 32 == 0",
                "intri_params.dValue",
                "d_value and src_d_value must be multiples of 32 bytes from UB",
                "let rows be longer than the data",
            ),
            *_on("aiv", "src"),
        ),
        meaning=Function("copy_nd_to_nz"),
        dtypes={"T": dtypes(a2=_SIGNED, a5=_SIGNED)},
        not_on=_NO_WAY_ACROSS,
        needs_tpipe=dict.fromkeys(A5, ""),
    ),
)
_WHICH = "sub_block_id: template uint8 = 0"
L1_TO_UB = Row(
    "data_copy_l1_to_ub",
    "DataCopyL1ToUB",
    "Copies count elements, or pieces with gaps between them, from L1 to UB of one of the two vector cores of the "
    "group. The bytes of a count are rounded down to a multiple of 32.",
    forms=(
        Form(
            f"dst: ub T, src: l1 T, count: uint32, {_WHICH}",
            pipe="PIPE_MTE1",
            accesses=(
                writes_runs("dst", "opwright::of_vector_core(opwright::counted<T>(count), sub_block_id)"),
                reads_runs("src", "opwright::counted<T>(count)"),
            ),
            rules=(
                *(_COUNT, Align("dst", 32), Align("src", 32), WholeBlocks("count", "dst"), *_on("aic", "src")),
                TemplateRange("sub_block_id", 0, 1),
            ),
            meaning=Function("copy_across"),
            not_on=_NO_WAY_ACROSS,
            since={"": "from 9.1.0 on"},
            spells_all=True,
        ),
        Form(
            f"dst: ub T, src: l1 T, repeat_params: object DataCopyParams, {_WHICH}",
            pipe="PIPE_MTE1",
            accesses=(
                writes_runs("dst", f"opwright::of_vector_core({_TO_PIECES}, sub_block_id)"),
                reads_runs("src", _FROM_PIECES),
            ),
            rules=(Align("dst", 32), Align("src", 32), *_on("aic", "src"), TemplateRange("sub_block_id", 0, 1)),
            meaning=Function("copy_pieces_across"),
            not_on=_NO_WAY_ACROSS,
            since={"": "from 9.1.0 on"},
            spells_all=True,
        ),
    ),
    dtypes={"T": dtypes(a2=tuple(DTYPES), a5=tuple(DTYPES))},
    example="tile = asc.LocalTensor(asc.float32, asc.TPosition.A1, 0, 128)\n"
    "target = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 128)\n"
    "if asc.ascend_is_aic():\n"
    "    asc.data_copy_l1_to_ub(target, tile, 64)",
)

CUBE_COPIES = (
    _counted("l1 global", "PIPE_MTE2", "copy_in", "dst", {}),
    _counted("global l1", "PIPE_MTE3", "copy_out", "src", _NO_PATH_OUT),
    _pieces("l1 global", "PIPE_MTE2", "copy_pieces_in", "dst", {}),
    _pieces("global l1", "PIPE_MTE3", "copy_pieces_out", "src", _NO_PATH_OUT),
    _table("bt", "PIPE_MTE1", 64, _BIAS),
    _bias("T", "1", _BIAS, "copy_pieces_local"),
    _bias(
        "U",
        "2",
        {
            "T": dtypes(a2=("float32",), a5=("float32",)),
            "U": dtypes(a2=("float16",), a5=("float16", "bfloat16"), why={"bfloat16": "its bias comes from float16"}),
        },
        "widen_bias",
    ),
    _table("fb", "PIPE_FIX", 128, _SCALES),
    Form(
        "dst: fb T, src: l1 T, repeat_params: object DataCopyParams",
        pipe="PIPE_FIX",
        accesses=(
            writes_runs("dst", "opwright::scales_to(repeat_params)"),
            reads_runs("src", "opwright::scales_from(repeat_params)"),
        ),
        rules=(Align("dst", 128), Align("src", 32)),
        meaning=Function("copy_pieces_local"),
        dtypes=_SCALES,
        not_on=dict.fromkeys(A5, "texts disagree whether lengths count 64 or 128 bytes there: pass a count"),
    ),
    Form(
        "dst: l1 T, src: global T, intri_params: object Nd2NzParams",
        pipe="PIPE_MTE2",
        accesses=(
            writes_runs("dst", "opwright::nz_blocks<T>(intri_params, intri_params.ndNum)"),
            reads_runs("src", "opwright::nd_rows<T>(intri_params)"),
        ),
        rules=(Align("dst", 32), _apart("ndNum")),
        meaning=Function("copy_nd_to_nz"),
        dtypes={"T": dtypes(a2=_FRACTALS, a5=_FRACTALS)},
    ),
    Form(
        "dst: l1 T, src: global T, intri_params: object Dn2NzParams",
        pipe="PIPE_MTE2",
        accesses=(
            writes_runs("dst", "opwright::nz_blocks<T>(intri_params, intri_params.dnNum)"),
            reads_runs("src", "opwright::dn_rows<T>(intri_params)"),
        ),
        rules=(Align("dst", 32), _apart("dnNum")),
        meaning=Function("copy_dn_to_nz"),
        dtypes={"T": dtypes(a2=_FRACTALS, a5=_FRACTALS)},
        not_on=dict.fromkeys(A2, "it makes fractals of rows only: pass asc.Nd2NzParams, and transpose when loading"),
    ),
    Form(
        "dst: global T, src: ub T, intri_params: object Nz2NdParamsFull",
        pipe="PIPE_MTE3",
        accesses=(
            writes_runs("dst", "opwright::nd_rows_back<T>(intri_params)"),
            reads_runs("src", "opwright::nz_columns<T>(intri_params)"),
        ),
        rules=(Align("src", 32),),
        meaning=Function("copy_nz_to_nd"),
        dtypes={"T": dtypes(a2=_WIDE, a5=_WIDE)},
    ),
    *_TO_L1,
)
