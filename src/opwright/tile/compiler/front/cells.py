"""Variables that hold tiles: the counts of what a name holds that a loop or a branch sets again.

In: loads and stores of `py` cells. Out: `tile.counted` behind a load; numbers beside a cell, where counts change.
Counts are taken to stay those of the first value. A store that shows otherwise is noted in `State.changing`, and the
kernel is lowered again with variables for such counts.
"""

from __future__ import annotations

import ast

from opwright.frontend.builder import Builder
from opwright.ir import Block, Operation, SSAValue
from opwright.ir.language import LoadOp, StoreOp, VariableOp
from opwright.ir.tile import CountedOp, MakesTile, counts_of, same_count, type_of
from opwright.ir.types import INT, CellType, TileType
from opwright.ir.values import RunTimeValue
from opwright.tile.compiler.front.state import first_place, state_of


def counted(builder: Builder, value: RunTimeValue, node: ast.AST) -> SSAValue:
    """A tile, with its counts if a variable holds it."""
    made = value.ssa.owner
    if isinstance(made, MakesTile):
        return value.ssa
    assert isinstance(made, LoadOp)
    counts = [
        builder.add(LoadOp(count), node).results[0] if isinstance(count.type, CellType) else count
        for count in _counts(builder, made.cell, None)
    ]
    return builder.add(CountedOp(value.ssa, type_of(value.ssa), counts), node).results[0]


def note_stores(builder: Builder, before: Operation | None, node: ast.AST) -> None:
    """Looks at what a statement stored in variables: the operations of the block behind `before`."""
    operation = builder.block.first_op if before is None else before.next_op
    stores = []
    while operation is not None:
        if isinstance(operation, StoreOp) and isinstance(operation.value.type, TileType):
            stores.append(operation)
        operation = operation.next_op
    for store in stores:
        _note_store(builder, store, node)


def _note_store(builder: Builder, store: StoreOp, node: ast.AST) -> None:
    state = state_of(builder)
    new = counts_of(store.value)
    known = _counts(builder, store.cell, new)
    for axis, (old, count) in enumerate(zip(known, new, strict=True)):
        if isinstance(old.type, CellType):
            builder.add(StoreOp(old, count), node)
        elif not same_count(old, count):
            state.changing.add((list(state.variables).index(store.cell), axis))


def _counts(builder: Builder, cell: SSAValue, stored: tuple[SSAValue, ...] | None) -> list[SSAValue]:
    """The counts of a variable, or cells that hold them; `stored`: those of what it is set to first."""
    state = state_of(builder)
    if cell in state.variables:
        return state.variables[cell]
    made = cell.owner
    assert isinstance(made, VariableOp)
    first = counts_of(made.initial) if made.initial is not None else stored
    assert first is not None, "a variable without a value is not read"
    number = len(state.variables)
    known = []
    for axis, count in enumerate(first):
        is_there = made.initial is not None or _is_made_before(builder, count, made)
        if (number, axis) in state.varying or not is_there:
            count = _cell_beside(builder, made, count if made.initial is not None else None)
        known.append(count)
    state.variables[cell] = known
    return known


def _is_made_before(builder: Builder, count: SSAValue, variable: VariableOp) -> bool:
    """Whether a count is known where a variable is declared, in a block that is still open."""
    blocks = state_of(builder).blocks
    block = count.owner if isinstance(count.owner, Block) else count.owner.parent
    assert variable.parent is not None
    return block in blocks[: blocks.index(variable.parent) + 1]


def _cell_beside(builder: Builder, variable: VariableOp, initial: SSAValue | None) -> SSAValue:
    """A number of the text that is set whenever a variable of tiles is."""
    made = VariableOp(initial, INT)
    made.attributes["at"] = first_place(builder)
    assert variable.parent is not None
    variable.parent.insert_op_after(made, variable)
    return made.cell
