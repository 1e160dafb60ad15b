"""The schedule tree of a kernel whose buffers have addresses.

In: the IR with its calls, and where each buffer lies. Out: nodes of `schedule.py`; the payload of a node is its `Part`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from opwright.ir import Block, Operation
from opwright.ir.calls import CallOp
from opwright.ir.language import BinaryOp, ForOp, IfOp, WhileOp, constant_of
from opwright.ir.rewriting import blocks_of
from opwright.ir.tile import PARALLEL, LoopOp
from opwright.tile.compiler.buffers import Buffers, Elements, base_of, touched
from opwright.tile.compiler.place import Home, Placement, loops_around
from opwright.tile.compiler.schedule import Access, Branch, Loop, Node, Region, Ring, Slots, Step


@dataclass(frozen=True)
class Part:
    """The operations of a node, from one to another."""

    first: Operation
    last: Operation


class Tree:
    """Builds the tree of one kernel."""

    def __init__(self, buffers: Buffers, placement: Placement) -> None:
        self.buffers = buffers
        self.homes = {buffer: home for home in placement.homes for buffer in home.buffers}
        self.loops: dict[LoopOp, Loop] = {}
        self.regions: dict[Elements, Region] = {}

    def nodes(self, block: Block) -> list[Node]:
        """The nodes of a block."""
        found: list[Node] = []
        last_of = {first: last for last, first in self.buffers.together.items()}
        last: Operation | None = None
        for operation in block.ops:
            if last is not None:
                last = None if operation is last else last
            elif operation in last_of:
                last = last_of[operation]
                found.append(self._step(operation, last))
                last = None if operation is last else last
            elif isinstance(operation, CallOp) and any(touched(operation)):
                found.append(self._step(operation, operation))
            elif isinstance(operation, (ForOp, LoopOp, WhileOp)):
                loop = Loop([], self._advances(operation), _is_parallel(operation), Part(operation, operation))
                if isinstance(operation, LoopOp):
                    self.loops[operation] = loop
                loop.body = [node for inner in blocks_of(operation) for node in self.nodes(inner)]
                if loop.body:
                    found.append(loop)
            elif isinstance(operation, IfOp):
                arms = [self.nodes(inner) for inner in blocks_of(operation)]
                if any(arms):
                    found.append(Branch(arms, Part(operation, operation)))
        return found

    def _advances(self, operation: Operation) -> tuple[Slots, ...]:
        """The counters that move on with a loop."""
        counters = [home.slots for home in self.homes.values() if operation in home.loops]
        return tuple(dict.fromkeys(one for one in counters if one is not None))

    def _step(self, first: Operation, last: Operation) -> Step:
        """A call; or operations whose calls touch different elements, so that their order does not matter."""
        reads: list[Access] = []
        writes: list[Access] = []
        pipe = ""
        for call in (one for operation in _from(first, last) for one in operation.walk()):
            for tensor, is_written in touched(call):
                base = base_of(tensor)
                buffer = self.buffers.by_tensor.get(base)
                if buffer is None:
                    access = Access("GM", tensor=base, region=self._region(call))
                else:
                    access = self._access(self.homes[buffer], buffer.bytes, first)
                (writes if is_written else reads).append(access)
                assert isinstance(call, CallOp)
                pipe = call.chosen.pipe.removeprefix("PIPE_")
        return Step(pipe, tuple(dict.fromkeys(reads)), tuple(dict.fromkeys(writes)), Part(first, last))

    def _region(self, call: Operation) -> Region | None:
        """The elements of a copy, if they move with loops: those of two iterations are not the same then."""
        elements = self.buffers.elements.get(call)
        if elements is None:
            return None
        if elements not in self.regions:
            moving = [self.loops[loop] for loop in loops_around(call) if _moves(elements, loop)]
            self.regions[elements] = Region(tuple(moving))
        return self.regions[elements]

    def _access(self, home: Home, size: int, operation: Operation) -> Access:
        """The bytes of a buffer; what stands outside its loops touches all slots."""
        if home.slots is None:
            return Access("UB", home.address, home.address + size)
        if not any(loop.is_ancestor(operation) for loop in home.loops):
            return Access("UB", home.address, home.address + home.bytes)
        return Access("UB", home.address, home.address + size, Ring(home.slots, home.pitch))


def _from(first: Operation, last: Operation) -> Iterator[Operation]:
    """The operations from one to another."""
    current: Operation | None = first
    while current is not None:
        yield current
        current = current.next_op if current is not last else None


def _moves(elements: Elements, loop: LoopOp) -> bool:
    """Whether the offset has a term, position times the stride of an axis, whose size is at most the step."""
    step = constant_of(loop.step)
    strides = [stride for stride, size in elements.axes if isinstance(step, int) and size <= step]
    terms = [elements.offset]
    while terms:
        term = terms.pop()
        if term is loop.position:
            return 1 in [stride for stride in strides if isinstance(stride, int)]
        owner = term.owner
        if isinstance(owner, BinaryOp) and owner.operator.data == "add":
            terms += [owner.left, owner.right]
        elif isinstance(owner, BinaryOp) and owner.operator.data == "mul" and owner.left is loop.position:
            return any(owner.right is stride for stride in strides)
    return False


def _is_parallel(operation: Operation) -> bool:
    return isinstance(operation, LoopOp) and operation.kind.data == PARALLEL
