"""What the reductions should do, in NumPy: trees of neighbours, rounded at every node.

Lanes are a table with a line for each repeat, and `present` says which columns count.
"""

from __future__ import annotations

import numpy as np


def lanes_of(memory: np.ndarray, repeats: int, block_stride: int, repeat_stride: int) -> np.ndarray:
    """The lanes of each repeat; a lane that lies outside of the memory is 0, and must not be looked at."""
    in_block, most = 32 // memory.itemsize, 256 // memory.itemsize
    repeat, lane = np.arange(repeats)[:, None], np.arange(most)
    at = (repeat * repeat_stride + lane // in_block * block_stride) * in_block + lane % in_block
    return np.append(memory, memory.dtype.type(0))[np.minimum(at, memory.size)]


def tree(lanes: np.ndarray, present: np.ndarray, results: int) -> tuple[np.ndarray, np.ndarray]:
    """Neighbours are added until `results` are left; and which of these have anything."""
    present = np.broadcast_to(present, lanes.shape)
    with np.errstate(all="ignore"):
        while lanes.shape[1] > results:
            (left, right), (has_left, has_right) = ((x[:, ::2], x[:, 1::2]) for x in (lanes, present))
            sums = np.where(has_left & has_right, left + right, np.where(has_left, left, right))
            lanes, present = sums.astype(lanes.dtype), has_left | has_right
    return lanes, present


def tree_of_any_length(values: np.ndarray) -> object:
    """A tree over values that may be no power of two."""
    with np.errstate(all="ignore"):
        while len(values) > 1:
            even = len(values) // 2 * 2
            values = np.append(values[:even:2] + values[1:even:2], values[even:])
    return values[0]


def folded(lanes: np.ndarray, present: np.ndarray) -> object:
    """Up to four repeats: the third and the fourth are added to the first and the second, the second to the first."""
    lanes, present = lanes.copy(), np.broadcast_to(present, lanes.shape)
    with np.errstate(all="ignore"):
        for to, repeat in ((0, 2), (1, 3), (0, 1)):
            if repeat < len(lanes):
                lanes[to] = np.where(present[repeat], lanes[to] + lanes[repeat], lanes[to])
    return tree(lanes[:1], present[:1], 1)[0][0, 0]


def extreme(lanes: np.ndarray, present: np.ndarray, sign: int) -> tuple[np.ndarray, np.ndarray]:
    """For each line the greatest (sign 1) or least value, or a NaN if there is one, and the lowest lane that has it.

    A line in which nothing counts gives its lane 0.
    """
    present = np.broadcast_to(present, lanes.shape)
    with np.errstate(invalid="ignore"):
        nan = (lanes != lanes) & present
        some = lanes[np.arange(len(lanes)), present.argmax(1)][:, None]
        filled = np.where(present & ~nan, lanes, some)
        best = filled.max(1) if sign > 0 else filled.min(1)
        at = np.where(nan.any(1), nan.argmax(1), ((lanes == best[:, None]) & present).argmax(1))
    return lanes[np.arange(len(lanes)), at], at


def as_elements(indices: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Indices in the bits of elements; what does not fit is cut off."""
    return indices.astype(f"u{dtype.itemsize}").view(dtype)
