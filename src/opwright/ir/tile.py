"""The `tile` dialect: values of tiles, which live between the author's kernel over tiles and calls of Ascend C.

In: tiles, numbers and addresses. Out: operations whose results are tiles of a static shape and a data type. Numbers and
control flow are those of `py`; a name that holds tiles and is set again is a variable of `py`. What reads and writes
global memory is in `tile_memory.py`.

Every operation that makes a tile has `counts`: for each axis an INT, how many of its elements are there. What lies
beyond does not exist. Counts of one span are one value; `same_count` compares two. `counts_of` gives those of a tile.

Operands of one operation have equal ranks and data types; sizes of an axis are equal, or one of them is 1. Numbers are
FLOAT for tiles of floats and INT for tiles of integers and bool; they take the tile's data type before anything is
computed. Every operation rounds to its data type. Meaning: the same functions of `opwright.tile` in NumPy.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import BoolAttr, IntAttr, StringAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    attr_def,
    irdl_op_definition,
    operand_def,
    opt_attr_def,
    opt_operand_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import NoTerminator, Pure, RecursiveMemoryEffect

from opwright.ir import language as py
from opwright.ir.language import constant_of, held
from opwright.ir.traits import Loop
from opwright.ir.types import CellType, ScalarType, TileType, quoted, tile_type

MASK = "bool"  # the data type of what comparisons give

UNARY = (
    *("exp", "log", "sqrt", "rsqrt", "reciprocal", "tanh", "sigmoid", "erf"),
    *("abs", "neg", "floor", "ceil", "round", "not"),
)
BINARY = ("add", "sub", "mul", "div", "max", "min", "and", "or")  # max(a, b) is a if a > b else b
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
REDUCTIONS = ("sum", "max", "min")


def holds_tile(value: SSAValue) -> bool:
    """Whether a value is a tile, or a variable that holds tiles."""
    return isinstance(value.type.content if isinstance(value.type, CellType) else value.type, TileType)


def type_of(value: SSAValue) -> TileType:
    """The type of a tile, or of what a variable holds."""
    kind = value.type.content if isinstance(value.type, CellType) else value.type
    assert isinstance(kind, TileType)
    return kind


def counts_of(value: SSAValue) -> tuple[SSAValue, ...]:
    """How many elements of each axis of a tile are there."""
    assert isinstance(value.owner, MakesTile), "a tile that a variable holds is used behind tile.counted"
    return tuple(value.owner.counts)


def same_count(first: SSAValue, second: SSAValue) -> bool:
    """Whether two counts are known to be equal."""
    return first is second or (constant_of(first) is not None and constant_of(first) == constant_of(second))


_THERE = "there"


def set_there(count: SSAValue) -> None:
    """States that a count is at least 1, as that of an iteration's span is."""
    assert isinstance(count.owner, Operation)
    count.owner.attributes[_THERE] = StringAttr("")


def is_there(count: SSAValue) -> bool:
    """Whether a count is known to be at least 1, whichever number a variable holds."""
    seen, waiting = set(), [count]
    while waiting:
        current = waiting.pop()
        owner, known = current.owner, constant_of(current)
        if current in seen or (known or 0) > 0 or (isinstance(owner, Operation) and _THERE in owner.attributes):
            continue
        seen.add(current)
        if isinstance(owner, py.BinaryOp) and owner.operator.data == "min":
            waiting += [owner.left, owner.right]
        elif isinstance(owner, py.LoadOp) and isinstance(owner.cell.owner, py.VariableOp):
            waiting += held(owner.cell)
        else:
            return False
    return True


def is_of_tiles(operation: Operation) -> bool:
    """Whether an operation makes, takes or keeps a tile."""
    return any(holds_tile(value) for value in (*operation.operands, *operation.results))


class MakesTile(IRDLOperation):
    """An operation whose result is a tile; `counts` are its last operands."""

    counts = var_operand_def(ScalarType)
    result = result_def(TileType)


@irdl_op_definition
class FullOp(MakesTile):
    """A tile of one number."""

    name = "tile.full"
    number = operand_def(ScalarType)
    traits = traits_def(Pure())

    def __init__(self, number: SSAValue, kind: TileType, counts: Sequence[SSAValue]) -> None:
        super().__init__(operands=[number, counts], result_types=[kind])


