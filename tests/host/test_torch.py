"""Facts of tensors of PyTorch, and tensors made from facts."""

import re
from collections.abc import Sequence
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from opwright import host  # noqa: E402
from opwright.errors import BadType, NotForHost  # noqa: E402
from opwright.host.kinds import kinds_of  # noqa: E402
from opwright.operators import _infer  # noqa: E402
from opwright.schema import parse  # noqa: E402

SCHEMA = parse("test::f(Tensor x, Tensor[] others, float factor, SymInt[] sizes, ScalarType? dtype) -> Tensor")


def _every(
    x: host.Tensor, others: Sequence[host.Tensor], factor: float, sizes: host.Shape, dtype: host.Dtype | None
) -> tuple[host.Tensor, ...]:
    host.require_dtype("x", x, (host.float32,))
    assert type(factor) is float
    return x, host.like(others[1]), host.dense(sizes, dtype or host.int8), host.like(x, host.uint8)


def test_results_lie_as_facts_say() -> None:
    x, other = torch.empty(4, 6).t(), torch.empty(2, 3, 5, dtype=torch.int16).permute(2, 0, 1)
    values: list[Any] = [x, [x, other], 2, [7, 3], torch.float64]
    made = _infer.fake(SCHEMA.arguments, _every, values)
    wanted = [x, other, torch.empty(7, 3, dtype=torch.float64), torch.empty_like(x, dtype=torch.uint8)]
    for one, like in zip(made, wanted, strict=True):
        assert (one.dtype, one.shape, one.stride(), one.device) == (like.dtype, like.shape, like.stride(), like.device)
    values[0] = x.half()
    with pytest.raises(BadType, match=r"^f: x cannot be float16; it may be float32$"):
        _infer.check("f", SCHEMA.arguments, _every, values)


def test_facts_are_those_of_the_tensor() -> None:
    for dtype in (torch.float32, torch.bool, torch.complex64, torch.float8_e5m2, torch.quint8):
        x = torch.empty_strided((3, 2), (5, 1), dtype=dtype, device="meta") if dtype is not torch.quint8 else None
        assert str(_infer.dtype_of(dtype)) == str(dtype).removeprefix("torch.")
        if x is None:
            continue
        facts = _infer.facts_of_tensor(x)
        assert (facts.shape, facts.strides, facts.device) == ((3, 2), (5, 1), "meta")
        assert (facts.ndim, facts.numel) == (2, 6)
        assert _infer.torch_dtype(facts.dtype) is dtype


def test_arguments_that_are_no_tensors() -> None:
    text = "test::f(Tensor x, Scalar a, Scalar? b, float[] c, bool[] d, Generator? g, Device e, Device? f) -> Tensor"
    schema = parse(text)
    seeds = (7, 2**64 - 1)
    for seed in seeds:
        values = [
            torch.ones(2),
            3,
            None,
            [1, 2.5],
            [True],
            torch.Generator().manual_seed(seed),
            torch.device("meta"),
            None,
        ]
        found = [_infer.facts_of(argument, value) for argument, value in zip(schema.arguments, values, strict=True)]
        generator = host.Generator(seed if seed == seeds[0] else -1)
        assert found[1:] == [3, None, (1.0, 2.5), (True,), generator, "meta", None]
        assert type(found[3][0]) is float
    kinds = ["tensor", "scalar", "scalar?", "floats", "truths", "generator?", "text", "text?"]
    assert list(kinds_of(schema).values()) == kinds


@pytest.mark.parametrize("kind", ["complex", "Layout", "MemoryFormat?", "str[]", "Tensor?[]"])
def test_kinds_that_host_functions_do_not_have_are_named(kind: str) -> None:
    name = kind.removesuffix("?")
    with pytest.raises(NotForHost, match=rf"^the argument a of type {re.escape(name)} cannot be used") as caught:
        kinds_of(parse(f"test::f(Tensor x, {kind} a) -> Tensor"))
    assert "Scalar, " in str(caught.value)


def test_a_complex_scalar_is_refused() -> None:
    schema = parse("test::f(Tensor x, Scalar a) -> Tensor")
    with pytest.raises(BadType, match=r"^f: a Scalar cannot be complex; it may be a bool, an integer or a float$"):
        _infer.check("f", schema.arguments, lambda x, a: x, [torch.ones(2), 1j])


def test_kinds_of_a_schema() -> None:
    kinds = {"x": "tensor", "others": "tensors", "factor": "float", "sizes": "shape", "dtype": "dtype?"}
    assert kinds_of(SCHEMA) == kinds
