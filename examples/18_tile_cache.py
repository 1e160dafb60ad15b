"""A paged key-value cache, over tiles: write tokens to their slots, and read the pages of each sequence back.

Run it: python examples/18_tile_cache.py

Which page and which slot a token takes is a number that the kernel reads from a tensor; a slot of -1 is not written.
The caches of serving engines look like this. The checked twin runs both kernels in sixteen orders. Not run on an NPU.
"""

import numpy as np

from opwright import tile


# [kernel]
@tile.jit
def cache_write(kv: tile.Tensor, cache: tile.Tensor, slots: tile.Tensor, H: tile.constexpr, D: tile.constexpr):
    """kv [tokens, heads, D] goes to cache [pages, slots of a page, heads, D]."""
    h, d = tile.whole(kv.shape[1], H), tile.whole(kv.shape[2], D)
    for token in tile.parallel(kv.shape[0]):
        slot = slots[token]
        if slot >= 0:
            cache[slot // cache.shape[1], slot % cache.shape[1], h, d] = kv[token, h, d]


@tile.jit
def cache_read(
    cache: tile.Tensor,
    table: tile.Tensor,
    lengths: tile.Tensor,
    out: tile.Tensor,
    PAGE: tile.constexpr,
    W: tile.constexpr,
):
    """cache [pages, PAGE, W] goes to out [sequences, tokens, W]; table [sequences, n] names the pages in order."""
    w = tile.whole(cache.shape[2], W)
    for seq, page in tile.parallel(table.shape[0], table.shape[1]):
        left = lengths[seq] - page * PAGE
        if left > 0:
            there = tile.span(0, PAGE, stop=left)
            out[seq, there.shifted(page * PAGE), w] = cache[table[seq, page], there, w]


# [kernel end]

PAGE, HEADS, WIDTH = 16, 4, 40


def main() -> None:
    """Three sequences of 5, 33 and 16 tokens, in pages that lie anywhere."""
    random = np.random.default_rng(0)
    lengths = np.array([5, 33, 16], np.int32)
    table = random.permutation(12)[:9].reshape(3, 3).astype(np.int32)
    slots = np.concatenate(
        [table[seq, place // PAGE] * PAGE + place % PAGE for seq, n in enumerate(lengths) for place in [np.arange(n)]]
    ).astype(np.int32)
    slots[7] = -1  # a token that the engine does not want kept
    kv = random.standard_normal((len(slots), HEADS, WIDTH)).astype(np.float16)
    cache = np.zeros((12, PAGE, HEADS, WIDTH), np.float16)
    cache_write.check(perturb=16)(kv, cache, slots, H=HEADS, D=WIDTH)
    wanted = np.zeros_like(cache)
    wanted.reshape(-1, HEADS, WIDTH)[slots[slots >= 0]] = kv[slots >= 0]
    print(f"{len(slots)} tokens written:", "right" if np.array_equal(cache, wanted) else "WRONG")

    width = HEADS * WIDTH
    out = np.full((3, 3 * PAGE, width), np.nan, np.float16)
    cache_read.check(perturb=16)(cache.reshape(12, PAGE, width), table, lengths, out, PAGE=PAGE, W=width)
    for seq, n in enumerate(lengths):
        found = cache[table[seq]].reshape(3 * PAGE, width)
        is_right = np.array_equal(out[seq, :n], found[:n]) and np.isnan(out[seq, n:]).all()
        print(f"sequence {seq}, {n} tokens read:", "right" if is_right else "WRONG")


if __name__ == "__main__":
    main()
