"""How the text spells types and constant arguments: the only place where names of the IR become C++.

In: types, and arguments by the names that attributes hold. Out: C++.
"""

from __future__ import annotations

from collections.abc import Mapping

from opwright.ascendc.dtypes import ELEMENTS
from opwright.ascendc.enums import ENUMS
from opwright.ascendc.row import Parameter
from opwright.ascendc.table import ROWS
from opwright.ir.types import (
    AddressType,
    ArrayType,
    GlobalType,
    HostType,
    LocalType,
    ObjectType,
    PointerType,
    ScalarType,
    StructType,
    TileType,
    ValueType,
)


def cpp(kind: ValueType) -> str:
    """A type."""
    if isinstance(kind, ObjectType):
        return object_class(kind.kind.data, kind.made_with)
    if isinstance(kind, StructType):
        return kind.struct.data
    assert not isinstance(kind, HostType), "emit.host has the types of host functions"
    element = element_type(kind.dtype.data)
    match kind:
        case ScalarType():
            return element
        case AddressType():
            return f"__gm__ {element}*"
        case PointerType():
            return f"{kind.memory.data}_pointer<{element}>"
        case GlobalType():
            return f"AscendC::GlobalTensor<{element}>"
        case LocalType():
            return f"AscendC::LocalTensor<{element}>"
        case ArrayType() | TileType():
            raise AssertionError(f"{kind} has no type that stands before its name")


def element_type(dtype: str) -> str:
    """An element type."""
    return dtype if dtype == "bool" else ELEMENTS[dtype].cpp


def object_class(made_by: str, made_with: Mapping[str, str]) -> str:
    """The class of an object: that of the row that makes it, with the constants that it is made with."""
    row = ROWS[made_by]
    form = next(form for form in row.forms if {one.name for one in form.parameters if one.template} == made_with.keys())
    words = {one.name: constant(one, made_with[one.name]) for one in form.parameters if one.template}
    if form.text:
        return form.text.format_map(words)
    return f"AscendC::{row.cpp}<{', '.join(words.values())}>" if words else f"AscendC::{row.cpp}"


def constant(parameter: Parameter, name: str) -> str:
    """A constant argument."""
    if parameter.kind in ENUMS:
        return ENUMS[parameter.kind].spell(ENUMS[parameter.kind].python[name])
    return ELEMENTS[name].cpp if parameter.kind == "dtype" else name
