"""Attributes: `module.name`, `tensor.dtype`, `tensor.method`, `object.field`.

In: attribute nodes. Out: constants, fields, and methods that are not called yet. Refuses names that the value does not
have, and attributes whose value no cache key would notice.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
from types import ModuleType

from opwright.ascendc.dtypes import ELEMENTS, DataType
from opwright.ascendc.row import Row
from opwright.ascendc.table import methods_of
from opwright.errors import UnknownName, UnsupportedSyntax, WrongCaller
from opwright.frontend import calls, hints, objects
from opwright.frontend.builder import Builder
from opwright.frontend.names import attribute_hint
from opwright.frontend.values import Method, NumberMethod, captured, class_of, describe
from opwright.ir.language import SIMT_KERNEL
from opwright.ir.types import ArrayType, HostType, ObjectType, PointerType, ScalarType, StructType
from opwright.ir.values import Constant, RunTimeValue, Value
from opwright.kernel.names import Call, ThreadNames
from opwright.kernel.stable import is_frozen_record

# What opwright itself holds is covered by its version; a user's module is not.
_OURS = "opwright"
# What a run-time number can be asked for; the rest are operators.
_NUMBER_METHODS = ("cast", "ceildiv", "logical_and", "logical_or")


def attribute(builder: Builder, base: Value, node: ast.Attribute) -> Value:
    """`module.name`, `tensor.dtype`, `tensor.method`."""
    found: Value | None = None
    if isinstance(base, RunTimeValue):
        found = _of_run_time_value(builder, base, node)
    elif isinstance(base, Constant):
        found = _of_constant(builder, base, node)
    if found is not None:
        return found
    raise UnsupportedSyntax(
        builder.at(node),
        what=f"attribute '{node.attr}' of {describe(base)}",
        hint="pass its value as an argument",
    )


def _of_run_time_value(builder: Builder, base: RunTimeValue, node: ast.Attribute) -> Value | None:
    """A field of an object, a method of a number, or what a tensor has."""
    match base.type:
        case StructType():
            return objects.field(builder, base, node.attr, node)
        case ScalarType():
            return NumberMethod(base, node.attr) if node.attr in _NUMBER_METHODS else None
        case ArrayType() | HostType():
            return None
        case ObjectType():
            return _method(builder, base, node, [])
    if node.attr == "dtype":
        if base.type.dtype.data == "?":
            what = "the dtype of a global tensor without memory"
            raise UnsupportedSyntax(builder.at(node), what=what, hint="call set_global_buffer first")
        return Constant(ELEMENTS[base.type.dtype.data])
    if isinstance(base.type, PointerType):
        hint = "threads write x[i], x[i] = value, x[i:] and x.dtype"
        raise UnsupportedSyntax(builder.at(node), what=f"'{node.attr}' of an {base.type}", hint=hint)
    return _method(builder, base, node, ["dtype"])


def _method(builder: Builder, base: RunTimeValue, node: ast.Attribute, others: list[str]) -> Method:
    """A method of a tensor or an object; `others` are its attributes that are none."""
    owner = class_of(base.type)
    methods = methods_of(owner)
    if node.attr not in methods:
        hint = attribute_hint(node.attr, [*others, *methods])
        raise UnknownName(builder.at(node), name=f"{owner}.{node.attr}", hint=hint)
    return Method(base, methods[node.attr])


def _of_constant(builder: Builder, base: Constant, node: ast.Attribute) -> Value | None:
    """A name of a module, a class, an enum, a data type or a frozen dataclass."""
    refused = hints.of_module(base.value, node.attr)
    if refused is not None:
        raise UnsupportedSyntax(builder.at(node), what=refused[0], hint=refused[1])
    if isinstance(base.value, Call) and base.value.row.fields:
        return variable_field(builder, base.value.row, node.attr, node)
    known_kinds = (ModuleType, ThreadNames, type, enum.Enum, DataType)
    if not (is_frozen_record(base.value) or isinstance(base.value, known_kinds)):
        return None
    try:
        if not isinstance(base.value, (ModuleType, ThreadNames)) and node.attr not in _attributes(base.value):
            raise AttributeError
        value = getattr(base.value, node.attr)
    except AttributeError:
        hint = attribute_hint(node.attr, _attributes(base.value))
        raise UnknownName(builder.at(node), name=ast.unparse(node), hint=hint) from None
    if isinstance(value, Call) and value.row.fields == ("",):
        return variable_field(builder, value.row, "", node)
    path = f"{base.path}.{node.attr}" if base.path else ""
    if path and _is_of_user(base.value):
        builder.record(path, value, node)
    return captured(value, path)


def _is_of_user(owner: object) -> bool:
    """Whether a module or a class is not opwright's own."""
    if isinstance(owner, ModuleType):
        return owner.__name__.partition(".")[0] != _OURS
    return isinstance(owner, type) and owner.__module__.partition(".")[0] != _OURS


def variable_field(builder: Builder, row: Row, field: str, node: ast.Attribute) -> Value:
    """`simt.threadIdx.x`, `simt.warpSize`."""
    check_caller(builder, row, node)
    if field not in row.fields:
        name = f"asc.{row.name}.{field}"
        raise UnknownName(builder.at(node), name=name, hint=attribute_hint(field, row.fields))
    return calls.invoke(builder, row, [Constant(field)] if field else [], {}, node)


def check_caller(builder: Builder, row: Row, node: ast.AST) -> None:
    """Refuses a call that is for threads only, or that threads cannot make."""
    if builder.function.caller in row.called_by:
        return
    if builder.function.role:
        where, hint = "by threads", "threads compute with numbers and elements: y[i] = x[i] + 1.0"
        if builder.function.role != SIMT_KERNEL:
            hint += "; calls on tensors belong in the kernel that starts them"
    else:
        where = "by a kernel"
        hint = "put it into a function marked @asc.simt and start that: asc.vf_call(function, threads, ...)"
    raise WrongCaller(builder.at(node), call=f"asc.{row.name}", where=where, hint=hint)


def _attributes(value: object) -> list[str]:
    """What a kernel may ask a constant for: a property of an enum could read anything, and no key would know."""
    if is_frozen_record(value):
        return [field.name for field in dataclasses.fields(value)]  # type: ignore[arg-type]
    return ["name", "value"] if isinstance(value, enum.Enum) else dir(value)
