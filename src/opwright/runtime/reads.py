"""What a kernel read from outside itself: globals and closure cells, by path, with values that hash stably.

In: a function and a dotted path ("TILE", "config.TILE"). Out: the value now, and a text that is equal in every process
for equal values. Refuses values whose text could not be: that is what `stable` returns None for.
"""

from __future__ import annotations

import builtins
import enum
from types import BuiltinFunctionType, FunctionType, ModuleType

from opwright.asc._names import Call, ConstExpr, GlobalAddress
from opwright.ascendc.dtypes import DataType

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
    """The value at a dotted path, or MISSING."""
    first, *rest = path.split(".")
    value = root(function, first)
    for name in rest:
        value = getattr(value, name, MISSING)
    return value


def stable(value: object) -> str | None:
    """A text that is the same in every process for the same value; None if there is none."""
    match value:
        case enum.Enum():
            content = stable(value.value)
            return f"enum {type(value).__qualname__}.{value.name} {content}" if content else None
        case bool() | int() | str() | None:
            return f"{type(value).__name__} {value!r}"
        case float():
            return f"float {value.hex()}"
        case tuple():
            parts = [stable(item) for item in value]
            return f"tuple ({', '.join(p for p in parts if p)})" if all(parts) else None
        case DataType():
            return f"dtype {value.name}"
        case Call():
            return f"call {value.row.name}"
        case ModuleType():
            return f"module {value.__name__}"
        case BuiltinFunctionType():
            return f"builtin {value.__module__}.{value.__qualname__}"
        case type() if value.__module__ in ("builtins", "opwright.ascendc.enums") or value in (
            ConstExpr,
            GlobalAddress,
        ):
            return f"type {value.__module__}.{value.__qualname__}"
        case _ if value is MISSING:
            return "missing"
    return None
