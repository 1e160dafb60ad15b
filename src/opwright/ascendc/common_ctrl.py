"""Rows: the state of a core that later calls depend on: masks."""

from __future__ import annotations

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.elementwise import INT32_MAX
from opwright.ascendc.row import Form, Function, Row, dtypes
from opwright.ascendc.rules import Range
from opwright.ascendc.vector_rules import MaskLength

_ALL = tuple(DTYPES)

ROWS = (
    Row(
        "set_vector_mask",
        "SetVectorMask",
        "Sets the mask register, for calls with is_set_mask=False: the first `length` lanes of every repeat, or with "
        "MaskMode.COUNTER a number of elements; or the bits of both words. The mode of the core does not change: "
        "set_mask_count and set_mask_norm do that. Calls with a count leave the register full, calls with a mask of "
        "their own leave that.",
        forms=(
            Form(
                "length: int32, dtype: template dtype T, mode: template MaskMode",
                rules=(Range("length", 0, INT32_MAX), MaskLength("length", "dtype", "mode")),
                meaning=Function("set_vector_mask"),
            ),
            Form(
                "mask_high: uint64, mask_low: uint64, dtype: template dtype T, mode: template MaskMode",
                meaning=Function("set_mask_words"),
            ),
        ),
        dtypes={"T": dtypes(a2=_ALL, a5=_ALL)},
        exactness=(
            "assumed(public texts do not say what calls with a mask of their own leave in the register, nor what a "
            "count means with is_set_mask=False: here the register decides, in normal mode over one repeat)"
        ),
        example="asc.set_vector_mask(32, asc.float32, asc.MaskMode.NORMAL)",
    ),
    Row(
        "set_mask_count",
        "SetMaskCount",
        "Counter mode: the mask register holds a number of elements, and the repeats of a call follow from it. A call "
        "with a mask of its own cannot be made in this mode; one with a count leaves normal mode.",
        forms=(Form("", meaning=Function("set_mask_count")),),
        example="asc.set_mask_count()",
    ),
    Row(
        "set_mask_norm",
        "SetMaskNorm",
        "Normal mode, in which a kernel starts: the mask register holds the lanes of each repeat.",
        forms=(Form("", meaning=Function("set_mask_norm")),),
        example="asc.set_mask_norm()",
    ),
    Row(
        "reset_mask",
        "ResetMask",
        "Sets every bit of the mask register; the mode stays.",
        forms=(Form("", meaning=Function("reset_mask")),),
        example="asc.reset_mask()",
    ),
    Row(
        "init_soc_state",
        "InitSocState",
        "Sets the state of the core as a kernel should find it: normal mode, every bit of the mask, atomics off.",
        forms=(Form("", meaning=Function("init_soc_state")),),
        example="asc.init_soc_state()",
    ),
)
