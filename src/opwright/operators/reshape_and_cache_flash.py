"""`reshape_and_cache_flash`: writes the keys and values of tokens into their slots of a paged cache.

In: keys and values of tokens; caches of blocks, slots, heads and elements, of any strides; the slot of each token. Out:
nothing new, the slots of the caches are written. A negative slot is padding. Of two tokens with one slot either is
written. Both caches may lie in one tensor. Refuses slots that the caches do not have, and then writes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from opwright import host, tile
from opwright.operators import Case, operator
from opwright.operators._rowwise import KERNEL_FLOATS

INDICES = (host.int32, host.int64)

reshape_and_cache_flash = operator(
    "reshape_and_cache_flash(Tensor key, Tensor value, Tensor(a!) key_cache, Tensor(b!) value_cache, "
    "Tensor slot_mapping, str kv_cache_dtype, Tensor k_scale, Tensor v_scale) -> ()",
    dtypes=host.FLOATS,
    providers={"cpu": ("native", "reference", "kernel")},
    tolerance={},
    also=(
        "_C_cache_ops::reshape_and_cache_flash(Tensor key, Tensor value, Tensor! key_cache, Tensor! value_cache, "
        "Tensor slot_mapping, str kv_cache_dtype, Tensor k_scale, Tensor v_scale) -> ()",  # vLLM's
    ),
)


def _require_cache(name: str, rows: host.Tensor, cache: host.Tensor) -> None:
    host.require(rows.ndim == 3, f"{name} must be tokens, heads and elements, not of the shape {list(rows.shape)}")
    host.require(
        cache.ndim == 4, f"{name}_cache must be blocks, slots, heads and elements, not of the shape {list(cache.shape)}"
    )
    if cache.dtype != rows.dtype:
        host.refuse_type(f"{name}_cache must be {rows.dtype}, as {name} is, not {cache.dtype}")
    host.require(
        rows.shape[1:] == cache.shape[2:],
        f"{name} has heads and elements {list(rows.shape[1:])}, but its cache {list(cache.shape[2:])}",
    )


def _require_scale(name: str, scale: host.Tensor, heads: int) -> None:
    host.require_dtype(name, scale, (host.float32,))
    host.require((scale.numel == 1) | (scale.numel == heads), f"{name} must have one element, or one for each head")


@reshape_and_cache_flash.infer
def _infer(
    key: host.Tensor,
    value: host.Tensor,
    key_cache: host.Tensor,
    value_cache: host.Tensor,
    slot_mapping: host.Tensor,
    kv_cache_dtype: str,
    k_scale: host.Tensor,
    v_scale: host.Tensor,
) -> None:
    host.require_dtype("key", key, host.FLOATS)
    if value.dtype != key.dtype:
        host.refuse_type(f"value must be {key.dtype}, as key is, not {value.dtype}")
    host.require_dtype("slot_mapping", slot_mapping, INDICES)
    host.require(
        kv_cache_dtype == "auto",
        f"kv_cache_dtype must be 'auto', a cache of the dtype of key, not {kv_cache_dtype!r}: no other is written yet",
    )
    host.require_device("value", value, "key", key)
    host.require_device("key_cache", key_cache, "key", key)
    host.require_device("value_cache", value_cache, "key", key)
    host.require_device("slot_mapping", slot_mapping, "key", key)
    host.require_device("k_scale", k_scale, "key", key)
    host.require_device("v_scale", v_scale, "key", key)
    _require_cache("key", key, key_cache)
    _require_cache("value", value, value_cache)
    host.require(
        key_cache.shape[:2] == value_cache.shape[:2],
        f"key_cache has blocks and slots {list(key_cache.shape[:2])}, but value_cache {list(value_cache.shape[:2])}",
    )
    host.require(key.shape[0] == value.shape[0], f"key has {key.shape[0]} tokens, but value {value.shape[0]}")
    host.require(
        slot_mapping.ndim == 1, f"slot_mapping must have one dimension, not the shape {list(slot_mapping.shape)}"
    )
    host.require(
        slot_mapping.shape[0] <= key.shape[0],
        f"slot_mapping has slots for {slot_mapping.shape[0]} tokens, but key has {key.shape[0]}",
    )
    _require_scale("k_scale", k_scale, key.shape[1])
    _require_scale("v_scale", v_scale, value.shape[1])


@reshape_and_cache_flash.reference
def _reference(
    key: Tensor,
    value: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    slot_mapping: Tensor,
    kv_cache_dtype: str,
    k_scale: Tensor,
    v_scale: Tensor,
) -> None:
    """Writes the keys and values of tokens into their slots of a paged cache.

    Token i goes to `cache[slot // size, slot % size]` with `slot = slot_mapping[i]` and `size` the slots of a block. A
    negative slot is padding, and so are tokens behind the last slot. Of two tokens with one slot either is written.
    Caches have any strides; keys and values may interleave in one tensor. `kv_cache_dtype` is "auto": caches have the
    dtype of `key`, and the scales are not used.
    """
    count, size = slot_mapping.shape[0], key_cache.shape[1]
    if count == 0:
        return
    # Padding repeats a token that has a slot; if none has, what is in slot 0. No number is needed on the host.
    is_used = slot_mapping >= 0
    if key_cache.shape[0] * size == 0:
        if is_used.any():
            raise IndexError("a token has a slot, but the caches have none")
        return
    token = torch.where(is_used, torch.arange(count, device=key.device), is_used.int().argmax())
    slot = slot_mapping.long()[token].clamp(min=0)
    place = (slot // size, slot % size)
    for rows, cache in ((key, key_cache), (value, value_cache)):
        cache.index_put_(place, torch.where(is_used.any(), rows[token], cache[place]))


@reshape_and_cache_flash.oracle
def _oracle(
    key: Tensor,
    value: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    slot_mapping: Tensor,
    kv_cache_dtype: str,
    k_scale: Tensor,
    v_scale: Tensor,
) -> tuple[Tensor, ...]:
    """Lists of Python, token by token."""
    written = []
    for rows, cache in ((key, key_cache), (value, value_cache)):
        lists, tokens = cache.tolist(), rows.tolist()
        for token, slot in enumerate(slot_mapping.tolist()):
            if slot >= 0:
                lists[slot // cache.shape[1]][slot % cache.shape[1]] = tokens[token]
        written.append(torch.tensor(lists, dtype=torch.float64).view(cache.shape))
    return tuple(written)


def _caches(layout: int, blocks: int, size: int, heads: int, width: int) -> tuple[Tensor, Tensor]:
    """Caches of keys and values: each dense; in one tensor by block, by kind, or by the slots of a block."""
    if layout == 0:
        return torch.zeros(blocks, size, heads, width), torch.zeros(blocks, size, heads, width)
    if layout == 1:
        both = torch.zeros(blocks, 2, size, heads, width)
        return both[:, 0], both[:, 1]
    if layout == 2:
        both = torch.zeros(2, blocks, size, heads, width)
        return both[0], both[1]
    both = torch.zeros(blocks, heads, 2 * size, width)
    return both[:, :, :size].transpose(1, 2), both[:, :, size:].transpose(1, 2)


@tile.jit
def reshape_and_cache_flash_tokens(
    key: tile.Tensor,
    value: tile.Tensor,
    key_cache: tile.Tensor,
    value_cache: tile.Tensor,
    slot_mapping: tile.Tensor,
    HEADS: tile.constexpr = 16,
    COLS: tile.constexpr = 256,
) -> None:
    """Cores share the tokens; heads and their elements are copied in parts, a key first and then its value.

    A slot that the caches do not have stops its core; others may have written. Of two tokens with one slot, parts of
    both may be written.
    """
    for token in tile.parallel(slot_mapping.shape[0]):
        slot = slot_mapping[token]
        if slot >= 0:
            block, place = slot // key_cache.shape[1], slot % key_cache.shape[1]
            for heads in tile.range(key.shape[1], HEADS, stages=2):
                for cols in tile.range(key.shape[2], COLS, stages=2):
                    key_cache[block, place, heads, cols] = key[token, heads, cols]
            for heads in tile.range(value.shape[1], HEADS, stages=2):
                for cols in tile.range(value.shape[2], COLS, stages=2):
                    value_cache[block, place, heads, cols] = value[token, heads, cols]


VARIANTS = [(dtype, dtype, dtype, dtype, index) for dtype in KERNEL_FLOATS for index in INDICES]
RANKS = (3, 3, 4, 4, 1)
_of_tokens = host.launch_of(reshape_and_cache_flash_tokens, VARIANTS, RANKS)
reshape_and_cache_flash.kernel(reshape_and_cache_flash_tokens, VARIANTS, RANKS)


@reshape_and_cache_flash.launch
def _launch(
    key: host.Tensor,
    value: host.Tensor,
    key_cache: host.Tensor,
    value_cache: host.Tensor,
    slot_mapping: host.Tensor,
    kv_cache_dtype: str,
    k_scale: host.Tensor,
    v_scale: host.Tensor,
    soc: host.Soc,
) -> host.Launch:
    return _of_tokens(key, value, key_cache, value_cache, slot_mapping, soc)


@reshape_and_cache_flash.cases
def _cases(dtype: torch.dtype, random: torch.Generator) -> Iterator[Case]:
    def numbers(*shape: int) -> Tensor:
        return torch.randn(shape, generator=random, dtype=torch.float64).to(dtype)

    scale = torch.ones(())
    for layout, tokens in enumerate((2, 3, 5, 4)):
        caches = [one.to(dtype).copy_(numbers(*one.shape)) for one in _caches(layout, 4, 2, 2, 6)]
        slots = torch.randperm(8, generator=random)[:tokens]
        slots[0] = -1 - layout
        yield Case(numbers(tokens, 2, 6), numbers(tokens, 2, 6), *caches, slots, "auto", scale, scale)
    caches = [numbers(3, 4, 2, size) for size in (5, 3)]
    slots = torch.tensor([11, 0], dtype=torch.int32)
    yield Case(numbers(3, 2, 5), numbers(3, 2, 3), *caches, slots, "auto", torch.ones(1), torch.ones(2))
    nothing = (torch.full((2,), -1), torch.zeros(0, dtype=torch.int64))
    for slots in nothing:
        caches = [numbers(2, 2, 1, 4) for _ in range(2)]
        yield Case(numbers(2, 1, 4), numbers(2, 1, 4), *caches, slots, "auto", scale, scale)
    for blocks, size in ((0, 2), (2, 0)):
        caches = [numbers(blocks, size, 1, 4) for _ in range(2)]
        yield Case(numbers(2, 1, 4), numbers(2, 1, 4), *caches, nothing[0], "auto", scale, scale)
    caches = [numbers(20, 16, 3, 70) for _ in range(2)]
    slots = torch.randperm(320, generator=random)[:200]
    yield Case(numbers(200, 3, 70), numbers(200, 3, 70), *caches, slots, "auto", scale, scale, large=True)


@reshape_and_cache_flash.timed
def _timed(dtype: torch.dtype, rows: int, random: torch.Generator) -> Case:
    key, value = (torch.randn((rows, 8, 128), generator=random).to(dtype) for _ in range(2))
    caches = [one.to(dtype) for one in _caches(0, 256, 16, 8, 128)]
    slots = torch.randperm(4096, generator=random)[:rows]
    return Case(key, value, *caches, slots, "auto", torch.ones(()), torch.ones(()))


@reshape_and_cache_flash.mistakes
def _mistakes() -> Iterator[tuple[str, Case]]:
    row, cache, slots, one = torch.ones(2, 2, 4), torch.zeros(3, 2, 2, 4), torch.arange(2), torch.ones(())
    rest = (slots, "auto", one, one)
    yield "dtype of key", Case(row.int(), row, cache, cache.clone(), *rest)
    yield "dtype of value", Case(row, row.half(), cache, cache.clone(), *rest)
    yield "dtype of a cache", Case(row, row, cache, cache.half(), *rest)
    yield "dtype of slots", Case(row, row, cache, cache.clone(), slots.float(), "auto", one, one)
    yield "dtype of a scale", Case(row, row, cache, cache.clone(), slots, "auto", one, one.double())
    yield "a cache of other numbers", Case(row, row, cache, cache.clone(), slots, "fp8", one, one)
    yield "rows of two dimensions", Case(row[0], row, cache, cache.clone(), *rest)
    yield "a cache of three dimensions", Case(row, row, cache[0], cache.clone(), *rest)
    yield "other heads", Case(row, row, cache, cache[:, :, :1].clone(), *rest)
    yield "caches of other blocks", Case(row, row, cache, cache[:2].clone(), *rest)
    yield "fewer values", Case(row, row[:1], cache, cache.clone(), *rest)
    yield "slots in two dimensions", Case(row, row, cache, cache.clone(), slots[None], "auto", one, one)
    yield "more slots than tokens", Case(row, row, cache, cache.clone(), torch.arange(3), "auto", one, one)
    yield "three scales", Case(row, row, cache, cache.clone(), slots, "auto", torch.ones(3), one)
    yield "slots on another device", Case(row, row, cache, cache.clone(), slots.to("meta"), "auto", one, one)


NATIVE = r"""
#include <cstring>

