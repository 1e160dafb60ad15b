"""The border: what a launch is given, checked once, and turned into types and slots.

In: a kernel's parameters and the values of a call. Out: `Bound`: the type of each argument (which picks the kernel),
the constants, the 8-byte values and the memory ranges. Refuses arrays that the hardware could not take as they are.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any, NamedTuple

from opwright.asc._names import ConstExpr, GlobalAddress
from opwright.ascendc.dtypes import DTYPES, parse
from opwright.errors import (
    ArgumentError,
    NotAnArray,
    NotContiguous,
    NpuTensor,
    UnsupportedDtype,
    WrongArguments,
    WrongByteOrder,
)
from opwright.runtime.reads import stable

_SPEC = re.compile(r"(\w+)\[([\d, ]*)\]")
SCALARS = {"int": int, "float": float, "bool": bool}
_NO_DEFAULT = object()


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kernel as its annotation says: "address", "int", "float", "bool", "constant" or "any"."""

    name: str
    kind: str
    default: object = _NO_DEFAULT

    @property
    def has_default(self) -> bool:
        """Whether a launch may leave it out."""
        return self.default is not _NO_DEFAULT


class Range(NamedTuple):
    """The memory of an array argument."""

    name: str
    base: int
    bytes: int
    writable: bool
    bytes_per_element: int


@dataclass
class Bound:
    """Arguments of one launch."""

    types: tuple[tuple[str, str], ...]  # run-time parameters: name, and "int"/"float"/"bool" or an element type
    constants: dict[str, object]
    slots: list[int | float | bool]
    ranges: list[Range | None]  # None for a scalar


def parameters_of(function: FunctionType) -> tuple[Parameter, ...]:
    """Reads a kernel's signature."""
    code = function.__code__
    count = code.co_argcount
    if code.co_flags & 0x0C or code.co_kwonlyargcount or code.co_posonlyargcount:
        raise ArgumentError(
            kernel=function.__name__,
            message="a kernel takes plain parameters only, no *args, **kwargs, / or *",
        )
    names = code.co_varnames[:count]
    defaults = function.__defaults__ or ()
    values = dict(zip(names[count - len(defaults) :], defaults, strict=True))
    return tuple(Parameter(name, _annotated_kind(function, name), values.get(name, _NO_DEFAULT)) for name in names)


def _annotated_kind(function: FunctionType, name: str) -> str:
    annotation = function.__annotations__.get(name)
    if isinstance(annotation, str):
        # `from __future__ import annotations` leaves the words as they were written.
        words = annotation.replace(" ", "")
        last = words.split("[")[0].split(".")[-1]
        known = {
            "GlobalAddress": "address",
            "ConstExpr": "constant",
            "int": "int",
            "float": "float",
            "bool": "bool",
        }
        return known.get(last, "any")
    if annotation is GlobalAddress:
        return "address"
    if annotation is ConstExpr or getattr(annotation, "__origin__", None) is ConstExpr:
        return "constant"
    return {int: "int", float: "float", bool: "bool"}.get(annotation, "any")  # type: ignore[arg-type]


