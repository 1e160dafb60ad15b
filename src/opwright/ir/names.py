"""The author's names of values. xDSL's own hints cannot hold them: they take ASCII only and lose a `_1` at the end.

In: a value. Out: the name that the kernel's Python gave it. A result keeps it as an attribute of its operation.
"""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from opwright.ir.language import FuncOp
from opwright.ir.types import quoted, unquoted

ATTRIBUTE = "variable"


def set_name(value: SSAValue, name: str) -> None:
    """Names the result of an operation, unless it has a name."""
    owner = value.owner
    if isinstance(owner, Operation):
        owner.attributes.setdefault(ATTRIBUTE, quoted(name))


def name_of(value: SSAValue) -> str | None:
    """The name of a result, a parameter or a loop's index."""
    owner = value.owner
    if isinstance(owner, Block):
        assert isinstance(value, BlockArgument)
        match owner.parent_op():
            case FuncOp() as kernel:
                return unquoted(kernel.parameters.data[value.index])
            case Operation() as loop:
                owner = loop
            case None:
                return None
    name = owner.attributes.get(ATTRIBUTE)
    return unquoted(name) if isinstance(name, StringAttr) else None
