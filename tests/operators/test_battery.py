"""Every operator of the registry, by every provider that it declares for the CPU, through the whole battery.

`-k rms_norm` runs one operator: every identifier begins with its name.
"""

from collections.abc import Callable

import battery_mistakes
import battery_out
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


def _of_provider(checks: list[Callable[..., None]]) -> list[object]:
    return [
        pytest.param(check, operator, provider, id=_name(operator, provider, _short(check)))
        for operator in OPERATORS
        for provider in _providers(operator)
        for check in checks
    ]


OF_PROVIDER = [*_checks(battery_values, "takes_calls"), *_checks(battery_out, "wrong_outputs")]


@pytest.mark.parametrize(("check", "operator", "provider"), _of_provider(OF_PROVIDER))
def test_provider(check: Callable[..., None], operator: Operator, provider: str) -> None:
    check(operator, provider)


@pytest.mark.parametrize("operator", [pytest.param(operator, id=_name(operator)) for operator in OPERATORS])
def test_mistakes(operator: Operator, golden: Callable[[str, str], None]) -> None:
    golden(f"mistakes/{operator.name}.txt", battery_mistakes.check_mistakes(operator))


def test_there_are_operators() -> None:
    assert OPERATORS
