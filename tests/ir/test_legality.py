"""What no stage may leave behind is refused: a module is legal, or the rule that it breaks is named."""

from collections.abc import Callable

import pytest
from xdsl.dialects.builtin import ModuleOp, UnregisteredOp
from xdsl.ir import Block, Operation
from xdsl.utils.exceptions import VerifyException

from opwright.ascendc.table import ROWS
from opwright.ir import ArrayAttr, StringAttr
from opwright.ir.calls import CallOp, call
from opwright.ir.functions import HelperCallOp, ReturnOp
from opwright.ir.language import BinaryOp, ConstantOp, ForOp, FuncOp, IfOp
from opwright.ir.legality import check
from opwright.ir.types import BOOL, FLOAT, INT, local_tensor
from opwright.passes import fold, hoist, simplify


def module(*operations: Operation, before: tuple[FuncOp, ...] = (), after: tuple[FuncOp, ...] = ()) -> ModuleOp:
    kernel = FuncOp("kernel", [("n", INT)])
    for operation in operations:
        kernel.body.block.add_op(operation)
    return ModuleOp([*before, kernel, *after])


def helper() -> FuncOp:
    """A function of an int that returns it."""
    made = FuncOp("helper", [("n", INT)], number=1)
    made.attributes["returned"] = ArrayAttr([INT])
    made.body.block.add_op(ReturnOp(made.body.block.args))
    return made


def barrier(**attributes: str) -> CallOp:
    row = ROWS["pipe_barrier"]
    return call(row, row.forms[0], [], [], attributes)


def test_what_is_legal() -> None:
    one = ConstantOp(1, INT)
    called = HelperCallOp("helper", [one.result], [INT])
    check(module(one, called, barrier(pipe="PIPE_ALL"), before=(helper(),)))


def calls(argument: Operation, results: list[object], **where: tuple[FuncOp, ...]) -> ModuleOp:
    return module(argument, HelperCallOp("helper", [argument.results[0]], results), **where)


def renamed() -> ModuleOp:
    wrong = barrier(pipe="PIPE_ALL")
    wrong.attributes["form"] = StringAttr("pipe: PipeID, count: int32")
    return module(wrong)


def with_results() -> ModuleOp:
    row = ROWS["pipe_barrier"]
    return module(call(row, row.forms[0], [], [local_tensor("float32", "VECIN")], {"pipe": "PIPE_ALL"}))


ILLEGAL: dict[str, tuple[Callable[[], ModuleOp], str]] = {
    "an operation of no dialect of ours": (
        lambda: module(UnregisteredOp.with_name("other.thing").create()),
        "is no operation of py, asc, tile",
    ),
    "a form that no row has": (renamed, "has no form"),
    "a parameter without an argument": (lambda: module(barrier()), "pipe is neither an operand nor a constant"),
    "a result that the form has not": (with_results, "has 1 results"),
    "a function that there is not": (lambda: calls(ConstantOp(1, INT), [INT]), "no function 'helper'"),
    "a function behind its caller": (lambda: calls(ConstantOp(1, INT), [INT], after=(helper(),)), "stands before"),
    "an argument of another type": (
        lambda: calls(ConstantOp(1.5, FLOAT), [INT], before=(helper(),)),
        "takes arguments",
    ),
    "a result of another type": (lambda: calls(ConstantOp(1, INT), [FLOAT], before=(helper(),)), "returns values"),
}


@pytest.mark.parametrize("name", ILLEGAL)
def test_what_is_not(name: str) -> None:
    made, words = ILLEGAL[name]
    with pytest.raises(VerifyException, match=words):
        check(made())


def test_what_fold_leaves() -> None:
    one = ConstantOp(1, BOOL)
    inner = Block()
    inner.add_op(barrier(pipe="PIPE_ALL"))
    with pytest.raises(VerifyException, match="a constant decides"):
        fold.check(module(one, IfOp(one.result, inner, Block())))
    with pytest.raises(VerifyException, match="nothing uses"):
        fold.check(module(ConstantOp(1, INT)))


def test_what_simplify_leaves() -> None:
    zero = ConstantOp(0, INT)
    with pytest.raises(VerifyException, match="nothing needs"):
        simplify.check(module(zero, BinaryOp("add", zero.result, zero.result)))


def test_what_hoist_leaves() -> None:
    row = ROWS["printf"]
    number, body = ConstantOp(3, INT), Block(arg_types=[INT])
    product = BinaryOp("mul", number.result, number.result)
    shown = call(row, row.forms[0], [product.result], [], {row.forms[0].parameters[0].name: "%d"})
    body.add_ops([product, shown])
    with pytest.raises(VerifyException, match="the same in every iteration"):
        hoist.check(module(number, ForOp(number.result, number.result, 1, "i", body)))
