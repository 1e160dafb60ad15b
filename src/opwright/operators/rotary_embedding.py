"""`rotary_embedding`: pairs of elements of queries and keys, turned by the angles of their positions.

In: positions; queries and perhaps keys of any strides, with heads in one dimension or two; a table that has the cosines
and sines of each position. Out: the same dtypes and shapes, dense; without keys an empty tensor in their place. It is
computed in float32 (float64 for float64) and rounded once. In place, queries and keys may be views of one tensor.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch import Tensor

from opwright import host
from opwright.operators import Case, operator
from opwright.operators import _rotary_kernels as kernels

INDICES = (host.int32, host.int64)

rotary_embedding = operator(
    "rotary_embedding(Tensor positions, Tensor query, Tensor? key, int head_size, Tensor cos_sin_cache, bool is_neox, "
    "int rope_dim_offset=0, bool inverse=False) -> (Tensor, Tensor)",
    dtypes=host.FLOATS,
    gradient="exact",
    constants=("positions", "cos_sin_cache"),
    saves=("positions", "cos_sin_cache"),
    writes={"query": 0, "key": 1},
    providers={"cpu": ("native", "reference", "kernel")},
    also=(
        "_C::rotary_embedding(Tensor positions, Tensor! query, Tensor!? key, int head_size, Tensor cos_sin_cache, "
        "bool is_neox, int rope_dim_offset=0, bool inverse=False) -> ()",  # vLLM's
    ),
)


def _require_heads(name: str, x: host.Tensor, positions: host.Tensor, head_size: int) -> None:
    rank = positions.ndim
    host.require(
        (x.ndim == rank + 1) | (x.ndim == rank + 2),
        f"{name} must have the dimensions of positions and one or two for its heads, not the shape {list(x.shape)}",
    )
    host.require(
        x.shape[:rank] == positions.shape,
        f"{name} must have a row for each of the positions {list(positions.shape)}, not the shape {list(x.shape)}",
    )
    width = x.shape[-1]
    if x.ndim == rank + 1:
        host.require(width % head_size == 0, f"{name} must have rows of heads of {head_size} elements, not of {width}")
    else:
        host.require(width == head_size, f"{name} must have heads of {head_size} elements, not of {width}")


@rotary_embedding.infer
def _infer(
    positions: host.Tensor,
    query: host.Tensor,
    key: host.Tensor | None,
    head_size: int,
    cos_sin_cache: host.Tensor,
    is_neox: bool,
    rope_dim_offset: int,
    inverse: bool,
) -> tuple[host.Tensor, host.Tensor]:
    host.require_dtype("positions", positions, INDICES)
    host.require_dtype("query", query, host.FLOATS)
    host.require_dtype("cos_sin_cache", cos_sin_cache, host.FLOATS)
    host.require_device("query", query, "positions", positions)
    host.require_device("cos_sin_cache", cos_sin_cache, "positions", positions)
    host.require(head_size > 0, f"head_size must be at least 1, not {head_size}")
    host.require(
        cos_sin_cache.ndim == 2, f"cos_sin_cache must have a row for each position, not {list(cos_sin_cache.shape)}"
    )
    width = cos_sin_cache.shape[1]
    host.require(width % 2 == 0, f"cos_sin_cache must have rows of even length, cosines and sines, not of {width}")
    host.require(rope_dim_offset >= 0, f"rope_dim_offset must be at least 0, not {rope_dim_offset}")
    host.require(
        width <= head_size - rope_dim_offset,
        f"a head of {head_size} has no {width} elements from {rope_dim_offset} on, which cos_sin_cache turns",
    )
    _require_heads("query", query, positions, head_size)
    if key is None:
        return host.dense(query.shape, query.dtype), host.dense((0,), query.dtype)
    host.require_device("key", key, "positions", positions)
    if key.dtype != query.dtype:
        host.refuse_type(f"key must be {query.dtype}, as query is, not {key.dtype}")
    _require_heads("key", key, positions, head_size)
    return host.dense(query.shape, query.dtype), host.dense(key.shape, key.dtype)


@rotary_embedding.reference
def _reference(
    positions: Tensor,
    query: Tensor,
    key: Tensor | None,
    head_size: int,
    cos_sin_cache: Tensor,
    is_neox: bool,
    rope_dim_offset: int,
    inverse: bool,
) -> tuple[Tensor, Tensor]:
    """Turns pairs of elements of queries and keys by the angles of their positions.

    `positions` has one integer for each token, `query` and `key` the same dimensions and one or two more: heads of
    `head_size` elements. A row of `cos_sin_cache` has the cosines of R/2 angles, then their sines. With `is_neox`, pair
    k of a head is the elements k and k + R/2, else 2k and 2k + 1, counted from `rope_dim_offset`; `a, b` becomes
    `a cos - b sin, b cos + a sin`, or with `inverse` what that came from. Other elements stay. Computed in float32, or
    float64 for float64, and rounded once. Without `key` the second result is empty. The table is a constant.
    """
    wide = torch.float64 if query.dtype == torch.float64 else torch.float32
    turned = cos_sin_cache.shape[1]
    rows = cos_sin_cache.index_select(0, positions.flatten()).to(wide).view(*positions.shape, 1, turned)
    cos, sin = rows[..., : turned // 2], rows[..., turned // 2 :]
    sin = -sin if inverse else sin
    end = rope_dim_offset + turned

    def turn(x: Tensor) -> Tensor:
        heads = x if x.ndim == positions.ndim + 2 else x.unflatten(-1, (x.shape[-1] // head_size, head_size))
        part = heads[..., rope_dim_offset:end].to(wide)
        halves = (part[..., : turned // 2], part[..., turned // 2 :]) if is_neox else (part[..., ::2], part[..., 1::2])
        a, b = halves
        pairs = (a * cos - b * sin, b * cos + a * sin)
        new = torch.cat(pairs, -1) if is_neox else torch.stack(pairs, -1).flatten(-2)
        return torch.cat((heads[..., :rope_dim_offset], new.to(x.dtype), heads[..., end:]), -1).view(x.shape)

    return turn(query), query.new_empty(0) if key is None else turn(key)


@rotary_embedding.oracle
def _oracle(
    positions: Tensor,
    query: Tensor,
    key: Tensor | None,
    head_size: int,
    cos_sin_cache: Tensor,
    is_neox: bool,
    rope_dim_offset: int,
    inverse: bool,
) -> tuple[Tensor, Tensor]:
    """Complex numbers of Python, pair by pair."""
    table = cos_sin_cache.tolist()
    half = cos_sin_cache.shape[1] // 2

    def turn(x: Tensor) -> Tensor:
        width = math.prod(x.shape[positions.ndim :])
        rows = x.double().reshape(positions.numel(), width).tolist()
        for row, position in zip(rows, positions.flatten().tolist(), strict=True):
            for head in range(rope_dim_offset, len(row), head_size):
                for k in range(half):
                    first, second = (head + k, head + k + half) if is_neox else (head + 2 * k, head + 2 * k + 1)
                    angle = complex(table[position][k], table[position][half + k])
                    pair = complex(row[first], row[second]) * (angle.conjugate() if inverse else angle)
                    row[first], row[second] = pair.real, pair.imag
        return torch.tensor(rows, dtype=torch.float64).reshape(x.shape)

    return turn(query), torch.empty(0, dtype=torch.float64) if key is None else turn(key)


@rotary_embedding.backward
def _backward(
    grad_query: Tensor,
    grad_key: Tensor,
    needed: tuple[bool, ...],
    positions: Tensor,
    query: None,
    key: None,
    head_size: int,
    cos_sin_cache: Tensor,
    is_neox: bool,
    rope_dim_offset: int,
    inverse: bool,
) -> tuple[Tensor | None, Tensor | None]:
    """The transposed of what turns a pair turns it back."""
    rest = (head_size, cos_sin_cache, is_neox, rope_dim_offset, not inverse)
    if not needed[0]:
        return None, rotary_embedding(positions, grad_key, None, *rest)[0]
    dquery, dkey = rotary_embedding(positions, grad_query, grad_key if needed[1] else None, *rest)
    return dquery, dkey if needed[1] else None


def _table(positions: int, turned: int) -> Tensor:
    angles = [[p * 10000.0 ** (-2 * k / turned) for k in range(turned // 2)] for p in range(positions)]
    rows = [[*map(math.cos, row), *map(math.sin, row)] for row in angles]
    return torch.tensor(rows, dtype=torch.float64).view(positions, turned)


rotary_embedding.kernel(kernels.rotary_embedding_halves, kernels.VARIANTS, kernels.RANKS)
rotary_embedding.kernel(kernels.rotary_embedding_neighbours, kernels.VARIANTS, kernels.RANKS)
rotary_embedding.launch(kernels.launch)


@rotary_embedding.cases
def _cases(dtype: torch.dtype, random: torch.Generator) -> Iterator[Case]:
    def numbers(*shape: int) -> Tensor:
        return torch.randn(shape, generator=random, dtype=torch.float64).to(dtype)

    def places(count: int, *shape: int) -> Tensor:
        return torch.randint(0, count, shape, generator=random)

    for tokens, heads in ((2, 2), (3, 4), (5, 3)):
        yield Case(places(3, tokens), numbers(tokens, heads * 4), numbers(tokens, 4), 4, _table(3, 4).to(dtype), True)
    yield Case(places(2, 2), numbers(2, 1, 4), numbers(2, 4), 4, _table(2, 4).to(dtype), False)
    yield Case(places(3, 2), numbers(2, 6), None, 6, _table(3, 4).to(dtype), False, 1, True)
    yield Case(places(7, 2, 3).int(), numbers(2, 3, 2, 5), numbers(2, 3, 5), 5, _table(7, 2).float(), True, 3)
    yield Case(places(4, 0), numbers(0, 8), numbers(0, 1, 8), 8, _table(4, 8).to(dtype), True)
    yield Case(places(4, 2), numbers(2, 8), None, 8, torch.zeros(4, 0), True)
    yield Case(places(9, 3), numbers(3, 2, 80), numbers(3, 80), 80, _table(9, 64).double(), False, 16)
    many = numbers(60, 6, 96)
    yield Case(places(50, 60), many[:, :4], many[:, 4:5], 96, _table(50, 96).to(dtype), True, large=True)
    yield Case(places(5, 3), numbers(3, 1100), None, 1100, _table(5, 1100).to(dtype), True, large=True)


@rotary_embedding.timed
def _timed(dtype: torch.dtype, rows: int, random: torch.Generator) -> Case:
    qkv = torch.randn((rows, 32 + 2 * 8, 128), generator=random).to(dtype)
    positions = torch.randint(0, 4096, (rows,), generator=random)
    return Case(positions, qkv[:, :32], qkv[:, 32:40], 128, _table(4096, 128).to(dtype), True)


@rotary_embedding.mistakes
def _mistakes() -> Iterator[tuple[str, Case]]:
    positions, query, table = torch.zeros(2, dtype=torch.int64), torch.ones(2, 8), torch.ones(3, 4)
    yield "dtype of positions", Case(positions.float(), query, None, 4, table, True)
    yield "dtype of query", Case(positions, query.int(), None, 4, table, True)
    yield "dtype of the table", Case(positions, query, None, 4, table.int(), True)
    yield "another dtype of key", Case(positions, query, query.half(), 4, table, True)
    yield "a head of nothing", Case(positions, query, None, 0, table, True)
    yield "a table of one row", Case(positions, query, None, 4, table[0], True)
    yield "an odd table", Case(positions, query, None, 4, table[:, :3], True)
    yield "an offset below 0", Case(positions, query, None, 4, table, True, -1)
    yield "an offset beyond the head", Case(positions, query, None, 4, table, True, 1)
    yield "too few dimensions", Case(positions, query[0], None, 4, table, True)
    yield "too many tokens", Case(positions, query, torch.ones(3, 8), 4, table, True)
    yield "rows that are no heads", Case(positions, torch.ones(2, 6), None, 4, table, True)
    yield "heads of another size", Case(positions, torch.ones(2, 1, 8), None, 4, table, True)
    yield "a table on another device", Case(positions, query, None, 4, table.to("meta"), True)


NATIVE = r"""
#include <algorithm>
#include <cstring>

