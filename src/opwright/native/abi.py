"""The structs of `opwright/abi.h` for ctypes, field by field, and values as the C ABI takes them.

In: what Python has: tensors by what lies where, numbers, texts, dtypes, lists, None. Out: `Call`, with all that it
points to. Which struct lies how is compared with C++ by tests/twin/test_struct_layouts.py.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from opwright.errors import BadType, BadValue, NotSupported, OperatorError
from opwright.schema.dtypes import DTYPES, Dtype

VERSION = 1  # OPWRIGHT_ABI_VERSION
MAX_DIMS = 64
(NONE, TENSOR, INTEGER, NUMBER, BOOL, TEXT, DTYPE, DEVICE, GENERATOR, TENSORS, INTEGERS, NUMBERS, BOOLS, SCALAR) = (
    range(14)
)
NOT_SUPPORTED = 3
# By the code of a refusal; other codes are no refusals of a call.
ERRORS: dict[int, type[OperatorError]] = {1: BadType, 2: BadValue, NOT_SUPPORTED: NotSupported}


class DataType(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class Device(ctypes.Structure):
    _fields_ = (("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32))


class Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", Device),
        ("ndim", ctypes.c_int32),
        ("dtype", DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class Held(ctypes.Union):
    _fields_ = (
        ("tensor", ctypes.POINTER(Tensor)),
        ("integer", ctypes.c_int64),
        ("number", ctypes.c_double),
        ("text", ctypes.c_char_p),
        ("dtype", DataType),
        ("device", Device),
        ("generator", ctypes.POINTER(ctypes.c_uint64)),
        ("tensors", ctypes.POINTER(ctypes.POINTER(Tensor))),
        ("integers", ctypes.POINTER(ctypes.c_int64)),
        ("numbers", ctypes.POINTER(ctypes.c_double)),
        ("bools", ctypes.POINTER(ctypes.c_uint8)),
    )


class Value(ctypes.Structure):
    _fields_ = (("kind", ctypes.c_int32), ("reserved", ctypes.c_int32), ("count", ctypes.c_int64), ("held", Held))


class Error(ctypes.Structure):
    _fields_ = (
        ("struct_size", ctypes.c_uint32),
        ("code", ctypes.c_int32),
        ("capacity", ctypes.c_uint64),
        ("text", ctypes.c_void_p),
    )


class Argument(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("kind", ctypes.c_int32),
        ("flags", ctypes.c_uint32),
        ("default_value", Value),
    )


class Call(ctypes.Structure):
    _fields_ = (
        ("struct_size", ctypes.c_uint32),
        ("input_count", ctypes.c_int32),
        ("inputs", ctypes.POINTER(Value)),
        ("output_count", ctypes.c_int32),
        ("has_inferred", ctypes.c_int32),
        ("outputs", ctypes.POINTER(Tensor)),
        ("stream", ctypes.c_void_p),
        ("parts", ctypes.c_int64),
        ("grain", ctypes.c_int64),
        ("workspace_bytes", ctypes.c_uint64),
        ("notes", ctypes.c_int64 * 32),
        ("workspace", ctypes.c_void_p),
        ("provider", ctypes.c_int32),
        ("copies", ctypes.c_int32),
    )


_Step = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.POINTER(Call), ctypes.POINTER(Error))
_Run = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.POINTER(Call), ctypes.c_int64, ctypes.c_int64, ctypes.POINTER(Error))


class Operator(ctypes.Structure):
    _fields_ = (
        ("struct_size", ctypes.c_uint32),
        ("argument_size", ctypes.c_uint32),
        ("name", ctypes.c_char_p),
        ("schema", ctypes.c_char_p),
        ("argument_count", ctypes.c_int32),
        ("result_count", ctypes.c_int32),
        ("arguments", ctypes.POINTER(Argument)),
        ("infer", _Step),
        ("plan", _Step),
        ("run", _Run),
        ("provider", ctypes.c_char_p),
        ("provider_count", ctypes.c_int32),
        ("providers", ctypes.POINTER(ctypes.c_void_p)),
    )


def kinds_of(operator: Operator) -> list[int]:
    """The kinds of an operator's arguments. A library of a later time may have longer entries."""
    start = ctypes.cast(operator.arguments, ctypes.c_void_p).value or 0
    places = (start + i * operator.argument_size for i in range(operator.argument_count))
    return [Argument.from_address(place).kind for place in places]


