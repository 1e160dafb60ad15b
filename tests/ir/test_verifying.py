"""The check before emitting: xDSL's, once for each shape, and the order of values besides."""

import pytest
from xdsl.utils.exceptions import VerifyException

from opwright.ascendc.table import ROWS
from opwright.ir import Block, Operation
from opwright.ir.calls import call
from opwright.ir.language import BinaryOp, ConstantOp, ForOp, FuncOp, LoadOp, StoreOp, VariableOp
from opwright.ir.types import FLOAT, INT, local_tensor
from opwright.ir.verifying import verify

pytestmark = pytest.mark.quick


def function(*operations: Operation) -> FuncOp:
    kernel = FuncOp("kernel", [("n", INT)])
    for operation in operations:
        kernel.body.block.add_op(operation)
    return kernel


def test_what_is_right() -> None:
    one = ConstantOp(1, INT)
    sums = [BinaryOp("add", one.result, one.result) for _ in range(3)]
    variable = VariableOp(one.result, INT)
    load = LoadOp(variable.cell)
    body = Block(arg_types=[INT])
    body.add_op(StoreOp(variable.cell, body.args[0]))
    verify(function(one, *sums, variable, load, ForOp(one.result, sums[0].result, 1, "i", body)))


def test_a_value_that_is_made_later() -> None:
    one = ConstantOp(1, INT)
    with pytest.raises(VerifyException, match="not made before"):
        verify(function(BinaryOp("add", one.result, one.result), one))


def test_a_value_of_a_block_that_has_ended() -> None:
    one, inner = ConstantOp(1, INT), ConstantOp(2, INT)
    body = Block(arg_types=[INT])
    body.add_op(inner)
    loop = ForOp(one.result, one.result, 1, "i", body)
    verify(function(one, loop))
    loop.detach()
    for value in (inner.result, body.args[0]):
        first = ConstantOp(1, INT)
        loop = ForOp(first.result, first.result, 1, "i", body.parent.detach_block(body))
        use = BinaryOp("add", value, value)
        with pytest.raises(VerifyException, match="not made before"):
            verify(function(first, loop, use))
        use.detach()
        use.erase()


def test_a_wrong_operand_is_refused_every_time() -> None:
    for _ in range(2):
        number = ConstantOp(1, INT)
        wrong = call(ROWS["add"], ROWS["add"].forms[0], [number.result] * 4, [], {})
        with pytest.raises(VerifyException, match="dst"):
            verify(function(number, wrong))


def test_shapes_differ_in_types_attributes_and_form() -> None:
    one = ConstantOp(1, INT)
    good = BinaryOp("add", one.result, one.result)
    verify(function(one, good, ConstantOp(0, INT)))
    one = ConstantOp(1, INT)
    missing = BinaryOp("add", one.result, one.result)
    del missing.attributes["operator"]
    with pytest.raises(VerifyException):
        verify(function(one, missing, ConstantOp(0, INT)))
    tensor = call(ROWS["LocalTensor"], ROWS["LocalTensor"].forms[0], [], [local_tensor("float32", "VECIN")], {})
    wrong = BinaryOp("add", tensor.results[0], tensor.results[0])
    with pytest.raises(VerifyException):
        verify(function(tensor, wrong, ConstantOp(0.5, FLOAT)))