#include "opwright/floats.h"
#include "opwright/indices.h"

namespace opwright::rotary_embedding {

enum { kPositions, kQuery, kKey, kHeadSize, kTable, kIsNeox, kOffset, kInverse };
constexpr int64_t kPairs = 256;  // that are turned at a time: a multiple of kStep

int64_t integer_of(const OpwrightCall* call, int i) { return call->inputs[i].held.integer; }

// Queries or keys: where the heads of a token lie, before and after.
struct Heads {
    Heads(const OpwrightCall* call, int argument, int result)
        : x(tensor_of(call, argument)), y(call->outputs[result]), rank(tensor_of(call, kPositions).ndim) {
        const int64_t size = integer_of(call, kHeadSize);
        const bool is_flat = x.ndim == rank + 1;
        count = is_flat ? x.shape[rank] / size : x.shape[rank];
        x_step = x.strides[x.ndim - 1];
        y_step = y.strides[y.ndim - 1];
        x_stride = is_flat ? size * x_step : x.strides[rank];
        y_stride = is_flat ? size * y_step : y.strides[rank];
    }

    int64_t begin(const DLTensor& tensor, int64_t token) const {
        int64_t offset = 0;
        for (int32_t dim = rank - 1; dim >= 0; --dim) {
            offset += token % tensor.shape[dim] * tensor.strides[dim];
            token /= tensor.shape[dim];
        }
        return offset;
    }

