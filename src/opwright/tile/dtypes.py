"""Data types of tiles: what they are in NumPy, which type two of them give, and how numbers take the type of a tile.

In: data types of `opwright.ascendc`. Out: NumPy types, the common type, rounded arrays. Refuses pairs that have no
common type, numbers that a type does not hold, and tiles of 64-bit types. bfloat16 needs the package ml_dtypes.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from opwright.ascendc.dtypes import DTYPES, DataType, before_float32
from opwright.errors import ArgumentError, TileDtype
from opwright.tile.place import current, here

BOOL = DataType("bool", "bool", 1, "bool", "bool")  # what comparisons give; no tensor has it
FLOAT32, INT32 = DTYPES["float32"], DTYPES["int32"]
OF_TILES = tuple(dtype for dtype in DTYPES.values() if dtype.bytes < 8)
# As in torch: what two integer types give if they differ. It has none for uint16 and uint32.
_INTEGERS = ("int8", "int16", "int32")


def numpy_type(dtype: DataType) -> np.dtype[Any]:
    """The same type in NumPy."""
    if dtype.name != "bfloat16":
        return np.dtype(dtype.name)
    try:
        import ml_dtypes  # optional: only kernels with bfloat16 need it
    except ImportError:
        message = "bfloat16 in NumPy needs the package ml_dtypes: pip install ml_dtypes"
        raise ArgumentError(here(), kernel=current().name, message=message) from None
    found: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
    return found


def widened(values: np.ndarray[Any, Any], dtype: DataType) -> np.ndarray[Any, Any]:
    """The array in the type that operations compute in: float32 for all floats."""
    return values.astype(np.float32) if dtype.is_float() else values


def rounded(values: Any, dtype: DataType) -> np.ndarray[Any, Any]:
    """What an operation computed, in its type: to nearest even; too large floats are infinite, integers wrap."""
    return np.asarray(values).astype(numpy_type(dtype), copy=False)


def refuse_wide(operation: str, dtype: DataType) -> None:
    """Refuses types that no tile has."""
    if dtype in OF_TILES:
        return
    raise TileDtype(
        here(),
        operation=operation,
        message=f"no tile has the type {dtype.name}",
        hint=f"tiles have {', '.join(one.name for one in OF_TILES)}; numbers are read from tensors of all types",
    )


def common(operation: str, first: DataType, second: DataType) -> DataType:
    """The type of an operation on two tiles: torch's among floats and among integers; nothing else is mixed."""
    if first == second:
        return first
    if first.is_float() and second.is_float():
        return FLOAT32
    names = {first.name, second.name}
    if names <= {*_INTEGERS, "uint8"}:
        if names == {"int8", "uint8"}:
            return DTYPES["int16"]
        return DTYPES[max(names - {"uint8"}, key=_INTEGERS.index)]
    message = f"{first.name} and {second.name} have no common type"
    if BOOL in (first, second):
        hint = "a bool tile is for tile.where, &, | and ~"
    else:
        hint = f"convert one of the tiles: .to(tile.{(second if second.is_float() else first).name})"
    raise TileDtype(here(), operation=operation, message=message, hint=hint)


def number_as(operation: str, number: Any, dtype: DataType) -> np.ndarray[Any, Any]:
    """A number in the type of the tile that it meets. A float is float32 first, as every number of a kernel."""
    if dtype.is_float():
        return rounded(np.float64(before_float32(number)).astype(np.float32), dtype)
    refuse_number(operation, number, dtype)
    return np.asarray(number, numpy_type(dtype))


def refuse_float(operation: str, word: str, dtype: DataType) -> NoReturn:
    """Refuses a number that is a float with a tile of integers."""
    message = f"the number {word} is a float and the tile is {dtype.name}"
    hint = "convert the tile: .to(tile.float32); or write an integer"
    raise TileDtype(here(), operation=operation, message=message, hint=hint)


def refuse_number(operation: str, number: Any, dtype: DataType) -> None:
    """Refuses a number that a type does not hold."""
    if dtype.is_float():
        return
    if isinstance(number, float):
        refuse_float(operation, repr(number), dtype)
    low, high = (0, 1) if dtype == BOOL else dtype.limits
    if not low <= number <= high:
        message = f"the number {number} does not fit {dtype.name}"
        raise TileDtype(here(), operation=operation, message=message, hint=f"it holds {low} to {high}")


def refuse_kind(operation: str, dtype: DataType, kinds: str) -> None:
    """Refuses an operation on tiles of another kind of type."""
    is_right = {"number": dtype.is_numeric(), "float": dtype.is_float(), "bool": dtype == BOOL}[kinds]
    if is_right:
        return
    words = {"number": "numbers", "float": "floats", "bool": "bool tiles, which comparisons give"}[kinds]
    hint = "use tile.where(mask, 1.0, 0.0)" if dtype == BOOL else "convert the tile first: .to(tile.float32)"
    if kinds == "bool":
        hint = "compare first: t > 0"
    message = f"it takes {words}, not {dtype.name}"
    raise TileDtype(here(), operation=operation, message=message, hint=hint)
