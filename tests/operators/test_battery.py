"""Every operator of the registry, by every provider that it declares for the CPU, through the whole battery.

`-k rms_norm` runs one operator: every identifier begins with its name.
"""

from collections.abc import Callable
from pathlib import Path

import battery_capture
import battery_compile
import battery_gradients
import battery_mistakes
import battery_out
import battery_processes
import battery_providers
import battery_values
import pytest
import torch
from battery import Operator, cases, main_dtype, own_operators, twin_of

OPERATORS = own_operators()


def _name(operator: Operator, *more: object) -> str:
    return "-".join([operator.name, *(str(one).removeprefix("torch.") for one in more)])


def _checks(module: object, *names: str) -> list[Callable[..., None]]:
    return [getattr(module, f"check_{name}") for name in names]


def _short(check: Callable[..., None]) -> str:
    return check.__name__.removeprefix("check_")


def _providers(operator: Operator) -> tuple[str, ...]:
    return operator.orders.get("cpu", ("reference",))


def _fits_an_argument(operator: Operator) -> bool:
    return any(twin_of(operator, values) for values in cases(operator, main_dtype(operator)))


OF_DTYPE = [
    *_checks(battery_values, "values", "stale_contents", "layouts", "special_numbers"),
    *_checks(battery_values, "undeclared_writes", "fake", "aliases"),
    *_checks(battery_out, "outputs"),
]


def _of_dtype() -> list[object]:
    found = []
    for operator in OPERATORS:
        chosen = list(OF_DTYPE)
        chosen += _checks(battery_values, "error") if operator.tolerance else []
        chosen += _checks(battery_out, "outputs_in_arguments") if _fits_an_argument(operator) else []
        chosen += _checks(battery_out, "in_place") if operator.has_in_place else []
        for provider in _providers(operator):
            for dtype in operator.dtypes:
                for check in chosen:
                    name = _name(operator, provider, dtype, _short(check))
                    found.append(pytest.param(check, operator, provider, dtype, id=name))
    return found


@pytest.mark.parametrize(("check", "operator", "provider", "dtype"), _of_dtype())
def test_numbers(check: Callable[..., None], operator: Operator, provider: str, dtype: torch.dtype) -> None:
    check(operator, provider, dtype)


def _of_provider() -> list[object]:
    found = []
    for operator in OPERATORS:
        chosen = [
            *_checks(battery_values, "takes_calls"),
            *_checks(battery_out, "wrong_outputs"),
            *_checks(battery_providers, "named_provider", "named_provider_compiled"),
            *_checks(battery_gradients, "no_gradient" if operator.gradient == "none" else "gradients"),
        ]
        for provider in _providers(operator):
            # A kernel that runs on the CPU twin is brought there by the host: it is captured by no device.
            more = [] if provider == "asc" else _checks(battery_capture, "capture")
            for check in chosen + more:
                found.append(pytest.param(check, operator, provider, id=_name(operator, provider, _short(check))))
    return found


@pytest.mark.parametrize(("check", "operator", "provider"), _of_provider())
def test_provider(check: Callable[..., None], operator: Operator, provider: str) -> None:
    check(operator, provider)


def _of_operator() -> list[object]:
    found = []
    for operator in OPERATORS:
        chosen = [
            *_checks(battery_compile, "compiled_outputs", "export", "vmap", "modes", "opcheck"),
            *_checks(battery_capture, "default_capture", "reference_without_numbers"),
        ]
        if operator.gradient != "none":
            chosen += _checks(battery_gradients, "forward_mode")
        if operator.gradient == "exact":
            chosen += _checks(battery_gradients, "formula")
            is_wide = torch.float64 in operator.dtypes
            chosen += _checks(battery_gradients, "differences", "transforms") if is_wide else []
        found += [pytest.param(check, operator, id=_name(operator, _short(check))) for check in chosen]
    return found


@pytest.mark.parametrize(("check", "operator"), _of_operator())
def test_operator(check: Callable[..., None], operator: Operator) -> None:
    check(operator)


def _each(*more: object) -> list[object]:
    if not more:
        return [pytest.param(operator, id=_name(operator)) for operator in OPERATORS]
    return [pytest.param(operator, one, id=_name(operator, one)) for operator in OPERATORS for one in more]


@pytest.mark.parametrize(("operator", "dynamic"), _each(None, True))
def test_compiled(operator: Operator, dynamic: bool | None) -> None:
    battery_compile.check_compiled(operator, dynamic)


@pytest.mark.parametrize("operator", _each())
def test_first_use(operator: Operator, tmp_path: Path) -> None:
    battery_processes.check_first_use(operator, tmp_path)


@pytest.mark.parametrize("operator", _each())
def test_mistakes(operator: Operator, golden: Callable[[str, str], None]) -> None:
    golden(f"mistakes/{operator.name}.txt", battery_mistakes.check_mistakes(operator))


def test_there_are_operators() -> None:
    assert OPERATORS
