"""Rows: vector calls that sort and merge."""

from __future__ import annotations

from opwright.ascendc.elementwise import FLOATS
from opwright.ascendc.row import Form, Function, Row, dtypes, reads_runs, writes_runs
from opwright.ascendc.rules import Align, Range
from opwright.ascendc.traits import GivesBack
from opwright.ascendc.vector_rules import Apart, BothApart

TASK, SHORT = "Gather and sort", "Sort and merge"
_T = {"T": dtypes(a2=FLOATS, a5=FLOATS)}
_WITH_INDEX = {**_T, "U": dtypes(a2=("uint32",), a5=("uint32",))}
_REPEATS = Range("repeat_time", 0, 255)
_ORDER = "a NaN counts as greater than every number, and -0 as 0"
_PAIRS = f"assumed({_ORDER}; the 2 bytes between a float16 and its index are set to 0)"
_MERGED = f"assumed({_ORDER}; repeats count only where public texts say that they do, else there is one)"
_EXAMPLE = (
    "asc.sort32(y_local, x_local, u_local, 1)\n"
    "queues = asc.MrgSortSrcList(asc.float32, y_local, y_local[32:], y_local, y_local)\n"
    "asc.mrg_sort(z_local, queues, asc.MrgSort4Info([16, 16], False, 3, 1))"
)


def _sizes(name: str, parameter: str) -> tuple[Form, ...]:
    """Of float32, unless a type is given."""
    return (
        Form(f"{parameter}: uint32", result="integer", text=f"AscendC::{name}<float>({{{parameter}}})"),
        Form(f"{parameter}: uint32, dtype: template dtype T", result="integer", dtypes=_T),
    )