@irdl_op_definition
class ArangeOp(MakesTile):
    """start, start + 1 and so on, along the only axis."""

    name = "tile.arange"
    start = operand_def(ScalarType)
    traits = traits_def(Pure())

    def __init__(self, start: SSAValue, kind: TileType, counts: Sequence[SSAValue]) -> None:
        super().__init__(operands=[start, counts], result_types=[kind])


class OneTile(MakesTile):
    """An operation on one tile, whose result has another type at most: `kind`."""

    x = operand_def(TileType)
    traits = traits_def(Pure())

    def __init__(
        self,
        x: SSAValue,
        kind: TileType,
        counts: Sequence[SSAValue],
        attributes: dict[str, Attribute] | None = None,
    ) -> None:
        super().__init__(operands=[x, counts], attributes=attributes, result_types=[kind])


@irdl_op_definition
class UnaryOp(OneTile):
    """One of UNARY, element by element."""

    name = "tile.unary"
    operator = attr_def(StringAttr)

    def __init__(self, operator: str, x: SSAValue) -> None:
        super().__init__(x, type_of(x), counts_of(x), {"operator": StringAttr(operator)})


@irdl_op_definition
class CastOp(OneTile):
    """The tile in another data type; `round` is one of ROUNDINGS of `tile/shapes.py`.

    Integers saturate, NaN becomes 0 as an integer.
    """

    name = "tile.cast"
    round = attr_def(StringAttr)

    def __init__(self, x: SSAValue, dtype: str, round: str = "nearest") -> None:
        super().__init__(x, tile_type(type_of(x).sizes, dtype), counts_of(x), {"round": StringAttr(round)})

    @property
    def dtype(self) -> str:
        """The new data type."""
        return type_of(self.result).dtype.data


@irdl_op_definition
class ReduceOp(OneTile):
    """One of REDUCTIONS over what is there of an axis, which stays with size 1."""

    name = "tile.reduce"
    operator = attr_def(StringAttr)
    axis = attr_def(IntAttr)

    def __init__(self, operator: str, x: SSAValue, axis: int, kind: TileType, counts: Sequence[SSAValue]) -> None:
        super().__init__(x, kind, counts, {"operator": StringAttr(operator), "axis": IntAttr(axis)})


@irdl_op_definition
class ViewOp(OneTile):
    """The same elements with axes of size 1 more or less."""

    name = "tile.view"


@irdl_op_definition
class TransposeOp(OneTile):
    """Rows become columns; only of rank 2."""

    name = "tile.transpose"

    def __init__(self, x: SSAValue) -> None:
        kind = type_of(x)
        super().__init__(x, tile_type(kind.sizes[::-1], kind.dtype.data), counts_of(x)[::-1])


@irdl_op_definition
class CountedOp(OneTile):
    """What a variable holds, with its counts."""

    name = "tile.counted"


@irdl_op_definition
class FillOp(MakesTile):
    """The whole tile, with a number where nothing was there."""

    name = "tile.fill"
    x = operand_def(TileType)
    number = operand_def(ScalarType)
    traits = traits_def(Pure())

    def __init__(self, x: SSAValue, number: SSAValue, counts: Sequence[SSAValue]) -> None:
        super().__init__(operands=[x, number, counts], result_types=[x.type])


class TwoTiles(MakesTile):
    """An operator on two tiles, element by element."""

    operator = attr_def(StringAttr)
    a = operand_def(TileType)
    b = operand_def(TileType)
    traits = traits_def(Pure())

    def __init__(self, operator: str, a: SSAValue, b: SSAValue, kind: TileType, counts: Sequence[SSAValue]) -> None:
        attributes = {"operator": StringAttr(operator)}
        super().__init__(operands=[a, b, counts], attributes=attributes, result_types=[kind])


@irdl_op_definition
class BinaryOp(TwoTiles):
    """One of BINARY."""

    name = "tile.binary"


@irdl_op_definition
class CompareOp(TwoTiles):
    """One of COMPARISONS: a tile of bool."""

    name = "tile.compare"


class TileAndNumber(MakesTile):
    """An operator on a tile and a number."""

    operator = attr_def(StringAttr)
    x = operand_def(TileType)
    number = operand_def(ScalarType)
    traits = traits_def(Pure())


