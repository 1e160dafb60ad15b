"""Rules of the language about shapes and types, which running a kernel in NumPy and compiling it share.

In: shapes, data types and lines of tiles. Out: the shape or type of a result. Refuses what no operation takes, at the
author's line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn, Protocol

import numpy as np

from opwright.ascendc.dtypes import DataType
from opwright.errors import NotAnIndex, TileDtype, TileShape, WrongType, brief
from opwright.tile import dtypes
from opwright.tile.place import here

MAX_RANK = 2
ROUNDINGS = ("nearest", "floor", "ceil", "trunc")


class Shaped(Protocol):
    """A tile, as far as rules look at it. `line`: where it was made."""

    @property
    def shape(self) -> tuple[int, ...]: ...

    @property
    def dtype(self) -> DataType: ...

    @property
    def line(self) -> int | None: ...


def refuse_operand(operation: str, word: str) -> NoReturn:
    """Refuses what is neither a tile nor a number; `word`: the name of its class."""
    hint = "load a tile of it first: x[rows, cols]" if word == "Tensor" else "it takes tiles and numbers"
    raise WrongType(here(), operation=operation, got=f"a {word}", hint=hint)


def broadcast(operation: str, tiles: Sequence[Shaped]) -> tuple[int, ...]:
    """The shape of an operation on tiles: NumPy's rules."""
    shape: tuple[int, ...] = ()
    for tile in tiles:
        size = max(len(shape), len(tile.shape))
        first, second = ((1,) * (size - len(one)) + one for one in (shape, tile.shape))
        if any(a != b and 1 not in (a, b) for a, b in zip(first, second, strict=True)):
            _refuse_shapes(operation, tiles)
        shape = tuple(max(a, b) for a, b in zip(first, second, strict=True))
    return shape


def _refuse_shapes(operation: str, tiles: Sequence[Shaped]) -> NoReturn:
    shapes = " and ".join(str(tile.shape) for tile in tiles)
    lines = ", ".join(f"{tile.shape} (line {tile.line})" for tile in tiles if tile.line)
    hint = "sizes of an axis are equal, or one of them is 1"
    hint += f"; made: {lines}" if lines else ""
    raise TileShape(here(), operation=operation, message=f"shapes {shapes} do not broadcast", hint=hint)


def common_dtype(operation: str, tiles: Sequence[Shaped], has_float: bool) -> DataType:
    """The type of an operation; of numbers alone float32 if one of them is a float, else int32."""
    if not tiles:
        return dtypes.FLOAT32 if has_float else dtypes.INT32
    found = tiles[0].dtype
    for tile in tiles[1:]:
        found = dtypes.common(operation, found, tile.dtype)
    return found


def axis_of(operation: str, shape: tuple[int, ...], axis: Any) -> int:
    """An axis of a tile, counted from 0."""
    rank = len(shape)
    if isinstance(axis, int) and -rank <= axis < rank:
        return axis % rank
    message = f"a tile of shape {shape} has no axis {brief(axis)}"
    raise TileShape(here(), operation=operation, message=message, hint=f"its axes are 0 to {rank - 1}")


def refuse_sum(dtype: DataType) -> None:
    """Refuses sums in types that no SoC adds in."""
    if dtype.is_int() and dtype != dtypes.INT32:
        message = f"it takes floats and int32, not {dtype.name}"
        raise TileDtype(here(), operation="sum", message=message, hint="convert the tile: .to(tile.int32)")


def viewed(shape: tuple[int, ...], items: Sequence[object]) -> list[int | None]:
    """Which axis of a tile each axis of t[items] is; None: a new one. `items`: None and slices, or words for others."""
    left = list(range(len(shape)))
    kept: list[int | None] = []
    for item in items:
        if item is None:
            kept.append(None)
        elif isinstance(item, slice) and item == slice(None) and left:
            kept.append(left.pop(0))
        else:
            hint = "None adds an axis and : keeps one, as in t[:, None]; load another tile for a part of it"
            raise NotAnIndex(here(), index=shown(item), what=f"a tile of shape {shape}", hint=hint)
    kept += left
    if len(kept) > MAX_RANK:
        sizes = tuple(1 if axis is None else shape[axis] for axis in kept)
        message = f"a tile of shape {sizes} would have {len(kept)} axes"
        raise TileShape(here(), operation="None in an index", message=message, hint="a tile has at most 2")
    return kept


