"""What a launch is given, checked once, and turned into types and slots.

In: a kernel's parameters and the values of a call. Out: `BoundArguments`: the type of each argument (which picks the
kernel), the constants, the 8-byte values and the memory ranges. Refuses arrays that the hardware could not take as they
are.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from opwright.ascendc.dtypes import DataType, before_float32, parse
from opwright.errors import WrongArguments, brief
from opwright.kernel.arrays import ArrayView, Memory, axes_of, memory_of, view_of
from opwright.kernel.layouts import layout_of, pack
from opwright.kernel.parameters import NO_DEFAULT, Parameter
from opwright.kernel.stable import stable

_SPEC = re.compile(r"\s*(\w+)\[\s*(\d*(?:\s*,\s*\d+)*)\s*\]\s*")
SCALARS = {"int": int, "float": float, "bool": bool}
_PACKED = ("number", "struct", "object")
# Half a unit beyond the largest float32: from here on a number rounds to infinity.
_FLOAT_LIMIT = float.fromhex("0x1.ffffffp127")


class BoundArguments:
    """Arguments of one launch."""

    __slots__ = ("constants", "kept", "kinds", "memories", "names", "slots", "views")

    def __init__(
        self,
        names: tuple[str, ...],
        kinds: tuple[str, ...],
        constants: dict[str, object],
        slots: list[int | float | bool],
        memories: list[Memory | None],
        views: tuple[str, ...],
        kept: Sequence[object] = (),
    ) -> None:
        self.names = names  # of the run-time parameters, and of what the text takes behind their addresses
        self.kinds = kinds  # "int", "float", "bool" or an element type, of each
        self.constants = constants
        self.slots = slots
        self.memories = memories  # None for a scalar
        self.views = views  # names of arrays whose memory may have parts that are not theirs
        self.kept = kept  # what owns memory that no caller passed

    @property
    def types(self) -> tuple[tuple[str, str], ...]:
        """Name and kind of each run-time parameter."""
        return tuple(zip(self.names, self.kinds, strict=True))


class ArgumentBinder:
    """Checks and converts the arguments of one kernel."""

    def __init__(self, kernel: str, parameters: Sequence[Parameter]) -> None:
        self.kernel = kernel
        self.parameters = parameters
        self._names = [parameter.name for parameter in parameters]
        self._defaults = tuple(parameter.default for parameter in parameters)
        self._required = sum(not parameter.has_default for parameter in parameters)
        self._run_time = tuple(parameter.name for parameter in parameters if parameter.kind != "constant")
        self._has_parts = any(parameter.parts is not None for parameter in parameters)
        self._views = tuple(parameter.name for parameter in parameters if parameter.strided)

    def bind(
        self, arguments: Sequence[object], keywords: Mapping[str, object], described: bool = False
    ) -> BoundArguments:
        """Checks everything that can be known before the kernel is; `described`: "f16[4096]" may stand for an array."""
        if keywords or len(arguments) < self._required or len(arguments) > len(self._names):
            values: Sequence[object] = self._values(arguments, keywords)
        else:
            values = (*arguments, *self._defaults[len(arguments) :])
        kinds: list[str] = []
        constants: dict[str, object] = {}
        slots: list[int | float | bool] = []
        memories: list[Memory | None] = []
        parts: dict[str, list[str]] = {}
        for parameter, value in zip(self.parameters, values, strict=True):
            name, kind = parameter.name, parameter.kind
            if kind == "constant":
                if type(value) is not int and stable(value) is None:
                    self._wrong(f"argument {name} is a {type(value).__name__}, which cannot be a constant")
                constants[name] = value
                continue
            memory: Memory | None = None
            if kind in _PACKED or (kind == "any" and dataclasses.is_dataclass(value) and type(value) is not DataType):
                word, packed = self._packed(parameter, value)
                kinds.append(word)
                slots += packed
            elif kind in SCALARS or (kind == "any" and (isinstance(value, (int, float)) or _is_numpy_scalar(value))):
                scalar = self._scalar(name, kind, value)
                slots.append(scalar)
                kinds.append(type(scalar).__name__)
            elif parameter.parts is not None:
                view = self._view(name, value, described)
                more = parameter.parts(name, view)
                parts[name] = [part for part, _ in more]
                kinds += [view.element, *("int" for _ in more)]
                slots += [view.memory[0], *(number for _, number in more)]
                memories += [view.memory, *(None for _ in more)]
                continue
            else:
                if described and isinstance(value, str):
                    element, memory = self._specified(name, value)
                else:
                    element, memory = memory_of(self.kernel, name, value, parameter.strided)
                slots.append(memory[0])
                kinds.append(element)
            memories.append(memory)
        names = self._with_parts(parts) if self._has_parts else self._run_time
        return BoundArguments(names, tuple(kinds), constants, slots, memories, self._views)

    def _view(self, name: str, value: object, described: bool) -> ArrayView:
        """An array with its shape and strides; one that is only described is dense."""
        if not (described and isinstance(value, str)):
            return view_of(self.kernel, name, value)
        element, memory = self._specified(name, value)
        found = array_described(value)
        assert found is not None
        return ArrayView(element, memory, *axes_of(self.kernel, name, found[1]))

    def _with_parts(self, parts: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
        """The names of all parameters of the text."""
        names = [one for name in self._run_time for one in (name, *parts.get(name, ()))]
        for name in names:
            if names.count(name) > 1:
                self._wrong(f"its text would have two parameters {name}")
        return tuple(names)

    def _packed(self, parameter: Parameter, value: Any) -> tuple[str, Sequence[int | float]]:
        """A number of one width, or a struct by value: its kind and its slots."""
        if parameter.dtype is not None:
            number = value.item() if _is_numpy_scalar(value) else value
            if type(number) is not int or parameter.dtype.is_float():
                number = self._scalar(parameter.name, "float" if parameter.dtype.is_float() else "int", number)
            if parameter.dtype.is_int():
                low, high = parameter.dtype.limits
                if not low <= number <= high:
                    self._wrong(f"argument {parameter.name} = {brief(number)} does not fit {parameter.dtype.name}")
            return f"number {parameter.dtype.name}", (number,)
        if parameter.wanted or isinstance(value, type) or not dataclasses.is_dataclass(value):
            wanted = f"asc.{parameter.wanted}: only helpers take one" if parameter.wanted else _name(parameter.record)
            self._wrong(f"argument {parameter.name} must be {wanted}, got {type(value).__name__} {brief(value)}")
        if parameter.record is not None and not isinstance(value, parameter.record):
            self._wrong(f"argument {parameter.name} must be {_name(parameter.record)}, got {type(value).__name__}")
        layout = layout_of(parameter.record or type(value))
        return layout, pack(layout, value)

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
            if value is NO_DEFAULT:
                self._wrong(f"argument '{parameter.name}' is missing")
            values.append(value)
        return values

    def _scalar(self, name: str, kind: str, value: Any) -> int | float | bool:
        if type(value) is int and kind in ("int", "any"):
            if not -(1 << 63) <= value < 1 << 63:
                self._wrong(f"argument {name} = {brief(value)} does not fit 64 bits")
            return value
        if _is_numpy_scalar(value):
            return self._scalar(name, kind, value.item())
        if isinstance(value, bool) and kind != "float":
            return int(value) if kind == "int" else value
        if kind == "bool" and type(value) is int and value in (0, 1):
            return bool(value)
        if kind in ("float", "any") and isinstance(value, (int, float)):
            return self._float(name, value)
        if kind == "int" and hasattr(value, "__index__"):
            with contextlib.suppress(TypeError):  # an array has the method too, and refuses unless it holds one integer
                return self._scalar(name, kind, int(value.__index__()))
        self._wrong(f"argument {name} must be {kind}, got {type(value).__name__} {brief(value)}")
        raise AssertionError

    def _float(self, name: str, value: float) -> float:
        """As a float32 would be: beyond the largest one, infinity."""
        try:
            number = before_float32(value)
        except OverflowError:
            self._wrong(f"argument {name} = {brief(value)} does not fit a float")
            raise AssertionError from None
        if abs(number) >= _FLOAT_LIMIT:
            return math.copysign(math.inf, number)
        return number

    def _specified(self, name: str, text: str) -> tuple[str, Memory]:
        """An array that is only described, as in "f16[4096]": enough to emit text, not to launch."""
        described = array_described(text)
        if described is None:
            self._wrong(f"argument {name} is {brief(text)}: describe an array as TYPE[LENGTH], such as f16[4096]")
            raise AssertionError
        dtype, shape = described
        try:
            element = parse(dtype)
        except ValueError as error:
            self._wrong(f"argument {name}: {error}")
            raise AssertionError from None
        return element.name, (0, math.prod(shape) * element.bytes, None, None)


def array_described(text: str) -> tuple[str, tuple[int, ...]] | None:
    """The type and the shape that a text such as "f16[64,128]" names; None if it is no such text."""
    match = _SPEC.fullmatch(text)
    if match is None:
        return None
    dtype, shape = match.groups()
    return dtype, tuple(int(part) for part in shape.split(",") if part.strip())


def _name(record: type | None) -> str:
    return record.__name__ if record is not None else "a dataclass"


def _is_numpy_scalar(value: object) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.generic)
