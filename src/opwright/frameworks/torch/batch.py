"""The vmap rule of operators.

In: a call with tensors that have a dimension more. Out: one call, where that dimension may stand in front of the
others or the operator says where to put it; otherwise one call for each, stacked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from opwright.operators._operator import Operator


def register(operator: Operator, overload: Any, library: torch.library.Library) -> None:
    """Gives an operator's functional form its rule."""
    arguments = operator.schema.arguments
    own = operator.functions.get("vmap")

    def call(values: list[Any]) -> Any:
        by_place, by_name = operator.schema.split(values)
        return overload(*by_place, **by_name)

    def rule(info: Any, in_dims: tuple[Any, ...], *args: Any, **kwargs: Any) -> tuple[Any, Any]:
        values = list(operator.schema.complete(args, kwargs))
        dims = [*in_dims, *[None] * (len(values) - len(in_dims))]
        dims = [dim if isinstance(value, Tensor) else None for dim, value in zip(dims, values, strict=True)]
        batched = tuple(a.name for a, dim in zip(arguments, dims, strict=True) if dim is not None)
        moved = [v if dim is None else v.movedim(dim, 0) for v, dim in zip(values, dims, strict=True)]
        if own is not None:
            result = own(info.batch_size, batched, *moved)
        elif set(batched) <= set(operator.rows) and all(
            v.ndim >= 2 for v, d in zip(moved, dims, strict=True) if d is not None
        ):
            result = call(moved)
        else:
            result = _looped(info.batch_size, moved, dims, call)
        return result, (0,) * len(result) if isinstance(result, tuple) else 0

    torch.library.register_vmap(overload, rule, lib=library)


def _looped(size: int, values: list[Any], dims: list[Any], call: Callable[[list[Any]], Any]) -> Any:
    """One call for each of a batch, stacked. For a batch of none a call tells what its results look like."""
    if size == 0:
        values = [v if d is None else v.new_zeros((1, *v.shape[1:])) for v, d in zip(values, dims, strict=True)]
    each = [call([v if d is None else v[i] for v, d in zip(values, dims, strict=True)]) for i in range(max(1, size))]
    if isinstance(each[0], tuple):
        return tuple(torch.stack(parts)[:size] for parts in zip(*each, strict=True))
    return torch.stack(each)[:size]
