"""The whole way from a Python function to Ascend C text.

In: a function, its source, the types of its arguments and the SoC. Out: `Program`: the text with its source map, what
it read from outside, and how it uses its arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType

from opwright import passes
from opwright.ascendc.socs import Soc
from opwright.emit.text import emit
from opwright.frontend.lower import Lowering
from opwright.ir.effects import argument_use
from opwright.ir.language import FuncOp
from opwright.ir.types import BOOL, FLOAT, INT, ValueType, address
from opwright.ir.verifying import verify
from opwright.runtime.place import Place
from opwright.runtime.source import Source
from opwright.settings import settings

_SCALARS: dict[str, ValueType] = {"int": INT, "float": FLOAT, "bool": BOOL}


@dataclass(frozen=True)
class Program:
    """A kernel as text."""

    name: str
    text: str
    places: dict[int, Place]
    reads: dict[str, object]
    argument_use: dict[str, tuple[bool, bool]]
    ir: FuncOp


def compile_function(
    function: FunctionType,
    source: Source,
    parameters: Sequence[tuple[str, str]],
    constants: Mapping[str, object],
    soc: Soc,
    watch: Callable[[str, FuncOp], None] = lambda stage, kernel: None,
) -> Program:
    """Compiles; a parameter's type is "int", "float", "bool" or the element type of its array.

    `watch` gets the kernel as it is lowered, as stage "ir", and after every pass, under the name of the pass.
    """
    types = [(name, _SCALARS.get(kind) or address(kind)) for name, kind in parameters]
    lowering = Lowering(function, source, types, constants, soc)
    kernel = lowering.run()
    try:
        watch("ir", kernel)
        passes.run(kernel, settings.without.split(","), lambda name: watch(name, kernel))
        verify(kernel)
        emitted = emit(kernel)
    except RecursionError:
        lowering.refuse_depth()
    return Program(emitted.name, emitted.text, emitted.places, lowering.reads, argument_use(kernel), kernel)
