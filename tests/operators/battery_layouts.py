"""The battery's layouts and contents: the same values lying otherwise, and values that are special.

In: the arguments of a call. Out: those arguments with every tensor laid out that way, None if no tensor changes.
"""

from collections.abc import Callable, Iterator

import torch
from battery import FLOATS, Operator, Values, flattened, is_data, is_right
from torch import Tensor


def _rows_apart(tensor: Tensor) -> Tensor:
    if tensor.ndim == 0:
        return tensor
    room = torch.zeros((*tensor.shape[:-1], tensor.shape[-1] + 3), dtype=tensor.dtype)
    return room[..., : tensor.shape[-1]].copy_(tensor)


def _transposed(tensor: Tensor) -> Tensor:
    order = list(reversed(range(tensor.ndim)))
    return tensor.permute(order).clone(memory_format=torch.contiguous_format).permute(order)


def _every_second(tensor: Tensor) -> Tensor:
    if tensor.ndim == 0:
        return tensor
    room = torch.zeros((*tensor.shape[:-1], 2 * tensor.shape[-1]), dtype=tensor.dtype)
    return room[..., ::2].copy_(tensor)


def _misaligned(tensor: Tensor) -> Tensor:
    room = torch.zeros(tensor.numel() + 1, dtype=tensor.dtype)
    return room[1:].view(tensor.shape).copy_(tensor)


def _expanded(dimension: int) -> Callable[[Tensor], Tensor]:
    def expand(tensor: Tensor) -> Tensor:
        if tensor.ndim == 0 or tensor.numel() == 0 or not is_data(tensor):
            return tensor
        return tensor.narrow(dimension, 0, 1).clone().expand(tensor.shape)

    return expand


def _negated(tensor: Tensor) -> Tensor:
    """A view whose numbers are the negatives of what lies in memory, as the imaginary part of a conjugate is."""
    return torch._neg_view(-tensor) if tensor.dtype in FLOATS else tensor


# Those that keep the values, which outputs can have too.
OF_OUTPUTS: dict[str, Callable[[Tensor], Tensor]] = {
    "rows apart": _rows_apart,
    "transposed": _transposed,
    "every second": _every_second,
    "misaligned": _misaligned,
}
LAYOUTS = {
    **OF_OUTPUTS,
    "first dimension expanded": _expanded(0),
    "last dimension expanded": _expanded(-1),
    "negated views": _negated,
}


def _where(tensor: Tensor) -> tuple[object, ...]:
    return tuple(tensor.stride()), tensor.storage_offset(), tensor.is_neg()


def layouts_of(operator: Operator, values: Values) -> Iterator[tuple[str, Values]]:
    """A call in all layouts that the operator's check lets pass: every tensor, and each one alone."""
    leaves, made_of = flattened(values)
    places = [i for i, value in enumerate(leaves) if isinstance(value, Tensor)]
    for name, lay_out in LAYOUTS.items():
        laid_out = {i: lay_out(leaves[i]) for i in places}
        changed = [i for i in places if _where(laid_out[i]) != _where(leaves[i])]
        choices = [changed, *([i] for i in changed if len(changed) > 1)]
        for chosen in choices if changed else []:
            given = made_of([laid_out[i] if i in chosen else value for i, value in enumerate(leaves)])
            if is_right(operator, given):
                yield name, given


def specials_of(operator: Operator, values: Values) -> Iterator[tuple[str, Values]]:
    """A call with special numbers in its first tensor of floats, then in all."""
    leaves, made_of = flattened(values)
    places = [
        i for i, value in enumerate(leaves) if isinstance(value, Tensor) and value.dtype in FLOATS and value.numel() > 0
    ]
    for kind in ("NaN", "infinities", "zeros of both signs", "denormals"):
        for chosen in (places[:1], places)[: len(places)]:
            given = made_of([_sprinkled(value, kind) if i in chosen else value for i, value in enumerate(leaves)])
            if is_right(operator, given):
                yield kind, given


def _sprinkled(tensor: Tensor, kind: str) -> Tensor:
    limits = torch.finfo(tensor.dtype)
    numbers = {
        "NaN": [float("nan")],
        "infinities": [float("inf"), -float("inf")],
        "zeros of both signs": [0.0, -0.0],
        "denormals": [limits.smallest_normal / 4, -limits.smallest_normal / 2],
    }[kind]
    changed = tensor.clone()
    flat = changed.view(-1)
    for number, place in enumerate(range(0, flat.numel(), max(1, flat.numel() // 5 + 1))):
        flat[place] = numbers[number % len(numbers)]
    return changed
