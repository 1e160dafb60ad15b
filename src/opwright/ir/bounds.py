"""What is known about an integer at compile time: the least and the greatest number that it can be.

In: a value of the IR. Out: its bounds; those of an int64 where nothing is known. A sum or a product that might wrap has
no others. Looks a few operations deep only, since values may be shared many times over.
"""

from __future__ import annotations

from opwright.ascendc.dtypes import DTYPES
from opwright.ir import Block, SSAValue
from opwright.ir.calls import CallOp
from opwright.ir.language import BinaryOp, CastOp, ConstantOp, ForOp, TruncDivOp
from opwright.ir.types import BOOL

Bounds = tuple[int, int]

_ANY: Bounds = DTYPES["int64"].limits
_MOST = _ANY[1]
_SMALL = 65535  # of cores, threads and their indices
_DEPTH = 5


def bounds_of(value: SSAValue, depth: int = _DEPTH) -> Bounds:
    """The least and the greatest number that an integer can be."""
    made = value.owner
    if isinstance(made, Block):
        return _index_bounds(made, depth)
    match made:
        case ConstantOp() if isinstance(made.number, int):
            return made.number, made.number
        case CastOp() if made.value.type == BOOL:
            return 0, 1
        case CallOp() if made.row.nonnegative:
            return int(made.row.positive), _SMALL if made.row.small else _MOST
        case BinaryOp() | TruncDivOp() if depth:
            return _computed(made.operator.data, bounds_of(made.left, depth - 1), bounds_of(made.right, depth - 1))
    return _ANY


def _index_bounds(block: Block, depth: int) -> Bounds:
    """Those of a loop's index that counts up; of a parameter nothing is known."""
    loop = block.parent_op()
    if not isinstance(loop, ForOp) or loop.step.data < 0 or not depth:
        return _ANY
    return bounds_of(loop.start, depth - 1)[0], max(bounds_of(loop.stop, depth - 1)[1] - 1, _ANY[0])


def _computed(name: str, left: Bounds, right: Bounds) -> Bounds:
    """Those of a result, if it cannot wrap."""
    match name:
        case "add":
            return _within(left[0] + right[0], left[1] + right[1])
        case "sub":
            return _within(left[0] - right[1], left[1] - right[0])
        case "mul":
            products = [one * other for one in left for other in right]
            return _within(min(products), max(products))
        case "min":
            return min(left[0], right[0]), min(left[1], right[1])
        case "max":
            return max(left[0], right[0]), max(left[1], right[1])
        case "mod" if right[0] > 0:
            return 0, right[1] - 1
        case "floordiv" if right[0] > 0 and left[0] >= 0:
            return left[0] // right[1], left[1] // right[0]
        case "and" if left[0] >= 0 or right[0] >= 0:
            return 0, _MOST
    return _ANY


def _within(low: int, high: int) -> Bounds:
    return (low, high) if _ANY[0] <= low and high <= _MOST else _ANY
