"""Whether an argument is of the kind that a parameter takes, and what that makes of the form's type variables.

In: a parameter, a value, and the bound call so far. Out: type variables of the bound call. Raises `Refused`, which says
what is wrong with this one argument.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from xdsl.ir import Attribute

from opwright.ascendc.dtypes import DTYPES, ELEMENTS, PACKED, DataType
from opwright.ascendc.enums import ENUMS, MEMORY_OF, TPosition
from opwright.ascendc.row import ANY_LENGTH, ARRAY, LIST, MAX_DIMS, MEMORIES_OF_KIND, OBJECT, Parameter
from opwright.ascendc.table import is_a
from opwright.ir.binding.bound import BoundCall
from opwright.ir.calls import TYPE_OF_KIND
from opwright.ir.numbers import is_float
from opwright.ir.types import (
    BOOL,
    GM,
    OF_PYTHON,
    UB,
    AddressType,
    ArrayType,
    GlobalType,
    LocalType,
    ObjectType,
    PointerType,
    ScalarType,
)
from opwright.ir.values import Constant, RunTimeValue, Value, items_of

_Type = TypeVar("_Type", bound=Attribute)

_WORDS = {
    **{kind: f"a local tensor in {' or '.join(memories)}" for kind, memories in MEMORIES_OF_KIND.items()},
    "local": "a local tensor",
    "global": "a global tensor",
    "address": "a global address",
    "ub_address": "an address in UB",
    "pointer": "an address",
    "predicate": "a truth value",
    "array": "a list of one or two integers",
    "number": "a number",
    "dtype": "a data type",
    "bool": "a constant True or False",
    "text": "a constant string",
}
# The memory of an address, where a kind says it.
_MEMORY = {"address": GM, "ub_address": UB}


class Refused(Exception):
    """Why a form does not take an argument, and a hint if it is only about element types."""

    def __init__(self, complaint: str, hint: str = "") -> None:
        super().__init__(complaint)
        self.hint = hint


def check_kind(parameter: Parameter, value: Value, bound: BoundCall) -> None:
    """Raises Refused if a value cannot be that parameter; binds type variables."""
    if _check_of(parameter)(parameter, value, bound):
        return
    words = "a number" if parameter.is_number else _WORDS.get(parameter.kind, "an integer")
    if parameter.kind == ARRAY and parameter.length != 2:
        words = f"a list of {parameter.length or f'up to {MAX_DIMS}'} integers"
    raise Refused(f"{parameter.name} must be {words}, got {value}")


def with_article(noun: str) -> str:
    """The noun with "a" or "an"."""
    return f"an {noun}" if noun[0] in "aeio" else f"a {noun}"


_Check = Callable[[Parameter, Value, BoundCall], bool]


def _check_of(parameter: Parameter) -> _Check:
    """The check of a parameter's kind. Each returns False if the value is of another kind."""
    if parameter.kind in _CHECKS:
        return _CHECKS[parameter.kind]
    if parameter.kind in TYPE_OF_KIND:
        return _is_tensor
    if parameter.kind in ENUMS:
        return _is_of_enum
    return _is_number if parameter.is_number else _is_integer


def _type_of(value: Value, wanted: type[_Type]) -> _Type | None:
    """The type of a run-time value, if it is of this class."""
    kind: Attribute | None = value.type if isinstance(value, RunTimeValue) else None
    return kind if isinstance(kind, wanted) else None


def _constant(value: Value) -> object:
    return value.value if isinstance(value, Constant) else None


def _is_object(parameter: Parameter, value: Value, bound: BoundCall) -> bool:
    kind = _type_of(value, ObjectType)
    if kind is None or not is_a(kind.kind.data, parameter.made_by):
        raise Refused(f"{parameter.name} must be {with_article(f'asc.{parameter.made_by}')}, got {value}")
    if parameter.variable:
        _bind_type(parameter, kind.dtype.data, bound)
    return True


def _is_array(parameter: Parameter, value: Value, bound: BoundCall) -> bool:
    most = parameter.length or MAX_DIMS
    kind = _type_of(value, ArrayType)
    if kind is not None and kind.dtype.data == parameter.element:
        length = kind.length.data
        return length <= most if parameter.length == ANY_LENGTH else length == most
    return 0 < len(items_of(value)) <= most


def _is_list(parameter: Parameter, value: Value, bound: BoundCall) -> bool:
    kinds = [_type_of(item, ObjectType) for item in items_of(value)]
    if not kinds or not all(kind is not None and kind.kind.data == parameter.made_by for kind in kinds):
        raise Refused(f"{parameter.name} must be a list of asc.{parameter.made_by}, got {value}")
    return True


