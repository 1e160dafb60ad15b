"""What the functions of `asc.adv` mean, in types that are wider than their own: from NumPy and Python's math module."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

Wide = np.longdouble


def each(function: Callable[[float], float], pole: float) -> Callable[[np.ndarray], np.ndarray]:
    """A function of Python, element by element; where it is not defined or too large it has the value of a pole."""

    def one(value: float) -> float:
        try:
            return function(value)
        except (ValueError, OverflowError):
            return pole

    return lambda x: np.array([one(float(value)) for value in x], np.float64)


def digamma(x: np.ndarray) -> np.ndarray:
    """By the recurrence up to 40 and the first terms of the asymptotic series, below 0 by reflection."""
    size = np.abs(x.astype(Wide))
    y = np.where(x < 0, 1 + size, size)
    steps = np.zeros_like(y)
    shifted = np.where(y < 40, y, Wide(40))
    for _ in range(40):
        low = shifted < 40
        steps = steps + np.where(low, 1 / shifted, 0)
        shifted = shifted + low
    high = np.where(y < 40, shifted, y)
    square = 1 / (high * high)
    series = square * (Wide(1) / 12 - square * (Wide(1) / 120 - square * (Wide(1) / 252 - square / 240)))
    above = np.log(high) - 1 / (2 * high) - series - steps
    part = size - np.floor(size)
    turn = np.pi * part.astype(Wide)
    below = above + np.pi * np.cos(turn) / np.sin(turn)
    result = np.where(x < 0, below, above)
    return np.where((x == 0) | ((x < 0) & (part == 0)) | np.isneginf(x), Wide(np.nan), result)


def power(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    if x.dtype.kind != "i":
        return np.power(x.astype(Wide), y.astype(Wide))

    def one(base: int, exponent: int) -> int:
        if exponent < 0:
            return {1: 1, -1: 1 - 2 * (exponent % 2)}.get(base, 0)
        return (pow(base, exponent, 1 << 32) + (1 << 31)) % (1 << 32) - (1 << 31)

    return np.array([one(int(a), int(b)) for a, b in zip(x, y, strict=True)], np.int32)


def sign(x: np.ndarray) -> np.ndarray:
    return np.where(x > 0, 1.0, np.where(x < 0, -1.0, 0.0))


# Functions of one source, which get it in the wide type.
ONE: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atanh": np.arctanh,
    "ceil": np.ceil,
    "cos": np.cos,
    "cosh": np.cosh,
    "digamma": digamma,
    "erf": each(math.erf, math.nan),
    "erfc": each(math.erfc, math.nan),
    "exp": np.exp,
    "floor": np.floor,
    "frac": lambda x: x - np.trunc(x),
    "lgamma": each(math.lgamma, math.inf),
    "log": np.log,
    "round": np.rint,
    "sign": sign,
    "sin": np.sin,
    "sinh": np.sinh,
    "tan": np.tan,
    "tanh": np.tanh,
    "trunc": np.trunc,
}
EXACT = ("ceil", "floor", "trunc", "round", "frac", "sign")


def wanted(call: str, x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """The result in a wide type; `z` is what the destination held."""
    with np.errstate(all="ignore"):
        if call == "xor":
            return x ^ y
        if call == "power":
            return power(x, y)
        if call == "axpy":
            product = x.astype(np.float32) * np.float32(0.75)
            return product + z.astype(np.float32)
        return ONE[call](x.astype(Wide))


def judge(call: str, got: np.ndarray, right: np.ndarray) -> None:
    """Integers and roundings to the bit, halves the nearest, float32 within 1 ulp; zeros, infinities, NaN exactly."""
    if got.dtype.kind in "iu":
        np.testing.assert_array_equal(got, right.astype(got.dtype), call)
        return
    with np.errstate(all="ignore"):
        # Through float64, which NumPy rounds to float16 at once.
        nearest = right.astype(np.float64).astype(got.dtype) if got.itemsize == 2 else right.astype(got.dtype)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(nearest), call)
    number = ~np.isnan(nearest)
    got, nearest, right = got[number], nearest[number], right[number]
    np.testing.assert_array_equal(np.signbit(got), np.signbit(nearest), call)
    exact = got.itemsize == 2 or call in EXACT or call == "axpy"
    finite = np.isfinite(nearest)
    np.testing.assert_array_equal(got[~finite], nearest[~finite], call)
    got, nearest, right = got[finite], nearest[finite], right[finite]
    with np.errstate(over="ignore"):  # the number after the largest one
        ulp = np.spacing(np.abs(nearest)).astype(Wide)
    error = np.abs(got.astype(Wide) - right) / ulp
    off = got != nearest if exact else error > 1
    first = int(off.argmax()) if off.any() else 0
    assert not off.any(), f"{call}: {off.sum()} off, the first gives {got[first]!r}, not {right[first]!r}"
