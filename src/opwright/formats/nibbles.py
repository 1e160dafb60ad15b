"""Codes of 4 bits, two to a byte: the even one in the low bits. And integers of 4 bits.

In: codes or integers, one to an element, an even number of them. Out: packed bytes, or back. Refuses an odd number.
"""

from __future__ import annotations

import numpy as np

from opwright.formats.rounding import Array


def pack(codes: Array) -> Array:
    """Two codes to a byte, along the last axis."""
    if codes.shape[-1] % 2:
        raise ValueError(f"two codes make a byte, got {codes.shape[-1]}")
    low, high = codes[..., 0::2] & 15, codes[..., 1::2] & 15
    packed: Array = (low | high << 4).astype(np.uint8)
    return packed


def unpack(packed: Array) -> Array:
    """The codes of bytes."""
    return np.stack([packed & 15, packed >> 4], axis=-1).reshape(*packed.shape[:-1], -1)


def encode_int4(numbers: Array) -> Array:
    """The codes of integers: two's complement. What does not fit saturates."""
    codes: Array = np.clip(numbers, -8, 7).astype(np.int8).view(np.uint8) & 15
    return codes


def decode_int4(codes: Array) -> Array:
    """The integers of codes, as int8."""
    integers: Array = (codes.astype(np.int8) ^ 8) - 8
    return integers
