"""The parameters of a tile kernel, as its annotations say.

In: a function. Out: what each parameter is. Refuses functions and annotations that no kernel has.
"""

from __future__ import annotations

import enum
import linecache
import re
from types import FunctionType
from typing import NoReturn

from opwright.errors import Location, NotAKernel, brief
from opwright.kernel.arrays import ArrayView
from opwright.kernel.captures import MISSING, value_at
from opwright.kernel.parameters import ParameterKind, refuse_other_functions, register_kind
from opwright.tile.names import constexpr
from opwright.tile.tensor import Tensor

_WORDS = re.compile(r"""["']?[^\W\d][\w.]*["']?""")
RESERVED = {"seed": "kernel.numpy", "perturb": "kernel.check"}  # options of these


class Kind(enum.Enum):
    """What a parameter is; the value is a word for messages."""

    TENSOR = "a tensor"
    CONSTANT = "a constant"
    INT = "an int"
    FLOAT = "a float"
    BOOL = "a bool"
    ANY = "anything"


def axes(name: str, view: ArrayView) -> list[tuple[str, int]]:
    """What the text takes behind the address of a tensor: the lengths of its axes, then their strides."""
    lengths = [(f"{name}_shape{axis}", length) for axis, length in enumerate(view.shape)]
    return [*lengths, *((f"{name}_stride{axis}", stride) for axis, stride in enumerate(view.strides))]


register_kind(Tensor, ParameterKind("address", strided=True, parts=axes))
register_kind(constexpr, ParameterKind("constant"))
_KINDS = ((Tensor, Kind.TENSOR), (constexpr, Kind.CONSTANT), (int, Kind.INT), (float, Kind.FLOAT), (bool, Kind.BOOL))


def kinds_of(function: FunctionType) -> dict[str, Kind]:
    """The kind of each parameter."""
    refuse_other_functions(function)
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    return {name: _kind(function, name) for name in names}


def _kind(function: FunctionType, name: str) -> Kind:
    if name in RESERVED:
        _refuse(function, f"'{name}' is an option of {RESERVED[name]}", "give the parameter another name")
    if name not in function.__annotations__:
        return Kind.ANY
    annotation = written = function.__annotations__[name]
    if isinstance(annotation, str):  # `from __future__ import annotations` leaves the words as they were written
        annotation = value_at(function, annotation.strip("\"'")) if _WORDS.fullmatch(annotation) else MISSING
    for marker, kind in _KINDS:
        if annotation is marker:
            return kind
    words = written if isinstance(written, str) else getattr(written, "__qualname__", brief(written))
    hint = "annotate it with tile.Tensor, tile.constexpr, int, float or bool, or not at all"
    return _refuse(function, f"parameter '{name}' is annotated with {words}", hint)


def _refuse(function: FunctionType, reason: str, hint: str) -> NoReturn:
    code = function.__code__
    line = linecache.getline(code.co_filename, code.co_firstlineno)
    at = Location(code.co_filename, code.co_firstlineno, len(line) - len(line.lstrip()))
    raise NotAKernel(at, name=function.__qualname__, reason=reason, hint=hint)
