"""Builds of the twin by another compiler and for another instruction set: the same bits from every call that computes.

The kernels are written from the table (every_call.py): a row added to it is tested here too.
"""

import importlib.util
import platform
import shutil
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from opwright.ascendc.dtypes import DTYPES
from opwright.runtime.jit import JitFunction
from opwright.settings import settings

pytestmark = pytest.mark.unchecked(reason="is about builds, not about kernels")

SPEC = importlib.util.spec_from_file_location("every_call", Path(__file__).with_name("every_call.py"))
assert SPEC and SPEC.loader
every_call = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(every_call)

COUNT = every_call.ELEMENTS
# Every build is a long compilation: the set for every change has one type.
FEW = [dtype if dtype == "float32" else pytest.param(dtype, marks=pytest.mark.slow) for dtype in DTYPES]
SCALARS = {"float": -0.7109375, "int": -3, "uint": 5}  # exact in every type that they are used with


BOUNDED = ("exp", "ln")


def patterns(dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """Random bits without NaN; for floats every pair of special values too."""
    kind = every_call.NUMPY[dtype]
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
    return every_call.kernels(tmp_path_factory.mktemp("builds"))


def run(kernel: JitFunction, dtype: str) -> np.ndarray:
    """The results as bits, one row per call; every NaN counts as the same."""
    x, y = patterns(dtype)
    results = len(every_call.legal(dtype))
    z = np.tile(y[::-1], results)
    kernel[1](x, y, z, SCALARS[DTYPES[dtype].kind], COUNT)
    return canonical(z).reshape(results, COUNT)


def canonical(values: np.ndarray) -> np.ndarray:
    bits = values.view(f"u{values.dtype.itemsize}").copy()
    bits[values != values] = ~bits.dtype.type(0)
    return bits


def test_every_type_is_built() -> None:
    assert all(every_call.legal(dtype) for dtype in DTYPES)


@pytest.mark.parametrize("dtype", FEW)
def test_builds_agree(dtype: str, kernels: dict[str, JitFunction]) -> None:
    kernel = kernels[dtype]
    x, y = patterns(dtype)
    scalar = np.array([SCALARS[DTYPES[dtype].kind]], x.dtype)
    expected = [canonical(every_call.expected(name, x, y, scalar, y[::-1])) for name, _ in every_call.legal(dtype)]
    with settings.scope(compiler="g++", cpu="native"):
        native = run(kernel, dtype)
    for (name, _), got, wanted in zip(every_call.legal(dtype), native, expected, strict=True):
        # The next float may stand for the nearest one.
        is_next = got - wanted + 1 <= 2 if name in BOUNDED and dtype == "float32" else got == wanted
        np.testing.assert_array_equal(got[~is_next], wanted[~is_next], name)
    if platform.machine() != "x86_64":
        pytest.skip("x86-64-v2 is an instruction set of x86-64 only")
    with settings.scope(compiler="g++", cpu="x86-64-v2"):
        np.testing.assert_array_equal(run(kernel, dtype), native)


@pytest.mark.parametrize("dtype", FEW)
def test_compilers_agree(dtype: str, kernels: dict[str, JitFunction]) -> None:
    if shutil.which("clang++") is None:
        pytest.skip("clang++ is not installed")
    with settings.scope(compiler="g++", cpu="native"):
        expected = run(kernels[dtype], dtype)
    with settings.scope(compiler="clang++", cpu="native"):
        np.testing.assert_array_equal(run(kernels[dtype], dtype), expected)


def test_builds_differ(cache_dir: Path) -> None:
    """The builds compared above are really two: their flags and their keys are not the same."""
    from opwright.store.store import Store
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
