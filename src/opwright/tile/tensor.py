"""Tensors: arguments in global memory, which spans and numbers index.

In: an array of NumPy, with any strides but that of its last axis. Out: `Tensor`: `x[rows, cols]` loads a tile,
`y[rows, cols] = t` stores one, `n[i]` reads a number. Refuses what is no index, spans past an axis, other types than
the tensor's, and numbers of tensors that the kernel writes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, cast, overload

import numpy as np

from opwright.ascendc.dtypes import DTYPES, DataType
from opwright.errors import (
    LastStride,
    NotAnIndex,
    OutOfRange,
    ReadOnlyArgument,
    WrittenAndRead,
    WrongType,
    brief,
)
from opwright.tile.numbers import Int, number
from opwright.tile.place import author_frames, current, here, mark_of
from opwright.tile.shapes import refuse_access, refuse_stored, shown
from opwright.tile.spans import Span
from opwright.tile.values import Array, Tile

if TYPE_CHECKING:
    Index: TypeAlias = "int | Span | slice | Tile"


@dataclass(frozen=True)
class _Axis:
    """What an index says about one axis: the elements that are there, and the size they stand for; none: a number."""

    there: Any
    size: int | None = None
    count: int = 1


class Tensor:
    """An argument in global memory, with shape and strides that are known when the kernel is launched. Rank 1 to 5."""

    def __init__(self, name: str, array: Array) -> None:
        self._name = name
        self._array = array
        self._is_written = self._gives_numbers = False
        self.dtype: DataType = DTYPES[array.dtype.name]

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of its axes."""
        lengths: Any = tuple(map(Int, self._array.shape))
        return cast("tuple[int, ...]", lengths)

    @overload
    def __getitem__(self, index: int | tuple[int, ...]) -> Any: ...
    @overload
    def __getitem__(self, index: Span | slice | Tile | tuple[Index, ...]) -> Tile: ...
    def __getitem__(self, index: Any) -> Any:
        """Loads a tile: one index for each axis. A number drops its axis; if all are numbers, a number is read.

        A span, a slice of constant length or `:` gives an axis of the tile; so does a tile of integers, element by
        element.
        """
        axes = self._axes(index)
        sizes = tuple(axis.size for axis in axes if axis.size is not None)
        if not sizes:
            if self._is_written:
                self._refuse_both()
            self._gives_numbers = True
            self._refuse_gaps()
            return number(self._array[tuple(axis.there for axis in axes)])
        self._refuse_shape("a load", sizes)
        return Tile(self._array[tuple(axis.there for axis in axes)].copy(), sizes, self.dtype)

    def __setitem__(self, index: Index | tuple[Index, ...], value: Tile) -> None:
        """Stores what is there of a tile, which has the type of the tensor and the sizes of the spans."""
        where, values = self.target("a store", index, value)
        self._array[where] = values

    def target(self, operation: str, index: Any, value: object) -> tuple[Any, Array]:
        """Where in the array a store goes, and what it puts there."""
        axes = self._axes(index)
        if any(isinstance(axis.there, np.ndarray) for axis in axes):
            hint = "tiles of integers index loads only"
            raise NotAnIndex(here(), index="a tile", what=f"{self._name} in {operation}", hint=hint)
        sizes = tuple(axis.size for axis in axes if axis.size is not None)
        self._refuse_shape(operation, sizes)
        if not isinstance(value, Tile):
            hint = "make a tile of a number: tile.full((64,), 0.0, y.dtype)"
            raise WrongType(here(), operation=operation, got=brief(value), hint=hint)
        refuse_stored(operation, self._name, self.dtype, sizes, value)
        if self._gives_numbers:
            self._refuse_both()
        self._is_written = True
        if not self._array.flags.writeable:
            raise ReadOnlyArgument(here(), kernel=current().name, name=self._name)
        counts = [axis.count for axis in axes if axis.size is not None]
        there = [min(pair) for pair in zip(counts, value.counts, strict=True)]
        left = iter(there)
        where = tuple(
            axis.there if axis.size is None else slice(axis.there.start, axis.there.start + next(left)) for axis in axes
        )
        return where, value.values[tuple(map(slice, there))]

    def update(self, operation: str, index: Any, value: Tile, compute: Any) -> None:
        """Joins what is there of a tile with what the tensor holds."""
        where, values = self.target(operation, index, value)
        with np.errstate(all="ignore"):
            self._array[where] = compute(self._array[where], values)

    def _refuse_both(self) -> NoReturn:
        raise WrittenAndRead(here(), name=self._name)

    def _refuse_shape(self, operation: str, sizes: tuple[int, ...]) -> None:
        """Refuses tiles that there are not, and elements of the last axis that lie apart."""
        refuse_access(operation, self.dtype, sizes)
        self._refuse_gaps()

    def _refuse_gaps(self) -> None:
        array = self._array
        if array.size and array.shape[-1] > 1 and array.strides[-1] != array.itemsize:
            strides = tuple(one // array.itemsize for one in array.strides)
            raise LastStride(here(), kernel=current().name, name=self._name, shape=array.shape, strides=strides)

    def _axes(self, index: Any) -> list[_Axis]:
        items = index if isinstance(index, tuple) else (index,)
        if len(items) != self._array.ndim:
            hint = f"{self._name} has {self._array.ndim} axes: give a span, a number or : for each"
            self._refuse(index, hint)
        axes = [self._axis(axis, item) for axis, item in enumerate(items)]
        if sum(isinstance(axis.there, np.ndarray) for axis in axes) > 1:
            self._refuse(index, "one tile of integers, at most")
        return axes

    def _axis(self, axis: int, item: Any) -> _Axis:
        length = self._array.shape[axis]
        if isinstance(item, slice):
            item = self._sliced(axis, item)
        if isinstance(item, Span):
            if item.count and not 0 <= item.start <= item.start + item.count <= length:
                self._out(axis, f"a span of positions {item.start} to {item.start + item.count - 1}")
            start = item.start if item.count else 0
            return _Axis(slice(start, start + item.count), item.size, item.count)
        if isinstance(item, (int, np.integer)) and not isinstance(item, bool):
            if not 0 <= item < length:
                self._out(axis, f"position {item}")
            return _Axis(int(item))
        if isinstance(item, Tile) and item.dtype.is_int() and len(item.shape) == 1:
            wrong = item.values[(item.values < 0) | (item.values >= length)]
            if wrong.size:
                self._out(axis, f"position {wrong[0]} of a tile")
            return _Axis(item.values, item.shape[0], item.counts[0])
        return self._refuse(
            item, "an axis takes a span, an integer, a slice of constant length, : or a tile of integers"
        )

    def _sliced(self, axis: int, item: slice) -> Span:
        """A slice as a span. At one place of the code all slices are equally long: their lengths are constants."""
        length = self._array.shape[axis]
        if item == slice(None):
            return Span(0, max(length, 1), length)
        numbers = [one for one in (item.start, item.stop) if isinstance(one, (int, np.integer))]
        if len(numbers) < 2 or item.step is not None:
            self._refuse(item, "a slice has a start and a stop, and no step: write tile.span(start, 64)")
        start, stop = map(int, numbers)
        frame = next(author_frames(), None)
        if frame is not None:
            at = mark_of(frame)
            known = current().extents.setdefault((at.code, at.instruction, axis), stop - start)
            if known != stop - start:
                self._refuse(item, f"its length must be a constant, and was {known} before: write tile.span(start, 64)")
        if stop <= start:
            self._refuse(item, "its length must be 1 or more: write tile.span(start, 64)")
        return Span(start, stop - start, stop)

    def _refuse(self, index: object, hint: str) -> NoReturn:
        raise NotAnIndex(here(), index=shown(index), what=self._name, hint=hint)

    def _out(self, axis: int, what: str) -> NoReturn:
        length = self._array.shape[axis]
        raise OutOfRange(
            here(),
            kernel=current().name,
            core="NumPy",
            message=f"{what} lies outside axis {axis} of {self._name}, which has {length} elements",
            hint=f"end the span where the axis ends: stop={self._name}.shape[{axis}]",
        )
