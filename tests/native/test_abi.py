"""The C ABI of libopwright_cpu: its table, what is refused and in which words, and callers in C and C++."""

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from callers import program, view

from opwright import host
from opwright.errors import BadType, BadValue, OperatorError
from opwright.native import abi, build, sources
from opwright.native.build import compile_library
from opwright.native.entries import KINDS
from opwright.native.library import CpuLibrary, View, opened
from opwright.store.store import Store
from opwright.twin import objects
from opwright.twin.toolchain import find_compiler

HERE = Path(__file__).parent
FLAGS = {"OPTIONAL": 1, "DEFAULT": 2, "KEYWORD_ONLY": 4, "WRITTEN": 8}


@pytest.fixture(scope="module")
def library() -> CpuLibrary:
    found = opened()
    if isinstance(found, str):
        pytest.skip(found)
    return found


def test_one_symbol(library: CpuLibrary) -> None:
    if not shutil.which("nm"):
        pytest.skip("nm is not installed")
    command = ["nm", "-D", "--defined-only", str(library.library.path)]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert [line.split()[-1] for line in listed.splitlines()] == ["opwright_library"]


def test_the_table_says_what_the_schemas_say(library: CpuLibrary) -> None:
    schemas = {schema.qualified: schema for schema in sources.schemas()}
    assert library.schemas == {name: str(schema) for name, schema in sorted(schemas.items())}
    for name, schema in schemas.items():
        entry = library._operators[name]
        assert (entry.argument_count, entry.result_count) == (len(schema.arguments), len(schema.results))
        for i, argument in enumerate(schema.arguments):
            found = entry.arguments[i]
            assert (found.name.decode(), found.kind) == (argument.name, getattr(abi, KINDS[argument.kind]))
            facts = (argument.is_optional, argument.has_default, argument.keyword_only, argument.is_written)
            assert found.flags == sum(bit for bit, is_set in zip(FLAGS.values(), facts, strict=True) if is_set)
            held = found.default_value
            default = {
                abi.NONE: lambda held: None,
                abi.INTEGER: lambda held: held.held.integer,
                abi.BOOL: lambda held: bool(held.held.integer),
                abi.NUMBER: lambda held: held.held.number,
                abi.TEXT: lambda held: held.held.text.decode(),
            }[held.kind](held)
            assert default == (argument.default if argument.has_default else None)


def test_infer(library: CpuLibrary) -> None:
    x = View(0, "float16", (3, 0, 8), (1, 5, 2))
    assert library.infer("opwright::rms_norm", [x, None, 1, None]) == [View(0, "float16", (3, 0, 8), (8, 8, 1))]
    assert library.infer("opwright::silu_and_mul", [x]) == [View(0, "float16", (3, 0, 4), (4, 4, 1))]


X = np.ones((2, 8), np.float32)
WRONG = [
    (
        [X.astype(np.int32), None, 1.0, None],
        X,
        BadType,
        "x cannot be int32; it may be float16, bfloat16, float32, float64",
    ),
    ([X, X, 1.0, None], X, BadValue, "weight must have the shape [8] of a row of x, not [2, 8]"),
    ([X, None, "1", None], X, BadType, "epsilon must be a number, not a text"),
    ([None, None, 1.0, None], X, BadType, "x must be a tensor, not None"),
    ([X, 3, 1.0, None], X, BadType, "weight must be a tensor or None, not an integer"),
    ([X, None, 1.0, None], X[:1], BadValue, "out must have the shape [2, 8], not [1, 8]"),
    ([X, None, 1.0, None], X.astype(np.float16), BadType, "out must be float32, not float16"),
    ([X, None, 1.0], X, RuntimeError, "3 arguments are given, but there are 4"),
]


@pytest.mark.parametrize(("values", "out", "error", "words"), WRONG, ids=range(len(WRONG)))
def test_words(library: CpuLibrary, values: list[object], out: np.ndarray, error: type, words: str) -> None:
    given = [view(value) if isinstance(value, np.ndarray) else value for value in values]
    with pytest.raises(error) as raised:
        library.run("opwright::rms_norm", given, [view(out)])
    assert str(raised.value) == f"rms_norm: {words}"
    if error is not RuntimeError and out is X:
        assert issubclass(error, OperatorError) and library.refusal("opwright::rms_norm", given) == words


@pytest.mark.parametrize("offset", [0, 1, 3])
def test_any_address(library: CpuLibrary, offset: int) -> None:
    """Elements that lie at no multiple of their bytes are copied."""
    memory = np.zeros(4 * 24 + 8, np.uint8)
    x = memory[offset : offset + 96].view(np.float32).reshape(3, 8)
    x[...] = np.arange(24).reshape(3, 8)
    y = np.zeros(104, np.uint8)[offset : offset + 96].view(np.float32).reshape(3, 8)
    library.run("opwright::rms_norm", [view(x), None, 0.5, None], [view(y)])
    exact = x.astype(np.float64)
    np.testing.assert_allclose(y, exact / np.sqrt((exact**2).mean(-1, keepdims=True) + 0.5), rtol=1e-6)


# Programs -----------------------------------------------------------------------------------------------------------