#include "opwright/indices.h"

namespace opwright::reshape_and_cache_flash {

enum { kKey, kValue, kKeyCache, kValueCache, kSlots };

int64_t elements_of_token(const DLTensor& rows) { return rows.shape[1] * rows.shape[2]; }

const char* plan(OpwrightCall* call) {
    call->parts = tensor_of(call, kSlots).shape[0];
    call->grain = grain_of_rows(elements_of_token(tensor_of(call, kKey)) + elements_of_token(tensor_of(call, kValue)));
    return nullptr;
}

// Chunks of a known size become moves of vectors: calls of memcpy would cost as much as the heads that they copy.
void copy_heads(const char* from, int64_t stride, char* to, int64_t to_stride, int64_t heads, int64_t bytes) {
    for (int64_t head = 0; head < heads; ++head, from += stride, to += to_stride) {
        int64_t i = 0;
        for (; i + 64 <= bytes; i += 64) std::memcpy(to + i, from + i, 64);
        if (i < bytes) std::memcpy(to + i, from + i, static_cast<size_t>(bytes - i));
    }
}

template <typename T>
void copy_token(const DLTensor& rows, int64_t token, const DLTensor& cache, int64_t slot) {
    const int64_t size = cache.shape[1], heads = rows.shape[1], width = rows.shape[2];
    const T* from = static_cast<const T*>(rows.data) + token * rows.strides[0];
    T* to = static_cast<T*>(cache.data) + slot / size * cache.strides[0] + slot % size * cache.strides[1];
    const int64_t step = rows.strides[2], to_step = cache.strides[3];
    const bool is_row = width == 1 || (step == 1 && to_step == 1);
    if (is_row && (heads == 1 || (rows.strides[1] == width && cache.strides[2] == width))) {
        std::memcpy(to, from, static_cast<size_t>(heads * width) * sizeof(T));
        return;
    }
    if (is_row) {
        constexpr int64_t kBytes = sizeof(T);
        copy_heads(reinterpret_cast<const char*>(from), rows.strides[1] * kBytes, reinterpret_cast<char*>(to),
                   cache.strides[2] * kBytes, heads, width * kBytes);
        return;
    }
    for (int64_t head = 0; head < heads; ++head) {
        const T* x = from + head * rows.strides[1];
        T* y = to + head * cache.strides[2];
        for (int64_t i = 0; i < width; ++i) y[i * to_step] = x[i * step];
    }
}

template <typename T>
void run_tokens(const OpwrightCall* call, int64_t begin, int64_t end) {
    const DLTensor& key_cache = tensor_of(call, kKeyCache);
    const Indices slots(tensor_of(call, kSlots));
    slots.require(INT64_MIN, key_cache.shape[0] * key_cache.shape[1], "slot", "key_cache");
    for (int64_t token = begin; token < end; ++token) {
        const int64_t slot = slots[token];
        if (slot < 0) continue;
        copy_token<T>(tensor_of(call, kKey), token, key_cache, slot);
        copy_token<T>(tensor_of(call, kValue), token, tensor_of(call, kValueCache), slot);
    }
}

void run(const OpwrightCall* call, int64_t begin, int64_t end) {
    switch (tensor_of(call, kKey).dtype.bits) {
        case 16: return run_tokens<uint16_t>(call, begin, end);
        case 32: return run_tokens<uint32_t>(call, begin, end);
        default: return run_tokens<uint64_t>(call, begin, end);
    }
}

}  // namespace opwright::reshape_and_cache_flash
"""
