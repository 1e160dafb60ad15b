"""Facts of tensors: what a host function sees of an argument, and says of a result.

In: a dtype, sizes and strides, which may be symbolic or unknown. Out: `Tensor` and `Shape`. Strides of a result are
computed when they are asked for: a framework that has tensors of symbolic sizes makes them in its own way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, SupportsIndex, TypeAlias, overload

from opwright.host.sizes import Unknown, negated
from opwright.schema.dtypes import Dtype

_item: Any = tuple.__getitem__
Scalar: TypeAlias = bool | int | float  # a number of any kind, as it was given


class Shape(tuple[int, ...]):
    """Sizes, or any list of integers. Comparing two of them asks for no symbol's value."""

    __slots__ = ()

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, tuple) or len(self) != len(other):
            return False
        equal: Any = True
        for mine, its in zip(self, other, strict=True):
            one = mine == its
            if one is False:
                return False
            if one is not True:
                equal = one if equal is True else equal & one
        return equal

    def __ne__(self, other: object) -> Any:
        return negated(self == other)

    __hash__ = tuple.__hash__

    @overload
    def __getitem__(self, index: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Shape: ...
    def __getitem__(self, index: Any) -> Any:
        found = _item(self, index)
        return Shape(found) if type(index) is slice else found


class Tensor:
    """What is known of a tensor without looking at its elements. device: as PyTorch writes it, such as "cpu"."""

    def __init__(self, dtype: Dtype, shape: Iterable[int], layout: Iterable[int] | Tensor | None, device: str) -> None:
        """layout: strides; another tensor, which this one lies like; or None for a dense one."""
        self.dtype, self.device = dtype, device
        self.shape = shape if type(shape) is Shape else Shape(shape)
        self.layout = layout if layout is None or isinstance(layout, Tensor) else Shape(layout)

    @property
    def ndim(self) -> int:
        """How many dimensions it has."""
        return len(self.shape)

    @property
    def numel(self) -> int:
        """How many elements it has."""
        return prod(self.shape)

    @property
    def strides(self) -> Shape:
        """How many elements lie between neighbours of each dimension."""
        if self.layout is None:
            return _dense_strides(self.shape, range(len(self.shape)))
        return like_strides(self.layout) if isinstance(self.layout, Tensor) else self.layout


@dataclass(frozen=True)
class Generator:
    """Where random numbers come from: a seed, and the place of the first one. Signed numbers of 64 bits."""

    seed: int
    offset: int = 0


def dense(shape: Sequence[int], dtype: Dtype) -> Tensor:
    """A result whose elements lie one behind the other, on the device of the first tensor."""
    return Tensor(dtype, shape, None, "")


def strided(shape: Sequence[int], strides: Sequence[int], dtype: Dtype) -> Tensor:
    """Facts of a tensor of these strides: of a view that a kernel gets."""
    return Tensor(dtype, shape, strides, "")


def like(tensor: Tensor, dtype: Dtype | None = None) -> Tensor:
    """A result that lies as `torch.empty_like` has it: with the strides of a tensor without gaps, or its order."""
    return Tensor(dtype or tensor.dtype, tensor.shape, tensor, "")


def _dense_strides(shape: Sequence[int], outermost_first: Iterable[int]) -> Shape:
    strides: list[Any] = [0] * len(shape)
    stride: Any = 1
    for dim in reversed(list(outermost_first)):
        strides[dim] = stride
        size: Any = shape[dim]
        stride = stride * (size if isinstance(size, Unknown) else max(1, size))
    return Shape(strides)


def like_strides(tensor: Tensor) -> Shape:
    """The strides of `torch.empty_like`. One unknown number makes all of them unknown."""
    shape, strides = tensor.shape, tensor.strides
    for number in (*shape, *strides):
        if isinstance(number, Unknown):
            unknown: Any = number
            return Shape([unknown] * len(shape))
    if _is_without_gaps(shape, strides):
        return strides
    order = list(reversed(range(len(shape))))  # innermost first; PyTorch's own sort, which compares in this order
    for i in range(1, len(order)):
        at = i
        for other in reversed(range(i)):
            first, second = order[other], order[at]
            if 0 in (strides[first], strides[second]):
                continue  # a repeated dimension keeps its place
            if strides[first] < strides[second]:
                break
            if strides[first] > strides[second] or shape[first] > shape[second]:
                order[other], order[at] = second, first
                at = other
    return _dense_strides(shape, reversed(order))


def _is_without_gaps(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether the elements fill their memory, in any order of the dimensions; as PyTorch has it, of empty ones too."""
    if 0 in shape:
        return True
    expected = 1
    for stride, size in sorted(pair for pair in zip(strides, shape, strict=True) if pair[1] >= 2):
        if stride != expected:
            return False
        expected *= size
    return True
