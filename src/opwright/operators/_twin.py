"""The functional twin of an operator that writes: the same numbers, and nothing that was given is changed.

In: an operator that writes into its arguments. Out: a function of all arguments in order, which gives the results of a
call and then what the call would have written, None for what is absent; its schema is `_forms.functional_twin`. Tests
compare with it, and what must not write can call it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor

from opwright.operators._operator import Operator, as_tuple


def functional(operator: Operator, run: Callable[..., Any] | None = None) -> Callable[..., tuple[Any, ...]]:
    """The twin of an operator, by a function that writes as it does; by its reference if none is given."""
    arguments = operator.schema.arguments
    runs = operator.functions["reference"] if run is None else run

    def twin(*values: Any) -> tuple[Any, ...]:
        own = [copied(value) if one.is_written else value for one, value in zip(arguments, values, strict=True)]
        results = runs(*own)
        written = [value for one, value in zip(arguments, own, strict=True) if one.is_written]
        return (*(as_tuple(results) if operator.schema.results else ()), *written)

    return twin


def copied(value: Any) -> Any:
    """A copy of a tensor, or of each of a list; None stays."""
    if isinstance(value, (list, tuple)):
        return [copied(one) for one in value]
    return value.clone() if isinstance(value, Tensor) else value
