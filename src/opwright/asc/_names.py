"""The objects behind the names of `opwright.asc`: calls, and the types that annotate a kernel's parameters.

In: a row. Out: an object the front end recognises. Outside a kernel, calling one is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from opwright.errors import OutsideKernel

if TYPE_CHECKING:
    from opwright.ascendc.row import Row

T_co = TypeVar("T_co", covariant=True)


class Call:
    """One function or class of Ascend C, as a kernel names it."""

    def __init__(self, row: Row) -> None:
        self.row = row
        self.__name__ = row.name
        self.__doc__ = row.doc

    def __call__(self, *arguments: object, **keywords: object) -> None:
        raise OutsideKernel(name=self.row.name)

    def __repr__(self) -> str:
        return f"asc.{self.row.name}"


class GlobalAddress:
    """Marks a parameter that is an address in global memory: an array or tensor at launch."""


class ConstExpr(Generic[T_co]):
    """Marks a parameter whose value is part of the kernel: `tile: asc.ConstExpr[int]`. A new value is a new kernel."""
