"""The battery's checks of calls that are wrong: each is refused with one error, whoever serves it and however.

In: an operator, and the name and arguments of a mistake. Out: the text of the error, for a golden file.
"""

from collections.abc import Callable, Iterator
from typing import Any

import torch
from battery import (
    Operator,
    Values,
    call,
    call_by,
    cases,
    fail,
    flattened,
    has_elements,
    made_of,
    main_dtype,
    present,
    require,
    values_of,
    words,
)
from battery_compile import with_own_code
from torch import Tensor
from torch.fx.experimental.proxy_tensor import make_fx

from opwright.errors import OperatorError, OpwrightError

PYTHONS = (TypeError, ValueError, NotImplementedError)


def mistakes_of(operator: Operator) -> Iterator[tuple[str, Values]]:
    """What the operator must refuse, by name."""
    for name, case in operator.functions["mistakes"]():
        yield name, values_of(operator, case)


def _error_of(operator: Operator, provider: str, what: str, attempt: Callable[[], Any]) -> OperatorError:
    try:
        attempt()
    except OperatorError as error:
        fault = f"refuses {what} with {type(error).__name__}, which is no error of Python's own kinds"
        require(isinstance(error, PYTHONS), operator, provider, fault)
        return error
    except Exception as error:
        fail(operator, provider, f"refuses {what} with {type(error).__name__}, which is none of ours: {error}")
    fail(operator, provider, f"takes {what}, which is wrong")


def check_mistake(operator: Operator, name: str, values: Values) -> str:
    """One mistake, by every way into the operator. Gives what is said."""
    what = f"the mistake '{name}'"
    wanted = _error_of(operator, "default", what, lambda: call(operator, values))

    def same(provider: str, how: str, attempt: Callable[[], Any]) -> None:
        error = _error_of(operator, provider, f"{what} {how}", attempt)
        is_same = type(error) is type(wanted) and str(error) == str(wanted)
        require(is_same, operator, provider, f"refuses {what} {how} as '{error}', and otherwise as '{wanted}'")

    for provider in operator.providers:
        same(provider, "when it is asked by name", lambda provider=provider: call_by(operator, provider, values))
    leaves, made_of_leaves = flattened(values)
    places = [i for i, value in enumerate(leaves) if isinstance(value, Tensor)]

    def of_tensors(*tensors: Tensor) -> Any:
        given = list(leaves)
        for place, tensor in zip(places, tensors, strict=True):
            given[place] = tensor
        return call(operator, made_of_leaves(given))

    tensors = [leaves[i] for i in places]
    same("fake", "when it is traced", lambda: make_fx(of_tensors, tracing_mode="fake")(*tensors))
    compiled = torch.compile(with_own_code(of_tensors, operator), backend="eager")
    same("compiled", "when it is compiled", lambda: compiled(*tensors))
    _check_dispatcher(operator, what, values, wanted)
    return str(wanted)


def _check_dispatcher(operator: Operator, what: str, values: Values, wanted: OpwrightError) -> None:
    """`torch.ops` raises a RuntimeError that begins with the same line."""
    placed, named = operator.schema.split(values)
    try:
        made_of(operator).overload("stated")(*placed, **named)
    except RuntimeError as error:
        first = str(error).splitlines()[0]
        fault = f"refuses {what} through torch.ops as '{first}', and otherwise as '{wanted}'"
        require(first == str(wanted).splitlines()[0], operator, "torch.ops", fault)
    else:
        fail(operator, "torch.ops", f"takes {what}, which is wrong")


def check_devices(operator: Operator) -> None:
    """All tensors on another device: results are there. One of them: the call is refused."""
    values = next(values for values in cases(operator, main_dtype(operator)) if has_elements(values))
    leaves, made_of_leaves = flattened(values)
    places = [i for i, value in enumerate(leaves) if isinstance(value, Tensor)]

    def moved(chosen: list[int]) -> Values:
        return made_of_leaves([one.to("meta") if i in chosen else one for i, one in enumerate(leaves)])

    found = present(call(operator, moved(places))) if operator.schema.results else []
    is_there = all(one.device.type == "meta" for one in found)
    require(is_there, operator, "default", f"gives results on another device than its arguments, for {words(values)}")
    for number, place in enumerate(places if len(places) > 1 else []):
        what = f"tensor {number} on another device than the others, for {words(values)}"
        _error_of(operator, "default", what, lambda place=place: call(operator, moved([place])))


def check_mistakes(operator: Operator) -> str:
    """All mistakes. Gives the text of the operator's golden file."""
    lines = []
    for name, values in mistakes_of(operator):
        lines.append(f"{name}:\n{check_mistake(operator, name, values)}\n")
    require(lines, operator, "default", "has no mistakes to be tested with")
    return "\n".join(lines)
