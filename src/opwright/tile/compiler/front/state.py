"""What one compilation of a tile kernel knows beside its builder: tensors, counts of variables, what the host tests.

In: builders whose grammar is a `TileGrammar`. Out: the `State` that its parts share, constants and counts.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from opwright.frontend.builder import Builder, Grammar
from opwright.ir import Block, SSAValue, StringAttr
from opwright.ir.bounds import bounds_of
from opwright.ir.language import BinaryOp, ConstantOp, constant_of
from opwright.ir.tile import same_count
from opwright.ir.types import INT
from opwright.ir.values import Constant, RunTimeValue, Value
from opwright.tile.compiler.front.host import HostFacts


@dataclass
class State:
    """Shared by all functions of one compilation.

    varying: counts that a variable of tiles changes, as (number of the variable, axis); a first attempt has none.
    changing: those that were found and are not in `varying`: what was lowered is wrong.
    """

    varying: frozenset[tuple[int, int]] = frozenset()
    changing: set[tuple[int, int]] = field(default_factory=set)
    host: HostFacts = field(default_factory=HostFacts)
    variables: dict[SSAValue, list[SSAValue]] = field(default_factory=dict)  # counts, or cells that hold them
    blocks: list[Block] = field(default_factory=list)  # those that are being built, outermost first
    known: dict[SSAValue, int] = field(default_factory=dict)  # numbers that `tile.assume` states
    multiples: dict[SSAValue, int] = field(default_factory=dict)  # numbers of which it states a divisor
    limits: dict[SSAValue, Value] = field(default_factory=dict)  # what numbers of a loop stay below, from 0 on
    tested: set[tuple[object, ...]] = field(default_factory=set)  # positions that the core tests, by block
    offsets: dict[tuple[object, ...], SSAValue] = field(default_factory=dict)  # of first elements, by block and index
    shapes: set[SSAValue] = field(default_factory=set)  # lengths of axes, which are not negative
    read: set[str] = field(default_factory=set)  # tensors that numbers are read from
    written: set[str] = field(default_factory=set)
    parallel: int = 0  # how many loops of tile.parallel enclose the current statement
    branches: int = 0  # how many branches at run time do
    is_branch: bool = False  # whether the innermost statement around the current one is an `if` or a `while`
    constants: dict[int, SSAValue] = field(default_factory=dict)
    least: dict[tuple[Block, SSAValue, SSAValue], SSAValue] = field(default_factory=dict)


@dataclass(frozen=True)
class TileGrammar(Grammar):
    """The grammar of tile kernels, with what its parts share."""

    state: State


def state_of(builder: Builder) -> State:
    """What the compilation knows."""
    assert isinstance(builder.grammar, TileGrammar)
    return builder.grammar.state


def first_place(builder: Builder) -> StringAttr:
    """The place of what stands for no line of its own: the start of the function."""
    return StringAttr(builder.mark(builder.definition))


def constant(builder: Builder, number: int) -> SSAValue:
    """An integer at the start of the kernel: equal ones are one value."""
    state = state_of(builder)
    if number not in state.constants:
        first = state.blocks[0]
        made = ConstantOp(number, INT)
        made.attributes["at"] = first_place(builder)
        if first.first_op is None:
            first.add_op(made)
        else:
            first.insert_op_before(made, first.first_op)
        state.constants[number] = made.result
    return state.constants[number]


def integer(builder: Builder, value: Value) -> SSAValue:
    """An integer as an operand: a constant is that of the start of the kernel."""
    if isinstance(value, Constant):
        assert isinstance(value.value, int)
        return constant(builder, value.value)
    assert isinstance(value, RunTimeValue)
    found = state_of(builder).known.get(value.ssa)
    return value.ssa if found is None else constant(builder, found)


def not_negative(builder: Builder, number: SSAValue, node: ast.AST) -> SSAValue:
    """A number, or 0 where it is less."""
    if number in state_of(builder).shapes or bounds_of(number)[0] >= 0:
        return number
    return builder.add(BinaryOp("max", number, constant(builder, 0)), node).results[0]


def smaller(builder: Builder, first: SSAValue, second: SSAValue, size: int, node: ast.AST) -> SSAValue:
    """The smaller one of two counts of an axis that has a size."""
    if same_count(first, second) or constant_of(second) == size:
        return first
    numbers = constant_of(first), constant_of(second)
    if numbers[0] == size:
        return second
    if numbers[0] is not None and numbers[1] is not None:
        return first if numbers[0] < numbers[1] else second
    least = state_of(builder).least
    for key in ((builder.block, first, second), (builder.block, second, first)):
        if key in least:
            return least[key]
    made = builder.add(BinaryOp("min", first, second), node).results[0]
    least[builder.block, first, second] = made
    return made
