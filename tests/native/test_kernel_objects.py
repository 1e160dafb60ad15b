"""Kernels that are compiled ahead of time: an operator that has nothing else, names of objects, and what is refused."""

import shutil
import subprocess
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from callers import program, view

from opwright import asc, host
from opwright.errors import KernelNotServed, NotSupported
from opwright.host.variants import variants_of
from opwright.native import build, kernels, sources
from opwright.native.build import Library, compile_library
from opwright.native.library import CpuLibrary
from opwright.native.stated import Stated
from opwright.schema import parse
from opwright.store.store import current_store
from opwright.twin.build import INCLUDE
from opwright.twin.machine import level_here
from opwright.twin.toolchain import find_compiler, object_flags

ONE = (host.float32, host.float32)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library whose one operator has a kernel and no C++ of its own."""
    folder = tmp_path_factory.mktemp("operators")
    text = (sources.OPERATORS / "silu_and_mul.py").read_text()
    (folder / "silu_and_mul.py").write_text(text[: text.index("NATIVE = ")])
    for shared in sources.OPERATORS.glob("_*.py"):
        (folder / shared.name).write_bytes(shared.read_bytes())
    made = tmp_path_factory.mktemp("library")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "operator_units", partial(sources.operator_units, folder=folder))
        return compile_library(find_compiler(), "cpu", (), made, current_store())


def test_a_caller_in_c(alone: Path, tmp_path: Path) -> None:
    made = program(tmp_path, "gcc", "silu_and_mul.c", "-std=c99")
    done = subprocess.run([made, str(alone)], capture_output=True, text=True, check=True)
    x = np.array([[1, -2, 3, 4], [0.5, 100, -1, 0.25]])
    exact = x[:, :2] / (1 + np.exp(-x[:, :2])) * x[:, 2:]
    np.testing.assert_allclose(np.array(done.stdout.splitlines()[1].split(), float), exact.ravel(), atol=1e-5)


def test_words_for_other_types(alone: Path) -> None:
    library = CpuLibrary(Library(alone), isa="")
    assert list(library.providers("opwright::silu_and_mul")) == ["kernel"]
    x = np.ones((2, 4))
    with pytest.raises(NotSupported, match="has no variant for float64"):
        library.run("opwright::silu_and_mul", [view(x)], [view(np.ones((2, 2)))])


MANY = """
from opwright import host, tile
from opwright.operators import operator

weighted = operator(
    "weighted(Tensor x, float a) -> Tensor", dtypes=(host.float32,), providers={"cpu": ("kernel", "reference")}
)


@weighted.infer
def infer(x: host.Tensor, a: float) -> host.Tensor:
    return host.dense(x.shape, x.dtype)


@tile.jit
def weigh(x: tile.Tensor, y: tile.Tensor, PARAMETERS, COLS: tile.constexpr = 64):
    for row, cols in tile.parallel(x.shape[0], (x.shape[1], COLS)):
        y[row, cols] = (x[row, cols] * n0 + SUM).to(y.dtype)


weighted.kernel(weigh, [(host.float32, host.float32)], (2, 2))
launch_weigh = host.launch_of(weigh, [(host.float32, host.float32)], (2, 2))


@weighted.launch
def launch(x: host.Tensor, a: float, y: host.Tensor, soc: host.Soc) -> host.Launch:
    return launch_weigh(x, y, NUMBERS, soc)
"""


def test_more_numbers_than_a_plan_has_notes_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind the 8 of two shapes and their strides come 30 others."""
    names = [f"n{i}" for i in range(30)]
    parts = {
        "PARAMETERS": ", ".join(f"{name}: float" for name in names),
        "SUM": " + ".join(f"{name} * {i + 1}.0" for i, name in enumerate(names)),
        "NUMBERS": ", ".join(f"a + {i}.0" for i in range(30)),
    }
    text = MANY
    for word, part in parts.items():
        text = text.replace(word, part)
    folder = tmp_path / "operators"
    folder.mkdir()
    (folder / "weighted.py").write_text(text)
    monkeypatch.setattr(build, "operator_units", partial(sources.operator_units, folder=folder))
    (tmp_path / "library").mkdir()
    made = compile_library(find_compiler(), "cpu", (), tmp_path / "library", current_store())
    library = CpuLibrary(Library(made), isa="")
    x = np.arange(5 * 70, dtype=np.float32).reshape(5, 70)
    y = np.full_like(x, np.nan)
    library.run("opwright::weighted", [view(x), 2.0], [view(y)])
    wanted = x * 2 + sum((2 + i) * (i + 1) for i in range(30))
    np.testing.assert_allclose(y, wanted, rtol=1e-6)


@asc.jit
def plain(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int) -> None:
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)


@asc.jit
def meeting(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int) -> None:
    asc.sync_all()


@asc.jit(kernel_type="cube")
def on_cubes(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int) -> None:
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)


@asc.jit
def other_names(a: asc.GlobalAddress, y: asc.GlobalAddress, n: int) -> None:
    a_gm = asc.GlobalTensor()
    a_gm.set_global_buffer(a, n)


def made_of(kernel: object) -> kernels.BuiltKernel:
    def launch(x: host.Tensor, y: host.Tensor, soc: host.Soc) -> host.Launch:
        return host.Launch("plain_float32_float32", blocks=1, arguments=(x.numel,))

    stated = Stated("served")
    stated.launch(launch)
    (variant,) = variants_of(kernel, [ONE], None, {}).values()  # type: ignore[arg-type]
    return kernels.built(parse("one(Tensor x) -> Tensor"), stated, variant)


@pytest.mark.parametrize(
    ("kernel", "reason"),
    [
        (meeting, "its cores wait for one another in asc.sync_all"),
        (on_cubes, "it runs on cube cores"),
        (other_names, "its tensor a is none of the operator's"),
    ],
    ids=["meeting", "cubes", "names"],
)
def test_kernels_that_are_refused(kernel: object, reason: str) -> None:
    with pytest.raises(KernelNotServed, match=reason):
        made_of(kernel)


def test_names_of_an_object_are_its_own(tmp_path: Path) -> None:
    """The same function of a header, compiled for another instruction set, must not take the place of one."""
    if not shutil.which("nm"):
        pytest.skip("nm is not installed")
    name, text, flags = made_of(plain).unit(level_here())
    (tmp_path / "kernel.cpp").write_text(text)
    compiler = find_compiler()
    command = [compiler, *object_flags(compiler), *flags, f"-I{INCLUDE}", "-O0", "-c", tmp_path / "kernel.cpp"]
    subprocess.run([*command, "-o", tmp_path / "kernel.o"], check=True)
    listed = subprocess.run(["nm", "--defined-only", tmp_path / "kernel.o"], check=True, capture_output=True, text=True)
    symbols = [line.split()[-2:] for line in listed.stdout.splitlines()]
    own = name.removeprefix("kernel_")
    assert ["T", f"opwright_kernel_{own}"] in symbols
    assert [symbol for kind, symbol in symbols if kind in "TWVu" and own not in symbol] == []
