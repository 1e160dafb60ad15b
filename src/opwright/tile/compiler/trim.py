"""Counts of tiles, trimmed: as many elements of each axis as anything needs, in few different numbers.

In: the tile IR of a kernel. Out: the same kernel, changed in place. A sum starts from zeros of a whole tile, of which
later only a part is there, so that the front end keeps its counts in variables. Here `min` of two numbers becomes
one of them where the other one is never less, and a tile has the elements that its uses ask for, and no others.
"""

from __future__ import annotations

from collections.abc import Sequence

from opwright.ir import Operation, SSAValue
from opwright.ir import language as py
from opwright.ir.bounds import bounds_of
from opwright.ir.language import FuncOp, constant_of, held
from opwright.ir.rewriting import is_in_arm, is_known_at, replace_by_value
from opwright.ir.tile import (
    BinaryOp,
    CastOp,
    CompareNumberOp,
    CompareOp,
    CountedOp,
    DotOp,
    MakesTile,
    ReduceOp,
    SelectOp,
    UnaryOp,
    WithNumberOp,
    holds_tile,
    is_of_tiles,
    same_count,
    type_of,
)
from opwright.ir.tile_memory import PutsTile
from opwright.tile.compiler.dead import drop_dead

_BY_ELEMENT = (BinaryOp, CastOp, CompareNumberOp, CompareOp, CountedOp, SelectOp, UnaryOp, WithNumberOp)


def trim_counts(kernel: FuncOp) -> None:
    """Trims the counts of all tiles of a kernel."""
    _Numbers(kernel).settle()
    _Wanted(kernel).settle()
    drop_dead(kernel)


class _Numbers:
    """`min` of numbers, one of which is never less than the other."""

    def __init__(self, kernel: FuncOp) -> None:
        self.kernel = kernel
        self.sizes: dict[SSAValue, list[tuple[SSAValue, int]]] = {}  # counts -> tiles that have them, with the size
        for operation in kernel.walk():
            if isinstance(operation, MakesTile):
                for count, size in zip(operation.counts, type_of(operation.result).sizes, strict=True):
                    self.sizes.setdefault(count, []).append((operation.result, size))

    def settle(self) -> None:
        """Replaces them."""
        for operation in list(self.kernel.walk()):
            if not isinstance(operation, py.BinaryOp) or operation.operator.data != "min":
                continue
            for one, other in ((operation.left, operation.right), (operation.right, operation.left)):
                if self._is_at_least(one, other, operation):
                    replace_by_value(operation, other)
                    break

    def _is_at_least(self, one: SSAValue, other: SSAValue, operation: py.BinaryOp) -> bool:
        """Whether a number is never less than another one, where an operation stands."""
        parts, leaves = _parts(other), _leaves(one)
        if leaves <= parts:
            return True
        # A tile is not larger than its size; one in an arm or a loop that is not taken says nothing.
        sizes = [
            size
            for tile, size in self.sizes.get(other, ())
            if is_known_at(tile, operation) or self._is_tested(other, tile)
        ]
        most = min((bounds_of(other)[1], *sizes))
        return all(leaf in parts or _is_number(constant_of(leaf), most) for leaf in leaves)

    def _is_tested(self, count: SSAValue, tile: SSAValue) -> bool:
        """Whether the host tests that a length fits a tile: that of `tile.whole`, but for those in arms."""
        assert isinstance(tile.owner, Operation)
        return count.owner is self.kernel.body.block and not is_in_arm(tile.owner)


def _is_number(known: object, least: int) -> bool:
    return isinstance(known, int) and known >= least


def _parts(value: SSAValue) -> set[SSAValue]:
    """Numbers that are not less than a number: itself, and what it is the least of."""
    found, waiting = set(), [value]
    while waiting:
        current = waiting.pop()
        found.add(current)
        owner = current.owner
        if isinstance(owner, py.BinaryOp) and owner.operator.data == "min":
            waiting += [owner.left, owner.right]
    return found


def _leaves(value: SSAValue, cells: frozenset[SSAValue] = frozenset()) -> set[SSAValue]:
    """Numbers one of which a number is: what a variable was ever set to, and what it is the least of.

    cells: variables that are being looked at. One that is set in a loop may hold a number of an earlier iteration.
    """
    owner = value.owner
    if isinstance(owner, py.BinaryOp) and owner.operator.data == "min":
        return _leaves(owner.left, cells) | _leaves(owner.right, cells)
    if not isinstance(owner, py.LoadOp) or not isinstance(owner.cell.owner, py.VariableOp):
        return {value}
    if owner.cell in cells:
        return set()
    variable, inside = owner.cell.owner, cells | {owner.cell}
    found = {leaf for one in held(owner.cell) for leaf in _leaves(one, inside)}
    stays = all(constant_of(leaf) is not None or is_known_at(leaf, variable) for leaf in found)
    return found if stays else {value}


