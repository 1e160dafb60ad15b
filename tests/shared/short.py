"""The short form of a long test: what CI runs of it, the rest being slow.

In: the cases of a test and how many of them CI runs. Out: arguments for `pytest.mark.parametrize`.
"""

from collections.abc import Iterable

import pytest


def short(cases: Iterable[object], count: int) -> list[object]:
    """All cases; those behind the first `count` are marked slow."""
    return [case if number < count else pytest.param(case, marks=pytest.mark.slow) for number, case in enumerate(cases)]
