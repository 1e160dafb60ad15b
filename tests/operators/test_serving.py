"""What a layer of a language model writes: rotations in place and a cache, by our own operators.

Values by every provider are the battery's business. Here: views of one tensor are written without copies, in eager code
by the compiled library and in compiled code; and what points nowhere is refused with nothing written.
"""

from collections.abc import Callable
from typing import Any

import pytest
from compiled_code import body_of, buffers_in

torch = pytest.importorskip("torch", reason="torch is not installed")
from torch import Tensor  # noqa: E402

import opwright  # noqa: E402
import opwright.ops  # noqa: E402
from opwright.frameworks.torch.register import calls, registered  # noqa: E402
from opwright.frameworks.torch.serve import view  # noqa: E402
from opwright.native.library import opened  # noqa: E402
from opwright.operators.reshape_and_cache_flash import _caches  # noqa: E402

TOKENS, HEADS, WIDTH, SIZE = 6, 2, 8, 4
TABLE = torch.randn(64, WIDTH, generator=torch.Generator().manual_seed(3))
ONE = torch.ones(())
PROVIDERS = ("native", "reference")


def split(both: Tensor, layout: int) -> tuple[Tensor, Tensor]:
    """The caches of keys and values that lie in one tensor, as `_caches` has them."""
    if layout < 3:
        return both.unbind(2 - layout)  # type: ignore[return-value]  # two of them
    return both[:, :, :SIZE].transpose(1, 2), both[:, :, SIZE:].transpose(1, 2)


def layer(x: Tensor, weight: Tensor, positions: Tensor, both: Tensor, layout: int) -> Tensor:
    """A product, a rotation in place of two of its parts, and the cache."""
    key_cache, value_cache = split(both, layout)
    query, key, value = (x @ weight).view(-1, 3 * HEADS, WIDTH).split(HEADS, 1)
    torch.ops.opwright.rotary_embedding_(positions, query, key, WIDTH, TABLE, True)
    torch.ops.opwright.reshape_and_cache_flash(key, value, key_cache, value_cache, positions, "auto", ONE, ONE)
    return query * 2


def inputs() -> list[Tensor]:
    random = torch.Generator().manual_seed(2)
    x, weight = (torch.randn(shape, generator=random) for shape in ((TOKENS, 5), (5, 3 * HEADS * WIDTH)))
    return [x, weight, torch.arange(TOKENS)]


@pytest.mark.parametrize("layout", [1, 2, 3])
def test_compiled_code_copies_nothing(layout: int) -> None:
    """No buffer of the cache's size, none of a query's or key's before the call, and no clone.

    The cache is one input of the graph: of two dense ones in one storage Inductor 2.13 copies the second.
    """
    from torch._inductor.utils import run_and_get_code

    given, eager = (_caches(layout, 31, SIZE, HEADS, WIDTH)[0]._base for _ in range(2))
    assert given is not None and eager is not None
    wanted = layer(*inputs(), eager, layout)
    torch._dynamo.reset()
    compiled = torch.compile(layer, fullgraph=True, dynamic=False)
    found, (code,) = run_and_get_code(compiled, *inputs(), given, layout)
    torch.testing.assert_close(found, wanted)
    torch.testing.assert_close(given, eager)
    body = body_of(code)
    assert buffers_in(body) == [(TOKENS, 3 * HEADS * WIDTH), (TOKENS, HEADS, WIDTH)], (
        body
    )  # the product, and what is returned
    assert "clone" not in body and "copy_" not in body, body


def served(name: str, attempt: Callable[[], Any]) -> Any:
    """Calls something that the compiled library must serve."""
    made = registered[f"opwright::{name}"]
    if "native" not in made.operator.providers:
        pytest.skip(made.operator.absent["native"])
    before = calls(made, "native"), calls(made, "reference")
    found = attempt()
    assert (calls(made, "native"), calls(made, "reference")) == (before[0] + 1, before[1])
    return found


@pytest.mark.parametrize("has_key", [True, False])
def test_views_of_one_tensor_are_served_natively(has_key: bool) -> None:
    qkv = torch.randn(TOKENS, 3 * HEADS * WIDTH)
    query, key, value = qkv.split(HEADS * WIDTH, 1)
    kept = qkv.clone()
    rest = (WIDTH, TABLE, True)
    positions = torch.arange(TOKENS)
    wanted = opwright.ops.rotary_embedding(positions, query, key if has_key else None, *rest)
    given = (positions, query, key if has_key else None, *rest)
    returned = served("rotary_embedding", lambda: opwright.ops.rotary_embedding_(*given))
    assert returned[0] is query and returned[1] is (key if has_key else None)
    assert query.equal(wanted[0]) and value.equal(kept[:, 2 * HEADS * WIDTH :])
    assert key.equal(wanted[1] if has_key else kept[:, HEADS * WIDTH : 2 * HEADS * WIDTH])
    assert has_key or wanted[1].shape == (0,)


