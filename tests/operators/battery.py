"""The battery: what every operator is asked by being in the registry. This file is what its parts share.

In: an operator and the name of a provider. Out: nothing; a check raises AssertionError with a sentence that names the
operator, the provider and the fault. A call that the provider does not take must be refused by it, with its reason.
"""

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

import torch
from torch import Tensor
from torch.utils._pytree import tree_flatten, tree_map, tree_unflatten

import opwright
import opwright.operators
from opwright.errors import OpwrightError, ProviderRefused
from opwright.frameworks.torch.loading import _functions
from opwright.frameworks.torch.register import Registered, registered
from opwright.frameworks.torch.serve import check, fake, refusal
from opwright.operators._operator import OWN, Case, Operator, cases_of, operators

Values = tuple[Any, ...]
FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


def own_operators() -> list[Operator]:
    """The operators of the package. Their files are imported, but nothing is registered or compiled yet."""
    for module in pkgutil.iter_modules(opwright.operators.__path__):
        if not module.name.startswith("_"):
            importlib.import_module(f"{opwright.operators.__name__}.{module.name}")
    own = [found for found in operators().values() if found.schema.space == OWN]
    for found in own:
        for kind in ("cases", "mistakes"):
            assert kind in found.functions, f"{found.where}: {found.name} has no @{found.name}.{kind} to be tested with"
    return own


# What a check says ---------------------------------------------------------------------------------------------------


def fail(operator: Operator, provider: str, fault: str) -> NoReturn:
    """Raises with the operator, the provider and what is wrong."""
    raise AssertionError(f"{operator.schema.qualified} by {provider} {fault}")


def require(condition: object, operator: Operator, provider: str, fault: str) -> None:
    """Raises unless the condition holds."""
    if not condition:
        fail(operator, provider, fault)


# Calls ---------------------------------------------------------------------------------------------------------------


def made_of(operator: Operator) -> Registered:
    """An operator's forms in PyTorch."""
    return registered[operator.schema.qualified]


def function_of(operator: Operator) -> Callable[..., Any]:
    """What people call."""
    return _functions[operator.schema.qualified].stated


def in_place_of(operator: Operator) -> Callable[..., Any]:
    """The form that writes into arguments."""
    found = _functions[operator.schema.qualified].in_place
    assert found is not None
    return found


def call(operator: Operator, values: Values, **more: Any) -> Any:
    """Calls an operator with all of its arguments in order."""
    placed, named = operator.schema.split(values)
    return function_of(operator)(*placed, **named, **more)


def call_by(operator: Operator, provider: str | int, values: Values, **more: Any) -> Any:
    """The same, by one provider."""
    with opwright.using(operator.schema.qualified, provider):
        return call(operator, values, **more)


def reference(operator: Operator, values: Values) -> tuple[Any, ...]:
    """The contract's results, outside of the dispatcher."""
    with torch.no_grad():
        return results(operator.functions["reference"](*values))


def results(found: Any) -> tuple[Any, ...]:
    """One result or several, as several; None for one that is absent."""
    return found if isinstance(found, tuple) else (found,)


def present(found: Any) -> list[Tensor]:
    """The results that a call has."""
    return [one for one in results(found) if one is not None]


def is_taken(operator: Operator, provider: str, values: Values) -> bool:
    """Whether a provider takes a call. One that does not must say so when it is asked by name."""
    require(provider in operator.providers, operator, provider, "is declared, but this machine has none")
    reason = refusal(operator, operator.providers[provider], values)
    if reason is None:
        return True
    try:
        call_by(operator, provider, values)
    except ProviderRefused as error:
        require(reason in str(error), operator, provider, f"refuses a call without its reason: {error}")
        return False
    fail(operator, provider, f"computes a call that it does not take: {reason}")


def is_right(operator: Operator, values: Values) -> bool:
    """Whether the operator's check lets a call pass: not every layout is every operator's business."""
    try:
        check(operator, values)
    except OpwrightError:
        return False
    return True


# Arguments -----------------------------------------------------------------------------------------------------------


def values_of(operator: Operator, case: Case) -> Values:
    """All arguments of a case in order."""
    return operator.schema.complete(case.args, case.kwargs)


def cases(operator: Operator, dtype: torch.dtype, seed: int = 0, large: bool = False) -> Iterator[Values]:
    """The arguments of the operator's cases; with large ones only if asked."""
    for case in cases_of(operator, dtype, seed):
        if large or not case.large:
            yield values_of(operator, case)


