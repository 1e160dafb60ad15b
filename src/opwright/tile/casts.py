"""Conversions between data types of tiles.

In: an array, its type, the new type, a way to round. Out: an array of the same shape. Refuses bool tiles, 64-bit
types and ways to round that a conversion does not have.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from opwright.ascendc.dtypes import DataType
from opwright.tile.dtypes import numpy_type, rounded
from opwright.tile.shapes import refuse_cast

Array: TypeAlias = "np.ndarray[Any, Any]"
_ROUND = {"nearest": np.rint, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc}


def cast(values: Array, old: DataType, dtype: Any, round: str) -> Array:
    """What `Tile.to` does."""
    refuse_cast(old, dtype, round)
    with np.errstate(all="ignore"):
        if old.is_float() and dtype.is_int():
            whole = _ROUND[round](np.nan_to_num(values.astype(np.float64), nan=0.0, posinf=np.inf, neginf=-np.inf))
            values = np.clip(whole, *dtype.limits).astype(numpy_type(dtype))
        elif dtype.is_int():
            values = np.clip(values.astype(np.int64), *dtype.limits).astype(numpy_type(dtype))
        else:
            # Integers of 32 bits are exact as float64, which float32 and float16 are rounded from once.
            wide = values.astype(np.float64) if old.is_int() and dtype.name != "bfloat16" else values
            values = rounded(_once(wide) if dtype.name == "bfloat16" else wide, dtype)
    return values


def _once(values: Array) -> Array:
    """Integers as float32 for bfloat16: what is lost stays in the last bit, so that they are rounded once."""
    if values.dtype.kind not in "iu":
        return values.astype(np.float32)
    exact = values.astype(np.float64)
    near = exact.astype(np.float32)
    toward = np.where(np.abs(near) > np.abs(exact), np.nextafter(near, np.float32(0)), near)
    odd = toward.view(np.int32) | (toward.astype(np.float64) != exact)
    result: Array = odd.astype(np.int32).view(np.float32)
    return result