    const DLTensor& x;
    const DLTensor& y;
    int32_t rank;
    int64_t count, x_step, y_step, x_stride, y_stride;
};

// Results are written token by token: the second may take the place of query, none that of what is read later.
bool overwrites(const OpwrightCall* call, int result, int argument) {
    const void* data = call->outputs[result].data;
    return data != nullptr && is_given(call, argument) && tensor_of(call, argument).data == data;
}

const char* plan(OpwrightCall* call) {
    if (overwrites(call, 0, kKey) || overwrites(call, 0, kTable) || overwrites(call, 1, kTable)) {
        return "a result lies where an argument does that is read after it is written";
    }
    const int64_t size = integer_of(call, kHeadSize);
    const int64_t heads = Heads(call, kQuery, 0).count + (is_given(call, kKey) ? Heads(call, kKey, 1).count : 0);
    call->parts = elements(tensor_of(call, kPositions));
    call->grain = grain_of_rows(heads * size);
    return nullptr;
}

template <typename T>
void copy(const T* from, int64_t step, T* to, int64_t to_step, int64_t count) {
    if (step == 1 && to_step == 1) {
        std::memcpy(to, from, static_cast<size_t>(count) * sizeof(T));
        return;
    }
    for (int64_t i = 0; i < count; ++i) to[i * to_step] = from[i * step];
}

// The angles of some pairs of one position.
template <typename Number>
struct Angles {
    template <typename T>
    static void read_as(const DLTensor& table, int64_t at, int64_t count, Number* to) {
        take_as(Run<const T>{static_cast<const T*>(table.data) + at, table.strides[1]}, count, to);
    }

