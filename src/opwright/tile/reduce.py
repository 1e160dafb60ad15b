"""Reductions of what is there, and the order of sums.

In: an array, the axes to reduce, the data type of the tile. Out: an array without these axes. The order of a sum is
part of the language: a compiled kernel adds in the order of `sum_of_columns` and `sum_of_rows`, on every SoC.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from opwright.ascendc.dtypes import DTYPES, DataType
from opwright.tile.dtypes import numpy_type, rounded, widened

Array: TypeAlias = "np.ndarray[Any, Any]"
LANES = {"float32": 64, "float16": 128, "int32": 64}


def reduced(name: str, values: Array, axes: tuple[int, ...], dtype: DataType) -> Array:
    """`sum`, `max` or `min` over axes. A sum over all of two axes adds columns first, then the sums of the rows."""
    if name == "sum" and dtype.name == "bfloat16":
        # No SoC adds bfloat16 across lanes: its sums are those of float32, rounded once.
        return rounded(reduced(name, values.astype(np.float32), axes, DTYPES["float32"]), dtype)
    for axis in sorted(axes, reverse=True):
        is_last = axis == values.ndim - 1
        if name != "sum":
            values = _extreme(name, values, axis, dtype)
        else:
            values = sum_of_columns(values, dtype) if is_last else sum_of_rows(values, dtype)
    return values


def sum_of_columns(values: Array, dtype: DataType) -> Array:
    """The sum over the last axis, in the order of the chip.

    1. Columns are taken 64 at a time (128 of float16): there is one partial sum for each of these lanes. The first 64
       columns are its values. The next 64 are added to them, lane by lane, and so on; the last columns, which may be
       fewer, are added to the first lanes.
    2. Lanes that have a value are joined as a binary tree: lane 0 with 1, 2 with 3 and so on, then neighbours among
       these sums, until one is left. A lane without a neighbour goes up unchanged.

    Every addition is rounded to the data type. int32 wraps. The sum of nothing is 0.
    """
    lanes = LANES[dtype.name]
    count = values.shape[-1]
    if count == 0:
        return np.zeros(values.shape[:-1], numpy_type(dtype))
    sums = values[..., :lanes].copy()
    for start in range(lanes, count, lanes):
        part = values[..., start : start + lanes]
        sums[..., : part.shape[-1]] = _added(sums[..., : part.shape[-1]], part, dtype)
    while sums.shape[-1] > 1:
        right = sums[..., 1::2]
        sums = sums[..., ::2].copy()
        sums[..., : right.shape[-1]] = _added(sums[..., : right.shape[-1]], right, dtype)
    return sums[..., 0]


def sum_of_rows(values: Array, dtype: DataType) -> Array:
    """The sum over the first of two axes: while there is more than one row, the lower half is added to the upper one.

    Of n rows the upper (n + 1) // 2 stay, and row i of the others is added to row i of these. Every addition is rounded
    to the data type. int32 wraps. The sum of nothing is 0.
    """
    if values.shape[0] == 0:
        return np.zeros(values.shape[1:], numpy_type(dtype))
    while (count := values.shape[0]) > 1:
        half = (count + 1) // 2
        sums = values[:half].copy()
        sums[: count - half] = _added(sums[: count - half], values[half:], dtype)
        values = sums
    total: Array = values[0]
    return total


def _added(first: Array, second: Array, dtype: DataType) -> Array:
    with np.errstate(all="ignore"):
        return rounded(widened(first, dtype) + widened(second, dtype), dtype)


def _extreme(name: str, values: Array, axis: int, dtype: DataType) -> Array:
    """The greatest or least; NaN if there is one. Which of two zeros it is, is not defined."""
    if dtype.is_float():
        nothing = -np.inf if name == "max" else np.inf
    else:
        nothing = dtype.limits[name == "min"]
    function = np.max if name == "max" else np.min
    return rounded(function(widened(values, dtype), axis=axis, initial=nothing), dtype)
