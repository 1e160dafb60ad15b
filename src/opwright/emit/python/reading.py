"""How a function's IR reads as Python: which values stand within the expression that uses them, which get a line.

In: a function. Out: `Reading`: for each operation whether it is written where it is used, what no line stands for, and
which branches are a ternary, `and` or `or`. The order of all that reads memory or has an effect stays as it is.
"""

from __future__ import annotations

from dataclasses import dataclass

from opwright.emit.order import is_settled
from opwright.emit.python.implied import Implied
from opwright.ir import Block, Operation, SSAValue
from opwright.ir.aggregates import ArrayOp, ElementOp, ListOp, MemberOp, NewOp
from opwright.ir.calls import CallOp
from opwright.ir.language import (
    CastOp,
    ConstantOp,
    FuncOp,
    IfOp,
    LoadOp,
    StoreOp,
    VariableOp,
    constant_of,
)
from opwright.ir.names import name_of
from opwright.ir.threads import PointerOp
from opwright.ir.traits import is_removable, may_read, may_write
from opwright.ir.types import BOOL, FLOAT, INT, ScalarType

PURE, READS, ACTS = range(3)  # what evaluating a value may depend on or change
_PLACES = (MemberOp, ElementOp, PointerOp, ListOp)  # written where they are used, however often


@dataclass(frozen=True)
class Choice:
    """A ternary, or `and` or `or`: `word`, a condition, and what is stored if it holds and if not."""

    word: str  # "if", "and" or "or"
    condition: SSAValue
    stores: tuple[StoreOp, ...]
    cell: SSAValue
    parts: tuple[Operation, ...]  # the operations that it stands for


