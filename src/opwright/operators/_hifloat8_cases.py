"""Numbers, codes, blocks and scales that the operators of HiFloat8 are tested with.

In: a dtype and a generator. Out: tensors whose numbers reach over all of the format and beyond, with infinities. NaN is
put in by the tests themselves: not every judge takes NaN for NaN.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from opwright.operators._hifloat8_host import scale_shape

SHAPES = ((0,), (3, 0), (), (1,), (7,), (2, 3, 33), (5, 9), (6, 11), (7, 13))
BLOCKS = (
    ((0, 4), [1, -1]),
    ((4, 33), [1, -1]),
    ((5, 40), [1, 16]),
    ((6, 7), [2, 3]),
    ((8, 16), [-1, 1]),
    ((3, 5, 20), [1, 2, 8]),
    ((10,), [4]),
    ((2, 6), [-1, -1]),
    ((6, 8), [2, 4]),
    ((10, 12), [2, 4]),
    ((13, 18), [2, 4]),
)


def wide_numbers(shape: Sequence[int], dtype: torch.dtype, random: torch.Generator) -> Tensor:
    """Numbers of every size, some of them infinite or 0."""
    numbers = torch.randn(tuple(shape), generator=random) * torch.exp2(
        torch.randint(-27, 18, tuple(shape), generator=random).float()
    )
    kinds = torch.randint(0, 40, tuple(shape), generator=random)
    for kind, value in enumerate((float("inf"), -float("inf"), 0.0, -0.0)):
        numbers = torch.where(kinds == kind, value, numbers)
    return numbers.to(dtype)


def numbers(dtype: torch.dtype, random: torch.Generator) -> Iterator[Tensor]:
    """Tensors of all shapes that matter."""
    for shape in SHAPES:
        yield wide_numbers(shape, dtype, random)


def codes(shape: Sequence[int], random: torch.Generator) -> Tensor:
    """Any codes but that of NaN."""
    found = torch.randint(0, 255, tuple(shape), generator=random, dtype=torch.int64)
    return torch.where(found >= 0x80, found + 1, found).to(torch.uint8)


def blocks(dtype: torch.dtype, random: torch.Generator) -> Iterator[tuple[Tensor, list[int]]]:
    """Tensors with the size of a block, short last blocks among them."""
    for shape, block_size in BLOCKS:
        yield wide_numbers(shape, dtype, random), block_size


def scales(tensor: Tensor, block_size: list[int], random: torch.Generator) -> Tensor:
    """A scale for each block, from tiny to huge."""
    shape = scale_shape(tensor.shape, block_size)
    return torch.rand(shape, generator=random) * torch.exp2(torch.randint(-20, 20, shape, generator=random).float())


def numbers_of_rows(rows: int, dtype: torch.dtype, random: torch.Generator) -> Tensor:
    """What a hidden layer of a model gives."""
    return torch.randn((rows, 4096), generator=random).to(dtype)
