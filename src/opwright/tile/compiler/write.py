"""The last step to an asc kernel: addresses, slots, flags and loops become operations.

In: the IR with its calls, the placement, and what `sync` found. Out: IR of `py` and `asc` operations only, changed in
place, which `emit/python` prints.
"""

from __future__ import annotations

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.enums import HardEvent, PipeID, TPosition
from opwright.ir import Operation, SSAValue
from opwright.ir.calls import CallOp
from opwright.ir.language import At, BinaryOp, CompareOp, ConstantOp, ForOp, LoadOp, StoreOp, VariableOp, constant_of
from opwright.ir.names import ATTRIBUTE, name_of, set_name
from opwright.ir.rewriting import erase, move_before
from opwright.ir.tile import PARALLEL, LoopOp
from opwright.ir.types import INT
from opwright.tile.compiler.buffers import POSITIONS, Buffer, Buffers
from opwright.tile.compiler.elementwise import takes
from opwright.tile.compiler.placement import LOADED, STORED, Home, Placement
from opwright.tile.compiler.schedule import ALL_PIPES, Flag, Node, Slots, Synchronisation
from opwright.tile.compiler.tree import Stretch

_POSITIONS = {LOADED: TPosition.VECIN, STORED: TPosition.VECOUT, "": TPosition.VECCALC}


