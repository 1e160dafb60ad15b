"""The `tile` dialect: every operation verifies, prints, reads back, and says what it touches."""

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.ir import Block, Operation
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException

from opwright.ir.calls import dialect
from opwright.ir.dialect import PyDialect, TileDialect
from opwright.ir.language import BinaryOp as NumbersOp
from opwright.ir.language import ConstantOp, FuncOp, VariableOp
from opwright.ir.language import LoadOp as VariableLoadOp
from opwright.ir.names import name_of
from opwright.ir.tile import (
    PARALLEL,
    RANGE,
    ArangeOp,
    BinaryOp,
    CastOp,
    CompareNumberOp,
    CompareOp,
    CountedOp,
    DotOp,
    FillOp,
    FullOp,
    HelperOp,
    LoopOp,
    MakesTile,
    ReduceOp,
    SelectOp,
    TransposeOp,
    UnaryOp,
    ViewOp,
    WithNumberOp,
    counts_of,
    same_count,
    type_of,
)
from opwright.ir.tile_memory import AtomicOp, GatherOp, LoadOp, ReadOp, StoreOp
from opwright.ir.traits import READ, WRITE, effects_of, is_removable
from opwright.ir.types import FLOAT, INT, address, local_tensor, tile_type
from opwright.ir.verifying import verify

pytestmark = pytest.mark.quick


def kernel() -> FuncOp:
    """A kernel with every operation once."""
    made = FuncOp("kernel", [("x", address("float32")), ("n", INT)])
    x, n = made.body.block.args
    square, row, column = (tile_type(sizes, "float32") for sizes in ((8, 8), (1, 8), (8, 1)))

    def add(operation: Operation, block: Block = made.body.block) -> Operation:
        block.add_op(operation)
        return operation

    zero, one, eight = (add(ConstantOp(number, INT)).result for number in (0, 1, 8))
    half = add(ConstantOp(0.5, FLOAT)).result
    count = add(NumbersOp("min", n, eight)).result
    a = add(LoadOp(x, zero, [eight, one], square, [count, eight])).result
    top = add(ReduceOp("max", a, 0, row, [one, eight])).result
    line = add(ViewOp(top, tile_type((8,), "float32"), [eight])).result
    numbers = add(CastOp(add(ArangeOp(zero, tile_type((8,), "int32"), [count])).result, "float32")).result
    add(BinaryOp("add", line, numbers, type_of(line), [count]))
    index = add(CastOp(numbers, "int32")).result
    gathered = add(GatherOp(x, zero, index, count, 0, [eight, one], square, [count, eight]))
    side = add(ReduceOp("sum", gathered.result, 1, column, [count, one])).result
    mask = add(CompareOp("lt", a, side, tile_type((8, 8), "bool"), [count, eight])).result
    add(CompareNumberOp("ge", a, half))
    full = add(FullOp(add(ReadOp(x, n)).result, tile_type((1, 1), "float32"), [one, one])).result
    chosen = add(SelectOp(mask, a, full, square, [count, eight])).result
    filled = add(FillOp(add(UnaryOp("exp", chosen)).result, half, [eight, eight])).result
    product = add(DotOp(filled, add(TransposeOp(a)).result, filled, square, [eight, count])).result
    add(DotOp(filled, filled, None, square, [eight, eight]))
    body = Block(arg_types=[local_tensor("float32", "VECCALC")] * 2)
    add(HelperOp([filled], body, 64, square, [eight, eight]))
    scaled = add(WithNumberOp("div", product, half, reversed=True)).result
    cell = add(VariableOp(scaled, square)).cell
    inner, outer = Block(arg_types=[INT]), Block(arg_types=[INT])
    held = add(CountedOp(add(VariableLoadOp(cell), inner).results[0], square, [eight, count]), inner).results[0]
    add(StoreOp(held, x, inner.args[0], [eight, one], [eight, count]), inner)
    add(AtomicOp("add", scaled, x, outer.args[0], [eight, one], [eight, count]), outer)
    add(LoopOp(RANGE, zero, n, eight, inner, stages=3, name="cols"), outer)
    add(LoopOp(PARALLEL, zero, n, one, outer))
    return made


def test_every_operation_reads_back() -> None:
    module = ModuleOp([kernel()])
    module.verify()
    verify(module)
    assert {type(one) for one in module.walk()} >= set(TileDialect.operations)
    context = Context()
    for known in (Builtin, PyDialect, TileDialect, dialect()):
        context.load_dialect(known)
    back = Parser(context, str(module)).parse_module()
    back.verify()
    assert str(back) == str(module)


def test_counts_are_the_last_operands_of_all_that_make_tiles() -> None:
    for operation in kernel().walk():
        if isinstance(operation, MakesTile):
            counts = counts_of(operation.result)
            rank = len(type_of(operation.result).sizes)
            assert len(counts) == rank and tuple(operation.operands[len(operation.operands) - rank :]) == counts


def test_effects_name_the_address() -> None:
    made = kernel()
    x = made.body.block.args[0]
    touching = {LoadOp: {READ}, GatherOp: {READ}, ReadOp: {READ}, StoreOp: {WRITE}, AtomicOp: {READ, WRITE}}
    for operation in made.walk():
        if operation.name.startswith("tile.") and not isinstance(operation, LoopOp):
            effects = effects_of(operation)
            assert effects is not None
            assert {effect.kind for effect in effects} == touching.get(type(operation), set())
            assert all(effect.value is x for effect in effects)
            assert is_removable(operation) == (WRITE not in touching.get(type(operation), set()))


def test_equal_counts() -> None:
    first, same, other = (ConstantOp(number, INT).result for number in (8, 8, 9))
    n, m = FuncOp("kernel", [("n", INT), ("m", INT)]).body.block.args
    assert same_count(first, same) and same_count(n, n)
    assert not same_count(first, other) and not same_count(n, m) and not same_count(first, n)


def test_the_name_of_a_position() -> None:
    loops = [one for one in kernel().walk() if isinstance(one, LoopOp)]
    assert {name_of(loop.position) for loop in loops} == {"cols", None}


def test_a_wrong_type_is_found() -> None:
    made = kernel()
    load = next(one for one in made.walk() if isinstance(one, LoadOp))
    load.operands[1] = load.address
    with pytest.raises(VerifyException):
        ModuleOp([made]).verify()
