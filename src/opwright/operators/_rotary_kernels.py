"""The kernels of `rotary_embedding`, over tiles: pairs that lie half a row apart, and pairs of neighbours.

In: facts of the operator's arguments and results. Out: `launch`, and the two kernels with their variants. Cores share
the tokens; the cosines and sines of a token are loaded once for its queries and keys. Heads of any strides are read
where they lie. Refuses int32 positions, a table of another dtype than that of queries, float64, and tensors whose
tokens do not lie one stride apart. A position that the table does not have stops its core; others may have written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from opwright import asc, host, tile
from opwright.operators._rowwise import KERNEL_FLOATS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@tile.jit
def _kept(x, y, token, offset, turned, HEADS, COLS):  # type: ignore[no-untyped-def]
    """Copies the elements of heads before and behind those that are turned."""
    width = x.shape[2]
    for side in range(2):
        begin, end = side * (offset + turned), offset + side * (width - offset)
        for heads in tile.range(x.shape[1], HEADS, stages=2):
            for cols in tile.range(begin, end, COLS, stages=2):
                y[token, heads, cols] = x[token, heads, cols]


@tile.jit
def _turned_halves(x, y, token, cos, sin, first, second, HEADS):  # type: ignore[no-untyped-def]
    for heads in tile.range(x.shape[1], HEADS, stages=2):
        a = x[token, heads, first].to(tile.float32)
        b = x[token, heads, second].to(tile.float32)
        y[token, heads, first] = (a * cos - b * sin).to(y.dtype)
        y[token, heads, second] = (b * cos + a * sin).to(y.dtype)


@tile.jit
def rotary_embedding_halves(
    positions: tile.Tensor,
    query: tile.Tensor,
    key: tile.Tensor,
    cos_sin_cache: tile.Tensor,
    turned_query: tile.Tensor,
    turned_key: tile.Tensor,
    rope_dim_offset: int,
    sign: float,
    HEADS: tile.constexpr = 8,
    PAIRS: tile.constexpr = 128,
) -> None:
    """Pair k is the elements k and k + R/2: tiles of some heads and up to 128 pairs."""
    half = cos_sin_cache.shape[1] // 2
    for token in tile.parallel(positions.shape[0]):
        position = positions[token]
        for pairs in tile.range(half, PAIRS, stages=2):
            cos = cos_sin_cache[position, pairs].to(tile.float32)
            sin = cos_sin_cache[position, pairs.shifted(half)].to(tile.float32) * sign
            first, second = pairs.shifted(rope_dim_offset), pairs.shifted(rope_dim_offset + half)
            _turned_halves(query, turned_query, token, cos, sin, first, second, HEADS)
            _turned_halves(key, turned_key, token, cos, sin, first, second, HEADS)
        _kept(query, turned_query, token, rope_dim_offset, 2 * half, HEADS, PAIRS)
        _kept(key, turned_key, token, rope_dim_offset, 2 * half, HEADS, PAIRS)


@asc.jit
def _gathered(x: asc.LocalTensor, places: asc.LocalTensor, count: int, y: asc.LocalTensor) -> None:
    asc.gather(y, x, places.reinterpret_cast(asc.uint32), 0, count)


def _gathered_in_numpy(x: NDArray[np.float32], places: NDArray[np.int32], count: int) -> NDArray[np.float32]:
    y = x[[0] * len(places)]
    y[:count] = x[places[:count] // 4]
    return y


@tile.jit
def _turned_neighbours(x, y, token, cos, sin, cols, swapped, PAIRS):  # type: ignore[no-untyped-def]
    for head in tile.range(x.shape[1], 1, stages=2):
        both = x[token, head.start, cols].to(tile.float32)
        others = tile.call(
            _gathered, both, swapped, cols.count, out=((2 * PAIRS,), tile.float32), reference=_gathered_in_numpy
        )
        y[token, head.start, cols] = (both * cos + others * sin).to(y.dtype)


@tile.jit
def rotary_embedding_neighbours(
    positions: tile.Tensor,
    query: tile.Tensor,
    key: tile.Tensor,
    cos_sin_cache: tile.Tensor,
    turned_query: tile.Tensor,
    turned_key: tile.Tensor,
    rope_dim_offset: int,
    sign: float,
    HEADS: tile.constexpr = 8,
    PAIRS: tile.constexpr = 128,
) -> None:
    """Pair k is the elements 2k and 2k + 1: a head times cosines, and its elements' neighbours times sines."""
    half = cos_sin_cache.shape[1] // 2
    place = tile.arange(2 * PAIRS).to(tile.float32)
    pair = tile.floor(place * 0.5)
    is_second = place - pair * 2.0
    # In bytes of float32: where the pair's angle lies, and where the other element of the pair does.
    doubled = (pair * 4.0).to(tile.int32, round="nearest")
    swapped = ((place + 1.0 - is_second * 2.0) * 4.0).to(tile.int32, round="nearest")
    signs = (is_second * 2.0 - 1.0) * sign
    for token in tile.parallel(positions.shape[0]):
        position = positions[token]
        for pairs in tile.range(half, PAIRS, stages=2):
            start = rope_dim_offset + 2 * pairs.start
            cols = tile.span(start, 2 * PAIRS, stop=start + 2 * pairs.count)
            cos = tile.call(
                _gathered,
                cos_sin_cache[position, pairs].to(tile.float32),
                doubled,
                cols.count,
                out=((2 * PAIRS,), tile.float32),
                reference=_gathered_in_numpy,
            )
            sin = tile.call(
                _gathered,
                cos_sin_cache[position, pairs.shifted(half)].to(tile.float32),
                doubled,
                cols.count,
                out=((2 * PAIRS,), tile.float32),
                reference=_gathered_in_numpy,
            )
            signed = sin * signs
            _turned_neighbours(query, turned_query, token, cos, signed, cols, swapped, PAIRS)
            _turned_neighbours(key, turned_key, token, cos, signed, cols, swapped, PAIRS)
        _kept(query, turned_query, token, rope_dim_offset, 2 * half, HEADS, PAIRS)
        _kept(key, turned_key, token, rope_dim_offset, 2 * half, HEADS, PAIRS)


