"""Products of tiles on the twin, against NumPy: equal bits; sides 0, 1, tile ± 1 and primes, views, transposes.

Every launch is checked, and run in 16 other orders.
"""

import importlib.util
from pathlib import Path

import dot_kernels as kernels
import ml_dtypes
import numpy as np
import pytest

from opwright import tile
from opwright.errors import BadStrides
from opwright.settings import settings

TYPES = {"float16": np.float16, "bfloat16": ml_dtypes.bfloat16, "float32": np.float32, "int8": np.int8}
PLACES = [("ascend910b", one) for one in TYPES] + [("ascend910_93", "float16")] + [("ascend950", one) for one in TYPES]
SIDES = [(0, 5, 3), (5, 0, 3), (50, 83, 0), (1, 1, 1), (47, 41, 161), (49, 39, 79), (97, 80, 17), (2, 83, 240)]


def numbers(dtype: str, *shape: int) -> np.ndarray:
    random = np.random.default_rng(sum(shape))
    if dtype == "int8":
        return random.integers(-128, 128, shape).astype(np.int8)
    return random.standard_normal(shape).astype(TYPES[dtype])


def apart(array: np.ndarray) -> np.ndarray:
    """The same numbers as a view with gaps between its rows."""
    around = np.full([size + 3 for size in array.shape], 77, array.dtype)
    view = around[tuple(slice(1, size + 1) for size in array.shape)]
    view[...] = array
    return view


def same(kernel: tile.TileKernel, *arguments: object, **constants: object) -> None:
    """The same launch on the checked twin and in NumPy: all arrays have equal bits, and what lies around them stays."""
    pairs = [[apart(one) if isinstance(one, np.ndarray) else one for one in arguments] for _ in range(2)]
    kernel.check(*pairs[0], perturb=16, **constants)
    kernel.numpy(*pairs[1], **constants)
    for got, wanted in zip(*pairs, strict=True):
        if isinstance(got, np.ndarray) and got.size:
            assert got.base.tobytes() == wanted.base.tobytes()


@pytest.mark.parametrize(("soc", "dtype"), PLACES)
def test_dtypes_sides_and_transposes(soc: str, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "soc", soc)
    dtype_of_sums = "int32" if dtype == "int8" else "float32"
    for m, n, k in SIDES:
        a, b = numbers(dtype, m, k), numbers(dtype, k, n)
        c, d = (np.full((m, n), 7, dtype_of_sums) for _ in range(2))
        same(kernels.turned, a, a.T.copy(), b, b.T.copy(), c, d, DTYPE=getattr(tile, dtype_of_sums))


@pytest.mark.parametrize("soc", ["ascend910b", "ascend950"])
def test_what_becomes_of_sums_on_their_way_out(soc: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Conversions and maximum with 0, of sums that overflow, are infinite, tiny or not there."""
    monkeypatch.setattr(settings, "soc", soc)
    a, b = numbers("float16", 37, 70), numbers("float16", 70, 50)
    a[:5] *= 3000
    b[:, :7] *= 3000
    a[7] *= 2.0**-13
    b[:, 9] *= 2.0**-13
    a[11, 3], b[4, 13], a[11, 4], b[3, 13] = np.inf, -np.inf, -1, 1  # both infinities have one sign where they meet
    outputs = [np.full((37, 50), 7, kind) for kind in (np.float16, ml_dtypes.bfloat16, np.float16, np.float32)]
    same(kernels.leaving, a, b, *outputs)


def test_a_loop_with_two_products() -> None:
    """They take their steps one after the other in L0A and L0B. A factor that stays the same is loaded once."""
    a, b, c = numbers("float16", 40, 48), numbers("float16", 90, 48), numbers("float16", 90, 48)
    d, e = np.full((40, 90), 7, np.float32), np.full((40, 48), 7, np.float32)
    same(kernels.two_in_a_loop, a, b, c, d, e)


@pytest.mark.parametrize("soc", ["ascend910b", "ascend950"])
def test_counts_of_the_run(soc: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spans of the author's own, of which nothing, one row or some may be there; one and three stages; sizes chosen."""
    monkeypatch.setattr(settings, "soc", soc)
    a, b, c = numbers("float16", 6, 32, 70), numbers("float16", 6, 70, 41), np.full((6, 32, 41), 7, np.float32)
    counts = np.array([(32, 70), (0, 70), (1, 33), (31, 0), (17, 1), (0, 0)])
    same(kernels.batched, a, b, c, counts)
    same(kernels.batched, a, b, c, counts, STAGES=1, BN=48)


def test_a_printed_kernel_runs(tmp_path: Path) -> None:
    a, b = numbers("float16", 70, 90), numbers("float16", 90, 50)
    c, d = (np.full((70, 50), 7, np.float16) for _ in range(2))
    path = tmp_path / "printed.py"
    path.write_text(kernels.matmul_relu.lower(a, b, c))
    spec = importlib.util.spec_from_file_location("printed", path)
    printed = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(printed)
    described = [number for one in (a, b, c) for number in (one, *one.shape, *(step // 2 for step in one.strides))]
    printed.matmul_relu[2](*described)
    kernels.matmul_relu.numpy(a, b, d)
    assert c.tobytes() == d.tobytes()


def test_rows_too_far_apart_for_a_copy() -> None:
    a, b, c = np.zeros((2, 70000), np.float16), np.zeros((70000, 3), np.float16), np.zeros((2, 3), np.float32)
    with pytest.raises(BadStrides, match="rows are 70000 elements apart, and a copy to L1 takes 65535 at most"):
        kernels.matmul(a, b, c)
