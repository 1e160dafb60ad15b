"""Passes change no result: random programs with all passes, and with each left out, do what CPython does.

The programs and their reference are those of `tests/frontend`.
"""

import linecache
import sys
import textwrap
from pathlib import Path

import pytest
from short import short

from opwright import asc, passes
from opwright.settings import settings

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "frontend"))

from harness import Program  # noqa: E402
from random_kernels import failures, programs, report  # noqa: E402

# The checked twin warns about numbers that wrap: here they are meant.
pytestmark = pytest.mark.filterwarnings("ignore::opwright.errors.CheckWarning")

VARIANTS = ["", *passes.names(), ",".join(passes.names())]


@pytest.mark.parametrize("without", VARIANTS[1:], ids=lambda names: f"without {names}")
@pytest.mark.parametrize("seed", short(range(100, 105), 1))
def test_random_programs(seed: int, without: str, tmp_path: Path) -> None:
    """With all passes they run in tests/frontend."""
    texts, _ = programs(seed, 40)
    with settings.scope(without=without):
        wrong = failures(tmp_path, texts)
        assert not wrong, report(tmp_path, min(wrong), texts[min(wrong)])


WRITTEN = """
total = 0
for i in range(n):
    size = n * m
    for j in range(i):
        size += j
    total += size
SHOW(total)
for i in range(n):
    size = m * 3
    total += size + i * 0 + i * 1
    while size > 2 * abs(n) and size > m:
        size -= abs(n) * 5 + 1
SHOW(total)
for i in range(5, n - 2):
    if i % 3 == 1 and m * n > 7:
        total += n * 2
        continue
    if i * m > 40:
        break
    total = total + 3 + 4 + n // 4
SHOW(total)
step = n
for i in range(m):
    before = step * m
    step += 1
    total += before + step * 2
SHOW(total)
for i in range(asc.get_block_idx(), n, 2):
    total += (i + 8) // 4 + i // 4 + i % 4
SHOW(total)
for i in range(-5, n):
    total += i // 4 * 10 + i % 4 + n // 4 + m % 4
for i in range(n, -n, -3):
    total += i // 4 * 10 + i % 4
SHOW(total)
"""


def test_written_program(tmp_path: Path) -> None:
    program = Program(tmp_path, WRITTEN, "n: int, m: int")
    for without in VARIANTS:
        with settings.scope(without=without):
            program.agree((0, 0), (1, 3), (4, 2), (9, 7), (12, -3))


def test_floats_keep_their_bits(tmp_path: Path) -> None:
    body = "SHOWF(x * 1.0)\nSHOWF(x + 0.0)\nSHOWF(1.0 * x - 0.0)\nSHOWF(x / 1.0)\nSHOWF(x - x)\nSHOWF(0.0 * x)"
    program = Program(tmp_path, body, "x: float")
    for value in (-0.0, 0.0, 1e-45, -2.5, float("inf"), float("nan")):
        texts = []
        for without in VARIANTS:
            with settings.scope(without=without):
                texts.append([number.hex() for number in program.twin(value)[1]])
        assert texts == [texts[0]] * len(texts)


def test_every_pass_has_its_folder() -> None:
    folders = {path.parent.name for path in HERE.glob("*/before")}
    assert folders == set(passes.names())
    for folder in folders:
        cases = [path.stem for path in (HERE / folder / "before").glob("*.mlir")]
        kept = [case for case in cases if case.startswith("keeps_")]
        assert len(cases) - len(kept) >= 8 and kept, f"{folder} needs 8 cases that change, and one named keeps_"
        assert {path.stem for path in (HERE / folder / "golden").glob("*.mlir")} == set(cases)


def test_long_kernels_need_neither_stack_nor_patience() -> None:
    """Chains of values over thousands of lines: no pass may follow one by recursion, or twice at each link."""
    lines = ["a, b = asc.get_block_idx(), asc.get_block_num()", "for i in range(n):", "    c, d = m, m"]
    lines += ["    a2 = c * d"] * 2 + ["    c = max(c, d) * 3", "    d = max(d, c)"] * 600
    lines += ["    asc.printf('%d', c // 4 + d)"]
    path = HERE / "long_kernel"
    source = "@asc.jit\ndef long(n: int, m: int):\n" + textwrap.indent("\n".join(lines), "    ") + "\n"
    linecache.cache[str(path)] = (len(source), None, source.splitlines(keepends=True), str(path))
    scope: dict[str, object] = {"asc": asc}
    exec(compile(source, str(path), "exec"), scope)
    text = scope["long"].emit(1, 2)
    before_the_loop = text[: text.index("for (")]
    assert before_the_loop.count("* 3") == 600
