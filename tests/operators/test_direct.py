"""Calls of `opwright.ops` that leave the Autograd kernel out, and those that must not."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
from torch import Tensor  # noqa: E402
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode  # noqa: E402
from torch.autograd import forward_ad  # noqa: E402
from torch.overrides import TorchFunctionMode  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

import opwright  # noqa: E402
import opwright.ops as ops  # noqa: E402
from opwright.errors import BadValue, NotSupported  # noqa: E402

AUTOGRAD = torch._C.DispatchKey.AutogradFunctionality
MODES = {"grad": contextlib.nullcontext, "no_grad": torch.no_grad, "inference": torch.inference_mode}
WRITES: dict[str, Callable[[Tensor, Tensor], object]] = {
    "out": lambda x, y: ops.rms_norm(x, None, 1e-6, out=y),
    "in_place": lambda x, y: ops.rms_norm_(y, None, 1e-6),
}


def rows(**options: Any) -> Tensor:
    return torch.linspace(-2, 3, 16, **options).reshape(2, 8)


def expected(x: Tensor) -> Tensor:
    with torch.no_grad():
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6)


@contextlib.contextmanager
def frames() -> Iterator[list[str]]:
    """The names of the functions of Python that run."""
    seen: list[str] = []
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, _: seen.append(frame.f_code.co_name) if event == "call" else None)
    try:
        yield seen
    finally:
        sys.setprofile(before)


def is_excluded() -> bool:
    return bool(torch._C._dispatch_tls_is_dispatch_key_excluded(AUTOGRAD))


@pytest.mark.parametrize("mode", MODES)
def test_plain_calls_run_no_kernel_of_python(mode: str) -> None:
    calls: list[Callable[[Tensor, Tensor], object]] = [lambda x, y: ops.rms_norm(x, y[0], 1e-6), *WRITES.values()]
    for call in calls:
        x, y = rows(), rows()
        with MODES[mode](), frames() as seen:
            call(x, y)
        assert "kernel" not in seen, seen


def test_calls_that_need_a_gradient_ask_the_kernel() -> None:
    x = rows().requires_grad_()
    with frames() as seen:
        y = ops.rms_norm(x, None, 1e-6)
    assert "kernel" in seen
    assert y.requires_grad
    with torch.no_grad(), frames() as seen:
        assert not ops.rms_norm(x, None, 1e-6).requires_grad
    assert "kernel" not in seen


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("form", WRITES)
def test_a_graph_sees_the_write(form: str, mode: str) -> None:
    leaf, saved = rows().requires_grad_(), rows()
    product = leaf * saved
    version = saved._version
    with MODES[mode]():
        WRITES[form](rows(), saved)
    assert saved._version == version + 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.sum().backward()


@pytest.mark.parametrize("form", WRITES)
def test_a_part_of_a_graph_is_not_written(form: str) -> None:
    for x, y in ((rows(), rows().requires_grad_()), (rows().requires_grad_(), rows())):
        if form == "in_place" and not y.requires_grad:
            continue
        before = y.detach().clone()
        with pytest.raises(NotSupported, match="a call that writes into a given tensor has no gradient"):
            WRITES[form](x, y)
        assert torch.equal(y, before)
        assert not is_excluded()


@pytest.mark.parametrize("form", WRITES)
def test_a_dual_tensor_is_not_written(form: str) -> None:
    with torch.no_grad(), forward_ad.dual_level():
        dual = forward_ad.make_dual(rows(), torch.ones(2, 8))
        with pytest.raises(NotSupported, match="has no tangent"):
            WRITES[form](dual, dual)


def test_tangents_without_gradients() -> None:
    """Grad mode off says nothing of forward mode."""
    weight = torch.linspace(1, 2, 8)
    with torch.no_grad(), forward_ad.dual_level():
        dual = forward_ad.make_dual(rows(), torch.ones(2, 8))
        tangent = forward_ad.unpack_dual(ops.rms_norm(dual, weight, 1e-6)).tangent
    assert tangent is not None
    moved = torch.func.jvp(lambda x: ops.rms_norm(x, weight, 1e-6), (rows(),), (torch.ones(2, 8),))[1]
    assert torch.equal(tangent, moved)


@pytest.mark.parametrize("mode", ["grad", "no_grad"])
def test_transforms(mode: str) -> None:
    x = rows()
    with MODES[mode]():
        batched = torch.vmap(lambda row: ops.rms_norm(row, None, 1e-6))(x)
        slopes = torch.func.grad(lambda x: ops.rms_norm(x, None, 1e-6).square().sum())(x)
    leaf = rows().requires_grad_()
    ops.rms_norm(leaf, None, 1e-6).square().sum().backward()
    assert torch.equal(batched, ops.rms_norm(x, None, 1e-6))
    assert leaf.grad is not None
    if mode == "grad":
        torch.testing.assert_close(slopes, leaf.grad)
    with MODES[mode]():
        lazily = torch.func.functionalize(lambda x: ops.rms_norm(x, None, 1e-6) + 0)(x)
    assert torch.equal(lazily, batched)


def test_a_batch_of_a_tensor_that_requires_a_gradient() -> None:
    """The wrapper of vmap does not say what it holds."""
    leaf, one = rows().requires_grad_(), rows().requires_grad_()
    torch.vmap(lambda row: ops.rms_norm(row, None, 1e-6))(leaf).square().sum().backward()
    ops.rms_norm(one, None, 1e-6).square().sum().backward()
    assert leaf.grad is not None
    assert torch.equal(leaf.grad, one.grad)


def test_the_exclusion_ends_with_the_call() -> None:
    x = rows()
    for call in (lambda: ops.rms_norm(x, torch.ones(9), 1e-6), lambda: ops.rms_norm(x, None, 1e-6, out=x[0])):
        with pytest.raises(BadValue):
            call()
        assert not is_excluded()
    ops.rms_norm(x, None, 1e-6, out=x)
    assert not is_excluded()


def test_an_exclusion_of_others_stays() -> None:
    x = rows()
    with torch._C._AutoDispatchBelowAutograd():
        ops.rms_norm(x, None, 1e-6)
        ops.rms_norm_(x, None, 1e-6)
        assert is_excluded()
    assert not is_excluded()


class Seeing(TorchDispatchMode):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.seen.append(str(func))
        return func(*args, **(kwargs or {}))


class Hearing(TorchFunctionMode):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.seen.append(str(func))
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("kind", [Seeing, Hearing])
def test_modes_see_calls(kind: type[Seeing | Hearing]) -> None:
    x = rows()
    with kind() as mode:
        ops.rms_norm(x, None, 1e-6)
        ops.rms_norm(x, None, 1e-6, out=rows())
        ops.rms_norm_(x, None, 1e-6)
    assert [one for one in mode.seen if "rms_norm" in one] == [
        "opwright.rms_norm.default",
        "opwright.rms_norm.out",
        "opwright.rms_norm_.default",
    ]


class Functional(Tensor):
    """A tensor with __torch_function__."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return f"asked for {func}"


