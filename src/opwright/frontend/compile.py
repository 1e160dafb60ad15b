"""From a Python function to Ascend C text.

In: a `Request`. Out: `LoweredProgram`: the text with its source map, what it captures, how it uses its arguments, and
the IR.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from opwright import passes
from opwright.ascendc.kernel_types import KERNEL_TYPES
from opwright.emit.module import Emitted, emit
from opwright.frontend.builder import Builder, Grammar
from opwright.frontend.compilation import Compilation, Struct
from opwright.frontend.enclosing import enclose
from opwright.frontend.lower import GRAMMAR, lower_kernel, refuse_depth
from opwright.frontend.pipe_scopes import check_needed
from opwright.ir import Attribute, ModuleOp
from opwright.ir.aggregates import StructOp
from opwright.ir.effects import argument_use
from opwright.ir.functions import functions
from opwright.ir.language import SIMT_KERNEL
from opwright.ir.legality import check
from opwright.ir.types import GM, OF_PYTHON, StructType, ValueType, address, pointer, scalar, struct_type
from opwright.ir.values import Constant
from opwright.kernel.layouts import fields_of
from opwright.kernel.program import Called, Program, Request
from opwright.settings import settings

Watch = Callable[[str, ModuleOp], None]
_SCALARS = {python.__name__: kind for python, kind in OF_PYTHON.items()}


@dataclass(frozen=True)
class LoweredProgram(Program):
    """A kernel as text, with the IR that it was emitted from."""

    ir: ModuleOp


def compile_function(request: Request, watch: Watch = lambda stage, module: None) -> LoweredProgram:
    """Compiles. `watch` gets the module as it is lowered, as stage "ir", and after every pass, under its name."""
    builder, module = lowered(request)
    compilation = builder.compilation
    called = [Called(one.path, tuple(compilation.callers.get(one.number, ()))) for one in compilation.instances]
    try:
        check_needed(module, compilation)
        compilation.pipes.check()
        return finish(request, module, called, tuple(compilation.captures), watch)
    except RecursionError:
        refuse_depth(builder)


def lowered(request: Request, grammar: Grammar = GRAMMAR) -> tuple[Builder, ModuleOp]:
    """The IR of a kernel and of all that it calls, before any pass, and the builder of the kernel."""
    source, max_threads = request.source, request.options.threads
    compilation = Compilation(request.soc, KERNEL_TYPES[request.options.kernel_type])
    symbol = compilation.unique(source.name)
    types = [(name, _type(compilation, kind, max_threads > 0)) for name, kind in request.types]
    known = {name: Constant(value) for name, value in request.constants.items()}
    role = SIMT_KERNEL if max_threads else ""
    instance = compilation.enter(request.function, source, "", role=role, max_threads=max_threads)
    builder = lower_kernel(compilation, instance, symbol, types, known, grammar)
    structs = [StructOp(struct.name, struct.fields) for struct in _inner_first(compilation.structs)]
    return builder, ModuleOp([*structs, *compilation.functions])


def finish(
    request: Request,
    module: ModuleOp,
    called: Sequence[Called] = (Called(""),),
    captures: Sequence[str] = (),
    watch: Watch = lambda stage, module: None,
) -> LoweredProgram:
    """From the IR of a kernel, whichever front end made it, to its program.

    called: its functions as `FuncOp.number` counts them, the kernel first.
    captures: paths of what it reads from outside.
    """
    watch("ir", module)
    passes.run(module, settings.without.split(","), lambda name: watch(name, module))
    enclose(module)
    check(module)
    emitted = emit(module, request.options.kernel_type)
    made = functions(module)
    parameters = zip(request.types, made[-1].body.block.args, strict=True)
    kinds = tuple(_spelled(kind, argument.type, emitted) for (_, kind), argument in parameters)
    threads = any(function.is_simt for function in made)
    source = request.source
    return LoweredProgram(
        name=emitted.name,
        places=emitted.places,
        captures=tuple(captures),
        argument_use=argument_use(module),
        functions=tuple(called),
        kinds=kinds,
        threads=threads,
        kernel_type=request.options.kernel_type,
        generated=(source.text, dict(source.origins)) if source.author is not None else None,
        host={},
        workspaces=(),
        text=emitted.text,
        ir=module,
    )


def _inner_first(structs: Mapping[str, Struct]) -> list[Struct]:
    """Structs in an order in which the text can declare them: one that is a field of another comes before it."""
    ordered: dict[str, Struct] = {}

    def visit(struct: Struct) -> None:
        for kind in struct.fields.values():
            if isinstance(kind, StructType):
                visit(structs[kind.struct.data])
        ordered[struct.name] = struct

    for struct in structs.values():
        visit(struct)
    return list(ordered.values())


def _spelled(kind: str, value: Attribute, emitted: Emitted) -> str:
    """A kind whose names are those of the text."""
    if not isinstance(value, StructType):
        return kind
    text = emitted.structs[value.struct.data]
    _, fields = fields_of(kind)
    return " ".join(["struct", text.name, *(f"{text.fields[name]}:{element}" for name, element in fields.items())])


def _type(compilation: Compilation, kind: str, threads: bool) -> ValueType:
    """The type of a parameter of the kernel."""
    if kind.startswith("struct "):
        name, fields = fields_of(kind)
        struct = Struct(
            compilation.unique(name), object, "", {field: scalar(element) for field, element in fields.items()}
        )
        struct.by_value = True
        compilation.structs[struct.name] = struct
        return struct_type(struct.name)
    if kind.startswith("number "):
        return scalar(kind.partition(" ")[2])
    return _SCALARS.get(kind) or (pointer(kind, GM) if threads else address(kind))
