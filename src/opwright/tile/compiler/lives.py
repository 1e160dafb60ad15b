"""Which buffers are in use at the same time.

In: a kernel of calls on buffers. Out: `Lives`: for each buffer the others that must not share its bytes, and for each
operation the buffers in use there. A loop may run any number of times, also never; a branch goes either way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from opwright.ir import Block, Operation
from opwright.ir.calls import CallOp
from opwright.ir.language import ForOp, IfOp, WhileOp
from opwright.ir.rewriting import blocks_of
from opwright.ir.tile import LoopOp
from opwright.tile.compiler.buffers import Buffer, Buffers, base_of, touched

_LOOPS = (ForOp, LoopOp, WhileOp)


@dataclass
class Lives:
    """Sets of buffers are the bits of an integer; `number` says which."""

    number: dict[Buffer, int]
    clash: dict[Buffer, int] = field(default_factory=dict)
    over: dict[Buffer, int] = field(default_factory=dict)  # what may be written over, if it is the same bytes
    at: dict[Operation, int] = field(default_factory=dict)

    def buffers(self, bits: int) -> list[Buffer]:
        """The buffers of a set."""
        return [buffer for buffer, number in self.number.items() if bits >> number & 1]


def lives_of(buffers: Buffers) -> Lives:
    """Finds out for a kernel."""
    found = Lives({buffer: number for number, buffer in enumerate(buffers.by_tensor.values())})
    found.clash = dict.fromkeys(found.number, 0)
    found.over = dict.fromkeys(found.number, 0)
    _Walk(buffers, found).block(buffers.kernel.body.block, 0)
    return found


class _Call(NamedTuple):
    """What a call does with buffers."""

    is_any: bool
    read: int
    written: set[Buffer]
    written_bits: int
    over: int
    begun: int


class _Walk:
    """Goes backwards through the blocks of a kernel."""

    def __init__(self, buffers: Buffers, found: Lives) -> None:
        self.buffers = buffers
        self.found = found
        self.uses: dict[Operation, _Call] = {}  # a nested loop is walked several times

    def bits(self, some: Iterable[Buffer]) -> int:
        """A set of buffers."""
        return sum(1 << self.found.number[one] for one in set(some))

    def block(self, block: Block, live: int) -> int:
        """What is in use before a block, from what is in use behind it."""
        waiting: list[Operation] = []  # the operations of one call, the last one first
        first: Operation | None = None
        for operation in reversed(list(block.ops)):
            if operation in self.buffers.together:
                first = self.buffers.together[operation]
            if first is not None:
                waiting.append(operation)
                if operation is first:
                    live, waiting, first = self.call(waiting[::-1], live), [], None
            elif isinstance(operation, CallOp):
                live = self.call([operation], live)
            elif isinstance(operation, _LOOPS):
                live = self.loop(operation, live)
            elif isinstance(operation, IfOp):
                sides = [self.block(one, live) for one in blocks_of(operation)]
                live = (sides[0] | sides[1]) & ~self.bits(self.buffers.begins.get(operation, ()))
        return live

    def loop(self, operation: Operation, live: int) -> int:
        """What any number of iterations need."""
        around = live
        for _ in range(2):  # what the next iteration needs is found the first time
            for block in reversed(list(blocks_of(operation))):
                around = live | self.block(block, around)
        return (live | around) & ~self.bits(self.buffers.begins.get(operation, ()))

    def call(self, operations: list[Operation], live: int) -> int:
        """A call, or operations that count as one."""
        uses = self.uses.get(operations[0])
        if uses is None:
            uses = self.uses[operations[0]] = self._uses(operations)
        if not uses.is_any:
            return live
        for buffer in uses.written:
            own = self.bits([buffer])
            self._clash(buffer, (live | uses.read & ~uses.over | uses.written_bits) & ~own)
            self.found.over[buffer] |= uses.read & uses.over & ~live & ~own
        for operation in operations:
            self.found.at[operation] = self.found.at.get(operation, 0) | live | uses.read | uses.written_bits
        return live & ~uses.begun | uses.read

    def _uses(self, operations: list[Operation]) -> _Call:
        accesses = [access for operation in operations for access in accesses_of(operation, self.buffers)]
        written = {buffer for buffer, writes in accesses if writes}
        return _Call(
            bool(accesses),
            self.bits(buffer for buffer, writes in accesses if not writes),
            written,
            self.bits(written),
            self.bits(self._over(operations)),
            self.bits(one for operation in operations for one in self.buffers.begins.get(operation, ())),
        )

    def _over(self, operations: list[Operation]) -> set[Buffer]:
        inner = [one for operation in operations for one in operation.walk() if one in self.buffers.over]
        return set.intersection(*(self.buffers.over[one] for one in inner)) if inner else set()

    def _clash(self, buffer: Buffer, others: int) -> None:
        self.found.clash[buffer] |= others
        for other in self.found.buffers(others):
            self.found.clash[other] |= 1 << self.found.number[buffer]


def accesses_of(operation: Operation, buffers: Buffers) -> Iterator[tuple[Buffer, bool]]:
    """The buffers that an operation touches, itself or within, each with whether it is written."""
    for inner in operation.walk():
        for tensor, writes in touched(inner):
            buffer = buffers.by_tensor.get(base_of(tensor))
            if buffer is not None:
                yield buffer, writes
