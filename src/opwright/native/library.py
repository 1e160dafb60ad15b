"""libopwright_cpu from Python: its operators' plans and runs, through ctypes.

In: values as the C border has them: tensors by what lies where. Out: why an operator refuses a call, or its work done
in this thread. The library is opened once, after its content was verified; a process without it gets a reason.
"""

from __future__ import annotations

import ctypes
import itertools
import threading
from collections.abc import Sequence
from dataclasses import dataclass

from opwright.errors import BadSetting, CacheFailed, CompileFailed, UnsafeCache
from opwright.native.build import Library, cpu_library
from opwright.schema.dtypes import DTYPES
from opwright.settings import settings

_MAX_DIMENSIONS = 64


class _DType(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("dtype", _DType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class _Held(ctypes.Union):
    _fields_ = (
        ("tensor", ctypes.POINTER(_Tensor)),
        ("integer", ctypes.c_int64),
        ("number", ctypes.c_double),
        ("text", ctypes.c_char_p),
        ("integers", ctypes.POINTER(ctypes.c_int64)),
        ("dtype", _DType),
    )


class _Value(ctypes.Structure):
    _fields_ = (("kind", ctypes.c_int32), ("count", ctypes.c_int32), ("held", _Held))


class _Call(ctypes.Structure):
    _fields_ = (
        ("struct_size", ctypes.c_uint32),
        ("inputs", ctypes.c_int32),
        ("input", ctypes.POINTER(_Value)),
        ("outputs", ctypes.c_int32),
        ("given", ctypes.c_int32),
        ("output", ctypes.POINTER(_Tensor)),
        ("parts", ctypes.c_int64),
        ("grain", ctypes.c_int64),
        ("reason", ctypes.c_char_p),
        ("notes", ctypes.c_int64 * 32),
    )


class _Operator(ctypes.Structure):
    _fields_ = (
        ("struct_size", ctypes.c_uint32),
        ("name", ctypes.c_char_p),
        ("plan", ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.POINTER(_Call))),
        ("run", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Call), ctypes.c_int64, ctypes.c_int64)),
    )


@dataclass(frozen=True)
class View:
    """A tensor for the border: where it lies, if that matters, its dtype by name, its shape and strides."""

    data: int
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]


class CpuLibrary:
    """The opened library."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self._handle = ctypes.CDLL(str(library.path))
        self._handle.opwright_cpu_isa.restype = ctypes.c_char_p
        self._handle.opwright_cpu_isas.restype = ctypes.POINTER(ctypes.c_char_p)
        self.cap_isa(settings.isa)

    @property
    def isa(self) -> str:
        """The instruction set in use, by the name of its path."""
        return str(self._handle.opwright_cpu_isa().decode())

    @property
    def isas(self) -> list[str]:
        """All paths of this build, the best first; this CPU may lack some."""
        names = self._handle.opwright_cpu_isas()
        return [name.decode() for name in itertools.takewhile(bool, names)]

    def cap_isa(self, name: str) -> None:
        """Uses no path above the one of that name; "" lifts the cap."""
        if not self._handle.opwright_cpu_cap_isa(name.encode()):
            raise BadSetting(name="OPWRIGHT_CPU_ISA", value=name, message=f"takes one of {', '.join(self.isas)}")

    def encode_hifloat8(self, numbers: int, type_code: int, codes: int, count: int, overflow: int) -> None:
        """Codes of `count` numbers, both by address; for arrays without a framework."""
        arguments = (ctypes.c_void_p(numbers), type_code, ctypes.c_void_p(codes), ctypes.c_int64(count), overflow)
        if self._handle.opwright_hifloat8_encode(*arguments):
            raise ValueError("no such type or rule")

    def decode_hifloat8(self, codes: int, numbers: int, type_code: int, count: int) -> None:
        """Numbers of `count` codes."""
        arguments = (ctypes.c_void_p(codes), ctypes.c_void_p(numbers), type_code, ctypes.c_int64(count))
        if self._handle.opwright_hifloat8_decode(*arguments):
            raise ValueError("no such type")

    def address(self, name: str) -> int | None:
        """Where an operator's entry lies, or None if it has none."""
        try:
            entry = _Operator.in_dll(self._handle, f"opwright_operator_{name}")
        except ValueError:
            return None
        return ctypes.addressof(entry)

    def refusal(self, name: str, values: Sequence[object], outputs: Sequence[View] | int) -> str | None:
        """Why an operator does not take a call; None if it does. `outputs`: those given, or how many to make."""
        call, _kept = _call(values, outputs)
        entry = _Operator.in_dll(self._handle, f"opwright_operator_{name}")
        return None if entry.plan(ctypes.byref(call)) == 0 else call.reason.decode()

    def run(self, name: str, values: Sequence[object], outputs: Sequence[View]) -> None:
        """Does all of the work into given outputs; the call must be one that it takes."""
        call, _kept = _call(values, outputs)
        entry = _Operator.in_dll(self._handle, f"opwright_operator_{name}")
        if entry.plan(ctypes.byref(call)) != 0:
            raise ValueError(f"{name}: {call.reason.decode()}")
        entry.run(ctypes.byref(call), 0, call.parts)


