"""Whether tensors share memory, element by element: views of one buffer that only interleave do not.

In: tensors. Out: an answer; where the search would take too long, or the memory is no CPU's, the cautious one.
"""

from __future__ import annotations

import numpy
import torch
from torch import Tensor

_MAX_WORK = 100_000


def overlaps_itself(tensor: Tensor) -> bool:
    """True if two elements may alias. Fake tensors have no storage, so they never do."""
    steps = sorted((abs(step), size) for size, step in zip(tensor.shape, tensor.stride(), strict=True) if size > 1)
    reach = 0
    for step, size in steps:
        if step <= reach:
            return bool(tensor.numel() > 0)
        reach += step * (size - 1)
    return False


def shares_memory(a: Tensor, b: Tensor) -> bool:
    """Whether an element of one lies where an element of the other does."""
    if a.device != b.device or a.numel() == 0 or b.numel() == 0 or a.device.type == "meta":
        return False
    if a.untyped_storage().data_ptr() != b.untyped_storage().data_ptr():
        return False
    if a.device.type != "cpu":
        return _extents_meet(a, b)
    try:
        return numpy.shares_memory(_array(a), _array(b), max_work=_MAX_WORK)  # type: ignore[arg-type]  # any number will do
    except numpy.exceptions.TooHardError:
        return True


def _array(tensor: Tensor) -> numpy.ndarray[tuple[int, ...], numpy.dtype[numpy.int8]]:
    """The same places in memory, as NumPy sees them."""
    plain = tensor.detach()
    width = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[plain.element_size()]
    array: numpy.ndarray[tuple[int, ...], numpy.dtype[numpy.int8]] = plain.view(width).numpy()
    return array


def _extents_meet(a: Tensor, b: Tensor) -> bool:
    def extent(tensor: Tensor) -> tuple[int, int]:
        last = sum((size - 1) * step for size, step in zip(tensor.shape, tensor.stride(), strict=True))
        start = int(tensor.data_ptr())
        return start, start + (int(last) + 1) * int(tensor.element_size())

    (a_begin, a_end), (b_begin, b_end) = extent(a), extent(b)
    return a_begin < b_end and b_begin < a_end
