"""Kernels of operators that write, by Python on the checked twin: what they write, and where. Not run on an NPU."""

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

import opwright  # noqa: E402
import opwright.ops  # noqa: E402
from opwright.errors import ProviderRefused  # noqa: E402
from opwright.operators.reshape_and_cache_flash import _caches  # noqa: E402
from opwright.operators.rotary_embedding import _table  # noqa: E402
from opwright.settings import settings  # noqa: E402

BLOCKS, SIZE, HEADS, WIDTH = 3, 2, 2, 6
SLOTS, ONE = torch.tensor([5, -1, 0]), torch.ones(())


def write(key: torch.Tensor, value: torch.Tensor, caches: tuple[torch.Tensor, torch.Tensor]) -> None:
    with settings.scope(check=True), opwright.using("reshape_and_cache_flash", "kernel"):
        opwright.ops.reshape_and_cache_flash(key, value, *caches, SLOTS, "auto", ONE, ONE)


@pytest.mark.parametrize("layout", range(4))
def test_caches_that_interleave_are_written_where_they_lie(layout: int) -> None:
    caches = _caches(layout, BLOCKS, SIZE, HEADS, WIDTH)
    caches[0].fill_(torch.nan), caches[1].fill_(torch.nan)
    rows = torch.randn(3, HEADS, 2, WIDTH).unbind(2)
    write(*rows, caches)
    for given, cache in zip(rows, caches, strict=True):
        assert cache[2, 1].equal(given[0]) and cache[0, 0].equal(given[2])
        assert cache.isnan().sum() == cache.numel() - 2 * HEADS * WIDTH


def test_a_cache_with_gaps_is_written_through_a_copy() -> None:
    memory = torch.full((2, BLOCKS, SIZE, HEADS, WIDTH, 2), torch.nan)
    caches = memory[..., 0].unbind()
    rows = torch.randn(2, 3, HEADS, WIDTH).unbind()
    write(*rows, caches)
    for given, cache in zip(rows, caches, strict=True):
        assert cache[2, 1].equal(given[0]) and cache[0, 0].equal(given[2])
    assert memory.isnan().sum() == memory.numel() - 4 * HEADS * WIDTH


def test_float64_is_refused_in_words() -> None:
    rows = torch.ones(2, 3, HEADS, WIDTH, dtype=torch.float64).unbind()
    caches = torch.zeros(2, BLOCKS, SIZE, HEADS, WIDTH, dtype=torch.float64).unbind()
    with pytest.raises(ProviderRefused, match="has no variant for float64"):
        write(*rows, caches)
    assert not caches[0].any()


def turn_in_place(positions: torch.Tensor, query: torch.Tensor, key: torch.Tensor | None, *rest: object) -> None:
    with settings.scope(check=True), opwright.using("rotary_embedding", "kernel"):
        opwright.ops.rotary_embedding_(positions, query, key, *rest)


@pytest.mark.parametrize("is_neox", [True, False])
def test_queries_and_keys_of_one_product_are_turned_in_place(is_neox: bool) -> None:
    qkv, positions = torch.randn(3, 7, 12, dtype=torch.float16), torch.tensor([6, 0, 4])
    rest = (12, _table(7, 8).half(), is_neox, 3, True)
    wanted = qkv.clone()
    found = opwright.ops.rotary_embedding(positions, wanted[:, :4], wanted[:, 4:6], *rest)
    wanted[:, :4], wanted[:, 4:6] = found
    turn_in_place(positions, qkv[:, :4], qkv[:, 4:6], *rest)
    torch.testing.assert_close(qkv, wanted, atol=1e-3, rtol=1e-3)
    # Tokens of two dimensions that are not one stride apart, their heads in one dimension, and no key.
    tokens = torch.randn(2, 4, 24, dtype=torch.float16)[:, :3]
    places = torch.tensor([[1, 2, 3], [6, 5, 4]])
    (like, _) = opwright.ops.rotary_embedding(places, tokens, None, *rest)
    turn_in_place(places, tokens, None, *rest)
    torch.testing.assert_close(tokens, like, atol=1e-3, rtol=1e-3)


def test_what_no_kernel_turns_is_refused_in_words() -> None:
    positions, query, table = torch.tensor([1, 2]), torch.ones(2, 8), torch.ones(3, 4)
    with pytest.raises(ProviderRefused, match="rotary_embedding_halves has no variant for int32, float32"):
        turn_in_place(positions.int(), query, None, 4, table, True)
    with pytest.raises(ProviderRefused, match="has no variant for int64, float32, float32, float16"):
        turn_in_place(positions, query, None, 4, table.half(), False)
    assert query.equal(torch.ones(2, 8))
