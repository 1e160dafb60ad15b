"""Structs in a kernel: arguments by value, and objects of the author's classes.

In: `Class(...)`, `object.field`, `object.field = value`, `object.method(...)`. Out: a struct of the module whose fields
`__init__` sets, methods as functions that get it, and arguments by value whose fields are read. A field that is set
once, to a constant, is a constant. Refuses fields that appear later than in `__init__`, and objects that change class.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import NoReturn

from opwright.errors import UnknownName, UnsupportedSyntax
from opwright.frontend import functions, variables
from opwright.frontend.builder import Builder
from opwright.frontend.compilation import Struct
from opwright.frontend.names import attribute_hint
from opwright.frontend.values import OwnMethod, Variable, captured, describe, key_of
from opwright.ir import Operation, SSAValue
from opwright.ir.aggregates import MemberOp, NewOp
from opwright.ir.calls import CallOp, is_fixed
from opwright.ir.language import LoadOp, StoreOp
from opwright.ir.names import set_name
from opwright.ir.types import CellType, GlobalType, StructType, ValueType, struct_type
from opwright.ir.values import Constant, Items, RunTimeValue, Value
from opwright.kernel.captures import MISSING
from opwright.kernel.source import source_of
from opwright.kernel.stable import exact

# What would change the meaning of object.field.
_HOOKS = ("__setattr__", "__getattribute__", "__getattr__", "__new__")


def construct(
    builder: Builder, made: type, path: str, arguments: Sequence[Value], keywords: Mapping[str, Value], node: ast.Call
) -> Value:
    """`Class(...)`: a struct, and a call of `__init__`."""
    initialiser = getattr(made, "__init__", None)
    if not isinstance(initialiser, FunctionType) or dataclasses.is_dataclass(made):
        raise UnsupportedSyntax(
            builder.at(node),
            what=f"making {made.__name__}, a class without an __init__ of its own,",
            hint="write __init__ in the class, or pass a dataclass in as an argument",
        )
    own = next((name for name in _HOOKS if getattr(made, name, None) is not getattr(object, name, None)), None)
    if own is not None:
        hint = "use a plain class: fields, methods and __init__"
        raise UnsupportedSyntax(builder.at(node), what=f"{made.__name__}, a class with {own},", hint=hint)
    key = (made, *map(key_of, arguments), *((name, key_of(value)) for name, value in keywords.items()))
    struct = builder.compilation.made.get(key)
    if struct is None:
        struct = builder.compilation.made[key] = Struct(builder.compilation.unique(made.__name__), made, path)
        builder.compilation.structs[struct.name] = struct
    kind = struct_type(struct.name)
    instance = RunTimeValue(builder.add(NewOp(kind), node).results[0])
    method = _method(builder, instance, struct, "__init__", initialiser, node)
    call_method(builder, method, arguments, keywords, node)
    return instance


def call_method(
    builder: Builder, method: OwnMethod, arguments: Sequence[Value], keywords: Mapping[str, Value], node: ast.Call
) -> Value:
    """Calls a method of the author's."""
    source = source_of(method.function)
    return functions.call_function(
        builder, method.function, source, method.path, [method.instance, *arguments], keywords, node
    )


def _method(
    builder: Builder, instance: RunTimeValue, struct: Struct, name: str, function: FunctionType, node: ast.AST
) -> OwnMethod:
    """A method of a kernel object; the kernel depends on its text."""
    path = f"{struct.path}.{name}"
    builder.record(path, function, node)
    return OwnMethod(instance, function, path)


def field(builder: Builder, instance: RunTimeValue, name: str, node: ast.Attribute) -> Value:
    """`object.name`."""
    struct = _struct_of(builder, instance)
    name = _stored_name(builder, name)
    if name in struct.constants:
        return struct.constants[name]
    if name in struct.fields:
        return _member(builder, instance, struct, name, node)
    found = inspect.getattr_static(struct.python, name, MISSING)
    if isinstance(found, FunctionType) and not struct.by_value:
        return _method(builder, instance, struct, name, found, node)
    if isinstance(found, (staticmethod, classmethod, property)):
        raise UnsupportedSyntax(
            builder.at(node),
            what=f"'{name}', a {type(found).__name__},",
            hint="make it a method, or a helper outside the class",
        )
    if found is not MISSING and struct.path and not isinstance(found, (FunctionType, type)):
        path = f"{struct.path}.{name}"
        builder.record(path, found, node)
        return captured(found, path)
    known = [*struct.fields, *struct.constants, *(key for key in vars(struct.python) if not key.startswith("_"))]
    hint = attribute_hint(name, known)
    raise UnknownName(builder.at(node), name=f"{struct.title}.{name}", hint=hint)


def _stored_name(builder: Builder, name: str) -> str:
    """A name in this function as Python stores it."""
    owner = builder.function.python.__qualname__.rpartition(".")[0].rpartition(".")[2]
    return _mangled(name, "" if owner == "<locals>" else owner)


def _member(builder: Builder, instance: RunTimeValue, struct: Struct, name: str, node: ast.AST) -> RunTimeValue:
    """A field that is in the struct."""
    kind = struct.fields[name]
    if struct.by_value or _is_in_place(kind):
        return RunTimeValue(builder.add(MemberOp(instance.ssa, name, kind), node).results[0])
    cell = builder.add(MemberOp(instance.ssa, name, CellType(kind)), node).results[0]
    return RunTimeValue(builder.add(LoadOp(cell), node).results[0])


def _is_in_place(kind: ValueType) -> bool:
    """Whether a field is the object itself, not a copy: a queue, a kernel object, a tensor without memory yet."""
    return is_fixed(kind) or (isinstance(kind, GlobalType) and kind.dtype.data == "?")


