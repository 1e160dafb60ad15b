"""Lets the modules of this folder import each other."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.unchecked(reason="its kernels are wrong on purpose and checked by the tests"))
