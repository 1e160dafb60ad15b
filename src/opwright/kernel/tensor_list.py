"""A list of tensors as one array, for a kernel that takes them through asc.ListTensorDesc.

In: arrays or tensors. Out: a NumPy array of 8-byte words: at which byte the addresses start; for each tensor a word
with its number of dimensions and, from bit 32 on, its index, then its extents; then the addresses. The tensors must be
arguments of the launch as well: a kernel touches nothing but its arguments. Refuses what no launch would take.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from opwright.errors import NotAnArray
from opwright.kernel.arrays import memory_of

NAME = "asc.list_of_tensors"


def list_of_tensors(arrays: Sequence[Any]) -> Any:
    """One array that describes `arrays` to asc.ListTensorDesc; give them to the launch as arguments too."""
    import numpy

    described: list[int] = []
    addresses: list[int] = []
    for index, array in enumerate(arrays):
        _, (address, *_) = memory_of(NAME, f"number {index}", array)
        described += [len(array.shape) | index << 32, *array.shape]
        addresses.append(address)
    if not addresses:
        raise NotAnArray(kernel=NAME, name="arrays", type="an empty list")
    return numpy.array([8 * (1 + len(described)), *described, *addresses], numpy.uint64)
