"""Rows: vector calls that make one value of many."""

from __future__ import annotations

from dataclasses import replace

from opwright.ascendc.assumptions import ARITHMETIC, SUMS
from opwright.ascendc.elementwise import FLOATS, INT32_MAX, INT64S, OVERFLOW, by_repeats
from opwright.ascendc.row import (
    SET_MASK,
    Access,
    Dtypes,
    Form,
    Function,
    Row,
    dtypes,
    fewer,
    reads,
    steps_by,
    writes_runs,
)
from opwright.ascendc.rules import Align, Range, Rule
from opwright.ascendc.socs import A2, A5
from opwright.ascendc.vector_rules import AlignResults, Lanes, Reduces

TASK, SHORT = "Reduce", "Sums and extremes"
_INTEGERS = ("int16", "uint16", "int32", "uint32")
_WHY = {"bfloat16": "no SoC reduces bfloat16: cast to float32, reduce, cast back"}
_FLOATS = dtypes(a2=FLOATS, a5=FLOATS, why=_WHY)
_WHOLE = dtypes(a2=FLOATS, a5=(*FLOATS, *_INTEGERS), why=_WHY)
_ADDED = fewer(_WHOLE, "int16", "uint16", why="it adds integers of 32 bits: cast, then add")
_ALL = dtypes(a2=FLOATS, a5=(*FLOATS, *_INTEGERS, *INT64S), why=_WHY)
_ALL_ADDED = fewer(_ALL, "int16", "uint16", why="it adds integers of 32 and 64 bits: cast, then add")

_MASKS = ("mask: uint64", "mask: array uint64")
_SRC = "src_blk_stride: int32, src_rep_stride: int32"

_PASSED_OVER = "a lane that takes no part adds nothing, so that -0 alone stays -0; without any lane nothing is written"
_SUMS = f"assumed({_PASSED_OVER}; {OVERFLOW})"
_WHOLE_SUMS = f"assumed({_PASSED_OVER}; {OVERFLOW}; integers, on ascend950, wrap)"
_NAN = "NaN comes before every number, 0 and -0 are equal; without any lane nothing is written"
_EXTREMES = f"assumed({_NAN})"


def _stride(name: str) -> Range:
    return Range(name, 0, 0xFFFF)


def _form(signature: str, repeats: str, results: str, meaning: str, rules: tuple[Rule, ...]) -> Form:
    """Results of each repeat, where the C++ expression `results` says."""
    counted = "mask: uint64" in signature
    return Form(
        signature,
        pipe="PIPE_V",
        accesses=(
            writes_runs("dst", f"opwright::{results}"),
            steps_by("src", False, repeats, "src_blk_stride", "src_rep_stride"),
        ),
        rules=(
            Range(repeats, 0, 255),
            *([Lanes("mask", ("dst", "src"))] * counted),
            _stride("dst_rep_stride"),
            _stride("src_blk_stride"),
            _stride("src_rep_stride"),
            Align("src", 32),
            *rules,
            Reduces("dst", "src"),
        ),
        meaning=Function(meaning),
    )


def _block(name: str) -> tuple[Form, ...]:
    return tuple(
        _form(
            f"dst: ub T, src: ub T, repeat: int32, {mask}, dst_rep_stride: int32, {_SRC}",
            "repeat",
            "block_results<T>(at, chosen.lanes, repeat, dst_rep_stride)",
            name,
            (AlignResults("dst", 8),),
        )
        for mask in _MASKS
    )


def _whole(name: str, ordered: bool) -> tuple[Form, ...]:
    more = "order: ReduceOrder = ORDER_VALUE_INDEX" if ordered else SET_MASK
    return tuple(
        _form(
            f"dst: ub T, src: ub T, {mask}, repeat_time: int32, dst_rep_stride: int32, {_SRC}, {more}",
            "repeat_time",
            f"whole_results<T>(chosen, dst_rep_stride{', order' if ordered else ''})",
            name,
            (AlignResults("dst", 1, "order" if ordered else ""),),
        )
        for mask in _MASKS
    )