class Wrapper(Tensor):
    """A tensor with __torch_dispatch__ only."""

    __torch_function__ = torch._C._disabled_torch_function_impl

    @staticmethod
    def __new__(cls, held: Tensor) -> Wrapper:
        made = Tensor._make_wrapper_subclass(cls, held.shape, dtype=held.dtype)
        made.held = held
        return made

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        held = [one.held if isinstance(one, cls) else one for one in args]
        return cls(func(*held, **(kwargs or {})))


def test_subclasses_are_asked() -> None:
    assert ops.rms_norm(rows().as_subclass(Functional), None, 1e-6) == "asked for opwright.rms_norm.default"
    weight = torch.ones(8).as_subclass(Functional)
    assert ops.rms_norm(rows(), weight, 1e-6) == "asked for opwright.rms_norm.default"
    wrapped = ops.rms_norm(Wrapper(rows()), None, 1e-6)
    assert isinstance(wrapped, Wrapper)
    torch.testing.assert_close(wrapped.held, expected(rows()))


def test_fakes() -> None:
    with FakeTensorMode():
        x = torch.empty(2, 8)
        made = ops.rms_norm(x, None, 1e-6)
        assert isinstance(made, FakeTensor)
        assert ops.rms_norm_(x, None, 1e-6) is x


def test_a_provider_in_use_is_obeyed() -> None:
    x = rows()
    before = opwright.calls().get("rms_norm", {}).get("reference")
    with torch.no_grad(), opwright.using("rms_norm", "reference"):
        ops.rms_norm(x, None, 1e-6)
    after = opwright.calls()["rms_norm"]["reference"]
    assert after.served == (before.served if before else 0) + 1


def test_traces_record_the_call() -> None:
    with torch.no_grad():
        traced = torch.jit.trace(lambda x: ops.rms_norm(x, None, 1e-6), (rows(),))
    assert "opwright::rms_norm" in str(traced.graph)
    torch.testing.assert_close(traced(rows() + 1), expected(rows() + 1))


def test_a_view_with_the_bit_of_a_minus() -> None:
    """The dispatcher resolves it above the implementation for the CPU."""
    turned = torch.complex(rows(), rows()).conj().imag
    assert turned.is_neg()
    torch.testing.assert_close(ops.rms_norm(turned, None, 1e-6), expected(-rows()))


def test_a_compiled_function() -> None:
    def function(x: Tensor, y: Tensor) -> Tensor:
        ops.rms_norm(x, None, 1e-6, out=y)
        return ops.rms_norm(x, None, 1e-6) + y

    x, y = rows(), rows()
    with torch.no_grad():
        made = torch.compile(function, backend="aot_eager", fullgraph=True)(x, y)
    torch.testing.assert_close(made, 2 * expected(x))
    torch.testing.assert_close(y, expected(x))
