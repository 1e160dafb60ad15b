"""The first and the last line of a kernel that makes no TPipe: the core's state is set, and all pipes end their work.

In: the module of a kernel, after all passes. Out: the same module, in which the kernel starts with `InitSocState` and
ends, before each of its returns too, with a barrier of all pipes. A TPipe does both, when it is made and when it ends:
a kernel that makes one on every way stays as it is, as does one that threads run. What the author wrote at the right
place is not written again.
"""

from __future__ import annotations

import re

from opwright.ascendc.enums import ENUMS, PipeID
from opwright.ascendc.table import ROWS
from opwright.frontend.pipes import MAKES_PIPE, PIPE
from opwright.ir import Attribute, Block, ModuleOp, Operation, StringAttr
from opwright.ir.aggregates import NewOp, StructOp
from opwright.ir.calls import CallOp, call
from opwright.ir.functions import InlineOp, InvokeOp, ReturnOp, by_name, functions
from opwright.ir.language import FuncOp, IfOp
from opwright.ir.rewriting import is_pure
from opwright.ir.types import ObjectType, StructType, unquoted

_INIT, _BARRIER = "init_soc_state", "pipe_barrier"
_ALL = ENUMS["PipeID"].spell(PipeID.PIPE_ALL)
# C++ of the author's is not read, only searched.
_INITIALISES = re.compile(rf"\b{ROWS[_INIT].cpp}\s*\(")


def enclose(module: ModuleOp) -> None:
    """Adds what is missing. No place of the author's goes with it: traces and messages tell what the author wrote."""
    kernel = functions(module)[-1]
    block = kernel.body.block
    if kernel.is_simt or _Pipes(module).made_by(block):
        return
    if not _is_initialised(block):
        init = call(ROWS[_INIT], 0, [], [], {})
        if block.first_op is None:
            block.add_op(init)
        else:
            block.insert_op_before(init, block.first_op)
    for operation in list(kernel.walk()):
        if isinstance(operation, ReturnOp) and not _is_barrier(operation.prev_op):
            assert operation.parent is not None
            operation.parent.insert_op_before(_barrier(), operation)
    if not (isinstance(block.last_op, ReturnOp) or _is_barrier(block.last_op)):
        block.add_op(_barrier())


def _barrier() -> CallOp:
    """A barrier of all pipes."""
    return call(ROWS[_BARRIER], 0, [], [], {"pipe": _ALL})


def _is_barrier(operation: Operation | None) -> bool:
    """Whether an operation is a barrier of all pipes."""
    if not (isinstance(operation, CallOp) and operation.row.name == _BARRIER):
        return False
    pipe = operation.attributes["pipe"]
    assert isinstance(pipe, StringAttr)
    return unquoted(pipe) == _ALL


def _is_initialised(block: Block) -> bool:
    """Whether a kernel initialises its core before anything else that a core does."""
    for operation in block.ops:
        if isinstance(operation, InlineOp):
            return bool(_INITIALISES.search(unquoted(operation.code)))
        if isinstance(operation, CallOp):
            if operation.row.name == _INIT:
                return True
            if not (operation.row.makes or operation.chosen.binds or is_pure(operation)):
                return False  # it may depend on the state
        elif not is_pure(operation):
            return False
    return False


class _Pipes:
    """Which blocks of a kernel make a TPipe, whatever way the run takes through them."""

    def __init__(self, module: ModuleOp) -> None:
        self.functions = by_name(module)
        self.structs = {unquoted(op.sym_name): op for op in module.body.block.ops if isinstance(op, StructOp)}
        self.of_functions: dict[FuncOp, bool] = {}

    def made_by(self, block: Block) -> bool:
        """Whether every way through a block makes one."""
        return any(self.made_by_operation(operation) for operation in block.ops)

    def made_by_operation(self, operation: Operation) -> bool:
        """Whether an operation makes one: itself, as a field, in a helper, or on both sides of a branch."""
        match operation:
            case CallOp():
                return operation.row.name == PIPE
            case NewOp():
                return self.is_in(operation.result.type)
            case InvokeOp():
                callee = self.functions[unquoted(operation.callee)]
                if callee not in self.of_functions:
                    self.of_functions[callee] = self.made_by(callee.body.block)
                return self.of_functions[callee]
            case IfOp():
                return self.made_by(operation.then.block) and self.made_by(operation.orelse.block)
            case InlineOp():
                return bool(MAKES_PIPE.search(unquoted(operation.code)))
        return False

    def is_in(self, kind: Attribute) -> bool:
        """Whether a value of this type is one, or has one."""
        if isinstance(kind, StructType):
            return any(self.is_in(inner) for inner in self.structs[kind.struct.data].content().values())
        return isinstance(kind, ObjectType) and kind.kind.data == PIPE