def main_dtype(operator: Operator) -> torch.dtype:
    """The dtype of checks that one dtype is enough for."""
    return torch.float32 if torch.float32 in operator.dtypes else operator.dtypes[0]


def flattened(values: Values) -> tuple[list[Any], Callable[[Sequence[Any]], Values]]:
    """All arguments, those of lists one by one; and what makes arguments of as many others."""
    leaves, tree = tree_flatten(values)
    return leaves, lambda others: tree_unflatten(list(others), tree)


def tensors_of(values: Values) -> list[Tensor]:
    """All tensors of a call, also those of lists."""
    return [value for value in flattened(values)[0] if isinstance(value, Tensor)]


def has_elements(values: Values) -> bool:
    """Whether the first tensor of a call has any."""
    return tensors_of(values)[0].numel() > 0


def mapped(change: Callable[[Tensor], Tensor], values: Values) -> Values:
    """The arguments with every tensor changed."""
    return tree_map(lambda value: change(value) if isinstance(value, Tensor) else value, values)


def clones(values: Values) -> Values:
    """Dense copies."""
    return mapped(lambda tensor: tensor.detach().clone(memory_format=torch.contiguous_format), values)


def is_data(tensor: Tensor) -> bool:
    """Whether a tensor's elements are free: what counts or points may not be changed at will."""
    return tensor.is_floating_point() or tensor.dtype in (torch.int8, torch.uint8)


def differentiable(operator: Operator, values: Values) -> list[int]:
    """The places of tensors that may require a gradient."""
    floats = [i for i, value in enumerate(values) if isinstance(value, Tensor) and value.dtype in FLOATS]
    return [i for i in floats if i not in operator.gradients.constants]


def words(values: Values) -> str:
    """A call in a message."""
    listed = []
    for value in values:
        if isinstance(value, list) and any(isinstance(one, Tensor) for one in value):
            listed.append(words(tuple(value)))
        elif isinstance(value, Tensor):
            dtype = str(value.dtype).removeprefix("torch.")
            listed.append(f"{dtype}{list(value.shape)} with strides {list(value.stride())}")
        else:
            listed.append(repr(value))
    return f"({', '.join(listed)})"


def planned(operator: Operator, values: Values) -> tuple[Tensor | None, ...]:
    """What the fake says of the results, on no device; None for one that is absent."""
    return fake(operator, values)


def twins_of(operator: Operator, values: Values) -> list[tuple[int, int]]:
    """Arguments that have the dtype and shape of a result, and which result: what an output may be."""
    return [
        (place, index)
        for place, value in enumerate(values)
        for index, like in enumerate(planned(operator, values))
        if isinstance(value, Tensor) and like is not None and value.dtype == like.dtype and value.shape == like.shape
    ]


# Comparing -----------------------------------------------------------------------------------------------------------


def close(
    operator: Operator, provider: str, found: Any, wanted: Sequence[Tensor | None], what: str, factor: float = 1.0
) -> None:
    """Requires results within the operator's tolerance, or equal if it has none; NaN equals NaN."""
    for number, (got, like) in enumerate(zip(results(found), wanted, strict=True)):
        which = "a result" if len(wanted) == 1 else f"result {number}"
        require((got is None) == (like is None), operator, provider, f"gives {got} and not {like} as {which}, {what}")
        if like is None:
            continue
        for attribute in ("dtype", "shape", "device"):
            had, needed = getattr(got, attribute), getattr(like, attribute)
            require(had == needed, operator, provider, f"gives {which} of {attribute} {had}, not {needed}, {what}")
        absolute, relative = operator.tolerance.get(like.dtype, (0.0, 0.0))
        got, like = comparable(got), comparable(like)
        try:
            torch.testing.assert_close(got, like, atol=factor * absolute, rtol=factor * relative, equal_nan=True)
        except AssertionError as error:
            fail(operator, provider, f"gives {which} that is wrong {what}:\n{error}")


def comparable(tensor: Tensor) -> Tensor:
    """Small floats have no comparisons of their own."""
    is_small = tensor.is_floating_point() and tensor.dtype not in FLOATS
    return tensor.detach().float() if is_small else tensor.detach()


def whole_storage(tensor: Tensor) -> Tensor:
    """All bytes that a tensor's memory has, also those that it skips."""
    return torch.empty(0, dtype=torch.uint8).set_(tensor.untyped_storage())


def significant_strides(tensor: Tensor) -> list[int | None]:
    """The strides that matter: not those of dimensions of one, nor of a tensor without elements."""
    if tensor.numel() == 0:
        return []
    return [step if size > 1 else None for size, step in zip(tensor.shape, tensor.stride(), strict=True)]