class Library(ctypes.Structure):
    _fields_ = (
        ("struct_size", ctypes.c_uint32),
        ("abi_version", ctypes.c_uint32),
        ("package", ctypes.c_char_p),
        ("version", ctypes.c_char_p),
        ("operator_count", ctypes.c_int32),
        ("operators", ctypes.POINTER(ctypes.POINTER(Operator))),
        ("isa", ctypes.CFUNCTYPE(ctypes.c_char_p)),
        ("isas", ctypes.CFUNCTYPE(ctypes.POINTER(ctypes.c_char_p))),
        ("cap_isa", ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_char_p)),
    )


@dataclass(frozen=True)
class View:
    """A tensor of the CPU for the border: where it lies, its dtype by name, its shape and strides."""

    data: int
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]


class Prepared:
    """A call, and what must live as long as it. outputs: tensors to write into, or how many to describe."""

    def __init__(self, kinds: Sequence[int], values: Sequence[object], outputs: Sequence[View] | int) -> None:
        self._kept: list[object] = []
        inputs = (Value * max(1, len(values)))()
        for i, value in enumerate(values):
            self._fill(inputs[i], kinds[i] if i < len(kinds) else NONE, value)
        if isinstance(outputs, int):
            self.outputs = (Tensor * max(1, outputs))(*(_blank() for _ in range(outputs)))
            count = outputs
        else:
            self.outputs = (Tensor * max(1, len(outputs)))(*map(_tensor, outputs))
            count = len(outputs)
        self.call = Call(
            struct_size=ctypes.sizeof(Call),
            input_count=len(values),
            inputs=inputs,
            output_count=count,
            outputs=self.outputs,
        )

    def add_workspace(self) -> None:
        """The scratch memory that the plan asks for."""
        if self.call.workspace_bytes:
            memory = ctypes.create_string_buffer(self.call.workspace_bytes + 63)
            self._kept.append(memory)
            self.call.workspace = (ctypes.addressof(memory) + 63) // 64 * 64

    def _fill(self, slot: Value, kind: int, value: Any) -> None:
        """One argument; `kind` is what the schema says of it, which decides between kinds that Python takes as one."""
        if isinstance(value, View):
            tensor = _tensor(value)
            slot.kind, slot.held.tensor = TENSOR, ctypes.pointer(tensor)
        elif isinstance(value, bool):
            slot.kind, slot.held.integer = (INTEGER if kind == INTEGER else BOOL), value
        elif isinstance(value, float) or (isinstance(value, int) and kind == NUMBER):
            slot.kind, slot.held.number = NUMBER, value
        elif isinstance(value, int):
            slot.kind, slot.held.integer = (BOOL if kind == BOOL else INTEGER), value
        elif isinstance(value, Dtype):
            slot.kind, slot.held.dtype = DTYPE, DataType(value.code, value.bits, 1)
        elif isinstance(value, str):
            text = value.encode()
            slot.kind, slot.count, slot.held.text = TEXT, len(text), text
        elif isinstance(value, list) and (kind == TENSORS or any(isinstance(one, View) for one in value)):
            tensors = (ctypes.POINTER(Tensor) * max(1, len(value)))(*(ctypes.pointer(_tensor(one)) for one in value))
            slot.kind, slot.count, slot.held.tensors = TENSORS, len(value), tensors
        elif isinstance(value, list):
            numbers = (ctypes.c_int64 * max(1, len(value)))(*value)
            slot.kind, slot.count, slot.held.integers = INTEGERS, len(value), numbers


def _blank() -> Tensor:
    """Space that `infer` describes a result in."""
    return Tensor(shape=(ctypes.c_int64 * MAX_DIMS)(), strides=(ctypes.c_int64 * MAX_DIMS)())


def _tensor(view: View) -> Tensor:
    dimensions = len(view.shape)
    found = DTYPES.get(view.dtype)
    return Tensor(
        data=view.data or None,
        device=Device(1, 0),
        ndim=dimensions,
        # One that DLPack does not have is refused by every operator.
        dtype=DataType(found.code, found.bits, 1) if found else DataType(3, 0, 1),
        shape=(ctypes.c_int64 * max(1, dimensions))(*view.shape),
        strides=(ctypes.c_int64 * max(1, dimensions))(*view.strides),
    )


def described(tensor: Tensor) -> View:
    """A result as `infer` describes it."""
    names = {(dtype.code, dtype.bits): dtype.name for dtype in DTYPES.values()}
    name = names[tensor.dtype.code, tensor.dtype.bits]
    return View(0, name, tuple(tensor.shape[: tensor.ndim]), tuple(tensor.strides[: tensor.ndim]))
