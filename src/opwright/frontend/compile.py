"""The whole way from a Python function to Ascend C text.

In: a function, its source, the types of its arguments and the SoC. Out: `Program`: the text with its source map, what
it read from outside, and how it uses its arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType

from opwright import passes
from opwright.ascendc.kernel_types import KERNEL_TYPES
from opwright.ascendc.socs import Soc
from opwright.emit.module import Emitted, emit
from opwright.frontend.compilation import Compilation, Struct
from opwright.frontend.enclosing import enclose
from opwright.frontend.lower import lower_kernel, refuse_depth
from opwright.frontend.pipe_scopes import check_needed
from opwright.frontend.values import Constant
from opwright.ir import ModuleOp
from opwright.ir.aggregates import StructOp
from opwright.ir.effects import argument_use
from opwright.ir.language import SIMT_KERNEL
from opwright.ir.legality import check
from opwright.ir.types import GM, OF_PYTHON, StructType, ValueType, address, pointer, scalar, struct_type
from opwright.kernel.layouts import fields_of
from opwright.kernel.place import Called, Place
from opwright.kernel.source import Source
from opwright.settings import settings

_SCALARS = {python.__name__: kind for python, kind in OF_PYTHON.items()}


@dataclass(frozen=True)
class Program:
    """A kernel as text."""

    name: str
    text: str
    places: dict[int, Place]
    reads: dict[str, object]
    argument_use: dict[str, tuple[bool, bool]]
    functions: tuple[Called, ...]
    kinds: tuple[str, ...]  # of the parameters, with structs and fields under the names that the text gives them
    threads: bool  # whether it starts threads, or is run by some
    ir: ModuleOp


def compile_function(
    function: FunctionType,
    source: Source,
    parameters: Sequence[tuple[str, str]],
    constants: Mapping[str, object],
    soc: Soc,
    kernel_type: str | None = None,
    watch: Callable[[str, ModuleOp], None] = lambda stage, module: None,
    most_threads: int = 0,
) -> Program:
    """Compiles; a parameter's type is "int", "float", "bool", the element type of its array, or as in `records`.

    `watch` gets the module as it is lowered, as stage "ir", and after every pass, under the name of the pass.
    `most_threads` is how many threads of a block may run the kernel, if it is one of threads.
    """
    compilation = Compilation(soc, KERNEL_TYPES[kernel_type])
    symbol = compilation.unique(source.name)
    types = [(name, _type(compilation, kind, most_threads > 0)) for name, kind in parameters]
    known = {name: Constant(value) for name, value in constants.items()}
    instance = compilation.enter(
        function, source, "", role=SIMT_KERNEL if most_threads else "", most_threads=most_threads
    )
    builder = lower_kernel(compilation, instance, symbol, types, known)
    structs = [StructOp(struct.name, struct.fields) for struct in _inner_first(compilation.structs)]
    module = ModuleOp([*structs, *compilation.functions])
    try:
        check_needed(module, compilation)
        compilation.pipes.check()
        watch("ir", module)
        passes.run(module, settings.without.split(","), lambda name: watch(name, module))
        enclose(module)
        check(module)
        emitted = emit(module, kernel_type)
    except RecursionError:
        refuse_depth(builder)
    called = tuple(Called(one.path, tuple(compilation.callers.get(one.number, ()))) for one in compilation.instances)
    kinds = tuple(_spelled(kind, value, emitted) for (_, kind), (_, value) in zip(parameters, types, strict=True))
    use = argument_use(module)
    threads = any(function.is_simt for function in compilation.functions)
    return Program(emitted.name, emitted.text, emitted.places, compilation.reads, use, called, kinds, threads, module)


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


def _spelled(kind: str, value: ValueType, emitted: Emitted) -> str:
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
