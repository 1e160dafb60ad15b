"""The objects behind the names of `opwright.asc`: calls, and the types that annotate a kernel's parameters.

In: a row. Out: an object the front end recognises. Outside a kernel, calling one is refused.
"""

from __future__ import annotations

import dataclasses
from collections.abc import MutableSequence, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

from opwright.ascendc.dtypes import DTYPES, DataType
from opwright.errors import OutsideKernel

if TYPE_CHECKING:
    from opwright.ascendc.row import Row

__tracebackhide__ = True  # pytest leaves out frames of this module
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class _Described:
    """The docstring of a call, made from its row on first use: `help(asc.exp)`."""

    def __init__(self, of_class: str | None) -> None:
        self.of_class = of_class

    def __get__(self, call: Call | None, kind: type) -> str | None:
        if call is None:
            return self.of_class
        from opwright.ascendc.words import described  # loads the table of enums, which no launch needs

        return described(call.row)


class Call:
    """One function or class of Ascend C, as a kernel names it."""

    __doc__ = _Described(__doc__)

    def __init__(self, row: Row) -> None:
        self.row = row
        self.__name__ = row.name

    def __call__(self, *arguments: object, **keywords: object) -> object:
        raise OutsideKernel(name=self.row.name)

    def __repr__(self) -> str:
        return f"asc.{self.row.name}"


class BuiltIn(Call):
    """A variable that threads have, such as threadIdx: only they can ask for its fields."""

    __doc__ = _Described(__doc__)

    def __getattr__(self, name: str) -> object:
        if not name.startswith("_") and name in self.row.fields:
            raise OutsideKernel(name=f"{self.row.name}.{name}")
        raise AttributeError(f"asc.{self.row.name} has no attribute {name!r}")


class Aggregate(Call):
    """A struct of Ascend C. A kernel makes it of numbers, or gets it by value: outside it is a frozen dataclass."""

    __doc__ = _Described(__doc__)

    @cached_property
    def record(self) -> type:
        """The dataclass."""
        fields = [
            (field.name, DTYPES[field.kind], dataclasses.field(default=0)) for field in self.row.forms[0].parameters
        ]
        return dataclasses.make_dataclass(self.row.short, fields, frozen=True)

    def __call__(self, *arguments: object, **keywords: object) -> object:
        return self.record(*arguments, **keywords)


@cache
def aggregate(name: str) -> Aggregate:
    """The struct of a row: one class of values for all callers."""
    from opwright.ascendc.table import ROWS  # no launch needs the table

    return Aggregate(ROWS[name])


class ThreadNames:
    """The names that a function which threads run may use: asc.simt."""

    def _load(self) -> dict[str, object]:
        """The names that come from the table."""
        from opwright.ascendc.row import SIMT
        from opwright.ascendc.table import ROWS

        rows = [row for row in ROWS.values() if row.space == SIMT]
        return {row.short: BuiltIn(row) if row.fields else Call(row) for row in rows}

    def __getattr__(self, name: str) -> object:
        if not name.startswith("_"):
            vars(self).update(self._load())
        if name in vars(self):
            return vars(self)[name]
        raise AttributeError(f"asc.simt has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        return sorted(self._load())

    def __repr__(self) -> str:
        return "asc.simt"


class Range:
    """`for i in asc.range(n)`: the same as range(n)."""


class StaticRange:
    """`for i in asc.static_range(n)`: the body is written n times, with i a constant each time."""


def ceildiv(x: int, y: int) -> int:
    """x / y rounded up, for integers; in a kernel and outside."""
    return -(-x // y)


def static_assert(test: bool, message: str = "") -> None:
    """Refuses to compile the kernel if `test`, a constant, does not hold."""
    raise OutsideKernel(name="static_assert")


def number(value: float, dtype: DataType) -> int:
    """A number of one width, such as asc.number(n, asc.int32): it wraps at run time as a C++ number of that width."""
    raise OutsideKernel(name="number")


def array(dtype: DataType, content: int | Sequence[float], fill_value: float = 0) -> MutableSequence[int]:
    """A few numbers on the core's stack: `content` is how many, each `fill_value`, or the numbers themselves."""
    raise OutsideKernel(name="array")


def inline(code: str, args: tuple[object, ...] = (), before_function: bool = False) -> None:
    """C++ that is kept unchanged, with $0, $1, ... for `args`. Nothing checks it: neither the front end nor the twin.

    before_function: it stands before all functions of the text instead of here.
    """
    raise OutsideKernel(name="inline")


class GlobalAddress:
    """Marks a parameter that is an address in global memory: an array or tensor at launch."""


class StridedAddress(GlobalAddress):
    """Marks a parameter that is the address of a view: elements may lie apart, and strides are other arguments."""


class ConstExpr(Generic[T_co]):
    """Marks a parameter whose value is part of the kernel: `tile: asc.ConstExpr[int]`. A new value is a new kernel."""

    # Called as asc.ConstExpr.unwrap(tile): there are no objects of this class.
    def unwrap(obj: T) -> T:
        """The value of a constant: in a kernel such a parameter is its value, so there is nothing to take off."""
        return obj


def list_of_tensors(arrays: Sequence[object]) -> object:
    """One array that describes `arrays` to asc.ListTensorDesc; give them to the launch as arguments too."""
    from opwright.kernel import tensor_list  # needs NumPy

    return tensor_list.list_of_tensors(arrays)


# The language's own names in `opwright.asc`, beside `jit`, the data types and what comes from the table.
LANGUAGE: dict[str, object] = {
    "ConstExpr": ConstExpr,
    "GlobalAddress": GlobalAddress,
    "StridedAddress": StridedAddress,
    "array": array,
    "ceildiv": ceildiv,
    "inline": inline,
    "list_of_tensors": list_of_tensors,
    "number": number,
    "range": Range,
    "static_assert": static_assert,
    "static_range": StaticRange,
}
