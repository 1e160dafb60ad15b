"""What the reductions should do, in NumPy: trees of neighbours, rounded at every node."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def lanes_of(memory: np.ndarray, repeats: int, block_stride: int, repeat_stride: int, chosen: Sequence[int]) -> list:
    """For each repeat its lanes, as {lane: value}; only the chosen ones are looked at."""
    in_block = 32 // memory.itemsize
    return [
        {
            lane: memory[(repeat * repeat_stride + lane // in_block * block_stride) * in_block + lane % in_block]
            for lane in chosen
        }
        for repeat in range(repeats if len(chosen) else 0)
    ]


def tree(lanes: dict, count: int, results: int) -> dict:
    """Neighbours of `count` are added until `results` are left."""
    while count > results:
        count //= 2
        up = {}
        for i in range(count):
            both = [lanes[lane] for lane in (2 * i, 2 * i + 1) if lane in lanes]
            if both:
                with np.errstate(all="ignore"):
                    up[i] = both[0] + both[1] if len(both) == 2 else both[0]
        lanes = up
    return lanes


def tree_of_any_length(values: list) -> object:
    """A tree over values that may be no power of two."""
    while len(values) > 1:
        with np.errstate(all="ignore"):
            pairs = [values[i] + values[i + 1] for i in range(0, len(values) - 1, 2)]
        values = pairs + values[len(values) // 2 * 2 :]
    return values[0]


def extreme(lanes: dict, sign: int) -> tuple:
    """The greatest (sign 1) or least value and the lowest lane that has it; the first NaN if there is one."""
    nans = [lane for lane in sorted(lanes) if lanes[lane] != lanes[lane]]
    if nans:
        return lanes[nans[0]], nans[0]
    best = max(lanes.values()) if sign > 0 else min(lanes.values())
    lane = min(lane for lane in lanes if lanes[lane] == best)
    return lanes[lane], lane


def as_element(index: int, dtype: np.dtype) -> object:
    """An index in the bits of an element."""
    return np.array([index], f"u{dtype.itemsize}").view(dtype)[0]
