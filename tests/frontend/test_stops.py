"""Where Python would raise, the core stops; where it would not come, nothing happens."""

import math
from pathlib import Path

import pytest
from harness import Program
from reference import Stop

from opwright.errors import TrapError


@pytest.mark.parametrize("expression", ["n // m", "n % m", "1 if n // m > 0 else 2", "n > 0 and n % m == 0"])
def test_division_by_zero_stops_the_core(expression: str, tmp_path: Path) -> None:
    program = Program(tmp_path, f"SHOW({expression})", "n: int, m: int")
    program.agree((5, 2))
    with pytest.raises(ZeroDivisionError):
        program.python(5, 0)
    with pytest.raises(TrapError, match="division by zero") as caught:
        program.twin(5, 0)
    assert caught.value.at is not None
    column = program.text.splitlines()[caught.value.at.line - 1].index(expression)
    assert caught.value.at.column >= column


@pytest.mark.parametrize("expression", ["n / m", "True / m", "(1 if n / m > 0 else 2) / 2", "n / (m > 0)"])
def test_true_division_of_integers_by_zero_stops_the_core(expression: str, tmp_path: Path) -> None:
    program = Program(tmp_path, f"SHOWF({expression})", "n: int, m: int")
    program.agree((5, 2), (-5, 1))
    with pytest.raises(ZeroDivisionError):
        program.python(5, 0)
    with pytest.raises(TrapError, match="division by zero"):
        program.twin(5, 0)


def test_division_with_a_float_is_ieee(tmp_path: Path) -> None:
    program = Program(tmp_path, "SHOWF(n / x)\nSHOWF(x / n)\nSHOWF(x / x)", "n: int, x: float")
    inf = math.inf
    assert program.twin(2, 0.0)[1][:2] == [inf, 0.0]
    assert program.twin(-2, 0.0)[1][:2] == [-inf, -0.0]
    assert program.twin(0, 1.5)[1] == [0.0, inf, 1.0]
    assert math.isnan(program.twin(1, 0.0)[1][2])


def test_int_of_a_float(tmp_path: Path) -> None:
    program = Program(tmp_path, "SHOW(int(x))\nSHOW(int(x) if x > 0 else 7)", "x: float")
    program.agree((0.0,), (-0.99,), (2.5,), (-2.5,), (-(2.0**63),), (2.0**63 - 2.0**39,), (1e-40,))
    for value in (math.nan, math.inf, -math.inf, 2.0**63, -(2.0**63) - 2.0**40, 3e38):
        with pytest.raises(TrapError, match=r"int\(\) of a float that no 64-bit integer can hold"):
            program.twin(value)


def test_int_of_a_float_that_is_not_reached(tmp_path: Path) -> None:
    program = Program(tmp_path, "SHOW(int(x) if n > 0 else 7)\nSHOW(n > 0 and int(x) > 3)", "n: int, x: float")
    program.agree((0, math.nan), (1, 4.5), (1, 2.5))


def test_trap_in_a_branch(tmp_path: Path) -> None:
    program = Program(tmp_path, "if n > 3:\n    asc.trap()\nSHOW(n)", "n: int")
    program.agree((3,))
    for run, error in ((program.python, Stop), (program.twin, TrapError)):
        with pytest.raises(error):
            run(4)


def test_a_condition_is_computed_before_every_turn(tmp_path: Path) -> None:
    """A division in the test must happen as often as Python does it, and where it would raise the core stops."""
    program = Program(tmp_path, "t = 0\nwhile n // m > 2:\n    m -= 1\n    t += 1\nSHOW(t)\nSHOW(m)", "n: int, m: int")
    program.agree((7, 3), (-9, 4), (100, 40))
    with pytest.raises(TrapError, match="division by zero"):
        program.twin(100, 3)


def test_assert_stops_the_core(tmp_path: Path) -> None:
    program = Program(tmp_path, 'assert n > 2, "n is too small"\nassert n < 10\nSHOW(n)', "n: int")
    program.agree((3,), (9,))
    with pytest.raises(TrapError, match="assertion failed: n is too small"):
        program.twin(2)
    with pytest.raises(TrapError, match="assertion failed"):
        program.twin(10)
