"""Values as a front end hands them to the IR: constants that are known now, run-time values, and tuples of both.

A front end may have values of its own, such as a method that is not called yet: they derive from `Value`, and say in
words what they are, since a refusal names what was given.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import SSAValue

from opwright.errors import brief
from opwright.ir.types import ValueType


class Value:
    """Anything that an expression can be. Its text is a few words for a message."""


@dataclass(frozen=True)
class Constant(Value):
    """An object known now. `path` says where a front end found it, "" if it was computed."""

    value: object
    path: str = ""

    def __str__(self) -> str:
        return "None" if self.value is None else f"{type(self.value).__name__} {brief(self.value)}"


@dataclass(frozen=True)
class RunTimeValue(Value):
    """A value that is known at run time: a scalar, an address, a tensor or an object."""

    ssa: SSAValue
    start: int | None = None  # of a local tensor: its address in bytes, where it is known

    @property
    def type(self) -> ValueType:
        """Its type."""
        return self.ssa.type  # type: ignore[return-value]

    def __str__(self) -> str:
        return str(self.type)


@dataclass(frozen=True)
class Items(Value):
    """A tuple."""

    items: tuple[Value, ...]

    def __str__(self) -> str:
        return f"a tuple of {len(self.items)}"


def items_of(value: Value) -> tuple[Value, ...]:
    """The values of a list or tuple; none of anything else."""
    if isinstance(value, Constant) and isinstance(value.value, (list, tuple)):
        return tuple(Constant(item) for item in value.value)
    return value.items if isinstance(value, Items) else ()
