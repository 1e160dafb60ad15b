"""The schedule tree of a kernel whose buffers have addresses.

In: the IR with its calls, and where each buffer lies. Out: nodes of `schedule.py`, each with its `Stretch` as payload.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from opwright.ir import Block, Operation, SSAValue
from opwright.ir.calls import CallOp
from opwright.ir.language import BinaryOp, ForOp, IfOp, WhileOp, constant_of
from opwright.ir.rewriting import blocks_of, is_within
from opwright.ir.tile import ONCE, PARALLEL, LoopOp
from opwright.ir.traits import is_speculatable, may_read
from opwright.tile.compiler.buffers import Buffers, Elements, base_of, touched
from opwright.tile.compiler.operations import SCALAR
from opwright.tile.compiler.placement import Home, Placement, loops_around
from opwright.tile.compiler.schedule import Access, Branch, Loop, Node, Region, Ring, Slots, Step
from opwright.tile.compiler.site import Number


@dataclass(frozen=True)
class Stretch:
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
        self.crossings: dict[SSAValue, list[Step]] = {}  # by the address of a workspace

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
                found += self._steps(operation, last)
                last = None if operation is last else last
            elif isinstance(operation, CallOp) and any(touched(operation)):
                found += self._steps(operation, operation)
            elif isinstance(operation, (ForOp, LoopOp, WhileOp)):
                part, once = Stretch(operation, operation), ONCE in operation.attributes
                loop = Loop([], self._advances(operation), _is_parallel(operation), part, once)
                if isinstance(operation, LoopOp):
                    self.loops[operation] = loop
                loop.body = [node for inner in blocks_of(operation) for node in self.nodes(inner)]
                if loop.body:
                    found.append(loop)
            elif isinstance(operation, IfOp) and operation not in self.buffers.ordered:
                arms = [self.nodes(inner) for inner in blocks_of(operation)]
                if any(arms):
                    found.append(Branch(arms, Stretch(operation, operation)))
        return found

    def between_cores(self, answers: Sequence[tuple[SSAValue, SSAValue]]) -> list[tuple[Step, Step]]:
        """The stores and loads of workspaces, of which the first is over when the second begins."""
        found = [(self.crossings.get(sent, []), self.crossings.get(got, [])) for sent, got in answers]
        return [(stores[0], loads[0]) for stores, loads in found if len(stores) == len(loads) == 1]

    def _advances(self, operation: Operation) -> tuple[Slots, ...]:
        """The counters that move on with a loop."""
        counters = [home.slots for home in self.homes.values() if operation in home.loops]
        return tuple(dict.fromkeys(one for one in counters if one is not None))

    def _steps(self, first: Operation, last: Operation) -> list[Step]:
        """A call; or operations whose calls touch different elements, so that their order does not matter.

        What the scalar unit reads among them is a step before the others: it issues them.
        """
        pipes: dict[str, tuple[dict[Access, None], dict[Access, None]]] = {}
        crossing: dict[str, SSAValue] = {}
        for call in (one for operation in _from(first, last) for one in operation.walk()):
            for tensor, is_written in touched(call):
                base = base_of(tensor)
                buffer = self.buffers.by_tensor.get(base)
                if base in self.buffers.messaged:
                    assert isinstance(call, CallOp)
                    crossing[call.chosen.pipe.removeprefix("PIPE_")] = self.buffers.messaged[base]
                    continue
                if buffer is None:
                    atomic = self.buffers.atomics.get(call, "")
                    access = Access("GM", tensor=base, region=self._region(call), atomic=atomic)
                else:
                    access = self._access(self.homes[buffer], buffer.bytes, first)
                assert isinstance(call, CallOp)
                pipes.setdefault(call.chosen.pipe.removeprefix("PIPE_"), ({}, {}))[is_written][access] = None
        in_order = sorted(pipes.items(), key=lambda one: one[0] != SCALAR)
        steps = [Step(pipe, tuple(reads), tuple(writes), Stretch(first, last)) for pipe, (reads, writes) in in_order]
        for step in steps:
            if step.pipe in crossing:
                self.crossings.setdefault(crossing[step.pipe], []).append(step)
        return steps

    def _region(self, call: Operation) -> Region | None:
        """The elements of a copy, if they move with loops: those of two iterations are not the same then."""
        elements = self.buffers.elements.get(call)
        if elements is None:
            return None
        if elements not in self.regions:
            moving = [self.loops[loop] for loop in _moving(elements, list(loops_around(call)))]
            self.regions[elements] = Region(tuple(moving))
        return self.regions[elements]

    def _access(self, home: Home, size: int, operation: Operation) -> Access:
        """The bytes of a buffer; what stands outside its loops touches all slots."""
        if home.slots is None:
            return Access(home.memory, home.address, home.address + size)
        if not any(loop.is_ancestor(operation) for loop in home.loops):
            return Access(home.memory, home.address, home.address + home.bytes)
        return Access(home.memory, home.address, home.address + size, Ring(home.slots, home.pitch))


def _from(first: Operation, last: Operation) -> Iterator[Operation]:
    """The operations from one to another."""
    current: Operation | None = first
    while current is not None:
        yield current
        current = current.next_op if current is not last else None


def _moving(elements: Elements, loops: Sequence[LoopOp]) -> list[LoopOp]:
    """The loops in each iteration of which other elements are touched.

    The offset of the first element is a sum. A loop counts if one term of it is its position times the stride of an
    axis whose size is at most its step, no other loop moves along that axis, and no other term changes within the loop.
    """
    found: dict[LoopOp, Number] = {}
    others: list[SSAValue] = []
    terms = [elements.offset]
    while terms:
        term = terms.pop()
        owner = term.owner
        if isinstance(owner, BinaryOp) and owner.operator.data == "add":
            terms += [owner.left, owner.right]
            continue
        match = next(((loop, stride) for loop in loops if (stride := _stride(term, loop, elements)) is not None), None)
        if match is None:
            others.append(term)
        elif match[0] in found or any(match[1] is stride for stride in found.values()):
            return []
        else:
            found[match[0]] = match[1]
    return [loop for loop in found if not any(_changes(term, loop) for term in others)]


def _changes(value: SSAValue, loop: LoopOp) -> bool:
    """Whether a number may be another one in each iteration of a loop."""
    if not is_within(value, loop):
        return False
    owner = value.owner
    if not isinstance(owner, Operation) or not is_speculatable(owner) or may_read(owner):
        return True
    return any(_changes(operand, loop) for operand in owner.operands)


def _stride(term: SSAValue, loop: LoopOp, elements: Elements) -> Number | None:
    """The stride of an axis, if a term is the position of a loop times it."""
    step = constant_of(loop.step)
    strides = [stride for stride, size in elements.axes if isinstance(step, int) and size <= step]
    owner = term.owner
    if term is loop.position:
        return next((stride for stride in strides if isinstance(stride, int) and stride == 1), None)
    if isinstance(owner, BinaryOp) and owner.operator.data == "mul" and owner.left is loop.position:
        return next((stride for stride in strides if owner.right is stride), None)
    return None


def _is_parallel(operation: Operation) -> bool:
    return isinstance(operation, LoopOp) and operation.kind.data == PARALLEL
