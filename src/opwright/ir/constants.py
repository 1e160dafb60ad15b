"""Constant arguments of a call as attributes hold them: by name.

In: a constant of the front end. Out: its name, such as `MTE2_V`, `float16` or `true`, and back. How C++ spells it is
known in `emit/` only.
"""

from __future__ import annotations

import enum

from opwright.ascendc.dtypes import ELEMENTS, DataType
from opwright.ascendc.enums import ENUMS
from opwright.ascendc.row import Parameter


def name_of_constant(value: object) -> str:
    """The name of a constant argument."""
    if isinstance(value, (enum.Enum, DataType)):
        return value.name
    return str(value).lower() if isinstance(value, bool) else str(value)


def constant_named(parameter: Parameter, name: str) -> object:
    """The constant that an attribute names, for a parameter that takes it."""
    if parameter.kind in ENUMS:
        return ENUMS[parameter.kind].python[name]
    if parameter.kind == "dtype":
        return ELEMENTS[name]
    if parameter.kind == "bool":
        return name == "true"
    return int(name) if parameter.is_integer else name
