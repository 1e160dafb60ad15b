"""What the copies move, byte by byte, in NumPy: a list of (to, from, bytes), and what padding fills.

In: the run-time arguments of a call. Out: a byte image of its destination. Knows nothing of the twin's loops.
"""

from __future__ import annotations

from itertools import product

import numpy as np

Moves = list[tuple[int, int, int]]
# start_index, end_index, stride, burst_len, shape_value of one dimension, the innermost first.
Slice = tuple[int, int, int, int, int]


def counted(count: int, item: int) -> Moves:
    """The first elements, in whole blocks."""
    return [(0, 0, count * item // 32 * 32)]


def pieces(count: int, length: int, src_gap: int, dst_gap: int) -> Moves:
    """Pieces of `length` blocks, with gaps in blocks."""
    return [(32 * k * (length + dst_gap), 32 * k * (length + src_gap), 32 * length) for k in range(count)]


def sliced(dst: list[Slice], src: list[Slice], item: int) -> Moves:
    """Piece by piece: the order of both lists is the same."""
    length = 32 * dst[0][3]
    return [(to, start, length) for to, start in zip(starts(dst, item), starts(src, item), strict=True)]


def starts(slices: list[Slice], item: int) -> list[int]:
    """Where the pieces of a list start."""
    indices = []
    for dimension, (start, end, stride, burst, _) in enumerate(slices):
        taken = burst * 32 // item if dimension == 0 else 1
        steps = range(start, end + 1, taken + stride) if burst else ()
        indices.append([at for at in steps if at + taken - 1 <= end])
    found = []
    for choice in product(*reversed(indices)):
        element, row = 0, 1
        for at, (*_, shape) in zip(reversed(choice), slices, strict=True):
            element, row = element + at * row, row * shape
        found.append(element * item)
    return found


def moved(into: np.ndarray, source: np.ndarray, moves: Moves) -> np.ndarray:
    """`into` after the copy."""
    image, given = into.view(np.uint8).copy(), source.view(np.uint8)
    for to, start, length in moves:
        image[to : to + length] = given[start : start + length]
    return image.view(into.dtype)


def padded(
    into: np.ndarray, source: np.ndarray, shape: tuple[int, int, int, int], left: int, right: int, fill: bytes | None
) -> np.ndarray:
    """Pieces of any number of bytes, each in whole blocks with padding; without a fill it is the first element."""
    item, image, given = into.itemsize, into.view(np.uint8).copy(), source.view(np.uint8)
    count, length, src_gap, dst_gap = shape
    room = -(-(left * item + length + right * item) // 32) * 32 if length else 0
    for k in range(count if length else 0):
        start, to = k * (length + src_gap), k * (room + 32 * dst_gap)
        piece = given[start : start + length]
        first = [piece[b] if b < length else piece[0] for b in range(item)]
        value = np.frombuffer(fill, np.uint8) if fill is not None else np.array(first, np.uint8)
        image[to : to + room] = np.resize(value, room)
        # What comes after the piece starts a new element.
        tail = to + left * item + length
        image[tail : to + room] = [value[b % item] for b in range(left * item + length, room)]
        image[to + left * item : tail] = piece
    return image.view(into.dtype)


def unpadded(into: np.ndarray, source: np.ndarray, shape: tuple[int, int, int, int]) -> np.ndarray:
    """Pieces of any number of bytes to global memory; on the chip each starts at a whole block."""
    count, length, src_gap, dst_gap = shape
    room = -(-length // 32) * 32 + 32 * src_gap
    return moved(into, source, [(k * (length + dst_gap), k * room, length) for k in range(count)])
