"""Functions on tiles: mathematics, selection, products of matrices, new tiles, atomic updates.

In: tiles and numbers. Out: tiles. Refuses types and shapes that a function does not take. Every function rounds once to
its data type; a compiled kernel gives the same bits, but for `exp` and its like, whose approximations on the chip have
bounds of their own.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from opwright.ascendc.dtypes import DataType
from opwright.errors import AssumptionBroken, TileNotBuilt, TileShape
from opwright.tile import dtypes
from opwright.tile.dtypes import FLOAT32, INT32
from opwright.tile.numbers import wrapped
from opwright.tile.place import current, here
from opwright.tile.shapes import product_dtype, refuse_operand, shape_of
from opwright.tile.tensor import Tensor
from opwright.tile.values import Array, Joined, Tile, elementwise, is_number

_erf = np.vectorize(math.erf, otypes=[np.float64])


def _float(operation: str, compute: Any, x: Tile) -> Tile:
    """A function of floats, computed in float64 and rounded once."""
    _refuse_others(operation, x)
    return elementwise(operation, lambda values: compute(values.astype(np.float64)), x, kinds="float")


def _refuse_others(operation: str, *given: object) -> None:
    for one in given:
        if not isinstance(one, Tile):
            refuse_operand(operation, type(one).__name__)


def exp(x: Tile) -> Tile:
    """e to the power of each element."""
    return _float("exp", np.exp, x)


def log(x: Tile) -> Tile:
    """The natural logarithm of each element."""
    return _float("log", np.log, x)


def sqrt(x: Tile) -> Tile:
    """The square root of each element."""
    return _float("sqrt", np.sqrt, x)


def rsqrt(x: Tile) -> Tile:
    """1 / sqrt(x) of each element."""
    return _float("rsqrt", lambda values: 1 / np.sqrt(values), x)


def reciprocal(x: Tile) -> Tile:
    """1 / x of each element."""
    return _float("reciprocal", lambda values: 1 / values, x)


def tanh(x: Tile) -> Tile:
    """The hyperbolic tangent of each element."""
    return _float("tanh", np.tanh, x)


def sigmoid(x: Tile) -> Tile:
    """1 / (1 + exp(-x)) of each element."""
    return _float("sigmoid", lambda values: 1 / (1 + np.exp(-values)), x)


def erf(x: Tile) -> Tile:
    """The error function of each element."""
    return _float("erf", lambda values: _erf(values) if values.size else values, x)


def abs(x: Tile) -> Tile:
    """The absolute value of each element. That of the least integer wraps: it is the least integer."""
    _refuse_others("abs", x)
    return elementwise("abs", np.abs, x)


def floor(x: Tile) -> Tile:
    """The greatest integer that is not above each element, as a float."""
    return _float("floor", np.floor, x)


def ceil(x: Tile) -> Tile:
    """The least integer that is not below each element, as a float."""
    return _float("ceil", np.ceil, x)


def round(x: Tile) -> Tile:
    """The nearest integer to each element, the even one of two, as a float."""
    return _float("round", np.rint, x)


def maximum(x: Tile | float, y: Tile | float) -> Tile:
    """x where it is greater than y, else y: so y where either is NaN. One of them may be a number.

    A product that is clipped at 0 on its way to memory, `y[i, j] = tile.maximum(tile.dot(a, b), 0)`, keeps NaN on the
    chip: `fixpipe` clips it there.
    """
    _refuse_numbers("maximum", x, y)
    return elementwise("maximum", lambda a, b: np.where(a > b, a, b), x, y)


def minimum(x: Tile | float, y: Tile | float) -> Tile:
    """x where it is less than y, else y: so y where either is NaN. One of them may be a number."""
    _refuse_numbers("minimum", x, y)
    return elementwise("minimum", lambda a, b: np.where(a < b, a, b), x, y)


def _refuse_numbers(operation: str, x: object, y: object) -> None:
    if is_number(x) and is_number(y):
        refuse_operand(operation, type(x).__name__)


def where(mask: Tile, x: Tile | float, y: Tile | float) -> Tile:
    """x where the mask holds, else y. Two floats give float32, two integers int32."""
    _refuse_others("where", mask)
    dtypes.refuse_kind("where", mask.dtype, "bool")
    dtype = Joined("where", (x, y)).dtype
    # Shapes and counts are those of all three; the mask goes by 0 and 1 of the values' type.
    joined = Joined("where", (Tile(mask.values.astype(dtypes.numpy_type(dtype)), mask.shape, dtype), x, y))
    chosen, first, second = joined.arrays(dtype)
    return joined.result(np.where(chosen != 0, first, second), dtype)


def zeros(shape: int | Sequence[int], dtype: DataType = FLOAT32) -> Tile:
    """A tile of zeros. The sizes are constants."""
    return full(shape, 0, dtype)


def full(shape: int | Sequence[int], value: float, dtype: DataType = FLOAT32) -> Tile:
    """A tile of one number. The sizes are constants."""
    sizes = shape_of("full", shape)
    dtypes.refuse_wide("full", dtype)
    return Tile(np.full(sizes, dtypes.number_as("full", value, dtype)), sizes, dtype)


def arange(size: int, dtype: DataType = INT32) -> Tile:
    """The integers from 0 to size - 1, a tile of shape (size,). The size is a constant."""
    sizes = shape_of("arange", size)
    dtypes.refuse_wide("arange", dtype)
    return Tile(dtypes.rounded(np.arange(sizes[0]), dtype), sizes, dtype)


def dot(a: Tile, b: Tile, acc: Tile | None = None) -> Tile:
    """The product of two matrices, added to `acc`: float32 of float16, bfloat16 and float32; int32 of int8.

    Each element is summed along the common axis in order, starting from `acc` or 0. Every step is fused: the product is
    exact, the sum is rounded once. int32 saturates once, at the end.
    """
    _refuse_others("dot", a, b, *([] if acc is None else [acc]))
    dtype = product_dtype(a, b, acc)
    shape = (a.shape[0], b.shape[1])
    start = Tile(np.zeros((a.counts[0], b.counts[1]), dtypes.numpy_type(dtype)), shape, dtype)
    if acc is not None:
        joined = Joined("dot", (start, acc))
        start = joined.result(joined.arrays(dtype)[1], dtype)
    rows, columns = start.counts
    count = min(a.counts[1], b.counts[0])
    left, right = a.values[:rows, :count], b.values[:count, :columns]
    with np.errstate(all="ignore"):
        if dtype == INT32:
            exact = start.values.astype(np.int64) + left.astype(np.int64) @ right.astype(np.int64)
            return Tile(np.clip(exact, *INT32.limits).astype(np.int32), shape, dtype)
        values = start.values
        for k in range(count):
            product = left[:, k, None].astype(np.float64) * right[None, k, :].astype(np.float64)
            values = _fused(values, product)
    return Tile(values, shape, dtype)


def _fused(values: Array, product: Array) -> Array:
    """float32 plus an exact product, rounded once: what a float64 loses of the sum stays in its last bit."""
    wide = values.astype(np.float64)
    total = wide + product
    back = total - wide
    lost = (wide - (total - back)) + (product - back)
    # Bits of a float64 count its distance from 0: one down is toward 0. Sums that end in 1 stand for what was lost.
    bits = total.view(np.int64)
    is_even = (bits & 1 == 0) & (lost != 0) & np.isfinite(total)
    is_above = (lost < 0) == (total > 0)
    return np.where(is_even, bits + np.where(is_above, -1, 1), bits).view(np.float64).astype(np.float32)


def atomic_add(x: Tensor, index: Any, value: Tile) -> None:
    """Adds a tile to x[index] in memory; iterations on other cores may do the same. The order is not defined."""
    x.update("atomic_add", index, value, lambda old, new: _rounded(np.add, old, new))


def atomic_max(x: Tensor, index: Any, value: Tile) -> None:
    """Keeps the greater of x[index] and a tile in memory; iterations on other cores may do the same.

    Where either is NaN, the tile's element stays.
    """
    x.update("atomic_max", index, value, lambda old, new: np.where(old > new, old, new))


def atomic_min(x: Tensor, index: Any, value: Tile) -> None:
    """Keeps the smaller of x[index] and a tile in memory; iterations on other cores may do the same.

    Where either is NaN, the tile's element stays.
    """
    x.update("atomic_min", index, value, lambda old, new: np.where(old < new, old, new))


def _rounded(compute: Any, old: Array, new: Array) -> Array:
    result: Array = compute(old, new).astype(old.dtype)
    return result


def assume(condition: bool) -> None:
    """States what holds for every launch, such as `n % 64 == 0`. It is tested before a launch."""
    if not condition:
        raise AssumptionBroken(here(), kernel=current().name)


def call(
    helper: Any,
    *arguments: Any,
    out: tuple[int | Sequence[int], DataType],
    scratch: int = 0,
    reference: Callable[..., Any] | None = None,
) -> Tile:
    """What a function under `@asc.jit` makes of tiles and numbers: a tile of the shape and type that `out` says.

    The function gets a LocalTensor for each tile, then one for the result, then one of uint8 for `scratch` bytes, if
    that is more than 0; numbers stay what they are. All its calls are vector calls, and it does not change its inputs.
    The rows of a tile follow one another: they fill whole blocks of 32 bytes, and their columns are all there.

    reference: what stands for the function in `kernel.numpy`. It gets arrays of what is there of each tile, and the
    numbers, and returns an array of the shape of `out`.
    """
    sizes, dtype = shape_of("call", out[0]), out[1]
    dtypes.refuse_wide("call", dtype)
    if reference is None:
        hint = "helpers are Ascend C, which NumPy does not run: give reference=, a function over arrays"
        raise TileNotBuilt(here(), what="tile.call in NumPy without a reference", hint=hint)
    given = [one.values if isinstance(one, Tile) else one for one in arguments]
    made = np.asarray(reference(*given))
    if made.shape != sizes:
        message = f"the reference gave an array of shape {made.shape}, not {sizes}"
        raise TileShape(here(), operation="call", message=message, hint="it returns all elements of the result")
    return Tile(dtypes.rounded(made, dtype), sizes, dtype)


def print(text: str, *values: Any) -> None:
    """Prints a text, and tiles or numbers behind it. A compiled kernel prints no tiles."""
    sys.stdout.write(" ".join([text, *map(str, values)]) + "\n")


def core() -> int:
    """The number of the core that runs this, from 0. NumPy runs a kernel on one core."""
    first: int = wrapped(0)
    return first


def cores() -> int:
    """How many cores run the kernel. NumPy runs it on one."""
    one: int = wrapped(1)
    return one
