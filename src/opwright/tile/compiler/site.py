"""Calls that the back end adds, and integers that are computed once, right behind what they are computed from.

In: the IR of a kernel. Out: calls of Ascend C before an operation of the author's, and `Number`: an int that is known
now, or a value of run time. A call that the SoC does not take is refused with the author's line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn, TypeAlias

from opwright.ascendc.arithmetic import MEANING
from opwright.ascendc.dtypes import DataType
from opwright.ascendc.kernel_types import KERNEL_TYPES
from opwright.ascendc.socs import Soc
from opwright.ascendc.table import ROWS
from opwright.errors import TileNotBuilt
from opwright.ir import Block, Operation, SSAValue
from opwright.ir.aggregates import ArrayOp
from opwright.ir.binding.bind import CallContext, bind
from opwright.ir.binding.build import build
from opwright.ir.language import At, BinaryOp, ForOp, constant_of
from opwright.ir.names import set_name
from opwright.ir.types import array_type
from opwright.ir.values import Constant, RunTimeValue, Value
from opwright.kernel.source import Source
from opwright.tile.compiler.cursor import Cursor

Number: TypeAlias = "int | SSAValue"


class Site(Cursor):
    """Adds calls and integers. It is the `CallSite` of the calls that it makes."""

    def __init__(
        self, source: Source, soc: Soc, kernel_type: str | None = None, kinds: tuple[str, ...] | None = None
    ) -> None:
        super().__init__(source)
        self.soc = soc
        self.context = CallContext(soc, KERNEL_TYPES[kernel_type], kinds or KERNEL_TYPES[kernel_type].kinds)
        self.made: dict[tuple[object, ...], SSAValue] = {}
        self._own: set[Operation] = set()
        self.slow: dict[tuple[str, str], None] = {}  # marks and words, for the report

    def note_slow(self, words: str) -> None:
        """Notes for the report that what is added here is slower than it could be."""
        self.slow[self.mark, words] = None

    def array(self, element: DataType, values: Sequence[Value]) -> SSAValue:
        """An array on the stack that holds these numbers: the words of a mask."""
        known = [str(one.value) for one in values if isinstance(one, Constant)]
        return self.add(ArrayOp(array_type(element.name, len(known)), known)).results[0]

    def refined(self, tensor: SSAValue) -> None:
        """A global tensor was given its memory."""

    def call(self, name: str, *arguments: object) -> Value:
        """A call of `opwright.asc`."""
        values: list[Value] = [RunTimeValue(one) if isinstance(one, SSAValue) else Constant(one) for one in arguments]
        return build(self, bind(ROWS[name], values, {}, self.context, self.at))

    def value(self, name: str, *arguments: object) -> SSAValue:
        """The result of a call."""
        made = self.call(name, *arguments)
        assert isinstance(made, RunTimeValue)
        return made.ssa

    def row_by_row(self, rows: Number) -> tuple[ForOp, SSAValue]:
        """A loop over rows, which the report names: calls with repeats would be faster."""
        self.note_slow("row by row: calls for each row")
        return self.loop(0, rows, 1, "row")

    # Integers. They stand right behind the later one of their operands, so that every use below finds them.

    def plus(self, left: Number, right: Number, name: str = "") -> Number:
        """left + right."""
        if left == 0 and isinstance(left, int):
            return right
        return left if isinstance(right, int) and right == 0 else self._computed("add", left, right, name)

    def minus(self, left: Number, right: Number, name: str = "") -> Number:
        """left - right."""
        if isinstance(right, int) and right == 0:
            return left
        return 0 if left is right else self._computed("sub", left, right, name)

    def times(self, left: Number, right: Number, name: str = "") -> Number:
        """left * right."""
        for one, other in ((left, right), (right, left)):
            if isinstance(one, int) and one in (0, 1):
                return other if one else 0
        return self._computed("mul", left, right, name)

    def least(self, left: Number, right: Number, name: str = "") -> Number:
        """The smaller one."""
        return left if left is right else self._computed("min", left, right, name)

    def most(self, left: Number, right: Number, name: str = "") -> Number:
        """The greater one."""
        return self._computed("max", left, right, name)

    def whole(self, left: Number, right: int, name: str = "") -> Number:
        """left // right; neither is negative."""
        return left if right == 1 else self._computed("floordiv", left, right, name)

    def rest(self, left: Number, right: int, name: str = "") -> Number:
        """left % right; neither is negative."""
        return 0 if right == 1 else self._computed("mod", left, right, name)

    def up_to(self, left: Number, granule: int, name: str = "") -> Number:
        """The least multiple of a granule that is not below a number."""
        if granule == 1:
            return left
        return self.times(self.whole(self.plus(left, granule - 1), granule), granule, name)

    def _computed(self, operator: str, left: Number, right: Number, name: str) -> Number:
        if isinstance(left, int) and isinstance(right, int):
            return int(MEANING[operator](left, right))
        key = (operator, left, right)
        if key not in self.made:
            self.made[key] = self._placed(operator, left, right)
        if name:
            set_name(self.made[key], name)
        return self.made[key]

    def _placed(self, operator: str, left: Number, right: Number) -> SSAValue:
        """An operation behind its operands, and behind others that were put there before it."""
        values = [one for one in (left, right) if isinstance(one, SSAValue)]
        after = max(values, key=_position)
        kept = (self.block, self.before, self.mark)
        owner = after.owner
        if isinstance(owner, Block):
            above = owner.parent_op()
            self.block, following = owner, owner.first_op
            self.mark = At.of(above) if above is not None else ""
        else:
            self.block, following, self.mark = owner.parent, owner.next_op, At.of(owner)
        while following is not None and following in self._own:
            following = following.next_op
        self.before = following
        operands = [self._own_constant(one) if isinstance(one, int) else one for one in (left, right)]
        made = self.add(BinaryOp(operator, *operands))
        self._own.add(made)
        self.block, self.before, self.mark = kept
        return made.results[0]

    def _own_constant(self, number: int) -> SSAValue:
        made = self.constant(number)
        assert isinstance(made.owner, Operation)
        self._own.add(made.owner)
        return made


def _position(value: SSAValue) -> tuple[int, ...]:
    """Where a value is made, so that the later one of two that are used together is the greater one."""
    path: list[int] = []
    owner = value.owner
    if isinstance(owner, Block):
        path.append(-1)
        above = owner.parent_op()
    else:
        above = owner
    while above is not None and above.parent is not None:
        path.append(above.parent.get_operation_index(above))
        above = above.parent_op()
    return tuple(reversed(path))


def number_of(value: SSAValue) -> Number:
    """An integer of the IR: an int if it is a constant."""
    known = constant_of(value)
    return known if isinstance(known, int) else value


def refuse(site: Site, what: str) -> NoReturn:
    """Refuses what is not built, at the author's place."""
    raise TileNotBuilt(site.at, what=what, hint="kernel.numpy runs it")
