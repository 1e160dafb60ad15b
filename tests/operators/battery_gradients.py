"""The battery's checks of gradients, by the kind that an operator declares: exact, straight_through or none.

In: an operator, and a provider where it matters who computed the forward pass. The reference differentiated by PyTorch
is what exact gradients are compared with; the operator's formula is what straight-through ones are. See battery.py.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from battery import (
    FLOATS,
    Operator,
    Values,
    call,
    call_by,
    cases,
    close,
    differentiable,
    fail,
    has_elements,
    is_taken,
    main_dtype,
    present,
    reference,
    require,
    results,
    tensors_of,
    words,
)
from torch import Tensor
from torch.autograd import forward_ad

SMALL = 128  # elements of all tensors of a call whose derivatives are taken by differences
TINY = 40  # and of one whose second derivatives are all taken


def small_cases(operator: Operator, dtype: torch.dtype, most: int = SMALL) -> Iterator[Values]:
    """Cases with few elements, but some."""
    for values in cases(operator, dtype):
        if has_elements(values) and sum(tensor.numel() for tensor in tensors_of(values)) <= most:
            yield values


def leaves(operator: Operator, values: Values) -> tuple[Values, list[Tensor]]:
    """A call whose tensors of floats require gradients, and those tensors."""
    places = differentiable(operator, values)
    given = tuple(value.detach().clone().requires_grad_() if i in places else value for i, value in enumerate(values))
    return given, [given[i] for i in places]


def of_floats(found: Any) -> list[Tensor]:
    """The results that can have a gradient."""
    return [one for one in present(found) if one.dtype in FLOATS]


def random_like(tensors: Sequence[Tensor], seed: int = 7) -> list[Tensor]:
    """Random numbers of the same shapes and dtypes."""
    random = torch.Generator().manual_seed(seed)
    return [torch.randn(one.shape, generator=random, dtype=torch.float64).to(one.dtype) for one in tensors]


def wanted_gradients(operator: Operator, values: Values, cotangents: Sequence[Tensor]) -> list[Tensor | None]:
    """What the gradients of a call must be, for each tensor of floats."""
    given, inputs = leaves(operator, values)
    if operator.gradient == "exact":
        return differentiated(of_floats(operator.functions["reference"](*given)), inputs, cotangents)
    return by_formula(operator, values, reference(operator, values), cotangents)


def differentiated(
    found: Sequence[Tensor], inputs: Sequence[Tensor], cotangents: Sequence[Tensor]
) -> list[Tensor | None]:
    """Gradients by PyTorch. A result may depend on nothing: one that is empty, for an argument that is absent."""
    pairs = [(one, cotangent) for one, cotangent in zip(found, cotangents, strict=True) if one.requires_grad]
    outputs, grads = zip(*pairs, strict=True)
    return list(torch.autograd.grad(outputs, inputs, grads, allow_unused=True))


def by_formula(
    operator: Operator, values: Values, found: Sequence[Tensor], cotangents: Sequence[Tensor]
) -> list[Tensor | None]:
    """What the operator's formula says of each tensor of floats; results that are no floats have gradients of zero."""
    own = operator.gradients
    chosen = differentiable(operator, values)
    given = iter(cotangents)
    every = [next(given) if one.dtype in FLOATS else torch.zeros_like(one) for one in found]
    needed = [i in chosen for i in own.places]
    formula = own.of(operator.functions["backward"], every, needed, own.given(values, found))
    by_place = dict(zip(own.places, formula, strict=True))
    return [by_place[i] for i in chosen]


def _alike(
    operator: Operator, provider: str, values: Values, found: Sequence[Tensor | None], wanted: Sequence[Tensor | None]
) -> None:
    names = [operator.schema.arguments[i].name for i in differentiable(operator, values)]
    for name, got, like in zip(names, found, wanted, strict=True):
        if like is None or not bool(like.any()):
            is_none = got is None or not bool(got.any())
            require(is_none, operator, provider, f"gives {name} a gradient that it does not have, for {words(values)}")
        elif got is None:
            fail(operator, provider, f"drops the gradient of {name}, for {words(values)}")
        else:
            # Two ways to sum the same terms are further apart than two ways to compute one result.
            close(operator, provider, got, [like], f"as the gradient of {name}, for {words(values)}", factor=10)


def check_gradients(operator: Operator, provider: str) -> None:
    """Whoever computed the results, their gradients are the operator's; also one that is expanded from a number."""
    for dtype in operator.dtypes:
        for values in cases(operator, dtype):
            if not is_taken(operator, provider, values):
                continue
            given, inputs = leaves(operator, values)
            found = of_floats(call_by(operator, provider, given))
            _check_node(operator, provider, found)
            cotangents = random_like(found)
            gradients = torch.autograd.grad(found, inputs, cotangents, allow_unused=True, retain_graph=True)
            _alike(operator, provider, values, gradients, wanted_gradients(operator, values, cotangents))
            torch.stack([one.sum() for one in found]).sum().backward()
            ones = [torch.ones_like(one) for one in found]
            expanded = [one.grad for one in inputs]
            _alike(operator, provider, values, expanded, wanted_gradients(operator, values, ones))


def _check_node(operator: Operator, provider: str, found: Sequence[Tensor]) -> None:
    for one in found:
        node = one.grad_fn
        require(node is not None, operator, provider, "drops the gradient: a result does not require one")
        is_own = node.name() == f"{operator.name}Backward"
        require(is_own, operator, provider, f"leaks a gradient of its own: {node.name()}")
        others = {after.name() for after, _ in node.next_functions if after is not None}
        leaked = others - {"torch::autograd::AccumulateGrad"}
        require(not leaked, operator, provider, f"leaks a gradient of its own: {', '.join(sorted(leaked))}")


