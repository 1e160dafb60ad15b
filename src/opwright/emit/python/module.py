"""IR to `opwright.asc` Python: dataclasses, classes, helpers, the kernel.

In: a module as the front end makes it, before any pass; the SoC and the options of the kernel. Out: `Printed`: a text
that the front end reads back as the same kernel, and for every line of it the place that it comes from. What the
front end knew and the IR does not have, such as the names of constants, is not there: constants are numbers. Refuses
operations that no Python of `opwright.asc` stands for, each with its line.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, fields

from opwright.ascendc.socs import Soc
from opwright.ascendc.table import ROWS
from opwright.emit.python.expressions import text_of, type_name
from opwright.emit.python.statements import Body
from opwright.emit.python.values import INDENT, Line, Method, Module, initialiser
from opwright.emit.python.wrap import wrapped
from opwright.ir import ModuleOp, StringAttr
from opwright.ir.aggregates import MemberOp, NewOp, StructOp
from opwright.ir.functions import functions
from opwright.ir.language import CALLEE, FuncOp, StoreOp, VariableOp
from opwright.ir.names import name_of
from opwright.ir.types import (
    GM,
    AddressType,
    GlobalType,
    LocalType,
    ObjectType,
    PointerType,
    ScalarType,
    StructType,
    unquoted,
)
from opwright.kernel.options import Options, SimtOptions

_NUMBER = re.compile(r"_\d+$")


@dataclass(frozen=True)
class Printed:
    """A text, and its source map: line (from 1) -> "line:column" of the operation that it stands for."""

    text: str
    places: dict[int, str]


def printed(module: ModuleOp, soc: Soc, options: Options, strided: Collection[str] = ()) -> Printed:
    """A kernel with all it needs; `strided`: parameters whose elements may lie apart."""
    *helpers, kernel = functions(module)
    shared = Module(soc)
    structs = [struct for struct in module.body.block.ops if isinstance(struct, StructOp)]
    by_value = {argument.type for argument in kernel.body.block.args if isinstance(argument.type, StructType)}
    shared.names |= {unquoted(one.sym_name) for one in structs} | {unquoted(one.sym_name) for one in helpers}
    classes = [struct for struct in structs if not any(kind.struct == struct.sym_name for kind in by_value)]
    for struct in classes:
        shared.classes[unquoted(struct.sym_name)] = unquoted(struct.sym_name)
    _find_methods(shared, helpers, module)
    parts: list[list[Line]] = [[("from opwright import asc", "")]]
    if len(classes) < len(structs):
        parts[0].insert(0, ("", ""))
        parts[0].insert(0, ("from dataclasses import dataclass", ""))
    parts += [_dataclass(struct) for struct in structs if struct not in classes]
    parts += [_class(struct, shared, helpers) for struct in classes]
    parts += [_helper(one, shared) for one in helpers if unquoted(one.sym_name) not in shared.methods]
    parts.append(_function(kernel, shared, [_decorator(options)], set(strided)))
    written = [line for part in parts for line in (*part, ("", ""), ("", ""))][:-2]
    lines = [(line, place) for text, place in written for line in wrapped(text)]
    places = {number: place for number, (_, place) in enumerate(lines, start=1) if place}
    return Printed("".join(f"{text}\n" for text, _ in lines), places)


def _find_methods(shared: Module, helpers: list[FuncOp], module: ModuleOp) -> None:
    """Which functions are methods of which classes: they take an object first, and their names begin with its.

    A class of the author's may be several here, by the types of its fields; their methods are named after the first.
    """
    initialisers = set()
    for operation in module.walk():
        is_new = isinstance(operation, NewOp) or (
            isinstance(operation, MemberOp)
            and isinstance(operation.result.type, StructType)
            and name_of(operation.result) == unquoted(operation.field)
        )
        if is_new and (call := initialiser(operation)) is not None:
            initialisers.add(unquoted(call.callee))
    for function in helpers:
        first_argument = function.body.block.args[0] if function.body.block.args else None
        kind = first_argument.type if first_argument is not None else None
        if not isinstance(kind, StructType) or kind.struct.data not in shared.classes:
            continue
        symbol, owner_name = unquoted(function.sym_name), kind.struct.data
        prefix = f"{_NUMBER.sub('', owner_name)}_"
        if symbol in initialisers:
            shared.methods[symbol] = Method(owner_name, "__init__")
        elif symbol.startswith(prefix):
            shared.methods[symbol] = Method(owner_name, symbol.removeprefix(prefix))
    for function in helpers:
        if unquoted(function.sym_name) in shared.methods:
            _count_stores(shared, function)


def _count_stores(shared: Module, method: FuncOp) -> None:
    """Counts how often a method sets each field: what others set does not make a field a variable."""
    for operation in method.walk():
        if isinstance(operation, StoreOp) and isinstance(operation.cell.owner, MemberOp):
            owner = operation.cell.owner
            assert isinstance(owner.instance.type, StructType)
            key = (owner.instance.type.struct.data, unquoted(owner.field))
            shared.stores[key] = shared.stores.get(key, 0) + 1


def _dataclass(struct: StructOp) -> list[Line]:
    """An argument by value."""
    lines = [("@dataclass", ""), (f"class {unquoted(struct.sym_name)}:", "")]
    for name, kind in struct.content().items():
        assert isinstance(kind, ScalarType)
        lines.append((f"{INDENT}{name}: {type_name(kind)}", ""))
    return lines


def _class(struct: StructOp, shared: Module, helpers: list[FuncOp]) -> list[Line]:
    """A class with its methods."""
    name = unquoted(struct.sym_name)
    lines: list[Line] = [(f"class {name}:", "")]
    methods = [one for one in helpers if (of := shared.methods.get(unquoted(one.sym_name))) and of.owner == name]
    methods.sort(key=lambda one: shared.methods[unquoted(one.sym_name)].name != "__init__")
    for function in methods:
        own = _function(function, shared, [], set(), shared.methods[unquoted(function.sym_name)].name)
        lines += [(f"{INDENT}{text}" if text else "", place) for text, place in own]
        lines.append(("", ""))
    return lines[:-1]


def _helper(function: FuncOp, shared: Module) -> list[Line]:
    """A helper, or a function that threads run."""
    if not function.is_simt:
        return _function(function, shared, ["@asc.jit"], set())
    assert function.role is not None
    most = SimtOptions.max_threads
    if function.role != StringAttr(CALLEE) and function.max_threads is not None:
        most = function.max_threads.data
    return _function(
        function, shared, [f"@asc.simt(max_threads={most})" if most != SimtOptions.max_threads else "@asc.simt"], set()
    )


def _function(function: FuncOp, shared: Module, head: list[str], strided: set[str], name: str = "") -> list[Line]:
    """A function with its parameters."""
    body = Body(function, shared)
    parameters = []
    for number, argument in enumerate(function.body.block.args):
        wish = name_of(argument) or "argument"
        own = body.names[argument] = body.scopes.take(wish, argument, -1)
        kind = "" if name and not number else _annotation(argument.type, own in strided)
        if isinstance(argument.type, ScalarType) and _is_widened(argument):
            kind = ""  # the name becomes a variable of the type in which it is computed with
        parameters.append(f"{own}: {kind}" if kind else own)
    define = f"def {name or unquoted(function.sym_name)}({', '.join(parameters)}):"
    return [*((one, "") for one in head), (define, ""), *body.written()]


def _is_widened(argument: object) -> bool:
    """Whether a narrow parameter becomes a variable of a wider type."""
    uses = [use.operation for use in argument.uses]  # type: ignore[attr-defined]
    return any(
        isinstance(after.operation, VariableOp) and name_of(after.operation.cell) == name_of(argument)  # type: ignore[arg-type]
        for use in uses
        if use.name == "py.cast"
        for after in use.results[0].uses
    )


def _annotation(kind: object, is_strided: bool) -> str:
    """The annotation of a parameter; "" if it has none."""
    match kind:
        case ScalarType():
            return type_name(kind)
        case AddressType():
            return "asc.StridedAddress" if is_strided else "asc.GlobalAddress"
        case PointerType():
            return "asc.GlobalAddress" if kind.memory.data == GM else "asc.LocalTensor"
        case GlobalType():
            return "asc.GlobalTensor"
        case LocalType():
            return "asc.LocalTensor"
        case ObjectType() if ROWS[kind.kind.data].makes:
            return f"asc.{kind.kind.data}"
        case StructType():
            return kind.struct.data
    return ""


def _decorator(options: Options) -> str:
    """The mark of a kernel, with the options that are not as they are by default."""
    name = "asc.simt" if isinstance(options, SimtOptions) else "asc.jit"
    chosen = [
        f"{one.name}={text_of(getattr(options, one.name))}"
        for one in fields(options)
        if getattr(options, one.name) != one.default
    ]
    return f"@{name}({', '.join(chosen)})" if chosen else f"@{name}"
