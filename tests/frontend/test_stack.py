"""The stack of a core (E1): arrays are counted over the calls, and more than 32 KB are refused before any run."""

import pytest

from opwright import asc
from opwright.errors import StackFull

pytestmark = pytest.mark.quick


@asc.jit
def lowest(n: int):
    a = asc.array(asc.int64, 1024)
    return a[n]


@asc.jit
def middle(n: int):
    a = asc.array(asc.int64, 1024)
    return a[n] + lowest(n)


@asc.jit
def three(n: int):
    a = asc.array(asc.int64, 1024)
    return a[n] + middle(n) + lowest(n) + middle(n + 1)


@asc.jit
def fits(n: int):
    """32 KB: its own and the deepest of its calls, not all of them."""
    a = asc.array(asc.int64, 1024)
    asc.printf("%d", a[n] + three(n) + middle(n) + lowest(n))


@asc.jit
def too_deep(n: int):
    a = asc.array(asc.int64, 1024)
    b = asc.array(asc.int8, 1)
    asc.printf("%d", a[n] + b[0])
    asc.printf("%d", three(n))


@asc.jit
def too_many():
    a = asc.array(asc.int64, 1024)
    b = asc.array(asc.int64, 1024)
    c = asc.array(asc.int64, 1024)
    d = asc.array(asc.int64, 1024)
    e = asc.array(asc.int8, 1)
    asc.printf("%d", a[0] + b[0] + c[0] + d[0] + e[0])


def test_32_kb() -> None:
    assert "three(" in fits.emit(1)


def test_helpers_within_helpers() -> None:
    with pytest.raises(StackFull, match="arrays take 32769 bytes") as caught:
        too_deep.emit(1)
    first = too_deep.source.first_line
    assert caught.value.at.line == first + 5
    assert f"8193 bytes are arrays of too_deep, lines {first + 2}, {first + 3}, and 24576 of functions" in str(
        caught.value
    )


def test_many_arrays() -> None:
    with pytest.raises(StackFull, match="arrays take 32769 bytes") as caught:
        too_many.emit()
    assert caught.value.at.line == too_many.source.first_line + 6