class Reading:
    """One function."""

    def __init__(self, function: FuncOp) -> None:
        implied = Implied(function)
        self.gone = implied.gone
        self.tested = implied.tested
        self.position = {operation: number for number, operation in enumerate(function.walk())}
        self.choices: dict[Operation, Choice] = {}  # by the load of the result
        self.filled: dict[Operation, dict[int, StoreOp]] = {}  # an array -> the stores of what it starts with
        self.together: dict[Operation, list[Operation]] = {}  # a store -> those of the same assignment
        self.within: dict[Operation, Operation] = {}  # an operation written where it is used -> whose line it is on
        self._choice_of: dict[Operation, Operation] = {}  # the branch of a choice -> its load
        for operation in function.walk():
            if isinstance(operation, ArrayOp):
                self._find_stores(operation)
            elif isinstance(operation, StoreOp) and operation not in self.within:
                self._find_together(operation)
        self._settle(function.body.block)

    def is_within(self, operation: Operation) -> bool:
        """Whether an operation is written where it is used."""
        return operation in self.within

    def uses(self, value: SSAValue) -> list[Operation]:
        """The operations that use a value, as far as Python shows them."""
        return [use.operation for use in value.uses if use.operation not in self.gone]

    def name(self, value: SSAValue) -> str | None:
        """The name that the author gave a value; that of a choice is its variable's."""
        choice = self.choices.get(value.owner) if isinstance(value.owner, LoadOp) else None
        return name_of(value) or (name_of(choice.cell) if choice else None)

    def line_of(self, operation: Operation) -> Operation:
        """The operation on whose line another one is written."""
        while True:
            above = operation.parent_op()
            while above is not None and above not in self._choice_of:
                above = above.parent_op()
            if above is not None:
                operation = self._choice_of[above]
            elif operation in self.within and self.within[operation] is not operation:
                operation = self.within[operation]
            else:
                return operation

    def last_use(self, value: SSAValue) -> int:
        """Where a value is needed last."""
        lines = [self.line_of(operation) for operation in self.uses(value)]
        return max((self.position[line] for line in lines), default=-1)

    def is_spent(self, value: SSAValue, variable: VariableOp) -> bool:
        """Whether a value is not needed any more once the variable that starts with it is set."""
        begin = self.position[variable]
        stores = [self.position[one] for one in self.uses(variable.cell) if isinstance(one, StoreOp)]
        lines = [self.line_of(operation) for operation in self.uses(value)]
        later = [line for line in lines if self.position[line] > begin]
        return all(line.parent is variable.parent and self.position[line] < min(stores, default=0) for line in later)

    def _settle(self, block: Block) -> None:
        """Decides for all operations of a block, last ones first, so that users of a value are decided before it."""
        for operation in reversed(list(block.ops)):
            if operation in self.gone:
                continue
            if isinstance(operation, LoadOp):
                self._find_choice(operation)
            for region in operation.regions:
                for inner in region.blocks:
                    self._settle(inner)
            self._decide(operation)

    def _decide(self, operation: Operation) -> None:
        if isinstance(operation, ConstantOp):
            self.within[operation] = operation
            return
        if not operation.results or isinstance(operation, (VariableOp, NewOp)):
            return
        users = [user for result in operation.results for user in self.uses(result)]
        if not users:
            is_named = self.name(operation.results[0]) is not None
            tested = operation.cell.owner if isinstance(operation, LoadOp) else operation
            if not is_named and is_removable(operation) and tested not in self.tested:
                self.gone.add(operation)
            return
        if isinstance(operation, _PLACES):
            self.within[operation] = max((self.line_of(user) for user in users), key=self.position.__getitem__)
            return
        if len(operation.results) > 1 or (isinstance(operation, ArrayOp) and not self._is_literal(operation, users)):
            return
        is_plain = isinstance(operation, LoadOp) and operation not in self.choices and is_settled(operation)
        if is_plain and name_of(operation.results[0]) is None:
            self.within[operation] = max((self.line_of(user) for user in users), key=self.position.__getitem__)
            return
        is_named = self.name(operation.results[0]) is not None and not isinstance(operation, ArrayOp)
        stores = next((self.together[one] for one in users if one in self.together), [])
        if set(stores) == set(users):
            users = stores[:1]  # a = b = value
        user = users[0]
        if is_named or user.parent is not operation.parent or len(users) > 1:
            return
        line = self._line_in_block(user)
        if not self._is_disturbed(operation, user, line):
            self.within[operation] = line

    def _find_stores(self, array: ArrayOp) -> None:
        """Finds the stores of what an array starts with, where that is not constant: they follow it at once."""
        found: dict[int, StoreOp] = {}
        current = array.next_op
        while isinstance(current, (ConstantOp, ElementOp, CastOp, StoreOp)):
            if isinstance(current, StoreOp):
                place = current.cell.owner
                if (
                    not isinstance(place, ElementOp)
                    or place.array is not array.result
                    or len(list(place.cell.uses)) > 1
                ):
                    break
                index = constant_of(place.index)
                if not isinstance(index, int) or index in found or array.values.data[index].data != "0":
                    break
                found[index] = current
            current = current.next_op
        if found:
            self.filled[array] = found
            self.within |= dict.fromkeys(found.values(), array)

    def _find_together(self, first: StoreOp) -> None:
        """Finds the stores of one assignment, `a, b = b, a` or `a = b = c`: all values are there before the first."""
        stores: list[Operation] = []
        current: Operation | None = first
        while isinstance(current, StoreOp) and isinstance(current.cell.owner, VariableOp) and _is_plain(current):
            stores.append(current)
            current = current.next_op
        later = [store.operands[1] for store in stores[1:]]
        computed = [value for value in later if isinstance(value.owner, Operation) and name_of(value) is None]
        if any(not isinstance(value.owner, ConstantOp) for value in computed):
            self.together[first] = stores
            self.within |= dict.fromkeys(stores[1:], first)

    def _line_in_block(self, user: Operation) -> Operation:
        """On whose line a user is written, within its block."""
        while user in self.within and self.within[user] is not user:
            user = self.within[user]
        return user

    def _is_literal(self, array: ArrayOp, users: list[Operation]) -> bool:
        """Whether an array is a list that a call takes."""
        if len(users) != 1 or not isinstance(users[0], CallOp):
            return False
        named = users[0].named()
        return any(value is array.result and name == name_of(array.result) for name, value in named.items())

    def _is_disturbed(self, operation: Operation, user: Operation, line: Operation) -> bool:
        """Whether a value would mean something else where it is used."""
        kind = self._kind(operation)
        if kind == PURE and isinstance(user, (StoreOp, VariableOp)):
            kind = READS  # what is stored keeps its place among the lines
        if kind == PURE:
            return False
        end = max(user, line, key=self.position.__getitem__)  # what an array starts with is on an earlier line
        current = operation.next_op
        while current is not None and current is not end:
            if current not in self.gone and current is not user:
                own = self._kind(current) if not current.regions else ACTS
                is_line = current not in self.within and not isinstance(current, VariableOp)
                if own == ACTS or (kind == ACTS and (own == READS or is_line)):
                    return True
            current = current.next_op
        return False

    def _kind(self, operation: Operation) -> int:
        """What an operation itself depends on or changes."""
        if operation in self.choices:
            inner = [part for store in self.choices[operation].stores for part in store.parent.ops]  # type: ignore[union-attr]
            return max((self._kind(part) for part in inner if not isinstance(part, StoreOp)), default=READS)
        if isinstance(operation, (VariableOp, *_PLACES)):
            return PURE
        if may_write(operation):
            return ACTS
        return READS if may_read(operation) or operation in self.tested else PURE

    def _find_choice(self, load: LoadOp) -> None:
        """Finds the ternary, `and` or `or` whose result a load is."""
        choice = _ternary(load) or _chain(load)
        if choice is None:
            return
        blocks = [store.parent for store in choice.stores if store.parent is not None]
        for block in blocks:
            self._settle(block)
        inside = [part for block in blocks for part in block.ops if part not in self.gone]
        if all(part in self.within or part in choice.stores for part in inside):
            self.choices[load] = choice
            self.gone |= set(choice.parts)
            self._choice_of |= dict.fromkeys(choice.parts, load)