@pytest.mark.parametrize("layout", [0, 1, 2, 3])
def test_caches_that_interleave_are_served_natively(layout: int) -> None:
    key_cache, value_cache = _caches(layout, 5, SIZE, HEADS, WIDTH)
    key, value = torch.randn(2, TOKENS, HEADS, WIDTH).unbind()
    slots = torch.tensor([19, -1, 0, 7, 2])
    function = opwright.ops.reshape_and_cache_flash
    served(
        "reshape_and_cache_flash",
        lambda: function(key, value, key_cache, value_cache, slots, "auto", ONE, ONE),
    )
    for rows, cache in ((key, key_cache), (value, value_cache)):
        wanted = torch.zeros(5 * SIZE, HEADS, WIDTH)
        for i, slot in ((0, 19), (2, 0), (3, 7), (4, 2)):
            wanted[slot] = rows[i]
        assert cache.reshape(wanted.shape).equal(wanted)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_positions_that_the_table_does_not_have(provider: str) -> None:
    query = torch.ones(3, WIDTH)
    with opwright.using("rotary_embedding", provider):
        for wrong in (64, -1, 2**40):
            with pytest.raises((RuntimeError, IndexError), match=r"out of range|of token 2 is not among the 64"):
                opwright.ops.rotary_embedding_(torch.tensor([1, 2, wrong]), query, None, WIDTH, TABLE, True)
    assert query.equal(torch.ones(3, WIDTH))


def test_faults_say_where() -> None:
    if "native" not in registered["opwright::rotary_embedding"].operator.providers:
        pytest.skip("no compiled library")
    query, cache = torch.ones(3, WIDTH), torch.zeros(2, SIZE, 1, WIDTH)
    words = "rotary_embedding: position 64 of token 1 is not among the 64 of cos_sin_cache"
    with pytest.raises(RuntimeError, match=words):
        opwright.ops.rotary_embedding(torch.tensor([1, 64, 2]), query, None, WIDTH, TABLE, True)
    rows, both = query.view(3, 1, WIDTH), (cache, cache.clone())
    words = "reshape_and_cache_flash: slot 8 of token 2 is not among the 8 of key_cache"
    with pytest.raises(RuntimeError, match=words):
        opwright.ops.reshape_and_cache_flash(rows, rows, *both, torch.tensor([1, -5, 8]), "auto", ONE, ONE)
    assert not both[0].any() and not both[1].any()


@pytest.mark.parametrize("provider", PROVIDERS)
def test_there_and_back(provider: str) -> None:
    """Turned and turned back, by angles that are angles."""
    angles = torch.randn(9, 3, dtype=torch.float64)
    table = torch.cat((angles.cos(), angles.sin()), -1)
    query, positions = torch.randn(4, 2, 10, dtype=torch.float64), torch.tensor([8, 0, 3, 3], dtype=torch.int32)
    for is_neox in (True, False):
        with opwright.using("rotary_embedding", provider):
            turned, _ = opwright.ops.rotary_embedding(positions, query, None, 10, table, is_neox, 2)
            back, _ = opwright.ops.rotary_embedding(positions, turned, None, 10, table, is_neox, 2, True)
        assert not turned.allclose(query) and back.allclose(query)
        assert turned[..., :2].equal(query[..., :2]) and turned[..., 8:].equal(query[..., 8:])


@pytest.mark.parametrize("place", ["query", "key", "neither", "table"])
def test_results_in_the_places_of_arguments(place: str) -> None:
    """A caller in C may give the place of any argument that lies as the result does: nobody else could serve it."""
    library = opened()
    if isinstance(library, str):
        pytest.skip(library)
    query, key = (torch.randn(TOKENS, HEADS * WIDTH) for _ in range(2))
    table = torch.randn(TOKENS, HEADS * WIDTH)  # of positions 0 to 5, as long as query is
    values = [torch.arange(TOKENS), query, key, 2 * WIDTH, table, True, 0, False]
    wanted = opwright.ops.rotary_embedding(*values[:6])
    places = {"query": (query, key), "key": (key, query), "table": (table, key)}
    outs = places.get(place, tuple(torch.full_like(query, torch.nan) for _ in range(2)))
    library.run("opwright::rotary_embedding", list(map(view, values)), list(map(view, outs)))
    for one, like in zip(outs, wanted, strict=True):
        assert torch.equal(one, like)
