"""Structs and arrays in the `py` dialect.

In: their fields and elements. Out: operations that declare them, and cells that stand for one field or element: what
reads and sets a variable reads and sets those too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation, attr_def, irdl_op_definition, operand_def, result_def, traits_def, var_operand_def
from xdsl.traits import MemoryAllocEffect, NoMemoryEffect, Pure

from opwright.ir.types import ArrayType, CellType, ObjectType, ScalarType, StructType, quoted, unquoted


@irdl_op_definition
class StructOp(IRDLOperation):
    """Declares a struct: the fields of a kernel object, or of an argument by value."""

    name = "py.struct"
    sym_name = attr_def(StringAttr)
    fields = attr_def(ArrayAttr[StringAttr])
    types = attr_def(ArrayAttr[Attribute])
    traits = traits_def(NoMemoryEffect())

    def __init__(self, name: str, fields: Mapping[str, Attribute]) -> None:
        names = ArrayAttr([quoted(field) for field in fields])
        attributes = {"sym_name": quoted(name), "fields": names, "types": ArrayAttr(list(fields.values()))}
        super().__init__(attributes=attributes)

    def content(self) -> dict[str, Attribute]:
        """Name -> type of each field."""
        return {unquoted(name): kind for name, kind in zip(self.fields.data, self.types.data, strict=True)}


@irdl_op_definition
class NewOp(IRDLOperation):
    """Makes a struct whose fields have no values yet."""

    name = "py.new"
    result = result_def(StructType)
    traits = traits_def(MemoryAllocEffect())

    def __init__(self, kind: StructType) -> None:
        super().__init__(result_types=[kind])


@irdl_op_definition
class MemberOp(IRDLOperation):
    """A field of a struct: a cell if it can be set, the object itself if not."""

    name = "py.member"
    field = attr_def(StringAttr)
    instance = operand_def(StructType)
    result = result_def()
    traits = traits_def(Pure())

    def __init__(self, instance: SSAValue, field: str, kind: Attribute) -> None:
        super().__init__(operands=[instance], attributes={"field": quoted(field)}, result_types=[kind])


@irdl_op_definition
class ArrayOp(IRDLOperation):
    """An array of the stack that starts with constant values."""

    name = "py.array"
    values = attr_def(ArrayAttr[StringAttr])
    result = result_def(ArrayType)
    traits = traits_def(MemoryAllocEffect())

    def __init__(self, kind: ArrayType, values: Sequence[str]) -> None:
        attributes = {"values": ArrayAttr([StringAttr(value) for value in values])}
        super().__init__(attributes=attributes, result_types=[kind])


@irdl_op_definition
class ListOp(IRDLOperation):
    """An array of objects of one class, for a call that takes a list of them."""

    name = "py.list"
    items = var_operand_def(ObjectType)
    result = result_def(ObjectType)
    traits = traits_def(MemoryAllocEffect())

    def __init__(self, items: Sequence[SSAValue], kind: ObjectType) -> None:
        super().__init__(operands=[items], result_types=[kind])


@irdl_op_definition
class ElementOp(IRDLOperation):
    """One element of an array; the index was tested before."""

    name = "py.element"
    array = operand_def(ArrayType)
    index = operand_def(ScalarType)
    cell = result_def(CellType)
    traits = traits_def(NoMemoryEffect())

    def __init__(self, array: SSAValue, index: SSAValue) -> None:
        assert isinstance(array.type, ArrayType)
        content = ScalarType(array.type.dtype)
        super().__init__(operands=[array, index], result_types=[CellType(content)])
