"""Kernels of operators that write, by Python on the checked twin: what they write, and where. Not run on an NPU."""

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

import opwright  # noqa: E402
import opwright.ops  # noqa: E402
from opwright.errors import ProviderRefused  # noqa: E402
from opwright.operators.reshape_and_cache_flash import _caches  # noqa: E402
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
