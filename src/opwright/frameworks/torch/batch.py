"""The vmap rule of operators.

In: a call with tensors that have a dimension more. Out: one call, where that dimension may stand in front of the
others or the operator says where to put it; otherwise one call for each, stacked. Refuses forms that write.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NoReturn

import torch
from torch import Tensor

from opwright.errors import NotSupported
from opwright.operators._operator import Operator, as_tuple


def register(operator: Operator, overload: Any, library: torch.library.Library) -> None:
    """Gives a form that returns new tensors its rule."""
    arguments = operator.schema.arguments
    own = operator.functions.get("vmap")

    def call(values: list[Any]) -> Any:
        by_place, by_name = operator.schema.split(values)
        return overload(*by_place, **by_name)

    def rule(info: Any, in_dims: tuple[Any, ...], *args: Any, **kwargs: Any) -> tuple[Any, Any]:
        values = list(operator.schema.complete(args, kwargs))
        given = [*in_dims, *[None] * (len(values) - len(in_dims))]
        dims = [_dims_of(value, dim) for value, dim in zip(values, given, strict=True)]
        batched = tuple(a.name for a, dim in zip(arguments, dims, strict=True) if dim is not None)
        moved = _changed(lambda one, dim: one.movedim(dim, 0), values, dims)
        if own is not None:
            result = own(info.batch_size, batched, *moved)
        elif set(batched) <= set(operator.rows) and all(
            isinstance(v, Tensor) and v.ndim >= 2 for v, d in zip(moved, dims, strict=True) if d is not None
        ):
            result = call(moved)
        else:
            result = _looped(info.batch_size, moved, dims, call)
        placed = [None if one is None else 0 for one in as_tuple(result)]
        return result, tuple(placed) if isinstance(result, tuple) else placed[0]

    if any(argument.keyword_only and argument.kind.startswith("Tensor") for argument in arguments):
        refuse(operator, overload, library, "a call with a tensor by name cannot be batched by vmap")
    else:
        torch.library.register_vmap(overload, rule, lib=library)


def refuse(operator: Operator, overload: Any, library: torch.library.Library, why: str) -> None:
    """A form without a rule says so."""

    def rule(*_: Any, **__: Any) -> NoReturn:
        raise NotSupported(operator=operator.name, message=f"{why}; loop over the batch")

    library.impl(overload._name.partition("::")[2].removesuffix(".default"), rule, "FuncTorchBatched")


def _dims_of(value: Any, dims: Any) -> Any:
    """Where a tensor has the batch, or each of a list; None if nothing of it has one."""
    if isinstance(value, Tensor):
        return dims
    if not isinstance(value, (list, tuple)) or not isinstance(dims, (list, tuple)):
        return None
    found = [dim if isinstance(one, Tensor) else None for one, dim in zip(value, dims, strict=True)]
    return found if any(dim is not None for dim in found) else None


def _changed(change: Callable[[Tensor, int], Tensor], values: Sequence[Any], dims: Sequence[Any]) -> list[Any]:
    """The values with every tensor changed that has a dimension of the batch."""
    return [
        value
        if dim is None
        else [one if d is None else change(one, d) for one, d in zip(value, dim, strict=True)]
        if isinstance(dim, list)
        else change(value, dim)
        for value, dim in zip(values, dims, strict=True)
    ]


def _looped(size: int, values: list[Any], dims: list[Any], call: Callable[[list[Any]], Any]) -> Any:
    """One call for each of a batch, stacked. For a batch of none a call tells what its results look like."""
    if size == 0:
        values = _changed(lambda v, _: v.new_zeros((1, *v.shape[1:])), values, dims)
    each = [call(_changed(partial(_one, i), values, dims)) for i in range(max(1, size))]
    if isinstance(each[0], tuple):
        return tuple(_stacked(parts, size) for parts in zip(*each, strict=True))
    return _stacked(each, size)


def _one(place: int, tensor: Tensor, _: int) -> Tensor:
    return tensor[place]


def _stacked(parts: Sequence[Any], size: int) -> Any:
    return None if parts[0] is None else torch.stack(list(parts))[:size]
