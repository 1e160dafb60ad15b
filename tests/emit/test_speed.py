"""From syntax tree to text: a kernel of 1,000 statements must take at most 300 ms."""

import ast
import importlib.util
import time
from collections.abc import Callable
from pathlib import Path

from opwright.frontend.compile import compile_function

STATEMENTS = 1000
MOST_MS = 300
MOST_PARSINGS = 22  # what 300 ms are, in times of ast.parse of the same text, on a quiet machine
HEAD = """\
from opwright import asc


@asc.jit
def large(x: asc.GlobalAddress, n: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    b = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 256, 64)
"""
PART = """\
    offset_{0} = n * {0} + 64
    asc.data_copy(a, x_gm[offset_{0}:], 64)
    asc.add(b, a, b, 64)
    asc.data_copy(x_gm[offset_{0}:], b, 64)
"""


def cpu_ms(function: Callable[[], object]) -> float:
    begin = time.process_time()
    function()
    return 1000 * (time.process_time() - begin)


def test_large_kernel(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    """Best of ten. On a machine so busy that even Python's parser is slow, what the parser takes is the measure."""
    path = tmp_path / "large.py"
    path.write_text(HEAD + "".join(PART.format(number) for number in range(STATEMENTS // 4)))
    spec = importlib.util.spec_from_file_location("large", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    kernel = module.large
    bound = kernel.border.bind(("f32[4096]", 3), {}, described=True)
    source, soc = kernel.source, kernel.soc()
    measured = []
    for _ in range(10):
        parsing = cpu_ms(lambda: ast.parse(source.text))
        made = cpu_ms(lambda: compile_function(kernel.function, source, bound.types, bound.constants, soc))
        measured.append((made, max(MOST_MS, MOST_PARSINGS * parsing)))
        if made < measured[-1][1]:
            break
    record_property("ms from syntax tree to text", f"{min(made for made, _ in measured):.0f}")
    assert any(made < most for made, most in measured), measured


def test_it_is_that_large() -> None:
    nodes = ast.walk(ast.parse(HEAD + "".join(PART.format(number) for number in range(STATEMENTS // 4))))
    assert sum(isinstance(node, (ast.Assign, ast.Expr)) for node in nodes) >= STATEMENTS
