"""Where the TPipe of a kernel is alive: from where it is made to the end of that scope.

In: the module of a kernel. Out: `Makers`, which finds the operations that make one; and `check_needed`, which refuses a
call that asks for the TPipe, or it for room or event ids, where none is alive: on the chip it would follow a pointer
that points nowhere. A TPipe must be made before the call on every path to it; helpers are judged by what is alive where
they are called, and cores of either kind for themselves.
"""

from __future__ import annotations

import re
from dataclasses import replace

from opwright.ascendc.table import row_with
from opwright.ascendc.traits import MakesPipe
from opwright.errors import Location, NeedsPipe
from opwright.frontend.compilation import Compilation
from opwright.ir import Attribute, Block, ModuleOp, Operation
from opwright.ir.aggregates import NewOp, StructOp
from opwright.ir.calls import CallOp, asked_kind
from opwright.ir.functions import HelperCallOp, InlineOp, by_name, functions
from opwright.ir.language import At, FuncOp, IfOp
from opwright.ir.rewriting import blocks_of
from opwright.ir.types import ObjectType, StructType, unquoted

# C++ of the author's is not read, only searched, but for comments and strings.
_NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"', re.DOTALL)
_PIPE = row_with(MakesPipe).name
_MAKES_PIPE = re.compile(r"\bTPipe\s+\w")
_MAKE_ONE = "make a TPipe, and take tensors from its buffers: asc.TBuf, pipe.init_buffer, buffer.get"
_Kinds = frozenset[str]


class Makers:
    """The operations of a module that make a TPipe, which lives as long as the block that they stand in."""

    def __init__(self, module: ModuleOp) -> None:
        self.structs = {unquoted(op.sym_name): op for op in module.body.block.ops if isinstance(op, StructOp)}

    def makes(self, operation: Operation) -> bool:
        """Whether an operation makes one: itself, as a field, or as C++."""
        match operation:
            case CallOp():
                return operation.chosen.get(MakesPipe) is not None
            case NewOp():
                return self._is_in(operation.result.type)
            case InlineOp():
                return not operation.before.data and names_pipe(operation)
        return False

    def _is_in(self, kind: Attribute) -> bool:
        """Whether a value of this type is one, or has one."""
        if isinstance(kind, StructType):
            return any(self._is_in(inner) for inner in self.structs[kind.struct.data].content().values())
        return isinstance(kind, ObjectType) and kind.kind.data == _PIPE


def names_pipe(operation: InlineOp) -> bool:
    """Whether C++ of the author's seems to make a TPipe."""
    return bool(_MAKES_PIPE.search(code_of(operation)))


def code_of(operation: InlineOp) -> str:
    """C++ of the author's without comments and strings."""
    return _NO_CODE.sub(" ", unquoted(operation.code))


def check_needed(module: ModuleOp, compilation: Compilation) -> None:
    """Refuses the first call that needs a TPipe and has none."""
    kernel = functions(module)[-1]
    kinds = frozenset(compilation.kernel_type.kinds)
    # What stands before all functions may make one anywhere.
    texts = [one for one in module.walk() if isinstance(one, InlineOp) and one.before.data]
    if not (kernel.is_simt or any(map(names_pipe, texts))):
        _Walk(module, compilation).through(kernel, kernel.body.block, kinds, frozenset(), ())


class _Walk:
    """The paths through a kernel, in the order of the program."""

    def __init__(self, module: ModuleOp, compilation: Compilation) -> None:
        self.compilation = compilation
        self.makers = Makers(module)
        self.functions = by_name(module)
        self.seen: set[tuple[FuncOp, _Kinds, _Kinds]] = set()

    def through(
        self, function: FuncOp, block: Block, kinds: _Kinds, alive: _Kinds, calls: tuple[Location, ...]
    ) -> None:
        """One block, to which cores of these kinds come, some of them with a TPipe that is alive."""
        for operation in block.ops:
            if self.makers.makes(operation):
                alive = kinds
            elif isinstance(operation, CallOp):
                if not kinds <= alive:
                    self.check(function, operation, calls)
            elif isinstance(operation, HelperCallOp):
                callee = self.functions[unquoted(operation.callee)]
                if (callee, kinds, alive) not in self.seen:
                    self.seen.add((callee, kinds, alive))
                    led = (*calls, self.place(function, operation, calls))
                    self.through(callee, callee.body.block, kinds, alive, led)
            elif isinstance(operation, IfOp) and (asked := asked_kind(operation.condition)):
                for side, chosen in ((operation.then, kinds & {asked}), (operation.orelse, kinds - {asked})):
                    self.through(function, side.block, chosen, alive & chosen, calls)
            else:
                for inner in blocks_of(operation):
                    self.through(function, inner, kinds, alive, calls)

    def check(self, function: FuncOp, operation: CallOp, calls: tuple[Location, ...]) -> None:
        """Refuses a call that needs a TPipe; none is alive."""
        soc = self.compilation.soc.name
        instead = operation.chosen.needs_tpipe.get(soc)
        if instead is not None:
            hint = f"{instead}; or {_MAKE_ONE}" if instead else _MAKE_ONE
            at = self.place(function, operation, calls)
            raise NeedsPipe(at, call=operation.name, soc=soc, hint=hint)

    def place(self, function: FuncOp, operation: Operation, calls: tuple[Location, ...]) -> Location:
        """Where an operation comes from, with the calls that led there."""
        line, _, column = At.of(operation).partition(":")
        return replace(self.compilation.instances[function.place].source.locate(int(line), int(column)), calls=calls)
