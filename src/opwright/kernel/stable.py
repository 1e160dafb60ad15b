"""Values that a kernel captures, as texts that hash stably.

In: a value. Out: a text that is equal in every process for equal values. Refuses values whose text could not be: that
is what `stable` returns None for.
"""

from __future__ import annotations

import enum
from dataclasses import fields
from types import BuiltinFunctionType, FunctionType, ModuleType

from opwright.ascendc.dtypes import DataType
from opwright.errors import KernelError
from opwright.kernel.captures import MISSING
from opwright.kernel.layouts import layout_of
from opwright.kernel.names import Call, ConstExpr, GlobalAddress, StridedAddress, ThreadNames
from opwright.kernel.parameters import parameters_of
from opwright.kernel.source import Source, source_of


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
        case ThreadNames():
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
    words = []
    for parameter in parameters_of(function):
        default = stable(parameter.default) if parameter.has_default else "none"
        if default is None:
            return None
        layout = layout_of(parameter.record) if parameter.record is not None else ""
        words.append(f"{parameter.name} {parameter.kind} {parameter.dtype} {layout}{parameter.wanted} {default}")
    return f"{word} {source.text} ({'; '.join(words)})"
