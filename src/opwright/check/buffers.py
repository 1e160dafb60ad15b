"""Which memory a kernel takes, read from its IR.

In: a module. Out: a `Buffer` for every tensor made by address, every queue, TBuf and pool that gets its bytes, every
allocation, and what threads share, in program order. A pipe, a pool and an allocator hand memory out from its start on:
where each buffer lies is known as long as all before it have constant sizes and none stands in a loop or a branch.
"""

from __future__ import annotations

from contextlib import suppress

from opwright.ascendc.dtypes import ELEMENTS
from opwright.ascendc.enums import MEMORY_OF, TPosition
from opwright.ascendc.traits import (
    ALLOCATOR,
    BY_ADDRESS,
    PIPE,
    POOL,
    THREADS,
    Allocates,
    MakesAllocator,
    TakesBack,
)
from opwright.check.frames import Frame, Frames, TooManyCalls
from opwright.findings.budget import Buffer, in_whole_blocks
from opwright.findings.formulas import Formula, formula_of
from opwright.ir import Block, ModuleOp, Operation, SSAValue, StringAttr
from opwright.ir.aggregates import MemberOp
from opwright.ir.calls import CallOp, asked_kind
from opwright.ir.functions import HelperCallOp
from opwright.ir.language import At, IfOp
from opwright.ir.names import name_of
from opwright.ir.rewriting import blocks_of
from opwright.ir.types import LocalType, ObjectType, PointerType, unquoted


def buffers_of(module: ModuleOp) -> list[Buffer]:
    """All buffers of a kernel; a line of a helper counts for each call that leads there."""
    reading = _Reading(module)
    with suppress(TooManyCalls):  # the calls beyond are left out
        reading.read(reading.frames.kernel, reading.frames.kernel.block, straight=True)
    return list(dict.fromkeys(reading.found))