def fill(buffers: Buffers, placement: Placement) -> None:
    """Initialises, before anything else, buffers of which a call reads more than any value has.

    Other buffers may lie in the same bytes: what they hold later is as good as 0.
    """
    done: list[tuple[int, int]] = []
    for buffer in sorted(buffers.filled, key=lambda one: -placement.home(one).bytes):
        home = placement.home(buffer)
        first, last = home.address, home.address + home.bytes
        if not any(begin <= first and last <= end for begin, end in done):
            done.append((first, last))
            with buffers.behind(buffers.works):
                buffers.site.mark = ""
                tensor, element = buffer.tensor, DTYPES[buffer.dtype]
                if not takes("duplicate", element.name, buffers.site):  # of 8 bits
                    element = DTYPES["int16"]
                    tensor = buffers.site.value("LocalTensor.reinterpret_cast", tensor, element)
                buffers.site.call("duplicate", tensor, 0, home.bytes // element.bytes)


class Writer:
    """Writes one kernel."""

    def __init__(self, buffers: Buffers, placement: Placement) -> None:
        self.buffers = buffers
        self.placement = placement
        self.site = buffers.site
        self.counters: dict[Slots, SSAValue] = {}

    def write(self, synchronisation: Synchronisation) -> None:
        """Writes everything."""
        counters = [home.slots for home in self.placement.homes if home.slots is not None]
        for number, slots in enumerate(dict.fromkeys(counters)):
            self.counters[slots] = self._counter("slot" if not number else f"slot{number + 1}")
        for barrier in synchronisation.barriers:
            self._before(_stretch(barrier.before).first)
            pipe = PipeID.PIPE_ALL if barrier.pipe == ALL_PIPES else PipeID[f"PIPE_{barrier.pipe}"]
            self.site.call("pipe_barrier", pipe)
        self._flags(synchronisation.flags)
        for home in self.placement.homes:
            for buffer in home.buffers:
                self._place(buffer, home)
        for operation in list(self.buffers.kernel.walk()):
            if isinstance(operation, LoopOp):
                self._loop(operation)
        erase(self.buffers.start)
        erase(self.buffers.tensors)
        erase(self.buffers.works)

    def _before(self, operation: Operation) -> None:
        """Goes before an operation, and before what only computes its arguments."""
        first = operation
        while first.prev_op is not None and _is_argument(first.prev_op):
            first = first.prev_op
        self.site.move_before(first)
        self.site.mark = At.of(operation)

    def _counter(self, name: str) -> SSAValue:
        with self.buffers.at_start():
            cell = self.site.add(VariableOp(self.site.constant(0), INT)).results[0]
        set_name(cell, name)
        return cell

    def _flags(self, flags: tuple[Flag, ...]) -> None:
        """Sets and waits. Waits stand before the barriers of their place, so they are put in front of them."""
        for flag in flags:
            event = HardEvent[f"{flag.source}_{flag.destination}"]
            for pair in flag.pairs:
                with self.buffers.behind(_stretch(pair.behind).last):
                    self.site.call("set_flag", event, self._id(flag))
                self._before(_first_barrier(_stretch(pair.before).first))
                self.site.call("wait_flag", event, self._id(flag))
            if flag.primed:
                for number in flag.ids:
                    with self.buffers.before(self.buffers.works):
                        self.site.call("set_flag", event, number)
                    self.site.move_into(self.buffers.kernel.body.block)
                    self.site.mark = ""
                    self.site.call("wait_flag", event, number)

    def _id(self, flag: Flag) -> int | SSAValue:
        if flag.slots is None:
            return flag.first_id
        slot = self.site.add(LoadOp(self.counters[flag.slots])).results[0]
        if not flag.first_id:
            return slot
        return self.site.add(BinaryOp("add", self.site.constant(flag.first_id), slot)).results[0]

    def _place(self, buffer: Buffer, home: Home) -> None:
        """Gives a buffer its address, and its slots their names."""
        element = DTYPES[buffer.dtype]
        uses = [(use.operation, use.index) for use in buffer.tensor.uses]
        with self.buffers.at_start():
            length = home.bytes // element.bytes if home.slots else buffer.elements
            position = POSITIONS.get(home.memory, _POSITIONS[home.role])
            made = self.site.value("LocalTensor", element, position, home.address, length)
        owner = made.owner
        assert isinstance(owner, Operation) and isinstance(buffer.tensor.owner, Operation)
        move_before(buffer.tensor.owner, owner)
        set_name(made, f"{buffer.name}_slots" if home.slots else buffer.name)
        parts: dict[LoopOp, SSAValue] = {}
        for operation, index in uses:
            loop = next((one for one in home.loops if one.is_ancestor(operation)), None)
            if loop is None:
                operation.operands[index] = made
                continue
            if loop not in parts:
                parts[loop] = self._slot(made, buffer, home, loop)
            operation.operands[index] = parts[loop]
        erase(buffer.tensor.owner)

    def _slot(self, ring: SSAValue, buffer: Buffer, home: Home, loop: LoopOp) -> SSAValue:
        """The slot of a ring that an iteration uses."""
        assert home.slots is not None
        first = loop.body.block.first_op
        assert first is not None
        self.site.move_before(first)
        self.site.mark = ""
        slot = self.site.add(LoadOp(self.counters[home.slots])).results[0]
        step = self.site.constant(home.pitch // DTYPES[buffer.dtype].bytes)
        offset = self.site.add(BinaryOp("mul", slot, step)).results[0]
        part = self.site.value("LocalTensor.__getitem__", ring, offset)
        set_name(part, buffer.name)
        return part

    def _loop(self, operation: LoopOp) -> None:
        """A loop over spans as a counted one. Cores share the iterations of a parallel one."""
        slots = dict.fromkeys(home.slots for home in self.placement.homes if operation in home.loops)
        for one in slots:
            assert one is not None
            self._advance(operation, self.counters[one], one.count)
        self.site.move_before(operation)
        name = name_of(operation.position) or "position"
        body = operation.body.detach_block(operation.body.block)
        step = constant_of(operation.step)
        if operation.kind.data == PARALLEL:
            start, by = self.site.value("get_block_idx"), self.site.value("get_block_num")
            made = ForOp(start, operation.last, 1, name, body, by)
        elif isinstance(step, int):
            made = ForOp(operation.first, operation.last, step, name, body)
        else:
            made = ForOp(operation.first, operation.last, 1, name, body, operation.step)
        self.site.add(made)
        erase(operation)

    def _advance(self, operation: LoopOp, cell: SSAValue, count: int) -> None:
        """The next slot."""
        self.site.move_into(operation.body.block)
        self.site.mark = ""
        slot = self.site.add(LoadOp(cell)).results[0]
        if count == 2:
            following = self.site.add(BinaryOp("sub", self.site.constant(1), slot)).results[0]
        else:
            more = self.site.add(BinaryOp("add", slot, self.site.constant(1))).results[0]
            following = self.site.add(BinaryOp("mod", more, self.site.constant(count))).results[0]
        self.site.add(StoreOp(cell, following))


def _stretch(node: Node) -> Stretch:
    """The operations of a node."""
    assert isinstance(node.payload, Stretch)
    return node.payload


def _first_barrier(operation: Operation) -> Operation:
    """The first of the barriers before an operation, or the operation."""
    first, current = operation, operation.prev_op
    while current is not None and (current.name == "asc.pipe_barrier" or _is_argument(current)):
        first = current if current.name == "asc.pipe_barrier" else first
        current = current.prev_op
    return first


def _is_argument(operation: Operation) -> bool:
    """Whether an operation only computes what a call takes, on the line of the call."""
    if ATTRIBUTE in operation.attributes:
        return False
    if isinstance(operation, CallOp):
        return operation.row.effect == "value" or operation.row.short in ("__getitem__", "reinterpret_cast")
    return isinstance(operation, (BinaryOp, CompareOp, ConstantOp, LoadOp))
