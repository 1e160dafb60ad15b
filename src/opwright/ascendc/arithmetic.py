"""What the operators of a kernel's numbers mean in Python, and how Python writes them.

In: nothing. Out: `MEANING`, the operator's name in the `py` dialect -> a function, whose rounding and wrapping are the
caller's; `SYMBOLS` and `COMPARISONS`. Here, so that a launch can compute with it and load no IR.
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
SYMBOLS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "div": "/",
    "floordiv": "//",
    "mod": "%",
    "and": "&",
    "or": "|",
    "xor": "^",
    "shl": "<<",
    "shr": ">>",
}
COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
