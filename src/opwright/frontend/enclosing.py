"""The first and the last line of a kernel: the core's state is set, and all pipes end their work.

In: the module of a kernel, after all passes. Out: the same module, in which the kernel starts with `InitSocState` and
ends, before each of its returns too, with a barrier of all pipes. A TPipe does both, when it is made and when its scope
ends: one that is made before any work stands for the first line, one that lives to the end for the last. Threads need
neither. What the author wrote at the right place is not written again.
"""

from __future__ import annotations

import re

from opwright.ascendc.enums import PipeID
from opwright.ascendc.table import ROWS
from opwright.ascendc.traits import Binds
from opwright.frontend.pipe_scopes import Makers, code_of
from opwright.ir import Block, ModuleOp, Operation, StringAttr
from opwright.ir.calls import CallOp, call
from opwright.ir.functions import HelperCallOp, InlineOp, ReturnOp, by_name, functions
from opwright.ir.language import FuncOp, IfOp
from opwright.ir.rewriting import blocks_of
from opwright.ir.traits import has_effects_of_regions, may_work
from opwright.ir.types import unquoted

_INIT, _BARRIER = "init_soc_state", "pipe_barrier"
_ALL = PipeID.PIPE_ALL.name
# C++ of the author's is not read, only searched.
_INITIALISES = re.compile(rf"\b{ROWS[_INIT].cpp}\s*\(")


def enclose(module: ModuleOp) -> None:
    """Adds what is missing. No place of the author's goes with it: traces and messages show what the author wrote."""
    kernel = functions(module)[-1]
    if kernel.is_simt:
        return
    block, paths = kernel.body.block, _Paths(module)
    is_started, open_ends = paths.start(block), paths.open_ends(kernel)
    if not is_started:
        init = call(ROWS[_INIT], ROWS[_INIT].forms[0], [], [], {})
        if block.first_op is None:
            block.add_op(init)
        else:
            block.insert_op_before(init, block.first_op)
    for end in open_ends:
        if isinstance(end, Block):
            end.add_op(_barrier())
        else:
            assert end.parent is not None
            end.parent.insert_op_before(_barrier(), end)


def _barrier() -> CallOp:
    """A barrier of all pipes."""
    return call(ROWS[_BARRIER], ROWS[_BARRIER].forms[0], [], [], {"pipe": _ALL})


def _is_barrier(operation: Operation) -> bool:
    """Whether an operation is a barrier of all pipes."""
    if not (isinstance(operation, CallOp) and operation.row.name == _BARRIER):
        return False
    pipe = operation.attributes["pipe"]
    assert isinstance(pipe, StringAttr)
    return unquoted(pipe) == _ALL


class _Paths:
    """What holds on every path through a kernel."""

    def __init__(self, module: ModuleOp) -> None:
        self.functions = by_name(module)
        self.makers = Makers(module)

    def start(self, block: Block) -> bool | None:
        """Whether the core's state is set before a block works; None if it does neither."""
        for operation in block.ops:
            is_set = self._sets(operation)
            if is_set is not None:
                return is_set
        return None

    def _sets(self, operation: Operation) -> bool | None:
        """Whether an operation sets the core's state, or works without; None if it does neither."""
        if self.makers.makes(operation):
            return True
        match operation:
            case InlineOp():
                is_declared = bool(operation.before.data)
                return None if is_declared else bool(_INITIALISES.search(code_of(operation)))
            case HelperCallOp():
                return self.start(self._callee(operation).body.block)
            case IfOp():
                sides = {self.start(operation.then.block), self.start(operation.orelse.block)}
                return sides.pop() if len(sides) == 1 else False
            case CallOp() if operation.row.name == _INIT:
                return True
            case CallOp() if operation.row.makes or operation.chosen.get(Binds):
                return None
        if has_effects_of_regions(operation):
            # A loop may have no iteration: what it sets does not count.
            return None if all(self.start(inner) is None for inner in blocks_of(operation)) else False
        return False if may_work(operation) else None

    def open_ends(self, function: FuncOp) -> list[ReturnOp | Block]:
        """The ends of a function at which its work may be under way: its returns, and the end of its block."""
        ends: list[ReturnOp | Block] = []
        for one in function.walk():
            if isinstance(one, ReturnOp) and not (self._has_pipe(one) or self._ends(one.prev_op)):
                ends.append(one)
        block = function.body.block
        return ends if isinstance(block.last_op, ReturnOp) or self._block_ends(block) else [*ends, block]

    def _has_pipe(self, operation: Operation) -> bool:
        """Whether a TPipe is alive at an operation, so that the scopes which end there end all work."""
        before = operation.prev_op
        while before is not None and not self.makers.makes(before):
            before = before.prev_op
        if before is not None:
            return True
        above = operation.parent_op()
        return above is not None and not isinstance(above, FuncOp) and self._has_pipe(above)

    def _block_ends(self, block: Block) -> bool:
        """Whether all work has ended at the end of a block, as a TPipe of its own sees to."""
        return any(map(self.makers.makes, block.ops)) or self._ends(block.last_op)

    def _ends(self, operation: Operation | None) -> bool:
        """Whether all work has ended behind an operation. Nothing gets behind a return, which is an end itself."""
        match operation:
            case HelperCallOp():
                return not self.open_ends(self._callee(operation))
            case IfOp():
                return self._block_ends(operation.then.block) and self._block_ends(operation.orelse.block)
        return operation is not None and (isinstance(operation, ReturnOp) or _is_barrier(operation))

    def _callee(self, operation: HelperCallOp) -> FuncOp:
        """The helper that is called."""
        return self.functions[unquoted(operation.callee)]
