"""The pass `simplify`, case by case."""

from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.quick


def test_case(case: Path, check: Callable[[Path], None]) -> None:
    check(case)
