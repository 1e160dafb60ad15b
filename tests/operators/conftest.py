"""What the tests of operators share: the battery is importable, and the operators are registered before a test."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session", autouse=True)
def registered(cache_dir: Path) -> None:
    """Registers all operators, in the session's own cache."""
    import opwright.ops  # noqa: F401


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.unchecked(reason="its kernels are checked by the operators' own battery"))
