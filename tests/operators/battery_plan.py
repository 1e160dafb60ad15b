"""Which checks of the battery each operator gets: what does not apply to an operator is not in its list.

In: operators. Out: the parameters of tests, each with an identifier that begins with the operator's name.
"""

from collections.abc import Callable, Sequence

import battery_capture
import battery_compile
import battery_gradients
import battery_mistakes
import battery_out
import battery_providers
import battery_values
import battery_writing
import pytest
import torch
from battery import OWN, Operator, cases, main_dtype, twins_of

Check = Callable[..., None]


def name_of(operator: Operator, *more: object) -> str:
    """An identifier."""
    return "-".join([operator.name, *(str(one).removeprefix("torch.") for one in more)])


def _checks(module: object, *names: str) -> list[Check]:
    return [getattr(module, f"check_{name}") for name in names]


def _short(check: Check) -> str:
    return check.__name__.removeprefix("check_")


def _providers(operator: Operator) -> tuple[str, ...]:
    return operator.orders.get("cpu", ("reference",))


def _fits_an_argument(operator: Operator) -> bool:
    return any(twins_of(operator, values) for values in cases(operator, main_dtype(operator)))


def of_dtype(operators: Sequence[Operator]) -> list[object]:
    """Checks of an operator, a provider and a dtype."""
    found = []
    for operator in operators:
        chosen = _checks(battery_writing, "written") if operator.is_writing else _of_results(operator)
        is_judged = operator.schema.space == OWN or "oracle" in operator.functions
        oracle = _checks(battery_values, "oracle") if is_judged else []
        for provider in _providers(operator):
            for dtype in operator.dtypes:
                for check in chosen + (oracle if provider == "reference" else []):
                    name = name_of(operator, provider, dtype, _short(check))
                    found.append(pytest.param(check, operator, provider, dtype, id=name))
    return found


def _of_results(operator: Operator) -> list[Check]:
    chosen = [
        *_checks(battery_values, "values", "stale_contents", "layouts", "special_numbers"),
        *_checks(battery_values, "undeclared_writes", "fake", "aliases"),
        *_checks(battery_out, "outputs"),
    ]
    chosen += _checks(battery_values, "error") if operator.tolerance else []
    chosen += _checks(battery_out, "outputs_in_arguments") if _fits_an_argument(operator) else []
    return chosen + (_checks(battery_out, "in_place") if operator.writes else [])


def of_provider(operators: Sequence[Operator]) -> list[object]:
    """Checks of an operator and a provider."""
    found = []
    for operator in (one for one in operators if not one.is_writing):
        chosen = [
            *_checks(battery_values, "takes_calls"),
            *_checks(battery_out, "wrong_outputs"),
            *_checks(battery_providers, "named_provider", "named_provider_compiled"),
        ]
        if operator.gradient == "none":
            chosen += _checks(battery_gradients, "no_gradient")
        else:
            chosen += _checks(battery_gradients, "gradients")
            chosen += _checks(battery_out, "writes_are_not_differentiated")
        for provider in _providers(operator):
            # A kernel that runs on the CPU twin is brought there by the host: it is captured by no device.
            more = [] if provider == "kernel" else _checks(battery_capture, "capture")
            for check in chosen + more:
                found.append(pytest.param(check, operator, provider, id=name_of(operator, provider, _short(check))))
    return found


def of_operator(operators: Sequence[Operator]) -> list[object]:
    """Checks of an operator, whoever serves it."""
    found = []
    for operator in operators:
        if operator.is_writing:
            chosen = _checks(battery_writing, "writing_compiled", "writing_opcheck", "writing_refusals")
            chosen += _checks(battery_mistakes, "devices")
            found += [pytest.param(check, operator, id=name_of(operator, _short(check))) for check in chosen]
            continue
        chosen = [
            *_checks(battery_compile, "compiled", "compiled_dynamically", "compiled_outputs"),
            *_checks(battery_compile, "export", "vmap", "modes", "opcheck"),
            *_checks(battery_capture, "default_capture", "reference_without_numbers"),
            *_checks(battery_mistakes, "devices"),
        ]
        chosen += _checks(battery_values, "rows") if operator.rows else []
        if operator.gradient != "none":
            chosen += _checks(battery_gradients, "forward_mode")
        if operator.gradient == "exact":
            chosen += _checks(battery_gradients, "formula")
            is_wide = torch.float64 in operator.dtypes
            chosen += _checks(battery_gradients, "differences", "transforms") if is_wide else []
        found += [pytest.param(check, operator, id=name_of(operator, _short(check))) for check in chosen]
    return found


def each(operators: Sequence[Operator]) -> list[object]:
    """Every operator."""
    return [pytest.param(operator, id=name_of(operator)) for operator in operators]


def by_order(operators: Sequence[Operator]) -> list[object]:
    """The operators that return new tensors, those with one order of providers together."""
    found: dict[tuple[str, ...], list[Operator]] = {}
    for operator in operators:
        if not operator.is_writing:
            found.setdefault(_providers(operator), []).append(operator)
    return [pytest.param(alike, id="-".join(order)) for order, alike in found.items()]