class Border:
    """Checks and converts the arguments of one kernel."""

    def __init__(self, kernel: str, parameters: Sequence[Parameter]) -> None:
        self.kernel = kernel
        self.parameters = parameters
        self._names = [parameter.name for parameter in parameters]

    def bind(self, arguments: Sequence[object], keywords: Mapping[str, object]) -> Bound:
        """Checks everything that can be known before the kernel is."""
        values = self._values(arguments, keywords) if keywords or len(arguments) != len(self._names) else arguments
        types: list[tuple[str, str]] = []
        constants: dict[str, object] = {}
        slots: list[int | float | bool] = []
        ranges: list[Range | None] = []
        for parameter, value in zip(self.parameters, values, strict=True):
            name, kind = parameter.name, parameter.kind
            if kind == "constant":
                if stable(value) is None:
                    self._wrong(f"argument {name} is a {type(value).__name__}, which cannot be a constant")
                constants[name] = value
                continue
            if kind in SCALARS or (kind == "any" and isinstance(value, (int, float))):
                scalar = self._scalar(name, kind, value)
                types.append((name, type(scalar).__name__))
                slots.append(scalar)
                ranges.append(None)
                continue
            dtype, memory = self._array(name, value)
            types.append((name, dtype))
            slots.append(memory.base)
            ranges.append(memory)
        return Bound(tuple(types), constants, slots, ranges)

    def _wrong(self, message: str) -> None:
        signature = ", ".join(f"{parameter.name}: {parameter.kind}" for parameter in self.parameters)
        raise WrongArguments(kernel=self.kernel, message=message, signature=f"({signature})")

    def _values(self, arguments: Sequence[object], keywords: Mapping[str, object]) -> list[object]:
        """Positional and keyword arguments and defaults, in the order of the parameters."""
        if len(arguments) > len(self._names):
            self._wrong(f"takes {len(self._names)} arguments, got {len(arguments)}")
        for keyword in keywords:
            if keyword not in self._names:
                self._wrong(f"has no argument '{keyword}'")
            if keyword in self._names[: len(arguments)]:
                self._wrong(f"got '{keyword}' twice")
        values = list(arguments)
        for parameter in self.parameters[len(arguments) :]:
            value = keywords.get(parameter.name, parameter.default)
            if value is _NO_DEFAULT:
                self._wrong(f"argument '{parameter.name}' is missing")
            values.append(value)
        return values

    def _scalar(self, name: str, kind: str, value: object) -> int | float | bool:
        if type(value) is int and kind in ("int", "any"):
            result: int | float | bool = value
        elif isinstance(value, bool) and kind in ("bool", "int", "any"):
            result = int(value) if kind == "int" else value
        elif (kind == "float" and isinstance(value, (int, float))) or (isinstance(value, float) and kind == "any"):
            result = float(value)
        elif kind == "int" and hasattr(value, "__index__") and not isinstance(value, (bool, int)):
            result = value.__index__()  # NumPy integers and torch scalars
        elif isinstance(value, int):
            result = int(value)
        else:
            self._wrong(f"argument {name} must be {kind}, got {type(value).__name__} {value!r}")
            raise AssertionError
        if isinstance(result, int) and not -(1 << 63) <= result < 1 << 63:
            self._wrong(f"argument {name} = {result} does not fit 64 bits")
        return result

    def _array(self, name: str, value: Any) -> tuple[str, Range]:
        if isinstance(value, str) and (match := _SPEC.fullmatch(value.strip())):
            return _specified(name, *match.groups())
        numpy = sys.modules.get("numpy")
        if numpy is not None and isinstance(value, numpy.ndarray):
            return self._numpy(name, value)
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(value, torch.Tensor):
            return self._torch(name, value)
        raise NotAnArray(kernel=self.kernel, name=name, type=type(value).__name__)

    def _numpy(self, name: str, value: Any) -> tuple[str, Range]:
        dtype = value.dtype
        known = dtype.name
        flags = value.flags
        if not dtype.isnative:
            raise WrongByteOrder(kernel=self.kernel, name=name, order=dtype.byteorder)
        if known not in DTYPES or dtype.hasobject:
            self._unsupported(name, str(dtype))
        if not flags.c_contiguous:
            raise NotContiguous(kernel=self.kernel, name=name, shape=value.shape, strides=value.strides)
        base = value.__array_interface__["data"][0]
        return known, Range(name, base, value.nbytes, flags.writeable, dtype.itemsize)

    def _torch(self, name: str, value: Any) -> tuple[str, Range]:
        if value.device.type != "cpu":
            raise NpuTensor(kernel=self.kernel, name=name, device=value.device)
        known = str(value.dtype)[6:]
        if known not in DTYPES:
            self._unsupported(name, str(value.dtype))
        if not value.is_contiguous():
            raise NotContiguous(kernel=self.kernel, name=name, shape=tuple(value.shape), strides=value.stride())
        size = value.element_size()
        return known, Range(name, value.data_ptr(), value.numel() * size, True, size)

    def _unsupported(self, name: str, dtype: str) -> None:
        raise UnsupportedDtype(kernel=self.kernel, name=name, dtype=dtype, allowed=", ".join(DTYPES))


def _specified(name: str, dtype: str, shape: str) -> tuple[str, Range]:
    """An array that is only described, as in "f16[4096]": enough to emit text, not to launch."""
    element = parse(dtype)
    count = 1
    for part in shape.split(","):
        count *= int(part) if part.strip() else 1
    return element.name, Range(name, 0, count * element.bytes, True, element.bytes)
