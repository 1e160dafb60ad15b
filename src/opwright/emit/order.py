"""What comes before what in the text.

In: operations and values. Out: answers that decide whether a name can stand for a value.
"""

from __future__ import annotations

from opwright.ir import Block, Operation, SSAValue
from opwright.ir.language import LoadOp, VariableOp
from opwright.ir.traits import is_loop, may_set


def is_before(operation: Operation, other: Operation) -> bool:
    """Whether an operation, or what it stands in, comes before `other` in the block of `other`."""
    block = other.parent
    assert block is not None
    ancestor = block.find_ancestor_op_in_block(operation)
    return ancestor is not None and ancestor is not other and ancestor.is_before_in_block(other)


def is_in_loop_after(value: SSAValue, operation: Operation) -> bool:
    """Whether an operation stands in a loop that a value comes into from outside."""
    home = value.owner if isinstance(value.owner, Block) else value.owner.parent
    block = operation.parent
    while block is not None and block is not home:
        above = block.parent_op()
        if above is None:
            return False
        if is_loop(above):
            return True
        block = above.parent
    return False


def is_settled(load: LoadOp) -> bool:
    """Whether nothing sets the variable after this: its name then stands for the value everywhere."""
    variable = load.cell.owner
    if not isinstance(variable, VariableOp) or variable.parent is not load.parent:
        return False
    stores = [use.operation for use in load.cell.uses if may_set(use.operation, load.cell)]
    return all(is_before(store, load) for store in stores)
