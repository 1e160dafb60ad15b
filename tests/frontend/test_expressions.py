"""Expressions mean in a kernel what they mean in Python."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from harness import Program

# The checked twin warns about numbers that wrap: here they are meant.
pytestmark = pytest.mark.filterwarnings("ignore::opwright.errors.CheckWarning")

SIGNS = list(itertools.product((-7, -6, -1, 0, 1, 6, 7), (-3, -1, 1, 2, 3)))


def test_division(tmp_path: Path) -> None:
    body = """
    SHOW(n // m)
    SHOW(n % m)
    SHOW(n // 3)
    SHOW(n % 3)
    SHOW(n // -3)
    SHOW(n % -3)
    SHOW(n // 1)
    SHOW(n % -1)
    SHOW(-7 // m)
    SHOW(7 % m)
    SHOW(n // 4 * 4 + n % 4)
    SHOW((n // m) * m + n % m)
    SHOW(-7 // 2)
    SHOW(-7 % 2)
    SHOW(7 // -2)
    SHOW(asc.get_block_idx() // 3 + asc.get_block_num() % 3)
    SHOWF(n / m)
    SHOWF(n / 4)
    SHOWF(6 / 4)
    """
    program = Program(tmp_path, body, "n: int, m: int")
    program.agree(*SIGNS, (-(1 << 63), -1), ((1 << 63) - 1, -2))


def test_conditions(tmp_path: Path) -> None:
    body = """
    SHOW(0 <= n < 5)
    SHOW(n < m < 3)
    SHOW(n < m > 0 != k)
    SHOW(5 > n > -5 > m)
    SHOW(n != 0 and m // n > 1)
    SHOW(n == 0 or m % n == 1)
    SHOW(n == 0 or m == 0 or k // n // m > 0)
    SHOW(m // n if n != 0 else -1)
    SHOW(-2 if n == 0 else m % n)
    SHOW(1 if n > 0 else 2 if m > 0 else 3)
    SHOW((1 if n > 0 else 2) << 40)
    SHOW((2000000000 if n > 0 else 1) * (2000000000 if m > 0 else 3))
    SHOW(-(2147483647 if n > 0 else 1) - (2147483647 if m > 0 else 3))
    SHOW(not n)
    SHOW(not (n > 0 and m > 0))
    SHOW((n > 0) == (m > 0))
    SHOW((n > 0) + (m > 0) * 2 + (k > 0) * 4)
    SHOW((n > 0) & (m > 0) | (k > 0) ^ True)
    SHOW(True and n > 0)
    SHOW(False or n > 0)
    SHOW(n > 0 and True)
    SHOW(n if n else m)
    SHOW(LIMIT > 5 and n > LIMIT)
    SHOW(1 < 2 < n)
    SHOW(bool(n) + bool(n > 0))
    """
    values = (-2, 0, 1, 3)
    Program(tmp_path, body, "n: int, m: int, k: int").agree(*itertools.product(values, values, values))


def test_numbers(tmp_path: Path) -> None:
    body = """
    SHOW(min(n, m))
    SHOW(max(n, m))
    SHOW(min(n, m, 3))
    SHOW(max(-n, m - 1, n, 0))
    SHOW(abs(n) + abs(m - n))
    SHOW(abs(-9223372036854775807 - 1 + n * 0))
    SHOW(~n)
    SHOW(-n - -m)
    SHOW(+n)
    SHOW(n << 3 >> 1)
    SHOW(n >> 63)
    SHOW(n << 63)
    SHOW((n & 6) | (m ^ 5))
    SHOW(n & -m | 1)
    SHOW(n - m - 3 - (n - m))
    SHOW(n * (m + 2) * 3 - n * m)
    SHOW(n - (m - (n - 1)))
    SHOW(9223372036854775807 + n)
    SHOW(-9223372036854775808 - m)
    SHOW(n * 4611686018427387904)
    SHOW(2 ** 40 + n)
    SHOW(int(True) + n)
    SHOW(int(n > m) * 5)
    SHOW(PAIR[0] * n + PAIR[-1])
    SHOW((n > m) << 4)
    SHOW(-(n > m))
    SHOW(True + True)
    """
    Program(tmp_path, body, "n: int, m: int").agree(*SIGNS, ((1 << 62), -(1 << 62)), (5, 5))


def test_floats(tmp_path: Path) -> None:
    body = """
    SHOWF(n + 0.5)
    SHOWF(x * 0.5 - n)
    SHOWF(-x)
    SHOWF(abs(x))
    SHOWF(min(x, 0.25))
    SHOWF(max(x, n))
    SHOWF(x if n > 0 else n)
    SHOWF(float(n) / 4)
    SHOWF(1 / 3)
    SHOWF(2 ** -1)
    SHOW(n > 0.5)
    SHOW(x > n)
    SHOW(x == 0.5)
    SHOW(int(x))
    SHOW(int(x * 4) // 3)
    SHOW(int(-2.75))
    SHOW(bool(x))
    SHOW(1 if x else 2)
    SHOW(not x)
    SHOW(flag + n)
    SHOW(5 if flag else 6)
    SHOW(flag and x > 0)
    """
    calls = itertools.product((-2, 0, 3), (-1.75, -0.0, 0.5, 2.25), (False, True))
    Program(tmp_path, body, "n: int, x: float, flag: bool").agree(*calls)


def test_abs_of_minus_zero(tmp_path: Path) -> None:
    program = Program(tmp_path, "SHOWF(abs(x))\nSHOWF(min(x, 0.0))\nSHOWF(max(0.0, x))", "x: float")
    assert np.signbit(program.twin(-0.0)[1]).tolist() == np.signbit(program.python(-0.0)[1]).tolist()
