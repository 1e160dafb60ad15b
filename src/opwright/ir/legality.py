"""Whether a module is legal: a net for our own mistakes between two stages and before the text.

In: a module. Out: nothing, or xDSL's VerifyException. Legal at every stage is a module in which

- every operation is as its definition says, made of the dialects `py` and `asc` only;
- a value is made before it is used, in a block that has not ended, and a terminator is the last of its block;
- a call of Ascend C names a form that its row has, with an operand or a constant for each of its parameters;
- a call of a helper names a function that stands before the caller, and fits its parameters and results.

What a pass leaves besides is the pass's own: `check` of its module says it.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import VerifyException

from opwright.ir.functions import HelperCallOp, functions
from opwright.ir.language import FuncOp
from opwright.ir.threads import StartOp
from opwright.ir.types import unquoted
from opwright.ir.verifying import verify


def check(module: ModuleOp) -> None:
    """Raises VerifyException if a module is not legal."""
    verify(module)
    known: dict[str, FuncOp] = {}
    for function in functions(module):
        for operation in function.body.walk():
            if isinstance(operation, (HelperCallOp, StartOp)):
                _check_callee(operation, known.get(unquoted(operation.callee)))
        known[unquoted(function.sym_name)] = function


def _check_callee(call: HelperCallOp | StartOp, callee: FuncOp | None) -> None:
    """Raises VerifyException if a function does not stand before its caller, or takes or returns something else."""
    name = unquoted(call.callee)
    if callee is None:
        raise VerifyException(f"{call.name}: no function '{name}' stands before its caller")
    if [value.type for value in call.arguments] != [argument.type for argument in callee.body.block.args]:
        raise VerifyException(f"{call.name}: '{name}' takes arguments of other types")
    returned = callee.returned.data if callee.returned is not None else ()
    if [result.type for result in call.results] != [*returned]:
        raise VerifyException(f"{call.name}: '{name}' returns values of other types")
