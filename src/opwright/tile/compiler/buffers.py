"""Buffers of a kernel while its calls are selected, and what later steps must know about the calls.

In: requests for buffers. Out: `Buffers`: for each tile its `Buffer`, which is a LocalTensor of the IR without an
address yet; which operation begins a new value of a buffer; where a call may write over what it reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.enums import TPosition
from opwright.ascendc.traits import TensorArray
from opwright.ir import Operation, SSAValue
from opwright.ir.calls import CallOp
from opwright.ir.language import ConstantOp, ForOp, FuncOp, IfOp
from opwright.ir.names import set_name
from opwright.ir.types import INT
from opwright.tile.compiler.layout import BLOCK, Layout
from opwright.tile.compiler.site import Number, Site

UB, L1, L0A, L0B, L0C = "UB", "L1", "L0A", "L0B", "L0C"
# Where a tensor of a matrix core's memory is declared; those of UB differ by their use.
POSITIONS = {L1: TPosition.A1, L0A: TPosition.A2, L0B: TPosition.B2, L0C: TPosition.CO1}


@dataclass(eq=False)
class Buffer:
    """Elements of one type in a memory. `mark`: "line:column" of what made it. `named`: whether the author named it."""

    tensor: SSAValue
    dtype: str
    elements: int
    name: str
    mark: str
    named: bool = False
    memory: str = UB

    @property
    def bytes(self) -> int:
        """Whole blocks."""
        return -(-self.elements * DTYPES[self.dtype].bytes // BLOCK) * BLOCK


@dataclass(frozen=True)
class LocalTile:
    """A tile that a call reads or writes. `home`: an operation before which it is complete, none of one on the way."""

    buffer: Buffer
    layout: Layout
    home: Operation | None = None


@dataclass(frozen=True)
class Elements:
    """Elements of a tensor that a copy touches: the offset of the first one; stride and size of each axis."""

    offset: SSAValue
    axes: tuple[tuple[Number, int], ...]


def touched(operation: Operation) -> Iterator[tuple[SSAValue, bool]]:
    """The tensors that a call touches, each with whether it writes it."""
    if not isinstance(operation, CallOp):
        return
    if operation.chosen.accesses:
        named = operation.named()
        for access in operation.chosen.accesses:
            yield named[access.operand], access.writes
    elif operation.row.effect == "runs":
        for name, value in operation.named().items():
            listed = value.owner
            if isinstance(listed, CallOp) and listed.chosen.get(TensorArray):
                for tensor in listed.operands:
                    yield tensor, name.startswith("dst")


def base_of(tensor: SSAValue) -> SSAValue:
    """The tensor that a part, or a view of another type, was taken of."""
    owner = tensor.owner
    while isinstance(owner, CallOp) and owner.row.short in ("__getitem__", "reinterpret_cast"):
        tensor = owner.operands[0]
        owner = tensor.owner
    return tensor


@dataclass
class Buffers:
    """All of a kernel."""

    kernel: FuncOp
    site: Site
    of_tile: dict[SSAValue, Buffer] = field(default_factory=dict)
    by_tensor: dict[SSAValue, Buffer] = field(default_factory=dict)
    begins: dict[Operation, set[Buffer]] = field(default_factory=dict)  # values that begin with an operation
    over: dict[Operation, set[Buffer]] = field(default_factory=dict)  # what a call may write over
    elements: dict[Operation, Elements] = field(default_factory=dict)  # of copies from and to global memory
    atomics: dict[Operation, str] = field(default_factory=dict)  # copies that join what they bring with what is there
    moves: list[tuple[Operation, Buffer, Buffer]] = field(default_factory=list)  # copies: to, from
    # Operations from one to another whose calls touch different elements: last -> first. They count as one call.
    together: dict[Operation, Operation] = field(default_factory=dict)
    tests: list[list[Any]] = field(default_factory=list)  # what the host must test, as `front/host.py` has it
    joined: dict[Buffer, Buffer] = field(default_factory=dict)  # a buffer that is gone -> the one that stands for it
    # Global tensors whose accesses messages between cores order -> addresses of the workspaces.
    messaged: dict[SSAValue, SSAValue] = field(default_factory=dict)
    # Branches with barriers of all pipes around their calls: they need no flags, and use buffers that others have.
    ordered: set[Operation] = field(default_factory=set)
    filled: list[Buffer] = field(default_factory=list)  # initialised at the start of the kernel

    def __post_init__(self) -> None:
        first = self.kernel.body.block.first_op
        # What is made at the start of the kernel stands before this operation, which `write.py` takes out.
        self.start = ConstantOp(0, INT)
        self.site.block, self.site.before = self.kernel.body.block, first
        self.site.add(self.start)
        self.tensors, self.works = ConstantOp(0, INT), ConstantOp(0, INT)
        self.site.before = self.start
        self.site.add(self.tensors)  # global tensors stand before it
        self.site.add(self.works)  # local ones stand before it, calls behind it

    @contextmanager
    def at_start(self) -> Iterator[None]:
        """Adds to the start of the kernel."""
        kept = self.site.block, self.site.before, self.site.mark
        self.site.block, self.site.before, self.site.mark = self.start.parent, self.start, ""
        yield
        self.site.block, self.site.before, self.site.mark = kept

    @contextmanager
    def before(self, operation: Operation) -> Iterator[None]:
        """Adds before an operation."""
        kept = self.site.block, self.site.before, self.site.mark
        self.site.move_before(operation)
        yield
        self.site.block, self.site.before, self.site.mark = kept

    @contextmanager
    def behind(self, operation: Operation) -> Iterator[None]:
        """Adds behind an operation."""
        kept = self.site.block, self.site.before, self.site.mark
        self.site.move_behind(operation)
        yield
        self.site.block, self.site.before, self.site.mark = kept

    def new(self, dtype: str, elements: int, name: str, named: bool = False, memory: str = UB) -> Buffer:
        """A buffer that no tile has yet."""
        with self.before(self.works):
            self.site.mark = ""
            position = [POSITIONS[memory]] if memory in POSITIONS else []
            tensor = self.site.value("LocalTensor", DTYPES[dtype], *position)
        set_name(tensor, name)
        buffer = Buffer(tensor, dtype, elements, name, self.site.mark, named, memory)
        self.by_tensor[tensor] = buffer
        return buffer

    def part(self, buffer: Buffer, offset: Number) -> SSAValue:
        """The tensor from an element on."""
        if isinstance(offset, int) and offset == 0:
            return buffer.tensor
        return self.site.value("LocalTensor.__getitem__", buffer.tensor, offset)

    @contextmanager
    def beginning(self, buffer: Buffer) -> Iterator[None]:
        """What is added meanwhile makes a new value of a buffer."""
        added = self._added()
        yield
        for current in added():
            if isinstance(current, (ForOp, IfOp)) or any(base_of(one) is buffer.tensor for one, _ in touched(current)):
                self.begins.setdefault(current, set()).add(buffer)
                return

    @contextmanager
    def as_one(self) -> Iterator[None]:
        """The calls that are added meanwhile touch different elements: they count as one call."""
        added = self._added()
        yield
        calls = [one for one in added() if isinstance(one, (ForOp, IfOp)) or any(touched(one))]
        self.together[calls[-1]] = calls[0]

    def _added(self) -> Callable[[], list[Operation]]:
        """What is added from here on, once it is asked for."""
        site = self.site
        assert site.block is not None
        block, before = site.block, site.before
        previous = before.prev_op if before is not None else block.last_op

        def added() -> list[Operation]:
            found = []
            current = previous.next_op if previous is not None else block.first_op
            while current is not None and current is not before:
                found.append(current)
                current = current.next_op
            return found

        return added

    def allow_over(self, *sources: Buffer) -> None:
        """The last call may write over what it reads from these buffers, element by element."""
        self.over.setdefault(self.site.last(), set()).update(self.by_tensor[base_of(one.tensor)] for one in sources)

    def fill(self, buffer: Buffer) -> None:
        """Initialises a buffer once, at the start: a call reads more of it than any value has."""
        if buffer not in self.filled:
            self.filled.append(buffer)
