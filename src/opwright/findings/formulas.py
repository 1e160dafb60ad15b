"""Numbers of a kernel that the arguments of a launch settle.

In: a value of the IR. Out: a `Formula` that a manifest can hold, over the kernel's integers and its number of cores;
with those of a launch, its number. None where a value depends on more than that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from opwright.ascendc.traits import CountsCores
from opwright.kernel.arguments import BoundArguments
from opwright.kernel.layouts import slot_count

if TYPE_CHECKING:
    from opwright.ir import SSAValue

# A number, a name, or an operator with what it takes.
Formula = int | str | Sequence["Formula"]

CORES = "get_block_num()"  # no name of a parameter
MAX_SIZE = 64  # numbers, names and operators of a formula
# What sizes and offsets are made with. None of them makes a number that has no end.
_OPERATORS = frozenset({"add", "sub", "mul", "floordiv", "mod", "min", "max"})


def formula_of(value: SSAValue, origin: Callable[[SSAValue], SSAValue], max_size: int = MAX_SIZE) -> Formula | None:
    """The formula of a value; `origin` gives what was passed to a helper in the place of its parameter.

    None also of one with more than `max_size` numbers, names and operators: each use of a value repeats all of it.
    """
    from opwright.ir import Block  # a kernel of the store does without
    from opwright.ir.calls import CallOp
    from opwright.ir.language import CastOp, FuncOp, TwoScalars, constant_of
    from opwright.ir.types import unquoted

    value = origin(value)
    made = value.owner
    if max_size < 1:
        return None
    if (number := constant_of(value)) is not None:
        return number if isinstance(number, int) else None
    if isinstance(made, Block):
        function = made.parent_op()
        if not isinstance(function, FuncOp) or function.place:
            return None  # the variable of a loop, or of a helper that was not followed
        return unquoted(function.parameters.data[made.args.index(value)])
    if isinstance(made, CallOp):
        return CORES if made.chosen.get(CountsCores) else None
    if isinstance(made, CastOp):
        return formula_of(made.value, origin, max_size - 1)
    if not isinstance(made, TwoScalars) or made.operator.data not in _OPERATORS:
        return None
    left = formula_of(made.left, origin, max_size - 1)
    right = None if left is None else formula_of(made.right, origin, max_size - 1 - _size(left))
    return (made.operator.data, left, right) if left is not None and right is not None else None


def _size(formula: Formula) -> int:
    """How many numbers, names and operators it has."""
    return 1 if isinstance(formula, (int, str)) else 1 + sum(map(_size, formula[1:]))


def numbers_of(cores: int, bound: BoundArguments) -> dict[str, int]:
    """What the names in formulas stand for in a launch."""
    numbers, slot = {CORES: cores}, 0
    for name, kind in bound.types:
        if kind == "int":
            numbers[name] = int(bound.slots[slot])
        slot += slot_count(kind)
    return numbers


def value_of(formula: Formula, numbers: Mapping[str, int]) -> int | None:
    """The number of a formula."""
    if isinstance(formula, int):
        return formula
    if isinstance(formula, str):
        return numbers.get(formula)
    from opwright.ascendc.arithmetic import MEANING

    name, *rest = formula
    values = [value_of(one, numbers) for one in rest]
    if None in values or (values[-1] == 0 and name in ("floordiv", "mod")):
        return None
    return int(MEANING[str(name)](*values))
