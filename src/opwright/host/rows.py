"""Rows of a tensor: what a kernel over rows gets of a tensor of any number of dimensions.

In: facts of a tensor. Out: facts of its rows along the last dimension, as a tensor of two dimensions. Refuses a tensor
without dimensions, and one whose rows do not lie one stride apart.
"""

from __future__ import annotations

from opwright.host.facts import Tensor, strided
from opwright.host.refusals import require


def rows(name: str, tensor: Tensor) -> Tensor:
    """The rows of a tensor along its last dimension. Dimensions of one element do not count."""
    require(tensor.ndim >= 1, f"{name} must have at least one dimension")
    count, stride = 1, tensor.shape[-1]
    for i in range(tensor.ndim - 1):
        size, step = tensor.shape[tensor.ndim - 2 - i], tensor.strides[tensor.ndim - 2 - i]
        if size != 1:
            if count == 1:
                stride = step
            else:
                is_one_view = (step == count * stride) | (tensor.numel == 0)
                require(is_one_view, f"{name} has rows that do not lie one stride apart")
            count = count * size
    return strided((count, tensor.shape[-1]), (stride, tensor.strides[-1]), tensor.dtype)