def test_a_caller_in_c(library: CpuLibrary, tmp_path: Path) -> None:
    made = program(tmp_path, "gcc", "silu_and_mul.c", "-std=c99")
    done = subprocess.run([made, str(library.library.path)], capture_output=True, text=True, check=True)
    shape, numbers, refusal = done.stdout.splitlines()
    x = np.array([[1, -2, 3, 4], [0.5, 100, -1, 0.25]])
    exact = x[:, :2] / (1 + np.exp(-x[:, :2])) * x[:, 2:]
    assert shape == "2 2 2"
    np.testing.assert_allclose(np.array(numbers.split(), float), exact.ravel(), atol=1e-5)
    assert refusal == "input must have rows of even length, gate and up, not of 3"
    assert len((HERE / "silu_and_mul.c").read_text().splitlines()) <= 60


def accepted(done: subprocess.CompletedProcess[str], library: CpuLibrary) -> None:
    """Every operator has accepted some calls, and refused others."""
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [line.replace(",", ":").split(": ") for line in done.stdout.splitlines()]
    assert [name for name, *_ in lines] == sorted(library.schemas)
    assert all(int(count.split()[0]) > 0 for _, *counts in lines for count in counts)


def known_calls(path: Path) -> Path:
    """A file of legal calls, those that operators are tested with: see conformance.cpp."""
    pytest.importorskip("torch", reason="legal calls are the cases of operators")
    import opwright.ops  # noqa: F401
    from opwright.operators._infer import facts_of
    from opwright.operators._operator import OWN, cases_of, operators

    def word(value: object) -> str:
        if isinstance(value, host.Tensor):
            return f"{value.dtype.code}:{value.dtype.bits}:{','.join(map(str, value.shape))}"
        if isinstance(value, host.Dtype):
            return f"{value.code}:{value.bits}"
        if isinstance(value, tuple):
            return ",".join(map(str, value)) or ","
        return "-" if value is None else str(int(value)) if isinstance(value, bool) else str(value)

    lines = []
    for one in operators().values():
        for dtype in one.dtypes if one.schema.space == OWN else ():
            for case in cases_of(one, dtype):
                values = one.schema.complete(case.args, case.kwargs)
                if not case.large:
                    words = map(word, map(facts_of, one.schema.arguments, values))
                    lines.append(" ".join([one.schema.qualified, *words]))
    path.write_text("\n".join(lines))
    return path


def test_conformance(library: CpuLibrary, tmp_path: Path) -> None:
    made = program(tmp_path, "g++", "conformance.cpp", "-std=c++17", "-Wextra")
    command = [made, str(library.library.path), "20000", known_calls(tmp_path / "calls.txt")]
    accepted(subprocess.run(command, capture_output=True, text=True, timeout=300, check=False), library)


@pytest.mark.slow
def test_conformance_with_sanitizers(library: CpuLibrary, tmp_path: Path) -> None:
    """The library and the program with ASan and UBSan: 100,000 calls of all operators, and no finding."""
    checks = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-O1", "-g")
    made = program(tmp_path, "g++", "conformance.cpp", "-std=c++17", *checks)
    (tmp_path / "library").mkdir()
    checked = compile_library(find_compiler(), "cpu", (*checks, "-lasan", "-lubsan"), tmp_path / "library")
    command = [made, checked, "100000", known_calls(tmp_path / "calls.txt")]
    accepted(subprocess.run(command, capture_output=True, text=True, timeout=900, check=False), library)


# How it is built ------------------------------------------------------------------------------------------------------


# A compiler that notes what it makes, the last word of a command. It finds the headers that a file names itself.
COMPILER = """#!/bin/sh
for word; do
    [ "$before" = -MF ] && rule=$word
    [ "$before" = -c ] && file=$word
    before=$word
done
echo "$word" >> {log}
echo made > "$word"
[ -z "$file" ] || {{
    printf 'x.o: {include}/opwright/abi.h'
    sed -n 's|^#include "\\(opwright/.*\\)"| {include}/\\1|p' "$file" | tr -d '\\n'
}} > "$rule"
"""


def test_one_changed_operator_recompiles_one_object(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler, log = tmp_path / "c++", tmp_path / "log"
    compiler.write_text(COMPILER.format(log=log, include=sources.INCLUDE))
    compiler.chmod(0o755)
    store, units = Store(tmp_path / "store"), sources.operator_units((2,))
    monkeypatch.setattr(build, "object_flags", lambda compiler: [])
    made = []
    for k, (change, header) in enumerate((("", ""), ("", ""), ("// another line\n", ""), ("", "floats.h"))):
        changed = [replace(one, text=one.text + change) if one.name == "operator_rms_norm" else one for one in units]
        monkeypatch.setattr(build, "operator_units", lambda levels, changed=changed: changed)
        monkeypatch.setattr(objects, "_digest", lambda path, header=header: str(path.name == header))
        log.write_text("")
        (tmp_path / str(k)).mkdir()
        compile_library(str(compiler), "cpu", (), tmp_path / str(k), store)
        made.append(sorted(Path(line).name for line in log.read_text().splitlines()))
    assert len(made[0]) == len(units) + len(sources.cpu_files()) + 2
    assert made[1] == ["libopwright_cpu.so"]
    assert made[2] == ["libopwright_cpu.so", "operator_rms_norm.o"]
    own = [f"{unit.name}.o" for unit in units if '#include "opwright/floats.h"' in unit.text]
    assert "operator_rms_norm.o" in own
    assert made[3] == sorted(["libopwright_cpu.so", "float_conversions.o", "floats.o", *own])


def test_a_library_that_is_there_needs_no_compiler(library: CpuLibrary) -> None:
    code = """
import sys
from opwright.native.library import opened
opened()
print([name for name in ("xdsl", "torch", "opwright.host", "opwright.native.entries") if name in sys.modules])
"""
    for _ in range(2):  # the first one may have to compile it, if no other test has
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")
