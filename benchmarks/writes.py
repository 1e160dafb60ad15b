"""Operators that write into views: a rotation in place and a cache that is filled, against the same in dense tensors.

Run it: python benchmarks/writes.py [--quick] [--json FILE]
One thread, CPU time, inference mode, 64 tokens of 32 heads for queries and 8 for keys and values, 128 elements each.
Queries and keys are views of one product. Caches of keys and values lie in one tensor in three ways, and are compared
with two tensors whose dimensions lie in the same order; one row compares the orders. The last rows compare caches of
6400 blocks with caches of 64, for the same slots. It ends with 1 if a floor does not hold. Says nothing about an NPU.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator

import torch
from _table import limit, measure, save, show
from torch import Tensor

import opwright.ops

FLOOR = 1.2  # of the time in dense tensors, and with a hundredth of the blocks
NONE = float("inf")
DTYPES = (torch.float16, torch.bfloat16, torch.float32)
TOKENS, QUERIES, KEYS, WIDTH = 64, 32, 8, 128
BLOCKS, SIZE = 64, 16  # of a cache
Pair = tuple[str, Callable[[], object], Callable[[], object], float]  # a label, both sides and the floor


def rotations() -> Iterator[Pair]:
    """In place, into views of one tensor and into two tensors."""
    positions = torch.arange(TOKENS)
    angles = positions[:, None] * 10000.0 ** (-torch.arange(0, WIDTH, 2) / WIDTH)
    for dtype in DTYPES:
        table = torch.cat((angles.cos(), angles.sin()), -1).to(dtype)
        views = list(torch.ones(TOKENS, QUERIES + 2 * KEYS, WIDTH, dtype=dtype).split((QUERIES, KEYS, KEYS), 1)[:2])
        dense = [one.contiguous() for one in views]
        for name, is_neox in (("halves", True), ("neighbours", False)):

            def turn(query: Tensor, key: Tensor, table: Tensor = table, is_neox: bool = is_neox) -> object:
                return opwright.ops.rotary_embedding_(positions, query, key, WIDTH, table, is_neox)

            label = f"rotary_embedding_, {name}, {_name(dtype)}"
            ours, theirs = (lambda turn=turn, given=given: turn(*given) for given in (views, dense))
            yield label, ours, theirs, FLOOR


def caches(layout: str, blocks: int, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Caches of keys and values: blocks, slots, heads, elements each."""
    if layout == "dense":
        key_cache, value_cache = (torch.zeros(blocks, SIZE, KEYS, WIDTH, dtype=dtype) for _ in range(2))
        return key_cache, value_cache
    if layout == "dense, heads first":
        key_cache, value_cache = (torch.zeros(blocks, KEYS, SIZE, WIDTH, dtype=dtype) for _ in range(2))
        return key_cache.transpose(1, 2), value_cache.transpose(1, 2)
    if layout == "(blocks, 2, ...)":
        both = torch.zeros(blocks, 2, SIZE, KEYS, WIDTH, dtype=dtype)
        return both[:, 0], both[:, 1]
    if layout == "(2, blocks, ...)":
        both = torch.zeros(2, blocks, SIZE, KEYS, WIDTH, dtype=dtype)
        return both[0], both[1]
    both = torch.zeros(blocks, KEYS, 2 * SIZE, WIDTH, dtype=dtype)
    return both[:, :, :SIZE].transpose(1, 2), both[:, :, SIZE:].transpose(1, 2)


# And the dense layout whose dimensions lie in the same order.
LAYOUTS = {
    "(blocks, 2, ...)": "dense",
    "(2, blocks, ...)": "dense",
    "(blocks, heads, 2 slots, ...)": "dense, heads first",
}


def writer(layout: str, blocks: int, dtype: torch.dtype) -> Callable[[], object]:
    """A call that fills slots of the first blocks, in the order of random numbers."""
    random = torch.Generator().manual_seed(0)
    key, value = (torch.randn((TOKENS, KEYS, WIDTH), generator=random).to(dtype) for _ in range(2))
    slots, one = torch.randperm(BLOCKS * SIZE, generator=random)[:TOKENS], torch.ones(())
    key_cache, value_cache = caches(layout, blocks, dtype)
    function = opwright.ops.reshape_and_cache_flash
    return lambda: function(key, value, key_cache, value_cache, slots, "auto", one, one)


def writes() -> Iterator[Pair]:
    """Into caches that interleave and into dense ones; then into many blocks and into few."""
    for dtype in DTYPES:
        for layout, dense in LAYOUTS.items():
            label = f"cache, {layout}, {_name(dtype)}"
            yield label, writer(layout, BLOCKS, dtype), writer(dense, BLOCKS, dtype), FLOOR
    half = torch.float16
    orders = [writer(layout, BLOCKS, half) for layout in ("dense, heads first", "dense")]
    yield "cache, dense, float16, heads before slots", *orders, NONE
    for layout in ("dense", *LAYOUTS):
        label = f"cache, {layout}, float16, 6400 blocks"
        yield label, writer(layout, 100 * BLOCKS, half), writer(layout, BLOCKS, half), FLOOR


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def main() -> int:
    """Measures, prints, saves; returns 1 where a floor is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--json", metavar="FILE", help="where to write the rows")
    options = parser.parse_args()
    torch.set_num_threads(1)
    rounds = 7 if options.quick else 21
    with torch.inference_mode():
        found = [*rotations(), *writes()]
        rows = [measure(label, ours, theirs, rounds, 0.01, time.process_time) for label, ours, theirs, _ in found]
    show("operators that write into views, one thread, CPU time", rows, "dense")
    save(options.json, rows)
    limits = [limit(floor, options.quick) for *_, floor in found]
    missed = [(row, most) for row, most in zip(rows, limits, strict=True) if row["ratio"] > most]
    for row, most in missed:
        print(f"floor missed: {row['case']}: {row['ratio']:.2f} > {most}", file=sys.stderr)
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
