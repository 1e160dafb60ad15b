"""Tilings of composed calls, computed on the host from shapes.

In: a shape, an element type, how many rows a call takes at once. Out: the struct that the call wants, for a launch. The
twin takes all rows at once whatever that number is; on an NPU the toolchain's own functions know how many fit.
"""

from __future__ import annotations

from opwright.ascendc.dtypes import DataType
from opwright.kernel.names import aggregate

_BLOCK = 32  # bytes


def softmax_tiling(rows: int, columns: int, dtype: DataType, at_once: int = 0) -> object:
    """The tiling of asc.adv.softmax for `rows` of `columns` elements, `at_once` rows at a time, or all of them."""
    split = min(at_once or rows, rows)
    block = _BLOCK // dtype.bytes
    times, tail = divmod(rows, split) if split else (0, 0)
    return aggregate("adv.SoftmaxTiling")(
        src_m=rows,
        src_k=columns,
        src_size=rows * columns,
        out_max_m=rows,
        out_max_k=block,
        out_max_size=rows * block,
        split_m=split,
        split_k=columns,
        split_size=split * columns,
        reduce_m=split,
        reduce_k=block,
        reduce_size=split * block,
        range_m=times,
        tail_m=tail,
        tail_split_size=tail * columns,
        tail_reduce_size=tail * block,
    )


def rms_norm_tiling(batch: int, length: int, hidden: int, dtype: DataType, at_once: int = 0) -> object:
    """The tiling of asc.adv.rmsnorm for batch * length rows of `hidden` elements, each padded to whole blocks."""
    in_block = _BLOCK // dtype.bytes
    padded = -(-hidden // in_block) * in_block
    rows = batch * length
    split = min(at_once or rows, rows)
    times, tail = divmod(rows, split) if split else (0, 0)
    return aggregate("adv.RmsNormTiling")(
        b_length=batch,
        s_length=length,
        h_length=padded,
        original_h_length=hidden,
        reciprocal_of_h_length=1 / hidden if hidden else 0.0,
        main_bsh_length=split * padded,
        main_bs_length=split,
        main_bs_length_align=-(-split // 8) * 8,
        loop_round=times,
        input_tail_pos=times * split * padded,
        tail_bsh_length=tail * padded,
        tail_bs_length=tail,
    )


# Names of `opwright.asc.adv` that are plain functions -> what they give, for the stub.
RESULTS = {"rms_norm_tiling": "RmsNormTiling", "softmax_tiling": "SoftmaxTiling"}
