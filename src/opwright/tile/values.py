"""Tiles: values with a static shape, a data type and a count per axis, and the operators on them.

In: NumPy arrays that hold what is there. Out: `Tile`, and `joined`, which makes operands of one shape of tiles and
numbers. Refuses shapes that do not broadcast, types that do not mix, and what would change a tile.

What lies beyond the count of an axis does not exist: a `Tile` keeps the elements that are there and no others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeAlias, TypeGuard

import numpy as np

from opwright.ascendc.dtypes import DataType
from opwright.errors import WrongType
from opwright.tile import casts, dtypes, reduce
from opwright.tile.place import here, mark
from opwright.tile.shapes import axis_of, broadcast, common_dtype, refuse_operand, refuse_sum, viewed

Array: TypeAlias = "np.ndarray[Any, Any]"


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a number of a kernel."""
    return isinstance(value, (int, float, np.integer, np.floating))


class Joined:
    """Operands of one operation, cut to what is there in all of them; arrays broadcast as NumPy's do."""

    def __init__(self, operation: str, given: Sequence[object]) -> None:
        self.operation = operation
        self.tiles = [one for one in given if isinstance(one, Tile)]
        for one in given:
            if not isinstance(one, Tile) and not is_number(one):
                refuse_operand(operation, type(one).__name__)
        self.shape = broadcast(operation, self.tiles)
        self.counts = tuple(self._count(axis) for axis in range(-len(self.shape), 0))
        self.given = given

    def _count(self, axis: int) -> int:
        """How much of an axis, counted from the last one, is there: the least of all operands that have it."""
        counts = []
        for tile in self.tiles:
            if len(tile.shape) >= -axis:
                is_whole = tile.shape[axis] == self.shape[axis]
                if is_whole or tile.counts[axis] == 0:
                    counts.append(tile.counts[axis])
        return min(counts)

    def arrays(self, dtype: DataType) -> list[Array]:
        """What is there of each operand, in a data type, as operations compute in it."""
        found = []
        for one in self.given:
            if isinstance(one, Tile):
                cut = tuple(slice(min(a, b)) for a, b in zip(one.counts[::-1], self._limits(one), strict=True))[::-1]
                found.append(dtypes.widened(dtypes.rounded(one.values[cut], dtype), dtype))
            else:
                found.append(dtypes.widened(dtypes.number_as(self.operation, one, dtype), dtype))
        return found

    def _limits(self, tile: Tile) -> list[int]:
        """How much of each axis of an operand is used, last axis first."""
        axes = range(-1, -len(tile.shape) - 1, -1)
        return [
            self.counts[axis] if tile.shape[axis] == self.shape[axis] or self.counts[axis] == 0 else 1 for axis in axes
        ]

    @property
    def dtype(self) -> DataType:
        """The common type of the tiles; of numbers alone float32 or int32."""
        return common_dtype(self.operation, self.tiles, any(isinstance(one, float) for one in self.given))

    def result(self, values: Any, dtype: DataType) -> Tile:
        """A tile of what was computed."""
        return Tile(np.broadcast_to(dtypes.rounded(values, dtype), self.counts), self.shape, dtype)


def elementwise(operation: str, compute: Callable[..., Any], *given: object, kinds: str = "number") -> Tile:
    """One operation on tiles and numbers. kinds: "number", "float" or "bool", what it takes."""
    joined = Joined(operation, given)
    dtype = joined.dtype
    dtypes.refuse_kind(operation, dtype, kinds)
    with np.errstate(all="ignore"):
        return joined.result(compute(*joined.arrays(dtype)), dtype)


def compared(operation: str, compute: Callable[..., Any], *given: object) -> Tile:
    """A comparison: a bool tile."""
    joined = Joined(operation, given)
    dtypes.refuse_kind(operation, joined.dtype, "number")
    return joined.result(compute(*joined.arrays(joined.dtype)), dtypes.BOOL)


class Operators:
    """Arithmetic and comparisons. Every operation rounds to its data type."""

    __array_ufunc__ = None  # an array of NumPy beside a tile is an error, not an array of tiles
    __hash__ = None  # type: ignore[assignment]  # == compares elements

    def __add__(self, other: Tile | float) -> Tile:
        return elementwise("+", np.add, self, other)

    def __radd__(self, other: float) -> Tile:
        return elementwise("+", np.add, other, self)

    def __sub__(self, other: Tile | float) -> Tile:
        return elementwise("-", np.subtract, self, other)

    def __rsub__(self, other: float) -> Tile:
        return elementwise("-", np.subtract, other, self)

    def __mul__(self, other: Tile | float) -> Tile:
        return elementwise("*", np.multiply, self, other)

    def __rmul__(self, other: float) -> Tile:
        return elementwise("*", np.multiply, other, self)

    def __truediv__(self, other: Tile | float) -> Tile:
        return elementwise("/", np.divide, self, other, kinds="float")

    def __rtruediv__(self, other: float) -> Tile:
        return elementwise("/", np.divide, other, self, kinds="float")

    def __neg__(self) -> Tile:
        return elementwise("-", np.negative, self)

    def __lt__(self, other: Tile | float) -> Tile:
        return compared("<", np.less, self, other)

    def __le__(self, other: Tile | float) -> Tile:
        return compared("<=", np.less_equal, self, other)

    def __gt__(self, other: Tile | float) -> Tile:
        return compared(">", np.greater, self, other)

    def __ge__(self, other: Tile | float) -> Tile:
        return compared(">=", np.greater_equal, self, other)

    def __eq__(self, other: Tile | float) -> Tile:  # type: ignore[override]
        return compared("==", np.equal, self, other)

    def __ne__(self, other: Tile | float) -> Tile:  # type: ignore[override]
        return compared("!=", np.not_equal, self, other)

    def __and__(self, other: Tile) -> Tile:
        return elementwise("&", np.logical_and, self, other, kinds="bool")

    def __or__(self, other: Tile) -> Tile:
        return elementwise("|", np.logical_or, self, other, kinds="bool")

    def __invert__(self) -> Tile:
        return elementwise("~", np.logical_not, self, kinds="bool")


