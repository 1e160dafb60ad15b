"""From products of tiles to calls of Ascend C: a kernel that cube cores run, alone or beside vector cores.

In: the tile IR of a kernel, all of whose tiles are products, their factors, or what is stored of them. Out: the same
kernel with calls on buffers without addresses, and its `Buffers`. Refuses a sum that is used again after a product was
added to it, one that is stored before its first product, and products of different sizes that are added up.

A factor goes to L1 (`l1.py`), in steps along k to L0A and L0B (`l0.py`), is multiplied into L0C, and leaves by
`fixpipe.py`. The steps are a loop with two stages, so L0A and L0B become rings like all other buffers. A variable, the
zeros that it starts from and the products that are added to it have one buffer in L0C; beside it stands whether it is
still empty: then the next product does not add.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.enums import PipeID
from opwright.ir import Block, Operation, SSAValue, StringAttr
from opwright.ir import language as py
from opwright.ir.language import FuncOp
from opwright.ir.rewriting import is_in_arm, is_known_at
from opwright.ir.tile import (
    ONCE,
    RANGE,
    CastOp,
    CountedOp,
    DotOp,
    FullOp,
    LoopOp,
    TransposeOp,
    WithNumberOp,
    counts_of,
    is_of_tiles,
    is_there,
    type_of,
)
from opwright.ir.tile_cores import MessageOp
from opwright.ir.tile_memory import LoadOp, ReadOp, StoreOp
from opwright.ir.types import INT
from opwright.tile.compiler import fixpipe
from opwright.tile.compiler.buffers import L0A, L0B, L1, Buffer, Buffers
from opwright.tile.compiler.copies import Copies
from opwright.tile.compiler.front.host import plain_of
from opwright.tile.compiler.l0 import FRACTAL, FactorPart, Loads
from opwright.tile.compiler.l1 import SIDE, Factor, Factors, padded, use_of
from opwright.tile.compiler.layout import BLOCK
from opwright.tile.compiler.placement import loops_around
from opwright.tile.compiler.signals import signal
from opwright.tile.compiler.site import Number, Site, number_of, refuse
from opwright.tile.compiler.sums import Sum, Sums

SLOTS = 2
FRACTALS = 10  # of a product that the next one does not overtake


def select_cube(kernel: FuncOp, site: Site) -> Buffers:
    """Selects calls for all operations of a kernel."""
    return _Selection(kernel, site).run()


class _Selection:
    """One kernel."""

    def __init__(self, kernel: FuncOp, site: Site) -> None:
        self.kernel = kernel
        self.site = site
        self.buffers = Buffers(kernel, site)
        self.copies = Copies(self.buffers)
        self.factors = Factors(self.buffers, self.copies)
        self.loads = Loads(self.buffers)
        self.sums = Sums(self.buffers)

    def run(self) -> Buffers:
        """Selects."""
        self.dots = [one for one in self.kernel.walk() if isinstance(one, DotOp)]
        operations = [one for one in self.kernel.walk() if _is_selected(one)]
        self.sums.find(operations)
        for operation in operations:
            self.site.move_before(operation)
            _SELECTORS[type(operation)](self, operation)
        for operation in reversed(operations):
            assert operation.parent is not None
            operation.parent.detach_op(operation)
            operation.drop_all_references()
        return self.buffers

    def load(self, operation: LoadOp) -> None:
        """A factor."""
        self.factors.load(operation)

    def read(self, operation: ReadOp) -> None:
        """A number of global memory."""
        self.copies.read(operation)

    def store(self, operation: StoreOp) -> None:
        """What leaves."""
        value, is_positive = fixpipe.stored_sum(operation.tile)
        found = self.sums.of(value)
        for side in (found.rows, found.columns):
            if isinstance(side, SSAValue) and not is_known_at(side, operation):
                refuse(self.site, "a sum that leaves a loop in which its rows or columns are counted")
        if not self._is_settled(operation, found):
            self._add_nothing(found)
        found.stored = operation
        pitch = self.site.up_to(found.rows, SIDE, "pitch")
        fixpipe.store(operation, found.buffer, pitch, is_positive, self.copies)

    def message(self, operation: MessageOp) -> None:
        """A flag between cores."""
        signal(operation, self.copies)

    def _is_settled(self, operation: StoreOp, found: Sum) -> bool:
        """Whether the sum has left before, and nothing has changed since."""
        previous = operation.prev_op
        while previous is not None and previous is not found.stored:
            changes = isinstance(previous, (py.IfOp, py.ForOp, py.WhileOp, LoopOp)) or (
                isinstance(previous, py.StoreOp) and is_of_tiles(previous)
            )
            if changes and previous not in self.buffers.ordered:
                return False
            previous = previous.prev_op
        return previous is not None

    def _add_nothing(self, found: Sum) -> None:
        """A sum to which nothing was added leaves as zeros: only a product of zeros writes them to L0C.

        Few kernels come here. Barriers of all pipes keep the order, so that all others need no flag more.
        """
        site, buffers = self.site, self.buffers
        if found.is_empty is None:
            return
        if not found.factors:
            refuse(site, "a sum that is stored before its first product")
        is_empty = site.add(py.LoadOp(found.is_empty)).results[0]
        branch = py.IfOp(is_empty, Block(), Block())
        site.add(branch)
        buffers.ordered.add(branch)
        site.move_into(branch.then.block)
        element = DTYPES[found.factors[0].dtype]
        fractals = [padded(size, element.bytes) // SIDE for size in found.sizes]
        # Nothing fills bytes: zeros of two of them are the same.
        filled = DTYPES["int16"] if element.bytes == 1 else element
        zeros = buffers.new(filled.name, max(fractals) * FRACTAL // filled.bytes, "zeros", memory=L1)
        params = site.value("InitConstValueParams", 1, max(fractals) * FRACTAL // BLOCK, 0, 0, filled)
        with buffers.beginning(zeros):
            site.call("init_const_value", zeros.tensor, params)
        source = zeros.tensor
        if filled is not element:
            source = site.value("LocalTensor.reinterpret_cast", source, element)
        site.call("pipe_barrier", PipeID.PIPE_ALL)
        for factor, count in zip(found.factors, fractals, strict=True):
            with buffers.beginning(factor):
                site.call("load_data", factor.tensor, source, site.value("LoadData2DParams", 0, count, 1))
        site.call("pipe_barrier", PipeID.PIPE_ALL)
        tensors = [factor.tensor for factor in found.factors]
        site.call("mmad", found.buffer.tensor, *tensors, site.value("MmadParams", found.rows, found.columns, 1))
        site.call("pipe_barrier", PipeID.PIPE_ALL)
        site.leave(branch)

    def variable(self, operation: py.VariableOp) -> None:
        """A variable of sums: beside its buffer stands whether it is empty."""
        if operation.initial is not None and not isinstance(operation.initial.owner, (FullOp, DotOp)):
            refuse(self.site, "a sum that two variables hold")
        self.sums.declare(operation)

    def set_variable(self, operation: py.StoreOp) -> None:
        """Zeros make a variable empty; products are in its buffer already."""
        if isinstance(operation.value.owner, FullOp):
            self.sums.empty(operation)
        elif not isinstance(operation.value.owner, DotOp):
            refuse(self.site, "a sum that two variables hold")

    def nothing(self, operation: Operation) -> None:
        """What is another name of a buffer, or done by what takes it."""

    def dot(self, operation: DotOp) -> None:
        """A product: in steps along k, if all of it does not fit L0A and L0B twice."""
        site = self.site
        found = self.sums.of(operation.result)
        left, right = self.factors.of(operation.a), self.factors.of(operation.b)
        uses = use_of(operation.a, is_left=True), use_of(operation.b, is_left=False)
        depth = self._depth(operation)
        size = type_of(operation.a).sizes[1]
        sides = [padded(one, left.bytes) for one in (found.sizes[0], found.sizes[1])]
        step = self._step(size, left.bytes, sides)
        # Products of one loop take their steps one after the other, in the same bytes.
        is_shared = len([one for one in self.dots if loops_around(one)[-1:] == loops_around(operation)[-1:]]) > 1
        element = DTYPES[left.buffer.dtype]
        tensors = [
            self.buffers.new(
                element.name,
                site.soc.usable(memory) // (SLOTS * left.bytes) if is_shared else side * step,
                f"{factor.buffer.name}_{memory.lower()}",
                memory=memory,
            )
            for factor, side, memory in ((left, sides[0], L0A), (right, sides[1], L0B))
        ]
        found.factors = found.factors or tensors
        has_depth = self._has_depth(operation)
        if not has_depth:
            self.sums.start(operation)
        begin: Number = 0
        loop: LoopOp | None = None
        if step < size or is_shared:
            loop, begin = self._loop(depth, step, step >= size)
            has_depth |= step < size  # each step of several has some
            depth = site.least(step, site.minus(depth, begin), "depth")
        counts = number_of(counts_of(operation.a)[0]), number_of(counts_of(operation.b)[1])
        for tensor, factor, use, across in zip(tensors, (left, right), uses, counts, strict=True):
            self.loads.load(tensor, FactorPart(factor, use, across, begin, depth))
        is_empty = self.sums.is_empty(operation)
        if is_empty is True and loop is not None:
            is_empty = site.add(py.CompareOp("eq", loop.position, site.constant(0))).results[0]
        others = [one for one in self.dots if one is not operation and self.sums.of(one.result) is found]
        is_alone = operation.acc is None and step >= size and not others
        self._multiply(found, tensors, left, depth, is_empty)
        self.sums.fill(found, depth, has_depth)
        if not is_alone:
            self._wait(found)
        if loop is not None:
            site.leave(loop)

    def _depth(self, operation: DotOp) -> Number:
        """How much of k is there."""
        left, right = number_of(counts_of(operation.a)[1]), number_of(counts_of(operation.b)[0])
        return left if left == right and isinstance(left, int) else self.site.least(left, right)

    def _has_depth(self, operation: DotOp) -> bool:
        """Whether some of k is there. The host refuses to launch with an axis of no elements in its place."""
        unknown = [one for one in (counts_of(operation.a)[1], counts_of(operation.b)[0]) if not is_there(one)]
        shapes = [plain_of(count) for count in unknown]
        # In an arm that is not taken there is no product.
        if is_in_arm(operation) or not all(isinstance(plain, str) and "_shape" in plain for plain in shapes):
            return False
        for plain in shapes:
            self.buffers.tests.append([self.site.mark, "depth", plain])
        return True

    def _step(self, size: int, element: int, sides: list[int]) -> int:
        """How much of k L0A and L0B hold twice: steps of about the same length."""
        unit = padded(1, element)
        most = min(
            self.site.soc.usable(memory) // (SLOTS * side * element) // unit * unit
            for memory, side in zip((L0A, L0B), sides, strict=True)
        )
        steps = -(-size // max(most, unit))
        return padded(-(-size // steps), element)

    def _loop(self, depth: Number, step: int, is_once: bool) -> tuple[LoopOp, SSAValue]:
        """The loop over steps; what comes next is added to its body."""
        site = self.site
        known = step if is_once else depth
        last = site.constant(known) if isinstance(known, int) else known
        made = LoopOp(RANGE, site.constant(0), last, site.constant(step), Block(arg_types=[INT]), SLOTS, "step")
        if is_once:
            made.attributes[ONCE] = StringAttr("")
        site.add(made)
        site.move_into(made.body.block)
        return made, made.position

    def _multiply(
        self,
        found: Sum,
        tensors: list[Buffer],
        left: Factor,
        depth: Number,
        is_empty: bool | SSAValue,
    ) -> None:
        """The product."""
        site = self.site
        aligned = [True] if left.are_squares else []  # rows of squares, in L0A
        params = site.value("MmadParams", found.rows, found.columns, depth, 0, False, is_empty, *aligned)
        site.call("mmad", found.buffer.tensor, *(tensor.tensor for tensor in tensors), params)

    def _wait(self, found: Sum) -> None:
        """A barrier behind a product of few fractals: the next one would overtake it, and read incomplete sums."""
        site = self.site
        if found.sizes[0] // SIDE * (found.sizes[1] // SIDE) < FRACTALS:
            site.call("pipe_barrier", PipeID.PIPE_M)
            return
        whole = site.times(site.whole(found.rows, SIDE), site.whole(found.columns, SIDE), "fractals")
        if isinstance(whole, int):
            if whole < FRACTALS:
                site.call("pipe_barrier", PipeID.PIPE_M)
            return
        is_short = site.add(py.CompareOp("lt", whole, site.constant(FRACTALS))).results[0]
        branch = py.IfOp(is_short, Block(), Block())
        site.add(branch)
        site.move_into(branch.then.block)
        site.call("pipe_barrier", PipeID.PIPE_M)
        site.leave(branch)


def _is_selected(operation: Operation) -> bool:
    """Whether an operation is of tiles: variables of numbers are left as they are."""
    return type(operation) in _SELECTORS and (operation.name.startswith("tile.") or is_of_tiles(operation))


_SELECTORS: dict[type[Operation], Callable[[_Selection, Any], None]] = {
    LoadOp: _Selection.load,
    ReadOp: _Selection.read,
    StoreOp: _Selection.store,
    MessageOp: _Selection.message,
    DotOp: _Selection.dot,
    FullOp: _Selection.nothing,
    TransposeOp: _Selection.nothing,
    CastOp: _Selection.nothing,
    WithNumberOp: _Selection.nothing,
    CountedOp: _Selection.nothing,
    py.VariableOp: _Selection.variable,
    py.StoreOp: _Selection.set_variable,
    py.LoadOp: _Selection.nothing,
}
