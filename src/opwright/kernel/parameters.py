"""The parameters of a kernel, as its signature says.

In: a function. Out: a `Parameter` for each. Refuses functions and annotations that no kernel has. Annotations that are
classes of their own say what they mean by `register_kind`.
"""

from __future__ import annotations

import dataclasses
import enum
import inspect
import linecache
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import TYPE_CHECKING, NoReturn

from opwright.ascendc.dtypes import DTYPES, DataType
from opwright.errors import Location, NotAKernel, brief
from opwright.kernel.captures import MISSING, value_at
from opwright.kernel.names import Aggregate, Call, ConstExpr, GlobalAddress, StridedAddress

if TYPE_CHECKING:
    from opwright.kernel.arrays import ArrayView

_ANNOTATION = re.compile(r"""\s*["']?(?P<name>[^\W\d][\w.]*)\s*(\[.*\])?["']?\s*""", re.DOTALL)
NO_DEFAULT = object()


@dataclass(frozen=True)
class ParameterKind:
    """What an annotation means.

    kind, strided: as those of a `Parameter`.
    parts: of an array's view, what the text takes behind its address: names of parameters of the text, and integers.
    """

    kind: str
    strided: bool = False
    parts: Callable[[str, ArrayView], Sequence[tuple[str, int]]] | None = None


_KINDS: dict[type, ParameterKind] = {
    GlobalAddress: ParameterKind("address"),
    StridedAddress: ParameterKind("address", strided=True),
    ConstExpr: ParameterKind("constant"),
    int: ParameterKind("int"),
    float: ParameterKind("float"),
    bool: ParameterKind("bool"),
}


def register_kind(annotation: type, kind: ParameterKind) -> None:
    """Gives a class a meaning as the annotation of a parameter; it has none yet."""
    assert annotation not in _KINDS, annotation
    _KINDS[annotation] = kind


@dataclass(frozen=True)
class Parameter:
    """A parameter as its annotation says.

    kind: "address", "int", "float", "bool", "constant", "any", "number" (of one width: `dtype`), "struct" (by value:
    `record`) or, in helpers only, "object" (an object of Ascend C: `wanted` is its class).
    strided: the elements of an array may lie apart.
    parts: as that of a `ParameterKind`.
    """

    name: str
    kind: str
    default: object = NO_DEFAULT
    dtype: DataType | None = None
    record: type | None = None
    wanted: str = ""
    strided: bool = False
    parts: Callable[[str, ArrayView], Sequence[tuple[str, int]]] | None = None

    @property
    def has_default(self) -> bool:
        """Whether a launch may leave it out."""
        return self.default is not NO_DEFAULT


def parameters_of(function: FunctionType) -> tuple[Parameter, ...]:
    """Reads a function's signature."""
    code = function.__code__
    count = code.co_argcount
    names = code.co_varnames[:count]
    defaults = function.__defaults__ or ()
    values = dict(zip(names[count - len(defaults) :], defaults, strict=True))
    return tuple(_annotated(function, name, values.get(name, NO_DEFAULT)) for name in names)


def refuse_other_functions(function: FunctionType) -> None:
    """Refuses what is no plain function of plain parameters."""
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    around = function.__qualname__.rpartition(".")[0]
    if code.co_name == "<lambda>":
        _refuse(function, "it is a lambda", "write it with def")
    if code.co_flags & (inspect.CO_COROUTINE | inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR):
        _refuse(function, "it is a coroutine or a generator", "write it with def, without async, await and yield")
    if hasattr(function, "__wrapped__"):
        hint = "put @asc.jit next to def; what the other decorator does must be part of the kernel"
        _refuse(function, "another decorator wraps it", hint)
    if names[:1] in (("self",), ("cls",)) and around and not around.endswith("<locals>"):
        hint = "methods of a kernel object need no mark: mark the kernel that makes the object"
        _refuse(function, f"it is a method: '{names[0]}' is not an array or a number", hint)
    if code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS) or code.co_kwonlyargcount:
        _refuse(function, "it has *args, **kwargs or parameters after *", "give it plain parameters")
    if code.co_posonlyargcount:
        _refuse(function, "it has parameters before /", "give it plain parameters")


def _refuse(function: FunctionType, reason: str, hint: str) -> NoReturn:
    """Refuses a function as a kernel, at its first line."""
    code = function.__code__
    line = linecache.getline(code.co_filename, code.co_firstlineno)
    at = Location(code.co_filename, code.co_firstlineno, len(line) - len(line.lstrip()))
    raise NotAKernel(at, name=function.__qualname__, reason=reason, hint=hint)


def _annotated(function: FunctionType, name: str, default: object) -> Parameter:
    """A parameter with what its annotation says; "any" without one."""
    if name not in function.__annotations__:
        return Parameter(name, "any", default)
    annotation = written = function.__annotations__[name]
    if isinstance(annotation, str):
        # `from __future__ import annotations` leaves the words as they were written.
        words = _ANNOTATION.fullmatch(annotation)
        annotation = value_at(function, words["name"]) if words else MISSING
    annotation = getattr(annotation, "__origin__", annotation)  # ConstExpr[int] is ConstExpr here
    if isinstance(annotation, type) and (known := _KINDS.get(annotation)) is not None:
        return Parameter(name, known.kind, default, strided=known.strided, parts=known.parts)
    if isinstance(annotation, DataType) and annotation.name in DTYPES:
        return Parameter(name, "number", default, dtype=annotation)
    if isinstance(annotation, type) and (annotation is DataType or issubclass(annotation, enum.Enum)):
        return Parameter(name, "constant", default)
    if isinstance(annotation, type) and dataclasses.is_dataclass(annotation):
        return Parameter(name, "struct", default, record=annotation)
    if isinstance(annotation, Aggregate):
        return Parameter(name, "struct", default, record=annotation.record)
    if isinstance(annotation, Call) and annotation.row.makes:
        return Parameter(name, "object", default, wanted=annotation.row.makes)
    if isinstance(annotation, type) and isinstance(getattr(annotation, "__init__", None), FunctionType):
        return Parameter(name, "object", default)  # a class of the author's: an object of it, in helpers
    hint = "annotate it with asc.GlobalAddress, int, float, bool, a type such as asc.int32, a dataclass or "
    hint += "asc.ConstExpr[...], or not at all"
    if annotation is MISSING:
        hint += "; the names must be known where the kernel is defined"
    words_of = written if isinstance(written, str) else getattr(written, "__qualname__", brief(written))
    _refuse(function, f"parameter '{name}' is annotated with {words_of}", hint)
