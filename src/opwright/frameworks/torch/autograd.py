"""Gradients of operators, at the dispatcher's Autograd key.

In: an operator with a formula for its gradient. Out: the kernel for that key. A call that needs no gradient goes
through with two questions asked. Reverse mode records one node that keeps the tensors it was given; the formula is
plain PyTorch, so that it can be differentiated again. Forward mode needs no formula of its own: what the gradient does
with v is J'v, linear in v, and its gradient gives Ju. A formula may call operators. Refused are second derivatives
through one that has no gradient, constants that require a gradient, and forms that write.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

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
            _refuse_constants(operator, values, lambda one: one.requires_grad, "gradient")
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
    redispatch = overload._handle.redispatch_boxed
    is_grad_enabled, any_requires_grad = torch._C.is_grad_enabled, torch._C._any_requires_grad
    increment_version = torch._C._increment_version  # what that of torch.autograd.graph calls
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
            forward_ad._current_level >= 0
            and not is_constant
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


def call_of(operator: Operator, overload: Any) -> Callable[..., Any]:
    """What a formula calls. Autograd takes the results of an operator without a gradient for constants: not here."""
    message = "has no gradient, so a gradient that calls it cannot be differentiated again"

    def refusing(*args: Any, **kwargs: Any) -> Any:
        given = [one for one in _leaves((*args, *kwargs.values())) if isinstance(one, Tensor)]
        # What an outer transform does with the result is not seen from here.
        if _has_outer_transform() or (_is_forward() and any(_tangent(one) is not None for one in given)):
            raise NotSupported(operator=operator.name, message=message)
        results = overload(*args, **kwargs)
        if not (torch.is_grad_enabled() and torch._C._any_requires_grad(*given)):
            return results
        made = list(as_tuple(results))
        floats = [i for i, one in enumerate(made) if one is not None and one.is_floating_point()]
        error = NotSupported(operator=operator.name, message=message)
        with enable_single_level_autograd_function():
            passed = _Refusing.apply(error, len(floats), *(made[i] for i in floats), *given)
        for i, one in zip(floats, passed, strict=True):
            made[i] = one
        return tuple(made) if isinstance(results, tuple) else made[0]

    return refusing if operator.gradient == "none" and not operator.is_writing else overload


class _Refusing(_SingleLevelFunction):  # type: ignore[misc]
    """Passes the first tensors on as if they depended on all of them, and raises if they are differentiated."""

    @staticmethod
    def forward(context: Any, error: NotSupported, count: int, *tensors: Tensor) -> tuple[Tensor, ...]:
        context.error = error
        return tuple(one.clone() for one in tensors[:count])

    @staticmethod
    def backward(context: Any, *_: Any) -> NoReturn:
        raise context.error


def _has_outer_transform() -> bool:
    """Whether a transform of torch.func that differentiates is at work around the innermost one."""
    kinds = (torch._C._functorch.TransformType.Grad, torch._C._functorch.TransformType.Jvp)
    return any(one.key() in kinds for one in (torch._C._functorch.get_interpreter_stack() or ())[:-1])


def _refuse_constants(operator: Operator, values: Sequence[Any], is_wrong: Callable[[Tensor], bool], what: str) -> None:
    for i in operator.gradients.constants:
        if values[i] is not None and is_wrong(values[i]):
            name = operator.schema.arguments[i].name
            message = f"{name} is a constant of this operator and has no {what}; pass {name}.detach()"
            raise NotSupported(operator=operator.name, message=message)


def _node(operator: Operator, overload: Any) -> Any:
    """What a graph records of a call."""
    own = operator.gradients
    count = len(operator.schema.arguments)
    tensors = {*own.places, *own.constants}

    def forward(context: Any, keyset: Any, *values: Any) -> Any:
        positional, named = operator.schema.split(values)
        if not torch._C._are_functorch_transforms_active():
            with torch._C._AutoDispatchBelowAutograd():
                result = overload.redispatch(keyset & _AFTER_AUTOGRAD, *positional, **named)
        else:
            # An outer transform differentiates what this one calls; a node turns that off.
            with torch.enable_grad(), forward_ad._set_fwd_grad_enabled(True):
                result = overload.redispatch(keyset & _AFTER_AUTOGRAD, *positional, **named)
        results = as_tuple(result)
        context.others = [None if i in tensors else value for i, value in enumerate(values)]
        context.save_for_backward(*(values[i] for i in own.saved), *(results[i] for i in own.saved_results))
        return result

    def backward(context: Any, *grads: Any) -> Any:
        saved = context.saved_tensors
        given = [*context.others, *saved[len(own.saved) :]]
        for i, tensor in zip(own.saved, saved, strict=False):
            given[i] = tensor
        needed = tuple(context.needs_input_grad[1 + i] for i in own.places)
        full: list[Any] = [None] * (1 + count)
        for i, grad in zip(own.places, own.of(operator.functions["backward"], grads, needed, given), strict=True):
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
    own = operator.gradients
    places = own.places
    _refuse_constants(operator, values, lambda one: _tangent(one) is not None, "tangent")
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
        grads = own.of(operator.functions["backward"], cotangents, needed, own.given(plain, results))
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
