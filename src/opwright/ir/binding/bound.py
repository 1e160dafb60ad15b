"""A bound call: a form, the values of its parameters, and what each type variable became.

In: the form that was chosen, and its arguments. Out: answers for the rules of the table (`Known`), and the types and
places of what the call makes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import StringAttr

from opwright.ascendc.dtypes import ELEMENTS
from opwright.ascendc.enums import MEMORY_OF, Hardware, TPosition, memory_named
from opwright.ascendc.row import MASK, Form, Row
from opwright.ascendc.socs import Soc
from opwright.ascendc.traits import StartsAt
from opwright.ir.calls import CallOp
from opwright.ir.constants import constant_named
from opwright.ir.language import ConstantOp
from opwright.ir.types import LocalType, ObjectType
from opwright.ir.values import Constant, RunTimeValue, Value

# What threads write between brackets has no name of its own.
_ELEMENTS = {"GlobalAddress.__getitem__": "x[index]", "GlobalAddress.__setitem__": "x[index] = value"}


def called(row: Row) -> str:
    """A call as a message names it."""
    return _ELEMENTS.get(row.name, f"asc.{row.name}")


@dataclass
class BoundCall:
    """Arguments bound to a form. Answers as `Known`."""

    row: Row
    form: Form
    soc: Soc
    values: dict[str, Value]
    rest: list[Value]
    types: dict[str, str]

    def integer(self, operand: str) -> int | None:
        """The value of an integer argument, if it is a constant."""
        value = self.values[operand]
        return value.value if isinstance(value, Constant) and isinstance(value.value, int) else None

    def memory(self, operand: str) -> str:
        """The memory of a position, of an object's tensors, or that an argument names."""
        value = self.values[operand]
        if isinstance(value, RunTimeValue) and isinstance(value.type, ObjectType):
            return memory_named(value.type.position.data)
        assert isinstance(value, Constant) and isinstance(value.value, (TPosition, Hardware))
        return memory_named(value.value.name)

    def field(self, operand: str, name: str) -> object:
        """The value of a field of a struct, if the struct was made here with a constant."""
        value = self.values[operand]
        made = value.ssa.owner if isinstance(value, RunTimeValue) else None
        if not isinstance(made, CallOp):
            return None
        parameter = next((one for one in made.chosen.parameters if one.name == name), None)
        word = made.attributes.get(name)
        if parameter is not None and isinstance(word, StringAttr):
            return constant_named(parameter, word.data)
        given = made.named().get(name)
        return given.owner.number if given is not None and isinstance(given.owner, ConstantOp) else None

    def made_with(self, operand: str) -> Mapping[str, str]:
        """The constants in the type of an object, by parameter."""
        value = self.values[operand]
        assert isinstance(value, RunTimeValue) and isinstance(value.type, ObjectType)
        return value.type.made_with

    def start(self, operand: str) -> int | None:
        """The byte at which a local tensor starts."""
        value = self.values[operand]
        return value.start if isinstance(value, RunTimeValue) else None

    def touched(self, operand: str) -> int | None:
        """How many bytes of a tensor the call touches."""
        if MASK in self.values and not self.constant(MASK):
            return None  # the mask register says it
        for access in self.form.accesses:
            is_counted = access.operand == operand and not access.strides and access.count in self.values
            count = self.integer(access.count) if is_counted else None
            if count is not None:
                return ELEMENTS[self.dtype(operand)].bytes_of(count) // access.floor * access.floor
        return None

    def element_bytes(self, operand: str) -> int:
        """The size of a tensor's elements, or of a data type."""
        return ELEMENTS[self.dtype(operand)].bytes

    def dtype(self, operand: str) -> str:
        """The element type of a tensor."""
        return next(self.types[parameter.variable] for parameter in self.form.parameters if parameter.name == operand)

    def constant(self, operand: str) -> object:
        """The value of an argument that is always a constant."""
        value = self.values[operand]
        assert isinstance(value, Constant)
        return value.value

    def new_start(self) -> int | None:
        """The byte at which the local tensor starts that the call makes."""
        starts = self.form.get(StartsAt)
        if starts is None:
            return None
        if starts.where == "self + offset":
            start, offset = self.start("self"), self.integer("offset")
            return None if start is None or offset is None else start + ELEMENTS[self.dtype("self")].bytes_of(offset)
        return self.start("self") if starts.where == "self" else self.integer(starts.where)

    def position(self) -> str:
        """The position of a new tensor or object: the first that an argument has."""
        for value in self.values.values():
            if isinstance(value, RunTimeValue) and isinstance(value.type, (LocalType, ObjectType)):
                if (position := value.type.position.data) in TPosition.__members__:
                    return position
            elif isinstance(value, Constant) and isinstance(value.value, TPosition):
                return value.value.name
        return ""

    def new_memory(self) -> str:
        """The memory of a new tensor."""
        return MEMORY_OF[TPosition[self.position() or TPosition.VECIN.name]]

    def hardware(self) -> str:
        """The memory that an object hands out, if it was made with its name."""
        named = (value.value for value in self.values.values() if isinstance(value, Constant))
        return next((value.name for value in named if isinstance(value, Hardware)), "")