def _is_tensor(parameter: Parameter, value: Value, bound: BoundCall) -> bool:
    """A tensor or an address, in the memory that the kind names."""
    kind = value.type if isinstance(value, RunTimeValue) else None
    if not isinstance(kind, TYPE_OF_KIND[parameter.kind]):
        return False
    memories = MEMORIES_OF_KIND.get(parameter.kind)
    if memories and isinstance(kind, LocalType) and MEMORY_OF[TPosition[kind.position.data]] not in memories:
        return False
    if isinstance(kind, PointerType) and kind.memory.data != _MEMORY.get(parameter.kind, kind.memory.data):
        return False
    if isinstance(kind, (AddressType, PointerType, GlobalType, LocalType)):
        _bind_type(parameter, kind.dtype.data, bound)
    return True


def _is_scalar(parameter: Parameter, value: Value, bound: BoundCall) -> bool:
    """A number of a type variable; a constant is of the type that others have."""
    if isinstance(value, RunTimeValue):
        if not isinstance(value.type, ScalarType) or value.type == BOOL:
            return False
        _bind_type(parameter, value.type.dtype.data, bound)
        return True
    number = _constant(value)
    if not isinstance(number, (int, float)) or isinstance(number, bool):
        return False
    known = bound.types.setdefault(parameter.variable, OF_PYTHON[type(number)].dtype.data)
    if isinstance(number, float) and DTYPES[known].is_int():
        raise Refused(f"{parameter.name} is {number}, but an earlier argument holds {known}")
    return True


def _is_dtype(parameter: Parameter, value: Value, bound: BoundCall) -> bool:
    constant = _constant(value)
    if isinstance(constant, DataType):
        _bind_type(parameter, constant.name, bound)
    return isinstance(constant, DataType)


def _is_of_enum(parameter: Parameter, value: Value, bound: BoundCall) -> bool:
    if not isinstance(_constant(value), ENUMS[parameter.kind].python):
        raise Refused(f"{parameter.name} must be a value of asc.{parameter.kind}, got {value}")
    return True


def _is_bool(parameter: Parameter, value: Value, bound: BoundCall) -> bool:
    return isinstance(_constant(value), bool)


def _is_text(parameter: Parameter, value: Value, bound: BoundCall) -> bool:
    text = _constant(value)
    if isinstance(text, str) and any(c == "\0" or "\ud800" <= c <= "\udfff" for c in text):
        raise Refused(f"{parameter.name} must be text without null characters or lone surrogates")
    return isinstance(text, str)


def _is_number(parameter: Parameter, value: Value, bound: BoundCall) -> bool:
    return isinstance(_constant(value), (int, float)) or _type_of(value, ScalarType) is not None


def _is_integer(parameter: Parameter, value: Value, bound: BoundCall) -> bool:
    constant, kind = _constant(value), _type_of(value, ScalarType)
    if kind is None or kind == BOOL or is_float(kind):
        return isinstance(constant, int) and not isinstance(constant, bool)
    if parameter.template:
        raise Refused(f"{parameter.name} must be a constant: it is part of the type")
    return True


_CHECKS: dict[str, _Check] = {
    OBJECT: _is_object,
    ARRAY: _is_array,
    LIST: _is_list,
    "scalar": _is_scalar,
    "dtype": _is_dtype,
    "bool": _is_bool,
    "text": _is_text,
    "predicate": _is_number,
}


def _bind_type(parameter: Parameter, dtype: str, bound: BoundCall) -> None:
    known = bound.types.setdefault(parameter.variable, dtype)
    if known == "?":
        bound.types[parameter.variable] = dtype
    elif dtype not in ("?", known):
        earlier = next(one.name for one in bound.form.parameters if one.variable == parameter.variable)
        complaint = f"{parameter.name} holds {dtype}, but {earlier} holds {known}"
        in_gm = parameter.kind == "global"
        raise Refused(
            complaint, _conversion(parameter.name, dtype, known, in_gm) if in_gm or parameter.is_local else ""
        )


def _conversion(name: str, dtype: str, other: str, in_gm: bool) -> str:
    """What makes one type of two, for a tensor in UB or one in global memory."""
    if dtype in PACKED or other in PACKED:
        return "take the bytes of int4, two elements to one: local.reinterpret_cast(asc.int8)"
    narrows = ELEMENTS[dtype].bytes >= ELEMENTS[other].bytes
    mode = "CAST_RINT" if narrows else "CAST_NONE"
    source = "copied" if in_gm else name
    cast = f"asc.cast(new, {source}, asc.RoundMode.{mode}, count) makes {other} of {dtype} in UB"
    if in_gm:
        return f"copy {name} into a tensor of {dtype} in UB, asc.data_copy(copied, {name}, count), then {cast}"
    return f"make both the same: {cast}"
