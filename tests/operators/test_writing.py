"""Operators that write: what is refused, what autograd and vmap say, and that compiled code copies nothing."""

from collections.abc import Callable
from typing import Any

import pytest
from compiled_code import body_of, buffers_in

torch = pytest.importorskip("torch", reason="torch is not installed")
from torch import Tensor  # noqa: E402

import opwright  # noqa: E402
import opwright.ops  # noqa: E402
from opwright.errors import BadType, BadValue, NotSupported  # noqa: E402
from opwright.operators import Operator, operator  # noqa: E402
from opwright.operators._operator import as_tuple, cases_of  # noqa: E402
from opwright.operators._twin import copied, functional  # noqa: E402

Call = Callable[..., Any]
TOKENS, HEADS, WIDTH = 6, 2, 4


@pytest.fixture(scope="module")
def functions() -> dict[str, Call]:
    """The functions of the operators that write, by name."""
    from writing import WRITING

    return {one.name: opwright.ops.register(one) for one in WRITING}


def writing_operators() -> list[Operator]:
    from writing import WRITING

    return [one for one in WRITING if one.is_writing]


def qkv_views() -> tuple[Tensor, list[Tensor]]:
    """Queries, keys and values as views of one tensor, as a layer of a model has them."""
    whole = torch.randn(TOKENS, 3 * HEADS, WIDTH, generator=torch.Generator().manual_seed(1))
    return whole, list(whole.split(HEADS, 1))


def caches(layout: str, blocks: int = 4, size: int = 2) -> tuple[Tensor, Tensor]:
    """Caches of keys and values in one tensor: blocks, slots, heads, elements each."""
    if layout == "blocks first":
        both = torch.zeros(blocks, 2, size, HEADS, WIDTH)
        return both[:, 0], both[:, 1]
    if layout == "keys first":
        both = torch.zeros(2, blocks, size, HEADS, WIDTH)
        return both[0], both[1]
    both = torch.zeros(blocks, HEADS, 2 * size, WIDTH)
    return both[:, :, :size].transpose(1, 2), both[:, :, size:].transpose(1, 2)


LAYOUTS = ("blocks first", "keys first", "slots of both in one block")


# Values ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("provider", ["looping", "reference"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_caches_that_interleave(functions: dict[str, Call], layout: str, provider: str) -> None:
    _, (_, key, value) = qkv_views()
    slots = torch.tensor([3, -1, 0, 7, 2, -1])
    key_cache, value_cache = caches(layout)
    versions = key_cache._version, value_cache._version
    with opwright.using("writing::cached", provider):
        assert functions["cached"](key, value, key_cache, value_cache, slots) is None
    wanted = torch.zeros(2, 8, HEADS, WIDTH)
    for i, slot in enumerate(slots.tolist()):
        if slot >= 0:
            wanted[0, slot], wanted[1, slot] = key[i], value[i]
    assert key_cache.reshape(8, HEADS, WIDTH).equal(wanted[0])
    assert value_cache.reshape(8, HEADS, WIDTH).equal(wanted[1])
    assert key_cache._version > versions[0] and value_cache._version > versions[1]


@pytest.mark.parametrize("found", writing_operators(), ids=lambda one: one.name)
def test_the_twin_changes_nothing(functions: dict[str, Call], found: Operator) -> None:
    for case in cases_of(found, torch.float32):
        values = found.schema.complete(case.args, case.kwargs)
        before = [copied(value) for value in values]
        twin = functional(found)(*values)
        torch.testing.assert_close(list(values), before, rtol=0, atol=0)
        results = functions[found.name](*case.args, **case.kwargs)
        written = [value for one, value in zip(found.schema.arguments, values, strict=True) if one.is_written]
        torch.testing.assert_close(list(twin), [*(as_tuple(results) if found.schema.results else ()), *written])


def test_in_place_into_views(functions: dict[str, Call]) -> None:
    """Two arguments that are views of one tensor are written; what lies beside them stays."""
    whole, (query, key, value) = qkv_views()
    positions, table = torch.arange(TOKENS), torch.randn(8, WIDTH)
    wanted = functions["rotated"](positions, query, key, table)
    kept, versions = value.clone(), (query._version, whole._version)
    assert torch.ops.writing.rotated_(positions, query, key, table) is None
    assert query.equal(wanted[0]) and key.equal(wanted[1]) and value.equal(kept)
    assert query._version > versions[0] and whole._version > versions[1]
    function = opwright.frameworks.torch.loading._functions["writing::rotated"].in_place
    assert function is not None
    assert function(positions, query, None, table) == (query, None)
    wanted_out = [torch.full_like(one, float("nan")) for one in wanted]
    given = functions["rotated"](positions, query, key, table, out=tuple(wanted_out))
    torch.testing.assert_close(given, functions["rotated"](positions, query, key, table))


