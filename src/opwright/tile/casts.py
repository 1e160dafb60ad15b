"""Conversions between data types of tiles.

In: an array, its type, the new type, a way to round. Out: an array of the same shape. Refuses bool tiles, 64-bit
types and ways to round that a conversion does not have.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from opwright.ascendc.dtypes import DataType
from opwright.errors import TileDtype, WrongType, brief
from opwright.tile.dtypes import OF_TILES, numpy_type, refuse_kind, refuse_wide, rounded
from opwright.tile.place import here

Array: TypeAlias = "np.ndarray[Any, Any]"
_ROUND = {"nearest": np.rint, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc}


def cast(values: Array, old: DataType, dtype: Any, round: str) -> Array:
    """What `Tile.to` does."""
    if not isinstance(dtype, DataType):
        hint = f"write one of {', '.join(f'tile.{one.name}' for one in OF_TILES)}, or x.dtype"
        raise WrongType(here(), operation="to", got=brief(dtype), hint=hint)
    refuse_wide("to", dtype)
    refuse_kind("to", old, "number")
    is_to_integer = old.is_float() and dtype.is_int()
    if round not in _ROUND or (round != "nearest" and not is_to_integer):
        message = f"round={round!r} is not for a conversion of {old.name} to {dtype.name}"
        hint = f"from floats to integers it is one of {', '.join(_ROUND)}; all else rounds to nearest even"
        raise TileDtype(here(), operation="to", message=message, hint=hint)
    with np.errstate(all="ignore"):
        if is_to_integer:
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