def _is_plain(store: StoreOp) -> bool:
    """Whether a store sets a variable that needs no annotation."""
    kind = store.value.type
    return not isinstance(kind, ScalarType) or kind in (INT, FLOAT, BOOL)


def _ternary(load: LoadOp) -> Choice | None:
    """`a if condition else b`, whose sides cannot be evaluated both."""
    branch = load.prev_op
    variable = branch.prev_op if branch is not None else None
    if not isinstance(branch, IfOp) or not isinstance(variable, VariableOp) or variable.initial is not None:
        return None
    stores = (branch.then.block.last_op, branch.orelse.block.last_op)
    is_ours = load.cell is variable.cell and all(
        isinstance(one, StoreOp) and one.cell is variable.cell for one in stores
    )
    if not is_ours or len(list(variable.cell.uses)) != 3:
        return None
    return Choice("if", branch.condition, stores, variable.cell, (variable, branch))  # type: ignore[arg-type]


def _chain(load: LoadOp) -> Choice | None:
    """`a and b`, `a or b`, whose right side may be evaluated only if it is needed."""
    branch = load.prev_op
    test = branch.prev_op if branch is not None else None
    variable = test.prev_op if test is not None else None
    if not isinstance(branch, IfOp) or not isinstance(test, LoadOp) or not isinstance(variable, VariableOp):
        return None
    then, orelse = branch.then.block, branch.orelse.block
    side = then if then.ops else orelse
    store = side.last_op
    is_ours = (
        variable.initial is not None
        and load.cell is variable.cell is test.cell
        and branch.condition is test.result
        and not (then.ops and orelse.ops)
        and isinstance(store, StoreOp)
        and store.cell is variable.cell
        and len(list(variable.cell.uses)) == 3
    )
    if not is_ours:
        return None
    assert isinstance(store, StoreOp) and variable.initial is not None
    return Choice("and" if then.ops else "or", variable.initial, (store,), variable.cell, (variable, test, branch))
