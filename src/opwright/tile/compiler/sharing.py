"""Vector work of a mixed kernel, shared by the two vector cores of a group: each takes half of the rows.

In: the tile IR of what vector cores do. Out: the same kernel for one of them, changed in place: tiles have half as many
rows, and counts, offsets and positions are those of its half, which `asc.get_sub_block_idx` says. A tile that has one
row stays whole, both cores have it. Of a transposed tile the columns are halved. Refuses with `NotSplit` what needs
all rows, such as a sum over them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from opwright.errors import NotSplit
from opwright.ir import Block, Operation, SSAValue
from opwright.ir import language as py
from opwright.ir.language import At, FuncOp, constant_of
from opwright.ir.names import set_name
from opwright.ir.tile import ArangeOp, MakesTile, ReduceOp, TransposeOp, ViewOp, holds_tile, is_of_tiles, type_of
from opwright.ir.tile_memory import LoadOp, PutsTile
from opwright.ir.types import INT, CellType, TileType, refine, tile_type
from opwright.kernel.source import Source
from opwright.tile.compiler.cursor import located
from opwright.tile.compiler.site import Site

_WHOLE = -1  # in the place of an axis: both cores have all of it


def halve(kernel: FuncOp, crossing: Sequence[SSAValue], site: Site) -> None:
    """Makes it a kernel for half of the rows. `crossing`: addresses of workspaces, whose tiles are halved by rows."""
    axes = _Axes(kernel, crossing, site.source).found()
    _Halves(kernel, axes, site).write()


class _Axes:
    """Which axis of each tile is halved."""

    def __init__(self, kernel: FuncOp, crossing: Sequence[SSAValue], source: Source) -> None:
        self.source, self.crossing = source, crossing
        self.operations = [operation for operation in kernel.walk() if is_of_tiles(operation)]
        self.axes: dict[SSAValue, int] = {}
        self.changed = False

    def found(self) -> dict[SSAValue, int]:
        """The axis of each tile and of each variable that holds one."""
        for operation in self.operations:
            if isinstance(operation, (LoadOp, PutsTile)) and operation.address in self.crossing:
                self._note(_tile_of(operation), 0, operation)
        self._settle()
        for operation in self.operations:  # what is stored is stored once
            if isinstance(operation, PutsTile) and operation.tile not in self.axes:
                sizes = type_of(operation.tile).sizes
                axis = next((axis for axis, size in enumerate(sizes) if size > 1), _WHOLE)
                self._note(operation.tile, axis, operation)
                self._settle()
        for operation in self.operations:
            if isinstance(operation, PutsTile) and self.axes.get(operation.tile, _WHOLE) == _WHOLE:
                self._refuse(operation, "a store of what both of them have", "store a tile of several rows")
        return self.axes

    def _settle(self) -> None:
        self.changed = True
        while self.changed:
            self.changed = False
            for operation in self.operations:
                self._carry(operation)

    def _carry(self, operation: Operation) -> None:
        """What is known of one tile of an operation says it of the others."""
        if isinstance(operation, (LoadOp, PutsTile)):
            return
        tiles = [one for one in (*operation.operands, *operation.results) if holds_tile(one)]
        if isinstance(operation, (ViewOp, TransposeOp)):
            source, result = operation.x, operation.result
            self._along(source, result, _moved_axes(operation), operation)
            self._along(result, source, {new: old for old, new in _moved_axes(operation).items()}, operation)
            return
        axis = next((self.axes[one] for one in tiles if self.axes.get(one, _WHOLE) != _WHOLE), _WHOLE)
        if axis == _WHOLE:
            return
        if isinstance(operation, ReduceOp) and operation.axis.data == axis:
            word = operation.operator.data
            hint = "reduce over columns; or store the tile, and reduce in a kernel of its own"
            self._refuse(operation, f"{word} over rows", hint)
        for one in tiles:
            self._note(one, axis if type_of(one).sizes[axis] > 1 else _WHOLE, operation)

    def _along(self, source: SSAValue, to: SSAValue, moved: dict[int, int], operation: Operation) -> None:
        axis = self.axes.get(source)
        if axis is not None and axis != _WHOLE:
            self._note(to, moved[axis], operation)

    def _note(self, value: SSAValue, axis: int, operation: Operation) -> None:
        known = self.axes.get(value)
        if known is None:
            self.axes[value], self.changed = axis, True
        elif known != axis:
            hint = "use two tiles, one for each, and load each by itself"
            self._refuse(operation, "a tile that is used both as rows and as columns of others", hint)

    def _refuse(self, operation: Operation, what: str, hint: str) -> NoReturn:
        raise NotSplit(located(operation, self.source), what=what, hint=hint)


def _moved_axes(operation: ViewOp | TransposeOp) -> dict[int, int]:
    """Where each axis of the operand is in the result."""
    if isinstance(operation, TransposeOp):
        return {0: 1, 1: 0}
    old = [axis for axis, size in enumerate(type_of(operation.x).sizes) if size > 1]
    new = [axis for axis, size in enumerate(type_of(operation.result).sizes) if size > 1]
    return dict(zip(old, new, strict=True))


class _Halves:
    """Writes the kernel of one half."""

    def __init__(self, kernel: FuncOp, axes: dict[SSAValue, int], site: Site) -> None:
        self.kernel, self.site = kernel, site
        self.axes = {value: axis for value, axis in axes.items() if axis != _WHOLE}
        self.sizes = {value: type_of(value).sizes[axis] for value, axis in self.axes.items()}
        self.counts: dict[tuple[SSAValue, int], SSAValue] = {}
        self.firsts: dict[int, SSAValue] = {}
        first = kernel.body.block.first_op
        assert first is not None
        site.move_before(first)
        site.mark = ""
        self.core = site.value("get_sub_block_idx")
        if self.core.type != INT:
            self.core = site.add(py.CastOp(self.core, INT)).results[0]
        set_name(self.core, "part")
        self.start = first

    def write(self) -> None:
        """Changes all operations."""
        for operation in list(self.kernel.walk()):
            if isinstance(operation, (MakesTile, PutsTile)):
                self._halve(operation)
        for value, axis in self.axes.items():
            refine(value, _halved(value.type, axis))

    def _halve(self, operation: MakesTile | PutsTile) -> None:
        tile = _tile_of(operation)
        axis = self.axes.get(tile)
        if axis is None:
            return
        half = -(-self.sizes[tile] // 2)
        position = len(operation.operands) - len(operation.counts) + axis
        operation.operands[position] = self._count(operation.counts[axis], self.sizes[tile])
        if isinstance(operation, (LoadOp, PutsTile)):
            operand = 1 if isinstance(operation, LoadOp) else 2
            stride = operation.strides[axis]
            moved = self._before(operation, py.BinaryOp("mul", self._first(half), stride))
            operation.operands[operand] = self._before(operation, py.BinaryOp("add", operation.offset, moved))
        elif isinstance(operation, ArangeOp):
            operation.operands[0] = self._before(operation, py.BinaryOp("add", operation.start, self._first(half)))

    def _before(self, operation: Operation, new: Operation) -> SSAValue:
        self.site.move_before(operation)
        return self.site.add(new).results[0]

    def _first(self, half: int) -> SSAValue:
        """The first row of a core."""
        if half not in self.firsts:
            self.site.move_before(self.start)
            self.site.mark = ""
            size = self.site.constant(half)
            self.firsts[half] = self.site.add(py.BinaryOp("mul", self.core, size)).results[0]
            set_name(self.firsts[half], "first_row")
        return self.firsts[half]

    def _count(self, count: SSAValue, size: int) -> SSAValue:
        """How many rows of a core are there."""
        half = -(-size // 2)
        if (count, size) not in self.counts:
            first = self._first(half)
            owner = count.owner
            if isinstance(owner, Block):
                self.site.block, self.site.before = owner, self._behind_start(owner)
                self.site.mark = ""
            elif constant_of(count) is not None:
                self.site.move_before(self.start)
                count_here = self.site.constant(constant_of(count) or 0)
                self.counts[count, size] = self._clamped(count, count_here, first, size)
                return self.counts[count, size]
            else:
                self.site.move_behind(owner)
                self.site.mark = At.of(owner)
            self.counts[count, size] = self._clamped(count, count, first, size)
        return self.counts[count, size]

    def _clamped(self, original: SSAValue, count: SSAValue, first: SSAValue, size: int) -> SSAValue:
        half = -(-size // 2)
        if constant_of(original) == size and size % 2 == 0:
            return self.site.constant(half)
        rest = self.site.add(py.BinaryOp("sub", count, first)).results[0]
        some = self.site.add(py.BinaryOp("max", rest, self.site.constant(0))).results[0]
        made = self.site.add(py.BinaryOp("min", some, self.site.constant(half))).results[0]
        set_name(made, "rows")
        return made

    def _behind_start(self, block: Block) -> Operation | None:
        return self.start if block is self.start.parent else block.first_op


def _halved(kind: object, axis: int) -> CellType | TileType:
    if isinstance(kind, CellType):
        return CellType(_halved(kind.content, axis))
    assert isinstance(kind, TileType)
    sizes = list(kind.sizes)
    sizes[axis] = -(-sizes[axis] // 2)
    return tile_type(sizes, kind.dtype.data)


def _tile_of(operation: MakesTile | PutsTile) -> SSAValue:
    return operation.tile if isinstance(operation, PutsTile) else operation.result
