"""Rows: calls that the 32 threads of a warp execute together, and calls that give a thread its place in it."""

from __future__ import annotations

from opwright.ascendc.row import Form, Row, simt_dtypes
from opwright.ascendc.rules import OneNumberOf

TASK, SHORT = "SIMT", "Warps"
_NARROW = "threads of a warp exchange 32 and 64 bits: make it wider, asc.number(x, asc.int32)"
_MOVED = simt_dtypes(
    *("int32", "uint32", "int64", "uint64", "float16", "bfloat16", "float32"),
    why=dict.fromkeys(("int8", "int16", "uint8", "uint16"), _NARROW),
)
_WIDE = "a reduction takes 32 bits: asc.number(x, asc.int32)"
_REDUCED = simt_dtypes(
    *("int32", "uint32", "float16", "float32"),
    why={"int64": _WIDE, "uint64": _WIDE, "bfloat16": "reduce float32: float(x)"},
)
_WIDTHS = (1, 2, 4, 8, 16, 32)
_INACTIVE = "an inactive lane has no value, and the twin stops"
_NAN = "assumed(a NaN gives way to a number; of 0 and -0 it is that of the higher lane)"


def _shuffle(name: str, doc: str, lane: str, example: str, exactness: str) -> Row:
    return Row(
        f"simt.{name}",
        f"asc_{name}",
        f"{doc} A warp falls into groups of width lanes.",
        forms=(
            Form(
                f"var: scalar T, {lane}, width: int32 = 32",
                rules=(OneNumberOf("width", _WIDTHS),),
                result="scalar T",
            ),
        ),
        dtypes={"T": _MOVED},
        exactness=f"assumed({exactness}; {_INACTIVE})",
        example=f"z[thread] = simt.{name}(x[thread], {example})",
        meets="warp",
    )


def _vote(name: str, doc: str, signature: str, result: str, nonnegative: bool = True) -> Row:
    example = f"o[thread] = simt.{name}({'x[thread] > 0.0' if signature else ''})"
    return Row(
        f"simt.{name}",
        f"asc_{name}",
        doc,
        forms=(Form(signature, result=result),),
        nonnegative=nonnegative,
        example=example,
        meets="warp",
    )


def _reduction(name: str, doc: str, exactness: str) -> Row:
    return Row(
        f"simt.reduce_{name}",
        f"asc_reduce_{name}",
        f"{doc} of all lanes of a warp that take part, in each of them.",
        forms=(Form("val: scalar T", result="scalar T"),),
        dtypes={"T": _REDUCED},
        exactness=exactness,
        example=f"z[thread] = simt.reduce_{name}(x[thread])",
        meets="warp",
    )


def _lane(name: str, doc: str, nonnegative: bool = False) -> Row:
    return Row(
        f"simt.{name}",
        name,
        doc,
        forms=(Form("", result="int32"),),
        effect="value",
        nonnegative=nonnegative,
        example=f"n[thread] = simt.{name}()",
    )


_MASKS = {
    "eq": "its own",
    "le": "its own and the lower",
    "lt": "the lower",
    "ge": "its own and the higher",
    "gt": "the higher",
}

ROWS = (
    _shuffle(
        "shfl",
        "Gives var of lane src_lane of the group, counted modulo width.",
        "src_lane: int32",
        "0",
        "a negative src_lane counts modulo width, too",
    ),
    _shuffle(
        "shfl_up",
        "Gives var of the lane that is delta lower; its own in the lowest lanes of a group.",
        "delta: uint32",
        "1",
        "groups have a power of 2 as their width",
    ),
    _shuffle(
        "shfl_down",
        "Gives var of the lane that is delta higher; its own in the highest lanes of a group.",
        "delta: uint32",
        "1",
        "groups have a power of 2 as their width",
    ),
    _shuffle(
        "shfl_xor",
        "Gives var of the lane whose number differs in the bits of lane_mask; its own if that is in a higher group.",
        "lane_mask: int32",
        "16",
        "a lane_mask that leads beyond lane 31 gives a lane its own",
    ),
    _vote(
        "all",
        "Gives 1 if the predicate is true in all lanes that take part, otherwise 0.",
        "predicate: predicate",
        "int32",
    ),
    _vote(
        "any",
        "Gives 1 if the predicate is true in a lane that takes part, otherwise 0.",
        "predicate: predicate",
        "int32",
    ),
    _vote(
        "ballot",
        "Gives a bit for each lane: 1 if it takes part and its predicate is true.",
        "predicate: predicate",
        "uint32",
    ),
    _vote("activemask", "Gives a bit for each lane: 1 if it takes part.", "", "uint32"),
    _reduction(
        "add",
        "Gives the sum",
        "assumed(neighbours are added first, then pairs of them, each sum rounded to its type; integers wrap)",
    ),
    _reduction("max", "Gives the largest number", _NAN),
    _reduction("min", "Gives the smallest number", _NAN),
    _lane("laneid", "Gives the number of a thread in its warp, from 0 to 31.", nonnegative=True),
    *(
        _lane(
            f"lanemask_{name}",
            f"Gives a bit for each lane: 1 for {which} lane{'s' * (name != 'eq')}; an int32, so bit 31 is its sign.",
        )
        for name, which in _MASKS.items()
    ),
)
