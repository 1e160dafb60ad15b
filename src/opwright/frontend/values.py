"""What an expression in a kernel can be while it is compiled.

In: nothing. Out: the value classes, and `describe` for messages.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from types import FunctionType
from typing import TypeAlias

from opwright.ascendc.dtypes import DataType
from opwright.ascendc.row import Row
from opwright.errors import brief
from opwright.ir import SSAValue
from opwright.ir.types import UNKNOWN, CellType, ValueType
from opwright.kernel.names import Call
from opwright.kernel.stable import exact


@dataclass(frozen=True)
class Constant:
    """A Python object known now. `path` says where it is found from the kernel, if it came from outside."""

    value: object
    path: str = ""


@dataclass(frozen=True)
class Runtime:
    """A value of the run: a scalar, an address or a tensor."""

    ssa: SSAValue
    nonnegative: bool = False
    start: int | None = None  # of a local tensor: its address in bytes, where it is known

    @property
    def type(self) -> ValueType:
        """Its type."""
        return self.ssa.type  # type: ignore[return-value]


@dataclass(frozen=True)
class Variable:
    """A name that a branch or a loop sets again: it lives in a cell."""

    cell: SSAValue

    @property
    def type(self) -> ValueType | None:
        """The type of its content; None before it was first set."""
        assert isinstance(self.cell.type, CellType)
        content = self.cell.type.content
        return None if content == UNKNOWN else content  # type: ignore[return-value]


@dataclass(frozen=True)
class Items:
    """A tuple."""

    items: tuple[Value, ...]


@dataclass(frozen=True)
class Method:
    """A method of a tensor or an object of Ascend C, not yet called."""

    tensor: Runtime
    row: Row


@dataclass(frozen=True)
class NumberMethod:
    """A method of a number of the run, not yet called."""

    number: Runtime
    name: str


@dataclass(frozen=True)
class OwnMethod:
    """A method of a kernel object, not yet called. `path` says where it is found from the kernel."""

    instance: Runtime
    function: FunctionType
    path: str


_PLAIN = (bool, int, float, str, tuple, enum.Enum, DataType, type(None))
Value = Constant | Runtime | Items | Method | NumberMethod | OwnMethod
Binding = Value | Variable
# What a helper returns: a constant, a value of the run of some type, or a tuple of these.
Shape: TypeAlias = "Constant | ValueType | tuple[Shape, ...]"


def key_of(value: Value) -> object:
    """A value as part of the key of what is made for it. Two helpers of one text are not the same helper."""
    if isinstance(value, Constant):
        known = exact(value.value) if isinstance(value.value, _PLAIN) else None
        return known if known is not None else id(value.value)
    return value.type if isinstance(value, Runtime) else value


def describe(value: Binding) -> str:
    """A few words for a message."""
    match value:
        case Constant(value=None):
            return "None"
        case Constant(value=Call(row=row)):
            return f"asc.{row.name}"
        case Constant(value=constant):
            return f"{type(constant).__name__} {brief(constant)}"
        case Items(items):
            return f"a tuple of {len(items)}"
        case Method(row=row):
            return f"the method {row.name}"
        case NumberMethod(name=name):
            return f"the method {name} of a number"
        case OwnMethod(function=function):
            return f"the method {function.__qualname__}"
        case Runtime() | Variable():
            return str(value.type)
