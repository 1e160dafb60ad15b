"""HiFloat8 in plain torch: the reference of its operators, and what they refuse.

In: tensors of float16, bfloat16 or float32 of any shape and strides, uint8 codes, float32 scales. Out: codes, values,
scales, counts; a result of the input's shape has the strides of `torch.empty_like(input)`. Codes and values are made
by integer operations on the bits of float32, so they are exact and need nothing from the host. Nothing looks at
a value: all of it can be traced, with shapes that are not known. `formats.hifloat8` describes the format.

A scale holds for a block of elements. `block_size` has one entry for each dimension, -1 for all of it; the last block
of a dimension may be short. The scale has as many dimensions, and in each as many entries as there are blocks.

What is refused is said in `_hifloat8_host`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, cast

import torch

from opwright.operators import _hifloat8_host as legal
from opwright.operators._infer import torch_dtype

FLOATS = tuple(map(torch_dtype, legal.FLOATS))
NAN = 0x80
COUNTS = ("elements", "finite overflow", "Inf in", "NaN in", "nonzero to 0", "codes 01-07")

# Magnitudes as bits of float32.
_INFINITE = 0x7F800000
_LARGEST = 0x47000000  # 32768
_BEYOND = 0x47400000  # 49152, whose place in the pattern of the codes infinity has
_OVERFLOWING = 0x47200000  # 40960, half way between the two
_VANISHING = 0x33800000  # 2^-24, which becomes 0 as all below it does
# Sign, exponent and the top four bits of the mantissa of a float32.
_HEADS, _BELOW_HEAD = 1 << 13, 19

Sizes = Sequence[Any]  # of int or torch.SymInt


# Elements -----------------------------------------------------------------------------------------------------


def encode(input: torch.Tensor, overflow: str = "saturate") -> torch.Tensor:
    """The nearest code of each number, ties away from 0. There is no negative zero."""
    bits = with_one_nan(input.to(torch.float32)).view(torch.int32)
    # The exponent and four bits of the mantissa decide: the code of each such head is made once and looked up.
    heads = torch.arange(-_HEADS // 2, _HEADS // 2, dtype=torch.int32, device=input.device)
    codes = _codes_of_bits(heads << _BELOW_HEAD, overflow)
    looked_up = codes.index_select(0, ((bits >> _BELOW_HEAD) + _HEADS // 2).reshape(-1))
    return laid_out_as(input, looked_up.view(input.shape))


def decode(codes: torch.Tensor, dtype: torch.dtype | None = None) -> torch.Tensor:
    """The value of each code, exact in every type; bfloat16 if none is named."""
    return laid_out_as(codes, _values(codes, dtype or torch.bfloat16))


def _codes_of_bits(bits: torch.Tensor, overflow: str) -> torch.Tensor:
    """The code of each number, which is given as the bits of a float32."""
    size = bits & 0x7FFFFFFF
    if overflow == "inf":
        near = size.clamp(_VANISHING, _BEYOND)
    elif overflow == "saturate":
        near = torch.where(size == _INFINITE, _BEYOND, size.clamp(_VANISHING, _LARGEST))
    else:
        near = size.clamp(_VANISHING, _LARGEST)
    # Half of the last kept bit, added to the bits, rounds; its carry runs into the exponent by itself.
    rounded = near + (0x80000 << _bits_short_of_3((near >> 23) - 127))
    exponent = (rounded >> 23) - 127
    short = _bits_short_of_3(exponent)
    mantissa = (rounded & 0x7FFFFF) >> (20 + short)
    reach = exponent.abs()
    of_two, of_four, of_eight = (_one_where(reach >= least) for least in (2, 4, 8))
    # What prefix and sign of the exponent are worth, less the leading 1 of its magnitude, which is not stored.
    prefix = 8 + 8 * of_two + 32 * of_four + 32 * of_eight
    sign_of_exponent = _one_where(exponent < 0) * (8 + 8 * of_two)
    normal = prefix + sign_of_exponent + (reach << (3 - short).clamp(min=0)) + mantissa
    code = torch.where(exponent < -15, exponent + 23, normal)
    code = torch.where(code == 0, 0, code | bits >> 24 & 0x80)
    return torch.where(size > _INFINITE, 0 if overflow == "saturate_all" else NAN, code).to(torch.uint8)


def _values(codes: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """The value of each code: those of all 256 are made once and looked up."""
    every = torch.arange(256, dtype=torch.int32, device=codes.device)
    values = with_one_nan(_values_of_codes(every).to(dtype))
    return values.index_select(0, codes.to(torch.int32).reshape(-1)).view(codes.shape)


def _values_of_codes(code: torch.Tensor) -> torch.Tensor:
    """The value of each code in float32."""
    low = code & 0x7F
    of_two, of_four, of_eight = (_one_where(low >= least) for least in (0x20, 0x40, 0x60))
    mantissa_bits = 3 - of_four - of_eight
    # After the prefix: the exponent's sign, then its magnitude without the leading 1.
    field = (low - (16 + 16 * of_two + 32 * of_four + 32 * of_eight)) >> mantissa_bits
    leading = 1 << (of_two + of_four + of_eight)
    reach = field & (leading - 1) | leading
    exponent = torch.where(field >= leading, -reach, reach)
    exponent = torch.where(low < 16, 0, exponent)
    mantissa = (low & ((1 << mantissa_bits) - 1)) << (23 - mantissa_bits)
    bits = (exponent + 127 << 23) + mantissa
    bits = torch.where(low < 8, low + (127 - 23) << 23, bits)
    bits = torch.where(low == 0, 0, bits)
    bits = torch.where(low == 0x6F, _INFINITE, bits)
    size = bits.view(torch.float32)
    return torch.where(code == NAN, math.nan, torch.where(code > NAN, -size, size))


def stats(input: torch.Tensor, overflow: str = "saturate") -> torch.Tensor:
    """What `COUNTS` names, as int64: how many finite numbers overflow, how many others than 0 become 0, and so on.

    NaN is counted as NaN only, also where it becomes 0.
    """
    size = input.to(torch.float32).view(torch.int32) & 0x7FFFFFFF
    codes = encode(input, overflow) & 0x7F
    is_number = size <= _INFINITE
    counted = (
        (size >= _OVERFLOWING) & (size < _INFINITE),
        size == _INFINITE,
        ~is_number,
        is_number & (size != 0) & (codes == 0),
        is_number & (codes >= 1) & (codes <= 7),
    )
    elements = torch.ones_like(size, dtype=torch.int64).sum()
    return torch.stack([elements, *(of_kind.sum() for of_kind in counted)])


def _bits_short_of_3(exponent: torch.Tensor) -> torch.Tensor:
    """How many bits the mantissa has less than 3; 4 below the smallest number, which half of it is rounded up to."""
    reach = exponent.abs()
    return _one_where(reach >= 4) + _one_where(reach >= 8) + _one_where(exponent < -15) + _one_where(exponent < -22)


def _one_where(condition: torch.Tensor) -> torch.Tensor:
    return condition.to(torch.int32)


def with_one_nan(numbers: torch.Tensor) -> torch.Tensor:
    """The numbers with every NaN in the same bits; which NaN arithmetic gives depends on the machine."""
    return torch.nan_to_num(numbers, math.nan, math.inf, -math.inf)


def laid_out_as(input: torch.Tensor, result: torch.Tensor) -> torch.Tensor:
    """The result in the strides that a new tensor like the input has; nothing is written, so that it can be traced."""
    like_input = torch.empty_like(input, dtype=result.dtype, requires_grad=False)
    return cast("torch.Tensor", torch.ops.aten.copy.default(like_input, result))


# Blocks -------------------------------------------------------------------------------------------------------


def scale_of(input: torch.Tensor, block_size: Sizes, target_max: float = 15.0) -> torch.Tensor:
    """For each block what brings its largest finite magnitude to `target_max`; 1 where that is 0 or subnormal."""
    largest = block_amax(input, block_size)
    # A tensor, not a number: some devices multiply by the reciprocal of a number.
    scale = largest / torch.full((), target_max, dtype=torch.float32, device=input.device)
    return torch.where(scale < legal.SMALLEST_NORMAL, 1.0, scale).contiguous()


def quantize(input: torch.Tensor, scale: torch.Tensor, block_size: Sizes, overflow: str = "saturate") -> torch.Tensor:
    """The code of each number divided by its block's scale, in float32."""
    divided = input.to(torch.float32) / expand_scale(scale, block_size, input.shape)
    return laid_out_as(input, encode(divided, overflow))


