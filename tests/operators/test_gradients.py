"""Gradients that call operators, save results and have constants: what is refused, and what a graph keeps.

What they compute is asked by the battery, of `normed` and `turned` in sound.py.
"""

import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
from torch import Tensor  # noqa: E402

import opwright.ops  # noqa: E402
from opwright import host  # noqa: E402
from opwright.errors import BadDefinition, NotSupported  # noqa: E402
from opwright.operators import Operator, operator  # noqa: E402

TABLE = torch.tensor([[0.6, 1.0], [0.8, 0.0]])


@pytest.fixture(scope="module")
def turned() -> Callable[..., Any]:
    from sound import turned

    return opwright.ops.register(turned)


def made(schema: str, **options: Any) -> Operator:
    found = operator(schema, dtypes=(torch.float32,), **options)
    found.infer(lambda x, *_: host.like(x))
    return found


@pytest.fixture(scope="module")
def squared() -> Callable[..., Any]:
    """x * x, whose gradient calls an operator that has none."""
    doubled = made("gradients::doubled(Tensor x) -> Tensor")
    doubled.reference(lambda x: x * 2)
    opwright.ops.register(doubled)
    squared = made("gradients::squared(Tensor x) -> Tensor", gradient="exact")
    squared.reference(lambda x: x * x)
    squared.backward(lambda grad, needed, x: grad * doubled(x))
    return opwright.ops.register(squared)


def test_no_second_derivative_through_an_operator_without_gradient(squared: Callable[..., Any]) -> None:
    """First derivatives are right, also where a graph of them is made; second ones say why there are none."""
    x = torch.tensor([1.0, 3.0], requires_grad=True)
    for create_graph in (False, True):
        (first,) = torch.autograd.grad(squared(x).sum(), x, create_graph=create_graph)
        assert first.tolist() == [2, 6]
    words = "doubled: has no gradient, so a gradient that calls it cannot be differentiated again"
    with pytest.raises(NotSupported, match=words):
        first.sum().backward()
    assert torch.func.grad(lambda one: squared(one).sum())(x.detach()).tolist() == [2, 6]
    with pytest.raises(NotSupported, match=words):
        torch.func.hessian(lambda one: squared(one).sum())(x.detach())
    compiled = torch.compile(lambda one: squared(one) + 1, backend="aot_eager", fullgraph=True)
    x.grad = None
    compiled(x).sum().backward()
    assert x.grad is not None and x.grad.tolist() == [2, 6]


def test_forward_mode_through_an_operator_without_gradient(squared: Callable[..., Any]) -> None:
    """The gradient is linear in what comes in, and only that is differentiated."""
    x, tangent = torch.tensor([1.0, 3.0]), torch.tensor([1.0, 10.0])
    _, moved = torch.func.jvp(squared, (x,), (tangent,))
    assert moved.tolist() == [2, 60]


def test_constants_are_refused(turned: Callable[..., Any]) -> None:
    x, table = torch.ones(2, 4), TABLE.clone().requires_grad_()
    words = r"turned: table is a constant of this operator and has no gradient; pass table.detach\(\)"
    for attempt in (turned, torch.ops.sound.turned):
        with pytest.raises(NotSupported, match=words):
            attempt(x, None, table)
    assert turned(x, None, table.detach())[0].grad_fn is None
    with torch.no_grad():
        turned(x, None, table)
    with pytest.raises(NotSupported, match=r"has no tangent; pass table\.detach"):
        torch.func.jvp(lambda one: turned(x, None, one), (TABLE,), (TABLE,))
    with pytest.raises(NotSupported, match="has no gradient"):
        torch.func.grad(lambda one: turned(x, None, one)[0].sum())(TABLE)


def test_a_graph_keeps_what_is_saved(turned: Callable[..., Any]) -> None:
    """A tensor that the backward does not save is freed, and may be written after the call."""
    leaf = torch.ones(2, 4, requires_grad=True)
    x = leaf * 2
    seen = weakref.ref(x)
    y, _ = turned(x, None, TABLE)
    with torch.no_grad():
        x.zero_()
    del x
    gc.collect()
    assert seen() is None
    y.sum().backward()
    assert leaf.grad is not None and leaf.grad[0].tolist() == pytest.approx([2.8, 2.0, -0.4, 2.0])


def test_a_saved_result_that_was_written_is_found_out() -> None:
    from sound import normed

    function = opwright.ops.register(normed)
    y, factor = function(torch.ones(2, 4, requires_grad=True))
    with torch.no_grad():
        factor.zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


@pytest.mark.parametrize(
    ("schema", "options", "reason"),
    [
        ("f(Tensor x, float y) -> Tensor", {"constants": ("y",)}, "has the constant y, which is no tensor"),
        ("f(Tensor x) -> Tensor", {"constants": ("x",)}, "has constants only, so it has no gradient"),
        ("f(Tensor x) -> Tensor", {"saves": ("y",)}, "saves y, which is no tensor among its arguments, and no result"),
        ("f(Tensor x) -> Tensor x", {"saves": ("x",)}, "saves x, which is an argument and a result"),
        ("f(Tensor x) -> Tensor", {"saves": (), "gradient": "none"}, "has no gradient, so it has no constants"),
    ],
)
def test_definitions_are_refused(schema: str, options: dict[str, Any], reason: str) -> None:
    with pytest.raises(BadDefinition, match=reason):
        operator(f"gradients::{schema}", dtypes=(torch.float32,), **{"gradient": "exact", **options})


def test_a_backward_gives_a_gradient_for_each_tensor() -> None:
    wrong = made("gradients::wrong(Tensor x, Tensor y) -> Tensor", gradient="exact")
    wrong.reference(lambda x, y: x + y)
    wrong.backward(lambda grad, needed, x, y: grad)
    function = opwright.ops.register(wrong)
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(
        BadDefinition, match=r"test_gradients.py:\d+, has a backward that gives 1 gradients for 2 tensors"
    ):
        function(x, x.detach()).sum().backward()


def test_an_operator_is_called_when_it_is_registered() -> None:
    unknown = made("gradients::unknown(Tensor x) -> Tensor")
    unknown.reference(lambda x: x)
    with pytest.raises(BadDefinition, match="is not registered yet"):
        unknown(torch.ones(2))

    def doubled(x: Tensor) -> Tensor:
        return unknown(x)  # type: ignore[no-any-return]

    opwright.ops.register(unknown)
    assert doubled(torch.ones(2)).tolist() == [1, 1]