class _Reading:
    """What is known while the kernel is read in program order."""

    def __init__(self, module: ModuleOp) -> None:
        self.frames = Frames(module)
        self.found: list[Buffer] = []
        # Where the next buffer of a pipe or an allocator begins, by who hands out what; None: not known any more.
        self.ends: dict[tuple[str, str], int | None] = {}
        self.pools: dict[str, int | None] = {}  # where each pool begins
        self.passed: dict[SSAValue, SSAValue] = {}  # parameter of a helper -> what was passed last
        self.one_allocator = sum(map(_makes_allocator, module.walk())) == 1

    def read(self, frame: Frame, block: Block, straight: bool) -> None:
        """Reads a block; `straight`: it runs once."""
        for operation in block.ops:
            if isinstance(operation, HelperCallOp):
                inner = self.frames.enter(frame, operation)
                self.passed.update(zip(inner.block.args, map(self.origin, operation.arguments), strict=True))
                self.read(inner, inner.block, straight)
            elif isinstance(operation, CallOp):
                self.read_call(frame, operation, straight)
            # What a kind of core does runs once, though it stands in a branch: the other kind has other memories.
            is_of_kind = isinstance(operation, IfOp) and asked_kind(operation.condition)
            for inner_block in blocks_of(operation):
                self.read(frame, inner_block, straight=straight and bool(is_of_kind))

    def read_call(self, frame: Frame, call: CallOp, straight: bool) -> None:
        """A call that takes memory, or gives it back."""
        if takes := call.chosen.get(Allocates):
            self.allocate(frame, call, takes, straight)
        elif back := call.chosen.get(TakesBack):
            self.take_back(call, back, straight)

    def allocate(self, frame: Frame, call: CallOp, takes: Allocates, straight: bool) -> None:
        """Memory that a tensor, a queue, a buffer, a pool or the threads of a block get."""
        named = call.named()
        value = named[takes.operand] if takes.operand else call.results[0]
        if takes.elements:
            size = _bytes(value, _integer(frame, call, takes.elements))
        else:
            size = frame.integer(named.get(takes.size)) if takes.size else None
        number = frame.integer(named.get(takes.number)) if takes.number else 1
        if takes.source == BY_ADDRESS:
            begin = frame.integer(named.get(takes.begin))
            self.add(frame, call, value, takes.kind, begin, size or None, 1, self.formulas(call, takes, begin, size))
        elif takes.source == THREADS:
            element, end = _bytes(value, 1), self.ends.get((THREADS, "UB")) or 0
            assert element is not None
            shared = self.add(frame, call, value, takes.kind, -(-end // element) * element, size, 1)
            self.ends[THREADS, "UB"] = shared.end
        elif takes.source == ALLOCATOR:
            owner = ALLOCATOR if self.one_allocator else ""
            self.hand_out(frame, call, value, takes.kind, owner, size, 1, straight)
        else:
            if takes.shared:
                begin = self.pools.get(self.pool(named[takes.shared])) if straight else None
                made = self.add(frame, call, value, takes.kind, begin, size, 1)
            else:
                owner = PIPE if takes.source == PIPE else self.pool(named["self"])
                made = self.hand_out(frame, call, value, takes.kind, owner, size, number, straight)
            if takes.kind == POOL:
                self.pools[self.pool(value)] = self.ends[self.pool(value), _memory(value)] = made.begin

    def take_back(self, call: CallOp, back: TakesBack, straight: bool) -> None:
        """A pool begins anew where it began, a pipe at the start of every memory."""
        if back.source == POOL:
            owner = call.named()["self"]
            self.ends[self.pool(owner), _memory(owner)] = self.pools.get(self.pool(owner)) if straight else None
        else:
            self.ends.update({key: 0 if straight else None for key in self.ends if key[0] == PIPE})

    def formulas(
        self, call: CallOp, takes: Allocates, begin: int | None, size: int | None
    ) -> tuple[Formula | None, Formula | None] | None:
        """Where a tensor lies, if its constants do not tell."""
        named = call.named()
        if (begin is not None and size is not None) or takes.begin not in named or takes.elements not in named:
            return None
        elements = formula_of(named[takes.elements], self.origin)
        element = _bytes(call.results[0], 1)
        assert element is not None
        whole = None if elements is None else ("mul", elements, element)
        return formula_of(named[takes.begin], self.origin), whole

    def pool(self, value: SSAValue) -> str:
        """A name for a pool, wherever it is used."""
        made = self.origin(value).owner
        if isinstance(made, MemberOp):
            return f"pool {made.instance.type} {unquoted(made.field)}"
        return f"pool {id(self.origin(value))}"

    def origin(self, value: SSAValue) -> SSAValue:
        """What was passed to a helper, in the place of its parameter."""
        return self.passed.get(value, value)

    def hand_out(
        self,
        frame: Frame,
        call: CallOp,
        value: SSAValue,
        kind: str,
        owner: str,
        size: int | None,
        number: int | None,
        straight: bool,
    ) -> Buffer:
        """A buffer that lies behind those before it."""
        key = (owner, _memory(value))
        begin = self.ends.get(key, None if owner.startswith("pool") else 0) if straight and owner else None
        buffer = self.add(frame, call, value, kind, begin, size, number)
        self.ends[key] = in_whole_blocks(buffer.end) if buffer.end is not None else None
        return buffer

    def add(
        self,
        frame: Frame,
        call: CallOp,
        value: SSAValue,
        kind: str,
        begin: int | None,
        size: int | None,
        number: int | None,
        formulas: tuple[Formula | None, Formula | None] | None = None,
    ) -> Buffer:
        """Notes a buffer."""
        place = frame.number, At.of(call)
        buffer = Buffer(_name(value), kind, _memory(value), begin, size, number, *place, formulas)
        self.found.append(buffer)
        return buffer


def _makes_allocator(operation: Operation) -> bool:
    return isinstance(operation, CallOp) and operation.chosen.get(MakesAllocator) is not None


def _name(value: SSAValue) -> str:
    """The variable or field that holds it."""
    owner = value.owner
    return unquoted(owner.field) if isinstance(owner, MemberOp) else name_of(value) or ""


def _memory(value: SSAValue) -> str:
    """The memory in which a tensor, the tensors of a queue, or what threads share, lie."""
    if isinstance(value.type, PointerType):
        return "UB"
    assert isinstance(value.type, (LocalType, ObjectType))
    return MEMORY_OF[TPosition[value.type.position.data]]


def _bytes(tensor: SSAValue, elements: int | None) -> int | None:
    assert isinstance(tensor.type, (LocalType, PointerType))
    return elements * ELEMENTS[tensor.type.dtype.data].bytes if elements is not None else None


def _integer(frame: Frame, call: CallOp, name: str) -> int | None:
    """An argument that the text may hold as a word."""
    word = call.attributes.get(name)
    return int(word.data) if isinstance(word, StringAttr) else frame.integer(call.named().get(name))
