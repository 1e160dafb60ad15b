"""Tests of emitted texts: they are left out where every launch is a checked one."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.unchecked(reason="is about texts: launches nothing, or what other tests check"))
