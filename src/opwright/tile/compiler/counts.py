"""Counts of sums that do not change from product to product.

In: the tile IR of a kernel. Out: the same kernel with fewer variables of counts. `acc = tile.zeros((128, 128))` has 128
rows until the first product with fewer is added. If every product has the same number of rows, and nothing asks for
more of them, the sum has as many from the start.
"""

from __future__ import annotations

from opwright.ir import Block, Operation, SSAValue
from opwright.ir.language import BinaryOp, FuncOp, LoadOp, StoreOp, VariableOp, constant_of
from opwright.ir.rewriting import erase
from opwright.ir.tile import DotOp, MakesTile
from opwright.ir.types import INT, CellType


def settle_counts(kernel: FuncOp) -> None:
    """Takes the variables of counts of sums out of a kernel, where they are all the same."""
    for operation in list(kernel.walk()):
        if isinstance(operation, VariableOp) and operation.cell.type == CellType(INT):
            _settle(operation)


def _settle(variable: VariableOp) -> None:
    """Replaces what a variable holds by the one number that it is joined with."""
    users = [use.operation for use in variable.cell.uses]
    loads = [one for one in users if isinstance(one, LoadOp)]
    stores = [one for one in users if isinstance(one, StoreOp)]
    if not stores or len(loads) + len(stores) < len(users):
        return
    counts = {_other(store.value, loads) for store in stores}
    count = counts.pop()
    if counts or count is None or not _is_at_most(count, variable) or not is_before(count, variable):
        return
    joined = [use.operation for load in loads for use in load.result.uses]
    if not all(
        isinstance(one, MakesTile) or (isinstance(one, BinaryOp) and _other(one.result, loads) is count)
        for one in joined
    ):
        return
    if not any(isinstance(one, DotOp) for load in loads for one in _takers(load.result)):
        return
    for one in dict.fromkeys(joined):
        if isinstance(one, BinaryOp):
            one.result.replace_all_uses_with(count)
            erase(one)
    for load in loads:
        load.result.replace_all_uses_with(count)
    for one in (*stores, *loads, variable):
        erase(one)


def _takers(count: SSAValue) -> list[Operation]:
    """What takes a count, or the smaller one of it and another."""
    users = [use.operation for use in count.uses]
    return users + [use.operation for one in users if isinstance(one, BinaryOp) for use in one.result.uses]


def _other(value: SSAValue, loads: list[LoadOp]) -> SSAValue | None:
    """What a count is joined with, if it is the smaller one of that and of what the variable held."""
    owner = value.owner
    if not isinstance(owner, BinaryOp) or owner.operator.data != "min":
        return None
    for one, other in ((owner.left, owner.right), (owner.right, owner.left)):
        if one.owner in loads:
            return other
    return None


def _is_at_most(count: SSAValue, variable: VariableOp) -> bool:
    """Whether a count is never more than what a variable starts with: the whole size."""
    size = constant_of(variable.initial) if variable.initial is not None else None
    owner = count.owner
    known = [constant_of(count)]
    if isinstance(owner, BinaryOp) and owner.operator.data == "min":
        known += [constant_of(owner.left), constant_of(owner.right)]
    return size is not None and any(one is not None and one <= size for one in known)


def is_before(count: SSAValue, operation: Operation) -> bool:
    """Whether a count is known where an operation stands."""
    owner = count.owner
    block = owner if isinstance(owner, Block) else owner.parent
    below = operation
    while below.parent is not None and below.parent is not block:
        above = below.parent_op()
        if above is None:
            return False
        below = above
    if block is None or below.parent is not block:
        return False
    return isinstance(owner, Block) or block.get_operation_index(owner) < block.get_operation_index(below)
