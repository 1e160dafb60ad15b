"""Kernels printed as Python: read back they have the same text, and a few are files to read."""

import ast
import importlib.util
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from round_trip import print_kernel, read_back, text_after

from opwright import asc
from opwright.ascendc.socs import SOCS
from opwright.emit.python.module import printed
from opwright.emit.python.wrap import WIDTH, wrapped
from opwright.ir import ModuleOp
from opwright.kernel.options import Options
from opwright.kernel.program import Request

HERE = Path(__file__).parent
SPEC = importlib.util.spec_from_file_location("kernels_of_the_printed_texts", HERE / "kernels.py")
assert SPEC and SPEC.loader
KERNELS = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(KERNELS)
CASES = KERNELS.CASES
SHOWN = ("arithmetic", "functions_f16", "loops", "queues_f16", "starts_threads_f32", "vector_calls_f16")
SCALE = 0.5


def request_of(name: str) -> Request:
    kernel, arguments, soc = CASES[name]
    return kernel.request(kernel.binder.bind(arguments, {}, described=True), soc)


@pytest.mark.parametrize("name", CASES)
def test_read_back_it_has_the_same_text(name: str, tmp_path: Path) -> None:
    request = request_of(name)
    python, text = print_kernel(request)
    assert text_after(tmp_path, request, python.text) == text, python.text


@pytest.mark.quick
@pytest.mark.parametrize("name", SHOWN)
def test_printed(name: str, golden: Callable[[str, str], None]) -> None:
    golden(f"{name}.py.txt", print_kernel(request_of(name))[0].text)


def test_printing_twice_changes_nothing(tmp_path: Path) -> None:
    for name in SHOWN:
        request = request_of(name)
        python, _ = print_kernel(request)
        kernel = read_back(tmp_path, request.function.__name__, python.text)
        again = Request(kernel.function, kernel.source, request.types, {}, request.soc, kernel.options)
        assert print_kernel(again)[0].text == python.text


@asc.jit(kernel_type="vector", outputs=("y",))
def one_line_each(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 0, 64)
    asc.data_copy(a, x_gm, 64)
    asc.muls(a, a, SCALE, 64)


def test_every_line_leads_to_its_operation() -> None:
    request = one_line_each.request(one_line_each.binder.bind(("f32[64]", "f32[64]", 64), {}, described=True))
    python, _ = print_kernel(request)
    lines = python.text.splitlines()
    assert lines[:6] == [
        "from opwright import asc",
        "",
        "",
        '@asc.jit(kernel_type="vector", outputs=("y",))',
        "def one_line_each(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int):",
        "    x_gm = asc.GlobalTensor()",
    ]
    first = 3  # of the statements, counted from the decorator
    assert [python.places[6 + number].split(":")[0] for number in range(5)] == [str(first + n) for n in range(5)]
    assert lines[-1] == "    asc.muls(a, a, 0.5, 64)"


def test_strided_parameters() -> None:
    found = []

    def watch(stage: str, module: ModuleOp) -> None:
        if stage == "ir":
            found.append(printed(module, SOCS["ascend910b"], Options(), strided=("y",)).text)

    one_line_each.program(one_line_each.binder.bind(("f32[64]", "f32[64]", 64), {}, described=True), None, watch)
    assert "(x: asc.GlobalAddress, y: asc.StridedAddress, n: int)" in found[0]


LONG = [
    "    result = first(" + ", ".join(f"argument_number_{number}" for number in range(4)) + ") + second(a, b)",
    "def function(" + ", ".join(f"parameter_number_{number}: asc.GlobalAddress" for number in range(4)) + "):",
    "    asc.printf('( [ \\' %d, %d\\n', " + ", ".join(f"argument_number_{number}[i, j]" for number in range(4)) + ")",
    f"    x = values[{'i + ' * 30}first(a, b, c)]",
    f"    x = f({'i + ' * 30}(a, b)[0])",
    f"    x = (f({'a, ' * 30}),)",
    f"    asc.printf({'x' * WIDTH!r})",
    f"    x = f({'a, ' * 20}) + g({'b, ' * 20}) + h({'c, ' * 20})",
    f"    x = {'y + ' * 30}f(a, b, c)",
]


@pytest.mark.quick
@pytest.mark.parametrize("line", LONG)
def test_broken_lines_mean_the_same(line: str) -> None:
    lines = wrapped(line)
    body = "\n    pass" if line.endswith(":") else ""
    assert ast.dump(ast.parse(textwrap.dedent("\n".join(lines)) + body)) == ast.dump(ast.parse(line.strip() + body))
    assert len(lines) > 1 or line is LONG[-1]
    assert all(len(part) <= WIDTH or wrapped(part) == [part] for part in lines)


@asc.jit
def wraps(n: int):
    small: asc.int8 = n
    for _ in range(n):
        small += 1
    asc.printf("%d\n", small)


@asc.jit
def divides(n: int, m: int):
    first = second = n * m
    for i in range(n):
        first += i
    asc.printf("%f %d %d\n", 2 / n, first, second)


@asc.jit
def swaps(n: int, m: int):
    for _ in range(n):
        n, m = m, n
    a = b = n
    while a > b // m and m > 0:
        a, b = b - 1, a
    asc.printf("%d %d\n", a, b)


@asc.jit
def fills(n: int):
    counts = asc.array(asc.float16, [n, 2, n * 0.5])
    counts[n] += 1
    counts[0] = max(n, 3, n * 2)
    asc.printf("%f\n", counts[1] if n > 3 else 1 / n)


@asc.jit
def looks(n: int):
    counts = asc.array(asc.int8, 3)
    small: asc.int8 = counts[n]  # nothing needs it, but an index outside stops the core
    small = n + 1
    asc.printf("%d\n", small)


class Pair:
    def __init__(self, first, second):
        self.first = first
        self.second = second

    def swap(self):
        self.first, self.second = self.second, self.first

    def grow(self):
        self.first += 1
        return self.first


@asc.jit
def reads_before_it_grows(n: int):
    pair = Pair(n, n)
    counts = asc.array(asc.int64, 3)
    counts[pair.first % 3] += pair.grow()
    asc.printf("%d %d\n", pair.first + 1, max(pair.grow(), pair.first // 2))


def test_what_is_read_before_a_call_stays_before_it() -> None:
    kernel = reads_before_it_grows
    text = print_kernel(kernel.request(kernel.binder.bind((5,), {}, described=True)))[0].text
    assert text.splitlines()[-6:] == [
        "    value = pair.first",
        "    value_1 = counts[value % 3]",
        "    counts[value % 3] = value_1 + pair.grow()",
        "    value_2 = pair.first",
        "    value_3 = pair.grow()",
        '    asc.printf("%d %d\\n", value_2 + 1, max(value_3, pair.first // 2))',
    ]


@asc.jit
def counts_on(pair: Pair):
    pair.second += 1


@asc.jit
def makes_objects(n: int):
    pair = Pair(n, 0)
    counts_on(pair)
    asc.printf("%d %d\n", pair.second, pair.first)


@pytest.mark.parametrize(
    "kernel", [wraps, divides, swaps, fills, looks, makes_objects], ids=lambda kernel: kernel.__name__
)
def test_what_is_easily_lost(kernel: asc.jit, tmp_path: Path) -> None:
    """Widths of variables, tests that Python implies, values that a name still stands for, assignments of several."""
    count = len(kernel.binder.parameters)
    request = kernel.request(kernel.binder.bind((5, 3)[:count], {}, described=True))
    python, text = print_kernel(request)
    assert text_after(tmp_path, request, python.text) == text, python.text