def shown(index: object) -> str:
    """An index in a message, as it was written; a text stands for itself."""
    if isinstance(index, tuple):
        return ", ".join(map(shown, index))
    if isinstance(index, slice):
        parts = ["" if one is None else shown(one) for one in (index.start, index.stop)]
        return ":".join(parts if index.step is None else [*parts, shown(index.step)])
    if isinstance(index, str):
        return index
    dtype = getattr(index, "dtype", None)
    is_tile = isinstance(dtype, DataType) and hasattr(index, "counts")
    return f"a tile of {dtype.name}" if is_tile and dtype else brief(index)


def shape_of(operation: str, shape: Any) -> tuple[int, ...]:
    """A shape that an author gives."""
    sizes = tuple(shape) if isinstance(shape, Sequence) and not isinstance(shape, str) else (shape,)
    wrong = [one for one in sizes if not isinstance(one, (int, np.integer)) or one < 1]
    if not wrong and len(sizes) <= MAX_RANK:
        return tuple(map(int, sizes))
    message = f"{brief(shape)} is not the shape of a tile"
    raise TileShape(here(), operation=operation, message=message, hint="a tile has at most 2 axes, of sizes from 1")


def refuse_cast(old: DataType, dtype: Any, round: Any) -> None:
    """Refuses conversions that there are not."""
    if not isinstance(dtype, DataType):
        hint = f"write one of {', '.join(f'tile.{one.name}' for one in dtypes.OF_TILES)}, or x.dtype"
        raise WrongType(here(), operation="to", got=brief(dtype), hint=hint)
    dtypes.refuse_wide("to", dtype)
    dtypes.refuse_kind("to", old, "number")
    is_to_integer = old.is_float() and dtype.is_int()
    if round not in ROUNDINGS or (round != "nearest" and not is_to_integer):
        message = f"round={round!r} is not for a conversion of {old.name} to {dtype.name}"
        hint = f"from floats to integers it is one of {', '.join(ROUNDINGS)}; all else rounds to nearest even"
        raise TileDtype(here(), operation="to", message=message, hint=hint)


def product_dtype(a: Shaped, b: Shaped, acc: Shaped | None) -> DataType:
    """The type of a product of matrices."""
    wanted = None if len(a.shape) != 2 or len(b.shape) != 2 else (a.shape[0], b.shape[1])
    given = [one for one in (a, b, acc) if one is not None]
    if wanted is None or a.shape[1] != b.shape[0] or (acc is not None and acc.shape != wanted):
        shapes = " and ".join(str(one.shape) for one in given)
        hint = "it takes (m, k) and (k, n), and (m, n) to add to"
        raise TileShape(here(), operation="dot", message=f"shapes {shapes} do not fit", hint=hint)
    is_float = a.dtype.is_float() and a.dtype == b.dtype
    dtype = dtypes.FLOAT32 if is_float else dtypes.INT32
    if (is_float or (a.dtype.name, b.dtype.name) == ("int8", "int8")) and (acc is None or acc.dtype == dtype):
        return dtype
    got = " and ".join(one.dtype.name for one in given)
    hint = "both are float16, bfloat16, float32 or int8; what it adds to is float32, of int8 int32"
    raise TileDtype(here(), operation="dot", message=f"it does not take {got}", hint=hint)


def refuse_access(operation: str, dtype: DataType, sizes: tuple[int, ...]) -> None:
    """Refuses loads and stores of tiles that there are not."""
    if len(sizes) > MAX_RANK:
        message = f"spans of sizes {sizes} would make a tile of {len(sizes)} axes"
        raise TileShape(here(), operation=operation, message=message, hint="index other axes with numbers")
    dtypes.refuse_wide(operation, dtype)


def refuse_stored(operation: str, name: str, dtype: DataType, sizes: tuple[int, ...], value: Shaped) -> None:
    """Refuses a tile that does not fit where it is stored."""
    if value.shape != sizes:
        message = f"a tile of shape {value.shape} does not fit spans of sizes {sizes}"
        made = f"; the tile was made above (line {value.line})" if value.line else ""
        raise TileShape(here(), operation=operation, message=message, hint=f"sizes must be equal{made}")
    if value.dtype != dtype:
        message = f"{name} holds {dtype.name} and the tile {value.dtype.name}"
        raise TileDtype(here(), operation=operation, message=message, hint=f"convert it: .to({name}.dtype)")
