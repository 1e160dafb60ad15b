"""Values that go from cube cores to vector cores, or back.

In: the tile IR of a kernel and which operations are for cube cores. Out: a `Crossing` for each value that one kind of
core makes and the other takes, in program order. A tile that both load is loaded by each. Refuses sums of products that
start from what vector cores computed, tiles of one row that would cross, tensors that the kernel both reads and writes,
and beside products the operations of vector cores that take whole tiles: gathers, helpers and transposes.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from opwright.errors import NotSplit, TileNotBuilt
from opwright.ir import Operation, SSAValue
from opwright.ir.language import FuncOp
from opwright.ir.names import name_of
from opwright.ir.rewriting import move_before
from opwright.ir.tile import DotOp, HelperOp, MakesTile, TransposeOp, type_of
from opwright.ir.tile_memory import GatherOp, LoadOp, PutsTile, ReadOp
from opwright.ir.types import TileType, unquoted
from opwright.kernel.source import Source
from opwright.tile.compiler.cursor import located


@dataclass(frozen=True)
class Crossing:
    """A value and the name of the workspace that it goes through. `from_cube`: whether cube cores make it."""

    value: SSAValue
    name: str
    from_cube: bool

    @property
    def sizes(self) -> tuple[int, int]:
        """Rows and columns."""
        rows, cols = type_of(self.value).sizes
        return rows, cols

    @property
    def elements(self) -> int:
        """Elements of a slot."""
        return self.sizes[0] * self.sizes[1]

    @property
    def dtype(self) -> str:
        """The type of its elements."""
        return type_of(self.value).dtype.data

    @property
    def maker(self) -> MakesTile:
        """The operation that makes it."""
        assert isinstance(self.value.owner, MakesTile)
        return self.value.owner

    def receiver(self, cube: Collection[Operation]) -> Operation:
        """The operation, of the block that makes it, before which the others take it: none waits earlier than it must.

        It takes the value, or holds what does.
        """
        block = self.maker.parent
        assert block is not None
        users = []
        for use in self.value.uses:
            user: Operation | None = use.operation
            if (use.operation in cube) == self.from_cube:
                continue
            while user is not None and user.parent is not block:
                user = user.parent_op()
            assert user is not None
            users.append(user)
        return min(users, key=block.get_operation_index)


def own_loads(kernel: FuncOp, cube: Collection[Operation]) -> frozenset[Operation]:
    """Gives products loads of their own where vector cores take the same tile; the operations of cube cores then."""
    more: set[Operation] = set(cube)
    for operation in list(kernel.walk()):
        if not isinstance(operation, LoadOp) or operation in more:
            continue
        uses = [use for use in operation.result.uses if use.operation in more]
        if uses:
            own = operation.clone()
            move_before(operation, own)
            more.add(own)
            for use in uses:
                use.operation.operands[use.index] = own.result
    return frozenset(more)


def crossings_of(kernel: FuncOp, cube: Collection[Operation], source: Source) -> list[Crossing]:
    """Finds them."""
    _refuse_shared(kernel, source)
    found: list[Crossing] = []
    taken = {unquoted(name) for name in kernel.parameters.data}
    for operation in kernel.walk():
        for result in operation.results:
            if not isinstance(result.type, TileType):
                continue
            from_cube = operation in cube
            uses = [use for use in result.uses if (use.operation in cube) != from_cube]
            if not uses:
                continue
            for use in uses:
                if isinstance(use.operation, DotOp) and use.index == 2:
                    hint = "add behind the product: acc + tile.dot(a, b)"
                    what = "a product that is added to what vector cores computed"
                    raise TileNotBuilt(located(use.operation, source), what=what, hint=hint)
            _refuse_sizes(result, operation, source)
            name = _name(result, from_cube)
            number = 2
            while f"{name}_workspace" in taken:
                name, number = f"{_name(result, from_cube)}{number}", number + 1
            taken.add(f"{name}_workspace")
            found.append(Crossing(result, f"{name}_workspace", from_cube))
    return found


def _refuse_sizes(value: SSAValue, operation: Operation, source: Source) -> None:
    sizes = type_of(value).sizes
    if len(sizes) != 2 or sizes[0] < 2:
        what = f"a tile of {' x '.join(map(str, sizes))} between cube and vector cores"
        raise NotSplit(located(operation, source), what=what, hint="take tiles of at least 2 rows")


def _name(value: SSAValue, from_cube: bool) -> str:
    """What a value is called: by its own name, or that of what it was made from or is given to."""
    if name := name_of(value):
        return name
    owner = value.owner
    if isinstance(owner, MakesTile):
        for operand in owner.operands:
            if isinstance(operand.owner, Operation) and not isinstance(owner, DotOp) and (name := name_of(operand)):
                return name
            if owner.name == "tile.counted" and isinstance(operand.owner, Operation):
                cell = next(iter(operand.owner.operands), None)
                if cell is not None and (name := name_of(cell)):
                    return name
    return "product" if from_cube else "factor"


def _refuse_shared(kernel: FuncOp, source: Source) -> None:
    """Two kinds of cores load ahead: what one writes the other must not read."""
    written = {operation.address for operation in kernel.walk() if isinstance(operation, PutsTile)}
    for operation in kernel.walk():
        if isinstance(operation, (LoadOp, GatherOp, ReadOp)) and operation.address in written:
            what = f"reading {name_of(operation.address)}, which the kernel writes, beside products of matrices"
            raise TileNotBuilt(located(operation, source), what=what, hint="make it two kernels, launched in order")
        if isinstance(operation, (GatherOp, HelperOp)) or (
            isinstance(operation, TransposeOp) and not _is_factor(operation)
        ):
            what = f"{operation.name.removeprefix('tile.')} on vector cores beside products of matrices"
            raise TileNotBuilt(located(operation, source), what=what, hint="make it a kernel of its own")


def _is_factor(operation: TransposeOp) -> bool:
    return all(isinstance(use.operation, DotOp) for use in operation.result.uses)
