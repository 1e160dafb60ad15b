"""The border: what a launch is given, checked once, and turned into types and slots.

In: a kernel's parameters and the values of a call. Out: `Bound`: the type of each argument (which picks the kernel),
the constants, the 8-byte values and the memory ranges. Refuses arrays that the hardware could not take as they are.
"""

from __future__ import annotations

import contextlib
import math
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from opwright.asc._names import ConstExpr, GlobalAddress
from opwright.ascendc.dtypes import parse
from opwright.errors import ArgumentError, WrongArguments
from opwright.runtime.arrays import Memory, memory_of
from opwright.runtime.reads import stable

_SPEC = re.compile(r"\s*(\w+)\[\s*(\d*(?:\s*,\s*\d+)*)\s*\]\s*")
SCALARS = {"int": int, "float": float, "bool": bool}
_NO_DEFAULT = object()
# Half a unit beyond the largest float32: from here on a number rounds to infinity.
_FLOAT_LIMIT = float.fromhex("0x1.ffffffp127")


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


class Bound:
    """Arguments of one launch."""

    __slots__ = ("constants", "kinds", "memories", "names", "slots")

    def __init__(
        self,
        names: tuple[str, ...],
        kinds: tuple[str, ...],
        constants: dict[str, object],
        slots: list[int | float | bool],
        memories: list[Memory | None],
    ) -> None:
        self.names = names  # of the run-time parameters
        self.kinds = kinds  # "int", "float", "bool" or an element type, of each
        self.constants = constants
        self.slots = slots
        self.memories = memories  # None for a scalar

    @property
    def types(self) -> tuple[tuple[str, str], ...]:
        """Name and kind of each run-time parameter."""
        return tuple(zip(self.names, self.kinds, strict=True))


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
        self._defaults = tuple(parameter.default for parameter in parameters)
        self._required = sum(not parameter.has_default for parameter in parameters)
        self._run_time = tuple(parameter.name for parameter in parameters if parameter.kind != "constant")

    def bind(self, arguments: Sequence[object], keywords: Mapping[str, object], described: bool = False) -> Bound:
        """Checks everything that can be known before the kernel is; `described`: "f16[4096]" may stand for an array."""
        if keywords or len(arguments) < self._required or len(arguments) > len(self._names):
            values: Sequence[object] = self._values(arguments, keywords)
        else:
            values = (*arguments, *self._defaults[len(arguments) :])
        kinds: list[str] = []
        constants: dict[str, object] = {}
        slots: list[int | float | bool] = []
        memories: list[Memory | None] = []
        for parameter, value in zip(self.parameters, values, strict=True):
            name, kind = parameter.name, parameter.kind
            if kind == "constant":
                if type(value) is not int and stable(value) is None:
                    self._wrong(f"argument {name} is a {type(value).__name__}, which cannot be a constant")
                constants[name] = value
                continue
            memory: Memory | None = None
            if kind in SCALARS or (kind == "any" and (isinstance(value, (int, float)) or _is_numpy_scalar(value))):
                scalar = self._scalar(name, kind, value)
                slots.append(scalar)
                kinds.append(type(scalar).__name__)
            else:
                if described and isinstance(value, str):
                    element, memory = self._specified(name, value)
                else:
                    element, memory = memory_of(self.kernel, name, value)
                slots.append(memory[0])
                kinds.append(element)
            memories.append(memory)
        return Bound(self._run_time, tuple(kinds), constants, slots, memories)

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

    def _scalar(self, name: str, kind: str, value: Any) -> int | float | bool:
        if type(value) is int and kind in ("int", "any"):
            if not -(1 << 63) <= value < 1 << 63:
                self._wrong(f"argument {name} = {value} does not fit 64 bits")
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
        self._wrong(f"argument {name} must be {kind}, got {type(value).__name__} {_brief(value)}")
        raise AssertionError

    def _float(self, name: str, value: float) -> float:
        """As a float32 would be: beyond the largest one, infinity."""
        try:
            number = float(value)
        except OverflowError:
            self._wrong(f"argument {name} = {_brief(value)} does not fit a float")
            raise AssertionError from None
        if abs(number) >= _FLOAT_LIMIT:
            return math.copysign(math.inf, number)
        return number

    def _specified(self, name: str, text: str) -> tuple[str, Memory]:
        """An array that is only described, as in "f16[4096]": enough to emit text, not to launch."""
        match = _SPEC.fullmatch(text)
        if match is None:
            self._wrong(f"argument {name} is {_brief(text)}: describe an array as TYPE[LENGTH], such as f16[4096]")
            raise AssertionError
        dtype, shape = match.groups()
        try:
            element = parse(dtype)
        except ValueError as error:
            self._wrong(f"argument {name}: {error}")
            raise AssertionError from None
        count = 1
        for part in shape.split(","):
            count *= int(part) if part.strip() else 1
        return element.name, (0, count * element.bytes, None)


def _is_numpy_scalar(value: object) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.generic)


def _brief(value: object) -> str:
    """A value in a message: one short line of it."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."
