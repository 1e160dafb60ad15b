"""Lets the tests of this folder import modules beside them by their names."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.unchecked(reason="kernels run in NumPy; launches are checked by the tests themselves"))
