"""The pass `hoist`, case by case, and where its lines come from."""

from collections.abc import Callable
from pathlib import Path

import pytest

from opwright import asc
from opwright.frontend.compile import compile_function

pytestmark = pytest.mark.quick


def test_case(case: Path, check: Callable[[Path], None]) -> None:
    check(case)


@asc.jit
def kernel(n: int, m: int):
    for i in range(n):
        size = n * m
        asc.printf("%d\n", size + i)


def test_a_hoisted_line_keeps_its_place() -> None:
    bound = kernel.binder.bind((2, 3), {}, described=True)
    program = compile_function(kernel.request(bound))
    lines = program.text.splitlines()
    (number,) = [number for number, line in enumerate(lines, 1) if line == "    int64_t size = n * m;"]
    assert lines[number].startswith("    for (")
    line = int(program.places[number].at.split(":")[0])
    assert kernel.source.text.splitlines()[line - 1].strip() == "size = n * m"
