"""Loads as early as possible, and numbers out of loops.

In: the tile IR of a kernel. Out: the same operations in another order. Loads that stand together share flags, and
copies run ahead. A load passes no store to the same tensor, no loop and no branch. A number that an operation takes,
and that is the same in every iteration, is computed before the loop, so that its block in UB is made once.
"""

from __future__ import annotations

from opwright.ir import Block, Operation, SSAValue
from opwright.ir.language import FuncOp
from opwright.ir.rewriting import blocks_of, is_within, move_before
from opwright.ir.tile import FullOp, LoopOp, MakesTile, TileAndNumber
from opwright.ir.tile_cores import MessageOp
from opwright.ir.tile_memory import AtomicOp, LoadOp, StoreOp
from opwright.ir.traits import is_speculatable, may_read, may_write


def order(kernel: FuncOp) -> None:
    """Moves loads and numbers of a kernel."""
    for operation in list(kernel.walk()):
        if isinstance(operation, (TileAndNumber, FullOp)):
            _move_out(operation.number)
    for block in [kernel.body.block, *(one for inner in kernel.walk() for one in blocks_of(inner))]:
        _move_up(block)


def _move_out(number: SSAValue) -> None:
    """Takes what computes a number out of the loops in which it stays the same."""
    operation = number.owner
    if not isinstance(operation, Operation) or operation.regions or not _is_plain(operation):
        return
    for operand in operation.operands:
        _move_out(operand)
    loop = operation.parent_op()
    while isinstance(loop, LoopOp) and not any(is_within(operand, loop) for operand in operation.operands):
        move_before(loop, operation)
        loop = operation.parent_op()


def _is_plain(operation: Operation) -> bool:
    """Whether an operation computes a number, and may do so where the kernel would not come to it."""
    return is_speculatable(operation) and not may_read(operation) and not may_write(operation)


def _move_up(block: Block) -> None:
    """Puts the loads of a block before the first work that they need not wait for."""
    first: Operation | None = None  # the first operation on tiles that the next load may pass
    stored: list[SSAValue] = []  # tensors that are written behind it
    for operation in list(block.ops):
        if isinstance(operation, LoadOp):
            if first is None:
                continue
            if operation.address in stored or not _move_before(first, operation):
                first, stored = None, []
        elif operation.regions:
            first, stored = None, []
        elif isinstance(operation, MessageOp):
            stored.append(operation.address)  # no load passes the message that says it is there
        elif isinstance(operation, (StoreOp, AtomicOp)):
            stored.append(operation.address)
            first = first or operation
        elif isinstance(operation, MakesTile):
            first = first or operation


def _move_before(target: Operation, load: LoadOp) -> bool:
    """Moves a load, with what computes its operands; not if one of them cannot be moved."""
    needed: list[Operation] = []
    waiting: list[Operation] = [load]
    while waiting:
        current = waiting.pop()
        needed.append(current)
        for operand in current.operands:
            owner = operand.owner
            is_behind = isinstance(owner, Operation) and owner.parent is target.parent and not _is_before(owner, target)
            if is_behind:
                assert isinstance(owner, Operation)
                if owner is target or not _is_plain(owner):
                    return False
                waiting.append(owner)
    for one in sorted(dict.fromkeys(needed), key=_index):
        move_before(target, one)
    return True


def _is_before(operation: Operation, other: Operation) -> bool:
    return _index(operation) < _index(other)


def _index(operation: Operation) -> int:
    assert operation.parent is not None
    return operation.parent.get_operation_index(operation)
