"""Gradients of operators, at the dispatcher's Autograd key.

In: an operator with a formula for its gradient. Out: the kernel for that key. A call that needs no gradient goes
through with two questions asked. Reverse mode records one node that keeps the tensors it was given; the formula is
plain PyTorch, so that it can be differentiated again. Forward mode needs no formula of its own: what the gradient does
with v is J'v, linear in v, and its gradient gives Ju. Forms that write into tensors refuse to be differentiated.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor
from torch._functorch.utils import enable_single_level_autograd_function
from torch.autograd import forward_ad
from torch.autograd.function import _SingleLevelFunction

from opwright.errors import NotSupported
from opwright.operators._operator import Operator, as_tuple

_AFTER_AUTOGRAD = torch._C._after_autograd_keyset
_AFTER_WRITE = torch._C._after_ADInplaceOrView_keyset


def functional_kernel(operator: Operator, overload: Any) -> Callable[..., Any]:
    """The kernel of the form that returns new tensors."""
    node = _node(operator, overload)
    redispatch = overload._handle.redispatch_boxed  # what overload.redispatch calls, without a frame of Python
    is_grad_enabled, any_requires_grad = torch._C.is_grad_enabled, torch._C._any_requires_grad

    def kernel(keyset: Any, *args: Any, **kwargs: Any) -> Any:
        if is_grad_enabled() and any_requires_grad(*args, **kwargs):
            values = operator.schema.complete(args, kwargs)
            # This runs at the level of one transform of torch.func, for which the node is made.
            with enable_single_level_autograd_function():
                result = node.apply(keyset, *values)
        elif forward_ad._current_level < 0:
            return redispatch(keyset & _AFTER_AUTOGRAD, *args, **kwargs)
        else:
            values = operator.schema.complete(args, kwargs)
            result = redispatch(keyset & _AFTER_AUTOGRAD, *args, **kwargs)
        return _with_tangents(operator, values, result) if _is_forward() else result

    return kernel


def writing_kernel(operator: Operator, overload: Any, written: Callable[..., Sequence[Tensor]]) -> Callable[..., Any]:
    """The kernel of a form that writes: it cannot be differentiated, and what it wrote has a new version."""
    redispatch = overload.redispatch
    is_grad_enabled, any_requires_grad = torch._C.is_grad_enabled, torch._C._any_requires_grad
    increment_version = torch.autograd.graph.increment_version
    # Without a gradient the results of a functional operator are constants. One that writes has no other form.
    is_constant = operator.gradient == "none" and not operator.is_writing
    remedy = "call it under torch.no_grad()" if operator.is_writing else "use the form that returns a new one"

    def must_record(outs: Sequence[Tensor]) -> bool:
        # A tensor that is a part of a graph must not become a constant.
        return not is_constant or any(out.requires_grad for out in outs)

    def kernel(keyset: Any, *args: Any, **kwargs: Any) -> Any:
        outs = written(*args, **kwargs)
        if is_grad_enabled() and any_requires_grad(*args, **kwargs) and must_record(outs):
            message = f"a call that writes into a given tensor has no gradient; {remedy}"
            raise NotSupported(operator=operator.name, message=message)
        if (
            not is_constant
            and _is_forward()
            and any(_tangent(value) is not None for value in _leaves((*args, *kwargs.values())))
        ):
            message = "a call that writes into a given tensor has no tangent; use a form that returns a new one"
            raise NotSupported(operator=operator.name, message=message)
        try:
            return redispatch(keyset & _AFTER_WRITE, *args, **kwargs)
        finally:
            increment_version(outs)  # also of what was written before a fault

    return kernel


def _leaves(values: Sequence[Any]) -> Iterator[Any]:
    """All values, those of lists one by one."""
    for value in values:
        yield from value if isinstance(value, (list, tuple)) else (value,)


def _node(operator: Operator, overload: Any) -> Any:
    """What a graph records of a call."""
    arguments = operator.schema.arguments
    places = [i for i, argument in enumerate(arguments) if argument.is_tensor]

    def forward(context: Any, keyset: Any, *values: Any) -> Any:
        context.others = [None if i in places else value for i, value in enumerate(values)]
        context.save_for_backward(*(values[i] for i in places))
        positional, named = operator.schema.split(values)
        if not torch._C._are_functorch_transforms_active():
            with torch._C._AutoDispatchBelowAutograd():
                return overload.redispatch(keyset & _AFTER_AUTOGRAD, *positional, **named)
        # An outer transform differentiates what this one calls; a node turns that off.
        with torch.enable_grad(), forward_ad._set_fwd_grad_enabled(True):
            return overload.redispatch(keyset & _AFTER_AUTOGRAD, *positional, **named)

    def backward(context: Any, *grads: Any) -> Any:
        values = list(context.others)
        for i, tensor in zip(places, context.saved_tensors, strict=True):
            values[i] = tensor
        needed = tuple(context.needs_input_grad[1 + i] for i in places)
        found = operator.functions["backward"](*grads, needed, *values)
        full: list[Any] = [None] * (1 + len(arguments))
        for i, grad in zip(places, as_tuple(found), strict=True):
            full[1 + i] = grad
        return tuple(full)

    members = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type(operator.function_name, (_SingleLevelFunction,), members)


def _is_forward() -> bool:
    """Whether tangents are this level's business: plain forward mode, or a torch.func.jvp that is innermost."""
    if forward_ad._current_level < 0:
        return False
    innermost = torch._C._functorch.peek_interpreter_stack()
    return innermost is None or innermost.key() == torch._C._functorch.TransformType.Jvp


