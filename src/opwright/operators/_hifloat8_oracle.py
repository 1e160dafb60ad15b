"""HiFloat8 by the definition of the format, in float64 of NumPy: what its operators are judged by.

In: the arguments of its operators. Out: what they must give, as float64. The value of each code comes from its bit
fields. A number gets the code whose value is nearest to it, found among all of them; the one further from 0 wins a tie.
A quotient and a product in float64 of two float32 and then rounded to float32 are what float32 itself gives.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from opwright.formats.hifloat8 import INFINITY, LARGEST, NAN, value_of
from opwright.operators._hifloat8_host import SMALLEST_NORMAL

SIGN = 0x80
BEYOND = 49152.0  # what the pattern of infinity would be worth
MAGNITUDES = [BEYOND if code == INFINITY else value_of(code) for code in range(SIGN)]
# From the largest on, so that the first of two that are equally near is the one further from 0.
BY_SIZE = sorted(range(SIGN), key=MAGNITUDES.__getitem__, reverse=True)
VALUES = np.array([value_of(code) for code in range(SIGN)] + [-value_of(code) for code in range(SIGN)])
VALUES[NAN] = math.nan
Array = np.ndarray[Any, Any]
Blocks = Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]


def _numbers(x: Tensor) -> Array:
    numbers: Array = x.double().numpy()
    return numbers


def _tensor(x: Array) -> Tensor:
    return torch.from_numpy(np.asarray(x, np.float64))


def _in_float32(x: Array) -> Array:
    with np.errstate(over="ignore", under="ignore"):
        return x.astype(np.float32).astype(np.float64)


def _codes(numbers: Array, overflow: str) -> Array:
    sizes = np.abs(numbers).reshape(-1, 1)
    finite = np.minimum(np.nan_to_num(sizes, posinf=BEYOND), BEYOND if overflow == "inf" else MAGNITUDES[LARGEST])
    order = np.array(BY_SIZE)
    nearest = np.abs(finite - np.array(MAGNITUDES)[order]).argmin(1)
    code = order[nearest].reshape(numbers.shape)
    if overflow == "saturate":
        code = np.where(np.isinf(numbers), INFINITY, code)
    code = np.where((numbers < 0) & (code > 0), code | SIGN, code)
    return np.where(np.isnan(numbers), 0 if overflow == "saturate_all" else NAN, code)


def _blocks(shape: Sequence[int], block_size: Sequence[int]) -> Blocks:
    """The place of the scale of each block, and where its elements are."""
    cuts = [
        [slice(begin, begin + length) for begin in range(0, size, length)]
        for size, length in zip(
            shape, (s if b == -1 else b for s, b in zip(shape, block_size, strict=True)), strict=True
        )
        if size
    ]
    if len(cuts) == len(shape):
        yield from zip(itertools.product(*(range(len(cut)) for cut in cuts)), itertools.product(*cuts), strict=True)


def _of_blocks(work: Callable[[Array, float], Array], x: Array, scale: Array, block_size: Sequence[int]) -> Array:
    found = np.empty(x.shape)
    for place, where in _blocks(x.shape, block_size):
        found[where] = work(x[where], float(scale[place]))
    return found


def encode(input: Tensor, overflow: str) -> Tensor:
    """The nearest codes."""
    return _tensor(_codes(_numbers(input), overflow))


def decode(codes: Tensor, dtype: torch.dtype | None = None) -> Tensor:
    """The values of codes, exact in every type."""
    return _tensor(VALUES[codes.numpy()])


def quantize(input: Tensor, scale: Tensor, block_size: Sequence[int], overflow: str) -> Tensor:
    """The nearest codes of numbers divided by the scales of their blocks."""

    def codes(part: Array, by: float) -> Array:
        with np.errstate(all="ignore"):
            return _codes(_in_float32(part / np.float64(by)), overflow)

    return _tensor(_of_blocks(codes, _numbers(input), _numbers(scale), block_size))


def dequantize(codes: Tensor, scale: Tensor, block_size: Sequence[int], dtype: torch.dtype | None = None) -> Tensor:
    """The values of codes times the scales of their blocks, rounded to float32."""
    return _tensor(
        _of_blocks(lambda part, by: _in_float32(part * by), _numbers(decode(codes)), _numbers(scale), block_size)
    )


def fake_quantize(input: Tensor, scale: Tensor | None, block_size: Sequence[int] | None, overflow: str) -> Tensor:
    """Quantised and dequantised."""
    if scale is None or block_size is None:
        return decode(encode(input, overflow).to(torch.uint8))
    codes = quantize(input, scale, block_size, overflow).to(torch.uint8)
    return dequantize(codes, scale, block_size)


def scale_of(input: Tensor, block_size: Sequence[int], target_max: float) -> Tensor:
    """The largest finite magnitude of each block over a target, block by block."""
    shape = [
        min(size, 1) if length == -1 else -(-size // length)
        for size, length in zip(input.shape, block_size, strict=True)
    ]
    found = np.ones(shape)
    numbers = np.abs(_numbers(input))
    for place, where in _blocks(input.shape, block_size):
        largest = max((one for one in numbers[where].flat if math.isfinite(one)), default=0.0)
        scale = float(_in_float32(np.array(largest / float(np.float32(target_max)))))
        found[place] = scale if scale >= SMALLEST_NORMAL else 1.0
    return _tensor(found)


def dynamic_quantize(
    input: Tensor, block_size: Sequence[int], target_max: float, overflow: str
) -> tuple[Tensor, Tensor]:
    """Codes, and the scales that were found for them."""
    scale = scale_of(input, block_size, target_max)
    return quantize(input, scale, block_size, overflow), scale


def stats(input: Tensor, overflow: str) -> Tensor:
    """Numbers of each kind, counted one by one."""
    counts = [0] * 6
    numbers = _numbers(input).ravel().tolist()
    for number, code in zip(numbers, _codes(np.array(numbers), overflow).tolist(), strict=True):
        size = abs(number)
        kinds = (
            True,
            40960 <= size < math.inf,
            size == math.inf,
            math.isnan(number),
            size > 0 and code == 0,
            size >= 0 and 1 <= code & ~SIGN <= 7,
        )
        counts = [count + kind for count, kind in zip(counts, kinds, strict=True)]
    return torch.tensor(counts, dtype=torch.float64)
