"""IR to Ascend C text: structs, helpers, the kernel.

In: a module of `py.struct` and `py.func`. Out: `Emitted`: the text and, for every line of it, the place in the author's
Python.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from opwright.ascendc.kernel_types import KERNEL_TYPES
from opwright.ascendc.row import CORE, SIMT
from opwright.emit.expressions import ATOM, Expression
from opwright.emit.includes import headers
from opwright.emit.names import C_LIBRARY, RESERVED, Names
from opwright.emit.prelude import pointers, prelude_text
from opwright.emit.shared import INDENT, FunctionText, Line, Shared, StructText
from opwright.emit.text import Emitter
from opwright.ir import ModuleOp, StringAttr
from opwright.ir.aggregates import StructOp
from opwright.ir.calls import is_fixed
from opwright.ir.functions import functions
from opwright.ir.language import VF, FuncOp
from opwright.ir.names import name_of
from opwright.ir.types import AddressType, ArrayType, ValueType, unquoted
from opwright.kernel.program import Place

_GLOBAL = RESERVED | C_LIBRARY


@dataclass
class Emitted:
    """A text, the kernel's name in it, its structs, and its source map: line of the text (from 1) -> place."""

    name: str
    text: str
    structs: dict[str, StructText]
    places: dict[int, Place] = field(default_factory=dict)


def emit(module: ModuleOp, kernel_type: str | None = None) -> Emitted:
    """The text of a kernel with all it needs."""
    *helpers, kernel = functions(module)
    shared, names = Shared(), Names()
    # The kernel's name is what others know it by, so it is the first to choose.
    kernel_name = names.take(unquoted(kernel.sym_name), _GLOBAL)
    lines: list[Line] = []
    for struct in module.body.block.ops:
        if isinstance(struct, StructOp):
            lines += [*_struct(struct, shared, names), ("", None)]
    for helper in helpers:
        lines += [*_helper(helper, shared, names, kernel.is_simt), ("", None)]
    head = _head_of_threads(kernel) if kernel.is_simt else f"{KERNEL_TYPES[kernel_type].qualifier} void"
    lines += _kernel(kernel, kernel_name, shared, names, head)
    before: list[Line] = []
    for text in _before(module, shared):
        before += [*((line, None) for line in text.splitlines()), ("", None)]
    if shared.before:
        before += [*shared.before, ("", None)]
    lines = [*before, *lines]
    places = {number: place for number, (_, place) in enumerate(lines, start=1) if place is not None}
    return Emitted(kernel_name, "".join(f"{line}\n" for line, _ in lines), shared.structs, places)


def _before(module: ModuleOp, shared: Shared) -> list[str]:
    """What stands before all functions: headers, pointers, what Python's meaning needs."""
    made = functions(module)
    is_simt_kernel = made[-1].is_simt
    parts = ["\n".join(f'#include "{header}"' for header in headers(module, shared))]
    if any(function.is_simt for function in made):
        parts.append(pointers("", "") if is_simt_kernel else pointers("__gm__ ", "__ubuf__ "))
    core, simt = shared.prelude[CORE], shared.prelude[SIMT]
    for name in sorted(core | simt):
        mixed = "__callee__" if name in core else "__simt_callee__"
        parts.append(prelude_text(name, mixed if name in simt and not is_simt_kernel else "__aicore__"))
    return parts


def _head_of_threads(function: FuncOp) -> str:
    """What stands before the name of a function that a kernel or a launch starts on threads."""
    assert function.max_threads is not None
    bound = f"__launch_bounds__({function.max_threads.data})"
    return f"__simt_vf__ {bound} inline void" if function.role == StringAttr(VF) else f"{bound} void"


def _struct(struct: StructOp, shared: Shared, names: Names) -> list[Line]:
    """The declaration of a struct."""
    fields = Names()
    own = StructText(names.take(unquoted(struct.sym_name), _GLOBAL), {})
    lines: list[Line] = [(f"struct {own.name} {{", None)]
    for name, kind in struct.content().items():
        own.fields[name] = fields.take(name)
        lines.append((f"{INDENT}{shared.declaration(kind, own.fields[name])};", None))  # type: ignore[arg-type]
    shared.structs[unquoted(struct.sym_name)] = own
    return [*lines, ("};", None)]


def _helper(function: FuncOp, shared: Shared, names: Names, is_simt_kernel: bool) -> list[Line]:
    """A helper, after the struct that it returns several values in."""
    results: list[ValueType] = list(function.returned.data if function.returned else [])  # type: ignore[arg-type]
    name = names.take(unquoted(function.sym_name), _GLOBAL)
    lines: list[Line] = []
    returns = shared.cpp(results[0]) if results else "void"
    if len(results) > 1:
        returns = names.take(f"{name}_result")
        items = [(f"{INDENT}{shared.declaration(kind, f'item{i}')};", None) for i, kind in enumerate(results)]
        lines += [(f"struct {returns} {{", None), *items, ("};", None), ("", None)]
    shared.functions[unquoted(function.sym_name)] = FunctionText(name, returns)
    inner = names.inner()
    emitter = Emitter(function, shared, inner)
    parameters = []
    for argument in function.body.block.args:
        own = inner.take(name_of(argument) or "argument")
        parameters.append(_parameter(argument.type, own, shared))  # type: ignore[arg-type]
        emitter.expressions[argument] = Expression(own, ATOM)
    before = f"{'__simt_callee__' if function.is_simt and not is_simt_kernel else '__aicore__'} inline {returns}"
    if function.role == StringAttr(VF):
        before = _head_of_threads(function)
    head = f"{before} {name}({', '.join(parameters)}) {{"
    return [*lines, (head, None), *emitter.body(), ("}", None)]


def _parameter(kind: ValueType, name: str, shared: Shared) -> str:
    """A parameter of a helper: what cannot be copied comes by reference."""
    if isinstance(kind, ArrayType):
        return shared.declaration(kind, f"(&{name})")
    if is_fixed(kind):
        return f"{shared.cpp(kind)}& {name}"
    return shared.declaration(kind, name)


def _kernel(function: FuncOp, name: str, shared: Shared, names: Names, before: str) -> list[Line]:
    """The kernel."""
    inner = names.inner()
    emitter = Emitter(function, shared, inner)
    parameters = []
    for argument in function.body.block.args:
        own = inner.take(name_of(argument) or "argument")
        kind: ValueType = argument.type  # type: ignore[assignment]
        text = own
        if isinstance(kind, AddressType):
            # Every address comes as bytes; where it is used it is one of its elements.
            parameters.append(f"GM_ADDR {own}")
            text = f"reinterpret_cast<{shared.cpp(kind)}>({own})"
        else:
            parameters.append(shared.declaration(kind, own))
        emitter.expressions[argument] = Expression(text, ATOM)
    head = f'extern "C" __global__ {before} {name}({", ".join(parameters)}) {{'
    return [(head, None), *emitter.body(), ("}", None)]
