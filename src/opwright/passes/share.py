"""Computes once what two lines of the text would compute: `int64_t value_1 = n * m;` behind `int64_t value = n * m;`.

In: any IR. Out: the same results, and never a line more: nothing moves and no name is made up. A scalar that has a line
of its own stands for what is computed again behind it, in its block or in one inside, with the same operands and no
variable set in between. It does so for others with a line, and, if the author named it, for products and divisions that
stand within an expression: the author's name says more than they do. Two names of the author's stay two.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from itertools import count

from opwright.ir import Block, Operation, SSAValue, VerifyException
from opwright.ir.language import ConstantOp, LoadOp, VariableOp
from opwright.ir.lines import has_line
from opwright.ir.names import ATTRIBUTE, name_of
from opwright.ir.rewriting import blocks_of, replace_by_value
from opwright.ir.traits import effects_of, is_costly, is_loop, may_set
from opwright.ir.types import ScalarType

AFTER = ("simplify", "fold", "hoist")

_NOT_THE_VALUE = ("at", ATTRIBUTE)  # attributes that say nothing about what an operation computes
_Lines = dict[int, Operation]  # the operations that have a line of their own, by the numbers of their results
_Times = dict[SSAValue, int]  # when a variable was last set


def run(root: Operation) -> None:
    """Shares everything below `root`. A line may take the name of another one, and then stand for more."""
    is_changed = True
    while is_changed:
        is_changed = False
        for later, earlier in _pairs(root):
            replace_by_value(later, earlier.results[0])
            is_changed = True


def check(root: Operation) -> None:
    """Raises VerifyException if something is computed twice."""
    for later, _ in _pairs(root):
        raise VerifyException(f"{later} was computed before")


def _pairs(root: Operation) -> Iterator[tuple[Operation, Operation]]:
    """Operations that can go, each with the one that stands for it. They may be taken out on the way."""
    for block in blocks_of(root):
        yield from _Numbering().pairs(block, {}, {})


def _may_stand_for(earlier: Operation, later: Operation) -> bool:
    """Whether the text is the better for it, with two operations of one number."""
    name = name_of(earlier.results[0])
    if has_line(later):
        return name is None or name_of(later.results[0]) in (None, name)
    return name is not None and _is_product_or_call(later)


def _is_product_or_call(operation: Operation) -> bool:
    """Whether a name says more than an operation that stands within an expression; GetBlockNum() is as good as one."""
    return is_costly(operation) and bool(operation.operands)


class _Numbering:
    """Numbers for values: two of one number are equal, wherever both can be used."""

    def __init__(self) -> None:
        self.numbers: dict[Hashable, int] = {}  # of values, and of what makes one
        self.cells: dict[Operation, set[SSAValue]] = {}  # the variables that an operation or what is in it may set
        self.clock = count()

    def pairs(self, block: Block, lines: _Lines, times: _Times) -> Iterator[tuple[Operation, Operation]]:
        """Those of a block and of all in it; `lines` and `times` are of what stands before."""
        following = block.first_op
        while following is not None:
            operation, following = following, following.next_op
            if type(operation) is VariableOp:
                self.note_sets(operation)
            elif type(operation) is LoadOp:
                self.number_load(operation, times)
            elif type(operation) is not ConstantOp and operation.results:
                earlier = self.earlier(operation, lines)
                if earlier is not None:
                    yield operation, earlier
            if operation.regions:
                yield from self.inside(operation, lines, times)
            elif self.cells and operation in self.cells:
                self.change(operation, times)

    def inside(self, operation: Operation, lines: _Lines, times: _Times) -> Iterator[tuple[Operation, Operation]]:
        """Those in the regions of an operation."""
        if is_loop(operation):
            self.change(operation, times)  # what an iteration sets, the next one finds
        for block in blocks_of(operation):
            yield from self.pairs(block, dict(lines), dict(times))
        self.change(operation, times)

    def note_sets(self, variable: VariableOp) -> None:
        """Notes which operations may set a variable: those that have it for an operand, and what they stand in."""
        for use in variable.cell.uses:
            setter: Operation | None = use.operation if may_set(use.operation, variable.cell) else None
            while setter is not None:
                self.cells.setdefault(setter, set()).add(variable.cell)
                setter = setter.parent_op()

    def change(self, operation: Operation, times: _Times) -> None:
        """Variables that an operation may set hold something else from now on."""
        times.update((cell, next(self.clock)) for cell in self.cells.get(operation, ()))

    def earlier(self, operation: Operation, lines: _Lines) -> Operation | None:
        """What can stand for an operation; one that has a line is noted for others."""
        is_line = has_line(operation)
        if not is_line and not _is_product_or_call(operation):
            return None
        number = self.number(operation)
        if number is None:
            return None
        found = lines.get(number)
        if found is not None and found.parent is not None:  # what only the others used went with them
            return found if _may_stand_for(found, operation) else None
        if is_line:
            lines[number] = operation
        return None

    def number_load(self, load: LoadOp, times: _Times) -> None:
        """A variable that nothing sets holds the same. A field or an element may be set under another name."""
        if type(load.cell.owner) is VariableOp:
            self.numbers[load.result] = self.numbers.setdefault((load.cell, times.get(load.cell)), len(self.numbers))

    def number(self, operation: Operation) -> int | None:
        """That of a scalar which depends on other scalars only; None for everything else."""
        result = operation.results[0]
        if result in self.numbers:
            return self.numbers[result]
        if type(result.type) is not ScalarType or len(operation.results) > 1 or effects_of(operation) != set():
            return None
        operands = []
        for value in operation.operands:
            if type(value.type) is not ScalarType:
                return None
            made = value.owner
            number = self.number(made) if isinstance(made, Operation) else None
            operands.append(self.numbers.setdefault(value, len(self.numbers)) if number is None else number)
        attributes = [one for one in operation.attributes.items() if one[0] not in _NOT_THE_VALUE]
        key = (operation.name, result.type, tuple(attributes), tuple(operands))
        self.numbers[result] = self.numbers.setdefault(key, len(self.numbers))
        return self.numbers[result]
