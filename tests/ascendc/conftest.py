"""What the numeric tests of the rows share: fixtures that note what tests show."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from notes import asserted, compared, counting, ran

__all__ = ["asserted", "compared", "counting", "ran"]


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.unchecked(reason="test_hazard_walk.py checks every form"))
