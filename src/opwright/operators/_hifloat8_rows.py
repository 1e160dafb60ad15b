"""What the kernels of HiFloat8 take: rows with one scale each.

In: tensors and the size of a block. Out: the tensor as rows, or why its blocks are no rows.
"""

from __future__ import annotations

from torch import Tensor

from opwright.operators._operator import Facts


def _is_whole(facts_or_tensor: Facts | Tensor, block_size: list[int], dim: int) -> bool:
    return block_size[dim] == -1 or block_size[dim] >= facts_or_tensor.shape[dim]


def not_rows(facts: Facts, block_size: list[int]) -> str | None:
    """Why the blocks of a tensor are no rows; None if they are: all of the last dimension, or all of the tensor."""
    if 0 in facts.shape:
        return "there are no elements"
    whole = [_is_whole(facts, block_size, dim) for dim in range(len(block_size))]
    is_row = all(length == 1 for length in block_size[:-1]) and all(whole[-1:])
    return None if is_row or all(whole) else "the kernel takes blocks of one row, or of all elements"


def as_rows(tensor: Tensor, block_size: list[int]) -> Tensor:
    """The tensor as rows that have a scale each, one behind the other in memory."""
    dense = tensor.contiguous()
    if all(_is_whole(tensor, block_size, dim) for dim in range(len(block_size))):
        return dense.view(1, -1)
    return dense.view(-1, tensor.shape[-1])


def batch(tensor: Tensor, is_batched: bool, size: int) -> Tensor:
    """A tensor with a batch in front, which one without repeats."""
    return tensor if is_batched else tensor.expand(size, *tensor.shape)
