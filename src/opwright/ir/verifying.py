"""Checks IR before it is emitted: a net for our own mistakes, since the front end has checked the user's before.

In: any operation. Out: nothing, or xDSL's VerifyException. xDSL's own verifier looks at every operation as if it were
the first of its kind, which takes longer than emitting it; here operations of one shape (class, types, attributes) are
looked at once. Besides, an operand must be made before it is used, in a block that has not ended: xDSL does not check
that.
"""

from __future__ import annotations

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

_Shape = tuple[object, ...]
_verified: set[_Shape] = set()
_DIALECTS = ("py", "asc", "tile", "builtin")


def verify(root: Operation) -> None:
    """Raises VerifyException if something below `root`, or `root` itself, is not as its definition says."""
    _verify(root, set())


def _verify(operation: Operation, made: set[SSAValue]) -> None:
    for operand in operation.operands:
        if operand not in made:
            raise VerifyException(
                f"{operation.name} at {operation.attributes.get('at')} uses a value not made before it"
            )
    shape = _shape(operation)
    # What a last operation must be depends on where it stands.
    if shape not in _verified or operation.next_op is None:
        if operation.name.partition(".")[0] not in _DIALECTS or isinstance(operation, UnregisteredOp):
            raise VerifyException(f"{operation.name} is no operation of {', '.join(_DIALECTS)}")
        operation.verify(verify_nested_ops=False)
        _verified.add(shape)
    for region in operation.regions:
        for block in region.blocks:
            inside = {*block.args}
            made |= inside
            for inner in block.ops:
                if inner.parent is not block:
                    raise VerifyException(f"{inner.name} does not know the block it is in")
                _verify(inner, made)
                inside.update(inner.results)
                made.update(inner.results)
            made -= inside


def _shape(operation: Operation) -> _Shape:
    """Everything that decides whether an operation is as its definition says."""
    attributes = operation.attributes
    return (
        type(operation),
        operation.next_op is None,
        attributes.get("form"),
        tuple((name, type(attribute)) for name, attribute in attributes.items()),
        tuple(operand.type for operand in operation.operands),
        tuple(result.type for result in operation.results),
        tuple(len(region.blocks) for region in operation.regions),
    )