def _all(name: str, kinds: Dtypes, counted_space: str, space: str, elements: str) -> tuple[Form, ...]:
    """One result of everything: with a mask as a count and as bits, and with a count of elements."""
    operands = "dst: ub T, src: ub T, shared_tmp_buffer: ub T"
    index = ", cal_index: bool = False" if "cal_index" in elements else ""
    rules = (
        Align("src", 32),
        Align("shared_tmp_buffer", 32),
        AlignResults("dst", 2 if index else 1),
        Reduces("dst", "src"),
        Reduces("shared_tmp_buffer", "src"),
    )

    def form(arguments: str, own: tuple[Rule, ...], is_any: str, space: str, source: Access) -> Form:
        return Form(
            f"{operands}, {arguments}{index}",
            pipe="PIPE_V",
            accesses=(
                writes_runs("dst", f"opwright::one_result<T>({is_any}, {elements})"),
                writes_runs("shared_tmp_buffer", f"opwright::{space}"),
                source,
            ),
            rules=(*own, *rules),
            meaning=Function(name),
            needs_tpipe=dict.fromkeys(A2, f"call asc.whole_{name}, again for its results"),
        )

    stepping = steps_by("src", False, "repeat_time", "1", "src_rep_stride")
    masked = tuple(
        form(
            f"{mask}, repeat_time: int32, src_rep_stride: int32",
            (
                Range("repeat_time", 0, 255),
                *([Lanes("mask", ("dst", "src"))] * (mask == _MASKS[0])),
                _stride("src_rep_stride"),
            ),
            "opwright::any_lane(chosen.lanes) && repeat_time != 0",
            space,
            stepping,
        )
        for mask in _MASKS
    )
    counted = form("count: int32", (Range("count", 0, INT32_MAX),), "count != 0", counted_space, reads("src"))
    return (*(replace(one, dtypes=by_repeats(kinds)) for one in masked), counted)


def _new_sums(name: str, kinds: Dtypes, counted_space: str, space: str, elements: str) -> tuple[Form, ...]:
    """Sums of all, of which integers of 32 bits are new."""
    new = dict.fromkeys(("int32", "uint32"), "after 9.2.0-beta.1")
    *masked, counted = (replace(form, since=new) for form in _all(name, kinds, counted_space, space, elements))
    with_count = {**counted.needs_tpipe, **dict.fromkeys(A5, "pass a mask and repeats")}
    return (*masked, replace(counted, needs_tpipe=with_count))


def _extremes(name: str) -> tuple[Form, ...]:
    return _all(
        name,
        _ALL,
        "space_for_extremes<T>(opwright::repeats_of<T>(count), cal_index)",
        "space_for_extremes<T>(repeat_time, cal_index)",
        "cal_index ? 2 : 1",
    )


_SPACE = "What shared_tmp_buffer holds afterwards is undefined: the twin writes ones to all bits."
_INDEX = (
    "With cal_index the index of the first such element follows it, as an integer in the bits of an element; lanes of "
    "a repeat that take no part are counted."
)


def _block_row(name: str, cpp: str, doc: str, exactness: str) -> Row:
    return Row(
        name,
        cpp,
        f"{doc} of each block of 32 bytes: 8 results for each repeat, one after the other. A block of which no lane "
        "takes part leaves its result as it was; on ascend950 it becomes the result of nothing.",
        forms=_block(name),
        dtypes={"T": _FLOATS},
        exactness=exactness,
        assumes=(ARITHMETIC,),
        example=f"asc.{name}(z_local, x_local, 1, 64, 1, 1, 8)",
    )


def _whole_row(name: str, cpp: str, which: str) -> Row:
    return Row(
        name,
        cpp,
        f"The {which} lane of each repeat and its index, in the order asked for; of equal ones the first. The index is "
        "an integer in the bits of an element, or a uint32 if it is alone. dst_rep_stride counts results.",
        forms=_whole(name, ordered=True),
        dtypes={"T": _WHOLE},
        exactness=_EXTREMES,
        example=f"asc.{name}(z_local, x_local, 64, 2, 1, 1, 8)",
    )


def _extreme_row(name: str, cpp: str, which: str) -> Row:
    return Row(
        name,
        cpp,
        f"The {which} of all elements that take part. {_INDEX} {_SPACE}",
        forms=_extremes(name),
        dtypes={"T": _ALL},
        exactness=f"assumed({_NAN}; an index that does not fit an element wraps; a value alone is one element)",
        example=f"asc.{name}(z_local, x_local, y_local, 100, cal_index=True)",
    )