class _Wanted:
    """How many elements of each axis the uses of a tile ask for: a number that all of them have, or None."""

    def __init__(self, kernel: FuncOp) -> None:
        self.kernel = kernel
        # Tiles and variables that hold them -> for each axis what their uses want; those that no use was seen of have
        # no entry yet.
        self.wanted: dict[SSAValue, list[SSAValue | None]] = {}

    def settle(self) -> None:
        """Changes the counts of operations."""
        operations = [one for one in self.kernel.walk() if is_of_tiles(one)]
        changed = True
        while changed:
            before = {value: list(counts) for value, counts in self.wanted.items()}
            self.wanted = {}
            for operation in reversed(operations):
                self._ask(operation, before)
            changed = before != self.wanted
        for operation in operations:
            if isinstance(operation, MakesTile):
                self._set(operation)

    def _ask(self, operation: Operation, before: dict[SSAValue, list[SSAValue | None]]) -> None:
        """What an operation wants of the tiles that it takes."""
        match operation:
            case PutsTile():
                self._note(operation.tile, list(operation.counts))
            case py.VariableOp() if operation.initial is not None:
                self._pass_on(operation.initial, operation.cell, before)
            case py.StoreOp():
                self._pass_on(operation.value, operation.cell, before)
            case py.LoadOp():
                self._pass_on(operation.cell, operation.result, before)
            case MakesTile() if isinstance(operation, _BY_ELEMENT):
                own = self._own(operation)
                for operand in _tiles_of(operation):
                    sizes = type_of(operand).sizes
                    self._note(operand, [None if size == 1 else count for size, count in zip(sizes, own, strict=True)])
            case ReduceOp():
                own = self._own(operation)
                gone = operation.axis.data
                self._note(operation.x, [None if axis == gone else count for axis, count in enumerate(own)])
            case DotOp():
                self._note_whole(operation.a, operation.b)
                if operation.acc is not None:
                    self._note(operation.acc, self._own(operation))
            case _:
                self._note_whole(*_tiles_of(operation))

    def _note_whole(self, *tiles: SSAValue) -> None:
        for one in tiles:
            self._note(one, [None] * len(type_of(one).sizes))

    def _own(self, operation: MakesTile) -> list[SSAValue]:
        """The counts that the result of an operation will have."""
        wanted = self.wanted.get(operation.result)
        return [
            count if want is None or not is_known_at(want, operation) else want
            for count, want in zip(operation.counts, wanted or [None] * len(operation.counts), strict=True)
        ]

    def _pass_on(self, value: SSAValue, use: SSAValue, before: dict[SSAValue, list[SSAValue | None]]) -> None:
        """A tile and a variable want the same; a loop reads what it set in the iteration before."""
        now, earlier = self.wanted.get(use), before.get(use)
        found = now or earlier
        if found is None:
            return
        if now and earlier:
            found = [one if _is_same(one, other) else None for one, other in zip(now, earlier, strict=True)]
        if isinstance(variable := value.owner, py.VariableOp):
            # It may be read in a later iteration: only what stays the same while there is a variable is wanted of it.
            found = [None if one is None or not is_known_at(one, variable) else one for one in found]
        self._note(value, found)

    def _note(self, value: SSAValue, counts: Sequence[SSAValue | None]) -> None:
        known = self.wanted.get(value)
        if known is None:
            self.wanted[value] = list(counts)
            return
        for axis, (one, other) in enumerate(zip(known, counts, strict=True)):
            if not _is_same(one, other):
                known[axis] = None

    def _set(self, operation: MakesTile) -> None:
        """Gives an operation the counts that its uses want."""
        if not isinstance(operation, (*_BY_ELEMENT, DotOp, ReduceOp)) and _tiles_of(operation):
            return
        first = len(operation.operands) - len(operation.counts)
        for axis, count in enumerate(self._own(operation)):
            operation.operands[first + axis] = count


def _is_same(one: SSAValue | None, other: SSAValue | None) -> bool:
    return one is not None and other is not None and same_count(one, other)


def _tiles_of(operation: Operation) -> list[SSAValue]:
    return [operand for operand in operation.operands if holds_tile(operand)]
