"""One kernel as two: what cube cores do of it, and what vector cores do.

In: the tile IR of a kernel, which operations are for cube cores, and a channel for each value that crosses. Out: two
kernels with the same parameters and a workspace for each channel behind them. Numbers and control flow stand in both,
as far as they need them. A value that crosses is stored to its workspace by one and loaded from it by the other, with
messages around it; apart from these, each is an ordinary kernel.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from opwright.ir import ArrayAttr, Block, Operation, SSAValue, StringAttr
from opwright.ir.language import BinaryOp, ConstantOp, FuncOp, LoadOp, StoreOp, VariableOp
from opwright.ir.names import set_name
from opwright.ir.rewriting import erase
from opwright.ir.tile import is_of_tiles
from opwright.ir.tile_cores import SET, WAIT, MessageOp
from opwright.ir.tile_memory import LoadOp as TileLoadOp
from opwright.ir.tile_memory import StoreOp as TileStoreOp
from opwright.ir.traits import is_loop
from opwright.ir.types import INT, address, quoted
from opwright.tile.compiler.dead import drop_dead
from opwright.tile.compiler.traces import Channel


def split(kernel: FuncOp, cube: Collection[Operation], channels: Sequence[Channel]) -> tuple[FuncOp, FuncOp]:
    """The kernels of cube cores and of vector cores."""
    return _Side(kernel, cube, channels, True).made(), _Side(kernel, cube, channels, False).made()


class _Side:
    """What one kind of core does."""

    def __init__(self, kernel: FuncOp, cube: Collection[Operation], channels: Sequence[Channel], is_cube: bool) -> None:
        self.is_cube, self.cube, self.channels = is_cube, cube, channels
        self.values: dict[SSAValue, SSAValue] = {}
        self.kernel = kernel.clone(self.values)
        self.own = dict(zip(kernel.walk(), self.kernel.walk(), strict=True))
        self.slots: dict[Block, SSAValue] = {}
        self.constants: dict[int, SSAValue] = {}
        self.before: Operation | None = None  # new operations stand before this one, in `block`
        self.block = self.kernel.body.block
        self.mark = StringAttr("")

    def made(self) -> FuncOp:
        """The kernel."""
        names = [*self.kernel.parameters.data, *(quoted(one.crossing.name) for one in self.channels)]
        self.kernel.parameters = ArrayAttr(names)
        for channel in self.channels:
            crossing = channel.crossing
            workspace = self.kernel.body.block.insert_arg(address(crossing.dtype), len(self.kernel.body.block.args))
            if crossing.from_cube == self.is_cube:
                self._send(channel, workspace)
            else:
                self._receive(channel, workspace)
        for block, cell in self.slots.items():
            self.block, self.before = block, None
            slot = self._add(LoadOp(cell)).results[0]
            self._add(StoreOp(cell, self._add(BinaryOp("sub", self._constant(1), slot)).results[0]))
        for old, new in reversed(self.own.items()):
            if is_of_tiles(old) and (old in self.cube) != self.is_cube:
                assert new.parent is not None
                new.parent.erase_op(new)
        self._drop_tests()
        if not self.is_cube:
            self._drop_prints()
        drop_dead(self.kernel)
        return self.kernel

    def _drop_tests(self) -> None:
        """Tests of positions, in loops in which the other cores work and these do not: the others do them."""
        around: set[Operation] = {self.kernel}
        for operation in self.kernel.walk():
            above = operation.parent_op() if is_of_tiles(operation) or isinstance(operation, MessageOp) else None
            while above is not None and above not in around:
                around.add(above)
                above = above.parent_op()
        for operation in list(self.kernel.walk()):
            if operation.name != "asc.trap":
                continue
            loop = operation.parent_op()
            while loop is not None and not is_loop(loop):
                loop = loop.parent_op()
            if loop is not None and loop not in around:
                assert operation.parent is not None
                operation.parent.erase_op(operation)

    def _drop_prints(self) -> None:
        """Two vector cores do an iteration together; the cube core prints, once."""
        for operation in list(self.kernel.walk()):
            if operation.name == "asc.printf":
                erase(operation)

    def _send(self, channel: Channel, workspace: SSAValue) -> None:
        """The value into its slot, right behind what makes it."""
        maker = self.own[channel.crossing.maker]
        assert maker.parent is not None
        self.block, self.before, self.mark = maker.parent, maker.next_op, maker.attributes["at"]  # type: ignore[assignment]
        pipe = "FIX" if self.is_cube else "MTE3"
        slot = self._slot(channel)
        self._message(WAIT, channel.free, pipe, workspace, slot)
        strides = [self._constant(channel.crossing.sizes[1]), self._constant(1)]
        counts = [self.values[count] for count in channel.crossing.maker.counts]
        self._add(TileStoreOp(maker.results[0], workspace, self._offset(channel, slot), strides, counts))
        self._message(SET, channel.there, pipe, workspace, slot)
        if channel.free is not None:
            self._drain(channel, workspace, pipe)

    def _receive(self, channel: Channel, workspace: SSAValue) -> None:
        """The value out of its slot, before what takes it first."""
        crossing = channel.crossing
        maker, receiver = self.own[crossing.maker], self.own[crossing.receiver(self.cube)]
        assert receiver.parent is not None
        self.block, self.before, self.mark = receiver.parent, receiver, receiver.attributes["at"]  # type: ignore[assignment]
        slot = self._slot(channel)
        self._message(WAIT, channel.there, "MTE2", workspace, slot)
        strides = [self._constant(crossing.sizes[1]), self._constant(1)]
        counts = [self.values[count] for count in crossing.maker.counts]
        kind = crossing.maker.result.type
        loaded = self._add(TileLoadOp(workspace, self._offset(channel, slot), strides, kind, counts)).results[0]
        set_name(loaded, crossing.name.removesuffix("_workspace"))
        maker.results[0].replace_all_uses_with(loaded)
        self._message(SET, channel.free, "MTE2", workspace, slot)
        if channel.free is not None:
            self._prime(channel, workspace)

    def _prime(self, channel: Channel, workspace: SSAValue) -> None:
        """All slots are free at first."""
        assert channel.free is not None
        self.block, self.before = self.kernel.body.block, self.kernel.body.block.first_op
        for slot in range(channel.slots):
            self._add(MessageOp(SET, channel.free + slot, "MTE2", workspace, None))

    def _drain(self, channel: Channel, workspace: SSAValue, pipe: str) -> None:
        """A flag left set would disturb the next kernel."""
        assert channel.free is not None
        self.block, self.before = self.kernel.body.block, None
        for slot in range(channel.slots):
            self._add(MessageOp(WAIT, channel.free + slot, pipe, workspace, None))

    def _message(self, verb: str, flag: int | None, pipe: str, workspace: SSAValue, slot: SSAValue | None) -> None:
        if flag is not None:
            self._add(MessageOp(verb, flag, pipe, workspace, slot))

    def _slot(self, channel: Channel) -> SSAValue | None:
        """The slot of an iteration; values of one block count together."""
        if channel.slots == 1:
            return None
        block = self.block
        if block not in self.slots:
            kept = self.block, self.before
            self.block, self.before = self.kernel.body.block, self.kernel.body.block.first_op
            cell = self._add(VariableOp(self._add(ConstantOp(0, INT)).results[0], INT)).results[0]
            set_name(cell, "workspace_slot" if not self.slots else f"workspace_slot{len(self.slots) + 1}")
            self.slots[block] = cell
            self.block, self.before = kept
        return self._add(LoadOp(self.slots[block])).results[0]

    def _offset(self, channel: Channel, slot: SSAValue | None) -> SSAValue:
        if slot is None:
            return self._constant(0)
        return self._add(BinaryOp("mul", slot, self._constant(channel.crossing.elements))).results[0]

    def _constant(self, number: int) -> SSAValue:
        """An integer at the start of the kernel: equal ones are one value."""
        if number not in self.constants:
            kept = self.block, self.before
            self.block, self.before = self.kernel.body.block, self.kernel.body.block.first_op
            self.constants[number] = self._add(ConstantOp(number, INT)).results[0]
            self.block, self.before = kept
        return self.constants[number]

    def _add(self, operation: Operation) -> Operation:
        operation.attributes["at"] = self.mark
        if self.before is None:
            self.block.add_op(operation)
        else:
            self.block.insert_op_before(operation, self.before)
        return operation