ROWS = (
    _block_row("block_reduce_sum", "BlockReduceSum", "Adds neighbours, then neighbouring sums, and so on,", _SUMS),
    _block_row("block_reduce_max", "BlockReduceMax", "Takes the greatest lane", _EXTREMES),
    _block_row("block_reduce_min", "BlockReduceMin", "Takes the least lane", _EXTREMES),
    Row(
        "pair_reduce_sum",
        "PairReduceSum",
        "Adds neighbouring lanes. dst_rep_stride counts what the pairs of a repeat take: 128 bytes. A pair of which no "
        "lane takes part leaves its result as it was; on ascend950 it becomes 0.",
        forms=tuple(
            _form(
                f"dst: ub T, src: ub T, repeat_time: int32, {mask}, dst_rep_stride: int32, {_SRC}, {SET_MASK}",
                "repeat_time",
                "pair_results<T>(at, chosen, dst_rep_stride)",
                "pair_reduce_sum",
                (Align("dst", 32),),
            )
            for mask in _MASKS
        ),
        dtypes={"T": _FLOATS},
        exactness=_SUMS,
        assumes=(ARITHMETIC,),
        example="asc.pair_reduce_sum(z_local, x_local, 1, 64, 1, 1, 8)",
    ),
    Row(
        "repeat_reduce_sum",
        "RepeatReduceSum",
        "Adds the lanes of each repeat: neighbours, then neighbouring sums, and so on. dst_rep_stride counts elements; "
        "dst_blk_stride means nothing.",
        forms=(
            _form(
                "dst: ub T, src: ub T, repeat_time: int32, mask: uint64, dst_blk_stride: int32, src_blk_stride: int32, "
                f"dst_rep_stride: int32, src_rep_stride: int32, {SET_MASK}",
                "repeat_time",
                "whole_results<T>(chosen, dst_rep_stride)",
                "whole_reduce_sum",
                (AlignResults("dst", 1),),
            ),
        ),
        dtypes={"T": _ADDED},
        exactness=_WHOLE_SUMS,
        assumes=(ARITHMETIC,),
        example="asc.repeat_reduce_sum(z_local, x_local, 2, 64, 0, 1, 1, 8)",
    ),
    _whole_row("whole_reduce_max", "WholeReduceMax", "greatest"),
    _whole_row("whole_reduce_min", "WholeReduceMin", "least"),
    Row(
        "whole_reduce_sum",
        "WholeReduceSum",
        "Adds the lanes of each repeat: neighbours, then neighbouring sums, and so on. dst_rep_stride counts elements.",
        forms=_whole("whole_reduce_sum", ordered=False),
        dtypes={"T": _ADDED},
        exactness=_WHOLE_SUMS,
        assumes=(ARITHMETIC,),
        example="asc.whole_reduce_sum(z_local, x_local, 64, 2, 1, 1, 8)",
    ),
    _extreme_row("reduce_max", "ReduceMax", "greatest"),
    _extreme_row("reduce_min", "ReduceMin", "least"),
    Row(
        "reduce_sum",
        "ReduceSum",
        "Adds all elements that take part: those of each repeat as whole_reduce_sum does, then the sums of repeats, "
        "with a mask in the same way, with a count one after the other; on ascend950 in the same way always, but for "
        "counts of 256 to 1024 bytes, whose repeats it adds lane by lane before. "
        f"{_SPACE} With a count only ascend950 uses it.",
        forms=_new_sums("reduce_sum", _ALL_ADDED, "space_for_sum<T>(at, count)", "space_for_sums<T>(repeat_time)", "1"),
        dtypes={"T": _ALL_ADDED},
        exactness=(
            f"assumed({_PASSED_OVER}; {OVERFLOW}; integers, on ascend950, wrap; public texts say that this SoC folds "
            "counts of 256 to 1024 bytes, but not in which order)"
        ),
        assumes=(ARITHMETIC, SUMS),
        example="asc.reduce_sum(z_local, x_local, y_local, 100)",
    ),
)
