"""Host functions that HiFloat8's operators share: which types, rules, blocks and scales they take.

In: facts, see `opwright.host`. Out: nothing, or a refusal; the shape of scales. Shapes may be those of a trace.
"""

from __future__ import annotations

from collections.abc import Sequence

from opwright import host

OVERFLOWS = ("inf", "saturate", "saturate_all")
FLOATS = (host.float16, host.bfloat16, host.float32)
FLOATS_IN_WORDS = "float16, bfloat16 or float32"
SMALLEST_NORMAL = 2.0**-126
LARGEST = (2 - 2.0**-23) * 2.0**127  # of float32


def require_overflow(overflow: str) -> None:
    """One of `OVERFLOWS`."""
    host.require_choice("overflow", overflow, OVERFLOWS)


def output_dtype(dtype: host.Dtype | None) -> host.Dtype:
    """The type that codes are decoded to; bfloat16 if none is named."""
    if dtype is None:
        return host.bfloat16
    if dtype not in FLOATS:
        host.refuse_type(f"dtype is {dtype}, but must be {FLOATS_IN_WORDS}")
    return dtype


def require_target_max(target_max: float) -> None:
    """A number that amounts can be divided by in float32."""
    host.require(
        SMALLEST_NORMAL <= target_max <= LARGEST,
        f"target_max is {target_max}, but must be a positive number that float32 has",
    )


def require_block_size(block_size: Sequence[int], shape: Sequence[int]) -> None:
    """An entry for each dimension, each a length or -1."""
    if len(block_size) != len(shape):
        entries = _counted(len(block_size), "entry", "entries")
        dimensions = _counted(len(shape), "dimension", "dimensions")
        host.refuse(f"block_size {list(block_size)} has {entries}, but the tensor has {dimensions}")
    for dim, length in enumerate(block_size):
        host.require(
            (length > 0) | (length == -1),
            f"block_size {list(block_size)} has {length} at {dim}, but an entry is positive, or -1 for all",
        )


def require_scale(scale: host.Tensor, block_size: Sequence[int], input: host.Tensor) -> None:
    """A scale that fits the blocks of a tensor. `block_size` is one that was checked."""
    if scale.dtype != host.float32:
        host.refuse_type(f"scale is {scale.dtype}, but must be float32")
    if scale.device != input.device:
        host.refuse(f"scale is on {scale.device}, but the tensor is on {input.device}")
    wanted = scale_shape(input.shape, block_size)
    host.require(
        scale.shape == wanted,
        f"scale has shape {list(scale.shape)}, but shape {list(input.shape)} in blocks of "
        f"{list(block_size)} needs {list(wanted)}",
    )


def require_both(scale: host.Tensor | None, block_size: Sequence[int] | None) -> None:
    """A scale and the size of its blocks, or neither."""
    if scale is None and block_size is not None:
        host.refuse("block_size is given without scale, but one needs the other")
    if scale is not None and block_size is None:
        host.refuse("scale is given without block_size, but one needs the other")


def blocks_of(size: int, length: int) -> int:
    """How many blocks of this length a dimension has. An empty one has none."""
    return host.min(size, 1) if length == -1 else (size + length - 1) // length


def scale_shape(shape: Sequence[int], block_size: Sequence[int]) -> tuple[int, ...]:
    """The shape of the scale of a tensor."""
    counts: tuple[int, ...] = ()
    for size, length in zip(shape, block_size, strict=True):
        counts = (*counts, blocks_of(size, length))
    return counts


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
