"""The part of the `tile` dialect that is between the cores of a group: messages.

In: the workspace that a value goes through, and the slot of it. Out: an operation that sets a flag of other cores, or
waits for one. A flag counts: a wait takes one set away.
"""

from __future__ import annotations

from xdsl.dialects.builtin import IntAttr, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import IRDLOperation, attr_def, irdl_op_definition, operand_def, opt_operand_def, traits_def
from xdsl.traits import EffectInstance, MemoryEffect

from opwright.ir.traits import MEMORY, WRITE, Effects
from opwright.ir.types import AddressType, ScalarType

SET, WAIT = "set", "wait"


class _OrdersAddress(MemoryEffect):
    """Nothing that touches the workspace passes a message about it."""

    @classmethod
    def get_effects(cls, op: Operation) -> Effects:
        assert isinstance(op, MessageOp)
        return {EffectInstance(WRITE, op.address, MEMORY)}


@irdl_op_definition
class MessageOp(IRDLOperation):
    """SET: once the earlier work of `pipe` is done, the flag counts up for the cores of the other kind.

    WAIT: the later work of `pipe` starts when it was counted up. `flag`: its number, to which the slot is added.
    """

    name = "tile.message"
    verb = attr_def(StringAttr)
    flag = attr_def(IntAttr)
    pipe = attr_def(StringAttr)
    address = operand_def(AddressType)
    slot = opt_operand_def(ScalarType)
    traits = traits_def(_OrdersAddress())

    def __init__(self, verb: str, flag: int, pipe: str, address: SSAValue, slot: SSAValue | None) -> None:
        attributes = {"verb": StringAttr(verb), "flag": IntAttr(flag), "pipe": StringAttr(pipe)}
        super().__init__(operands=[address, [] if slot is None else [slot]], attributes=attributes)