def _call(values: Sequence[object], outputs: Sequence[View] | int) -> tuple[_Call, list[object]]:
    """A call, and what must live as long as it."""
    kept: list[object] = []
    inputs = (_Value * max(1, len(values)))()
    for slot, value in zip(inputs, values, strict=False):
        _fill(slot, value, kept)
    count = outputs if isinstance(outputs, int) else len(outputs)
    made = (_Tensor * max(1, count))()
    for i in range(count):
        if isinstance(outputs, int):
            made[i].shape = (ctypes.c_int64 * _MAX_DIMENSIONS)()
            made[i].strides = (ctypes.c_int64 * _MAX_DIMENSIONS)()
        else:
            made[i] = _tensor(outputs[i])
    kept += [inputs, made]
    call = _Call(
        struct_size=ctypes.sizeof(_Call),
        inputs=len(values),
        input=inputs,
        outputs=count,
        given=not isinstance(outputs, int),
        output=made,
        grain=1,
        reason=b"",
    )
    return call, kept


def _tensor(view: View) -> _Tensor:
    dimensions = len(view.shape)
    return _Tensor(
        data=view.data,
        device_type=1,
        ndim=dimensions,
        dtype=_dtype(view.dtype),
        shape=(ctypes.c_int64 * max(1, dimensions))(*view.shape),
        strides=(ctypes.c_int64 * max(1, dimensions))(*view.strides),
    )


def _dtype(name: str) -> _DType:
    """A data type as DLPack has it; one that it does not have is refused by every operator."""
    found = DTYPES.get(name)
    return _DType(found.code, found.bits, 1) if found else _DType(255, 0, 1)


def _fill(slot: _Value, value: object, kept: list[object]) -> None:
    if isinstance(value, View):
        slot.kind = 1
        tensor = _tensor(value)
        kept.append(tensor)
        slot.held.tensor = ctypes.pointer(tensor)
    elif isinstance(value, int):
        slot.kind, slot.held.integer = 2, value
    elif isinstance(value, float):
        slot.kind, slot.held.number = 3, value
    elif isinstance(value, tuple):  # a dtype by name
        slot.kind, slot.held.dtype = 6, _dtype(value[0])
    elif isinstance(value, str):
        text = value.encode()
        slot.kind, slot.count, slot.held.text = 4, len(text), text
        kept.append(text)
    elif isinstance(value, list):
        numbers = (ctypes.c_int64 * max(1, len(value)))(*value)
        slot.kind, slot.count, slot.held.integers = 5, len(value), numbers
        kept.append(numbers)
    else:
        slot.kind = 0


_lock = threading.Lock()
_opened: CpuLibrary | str | None = None


def opened() -> CpuLibrary | str:
    """The library, or why there is none. The first call may compile it."""
    global _opened
    with _lock:
        if _opened is None:
            try:
                library = cpu_library()
            except (CacheFailed, CompileFailed, UnsafeCache) as error:
                library = Library(None, reason=str(error))
            try:
                _opened = CpuLibrary(library) if library.path else library.reason
            except OSError as error:
                _opened = f"{library.path} cannot be loaded: {error}"
        return _opened


def go_without(reason: str) -> None:
    """Lets this process neither compile nor open the library."""
    global _opened
    with _lock:
        _opened = reason
