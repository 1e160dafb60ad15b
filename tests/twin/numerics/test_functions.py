"""exp, ln, rsqrt and reciprocal, by several builds: every half, floats of every exponent, and, slowly, every float.

The twin's results are the nearest float32, or what the nearest float32 rounds to in float16; tests/ascendc/vec_unary
compares floats of every exponent with wider types.
"""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from opwright import asc
from opwright.settings import settings
from opwright.twin.toolchain import FLAGS

pytestmark = pytest.mark.unchecked(reason="is about single functions, not about kernels")

HERE = Path(__file__).parent
INCLUDE = HERE.parents[2] / "src" / "opwright" / "twin" / "include"
TILE = 4096
FUNCTIONS = {
    "exp": np.exp,
    "ln": np.log,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "reciprocal": lambda x: 1 / x,
}
BUILDS = [("g++", "native"), ("g++", "x86-64-v2"), ("clang++", "native")]


@asc.jit
def functions(x: asc.GlobalAddress, z: asc.GlobalAddress, size: asc.ConstExpr[int]):
    """The four results of a tile, one after another."""
    start = asc.get_block_idx() * TILE
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + start, TILE)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, TILE)
    b = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, TILE * x.dtype.sizeof(), TILE)
    asc.data_copy(a, x_gm, TILE)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.exp(b, a, TILE)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm[start:], b, TILE)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.ln(b, a, TILE)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm[size + start :], b, TILE)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.rsqrt(b, a, TILE)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm[2 * size + start :], b, TILE)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.reciprocal(b, a, TILE)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm[3 * size + start :], b, TILE)


def run(x: np.ndarray) -> dict[str, np.ndarray]:
    z = np.full(4 * x.size, np.nan, x.dtype)
    functions[x.size // TILE](x, z, x.size)
    return dict(zip(FUNCTIONS, z.reshape(4, -1), strict=True))


def same(got: np.ndarray, expected: np.ndarray, what: str) -> None:
    """Bit for bit; a NaN is a NaN."""
    number = expected == expected
    assert np.isnan(got[~number]).all(), what
    unsigned = f"u{got.itemsize}"
    np.testing.assert_array_equal(got[number].view(unsigned), expected[number].view(unsigned), what)


def halves() -> np.ndarray:
    return np.arange(65536, dtype=np.uint16).view(np.float16)


def floats() -> np.ndarray:
    """4096 of every sign and exponent, the ends of each among them."""
    random = np.random.default_rng(5)
    mantissas = random.integers(0, 1 << 23, (512, 4096), dtype=np.uint32)
    mantissas[:, :4] = [0, 1, (1 << 22), (1 << 23) - 1]
    return (np.arange(512, dtype=np.uint32)[:, None] << 23 | mantissas).reshape(-1).view(np.float32)


@pytest.mark.parametrize("build", BUILDS, ids="{0[0]} {0[1]}".format)
def test_every_half(build: tuple[str, str]) -> None:
    compiler, cpu = build
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    x = halves()
    with settings.scope(compiler=compiler, cpu=cpu):
        results = run(x)
    with np.errstate(all="ignore"):
        for name, function in FUNCTIONS.items():
            same(results[name], function(x.astype(np.float64)).astype(np.float32).astype(np.float16), name)


def test_builds_agree() -> None:
    x = floats()
    results = []
    for compiler, cpu in BUILDS:
        if shutil.which(compiler) is not None:
            with settings.scope(compiler=compiler, cpu=cpu):
                results.append(run(x))
    for other in results[1:]:
        for name in FUNCTIONS:
            same(other[name], results[0][name], name)


def test_special_values() -> None:
    values = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 1e-45, 88.72283, 88.72284, -103.97208, -103.972084]
    results = run(np.resize(np.array(values, np.float32), TILE))
    words = {name: [str(value) for value in result[: len(values)]] for name, result in results.items()}
    assert words["exp"][:5] == ["1.0", "1.0", "inf", "0.0", "nan"]
    assert words["exp"][8:] == ["3.4027985e+38", "inf", "1e-45", "0.0"]
    assert words["ln"][:8] == ["-inf", "-inf", "inf", "nan", "nan", "0.0", "nan", "-103.27893"]
    assert words["rsqrt"][:8] == ["inf", "-inf", "0.0", "nan", "nan", "1.0", "nan", "2.6713738e+22"]
    assert words["reciprocal"][:8] == ["inf", "-inf", "0.0", "-0.0", "nan", "1.0", "-1.0", "inf"]


@pytest.mark.slow
def test_every_float(tmp_path: Path) -> None:
    """All 2^32, in C++. (A few minutes on two cores.)"""
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("a C++ compiler is not installed")
    flags = [flag for flag in FLAGS if flag not in ("-shared", "-fno-exceptions", "-fno-rtti")]
    command = [compiler, *flags, "-march=native", f"-I{INCLUDE}", HERE / "exhaustive.cpp", "-o", tmp_path / "all"]
    subprocess.run(command, check=True)
    ran = subprocess.run([tmp_path / "all"], capture_output=True, text=True, check=True)
    lines = [line.split() for line in ran.stdout.splitlines()]
    assert [name for name, _, _ in lines] == ["exponential", "logarithm", "reciprocal", "reciprocal_root"]
    most = {"exponential": 1, "logarithm": 1, "reciprocal": 0, "reciprocal_root": 0}  # ulp
    assert all(int(worst) <= most[name] for name, _, worst in lines), ran.stdout
