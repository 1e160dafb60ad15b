"""Operators that write, in the namespace writing: as language models are served, with references in plain PyTorch.

In: nothing. Out: `WRITING`: a rotation of queries and keys, which returns new tensors and has a form in place for both;
a cache of keys and values that is filled; one that writes and returns; and one over lists of tensors. Importing this
defines them; `opwright.ops.register` registers them.
"""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from opwright import host
from opwright.operators import Case, operator

FLOATS = (host.float16, host.float32)


def _numbers(shape: tuple[int, ...], dtype: torch.dtype, random: torch.Generator) -> Tensor:
    return torch.randn(shape, generator=random, dtype=torch.float64).to(dtype)


# Returns new tensors, and has a form in place -----------------------------------------------------------------------

rotated = operator(
    "writing::rotated(Tensor positions, Tensor query, Tensor? key, Tensor table) -> (Tensor, Tensor?)",
    dtypes=(host.int64,),
    writes={"query": 0, "key": 1},
)


@rotated.infer
def _infer_rotated(
    positions: host.Tensor, query: host.Tensor, key: host.Tensor | None, table: host.Tensor
) -> tuple[host.Tensor, host.Tensor | None]:
    host.require_dtype("positions", positions, (host.int64,))
    host.require_dtype("query", query, FLOATS)
    host.require(query.ndim == 3, "query must be tokens, heads, elements")
    host.require(query.shape[0] == positions.shape[0], "query must have a row for each position")
    if key is None:
        return host.like(query), None
    host.require(key.ndim == 3, "key must be tokens, heads, elements")
    return host.like(query), host.like(key)


@rotated.reference
def _rotated(positions: Tensor, query: Tensor, key: Tensor | None, table: Tensor) -> tuple[Tensor, Tensor | None]:
    """Turns pairs of elements by the angle of their position."""
    cos, sin = table.index_select(0, positions).float()[:, None].chunk(2, -1)

    def turned(x: Tensor) -> Tensor:
        a, b = x.float().chunk(2, -1)
        return torch.empty_like(x).copy_(torch.cat((a * cos - b * sin, b * cos + a * sin), -1))

    return turned(query), None if key is None else turned(key)


@rotated.cases
def _cases_rotated(dtype: torch.dtype, random: torch.Generator) -> Iterator[Case]:
    for tokens in (2, 3, 5):
        positions = torch.randint(0, 8, (tokens,), generator=random)
        query, key = (_numbers((tokens, heads, 4), torch.float32, random) for heads in (4, 2))
        yield Case(positions, query, key, _numbers((8, 4), torch.float32, random))
    yield Case(positions, query, None, _numbers((8, 4), torch.float32, random))


@rotated.mistakes
def _mistakes_rotated() -> Iterator[tuple[str, Case]]:
    yield "a matrix", Case(torch.zeros(2, dtype=torch.int64), torch.ones(2, 4), None, torch.ones(8, 4))


# Writes into its arguments ------------------------------------------------------------------------------------------

cached = operator(
    "writing::cached(Tensor key, Tensor value, Tensor(a!) key_cache, Tensor(b!) value_cache, Tensor slots) -> ()",
    dtypes=FLOATS,
    providers={"cpu": ("looping", "reference")},
)


@cached.infer
def _infer_cached(
    key: host.Tensor, value: host.Tensor, key_cache: host.Tensor, value_cache: host.Tensor, slots: host.Tensor
) -> None:
    host.require_dtype("key", key, FLOATS)
    host.require_dtype("slots", slots, (host.int64,))
    host.require(key_cache.dtype == key.dtype, "key_cache must have the dtype of key")
    host.require(value_cache.dtype == value.dtype, "value_cache must have the dtype of value")
    host.require(key_cache.ndim == 4, "key_cache must be blocks, slots, heads, elements")
    host.require(key.shape[1:] == key_cache.shape[2:], "key must have the heads of its cache")
    host.require_device("value", value, "key", key)
    host.require_device("key_cache", key_cache, "key", key)
    host.require_device("value_cache", value_cache, "key", key)
    host.require_device("slots", slots, "key", key)


