"""What a kernel read from outside itself: globals and closure cells, by path, with values that hash stably.

In: a function and a path ("TILE", "config.TILE", "helper>TILE": what the helper reads under that name). Out: the value
now, and a text that is equal in every process for equal values. Refuses values whose text could not be: that is what
`stable` returns None for.
"""

from __future__ import annotations

import builtins
import enum
from dataclasses import fields
from types import BuiltinFunctionType, FunctionType, ModuleType

from opwright.asc._names import Call, ConstExpr, GlobalAddress, StridedAddress
from opwright.asc._simt import Simt
from opwright.ascendc.dtypes import DataType
from opwright.errors import KernelError
from opwright.runtime.records import layout_of
from opwright.runtime.source import Source, source_of

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


def is_frozen_record(value: object) -> bool:
    """Whether a value is an instance of a frozen dataclass: one that cannot change behind a kernel's back."""
    parameters = getattr(type(value), "__dataclass_params__", None)
    return parameters is not None and parameters.frozen and not isinstance(value, DataType)


def exact(constant: object) -> object:
    """A constant as part of a key: 1 and True, or 0.0 and -0.0, are equal, but not the same constant."""
    kind = type(constant)
    return (kind, constant) if kind is int or kind is str else stable(constant)


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
        case Simt():
            return "simt"
        case ModuleType():
            return f"module {value.__name__}"
        case BuiltinFunctionType():
            return f"builtin {value.__module__}.{value.__qualname__}"
        case type() if value.__module__ in ("builtins", "opwright.ascendc.enums") or value in (
            ConstExpr,
            GlobalAddress,
            StridedAddress,
        ):
            return f"type {value.__module__}.{value.__qualname__}"
        case type():
            return f"class {value.__module__}.{value.__qualname__}"
        case FunctionType():
            try:
                return _callable("function", value, source_of(value))
            except KernelError:
                return None
        case _ if value is MISSING:
            return "missing"
        case _ if is_frozen_record(value):
            named = tuple((field.name, getattr(value, field.name)) for field in fields(value))  # type: ignore[arg-type]
            inner = stable(named)
            return f"record {type(value).__qualname__} {inner}" if inner else None
        case _ if isinstance(getattr(value, "source", None), Source):
            return _callable(value.word, value.function, value.source)  # type: ignore[attr-defined]
    return None


def _callable(word: str, function: FunctionType, source: Source) -> str | None:
    """A function as a text: what it says, its defaults, and what its annotations mean now."""
    from opwright.runtime.arguments import parameters_of  # which itself needs this module

    words = []
    for parameter in parameters_of(function):
        default = stable(parameter.default) if parameter.has_default else "none"
        if default is None:
            return None
        layout = layout_of(parameter.record) if parameter.record is not None else ""
        words.append(f"{parameter.name} {parameter.kind} {parameter.dtype} {layout}{parameter.wanted} {default}")
    return f"{word} {source.text} ({'; '.join(words)})"
