"""What tests of threads share with those of the rows: fixtures that note what tests show."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "ascendc"))
sys.path.insert(0, str(Path(__file__).parent))
from notes import asserted, compared, counting, ran

__all__ = ["asserted", "compared", "counting", "ran"]


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.unchecked(reason="its oracle checks threads"))
