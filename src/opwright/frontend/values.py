"""What an expression in a kernel can be while it is compiled.

Out: the values that only Python has, beside those of `ir.values`, and `describe` for messages.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from types import FunctionType
from typing import TypeAlias

from opwright.ascendc.dtypes import DataType
from opwright.ascendc.row import Row
from opwright.ir import SSAValue
from opwright.ir.types import (
    GM,
    UB,
    UNKNOWN,
    AddressType,
    CellType,
    GlobalType,
    LocalType,
    ObjectType,
    PointerType,
    ValueType,
)
from opwright.ir.values import Constant, RunTimeValue, Value
from opwright.kernel.names import Call
from opwright.kernel.stable import exact


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
class Method(Value):
    """A method of a tensor or an object of Ascend C, not yet called."""

    tensor: RunTimeValue
    row: Row

    def __str__(self) -> str:
        return f"the method {self.row.name}"


@dataclass(frozen=True)
class NumberMethod(Value):
    """A method of a run-time number, not yet called."""

    number: RunTimeValue
    name: str

    def __str__(self) -> str:
        return f"the method {self.name} of a number"


@dataclass(frozen=True)
class OwnMethod(Value):
    """A method of a kernel object, not yet called. `path` says where it is found from the kernel."""

    instance: RunTimeValue
    function: FunctionType
    path: str

    def __str__(self) -> str:
        return f"the method {self.function.__qualname__}"


@dataclass(frozen=True)
class CallName(Constant):
    """A call of Ascend C by its name, not yet called."""

    def __str__(self) -> str:
        return repr(self.value)


def captured(value: object, path: str) -> Constant:
    """An object that the kernel found outside, at `path`."""
    return CallName(value, path) if isinstance(value, Call) else Constant(value, path)


_TENSOR_CLASS: dict[type, str] = {AddressType: "GlobalAddress", GlobalType: "GlobalTensor", LocalType: "LocalTensor"}
# What an address of threads may have been before.
_POINTER_CLASSES = {GM: ("GlobalAddress", "GlobalTensor"), UB: ("LocalTensor",)}
_PLAIN = (bool, int, float, str, tuple, enum.Enum, DataType, type(None))
Binding = Value | Variable
# What a helper returns: a constant, a run-time value of some type, or a tuple of these.
Shape: TypeAlias = "Constant | ValueType | tuple[Shape, ...]"


def key_of(value: Value) -> object:
    """A value as part of the key of what is made for it. Two helpers of one text are not the same helper."""
    if isinstance(value, Constant):
        known = exact(value.value) if isinstance(value.value, _PLAIN) else None
        return known if known is not None else id(value.value)
    return value.type if isinstance(value, RunTimeValue) else value


def describe(value: Binding) -> str:
    """A few words for a message."""
    return str(value.type) if isinstance(value, Variable) else str(value)


def class_of(kind: ValueType) -> str:
    """The class of a tensor, an address or an object, as `opwright.asc` names it; "" for everything else."""
    return kind.kind.data if isinstance(kind, ObjectType) else _TENSOR_CLASS.get(type(kind), "")


def is_of_class(kind: ValueType, wanted: str) -> bool:
    """Whether a value may be an argument that is annotated with a class of `opwright.asc`."""
    if isinstance(kind, PointerType):
        return wanted in _POINTER_CLASSES[kind.memory.data]
    return class_of(kind) == wanted


def leaves(shape: Shape) -> list[ValueType]:
    """The types of the run-time values in a result, in order."""
    if isinstance(shape, tuple):
        return [leaf for part in shape for leaf in leaves(part)]
    return [] if isinstance(shape, Constant) else [shape]
