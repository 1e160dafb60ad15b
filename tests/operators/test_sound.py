"""The battery passes what is sound, of all kinds: gradients, results, arguments by name."""

from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
from battery import Operator  # noqa: E402
from battery_mistakes import check_mistakes  # noqa: E402
from battery_plan import Check, each, of_dtype, of_operator, of_provider  # noqa: E402
from battery_processes import check_first_use  # noqa: E402
from sound import SOUND as RETURNING  # noqa: E402
from writing import WRITING  # noqa: E402

SOUND = [*RETURNING, *(one for one in WRITING if one.is_writing)]


@pytest.fixture(scope="module", autouse=True)
def in_torch() -> None:
    """Registers them."""
    import opwright.ops

    for operator in SOUND:
        opwright.ops.register(operator)


@pytest.mark.parametrize(("check", "operator", "provider", "dtype"), of_dtype(SOUND))
def test_numbers(check: Check, operator: Operator, provider: str, dtype: torch.dtype) -> None:
    check(operator, provider, dtype)


@pytest.mark.parametrize(("check", "operator", "provider"), of_provider(SOUND))
def test_provider(check: Check, operator: Operator, provider: str) -> None:
    check(operator, provider)


@pytest.mark.parametrize(("check", "operator"), of_operator(SOUND))
def test_operator(check: Check, operator: Operator) -> None:
    check(operator)


@pytest.mark.parametrize("operator", each(SOUND))
def test_mistakes(operator: Operator) -> None:
    assert operator.name in check_mistakes(operator)


def test_first_use(tmp_path: Path) -> None:
    check_first_use(RETURNING, tmp_path, module="sound")