def test_what_is_read_may_be_what_is_written() -> None:
    """No provider sees it: it reads a copy."""
    made = operator("writing::shifted(Tensor x, Tensor(a!) out) -> ()", dtypes=(torch.float32,))
    made.infer(lambda x, out: None)

    @made.reference
    def shift(x: Tensor, out: Tensor) -> None:
        """Each element goes to the place behind its own."""
        out[0] = x[-1]
        for i in range(1, len(x)):
            out[i] = x[i - 1]

    x = torch.arange(4.0)
    opwright.ops.register(made)(x, x)
    assert x.tolist() == [3, 0, 1, 2]
    with pytest.raises(BadValue, match="out shares a part of its memory with x"):
        opwright.ops.register(made)(x[1:], x[:-1])


def test_optional_results_and_overloads() -> None:
    made = {}
    for schema in (
        "writing::grown(Tensor x, Tensor y) -> (Tensor?, Tensor)",
        "writing::grown.By(Tensor x, Scalar y) -> Tensor",
    ):
        made[schema] = operator(schema, dtypes=(torch.float32,), writes={"x": len(made) ^ 1 if not made else 0})
    pair, by = made.values()
    pair.infer(lambda x, y: (None, opwright.host.like(x)))
    pair.reference(lambda x, y: (None, x + y))
    by.infer(lambda x, y: opwright.host.like(x))
    by.reference(lambda x, y: x + y)
    added, plus = opwright.ops.register(pair), opwright.ops.register(by)
    x = torch.ones(3)
    assert plus.__name__ == "grown_By" and plus(x, 2).tolist() == [3, 3, 3]
    assert added(x, x)[0] is None and added(x, x)[1].tolist() == [2, 2, 2]
    assert torch.ops.writing.grown(x, x)[1].tolist() == [2, 2, 2]  # by the types of the arguments
    assert torch.ops.writing.grown(x, 4.0).tolist() == [5, 5, 5]
    assert torch.ops.writing.grown_.By(x, 1) is None and x.tolist() == [2, 2, 2]
    compiled = torch.compile(
        lambda x: torch.ops.writing.grown(x, x)[1] + plus(x, 1), backend="aot_eager", fullgraph=True
    )
    assert compiled(x).tolist() == [7, 7, 7]
    assert opwright.explain("writing::grown.By", x, 1).operator == "writing::grown.By"


# Refusals -------------------------------------------------------------------------------------------------------------


def test_shared_memory_is_refused(functions: dict[str, Call]) -> None:
    _, (_, key, value) = qkv_views()
    key_cache, _ = caches("keys first")
    slots = torch.arange(TOKENS)
    cached = functions["cached"]
    with pytest.raises(BadValue, match="key_cache and value_cache share memory"):
        cached(key, value, key_cache, key_cache, slots)
    with pytest.raises(RuntimeError, match="cached: key_cache and value_cache share memory"):
        torch.ops.writing.cached(key, value, key_cache, key_cache[:], slots)
    with pytest.raises(BadValue, match="key_cache has elements that share memory"):
        cached(key, value, torch.zeros(1, 2, HEADS, WIDTH).expand(4, -1, -1, -1), key_cache, slots)
    with pytest.raises(BadValue, match="value_cache shares a part of its memory with key"):
        cached(key_cache[0, :1], value[:1], torch.zeros_like(key_cache), key_cache, slots[:1])
    with pytest.raises(BadType, match=r"sums must be a list of tensors, not list"):
        functions["counted_"]([1], [torch.ones(2)])
    x = torch.ones(2)
    with pytest.raises(BadValue, match=r"sums\[0\] and sums\[1\] share memory"):
        functions["counted_"]([x, x], [torch.ones(2), torch.ones(2)])


def test_gradients_are_refused(functions: dict[str, Call]) -> None:
    key_cache, value_cache = caches("keys first")
    key = torch.ones(1, HEADS, WIDTH, requires_grad=True)
    slots = torch.zeros(1, dtype=torch.int64)
    words = "cached: a call that writes into a given tensor has no gradient; call it under torch.no_grad"
    for attempt in (functions["cached"], torch.ops.writing.cached):
        with pytest.raises(NotSupported, match=words):
            attempt(key, key.detach(), key_cache, value_cache, slots)
    assert not key_cache.any()
    with torch.no_grad():
        functions["cached"](key, key, key_cache, value_cache, slots)
    assert key_cache[0, 0].equal(key[0]) and not key_cache.requires_grad
    with pytest.raises(NotSupported, match="has no gradient"):
        functions["counted_"]([torch.ones(2, requires_grad=True)], [torch.ones(2)])
    with torch.autograd.forward_ad.dual_level(), pytest.raises(NotSupported, match="has no tangent"):
        dual = torch.autograd.forward_ad.make_dual(torch.ones(2), torch.ones(2))
        functions["counted_"]([torch.ones(2)], [dual])


