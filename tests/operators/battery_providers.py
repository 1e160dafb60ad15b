"""The battery's check that the provider that `opwright.explain` names is the one that runs, by the counters.

In: an operator and a provider. Out: see battery.py.
"""

import functools
import threading
from collections.abc import Callable, Sequence
from typing import Any

import torch
from battery import (
    Operator,
    Values,
    call,
    cases,
    fail,
    has_elements,
    is_taken,
    made_of,
    main_dtype,
    reference,
    require,
    tensors_of,
)
from battery_compile import between_neighbours, compiled, three_sizes
from battery_gradients import by_formula, leaves, of_floats
from torch import Tensor

import opwright
from opwright.frameworks.torch.register import calls


def counts(operator: Operator) -> dict[str, int]:
    """How often each provider has served the operator."""
    return {name: calls(made_of(operator), name) for name in operator.providers}


def named_by_explain(operator: Operator, values: Values) -> str:
    """Who would serve a call."""
    placed, named = operator.schema.split(values)
    return opwright.explain(operator.schema.qualified, *placed, **named).provider


def served_once(operator: Operator, provider: str, how: str, attempt: Callable[[], Any]) -> Any:
    """Requires that one provider serves one call, and nobody else any."""
    before = counts(operator)
    found = attempt()
    after = counts(operator)
    served = {name: after[name] - before[name] for name in after if after[name] != before[name]}
    require(served == {provider: 1}, operator, provider, f"is named {how}, but {served or 'nobody'} served the call")
    return found


def _case_for(operator: Operator, provider: str) -> Values:
    for dtype in (main_dtype(operator), *operator.dtypes):
        for values in cases(operator, dtype):
            if has_elements(values) and is_taken(operator, provider, values):
                return values
    fail(operator, provider, "takes none of the operator's cases")


def check_named_provider(operator: Operator, provider: str) -> None:
    """By name and by place: in calls, in the forward pass of a differentiated call, and in another thread."""
    values = _case_for(operator, provider)
    name = operator.schema.qualified
    place = operator.orders.get("cpu", ("reference",)).index(provider)
    for wanted in (provider, place):
        with opwright.using(name, wanted):
            said = named_by_explain(operator, values)
            require(said == provider, operator, provider, f"is used as {wanted!r}, but explain names {said}")
            served_once(operator, provider, f"as {wanted!r}", lambda: call(operator, values))
            given, _ = leaves(operator, values)
            found = served_once(
                operator,
                provider,
                f"as {wanted!r} for a differentiated call",
                lambda given=given: call(operator, given),
            )
            if operator.gradient != "none":
                _check_backward(operator, provider, values, of_floats(found))
            _in_a_thread(lambda: _check_default(operator, values, "in a thread that uses nothing"))
    _in_a_thread(lambda: _check_used(operator, provider, values))
    _check_default(operator, values, "after the last context")


def _check_backward(operator: Operator, provider: str, values: Values, found: Sequence[Tensor]) -> None:
    """A backward pass calls the operator as often as its formula does: no result is computed again."""
    before = counts(operator)
    by_formula(operator, values, reference(operator, values), [torch.ones_like(one) for one in found])
    between = counts(operator)
    torch.stack([one.sum() for one in found]).sum().backward()
    after = counts(operator)
    is_same = all(after[name] - between[name] == between[name] - before[name] for name in after)
    require(is_same, operator, provider, "is called again by the backward pass")


def _check_used(operator: Operator, provider: str, values: Values) -> None:
    with opwright.using(operator.schema.qualified, provider):
        require(named_by_explain(operator, values) == provider, operator, provider, "is not named in another thread")
        served_once(operator, provider, "in another thread", lambda: call(operator, values))


def _check_default(operator: Operator, values: Values, where: str) -> None:
    said = named_by_explain(operator, values)
    served_once(operator, said, where, lambda: call(operator, values))


def _in_a_thread(work: Callable[[], None]) -> None:
    """Runs something in another thread, and raises what it raises."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if raised:
        raise raised[0]


def check_named_provider_compiled(operator: Operator, provider: str) -> None:
    """Compiled functions obey the context that they are called in, be they compiled before it or in it."""
    taken = [values for values in three_sizes(operator) if is_taken(operator, provider, values)]
    for values in taken:
        given = leaves(operator, values)[0] if operator.gradient != "none" else values
        run = functools.partial(compiled(operator, values, None), *tensors_of(given))
        run()  # compiles for these sizes, whoever serves
        with opwright.using(operator.schema.qualified, provider):
            served_once(operator, provider, "in compiled code", run)
            if values is taken[0]:  # whose context it is does not depend on sizes
                function = torch.compile(between_neighbours(operator, values), backend="aot_eager", fullgraph=True)
                inside = functools.partial(function, *tensors_of(given))
                served_once(operator, provider, "in code that is compiled in its context", inside)
        said = named_by_explain(operator, values)
        served_once(operator, said, "in compiled code outside of any context", run)
