"""How a tensor of HiFloat8 codes is shown: its values as PyTorch shows those of a tensor, and what it has scales of.

In: codes, scales and the block size, which fit each other. Out: text. Of a large tensor only values that are shown
are computed.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

_own = torch.ops.opwright


def scales_in_words(scale: torch.Tensor, block_size: Sequence[int]) -> str:
    """How many, and for what."""
    if all(length == -1 for length in block_size):
        return "1 scale"
    others = len(block_size) - 1
    kinds = {(*[1] * others, -1): "row", (*[-1] * others, 1): "column"}
    return f"{scale.numel()} scales, one for each {kinds.get(tuple(block_size), 'block')}"


def values_in_words(codes: torch.Tensor, scale: torch.Tensor, block_size: Sequence[int]) -> str:
    """With PyTorch's options of printing."""
    options = torch._tensor_str.PRINT_OPTS
    edge, is_large, lengths = options.edgeitems, codes.numel() > options.threshold, [*block_size]
    for dim, size in enumerate(codes.shape):
        if not is_large or size <= 2 * edge:
            continue
        # One more than is shown: this is how PyTorch sees that there are others.
        shown = torch.tensor([*range(edge + 1), *range(size - edge, size)], device=codes.device)
        length = size if lengths[dim] == -1 else lengths[dim]
        codes, scale = codes.index_select(dim, shown), scale.index_select(dim, shown // length)
        lengths[dim] = 1
    values = _own.dequantize_from_hifloat8(codes, scale, lengths, dtype=torch.float32)
    with torch._tensor_str.printoptions(threshold=0 if is_large else options.threshold):
        return str(values).removeprefix("tensor(").removesuffix(")")