def test_vmap_is_refused(functions: dict[str, Call]) -> None:
    with pytest.raises(NotSupported, match="cannot be batched by vmap; loop over the batch"):
        torch.vmap(lambda x: functions["counted_"]([x], [x]))(torch.ones(2, 3))


def test_a_graph_sees_the_write(functions: dict[str, Call]) -> None:
    """What a graph has saved and a call writes is found out."""
    leaf, cache = torch.ones(2, requires_grad=True), torch.ones(2)
    product = leaf * cache
    functions["counted_"]([cache], [torch.ones(2)])
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.sum().backward()


def test_modes(functions: dict[str, Call]) -> None:
    """Inference mode, and tensors without memory."""
    with torch.inference_mode():
        sums = [torch.ones(2)]
        assert functions["counted_"](sums, [torch.ones(2)], factor=3).tolist() == [2]
        assert sums[0].tolist() == [4, 4]
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode"):
        functions["counted_"](sums, [torch.ones(2)])
    meta = [torch.ones(2, device="meta")]
    assert functions["counted_"](meta, meta[:]).device.type == "meta"


# Compiled -------------------------------------------------------------------------------------------------------------


def layer(
    x: Tensor, weight: Tensor, positions: Tensor, table: Tensor, key_cache: Tensor, value_cache: Tensor
) -> Tensor:
    """What a layer of a model does: a product, a rotation in place of two of its parts, and the cache."""
    query, key, value = (x @ weight).view(-1, 3 * HEADS, WIDTH).split(HEADS, 1)
    torch.ops.writing.rotated_(positions, query, key, table)
    torch.ops.writing.cached(key, value, key_cache, value_cache, positions)
    return query * 2


def layer_inputs() -> list[Tensor]:
    random = torch.Generator().manual_seed(2)
    shapes = ((TOKENS, 5), (5, 3 * HEADS * WIDTH), (64, WIDTH))
    x, weight, table = (torch.randn(shape, generator=random) for shape in shapes)
    return [x, weight, torch.arange(TOKENS), table]


@pytest.mark.parametrize("layout", LAYOUTS[::2])
def test_compiled_code_copies_nothing(functions: dict[str, Call], layout: str) -> None:
    """No buffer of the cache's size, none of a query's or key's before the call, and no clone."""
    from torch._inductor.utils import run_and_get_code

    blocks = 31
    given, eager = (caches(layout, blocks) for _ in range(2))
    wanted = layer(*layer_inputs(), *eager)
    torch._dynamo.reset()
    compiled = torch.compile(layer, fullgraph=True, dynamic=False)
    found, (code,) = run_and_get_code(compiled, *layer_inputs(), *given)
    torch.testing.assert_close(found, wanted)
    torch.testing.assert_close(given, eager)
    body = body_of(code)
    assert buffers_in(body) == [(TOKENS, 3 * HEADS * WIDTH), (TOKENS, HEADS, WIDTH)], (
        body
    )  # the product, and what is returned
    assert body.count("cpp_fused") == 1 and "clone" not in body and "copy_" not in body, body


def test_functionalised(functions: dict[str, Call]) -> None:
    """Exported and decomposed, nothing in the graph writes, and the program writes all the same."""

    class Layer(torch.nn.Module):
        def forward(self, *args: Tensor) -> Tensor:
            return layer(*args)

    given, eager = (caches("keys first") for _ in range(2))
    wanted = layer(*layer_inputs(), *eager)
    args = (*layer_inputs(), *(one.clone() for one in given))
    exported = torch.export.export(Layer(), args).run_decompositions({})
    names = [str(node.target) for node in exported.graph.nodes if node.op == "call_function"]
    assert names.count("auto_functionalized_v2") == 2 and not any("writing." in name for name in names)
    exported.module()(*layer_inputs(), *given)
    torch.testing.assert_close(given, eager)
    assert wanted.shape == (TOKENS, HEADS, WIDTH)


def test_compiled_lists(functions: dict[str, Call]) -> None:
    counted = functions["counted_"]

    def run(sums: list[Tensor], parts: list[Tensor], total: Tensor) -> Tensor:
        return counted([one * 1 for one in sums[:1]] + sums[1:], parts, factor=2, total=total) + 1

    sums, parts, total = [torch.ones(2), torch.ones(3)], [torch.ones(2), torch.ones(3)], torch.zeros(())
    compiled = torch.compile(run, fullgraph=True, backend="aot_eager")
    assert compiled(sums, parts, total).tolist() == [3, 4]
    assert sums[0].tolist() == [1, 1] and sums[1].tolist() == [3, 3, 3] and total == 5
