"""Which results have a line of their own in a text, and which are written where they are used.

In: an operation with one result. Out: the answer, for the text and for passes that must not make it longer.
"""

from __future__ import annotations

from opwright.ir import Operation
from opwright.ir.calls import CallOp
from opwright.ir.language import BinaryOp, ForOp, LoadOp, StoreOp, UnaryOp, VariableOp
from opwright.ir.names import ATTRIBUTE


def has_line(operation: Operation) -> bool:
    """Whether a result is declared under a name, whatever stands between it and its use."""
    uses = list(operation.results[0].uses)
    if len(uses) != 1:
        return True
    user = uses[0].operation
    if user.parent is not operation.parent:
        return True
    kind, is_named = type(user), ATTRIBUTE in operation.attributes
    if kind is ForOp:
        # A loop evaluates its bounds once; what its core is, as GetBlockNum() says, is the same each time.
        return is_named or not _asks_the_core(operation)
    if kind is BinaryOp or kind is UnaryOp:
        # min, max and abs mention their operands twice. The attribute is read directly: every value is asked for.
        name = user.attributes["operator"].data  # type: ignore[attr-defined]
        if name in ("min", "max", "abs") and type(operation) is not LoadOp:
            return True
    # A named value is declared, so that the text reads like the Python; what is stored at once has its name.
    return is_named and kind is not StoreOp and kind is not VariableOp


def _asks_the_core(operation: Operation) -> bool:
    """Whether a call takes nothing and always gives the same number."""
    return isinstance(operation, CallOp) and operation.row.effect == "value" and not operation.operands
