"""F-strings print in a kernel what Python prints outside it."""

from __future__ import annotations

import numpy as np
import pytest

from opwright import asc

# The checked twin warns about numbers that wrap: here they are meant.
pytestmark = pytest.mark.filterwarnings("ignore::opwright.errors.CheckWarning")

NAME = "h\u00e9llo 100%"
HALF = 0.5


@asc.jit
def shows(n: int, x: float):
    asc.printf(
        f"{NAME}: {n}|{n:5d}|{n:05d}|{n:+d}|{n * 2 - 1: d}|{x:.3f}|{x:10.2e}|{x:g}|{x:+.1f}|{x: 9.3G}|{x - x:6.1f}|"
        f"{-(x - x):+.1f}|{HALF}|{0.1}|{1e10}|{-0.0}|{HALF:.2f}|{7:x}|{{}}%\n"
    )


@pytest.mark.parametrize("n", [0, 1, -1, 42, -(2**40), 2**62])
@pytest.mark.parametrize("x", [0.0, -0.0, 1.5, -2.25, 1e-3, 123456.0, float("inf"), float("-inf"), float("nan")])
def test_as_python_prints(n: int, x: float, capsys: pytest.CaptureFixture[str]) -> None:
    shows[1](n, x)
    x = float(np.float32(x))
    twice = n * 2 - 1
    expected = (
        f"{NAME}: {n}|{n:5d}|{n:05d}|{n:+d}|{twice: d}|{x:.3f}|{x:10.2e}|{x:g}|{x:+.1f}|{x: 9.3G}|{x - x:6.1f}|"
        f"{-(x - x):+.1f}|{HALF}|{0.1}|{1e10}|{-0.0}|{HALF:.2f}|{7:x}|{{}}%\n"
    )
    assert capsys.readouterr().out == expected
