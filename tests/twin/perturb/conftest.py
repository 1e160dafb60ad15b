"""Lets the tests of this folder import `perturbing`, and the corpus of races, by their names."""

import sys
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "hazards")]


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.unchecked(reason="perturbs its kernels, which takes the place of a check"))
