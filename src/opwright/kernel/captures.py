"""What a kernel captures: globals and closure cells, by path.

In: a function and a path ("TILE", "config.TILE", "helper>TILE": what the helper reads under that name). Out: the value
now, or MISSING.
"""

from __future__ import annotations

import builtins
from types import FunctionType

MISSING = object()


def root(function: FunctionType, name: str) -> object:
    """The value of a free name of the function, or MISSING."""
    if name in function.__code__.co_freevars and function.__closure__ is not None:
        cell = function.__closure__[function.__code__.co_freevars.index(name)]
        try:
            return cell.cell_contents
        except ValueError:
            return MISSING
    if name in function.__globals__:
        return function.__globals__[name]
    return getattr(builtins, name, MISSING)


def value_at(function: FunctionType, path: str) -> object:
    """The value at a path, or MISSING."""
    value: object = function
    for way in path.split(">"):
        # A helper is marked, a method is not. Not asked of what is read last: a module would load all it has.
        reader = value if isinstance(value, FunctionType) else getattr(value, "function", MISSING)
        if not isinstance(reader, FunctionType):
            return MISSING
        first, *rest = way.split(".")
        value = root(reader, first)
        for name in rest:
            value = getattr(value, name, MISSING)
    return value
