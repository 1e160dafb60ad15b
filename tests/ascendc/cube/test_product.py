"""Products of matrices as they lie in L0A, L0B and L0C, bit for bit, by several builds; padding is noise."""

import ctypes
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from opwright.twin.build import INCLUDE
from opwright.twin.toolchain import FLAGS

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
from fused_reference import exact, float_product, fused  # noqa: E402

BUILDS = [("g++", "native", 3), ("g++", "x86-64-v3", 1), ("g++", "x86-64-v2", 1), ("clang++", "native", 3)]
NUMPY = {name: np.dtype(name) for name in ("float32", "float16", "int8")} | {"bfloat16": np.dtype(ml_dtypes.bfloat16)}
SIZES = [*range(1, 18), 31, 32, 33]
ZZ, NZ, ROW = range(3)
ZERO, KEPT, BIAS = range(3)
GUARD = 64  # elements after the end of C, which must stay what they are


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str, int], Path]:
    """All builds, compiled side by side."""
    folder = tmp_path_factory.mktemp("cube")
    flags = [*FLAGS, "-Wall", "-Wextra", "-Werror", f"-I{INCLUDE}", HERE / "product.cpp"]
    builds = {build: folder / f"{build[0]}_{build[1]}.so" for build in BUILDS if shutil.which(build[0])}
    with ThreadPoolExecutor(2) as pool:
        for done in [
            pool.submit(subprocess.run, [compiler, *flags, f"-march={cpu}", f"-O{level}", "-o", output], check=True)
            for (compiler, cpu, level), output in builds.items()
        ]:
            done.result()
    return builds


@pytest.fixture(scope="module", params=BUILDS, ids="{0[0]} {0[1]}".format)
def library(request: pytest.FixtureRequest, libraries: dict[tuple[str, str, int], Path]) -> ctypes.CDLL:
    if request.param not in libraries:
        pytest.skip(f"{request.param[0]} is not installed")
    return ctypes.CDLL(str(libraries[request.param]))


def noise(shape: tuple[int, ...], dtype: np.dtype, seed: int) -> np.ndarray:
    """Random numbers of every sign, of sizes that let sums cancel."""
    random = np.random.default_rng(seed)
    if dtype.kind == "i":
        info = np.iinfo(dtype)
        return random.integers(info.min, info.max + 1, shape).astype(dtype)
    return (random.standard_normal(shape) * 2.0 ** random.integers(-3, 4, shape)).astype(dtype)


def hard_steps() -> tuple[np.ndarray, ...]:
    """Steps whose sum, in float64, comes down in the middle between two float32: what was lost there decides."""
    signs = np.array([(x, y) for x in (1, -1) for y in (1, -1)], np.float32).repeat(2, axis=0)
    products = np.float32(8) * np.float32(1 + 2.0**-23), np.float32(8) * np.float32(1 - 2.0**-23)
    sums = np.float32(2.0**30) + np.float32(2.0**7) * np.arange(len(signs), dtype=np.float32)
    return products[0] * signs[:, 0], products[1] * np.ones(len(signs), np.float32), sums * signs[:, 1]


