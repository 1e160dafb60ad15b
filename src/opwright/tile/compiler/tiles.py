"""The tiles of a kernel while calls are selected for it: their buffers, layouts and names.

In: values of the tile IR. Out: `LocalTile`s, new buffers, and refusals with the author's line.
"""

from __future__ import annotations

from opwright.ir import Operation, SSAValue, StringAttr
from opwright.ir import language as py
from opwright.ir.language import FuncOp
from opwright.ir.names import name_of
from opwright.ir.rewriting import is_within
from opwright.ir.tile import CastOp, LoopOp, MakesTile, ReduceOp, ViewOp, counts_of
from opwright.ir.tile_memory import GatherOp, LoadOp, StoreOp
from opwright.tile.compiler.buffers import Buffer, Buffers, LocalTile
from opwright.tile.compiler.copies import Copies
from opwright.tile.compiler.elementwise import Elementwise
from opwright.tile.compiler.layout import Layout, Layouts
from opwright.tile.compiler.reductions import Reductions
from opwright.tile.compiler.site import Site

_NOUNS = {"add": "sum", "sub": "difference", "mul": "product", "div": "quotient", "neg": "negative", "exp": "power"}


class Tiles:
    """The tiles of one kernel."""

    def __init__(self, kernel: FuncOp, site: Site) -> None:
        self.kernel = kernel
        self.site = site
        self.buffers = Buffers(kernel, site)
        self.layouts = Layouts(kernel, site)
        self.elementwise = Elementwise(self.buffers)
        self.reductions = Reductions(self.buffers)
        self.copies = Copies(self.buffers)
        self.order = {operation: number for number, operation in enumerate(kernel.walk())}
        self.cells: dict[SSAValue, Buffer] = {}
        self.roots: dict[SSAValue, SSAValue] = {}  # a tile -> what it is another name of

    def tile(self, value: SSAValue) -> LocalTile:
        """A tile with its buffer."""
        root = self.root(value)
        return LocalTile(self.buffers.of_tile[root], self.layouts.of(value), self._home(value, root))

    def _home(self, value: SSAValue, root: SSAValue) -> Operation | None:
        """An operation before which a tile is complete, as far up as possible."""
        load = root.owner
        assert isinstance(load, Operation)
        if not isinstance(load, py.LoadOp):
            return load.next_op
        # Its counts may be variables, too, which are read behind it.
        block, read = load.parent, [load, *(one.owner for one in counts_of(value) if isinstance(one.owner, py.LoadOp))]
        assert block is not None
        home = max((one for one in read if one.parent is block), key=block.get_operation_index).next_op
        # What a variable holds stays the same in a loop that does not set it.
        above = load.parent_op()
        while above is not None and not isinstance(above, FuncOp):
            setters = [use.operation for use in load.cell.uses if not isinstance(use.operation, py.LoadOp)]
            is_set = any(above.is_ancestor(setter) for setter in setters)
            is_counted_inside = any(is_within(count, above) for count in counts_of(value))
            if is_set or is_counted_inside or not isinstance(above, LoopOp):
                break
            home, above = above, above.parent_op()
        return home

    def root(self, value: SSAValue) -> SSAValue:
        """What a tile is another name of."""
        while value in self.roots:
            value = self.roots[value]
        return value

    def result(self, operation: MakesTile) -> LocalTile:
        """A new buffer for what an operation makes."""
        value, layout = operation.result, self.layouts.of(operation.result)
        return LocalTile(self._buffer(value, layout), layout)

    def _buffer(self, value: SSAValue, layout: Layout) -> Buffer:
        name = self.name(value)
        assert isinstance(value.owner, Operation)
        made = self.buffers.new(layout.dtype, layout.elements, name or self._noun(value.owner), bool(name))
        self.buffers.of_tile[value] = made
        return made

    def name(self, value: SSAValue) -> str:
        """The author's name for a tile: its own, or that of the tensor it comes from or goes to."""
        if name := name_of(value):
            return name
        for use in value.uses:
            other = use.operation
            if isinstance(other, StoreOp):
                return f"{name_of(other.address)}_tile"
            if isinstance(other, (CastOp, ViewOp)) and (name := name_of(other.result)):
                return f"{name}_{self.layouts.of(value).dtype}" if isinstance(other, CastOp) else name
        if isinstance(value.owner, (LoadOp, GatherOp)):
            return f"{name_of(value.owner.address)}_tile"
        return ""

    def _noun(self, operation: Operation) -> str:
        """What a tile is that the author did not name."""
        word = operation.attributes.get("operator")
        noun = word.data if isinstance(word, StringAttr) else operation.name.removeprefix("tile.")
        noun = _NOUNS.get(noun, noun)
        if isinstance(operation, (CastOp, ReduceOp)):
            return f"{self.tile(operation.x).buffer.name}_{operation.dtype if isinstance(operation, CastOp) else noun}"
        return noun

    def temporary(self, like: Layout, dtype: str, name: str) -> LocalTile:
        """A buffer for a step on the way."""
        layout = Layout(like.sizes, dtype, like.rows, like.cols, like.pitch, like.is_padded, like.granule)
        return LocalTile(self.buffers.new(dtype, layout.elements, name), layout)

    def alias(self, operation: MakesTile, of: SSAValue) -> None:
        """Another name of a tile. As the row of a grid more of it is read than is there."""
        self.roots[operation.result] = of
        layout = self.layouts.of(operation.result)
        if layout.is_padded and isinstance(of.owner, MakesTile) and not self.layouts.of(of).is_padded:
            buffer = self.buffers.of_tile[self.root(of)]
            buffer.elements = max(buffer.elements, layout.elements)
            self.buffers.fill(buffer)