def check_no_gradient(operator: Operator, provider: str) -> None:
    """Results never require a gradient, and have the same values whatever mode is on."""
    for values in cases(operator, main_dtype(operator)):
        if not is_taken(operator, provider, values):
            continue
        given, _ = leaves(operator, values)
        wanted = reference(operator, values)
        modes: dict[str, Callable[[], Any]] = {
            "gradients on": torch.enable_grad,
            "no_grad": torch.no_grad,
            "inference_mode": torch.inference_mode,
        }
        for name, mode in modes.items():
            with mode():
                found = call_by(operator, provider, given)
            for one in present(found):
                fault = f"has no gradient, but a result requires one with {name}"
                require(not one.requires_grad and one.grad_fn is None, operator, provider, fault)
            close(operator, provider, found, wanted, f"with {name}, for {words(values)}")


def check_formula(operator: Operator) -> None:
    """In float64 the formula is the reference's derivative, also for an operator that takes no float64."""
    for values in small_cases(operator, main_dtype(operator)):
        wide = tuple(one.double() if isinstance(one, Tensor) and one.dtype in FLOATS else one for one in values)
        given, inputs = leaves(operator, wide)
        every = results(operator.functions["reference"](*given))
        found = of_floats(every)
        cotangents = random_like(found)
        wanted = differentiated(found, inputs, cotangents)
        formula = by_formula(operator, wide, every, cotangents)
        for i, got, like in zip(differentiable(operator, wide), formula, wanted, strict=True):
            name = operator.schema.arguments[i].name
            require(got is not None or like is None, operator, "backward", f"drops the gradient of {name}")
            if got is not None and like is not None:
                error = float((got.double() - like.double()).abs().max())
                limit = 1e-5 * (1 + float(like.abs().max()))
                require(error <= limit, operator, "backward", f"is {error:.3g} away from the derivative by {name}")


def _of_floats_only(operator: Operator, values: Values) -> tuple[Callable[..., Any], list[Tensor]]:
    """A call as a function of its tensors of floats."""
    places = differentiable(operator, values)

    def function(*inputs: Tensor) -> Any:
        given = list(values)
        for place, one in zip(places, inputs, strict=True):
            given[place] = one
        return tuple(of_floats(call(operator, tuple(given))))

    return function, [values[i].detach().clone().requires_grad_() for i in places]


def check_differences(operator: Operator) -> None:
    """First derivatives in both modes, and second ones, agree with differences. For exact gradients in float64."""
    for values in small_cases(operator, torch.float64):
        function, inputs = _of_floats_only(operator, values)
        try:
            torch.autograd.gradcheck(function, inputs, check_forward_ad=True, check_batched_grad=True, fast_mode=True)
            torch.autograd.gradgradcheck(function, inputs, fast_mode=True)
        except RuntimeError as error:
            fail(operator, "default", f"has a gradient that differences do not confirm, for {words(values)}:\n{error}")


def check_forward_mode(operator: Operator) -> None:
    """What forward mode gives is the adjoint of what reverse mode gives."""
    for values in small_cases(operator, main_dtype(operator)):
        places = differentiable(operator, values)
        tangents = random_like([values[i] for i in places])
        with forward_ad.dual_level():
            given = list(values)
            for place, tangent in zip(places, tangents, strict=True):
                given[place] = forward_ad.make_dual(values[place], tangent)
            found = [forward_ad.unpack_dual(one) for one in of_floats(call(operator, tuple(given)))]
        cotangents = random_like([one.primal for one in found], seed=8)
        for one in found:
            require(one.tangent is not None, operator, "default", "drops the tangent in forward mode")
        forward = sum(
            float((g.double() * one.tangent.double()).sum()) for g, one in zip(cotangents, found, strict=True)
        )
        gradients = wanted_gradients(operator, values, cotangents)
        pairs = [(g.double(), t.double()) for g, t in zip(gradients, tangents, strict=True) if g is not None]
        backward = sum(float((g * t).sum()) for g, t in pairs)
        size = sum(float((g * t).abs().sum()) for g, t in pairs)
        limit = 100 * torch.finfo(values[places[0]].dtype).eps * (1 + size)
        fault = f"gives {forward:.7g} in forward mode, and {backward:.7g} in reverse mode, for {words(values)}"
        require(abs(forward - backward) <= limit, operator, "default", fault)


def check_transforms(operator: Operator) -> None:
    """torch.func's transforms give what they give for the reference. For exact gradients in float64."""
    for values in small_cases(operator, torch.float64, TINY):
        place = differentiable(operator, values)[0]

        def scalar(compute: Callable[[Values], Any], values: Values = values, place: int = place) -> Callable[..., Any]:
            def function(one: Tensor) -> Tensor:
                found = of_floats(compute((*values[:place], one, *values[place + 1 :])))
                weights = [torch.linspace(0.5, 1.5, f.numel(), dtype=f.dtype).view(f.shape) for f in found]
                return torch.stack([(f * w).sum() for f, w in zip(found, weights, strict=True)]).sum()

            return function

        def first(compute: Callable[[Values], Any], values: Values = values, place: int = place) -> Callable[..., Any]:
            return lambda one: of_floats(compute((*values[:place], one, *values[place + 1 :])))[0]

        def ours(given: Values) -> Any:
            return call(operator, given)

        def theirs(given: Values) -> Any:
            return operator.functions["reference"](*given)

        for transform, made in (
            (torch.func.grad, scalar),
            (torch.func.jacrev, first),
            (torch.func.jacfwd, first),
            (torch.func.hessian, scalar),
        ):
            found = transform(made(ours))(values[place])
            wanted = transform(made(theirs))(values[place])
            what = f"under torch.func.{transform.__name__}, for {words(values)}"
            close(operator, "default", found, [wanted], what, factor=10)
