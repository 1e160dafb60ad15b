"""What is known about an integer at compile time: the least and the greatest number that it can be.

In: a value of the IR. Out: its bounds; those of its type where nothing is known, as of any number that is no integer.
A sum or a product that might wrap has no others. A divisor is not 0: the kernel stops before. The index of a core may
exceed the number of cores, which counts groups in a kernel of both kinds of cores.

Looks some operations deep only. Who asks for many values gives `known`, where answers are kept.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import cache

from opwright.ascendc.dtypes import DTYPES
from opwright.ir import Attribute, Block, Operation, SSAValue
from opwright.ir.calls import CallOp
from opwright.ir.language import BinaryOp, CastOp, ConstantOp, ForOp, SelectOp, TruncDivOp, UnaryOp
from opwright.ir.types import BOOL, INT, ScalarType

Bounds = tuple[int, int]
Known = dict[SSAValue, Bounds]

_MOST_SMALL = 65535  # of cores, threads and their indices
_DEPTH = 32


def bounds_of(value: SSAValue, known: Known | None = None) -> Bounds:
    """The least and the greatest number that an integer can be."""
    return _bounds(value, {} if known is None else known, _DEPTH)


def is_nonnegative(value: SSAValue, known: Known | None = None) -> bool:
    """Whether a value is an integer that is certainly not below zero."""
    return _is_integer(value.type) and bounds_of(value, known)[0] >= 0


@cache
def _is_integer(kind: Attribute) -> bool:
    return isinstance(kind, ScalarType) and (kind == BOOL or DTYPES[kind.dtype.data].is_int())


@cache
def _limits(kind: Attribute) -> Bounds:
    """What a type can hold."""
    if kind == BOOL:
        return 0, 1
    return DTYPES[kind.dtype.data].limits if isinstance(kind, ScalarType) and _is_integer(kind) else _limits(INT)


def _bounds(value: SSAValue, known: Known, depth: int) -> Bounds:
    if value in known:
        return known[value]
    limits = _limits(value.type)
    if not depth or not _is_integer(value.type):
        return limits
    made = value.owner
    found = _of_index(made, known, depth) if isinstance(made, Block) else _of_result(made, limits, known, depth)
    # What may wrap can be any number of its type.
    known[value] = found if found and limits[0] <= found[0] and found[1] <= limits[1] else limits
    return known[value]


def _of_index(block: Block, known: Known, depth: int) -> Bounds | None:
    """Those of a loop's index that counts up; of a parameter nothing is known but its type."""
    loop = block.parent_op()
    if not isinstance(loop, ForOp) or loop.step.data < 0:
        return None
    first = _bounds(loop.start, known, depth - 1)[0]
    return first, max(first, _bounds(loop.stop, known, depth - 1)[1] - 1)


def _of_result(made: Operation, limits: Bounds, known: Known, depth: int) -> Bounds | None:
    """Those of what an operation computes, before it wraps; None where nothing is known."""
    if isinstance(made, CallOp):
        greatest = _MOST_SMALL if made.row.small else limits[1]
        return (int(made.row.positive), greatest) if made.row.nonnegative else None
    if isinstance(made, ConstantOp):
        return int(made.number), int(made.number)
    if isinstance(made, CastOp):
        return _bounds(made.value, known, depth - 1) if _is_integer(made.value.type) else None
    if isinstance(made, SelectOp):
        left, right = _bounds(made.left, known, depth - 1), _bounds(made.right, known, depth - 1)
        return min(left[0], right[0]), max(left[1], right[1])
    if isinstance(made, UnaryOp):
        return _of_one(made.operator.data, _bounds(made.value, known, depth - 1))
    if isinstance(made, (BinaryOp, TruncDivOp)):
        left, right = _bounds(made.left, known, depth - 1), _bounds(made.right, known, depth - 1)
        if isinstance(made, TruncDivOp):
            left, right = (max(left[0], 0), left[1]), (max(right[0], 0), right[1])
        return _of_two(made.operator.data, left, right)
    return None


def _of_one(name: str, value: Bounds) -> Bounds | None:
    low, high = value
    match name:
        case "neg":
            return -high, -low
        case "invert":
            return ~high, ~low
        case "abs":
            return 0 if low <= 0 <= high else min(abs(low), abs(high)), max(abs(low), abs(high))
    return None


def _of_two(name: str, left: Bounds, right: Bounds) -> Bounds | None:
    nonnegative = [high for low, high in (left, right) if low >= 0]
    match name:
        case "add":
            return left[0] + right[0], left[1] + right[1]
        case "sub":
            return left[0] - right[1], left[1] - right[0]
        case "mul":
            return _corners(operator.mul, left, right)
        case "min":
            return min(left[0], right[0]), min(left[1], right[1])
        case "max":
            return max(left[0], right[0]), max(left[1], right[1])
        case "floordiv" | "mod" if right[0] >= 0 and right[1] > 0:
            return _of_division(name, left, (max(right[0], 1), right[1]))
        case "and" if nonnegative:
            return 0, min(nonnegative)
        case "or" | "xor" if len(nonnegative) == 2:
            return 0, (1 << max(nonnegative).bit_length()) - 1
        case "shl" | "shr" if right[0] >= 0 and right[1] <= 63:
            return _corners(operator.lshift if name == "shl" else operator.rshift, left, right)
    return None


def _of_division(name: str, left: Bounds, right: Bounds) -> Bounds:
    """Those of a floor division, or of its remainder, by a positive number."""
    if name == "mod":
        return 0, min(right[1] - 1, left[1]) if left[0] >= 0 else right[1] - 1
    return _corners(operator.floordiv, left, right)


def _corners(meaning: Callable[[int, int], int], left: Bounds, right: Bounds) -> Bounds:
    """Those of a result that grows or falls with each operand, whatever the other one is."""
    results = [meaning(one, other) for one in left for other in right]
    return min(results), max(results)
