"""Rows: structs that say how a composed call goes through its rows."""

from __future__ import annotations

from opwright.ascendc.row import Form, Row
from opwright.ascendc.traits import Aggregate

TASK, SHORT = "Host", "Plans of composed calls"
_HOST = "On an NPU the other fields come from the toolchain's own functions for the host; the twin does not need them."


def _row(name: str, cpp: str, doc: str, fields: str, example: str) -> Row:
    return Row(
        f"adv.{name}",
        cpp,
        f"{doc} {_HOST}",
        forms=(Form(fields, result=f"object adv.{name}", text=f"AscendC::tiling::{cpp}", traits=(Aggregate(),)),),
        effect="value",
        exactness="assumed(of what the fields mean only the part that the twin needs is known)",
        example=example,
    )


def _fields(*names: str) -> str:
    return ", ".join(f"{name}: uint32 = 0" for name in names)


ROWS = (
    _row(
        "SoftmaxTiling",
        "SoftMaxTiling",
        "How asc.adv.softmax goes through its rows: src_m rows of src_k elements.",
        _fields(
            *("src_m", "src_k", "src_size", "out_max_m", "out_max_k", "out_max_size"),
            *("split_m", "split_k", "split_size", "reduce_m", "reduce_k", "reduce_size"),
            *("range_m", "tail_m", "tail_split_size", "tail_reduce_size"),
        ),
        "tiling = asc.adv.SoftmaxTiling(2, 32)\nasc.adv.softmax(z_local, y_local, y_local[64:], x_local, tiling)",
    ),
    _row(
        "RmsNormTiling",
        "RmsNormTiling",
        "How asc.adv.rmsnorm goes through its rows: b_length * s_length rows of h_length elements, of which the first "
        "original_h_length are data; reciprocal_of_h_length is 1 / original_h_length.",
        f"{_fields('b_length', 's_length', 'h_length', 'original_h_length')}, reciprocal_of_h_length: float32 = 0, "
        + _fields(
            *("main_bsh_length", "main_bs_length", "main_bs_length_align", "loop_round", "input_tail_pos"),
            *("tail_bsh_length", "tail_bs_length"),
        ),
        "tiling = asc.adv.RmsNormTiling(1, 2, 32, 32, 0.03125)\n"
        "asc.adv.rmsnorm(z_local, x_local, y_local, 0.001, tiling)",
    ),
)