    static void read(const DLTensor& table, int64_t at, int64_t count, Number* to) {
        if (is(table.dtype, kFloat16)) return read_as<Half>(table, at, count, to);
        if (is(table.dtype, kBFloat16)) return read_as<BFloat16>(table, at, count, to);
        if (is(table.dtype, kFloat32)) return read_as<float>(table, at, count, to);
        read_as<double>(table, at, count, to);
    }

    void take(const DLTensor& table, int64_t position, int64_t first, int64_t some, bool is_inverse) {
        const int64_t row = position * table.strides[0], half = table.shape[1] / 2;
        count = some;
        read(table, row + first * table.strides[1], some, cos);
        read(table, row + (half + first) * table.strides[1], some, sin);
        for (int64_t i = 0; i < some; ++i) minus_sin[i] = -sin[i];
        if (is_inverse) std::swap_ranges(sin, sin + some, minus_sin);
    }

    alignas(64) Number cos[kPairs], sin[kPairs], minus_sin[kPairs];
    int64_t count;
};

const auto turned = [](auto, auto own, auto other, auto cos, auto sin) { return own * cos + other * sin; };

// Turns pairs of all heads of one token. `a` and `b` are where the first pair lies in a head.
template <typename T, typename Number = typename Computed<T>::Type>
void turn_heads(const Heads& heads, int64_t token, const Angles<Number>& angles, int64_t a, int64_t b) {
    const int64_t apart = b == a + 1 ? 2 : 1;  // from one pair to the next
    const int64_t x_apart = apart * heads.x_step, y_apart = apart * heads.y_step;
    const T* x = static_cast<const T*>(heads.x.data) + heads.begin(heads.x, token);
    T* y = static_cast<T*>(heads.y.data) + heads.begin(heads.y, token);
    for (int64_t head = 0; head < heads.count; ++head, x += heads.x_stride, y += heads.y_stride) {
        // What is read, since a result may lie where it came from; without gaps, which vectors do not have.
        alignas(64) Number first[kPairs], second[kPairs], made[kPairs];
        take(Run<const T>{x + a * heads.x_step, x_apart}, angles.count, first);
        take(Run<const T>{x + b * heads.x_step, x_apart}, angles.count, second);
        compute(turned, angles.count, made, first, second, angles.cos, angles.minus_sin);
        put(made, angles.count, Run<T>{y + a * heads.y_step, y_apart});
        compute(turned, angles.count, made, second, first, angles.cos, angles.sin);
        put(made, angles.count, Run<T>{y + b * heads.y_step, y_apart});
    }
}

// Elements of all heads of one token that stay as they are.
template <typename T>
void keep(const Heads& heads, int64_t token, int64_t begin, int64_t end) {
    if (heads.x.data == heads.y.data) return;
    const T* x = static_cast<const T*>(heads.x.data) + heads.begin(heads.x, token);
    T* y = static_cast<T*>(heads.y.data) + heads.begin(heads.y, token);
    for (int64_t head = 0; head < heads.count; ++head, x += heads.x_stride, y += heads.y_stride) {
        copy(x + begin * heads.x_step, heads.x_step, y + begin * heads.y_step, heads.y_step, end - begin);
    }
}

template <typename T>
void run_tokens(const OpwrightCall* call, int64_t begin, int64_t end) {
    const DLTensor& table = tensor_of(call, kTable);
    const Indices positions(tensor_of(call, kPositions));
    positions.require(0, table.shape[0], "position", "cos_sin_cache");
    const int64_t size = integer_of(call, kHeadSize), offset = integer_of(call, kOffset), half = table.shape[1] / 2;
    const bool is_neox = integer_of(call, kIsNeox), is_inverse = integer_of(call, kInverse);
    const Heads both[] = {{call, kQuery, 0}, {call, is_given(call, kKey) ? kKey : kQuery, is_given(call, kKey)}};
    const int count = is_given(call, kKey) ? 2 : 1;
    Angles<typename Computed<T>::Type> angles;
    for (int64_t token = begin; token < end; ++token) {
        for (int64_t k = 0; k < half; k += kPairs) {
            angles.take(table, positions[token], k, half - k < kPairs ? half - k : kPairs, is_inverse);
            const int64_t first = offset + (is_neox ? k : 2 * k);
            for (int i = 0; i < count; ++i) turn_heads<T>(both[i], token, angles, first, first + (is_neox ? half : 1));
        }
        for (int i = 0; i < count; ++i) {
            keep<T>(both[i], token, 0, offset);
            keep<T>(both[i], token, offset + 2 * half, size);
        }
    }
}

void run(const OpwrightCall* call, int64_t begin, int64_t end) {
    const DLDataType dtype = tensor_of(call, kQuery).dtype;
    if (is(dtype, kFloat16)) return run_tokens<Half>(call, begin, end);
    if (is(dtype, kBFloat16)) return run_tokens<BFloat16>(call, begin, end);
    if (is(dtype, kFloat32)) return run_tokens<float>(call, begin, end);
    run_tokens<double>(call, begin, end);
}

}  // namespace opwright::rotary_embedding
"""