def fractals(matrix: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """A matrix as [row of fractals][column of fractals][row][column]; padding is all ones: of floats a NaN."""
    m, n = (-(-size // side) for size, side in zip(matrix.shape, (rows, columns), strict=True))
    padded = np.full((m * rows, n * columns), -1, f"i{matrix.itemsize}").view(matrix.dtype)
    padded[: matrix.shape[0], : matrix.shape[1]] = matrix
    return padded.reshape(m, rows, n, columns).transpose(0, 2, 1, 3)


def laid(matrix: np.ndarray, layout: str, c0: int) -> np.ndarray:
    """The elements of a matrix in the order of memory."""
    if layout == "zn":
        return np.ascontiguousarray(fractals(matrix, c0, 16).transpose(0, 1, 3, 2)).reshape(-1)
    parts = fractals(matrix, 16, c0)
    return np.ascontiguousarray(parts.transpose(1, 0, 2, 3) if layout == "nz" else parts).reshape(-1)


def saturated(wide: np.ndarray) -> np.ndarray:
    return np.clip(wide, -(2**31), 2**31 - 1).astype(np.int32)


@cache
def case(name: str, sides: tuple[int, int, int], start: int) -> tuple[np.ndarray, ...]:
    """A, B, what C holds before, the bias, and the product."""
    m, n, k = sides
    dtype = NUMPY[name]
    total = np.dtype(np.int32 if name == "int8" else np.float32)
    kinds = [((m, k), dtype), ((k, n), dtype), ((m, n), total), ((n,), total)]
    a, b, c, bias = (noise(shape, kind, seed) for seed, (shape, kind) in enumerate(kinds))
    first = {ZERO: np.zeros((m, n), total), KEPT: c, BIAS: np.broadcast_to(bias, (m, n))}[start]
    if name == "int8":
        wide = first.astype(np.int64) + a.astype(np.int64) @ b.astype(np.int64)
        return a, b, c, bias, saturated(wide)
    return a, b, c, bias, float_product(a.astype(np.float32), b.astype(np.float32), first)


def run(library: ctypes.CDLL, name: str, left: int, start: int, data: tuple[np.ndarray, ...]) -> None:
    """Computes and compares, with every byte of C and of what follows it."""
    a, b, c, bias, wanted = data
    (m, k), n = a.shape, b.shape[1]
    c0 = 32 // a.itemsize
    left_memory = np.ascontiguousarray(a).reshape(-1) if left == ROW else laid(a, ("zz", "nz")[left], c0)
    right_memory = laid(b, "zn", c0)
    guard = np.full(GUARD, 77, c.dtype)
    memory, expected = (np.concatenate([laid(x, "nz", 16), guard]) for x in (c, wanted))
    sides = (ctypes.c_int64 * 3)(m, n, k)
    pointers = [ctypes.c_void_p(x.ctypes.data) for x in (memory, left_memory, right_memory, bias)]
    function = getattr(library, f"product_{name}")
    function(pointers[0], pointers[1], ctypes.c_int64(left), pointers[2], sides, ctypes.c_int64(start), pointers[3])
    what = f"{name} {m} x {n} x {k} layout {left} start {start}"
    if memory.dtype == np.float32:
        # The live part may have NaN of any bits.
        live = laid(np.ones(c.shape, np.float32), "nz", 16) == 1
        both = np.isnan(memory[:-GUARD]) & np.isnan(expected[:-GUARD]) & live
        memory[:-GUARD][both] = expected[:-GUARD][both] = 0
    np.testing.assert_array_equal(memory.view(np.uint32), expected.view(np.uint32), what)


@pytest.mark.parametrize("name", NUMPY)
def test_sizes(name: str, library: ctypes.CDLL) -> None:
    """Every size on each side, with others on the other sides; one start and layout after another."""
    for i, size in enumerate(SIZES):
        other, third = SIZES[(7 * i + 3) % len(SIZES)], SIZES[(11 * i + 5) % len(SIZES)]
        for turn, sides in enumerate([(size, other, third), (third, size, other), (other, third, size)]):
            run(library, name, (i + turn) % 2, (i + turn // 2) % 3, case(name, sides, (i + turn // 2) % 3))


@pytest.mark.parametrize("name", NUMPY)
@pytest.mark.parametrize("left", [ZZ, NZ])
@pytest.mark.parametrize("start", [ZERO, KEPT, BIAS])
def test_starts(name: str, left: int, start: int, library: ctypes.CDLL) -> None:
    """More than one block of rows and of steps, and several tiles of columns, with tails and without."""
    for sides in ((170, 100, 75), (32, 64, 64), (16, 112, 70)):
        run(library, name, left, start, case(name, sides, start))


@pytest.mark.parametrize("name", NUMPY)
@pytest.mark.parametrize("start", [ZERO, KEPT, BIAS])
def test_one_row(name: str, start: int, library: ctypes.CDLL) -> None:
    """The row of A lies as it is, and nothing follows it."""
    for n, k in ((1, 1), (17, 33), (64, 130), (150, 64)):
        run(library, name, ROW, start, case(name, (1, n, k), start))


@pytest.mark.parametrize("name", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("left", [ZZ, NZ])
def test_every_kind_of_number(name: str, left: int, library: ctypes.CDLL) -> None:
    """Random bits: subnormal numbers, overflow, infinities, sums that cancel, zeros of both signs."""
    random = np.random.default_rng(3)
    dtype = NUMPY[name]
    whole = np.dtype(f"u{dtype.itemsize}")
    a = random.integers(0, 1 << (8 * dtype.itemsize), (40, 9), np.uint64).astype(whole).view(dtype)
    b = random.integers(0, 1 << (8 * dtype.itemsize), (9, 40), np.uint64).astype(whole).view(dtype)
    with np.errstate(invalid="ignore"):
        a[a != a], b[b != b] = 0, 0
    a[:8], b[:, :8] = noise((8, 9), dtype, 1) * dtype.type(1e-4), noise((9, 8), dtype, 2) * dtype.type(1e-4)
    b[:, 8:12] = -0.0
    a[20:24], b[:, 24:28] = -0.0, np.abs(noise((9, 4), dtype, 4))
    c = random.integers(0, 1 << 32, (40, 40), np.uint64).astype(np.uint32).view(np.float32)
    with np.errstate(invalid="ignore"):
        c[c != c] = -0.0
    c[:8, :8] = -(a[:8, :1].astype(np.float32) * b[:1, :8].astype(np.float32))
    c[:, 8:12] = c[20:24, 24:28] = -0.0
    if name == "float32":
        steps = hard_steps()
        where = 12 + np.arange(len(steps[0]))
        a[where, 0], b[0, where], c[where, where] = steps
        a[where, 1:] = 0
        b[1:, where] = noise((8, len(where)), dtype, 3)
    wanted = float_product(a.astype(np.float32), b.astype(np.float32), c)
    assert np.isfinite(wanted).sum() > 300
    run(library, name, left, KEPT, (a, b, c, c[0], wanted))


@pytest.mark.parametrize("left", [ZZ, NZ, ROW])
def test_sums_of_int8_saturate(left: int, library: ctypes.CDLL) -> None:
    """Once, after all steps: blocks of k that pass a limit and come back do not show."""
    m, n, k = (1 if left == ROW else 17), 35, 140
    b = np.full((k, n), -128, np.int8)
    for sign in (-1, 1):
        a = np.full((m, k), -128 if sign > 0 else 127, np.int8)
        for turns_back in (False, True):
            if turns_back:
                a[:, k // 2 :] = -128 if sign < 0 else 127
            product = a.astype(np.int64) @ b.astype(np.int64)
            for start in (KEPT, BIAS):
                for distance in (0, 1, k * 2**14 - 1, k * 2**14, k * 2**14 + 1, 2**31 - 2):
                    c, bias = noise((m, n), np.dtype(np.int32), 3) // 4, noise((n,), np.dtype(np.int32), 4) // 4
                    c[m - 1, n - 1] = bias[n - 1] = sign * (2**31 - 1 - distance)
                    first = c if start == KEPT else np.broadcast_to(bias, (m, n))
                    run(library, "int8", left, start, (a, b, c, bias, saturated(first.astype(np.int64) + product)))


def test_nothing_to_do(library: ctypes.CDLL) -> None:
    for sides in ((0, 5, 5), (5, 0, 5), (5, 5, 0)):
        a, b, c, bias, _ = case("float16", sides, KEPT)
        run(library, "float16", NZ, ZERO, (a, b, c, bias, c))


@pytest.mark.parametrize("layout", ["nz", "zz", "zn"])
def test_indices(layout: str, library: ctypes.CDLL) -> None:
    function = getattr(library, layout)
    function.restype = ctypes.c_int64
    for rows, columns, c0 in ((16, 8, 8), (33, 17, 8), (50, 40, 16), (5, 70, 32), (40, 40, 64)):
        matrix = np.arange(rows * columns, dtype=np.int32).reshape(rows, columns)
        memory = laid(matrix, layout, c0)
        sides = (ctypes.c_int64 * 2)(rows, columns)
        for row, column in np.ndindex(rows, columns):
            place = function(ctypes.c_int64(row), ctypes.c_int64(column), sides, ctypes.c_int64(c0))
            assert memory[place] == matrix[row, column], (rows, columns, c0, row, column)


def test_the_reference() -> None:
    """A fused step by float64 is that by fractions."""
    a, b, c = (np.append(noise((2000,), np.dtype(np.float32), seed), hard) for seed, hard in enumerate(hard_steps()))
    wanted = np.array([exact(*(float(value) for value in step)) for step in zip(a, b, c, strict=True)])
    np.testing.assert_array_equal(fused(a, b, c).view(np.uint32), wanted.view(np.uint32))
    twice = (a.astype(np.float64) * b + c).astype(np.float32)
    assert (twice != wanted).sum() >= 4, "rounding twice would do"
