"""Differences of two integers that are known although the integers are not: the length of x[n : n + 64].

In: values. Out: the difference, or None. Sums, differences and products with constants are followed.
"""

from __future__ import annotations

from collections.abc import Mapping

from opwright.ir import SSAValue
from opwright.ir.language import BinaryOp, ConstantOp
from opwright.ir.values import Constant, RunTimeValue, Value

_Terms = dict[SSAValue | None, int]  # a value and how often it is added; None: 1


def difference(left: Value, right: Value, known: Mapping[SSAValue, int]) -> int | None:
    """left - right, if it is a constant; `known`: values that are."""
    terms = _terms(left, known)
    for value, times in _terms(right, known).items():
        terms[value] = terms.get(value, 0) - times
    constant = terms.pop(None, 0)
    return None if any(terms.values()) else constant


def _terms(value: Value | SSAValue, known: Mapping[SSAValue, int]) -> _Terms:
    if isinstance(value, Constant):
        assert isinstance(value.value, int)
        return {None: value.value}
    ssa = value.ssa if isinstance(value, RunTimeValue) else value
    assert isinstance(ssa, SSAValue)
    if ssa in known:
        return {None: known[ssa]}
    match ssa.owner:
        case ConstantOp() as made:
            return {None: int(made.number)}
        case BinaryOp() as made if made.operator.data in ("add", "sub"):
            sign = 1 if made.operator.data == "add" else -1
            terms = _terms(made.left, known)
            for term, times in _terms(made.right, known).items():
                terms[term] = terms.get(term, 0) + sign * times
            return terms
        case BinaryOp() as made if made.operator.data == "mul":
            left, right = _terms(made.left, known), _terms(made.right, known)
            if left.keys() <= {None}:
                left, right = right, left
            if right.keys() <= {None}:
                return {term: times * right.get(None, 0) for term, times in left.items()}
    return {ssa: 1}