def dequantize(
    codes: torch.Tensor, scale: torch.Tensor, block_size: Sizes, dtype: torch.dtype | None = None
) -> torch.Tensor:
    """The value of each code times its block's scale, in float32, rounded once; bfloat16 if no type is named."""
    product = _values(codes, torch.float32) * expand_scale(scale, block_size, codes.shape)
    return laid_out_as(codes, with_one_nan(product.to(dtype or torch.bfloat16)))


def fake_quantize(
    input: torch.Tensor,
    scale: torch.Tensor | None = None,
    block_size: Sizes | None = None,
    overflow: str = "saturate",
) -> torch.Tensor:
    """What a number is after it was a code, in its own type. Without a scale the numbers are not divided."""
    if scale is None or block_size is None:
        return decode(encode(input, overflow), input.dtype)
    return dequantize(quantize(input, scale, block_size, overflow), scale, block_size, input.dtype)


def block_amax(input: torch.Tensor, block_size: Sizes) -> torch.Tensor:
    """The largest finite magnitude of each block in float32; 0 if there is none."""
    largest = torch.nan_to_num(input.to(torch.float32), 0.0, 0.0, 0.0).abs()
    for dim in reversed(range(input.dim())):
        size = input.shape[dim]
        count = legal.blocks_of(size, block_size[dim])
        if block_size[dim] == 1:
            continue
        # A block is not longer than its dimension, lest a huge entry asks for as much padding.
        length = torch.sym_max(size, 1)
        if block_size[dim] != -1:
            length = torch.sym_min(block_size[dim], length)
            behind = (0, 0) * (input.dim() - 1 - dim)
            largest = torch.constant_pad_nd(largest, [*behind, 0, count * length - size])
        largest = largest.unflatten(dim, (count, length)).amax(dim + 1)
    return largest


def expand_scale(scale: torch.Tensor, block_size: Sizes, shape: Sizes) -> torch.Tensor:
    """The scale of each element of `shape`. It may share memory with `scale`."""
    for dim, (length, size) in enumerate(zip(block_size, shape, strict=True)):
        if length == -1:
            scale = scale.expand(*scale.shape[:dim], size, *scale.shape[dim + 1 :])
        elif length != 1:
            scale = scale.index_select(dim, torch.arange(size, device=scale.device) // length)
    return scale
