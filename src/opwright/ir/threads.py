"""Threads in the `py` dialect: how a kernel starts them, and addresses as they have them.

In: the arguments of asc.vf_call. Out: operations. What threads do themselves are calls and functions like any other.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntAttr, StringAttr
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, attr_def, irdl_op_definition, operand_def, result_def, traits_def, var_operand_def
from xdsl.traits import Pure

from opwright.ir.traits import CallsFunction
from opwright.ir.types import PointerType, quoted


@irdl_op_definition
class PointerOp(IRDLOperation):
    """An address or a tensor as an argument of threads."""

    name = "py.pointer"
    value = operand_def()
    result = result_def(PointerType)
    traits = traits_def(Pure())

    def __init__(self, value: SSAValue, kind: PointerType) -> None:
        super().__init__(operands=[value], result_types=[kind])


@irdl_op_definition
class StartOp(IRDLOperation):
    """Starts a function on threads. The first operands are how many there are along x, y and z."""

    name = "py.start"
    callee = attr_def(StringAttr)
    axes = attr_def(IntAttr)
    values = var_operand_def()
    traits = traits_def(CallsFunction())

    def __init__(self, callee: str, threads: Sequence[SSAValue], arguments: Sequence[SSAValue]) -> None:
        attributes = {"callee": quoted(callee), "axes": IntAttr(len(threads))}
        super().__init__(operands=[[*threads, *arguments]], attributes=attributes)

    @property
    def threads(self) -> Sequence[SSAValue]:
        """How many there are along each axis."""
        return self.operands[: self.axes.data]

    @property
    def arguments(self) -> Sequence[SSAValue]:
        """What the function gets."""
        return self.operands[self.axes.data :]
