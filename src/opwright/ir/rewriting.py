"""What passes are made of: questions about operations, and changes that keep places and the author's names.

In: operations. Out: answers, or changed IR. An operation that takes the place of another keeps its `at` and its name.
"""

from __future__ import annotations

from collections.abc import Iterator

from opwright.ir import Block, Operation, SSAValue
from opwright.ir.language import IfOp
from opwright.ir.names import ATTRIBUTE, name_of, set_name
from opwright.ir.traits import is_removable


def is_used(operation: Operation) -> bool:
    """Whether anything uses a result."""
    return any(result.uses for result in operation.results)


def blocks_of(operation: Operation) -> Iterator[Block]:
    """The blocks right below an operation."""
    for region in operation.regions:
        yield from region.blocks


def is_within(value: SSAValue, operation: Operation) -> bool:
    """Whether a value is made inside an operation."""
    block = value.owner if isinstance(value.owner, Block) else value.owner.parent
    while block is not None:
        above = block.parent_op()
        if above is operation:
            return True
        block = above.parent if above is not None else None
    return False


def is_known_at(value: SSAValue, operation: Operation) -> bool:
    """Whether a value is computed before an operation, whichever way it is reached."""
    block = value.owner if isinstance(value.owner, Block) else value.owner.parent
    above: Operation | None = operation
    while above is not None and above.parent is not block:
        above = above.parent_op()
    return above is not None and (isinstance(value.owner, Block) or value.owner.is_before_in_block(above))


def is_in_arm(operation: Operation) -> bool:
    """Whether an operation stands in an arm of a branch, which may not be taken."""
    above: Operation | None = operation
    while above is not None and not isinstance(above, IfOp):
        above = above.parent_op()
    return above is not None


def erase(operation: Operation) -> None:
    """Takes out an operation that nothing uses, and what only it used."""
    waiting = [operation]
    while waiting:
        current = waiting.pop()
        if current.parent is None:
            continue  # it was an operand twice
        made = [operand.owner for operand in current.operands]
        current.parent.erase_op(current)
        waiting += [one for one in made if isinstance(one, Operation) and not is_used(one) and is_removable(one)]


def replace_by_value(operation: Operation, value: SSAValue) -> None:
    """Lets a value stand for the result of an operation; a value without a name takes that of the result."""
    (result,) = operation.results
    for use in list(result.uses):
        use.operation.operands[use.index] = value
    name = name_of(result)
    if name is not None and name_of(value) is None:
        set_name(value, name)
    erase(operation)


def move_before(operation: Operation, moved: Operation) -> None:
    """Puts an operation before another, from wherever it stands."""
    if moved.parent is not None:
        moved.parent.detach_op(moved)
    block = operation.parent
    assert block is not None
    block.insert_op_before(moved, operation)


def insert_before(operation: Operation, new: Operation) -> SSAValue:
    """Puts a new operation before another, at the same place of the source, and gives its result."""
    new.attributes["at"] = operation.attributes["at"]
    move_before(operation, new)
    return new.results[0]


def replace(operation: Operation, new: Operation) -> None:
    """Puts a new operation in the place of another."""
    value = insert_before(operation, new)
    if ATTRIBUTE in operation.attributes:
        new.attributes[ATTRIBUTE] = operation.attributes[ATTRIBUTE]
    replace_by_value(operation, value)


def unwrap(branch: IfOp, side: Block) -> None:
    """Puts one side of a branch in the place of the branch."""
    for operation in list(side.ops):
        move_before(branch, operation)
    erase_nested(branch)


def erase_nested(operation: Operation) -> None:
    """Takes out an operation with everything in it; nothing outside may use what is inside."""
    for block in blocks_of(operation):
        for inner in reversed(list(block.ops)):
            erase_nested(inner)
    if operation.parent is not None:
        erase(operation)