ROWS = (
    Row(
        "sort32",
        "Sort32",
        "Sorts every 32 elements of src0, the greatest first, together with their indices in src1. dst gets pairs of 8 "
        "bytes: the element, then at byte 4 its index. Of equal elements the one that came first stays first.",
        forms=(
            Form(
                "dst: ub T, src0: ub T, src1: ub U, repeat_time: int32",
                pipe="PIPE_V",
                accesses=(
                    writes_runs("dst", "opwright::pairs_of(repeat_time)"),
                    reads_runs("src0", "opwright::elements_of<T>(repeat_time, 32)"),
                    reads_runs("src1", "opwright::elements_of<U>(repeat_time, 32)"),
                ),
                rules=(
                    _REPEATS,
                    Align("dst", 32),
                    Align("src0", 32),
                    Align("src1", 32),
                    Apart("dst", "src0"),
                    Apart("dst", "src1"),
                ),
                meaning=Function("sort_groups"),
            ),
        ),
        dtypes=_WITH_INDEX,
        exactness=_PAIRS,
        example="asc.sort32(z_local, x_local, u_local, 1)",
    ),
    Row(
        "sort",
        "Sort",
        "Sorts 32 * repeat_time elements, the greatest first, with their indices, into pairs as asc.sort32 does: every "
        "32 by themselves, or with is_full_sort all of them; then tmp is used, as far as dst is.",
        forms=(
            Form(
                "dst: ub T, concat: ub T, index: ub U, tmp: ub T, repeat_time: int32, "
                "is_full_sort: template bool = False",
                pipe="PIPE_V",
                accesses=(
                    writes_runs("dst", "opwright::pairs_of(repeat_time)"),
                    reads_runs("concat", "opwright::elements_of<T>(repeat_time, 32)"),
                    reads_runs("index", "opwright::elements_of<U>(repeat_time, 32)"),
                    writes_runs("tmp", "opwright::pairs_of(is_full_sort * repeat_time)"),
                ),
                rules=(
                    _REPEATS,
                    Align("dst", 32),
                    Align("concat", 32),
                    Align("index", 32),
                    Align("tmp", 32),
                    Apart("dst", "concat"),
                    Apart("dst", "index"),
                    BothApart("dst", "tmp"),
                    Apart("tmp", "concat"),
                    Apart("tmp", "index"),
                ),
                meaning=Function("sort_all"),
                lvalues=("tmp",),
                text="AscendC::Sort<{T}, {is_full_sort}>({dst}, {concat}, {index}, {tmp}, {repeat_time})",
            ),
        ),
        dtypes=_WITH_INDEX,
        exactness=f"assumed({_ORDER}; tmp, if it is used, is set to ones as far as dst reaches)",
        example="asc.sort(z_local, x_local, u_local, y_local, 1)",
    ),
    Row(
        "MrgSortSrcList",
        "MrgSortSrcList",
        "The queues of a merge. Give any tensor for a queue that valid_bit leaves out.",
        forms=(
            Form(
                "dtype: template dtype T, src1: ub T, src2: ub T, src3: ub T, src4: ub T",
                result="object MrgSortSrcList T",
            ),
        ),
        dtypes=_T,
        effect="value",
        example=_EXAMPLE,
    ),
    Row(
        "MrgSort4Info",
        "MrgSort4Info",
        "How long the queues of a merge are, in elements with their indices; whether the merge ends when one queue "
        "does; which queues there are (3: two, 7: three, 15: four); how many merges of four queues follow one another.",
        forms=(
            Form(
                "element_lengths: array uint16 4, if_exhausted_suspension: bool = False, valid_bit: uint16 = 15, "
                "repeat_times: uint16 = 1",
                rules=(Range("repeat_times", 0, 255),),  # it is kept in 8 bits
                result="object MrgSort4Info",
            ),
        ),
        effect="value",
        example=_EXAMPLE,
    ),
    Row(
        "mrg_sort",
        "MrgSort",
        "Merges up to four sorted queues of pairs, as asc.sort32 writes them, into one, the greatest first. Of equal "
        "elements that of the earlier queue comes first. The long form sets sorted_num to how many each queue gave.",
        forms=(
            Form(
                "dst: ub T, sort_list: object MrgSortSrcList T, element_count_list: array uint16 4, "
                "sorted_num: array uint32 4, valid_bit: uint16, repeat_time: int32, "
                "is_exhausted_suspension: template bool = False",
                pipe="PIPE_V",
                accesses=(writes_runs("dst", "opwright::merged_bytes(at, dst, sort_list, element_count_list)"),),
                rules=(Align("dst", 32),),
                text="AscendC::MrgSort<{T}, {is_exhausted_suspension}>({dst}, {sort_list}, {element_count_list}, "
                "{sorted_num}, {valid_bit}, {repeat_time})",
            ),
            Form(
                "dst: ub T, sort_list: object MrgSortSrcList T, params: object MrgSort4Info",
                pipe="PIPE_V",
                accesses=(writes_runs("dst", "opwright::merged_bytes(at, dst, sort_list, params)"),),
                rules=(Align("dst", 32),),
            ),
        ),
        dtypes=_T,
        exactness=_MERGED,
        example=_EXAMPLE,
    ),
    Row(
        "get_mrg_sort_result",
        "GetMrgSortResult",
        "How many elements of each queue the last merge took.",
        forms=(Form("", traits=(GivesBack(("uint16_t",) * 4),)),),
        nonnegative=True,
        exactness="assumed(0 before the first merge)",
        example="a, b, c, d = asc.get_mrg_sort_result()",
    ),
    Row(
        "get_sort_len",
        "GetSortLen",
        "How many elements of a type, float32 if none is given, as many pairs of an element and an index take.",
        forms=_sizes("GetSortLen", "elem_count"),
        effect="value",
        nonnegative=True,
        example="number = asc.get_sort_len(32)",
    ),
    Row(
        "get_sort_offset",
        "GetSortOffset",
        "The index of the pair of a number, in elements of a type; float32 if none is given.",
        forms=_sizes("GetSortOffset", "elem_offset"),
        effect="value",
        nonnegative=True,
        example="number = asc.get_sort_offset(32)",
    ),
)
