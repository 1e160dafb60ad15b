"""Numbers of a kernel that runs in NumPy as they are on a core: integers of 64 bits, floats of 32.

In: arguments, lengths, positions and elements of tensors. Out: `Int` and `Float32`, and `as_on_core`: a function that
gives such numbers for `range`, `min`, `max`, `int` and `float`, too. What only constants make stays Python's, as in the
compiler: `BLOCK * 0.1` is a double until it meets a number of the launch or a tile.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

import numpy as np

from opwright.ascendc.dtypes import before_float32


def nearest_float32(value: Any) -> float:
    """The nearest float32, as a float of Python."""
    with np.errstate(all="ignore"):
        return float(np.float32(before_float32(int(value) if isinstance(value, np.integer) else value)))


class Float32(float):
    """A number that is computed and compared with in float32."""

    def __new__(cls, value: Any) -> Float32:
        return super().__new__(cls, nearest_float32(value))

    # A result that float64 gives is rounded a second time here, which changes nothing: 53 >= 2 * 24 + 2 bits.
    def __add__(self, other: Any) -> Any:
        return _narrow(float.__add__(self, _other(other)))

    def __sub__(self, other: Any) -> Any:
        return _narrow(float.__sub__(self, _other(other)))

    def __mul__(self, other: Any) -> Any:
        return _narrow(float.__mul__(self, _other(other)))

    def __truediv__(self, other: Any) -> Any:
        return _quotient(self, _other(other))

    def __rsub__(self, other: Any) -> Any:
        return _narrow(float.__rsub__(self, _other(other)))

    def __rtruediv__(self, other: Any) -> Any:
        return _quotient(_other(other), self)

    def __neg__(self) -> Float32:
        return Float32(float.__neg__(self))

    def __abs__(self) -> Float32:
        return Float32(float.__abs__(self))

    def __lt__(self, other: Any) -> Any:
        return float.__lt__(self, _other(other))

    def __le__(self, other: Any) -> Any:
        return float.__le__(self, _other(other))

    def __gt__(self, other: Any) -> Any:
        return float.__gt__(self, _other(other))

    def __ge__(self, other: Any) -> Any:
        return float.__ge__(self, _other(other))

    def __eq__(self, other: object) -> bool:
        return float.__eq__(self, _other(other))

    def __ne__(self, other: object) -> bool:
        return float.__ne__(self, _other(other))

    __radd__ = __add__
    __rmul__ = __mul__
    __hash__ = float.__hash__


def _other(value: object) -> Any:
    """The other operand as float32; what is no number of Python answers itself."""
    return nearest_float32(value) if isinstance(value, (int, float, np.integer)) else value


def _narrow(value: Any) -> Any:
    return Float32(value) if isinstance(value, float) else value


def _quotient(left: Any, right: Any) -> Any:
    """As IEEE 754 has it: that of 0 is infinite or NaN."""
    if not (isinstance(left, float) and isinstance(right, float)):
        return NotImplemented
    with np.errstate(all="ignore"):
        return Float32(np.float64(left) / np.float64(right))


class Int(np.int64):
    """An integer that a launch knows: beside a float it is float32 first, and so are both sides of a quotient.

    It is no int of Python, whose floats would compute with it in their own way: 0.1 * n.
    """

    def __repr__(self) -> str:
        return str(int(self))

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(int(self), spec)

    def __hash__(self) -> int:
        return hash(int(self))


def _computed(compute: Callable[..., Any], first: Any, second: Any) -> Any:
    """An operator on an integer of a launch and another number; what is no number answers itself."""
    if not all(isinstance(one, (int, float, np.integer)) for one in (first, second)):
        return NotImplemented
    if compute is operator.truediv and not isinstance(first, float) and not isinstance(second, float) and second == 0:
        raise ZeroDivisionError("division by zero")
    if compute is operator.truediv or isinstance(first, float) or isinstance(second, float):
        return compute(Float32(first), Float32(second))
    return wrapped(compute(int(first), int(second)))


def wrapped(value: Any) -> Any:
    """An integer as one of 64 bits; a truth value stays what it is."""
    return Int((value + 2**63) % 2**64 - 2**63) if type(value) is int else value


def _add_operators() -> None:
    """Gives `Int` the operators of integers."""

    def of_two(name: str, is_reversed: bool = False) -> Callable[[Int, Any], Any]:
        compute = getattr(operator, name)
        if is_reversed:
            return lambda self, other: _computed(compute, other, self)
        return lambda self, other: _computed(compute, self, other)

    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "and_", "or_", "xor", "lshift", "rshift"):
        plain = name.removesuffix("_")
        setattr(Int, f"__{plain}__", of_two(name))
        setattr(Int, f"__r{plain}__", of_two(name, is_reversed=True))
    for name in ("lt", "le", "gt", "ge", "eq", "ne"):
        setattr(Int, f"__{name}__", of_two(name))
    for name in ("neg", "pos", "abs", "invert"):
        compute = getattr(operator, name)
        setattr(Int, f"__{name}__", lambda self, compute=compute: wrapped(compute(int(self))))


_add_operators()


def number(element: Any) -> Int | Float32:
    """An element of a tensor as a number."""
    return wrapped(int(element)) if np.asarray(element).dtype.kind in "iu" else Float32(float(element))


def _is_of_launch(value: object) -> bool:
    return isinstance(value, (Int, Float32))


def _range(*numbers: Any) -> Iterator[Int]:
    return map(Int, builtins.range(*map(operator.index, numbers)))


def _float(value: Any = 0.0) -> float:
    return Float32(value) if _is_of_launch(value) else float(value)


def _int(value: Any = 0) -> Any:
    return wrapped(int(value)) if _is_of_launch(value) else int(value)


def _extreme(function: Callable[..., Any]) -> Callable[..., Any]:
    def extreme(*values: Any) -> Any:
        found = function(*values)
        if not any(map(_is_of_launch, values)):
            return found
        return Float32(found) if any(isinstance(one, float) for one in values) else wrapped(int(found))

    return extreme


_ON_CORE = {
    "range": (builtins.range, _range),
    "float": (builtins.float, _float),
    "int": (builtins.int, _int),
    "min": (builtins.min, _extreme(builtins.min)),
    "max": (builtins.max, _extreme(builtins.max)),
}


def as_on_core(function: FunctionType) -> FunctionType:
    """The function with other meanings of Python's functions of numbers, where it names them."""
    known = function.__globals__
    ours = {
        name: instead
        for name, (of_python, instead) in _ON_CORE.items()
        if name in function.__code__.co_names and known.get(name, of_python) is of_python
    }
    if not ours:
        return function
    made = FunctionType(
        function.__code__, {**known, **ours}, function.__name__, function.__defaults__, function.__closure__
    )
    made.__kwdefaults__ = function.__kwdefaults__
    return made
