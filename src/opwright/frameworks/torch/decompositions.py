"""What operators are made of: plain PyTorch, for tools that know no custom operator.

In: the operators that are registered. Out: by overload the function that stands in its place, as
`torch.export.ExportedProgram.run_decompositions` and `make_fx` take them. It is the operator's reference. An operator
that writes into its arguments has none; the forms that write results become functional before they are decomposed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from opwright.frameworks.torch.register import registered
from opwright.operators._operator import Operator


def decompositions() -> dict[Any, Callable[..., Any]]:
    """The reference of every operator by its overload: `exported.run_decompositions(opwright.ops.decompositions())`."""
    return {
        made.overload("stated"): _reference(made.operator)
        for made in registered.values()
        if not made.operator.is_writing
    }


def _reference(operator: Operator) -> Callable[..., Any]:
    def decomposed(*args: Any, **kwargs: Any) -> Any:
        return operator.functions["reference"](*operator.schema.complete(args, kwargs))

    return decomposed