def set_field(builder: Builder, target: ast.Attribute, value: Value, node: ast.AST) -> None:
    """`object.name = value`."""
    instance = builder.value(target.value)
    if not (isinstance(instance, RunTimeValue) and isinstance(instance.type, StructType)):
        _refuse_attribute(builder, target, instance)
    struct, name = _struct_of(builder, instance), _stored_name(builder, target.attr)
    if hasattr(inspect.getattr_static(struct.python, name, None), "__set__"):
        hint = "set a plain field"
        raise UnsupportedSyntax(builder.at(target), what=f"setting '{name}', a property,", hint=hint)
    if struct.by_value:
        raise UnsupportedSyntax(
            builder.at(target), what=f"setting a field of {struct.name}", hint="an argument by value is read only"
        )
    if name in struct.fields and not is_fixed(struct.fields[name]):
        _store_field(builder, instance, struct, name, value, node)
    elif name in struct.fields or name in struct.constants:
        same = name in struct.constants and _same(struct.constants[name], value)
        if not same:
            hint = "give it another name, or make it a number that changes in a method"
            raise UnsupportedSyntax(builder.at(target), what=f"setting '{name}' to something else", hint=hint)
    else:
        _define_field(builder, instance, struct, name, value, target)


def _refuse_attribute(builder: Builder, node: ast.Attribute, base: Value) -> NoReturn:
    """Refuses to set an attribute of anything but a kernel object."""
    raise UnsupportedSyntax(
        builder.at(node),
        what=f"setting '{node.attr}' of {describe(base)}",
        hint="only fields of your own classes can be set; make parameter objects anew",
    )


def _define_field(
    builder: Builder, instance: RunTimeValue, struct: Struct, name: str, value: Value, node: ast.Attribute
) -> None:
    """The first time a field is set."""
    if (
        builder.function.python is not getattr(struct.python, "__init__", None)
        or builder.block is not builder.outermost
    ):
        hint = "set every field in __init__, outside of branches and loops; set it to 0 there if need be"
        raise UnsupportedSyntax(builder.at(node), what=f"a new field '{name}' here", hint=hint)
    if isinstance(value, RunTimeValue) and _is_in_place(value.type):
        _take_over(builder, instance, struct, name, value, node)
    elif isinstance(value, Constant) and (not isinstance(value.value, (int, float)) or _sets(struct.python, name) == 1):
        struct.constants[name] = value
    else:
        struct.fields[name] = variables.storable(builder, f"{struct.title}.{name}", value, node)
        _store_field(builder, instance, struct, name, value, node)


def _store_field(
    builder: Builder, instance: RunTimeValue, struct: Struct, name: str, value: Value, node: ast.AST
) -> None:
    """Sets a field that is in the struct."""
    kind = struct.fields[name]
    have = variables.as_type(builder, f"{struct.title}.{name}", value, kind, node)
    cell = builder.add(MemberOp(instance.ssa, name, CellType(kind)), node).results[0]
    builder.add(StoreOp(cell, have.ssa), node)


def _take_over(
    builder: Builder, instance: RunTimeValue, struct: Struct, name: str, value: RunTimeValue, node: ast.Attribute
) -> None:
    """An object that was made here becomes a field: it is made with the struct."""
    made = value.ssa.owner
    is_new = isinstance(made, NewOp) or (isinstance(made, CallOp) and made.row.effect == "object")
    if not is_new or not isinstance(made, Operation) or made.parent is None:
        hint = "each object, pipe and queue is made for one field, in __init__; arrays are not fields"
        raise UnsupportedSyntax(builder.at(node), what=f"{describe(value)} as a field", hint=hint)
    struct.fields[name] = value.type
    member = MemberOp(instance.ssa, name, value.type)
    member.attributes["at"] = made.attributes["at"]
    assert made.parent is not None
    made.parent.insert_op_before(member, made)
    value.ssa.replace_all_uses_with(member.results[0])
    made.parent.erase_op(made)
    for bound, other in list(builder.scope.names.items()):
        if not isinstance(other, Variable):
            builder.scope.names[bound] = _replaced(other, value.ssa, member.results[0])
    set_name(member.results[0], name)


def _struct_of(builder: Builder, instance: RunTimeValue) -> Struct:
    """The struct of a kernel object or of an argument by value."""
    assert isinstance(instance.type, StructType)
    return builder.compilation.structs[instance.type.struct.data]


def _replaced(value: Value, old: SSAValue, new: SSAValue) -> Value:
    """A value with another object in the place of one."""
    if isinstance(value, Items):
        return Items(tuple(_replaced(item, old, new) for item in value.items))
    return RunTimeValue(new) if isinstance(value, RunTimeValue) and value.ssa is old else value


def _same(one: Value, other: Value) -> bool:
    if not (isinstance(one, Constant) and isinstance(other, Constant)):
        return False
    return exact(one.value) == exact(other.value) is not None


def _mangled(name: str, owner: str) -> str:
    """A name as Python stores it: `__v` in a class C is `_C__v`."""
    return f"_{owner.lstrip('_')}{name}" if name.startswith("__") and not name.endswith("__") and owner else name


def _sets(python: type, name: str) -> int:
    """How often the methods of a class and of its bases set a field."""
    count = 0
    for base in python.__mro__:
        for function in vars(base).values():
            if isinstance(function, FunctionType):
                for node in ast.walk(ast.parse(source_of(function).text)):
                    is_set = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
                    count += is_set and _mangled(node.attr, base.__name__) == name  # type: ignore[attr-defined]
    return count
