"""Tensors that a call changes: their size, shape, label or place.

In: a call whose form says which operand it changes; a tensor that is about to be copied into a variable of the text.
Refuses both for one tensor: Python would see the change through every name, the text only where it was made.
"""

from __future__ import annotations

import ast

from opwright.ascendc.row import Form, Row
from opwright.ascendc.traits import Binds, Changes, Places, WithoutMemory
from opwright.errors import UnsupportedSyntax
from opwright.frontend.builder import Builder
from opwright.ir import Operation, SSAValue
from opwright.ir.aggregates import MemberOp
from opwright.ir.calls import CallOp
from opwright.ir.functions import HelperCallOp
from opwright.ir.language import StoreOp, VariableOp
from opwright.ir.types import GlobalType, LocalType
from opwright.ir.values import RunTimeValue, Value


def check_changed(builder: Builder, row: Row, form: Form, values: dict[str, Value], node: ast.AST) -> None:
    """Refuses to change a tensor of which there are copies, or to give memory to one that has some."""
    for name in _changed(form):
        tensor = values[name]
        assert isinstance(tensor, RunTimeValue)
        made = tensor.ssa.owner
        if not isinstance(made, CallOp) or _is_copied(tensor.ssa):
            raise UnsupportedSyntax(
                builder.at(node),
                what=f"{row.name.rpartition('.')[2]} on a tensor that a branch, a loop, a field or a helper has set",
                hint="change a tensor in the function that made it, under the name it was made with",
            )
        if form.get(Places) and not made.chosen.get(WithoutMemory):
            raise UnsupportedSyntax(
                builder.at(node),
                what=f"{row.name.rpartition('.')[2]} on a tensor that was made with memory",
                hint="make it with asc.LocalTensor(dtype) alone",
            )


def is_changed(tensor: SSAValue) -> bool:
    """Whether some call so far changes a tensor."""
    return any(
        isinstance(use.operation, CallOp)
        and any(use.operation.named().get(name) is tensor for name in _changed(use.operation.chosen))
        for use in tensor.uses
    )


def _changed(form: Form) -> list[str]:
    return [one.operand for one in (form.get(Changes), form.get(Places)) if one]


def _is_copied(tensor: SSAValue) -> bool:
    for use in tensor.uses:
        if isinstance(use.operation, (StoreOp, VariableOp)):
            return True
        # A helper may give back what it was given.
        if isinstance(use.operation, HelperCallOp):
            return any(isinstance(result.type, (GlobalType, LocalType)) for result in use.operation.results)
    return False


def refuse_copies(builder: Builder, tensor: RunTimeValue, node: ast.AST) -> None:
    """Variables of the text hold copies of a tensor; Python would see the new buffer through each of them."""
    copied = any(isinstance(use.operation, (StoreOp, VariableOp)) for use in tensor.ssa.uses)
    # A field that gets its buffer later than in __init__ may be known under another name by then.
    is_new_field = isinstance(tensor.ssa.owner, MemberOp) and builder.function.python.__name__ == "__init__"
    if copied or not (_is_new_tensor(tensor) or is_new_field):
        raise UnsupportedSyntax(
            builder.at(node),
            what="set_global_buffer on a part of a tensor, on one that a branch or a loop sets, or on an old field",
            hint="give each tensor its buffer right after x_gm = asc.GlobalTensor(), fields in __init__",
        )


def refuse_late_buffer(builder: Builder, name: str, tensor: RunTimeValue, node: ast.AST) -> None:
    """A tensor that becomes a variable of the text must have its buffer, and for good."""
    if isinstance(tensor.type, (GlobalType, LocalType)) and is_changed(tensor.ssa):
        raise UnsupportedSyntax(
            builder.at(node),
            what=f"setting '{name}' in a branch or a loop to a tensor that a call changes",
            hint="take a part of it: name = tensor[0:] is a tensor of its own",
        )
    if not isinstance(tensor.type, GlobalType):
        return
    made = tensor.ssa.owner
    sets = [use.operation for use in tensor.ssa.uses if _binds(use.operation)]
    late = _is_new_tensor(tensor) and any(operation.parent is not made.parent for operation in sets)
    if tensor.type.dtype.data == "?" or late:
        raise UnsupportedSyntax(
            builder.at(node),
            what=f"setting '{name}', a global tensor that has no buffer yet or gets another, in a branch or a loop",
            hint="give each tensor its buffer right after x_gm = asc.GlobalTensor()",
        )


def _is_new_tensor(tensor: RunTimeValue) -> bool:
    return isinstance(tensor.ssa.owner, CallOp) and bool(tensor.ssa.owner.row.makes)


def _binds(operation: Operation) -> bool:
    """Whether it gives a global tensor its memory."""
    return isinstance(operation, CallOp) and operation.chosen.get(Binds) is not None
