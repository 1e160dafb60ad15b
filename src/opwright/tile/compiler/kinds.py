"""Which cores do what: the operations of a kernel that cube cores do, and whether vector cores are needed at all.

In: the tile IR of a kernel. Out: `Kinds`. Cube cores do `dot`; loads that only `dot` reads, and their transposition;
zeros that a product starts from; variables that hold nothing but products and such zeros; and on the way to a store
a conversion and `maximum` with 0, which are `fixpipe`'s, with the store. Vector cores do all else with tiles.
"""

from __future__ import annotations

from dataclasses import dataclass

from opwright.ir import Operation, SSAValue
from opwright.ir import language as py
from opwright.ir.language import FuncOp, constant_of, held
from opwright.ir.tile import (
    CastOp,
    CountedOp,
    DotOp,
    FullOp,
    MakesTile,
    TransposeOp,
    WithNumberOp,
    is_of_tiles,
    type_of,
)
from opwright.ir.tile_memory import LoadOp, StoreOp

VECTOR, CUBE, MIX = "vector", "cube", "mix"
_CONVERSIONS = {("float32", "float16"), ("float32", "bfloat16")}


@dataclass(frozen=True)
class Kinds:
    """cube: the operations of cube cores, with variables. kernel: VECTOR, CUBE or MIX, if it needs both."""

    kernel: str
    cube: frozenset[Operation]


def kinds_of(kernel: FuncOp) -> Kinds:
    """Finds out for a kernel."""
    operations = [operation for operation in kernel.walk() if is_of_tiles(operation)]
    if not any(isinstance(operation, DotOp) for operation in operations):
        return Kinds(VECTOR, frozenset())
    cells = _cells(operations)
    cube = {operation for operation in operations if _is_operand(operation) or _is_sum(operation, cells)}
    cube |= {operation for operation in operations if isinstance(operation, StoreOp) and _leaves(operation.tile, cells)}
    for operation in reversed(operations):  # from what is stored back to the sums
        if isinstance(operation, MakesTile) and _is_epilogue(operation) and _leaves(operation.result, cells):
            uses = {use.operation for use in operation.result.uses}
            if uses <= cube and not any(isinstance(one, DotOp) for one in uses):
                cube.add(operation)
    cube -= {one for one in cube if isinstance(one, StoreOp) and one.tile.owner not in cube}
    return Kinds(CUBE if cube.issuperset(operations) else MIX, frozenset(cube))


def _is_operand(operation: Operation) -> bool:
    """Whether an operation fetches a factor of products and nothing else."""
    if not isinstance(operation, (LoadOp, TransposeOp)):
        return False
    if isinstance(operation, TransposeOp) and not isinstance(operation.x.owner, LoadOp):
        return False
    uses = list(operation.result.uses)
    return bool(uses) and all(
        (isinstance(use.operation, DotOp) and use.index < 2)
        or (isinstance(use.operation, TransposeOp) and isinstance(operation, LoadOp) and _is_operand(use.operation))
        for use in uses
    )


def _cells(operations: list[Operation]) -> set[SSAValue]:
    """The variables that hold products and the zeros that they start from."""
    cells: set[SSAValue] = {operation.cell for operation in operations if isinstance(operation, py.VariableOp)}
    while True:
        kept = {cell for cell in cells if all(_is_sum_value(value, cells) for value in held(cell))}
        if kept == cells:
            return {cell for cell in cells if any(isinstance(value.owner, DotOp) for value in held(cell))}
        cells = kept


def _is_sum_value(value: SSAValue, cells: set[SSAValue]) -> bool:
    """Whether a tile is a product, zeros, or what a variable of such holds."""
    owner = value.owner
    if isinstance(owner, FullOp):
        return constant_of(owner.number) == 0 and len(type_of(value).sizes) == 2
    if isinstance(owner, CountedOp):
        return _is_sum_value(owner.x, cells)
    return isinstance(owner, DotOp) or (isinstance(owner, py.LoadOp) and owner.cell in cells)


def _is_sum(operation: Operation, cells: set[SSAValue]) -> bool:
    """Whether an operation makes or keeps products; zeros count if products start from them, and nothing else does."""
    if isinstance(operation, (py.VariableOp, py.StoreOp, py.LoadOp)):
        return operation.results[0] in cells if isinstance(operation, py.VariableOp) else operation.operands[0] in cells
    if isinstance(operation, CountedOp):
        return isinstance(operation.x.owner, py.LoadOp) and operation.x.owner.cell in cells
    if isinstance(operation, FullOp):
        return _is_sum_value(operation.result, cells) and all(
            (isinstance(use.operation, DotOp) and use.index == 2)
            or (isinstance(use.operation, py.VariableOp) and use.operation.cell in cells)
            or (isinstance(use.operation, py.StoreOp) and use.operation.cell in cells)
            for use in operation.result.uses
        )
    return isinstance(operation, DotOp)


def _is_epilogue(operation: Operation) -> bool:
    """Whether `fixpipe` does an operation: a conversion, or `maximum` with 0."""
    if isinstance(operation, CastOp):
        return (type_of(operation.x).dtype.data, operation.dtype) in _CONVERSIONS
    if not isinstance(operation, WithNumberOp) or operation.operator.data != "max" or operation.is_reversed:
        return False
    return constant_of(operation.number) == 0


def _leaves(value: SSAValue, cells: set[SSAValue]) -> bool:
    """Whether a tile is a product that at most `fixpipe` has changed."""
    while isinstance(value.owner, MakesTile) and _is_epilogue(value.owner):
        assert isinstance(value.owner, (CastOp, WithNumberOp))
        value = value.owner.x
    return isinstance(value.owner, Operation) and not isinstance(value.owner, FullOp) and _is_sum(value.owner, cells)
