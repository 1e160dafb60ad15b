"""What nothing needs any more, taken out of tile IR.

In: a kernel of which operations were taken out. Out: the same kernel without results that nothing uses, variables that
nothing reads, and loops and branches in which nothing is left.
"""

from __future__ import annotations

from opwright.ir import Operation
from opwright.ir.language import ForOp, FuncOp, IfOp, StoreOp, VariableOp
from opwright.ir.rewriting import blocks_of, is_used
from opwright.ir.tile import LoopOp
from opwright.ir.traits import is_removable


def drop_dead(kernel: FuncOp) -> None:
    """Takes out what nothing needs."""
    is_changed = True
    while is_changed:
        dropped = [_drop(operation) for operation in reversed(list(kernel.walk())) if operation is not kernel]
        is_changed = any(dropped)


def _drop(operation: Operation) -> bool:
    """Takes out an operation if nothing needs it."""
    if operation.parent is None:
        return False
    if isinstance(operation, VariableOp):
        setters = [use.operation for use in operation.cell.uses]
        if not all(isinstance(setter, StoreOp) for setter in setters):
            return False
        for setter in setters:
            _erase(setter)
    elif isinstance(operation, (ForOp, LoopOp, IfOp)):
        if any(block.first_op is not None for block in blocks_of(operation)):
            return False
    elif is_used(operation) or not is_removable(operation):
        return False
    _erase(operation)
    return True


def _erase(operation: Operation) -> None:
    assert operation.parent is not None
    operation.parent.erase_op(operation)
