"""Numbers of a kernel that runs in NumPy: integers are Python's, floats have 32 bits as they have on a core.

In: arguments and elements of tensors. Out: `int` and `Float32`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from opwright.ascendc.dtypes import before_float32


def nearest_float32(value: float) -> float:
    """The nearest float32, as a float of Python."""
    with np.errstate(all="ignore"):
        return float(np.float32(before_float32(value)))


class Float32(float):
    """A number whose sums, differences, products and quotients are rounded to float32."""

    def __new__(cls, value: float) -> Float32:
        return super().__new__(cls, nearest_float32(value))

    # A result that float64 gives is rounded a second time here, which changes nothing: 53 >= 2 * 24 + 2 bits.
    def __add__(self, other: Any) -> Any:
        return _narrow(float.__add__(self, _other(other)))

    def __sub__(self, other: Any) -> Any:
        return _narrow(float.__sub__(self, _other(other)))

    def __mul__(self, other: Any) -> Any:
        return _narrow(float.__mul__(self, _other(other)))

    def __truediv__(self, other: Any) -> Any:
        return _narrow(float.__truediv__(self, _other(other)))

    def __rsub__(self, other: Any) -> Any:
        return _narrow(float.__rsub__(self, _other(other)))

    def __rtruediv__(self, other: Any) -> Any:
        return _narrow(float.__rtruediv__(self, _other(other)))

    def __neg__(self) -> Float32:
        return Float32(float.__neg__(self))

    __radd__ = __add__
    __rmul__ = __mul__


def _other(value: object) -> Any:
    """The other operand as float32; what is no number of Python answers itself."""
    return nearest_float32(value) if isinstance(value, (int, float)) else value


def _narrow(value: Any) -> Any:
    return Float32(value) if isinstance(value, float) else value


def number(element: Any) -> int | Float32:
    """An element of a tensor as a number."""
    return int(element) if np.asarray(element).dtype.kind in "iu" else Float32(float(element))