@cached.reference
def _cached(key: Tensor, value: Tensor, key_cache: Tensor, value_cache: Tensor, slots: Tensor) -> None:
    """Writes keys and values into the slots of their caches; a negative slot is padding."""
    size = key_cache.shape[1]
    is_used = (slots >= 0)[:, None, None]
    place = slots.clamp(min=0)
    for new, cache in ((key, key_cache), (value, value_cache)):
        kept = cache[place // size, place % size]
        # Padding writes what is there into slot 0, so it must come before what is meant for it.
        order = torch.argsort((slots >= 0).to(torch.int8), stable=True)
        chosen = torch.where(is_used, new, kept)[order]
        cache.index_put_((place[order] // size, place[order] % size), chosen)


@cached.provider("looping")
def _cached_looping(key: Tensor, value: Tensor, key_cache: Tensor, value_cache: Tensor, slots: Tensor) -> None:
    for i, slot in enumerate(slots.numpy()):
        if slot >= 0:
            key_cache[slot // key_cache.shape[1], slot % key_cache.shape[1]] = key[i]
            value_cache[slot // value_cache.shape[1], slot % value_cache.shape[1]] = value[i]


@cached.cases
def _cases_cached(dtype: torch.dtype, random: torch.Generator) -> Iterator[Case]:
    for tokens in (2, 3, 5):
        key, value = (_numbers((tokens, 2, 3), dtype, random) for _ in range(2))
        caches = [_numbers((3, 2, 2, 3), dtype, random) for _ in range(2)]
        slots = torch.randperm(6, generator=random)[:tokens]
        slots[0] = -1
        yield Case(key, value, *caches, slots)


@cached.mistakes
def _mistakes_cached() -> Iterator[tuple[str, Case]]:
    row, cache, slots = torch.ones(2, 2, 3), torch.ones(3, 2, 2, 3), torch.arange(2)
    yield "another dtype", Case(row, row, cache.half(), cache, slots)
    yield "other heads", Case(row, row, torch.ones(3, 2, 1, 3), cache, slots)


# Writes and returns, over lists and by name --------------------------------------------------------------------------

counted = operator(
    "writing::counted_(Tensor(a!)[] sums, Tensor[] parts, *, Scalar factor=1, Tensor(b!)? total=None) -> Tensor",
    dtypes=FLOATS,
)


@counted.infer
def _infer_counted(
    sums: Sequence[host.Tensor], parts: Sequence[host.Tensor], factor: float, total: host.Tensor | None
) -> host.Tensor:
    host.require(len(sums) == len(parts), f"sums must be as many as parts, {len(parts)}, not {len(sums)}")
    host.require(len(sums) > 0, "sums must have a tensor")
    for i in range(len(sums)):
        host.require(sums[i].shape == parts[i].shape, f"sums[{i}] must have the shape of parts[{i}]")
        host.require_device(f"sums[{i}]", sums[i], "sums[0]", sums[0])
        host.require_device(f"parts[{i}]", parts[i], "sums[0]", sums[0])
    return host.dense((len(sums),), host.int64)


@counted.reference
def _counted(sums: list[Tensor], parts: list[Tensor], factor: float, total: Tensor | None) -> Tensor:
    """Adds parts to sums, and says how many elements each has."""
    for into, part in zip(sums, parts, strict=True):
        into.add_(part, alpha=factor)
    if total is not None:
        total.fill_(0)
        for part in parts:
            total.add_(part.sum())
    return torch.full((len(parts),), 1, device=parts[0].device) * torch.tensor([part.numel() for part in parts])


@counted.cases
def _cases_counted(dtype: torch.dtype, random: torch.Generator) -> Iterator[Case]:
    for size in (2, 3, 4):
        sums, parts = ([_numbers((size, n), dtype, random) for n in (2, 3)] for _ in range(2))
        yield Case(sums, parts, factor=2)
    yield Case(sums, parts, factor=0.5, total=_numbers((), dtype, random))


@counted.mistakes
def _mistakes_counted() -> Iterator[tuple[str, Case]]:
    yield "too few", Case([torch.ones(2)], [torch.ones(2), torch.ones(2)])


WRITING = [cached, counted, rotated]
