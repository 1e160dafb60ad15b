"""Functions of a kernel's module in the `py` dialect: how helpers are called, what they return, the author's C++.

In: the kernel's own functions and their arguments. Out: operations. A module holds structs first, then functions, every
helper before its callers and the kernel last.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation, attr_def, irdl_op_definition, traits_def, var_operand_def, var_result_def
from xdsl.traits import NoMemoryEffect, ReturnLike

from opwright.ir.language import FuncOp
from opwright.ir.traits import CallsFunction, Jump
from opwright.ir.types import quoted, unquoted


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """Ends a function, with its results."""

    name = "py.return"
    values = var_operand_def()
    traits = traits_def(NoMemoryEffect(), Jump(), ReturnLike())

    def __init__(self, values: Sequence[SSAValue] = ()) -> None:
        super().__init__(operands=[list(values)])


@irdl_op_definition
class HelperCallOp(IRDLOperation):
    """Calls a helper. It may do anything a helper can."""

    name = "py.call"
    callee = attr_def(StringAttr)
    arguments = var_operand_def()
    outcome = var_result_def()
    traits = traits_def(CallsFunction())

    def __init__(self, callee: str, arguments: Sequence[SSAValue], results: Sequence[Attribute]) -> None:
        super().__init__(
            operands=[list(arguments)], result_types=[list(results)], attributes={"callee": quoted(callee)}
        )


@irdl_op_definition
class InlineOp(IRDLOperation):
    """The author's C++, unchanged; $0, $1, ... are its operands. Nothing is known about what it does."""

    name = "py.inline"
    code = attr_def(StringAttr)
    before = attr_def(StringAttr)  # "function": it stands before all functions; otherwise ""
    values = var_operand_def()

    def __init__(self, code: str, values: Sequence[SSAValue], before_function: bool) -> None:
        attributes = {"code": quoted(code), "before": StringAttr("function" if before_function else "")}
        super().__init__(operands=[list(values)], attributes=attributes)


def functions(module: ModuleOp) -> list[FuncOp]:
    """The functions of a module, the kernel last."""
    return [operation for operation in module.body.block.ops if isinstance(operation, FuncOp)]


def by_name(module: ModuleOp) -> dict[str, FuncOp]:
    """The functions of a module by the names that calls use."""
    return {unquoted(function.sym_name): function for function in functions(module)}
