"""Tensors that a call changes: their size, shape, label or place.

In: a call whose form says which operand it changes; a tensor that is about to be copied into a variable of the text.
Refuses both for one tensor: Python would see the change through every name, the text only where it was made.
"""

from __future__ import annotations

import ast

from opwright.ascendc.row import NO_MEMORY, Form, Row
from opwright.errors import UnsupportedSyntax
from opwright.frontend.builder import Builder
from opwright.frontend.values import Runtime, Value
from opwright.ir import SSAValue
from opwright.ir.calls import CallOp
from opwright.ir.functions import HelperCallOp
from opwright.ir.language import StoreOp, VariableOp
from opwright.ir.types import GlobalType, LocalType


def check_changed(builder: Builder, row: Row, form: Form, values: dict[str, Value], node: ast.AST) -> None:
    """Refuses to change a tensor of which there are copies, or to give memory to one that has some."""
    for name in filter(None, (form.changes, form.places)):
        tensor = values[name]
        assert isinstance(tensor, Runtime)
        made = tensor.ssa.owner
        if not isinstance(made, CallOp) or _is_copied(tensor.ssa):
            raise UnsupportedSyntax(
                builder.at(node),
                what=f"{row.name.rpartition('.')[2]} on a tensor that a branch, a loop, a field or a helper has set",
                hint="change a tensor in the function that made it, under the name it was made with",
            )
        if form.places and made.chosen.start != NO_MEMORY:
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
    return [name for name in (form.changes, form.places) if name]


def _is_copied(tensor: SSAValue) -> bool:
    for use in tensor.uses:
        if isinstance(use.operation, (StoreOp, VariableOp)):
            return True
        # A helper may give back what it was given.
        if isinstance(use.operation, HelperCallOp):
            return any(isinstance(result.type, (GlobalType, LocalType)) for result in use.operation.results)
    return False
