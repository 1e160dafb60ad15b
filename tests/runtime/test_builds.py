"""Builds of the twin by another compiler and for another instruction set: the same bits from every call that computes.

The kernels are written from the table, so that a row added to it is tested here too.
"""

import importlib.util
import platform
import shutil
from collections.abc import Callable
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.row import Each, Form
from opwright.ascendc.table import ROWS
from opwright.runtime.jit import JitFunction
from opwright.settings import settings

SOC = "ascend950"  # takes the most element types
COUNT = 1024
SCALARS = {"float": -0.7109375, "int": -3, "uint": 5}  # exact in every type that they are used with

# What each row means, from its page and not from the twin.
REFERENCES: dict[str, Callable[..., np.ndarray]] = {
    "add": lambda a, b, s: a + b,
    "adds": lambda a, b, s: a + s,
    "duplicate": lambda a, b, s: np.full_like(a, s),
}


def computing() -> list[tuple[str, Form]]:
    """The forms that compute element by element."""
    return [(row.name, form) for row in ROWS.values() for form in row.forms if isinstance(form.meaning, Each)]


def legal(dtype: str) -> list[tuple[str, Form]]:
    """Those that take an element type."""
    return [(name, form) for name, form in computing() if dtype in ROWS[name].dtypes["T"].by_soc[SOC]]


def kernel_text(dtype: str) -> str:
    """A kernel that makes every legal call on x and y, one result after the other in z."""
    scalar = "float" if DTYPES[dtype].is_float() else "int"
    lines = [
        "from opwright import asc",
        f'@asc.jit(soc="{SOC}")',
        f"def calls(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, s: {scalar}, n: int):",
    ]
    for name in "xyz":
        lines += [f"    {name}_gm = asc.GlobalTensor()", f"    {name}_gm.set_global_buffer({name})"]
    size = COUNT * DTYPES[dtype].bytes
    for place, name in enumerate("xyz"):
        lines.append(f"    {name}_local = asc.LocalTensor(asc.{dtype}, asc.TPosition.VECCALC, {place * size}, {COUNT})")
    lines += ["    asc.data_copy(x_local, x_gm, n)", "    asc.data_copy(y_local, y_gm, n)"]
    for number, (name, form) in enumerate(legal(dtype)):
        sources = iter(("x_local", "y_local"))
        words = []
        for parameter in form.parameters:
            if parameter.name in form.written:
                words.append("z_local")
            elif parameter.is_tensor:
                words.append(next(sources))
            else:
                words.append("s" if parameter.kind == "number" else "n")
        lines += [
            f"    asc.{name}({', '.join(words)})",
            f"    asc.data_copy(z_gm[{number} * n:], z_local, n)",
        ]
    return "\n".join(lines) + "\n"


def numpy_type(dtype: str) -> np.dtype:
    return np.dtype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)


def patterns(dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """Random bits without NaN; for floats every pair of special values too."""
    kind = numpy_type(dtype)
    whole = np.dtype(f"u{kind.itemsize}")
    random = np.random.default_rng(11)
    x, y = (random.integers(0, 1 << (8 * kind.itemsize), COUNT, np.uint64).astype(whole) for _ in range(2))
    if DTYPES[dtype].is_float():
        for values in (x, y):
            with np.errstate(invalid="ignore"):
                values[values.view(kind) != values.view(kind)] = 0
        info = ml_dtypes.finfo(kind)
        tops = [0, 1, info.smallest_normal, info.max, np.inf, 1, 1 + info.eps]
        specials = np.array([float(top) for top in tops], np.float64).astype(kind).view(whole)
        specials[1] = 1  # the smallest denormal
        specials = np.concatenate([specials, [specials[2] - 1]]).astype(whole)
        specials = np.concatenate([specials, specials | whole.type(1 << (8 * kind.itemsize - 1))])
        pairs = np.array(np.meshgrid(specials, specials), whole).reshape(2, -1)
        x[: pairs.shape[1]], y[: pairs.shape[1]] = pairs
    return x.view(kind), y.view(kind)


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, JitFunction]:
    folder = tmp_path_factory.mktemp("builds")
    made = {}
    for dtype in DTYPES:
        path = folder / f"{dtype}.py"
        path.write_text(kernel_text(dtype))
        spec = importlib.util.spec_from_file_location(dtype, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        made[dtype] = module.calls
    return made


def run(kernel: JitFunction, dtype: str) -> np.ndarray:
    """The results as bits, one row per call; every NaN counts as the same."""
    x, y = patterns(dtype)
    results = len(legal(dtype))
    z = np.frombuffer(bytearray(b"\xa5" * (results * COUNT * x.dtype.itemsize)), x.dtype)
    kernel[1](x, y, z, SCALARS[DTYPES[dtype].kind], COUNT)
    return canonical(z).reshape(results, COUNT)


def canonical(values: np.ndarray) -> np.ndarray:
    bits = values.view(f"u{values.dtype.itemsize}").copy()
    bits[values != values] = ~bits.dtype.type(0)
    return bits


def test_every_call_has_a_reference_here() -> None:
    assert {name for name, _ in computing()} == REFERENCES.keys()
    assert {dtype for dtype in DTYPES if legal(dtype)} == set(DTYPES)


@pytest.mark.parametrize("dtype", DTYPES)
def test_builds_agree(dtype: str, kernels: dict[str, JitFunction]) -> None:
    kernel = kernels[dtype]
    x, y = patterns(dtype)
    scalar = x.dtype.type(SCALARS[DTYPES[dtype].kind])
    with np.errstate(all="ignore"):
        expected = [canonical(REFERENCES[name](x, y, scalar).astype(x.dtype)) for name, _ in legal(dtype)]
    with settings.scope(compiler="g++", cpu="native"):
        native = run(kernel, dtype)
    np.testing.assert_array_equal(native, expected)
    if platform.machine() != "x86_64":
        pytest.skip("x86-64-v2 is an instruction set of x86-64 only")
    with settings.scope(compiler="g++", cpu="x86-64-v2"):
        np.testing.assert_array_equal(run(kernel, dtype), native)


@pytest.mark.parametrize("dtype", DTYPES)
def test_compilers_agree(dtype: str, kernels: dict[str, JitFunction]) -> None:
    if shutil.which("clang++") is None:
        pytest.skip("clang++ is not installed")
    with settings.scope(compiler="g++", cpu="native"):
        expected = run(kernels[dtype], dtype)
    with settings.scope(compiler="clang++", cpu="native"):
        np.testing.assert_array_equal(run(kernels[dtype], dtype), expected)


def test_builds_differ(cache_dir: Path) -> None:
    """The builds compared above are really two: their flags and their keys are not the same."""
    from opwright.runtime.cache import Store
    from opwright.twin.toolchain import toolchain

    store = Store(cache_dir)
    identities = set()
    builds = [("g++", "native"), ("g++", "x86-64-v2"), *([("clang++", "native")] if shutil.which("clang++") else [])]
    for compiler, cpu in builds:
        with settings.scope(compiler=compiler, cpu=cpu):
            tools = toolchain(store)
        assert "-march=native" not in tools.flags
        identities.add(tools.identity)
    assert len(identities) == len(builds)