@irdl_op_definition
class WithNumberOp(TileAndNumber):
    """One of BINARY: the tile comes first, or the number if `reversed`."""

    name = "tile.with_number"
    reversed = attr_def(BoolAttr)

    def __init__(self, operator: str, x: SSAValue, number: SSAValue, reversed: bool = False) -> None:
        attributes = {"operator": StringAttr(operator), "reversed": BoolAttr.from_bool(reversed)}
        super().__init__(operands=[x, number, counts_of(x)], attributes=attributes, result_types=[x.type])

    @property
    def is_reversed(self) -> bool:
        """Whether the number comes first."""
        return bool(self.reversed.value.data)


@irdl_op_definition
class CompareNumberOp(TileAndNumber):
    """One of COMPARISONS, of the tile with the number: a tile of bool."""

    name = "tile.compare_number"

    def __init__(self, operator: str, x: SSAValue, number: SSAValue) -> None:
        attributes = {"operator": StringAttr(operator)}
        kind = tile_type(type_of(x).sizes, MASK)
        super().__init__(operands=[x, number, counts_of(x)], attributes=attributes, result_types=[kind])


@irdl_op_definition
class SelectOp(MakesTile):
    """a where the mask holds, else b. A number is a `tile.full` of sizes 1."""

    name = "tile.select"
    mask = operand_def(TileType)
    a = operand_def(TileType)
    b = operand_def(TileType)
    traits = traits_def(Pure())

    def __init__(self, mask: SSAValue, a: SSAValue, b: SSAValue, kind: TileType, counts: Sequence[SSAValue]) -> None:
        super().__init__(operands=[mask, a, b, counts], result_types=[kind])


@irdl_op_definition
class DotOp(MakesTile):
    """The product of two matrices, added to `acc`."""

    name = "tile.dot"
    irdl_options = (AttrSizedOperandSegments(),)
    a = operand_def(TileType)
    b = operand_def(TileType)
    acc = opt_operand_def(TileType)
    traits = traits_def(Pure())

    def __init__(
        self, a: SSAValue, b: SSAValue, acc: SSAValue | None, kind: TileType, counts: Sequence[SSAValue]
    ) -> None:
        super().__init__(operands=[a, b, [] if acc is None else [acc], counts], result_types=[kind])


@irdl_op_definition
class HelperOp(MakesTile):
    """What a function of `opwright.asc` makes of tiles. `body`: its calls, on local tensors.

    Its arguments are tensors of the inputs, one of the result, and one of `scratch` bytes, if that is more than 0.
    """

    name = "tile.helper"
    irdl_options = (AttrSizedOperandSegments(),)
    scratch = attr_def(IntAttr)
    inputs = var_operand_def(TileType)
    body = region_def("single_block")
    traits = traits_def(NoTerminator(), RecursiveMemoryEffect())

    def __init__(
        self, inputs: Sequence[SSAValue], body: Block, scratch: int, kind: TileType, counts: Sequence[SSAValue]
    ) -> None:
        super().__init__(
            operands=[inputs, counts],
            attributes={"scratch": IntAttr(scratch)},
            result_types=[kind],
            regions=[Region(body)],
        )


PARALLEL, RANGE = "parallel", "range"
ONCE = "once"  # an attribute of loops that have one iteration each time


@irdl_op_definition
class LoopOp(IRDLOperation):
    """Iterations over positions first, first + step and so on, below last; all three are INT. `kind` is one of:

    "parallel": the iterations from 0 on, in any order, on any core; several axes are one, and divisions in the body
    give the position of each. "range": in order; a position is the start of a span. `stages`: how many iterations have
    tiles in memory at the same time.
    """

    name = "tile.loop"
    kind = attr_def(StringAttr)
    stages = attr_def(IntAttr)
    variable = opt_attr_def(StringAttr)  # the author's name of the position, if it has one
    first = operand_def(ScalarType)
    last = operand_def(ScalarType)
    step = operand_def(ScalarType)
    body = region_def("single_block")
    traits = traits_def(NoTerminator(), RecursiveMemoryEffect(), Loop())

    def __init__(
        self, kind: str, first: SSAValue, last: SSAValue, step: SSAValue, body: Block, stages: int = 2, name: str = ""
    ) -> None:
        attributes: dict[str, Attribute] = {"kind": StringAttr(kind), "stages": IntAttr(stages)}
        if name:
            attributes["variable"] = quoted(name)
        super().__init__(operands=[first, last, step], attributes=attributes, regions=[Region(body)])

    @property
    def position(self) -> SSAValue:
        """The position, in the body."""
        return self.body.block.args[0]