VARIANTS = [(host.int64, dtype, dtype, dtype, dtype, dtype) for dtype in KERNEL_FLOATS]
RANKS = (1, 3, 3, 2, 3, 3)
_of_halves = host.launch_of(rotary_embedding_halves, VARIANTS, RANKS)
_of_neighbours = host.launch_of(rotary_embedding_neighbours, VARIANTS, RANKS)


def launch(
    positions: host.Tensor,
    query: host.Tensor,
    key: host.Tensor | None,
    head_size: int,
    cos_sin_cache: host.Tensor,
    is_neox: bool,
    rope_dim_offset: int,
    inverse: bool,
    turned_query: host.Tensor,
    turned_key: host.Tensor,
    soc: host.Soc,
) -> host.Launch:
    """Tokens, heads and elements; an absent key has no heads."""
    rank = positions.ndim
    tokens = _tokens("positions", positions, rank)
    places = host.strided(tokens.shape[:1], tokens.strides[:1], positions.dtype)
    queries = _heads("query", query, rank, head_size)
    new_queries = _heads("turned_query", turned_query, rank, head_size)
    sign = -1.0 if inverse else 1.0
    if key is None:
        keys = new_keys = host.strided((tokens.shape[0], 0, head_size), (0, head_size, 1), query.dtype)
    else:
        keys, new_keys = _heads("key", key, rank, head_size), _heads("turned_key", turned_key, rank, head_size)
    if is_neox:
        return _of_halves(places, queries, keys, cos_sin_cache, new_queries, new_keys, rope_dim_offset, sign, soc)
    return _of_neighbours(places, queries, keys, cos_sin_cache, new_queries, new_keys, rope_dim_offset, sign, soc)


def _tokens(name: str, x: host.Tensor, rank: int) -> host.Tensor:
    """The tokens of a tensor as rows of one element: their first ones."""
    return host.rows(name, host.strided((*x.shape[:rank], 1), (*x.strides[:rank], 1), x.dtype))


def _heads(name: str, x: host.Tensor, rank: int, head_size: int) -> host.Tensor:
    tokens, step = _tokens(name, x, rank), x.strides[-1]
    count, stride = x.shape[-1] // head_size, head_size * step
    if x.ndim == rank + 2:
        count, stride = x.shape[rank], x.strides[rank]
    return host.strided((tokens.shape[0], count, head_size), (tokens.strides[0], stride, step), x.dtype)
