"""Passes change no result: random kernels with all passes, and with each left out, do what CPython does.

The generators are those of `tests/frontend/test_meaning.py`; some reads are of arguments that no statement sets, so
that loops have something to hoist.
"""

import importlib.util
import linecache
import random
import re
import textwrap
from pathlib import Path

import pytest

from opwright import asc, passes
from opwright.frontend.compile import Program, compile_function
from opwright.settings import settings

HERE = Path(__file__).parent
SPEC = importlib.util.spec_from_file_location("meaning", HERE.parent / "frontend" / "test_meaning.py")
assert SPEC and SPEC.loader
MEANING = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(MEANING)

VARIANTS = ["", *passes.names(), ",".join(passes.names())]
ARGUMENTS = [(0, 1, 2, 0), (5, -3, 7, 0), (-11, 123456789, -2, 0), (1 << 40, 3, (1 << 63) - 1, 0)]


def some_settled(line: str, chance: random.Random) -> str:
    """A line in which some reads of n, m and k are reads of what they were at first."""
    begin = max((match.end() for match in re.finditer(r"^\s*(for \w+ in |[^()]*?[^=<>!]= )", line)), default=0)
    reads = re.sub(r"\b[nmk]\b", lambda read: read[0] + "0" if chance.random() < 0.4 else read[0], line[begin:])
    return line[:begin] + reads


def blocks(seed: int) -> list[str]:
    generator, chance, made = MEANING.Statements(900 + seed), random.Random(seed), []
    while len(made) < 4:
        lines = [some_settled(line, chance) for line in generator.block(3, "")]
        block = "\n".join(["n, m, k = n0, m0, k0", *lines, "SHOW(n)", "SHOW(m)", "SHOW(k)"])
        if MEANING._folds(block):
            made.append(block)
    return made


def operations(program: object) -> dict[str, int]:
    """How many operations a kernel has as it is lowered, and after each pass."""
    kernel = program.module.kernel
    bound = kernel.border.bind(("i64[64]", "f32[64]", *ARGUMENTS[0]), {}, described=True)
    counts: dict[str, int] = {}

    def watch(stage: str, ir: object) -> None:
        counts[stage] = len(list(ir.walk()))

    made = compile_function(kernel.function, kernel.source, bound.types, bound.constants, kernel.soc(), watch=watch)
    assert isinstance(made, Program)
    return counts


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 8))])
def test_random_programs(seed: int, tmp_path: Path) -> None:
    made = blocks(seed)
    program = MEANING.Program(tmp_path, "\n".join(made), "n0: int, m0: int, k0: int, zero: int")
    counts = operations(program)
    assert list(counts) == ["ir", "simplify", "fold", "hoist"]
    assert counts["fold"] < counts["ir"]
    texts = set()
    for without in VARIANTS:
        with settings.scope(without=without):
            texts.add(program.module.kernel.emit("i64[64]", "f32[64]", *ARGUMENTS[0]))
            for arguments in ARGUMENTS:
                got, expected = program.twin(*arguments)[0], program.python(*arguments)[0]
                wrong = [made[i // 3] for i, pair in enumerate(zip(got, expected, strict=True)) if pair[0] != pair[1]]
                assert not wrong, f"without {without or 'nothing'}: {arguments}\n{wrong[0]}"
    assert len(texts) >= 4, "two passes had nothing to do"


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 5))])
def test_random_expressions(seed: int, tmp_path: Path) -> None:
    generator = MEANING.Generator(500 + seed)
    expressions: list[str] = []
    while len(expressions) < 30:
        expression = generator.number(3)
        if re.search(r"[nmk]", expression) and MEANING._folds(expression):
            expressions.append(expression)
    program = MEANING.Program(tmp_path, "\n".join(f"SHOW({e})" for e in expressions), "n: int, m: int, k: int")
    for without in VARIANTS:
        with settings.scope(without=without):
            for arguments in MEANING.ARGUMENTS:
                got, expected = program.twin(*arguments)[0], program.python(*arguments)[0]
                wrong = [(e, g, x) for e, g, x in zip(expressions, got, expected, strict=True) if g != x]
                assert not wrong, (without, arguments, wrong)


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
    program = MEANING.Program(tmp_path, WRITTEN, "n: int, m: int")
    for without in VARIANTS:
        with settings.scope(without=without):
            program.agree((0, 0), (1, 3), (4, 2), (9, 7), (12, -3))


def test_floats_keep_their_bits(tmp_path: Path) -> None:
    body = "SHOWF(x * 1.0)\nSHOWF(x + 0.0)\nSHOWF(1.0 * x - 0.0)\nSHOWF(x / 1.0)\nSHOWF(x - x)\nSHOWF(0.0 * x)"
    program = MEANING.Program(tmp_path, body, "x: float")
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
        assert len(cases) - len(kept) >= 8 and kept
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