class Tile(Operators):
    """A value of rank 0 to 2. Nothing changes a tile; a name can be given another one.

    shape: the sizes of the axes, which are constants. dtype: the type of its elements.
    values, counts: what is there, for debuggers and tests; a kernel does not use them.
    """

    __slots__ = ("dtype", "made", "shape", "values")

    def __init__(self, values: Array, shape: tuple[int, ...], dtype: DataType) -> None:
        self.values = values.view() if values.flags.writeable else values
        self.values.flags.writeable = False
        self.shape = shape
        self.dtype = dtype
        self.made = mark()

    @property
    def counts(self) -> tuple[int, ...]:
        """How many elements of each axis are there."""
        return tuple(self.values.shape)

    @property
    def line(self) -> int | None:
        """Where it was made, for messages."""
        return self.made.line if self.made else None

    @property
    def T(self) -> Tile:
        """Rows become columns."""
        return Tile(self.values.T, self.shape[::-1], self.dtype)

    def to(self, dtype: DataType, round: str = "nearest") -> Tile:
        """The tile in another type. Floats become integers to nearest even, or as `round` says, and saturate.

        round: "nearest" (even if there are two), "floor", "ceil" or "trunc"; others than the first are for integers.
        NaN becomes 0 as an integer. A float that is too large for a smaller float becomes infinite.
        """
        return Tile(casts.cast(self.values, self.dtype, dtype, round), self.shape, dtype)

    def fill(self, value: float) -> Tile:
        """The whole tile, with a value where nothing was there."""
        dtype = self.dtype
        whole = np.full(self.shape, dtypes.number_as("fill", value, dtype), dtypes.numpy_type(dtype))
        whole[tuple(map(slice, self.counts))] = self.values
        return Tile(whole, self.shape, dtype)

    def sum(self, axis: int | None = None, keepdims: bool = False) -> Tile:
        """The sum of what is there over an axis, or over all; 0 of nothing. `reduce.sum_of_columns` has the order."""
        refuse_sum(self.dtype)
        return self._reduced("sum", axis, keepdims)

    def max(self, axis: int | None = None, keepdims: bool = False) -> Tile:
        """The greatest of what is there; -inf of nothing, or the least integer."""
        return self._reduced("max", axis, keepdims)

    def min(self, axis: int | None = None, keepdims: bool = False) -> Tile:
        """The least of what is there; inf of nothing, or the greatest integer."""
        return self._reduced("min", axis, keepdims)

    def mean(self, axis: int | None = None, keepdims: bool = False) -> Tile:
        """The sum divided by how many are there, which is a number; NaN of nothing."""
        dtypes.refuse_kind("mean", self.dtype, "float")
        over = self.counts if axis is None else (self.counts[axis_of("mean", self.shape, axis)],)
        count = int(np.prod(over, dtype=np.int64))
        return self.sum(axis, keepdims) / count

    def _reduced(self, name: str, axis: int | None, keepdims: bool) -> Tile:
        dtypes.refuse_kind(name, self.dtype, "number")
        axes = tuple(range(len(self.shape))) if axis is None else (axis_of(name, self.shape, axis),)
        values = reduce.reduced(name, self.values, axes, self.dtype)
        kept = [(1, 1) if at in axes else (size, count) for at, (size, count) in enumerate(self._sizes())]
        if not keepdims:
            kept = [one for at, one in enumerate(kept) if at not in axes]
        counts = [count for _, count in kept]
        return Tile(values.reshape(counts), tuple(size for size, _ in kept), self.dtype)

    def _sizes(self) -> list[tuple[int, int]]:
        return list(zip(self.shape, self.counts, strict=True))

    def __getitem__(self, index: slice | tuple[slice | None, ...] | None) -> Tile:
        items = index if isinstance(index, tuple) else (index,)
        sizes = self._sizes()
        kept = [(1, 1) if axis is None else sizes[axis] for axis in viewed(self.shape, items)]
        shape = tuple(size for size, _ in kept)
        return Tile(self.values.reshape([count for _, count in kept]), shape, self.dtype)

    def __setitem__(self, index: object, value: object) -> NoReturn:
        hint = "nothing changes a tile: make another one, with tile.where or t.fill"
        raise WrongType(here(), operation="assignment to a part", got="a tile", hint=hint)

    def __bool__(self) -> bool:
        hint = "use tile.where, or & and | for and and or; or read a number: x[i] with numbers only"
        raise WrongType(here(), operation="a condition", got="a tile", hint=hint)

    def __iter__(self) -> NoReturn:
        raise WrongType(here(), operation="a loop", got="a tile", hint="loop over spans, and load a tile for each")

    def __format__(self, spec: str) -> str:
        """With a format, that of each element: `f"{t:.3f}"`."""
        if not spec:
            return repr(self)
        return np.array2string(self.values, formatter={"all": lambda one: format(one, spec)})

    def __repr__(self) -> str:
        there = "" if self.counts == self.shape else f", {self.counts} there"
        return f"tile {self.shape} of {self.dtype.name}{there}:\n{self.values}"