def _tangent(value: object) -> Tensor | None:
    return forward_ad.unpack_dual(value).tangent if isinstance(value, Tensor) else None


def _with_tangents(operator: Operator, values: Sequence[Any], result: Any) -> Any:
    """The results of a call, with their tangents where an argument has one."""
    places = [i for i, argument in enumerate(operator.schema.arguments) if argument.is_tensor]
    tangents = [_tangent(values[i]) for i in places]
    if all(tangent is None for tangent in tangents):
        return result
    plain = list(values)
    for i, tangent in zip(places, tangents, strict=True):
        if tangent is not None:
            plain[i] = forward_ad.unpack_dual(values[i]).primal
    results = as_tuple(result)
    needed = tuple(tangent is not None for tangent in tangents)
    with torch.enable_grad(), _may_require_grad():
        # Results that count, such as places, have no tangents; nor has a tensor that the formula gives nothing.
        cotangents = [torch.zeros_like(one).requires_grad_(one.is_floating_point()) for one in results]
        grads = as_tuple(operator.functions["backward"](*cotangents, needed, *plain))
        pairs = [
            (grad, tangent)
            for grad, tangent in zip(grads, tangents, strict=True)
            if grad is not None and grad.requires_grad and tangent is not None
        ]
        if not pairs:
            return result
        moved = iter(
            torch.autograd.grad(
                [grad for grad, _ in pairs],
                [one for one in cotangents if one.requires_grad],
                [tangent for _, tangent in pairs],
                create_graph=True,
                allow_unused=True,
                materialize_grads=True,
            )
        )
    duals = tuple(forward_ad.make_dual(one, next(moved)) if one.is_floating_point() else one for one in results)
    return duals if isinstance(result, tuple) else duals[0]


@contextlib.contextmanager
def _may_require_grad() -> Iterator[None]:
    """torch.func forbids its functions to ask for gradients by themselves; this one is its level's own."""
    before = torch._C._functorch.get_inplace_requires_grad_allowed()
    torch._C._functorch.set_inplace_requires_grad_allowed(True)
    try:
        yield
    finally:
        torch._C._functorch.set_inplace_requires_grad_allowed(before)
