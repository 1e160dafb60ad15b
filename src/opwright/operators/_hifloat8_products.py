"""Products of PyTorch with tensors of HiFloat8 codes. Large matrices become floats part by part.

In: one of `PRODUCTS`, its arguments, and how a tensor of codes, or a part of one, becomes floats. Out: its result. No
element of it is a sum over parts. On the CPU there is never a copy of all of a matrix in floats. While a compiler
traces, and on other devices, there is one part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import torch

_aten = torch.ops.aten
_PART = 1 << 20  # elements: few calls, and the floats are still in a cache when they are multiplied

# The floats of a tensor: of all of it, or of a part: a dimension, its first, how many.
Floats = Callable[..., torch.Tensor]


class _Places(NamedTuple):
    """Of a product's factors and what is added, and the dimension of a matrix on the right that the result has too."""

    left: int = 0
    right: int = 1
    added: int | None = None
    kept: int = 1


PRODUCTS = {
    _aten.linear.default: _Places(added=2, kept=0),
    _aten.matmul.default: _Places(),
    _aten.mm.default: _Places(),
    _aten.mv.default: _Places(),
    _aten.bmm.default: _Places(),
    _aten.addmm.default: _Places(1, 2, added=0),
}


def multiply(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any], kind: type[Any], floats: Floats) -> Any:
    """The result for arguments of which some are of this kind, tensors of codes."""
    places = PRODUCTS[function]
    large = next((at for at in (places.right, places.left) if _has_parts(args[at], kind)), None)
    given = [floats(one) if isinstance(one, kind) and at != large else one for at, one in enumerate(args)]
    if large is None:
        return function(*given, **kwargs)
    matrix = given[large]
    # The dimension of the matrix, and which of the result's that is, from the last.
    dim, last = (places.kept, -1) if large == places.right else (0, -min(given[places.right].dim(), 2))
    length = _length(matrix, dim)
    results = []
    for first in range(0, matrix.shape[dim], length):
        count = min(length, matrix.shape[dim] - first)
        part = [*given]
        part[large] = floats(matrix, dim, first, count)
        if places.added is not None and places.added < len(given) and given[places.added] is not None:
            part[places.added] = _part_of_added(given[places.added], last, first, count)
        results.append(function(*part, **kwargs))
    return torch.cat(results, last)


def _has_parts(factor: Any, kind: type[Any]) -> bool:
    if not isinstance(factor, kind) or factor.dim() != 2 or type(factor.codes) is not torch.Tensor:
        return False  # none of ours, not a matrix, or traced
    return bool(factor.device.type == "cpu" and factor.numel() > _PART)


def _length(matrix: Any, dim: int) -> int:
    """How much of a dimension is a part: whole blocks, or all of it where it is one block that parts may cut."""
    length: int = max(1, _PART // matrix.shape[1 - dim])
    block: int = matrix.block_size[dim]
    is_one = block == -1 or block >= int(matrix.shape[dim])
    return length if is_one else max(block, length // block * block)


def _part_of_added(added: torch.Tensor, dim: int, first: int, count: int) -> torch.Tensor:
    """What is added to a part of the result; it may have fewer dimensions, or 1 where it is the same for all."""
    is_same = added.dim() < -dim or added.shape[dim] == 1
    return added if is_same else added.narrow(dim, first, count)
