"""The pass `share`, case by case, and in the text."""

from collections.abc import Callable
from pathlib import Path

import pytest

from opwright import asc

pytestmark = pytest.mark.quick


def test_case(case: Path, check: Callable[[Path], None]) -> None:
    check(case)


@asc.jit
def kernel(n: int, m: int):
    for i in range(n):
        asc.printf("%d %d\n", i // asc.get_block_num(), i % asc.get_block_num())
    for i in range(n * m + 1):
        size = n * m
        asc.printf("%d %d\n", i + n * m, size)
    for i in range(n * m + 1):
        asc.printf("%d\n", i)


def test_text() -> None:
    """What has a line of its own has one, and the author's name stands for what is computed again."""
    text = kernel.emit(3, 4)
    assert text.count("GetBlockNum()") == 1
    assert text.count("n * m + 1;") == text.count("int64_t size = n * m;") == 1
    assert text.count("n * m") == 2
    assert '("%d %d\\n", i + size, size);' in text
