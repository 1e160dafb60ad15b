"""What the operators of the `py` dialect mean in Python, for passes that compute on constants.

In: nothing. Out: `MEANING`, the operator's name -> a function. Rounding and wrapping are the caller's.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

MEANING: dict[str, Callable[..., int | float]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "shl": operator.lshift,
    "shr": operator.rshift,
    "min": min,
    "max": max,
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "neg": operator.neg,
    "invert": operator.invert,
    "not": operator.not_,
    "abs": abs,
}
