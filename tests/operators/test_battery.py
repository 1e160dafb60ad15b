"""Every operator of the registry, by every provider that it declares for the CPU, through the whole battery.

`-k rms_norm` runs one operator: every identifier begins with its name. Fresh processes are shared by the operators
of one order of providers.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
from battery import Operator, own_operators  # noqa: E402
from battery_mistakes import check_mistakes  # noqa: E402
from battery_plan import Check, by_order, each, of_dtype, of_operator, of_provider  # noqa: E402
from battery_processes import check_first_use  # noqa: E402

OPERATORS = own_operators()


@pytest.mark.parametrize(("check", "operator", "provider", "dtype"), of_dtype(OPERATORS))
def test_numbers(check: Check, operator: Operator, provider: str, dtype: torch.dtype) -> None:
    check(operator, provider, dtype)


@pytest.mark.parametrize(("check", "operator", "provider"), of_provider(OPERATORS))
def test_provider(check: Check, operator: Operator, provider: str) -> None:
    check(operator, provider)


@pytest.mark.parametrize(("check", "operator"), of_operator(OPERATORS))
def test_operator(check: Check, operator: Operator) -> None:
    check(operator)


@pytest.mark.parametrize("operators", by_order(OPERATORS))
def test_first_use(operators: list[Operator], tmp_path: Path) -> None:
    check_first_use(operators, tmp_path)


@pytest.mark.parametrize("operator", each(OPERATORS))
def test_mistakes(operator: Operator, golden: Callable[[str, str], None]) -> None:
    golden(f"mistakes/{operator.name}.txt", check_mistakes(operator))


def test_there_are_operators() -> None:
    assert OPERATORS
