"""More of the language on the twin, against NumPy: sums over rows, functions, int8, numbers read from tensors.

Also what a kernel is after it was lowered: the printed one runs, and one that fits only without full rings is right.
"""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
import tile_kernels as kernels
from bits import differing
from test_compiled import compare

from opwright import tile
from opwright.errors import BadStrides, TileNotBuilt
from opwright.settings import settings

SOCS = ["ascend910b", "ascend950"]


@tile.jit
def totals(
    x: tile.Tensor,
    below: tile.Tensor,
    all_of_it: tile.Tensor,
    largest: tile.Tensor,
    COLS: tile.constexpr,
    ROWS: tile.constexpr,
):
    cols = tile.whole(x.shape[1], COLS)
    for rows in tile.parallel(x.shape[0], ROWS):
        part = tile.span(rows.start // ROWS, 1)
        t = x[rows, cols]
        below[rows.start // ROWS, cols] = t.sum(axis=0)
        all_of_it[part] = t.sum()[None]
        largest[part] = t.max()[None]


@tile.jit
def functions(x: tile.Tensor, a: tile.Tensor, b: tile.Tensor, c: tile.Tensor, d: tile.Tensor):
    for i in tile.parallel(x.shape[0], 1024):
        a[i] = tile.tanh(x[i])
        b[i] = tile.erf(x[i])
        c[i] = tile.sigmoid(x[i])
        d[i] = tile.log(tile.abs(x[i]))


@tile.jit
def largest_of_rows(x: tile.Tensor, y: tile.Tensor, n: int):
    cols = tile.whole(x.shape[1], 64)
    for i in tile.parallel(1):
        y[i, cols] = x[tile.span(0, 4, stop=n), cols].max(axis=0)


@pytest.mark.parametrize("soc", SOCS)
@pytest.mark.filterwarnings("ignore")  # conversions of NaN
def test_sums_over_rows_and_over_all(soc: str) -> None:
    generator = np.random.default_rng(0)
    with settings.scope(soc=soc):
        for shape in ((7, 9), (8, 128), (16, 63), (3, 1), (1, 100), (5, 127)):
            x = generator.standard_normal(shape).astype(np.float32)
            x[-1, -1] = np.nan if shape[0] == 5 else 1
            parts = -(-shape[0] // 8)
            outputs = [np.full((parts, shape[1]), 7, np.float32), *(np.full(parts, 7, np.float32) for _ in range(2))]
            compare(totals, [x, *outputs], {"COLS": 128, "ROWS": 8}, 0)


@pytest.mark.parametrize("soc", SOCS)
def test_functions(soc: str) -> None:
    far = [np.inf, -np.inf, np.nan, 0.0, -0.0]
    x = np.concatenate([np.linspace(-12, 12, 6001), np.logspace(-20, 1, 2000), far]).astype(np.float32)
    got, wanted = ([np.zeros_like(x) for _ in range(4)] for _ in range(2))
    with settings.scope(soc=soc):
        functions.check(x, *got)
    functions.numpy(x, *wanted)
    for one, other in zip(got, wanted, strict=True):
        assert differing(one, other, 8).tolist() == []
    assert (got[1][np.isinf(x)] == [1, -1]).all()  # exactly: 1 + erf(-inf) is 0


@pytest.mark.parametrize("soc", SOCS)
def test_quantize_rows(soc: str) -> None:
    generator = np.random.default_rng(1)
    with settings.scope(soc=soc):
        for shape in ((0, 5), (7, 9), (16, 64), (13, 63), (1, 1), (5, 0)):
            results = [(np.full(shape, 5, np.int8), np.zeros(shape[0], np.float32)) for _ in range(2)]
            x = (10 * generator.standard_normal(shape)).astype(np.float32)
            kernels.quantize_rows.check(x, *results[0], COLS=64, ROWS=4, perturb=16)
            kernels.quantize_rows.numpy(x, *results[1], COLS=64, ROWS=4)
            assert all((got == wanted).all() for got, wanted in zip(*results, strict=True))


@pytest.mark.parametrize("soc", SOCS)
def test_cache(soc: str) -> None:
    generator = np.random.default_rng(2)
    kv = generator.standard_normal((11, 3, 7)).astype(np.float32)
    slots = generator.permutation(20)[:11].astype(np.int32)
    slots[3] = -1
    pages = generator.standard_normal((5, 4, 21)).astype(np.float32)
    table, lengths = np.array([[4, 0, 2], [1, 3, 0], [2, 2, 2]], np.int32), np.array([9, 4, 0], np.int32)
    with settings.scope(soc=soc):
        caches = [np.zeros((5, 4, 3, 7), np.float32) for _ in range(2)]
        kernels.cache_write.check(kv, caches[0], slots, H=4, D=8, perturb=16)
        kernels.cache_write.numpy(kv, caches[1], slots, H=4, D=8)
        assert (caches[0] == caches[1]).all()
        outputs = [np.full((3, 12, 21), -1, np.float32) for _ in range(2)]
        kernels.cache_read.check(pages, table, lengths, outputs[0], PAGE=4, W=24, perturb=16)
        kernels.cache_read.numpy(pages, table, lengths, outputs[1], PAGE=4, W=24)
        assert (outputs[0] == outputs[1]).all()


@tile.jit
def prints_numbers(x: tile.Tensor, scale: float):
    for i in tile.parallel(x.shape[0], 8):
        tile.print("100%", i.start, 3, scale)
        tile.print(f"{i.count:3d} of {x.shape[0]}, {scale:.3f}", i.size)
        x[i] = x[i] * scale


def test_numbers_are_printed_as_in_numpy(capfd: pytest.CaptureFixture[str]) -> None:
    for run in (prints_numbers[1], prints_numbers.numpy):
        run(np.ones(8, np.float32), 0.25)
        assert capfd.readouterr().out == "100% 0 3 0.25\n  8 of 8, 0.250 8\n"


def test_a_printed_kernel_runs(tmp_path: Path) -> None:
    x = np.random.default_rng(3).standard_normal((9, 65)).astype(np.float32)
    y, own = np.zeros_like(x), np.zeros_like(x)
    kernels.softmax(x, y, COLS=72, ROWS=8)
    path = tmp_path / "printed.py"
    path.write_text(kernels.softmax.lower(x, y, COLS=72, ROWS=8))
    spec = importlib.util.spec_from_file_location("printed", path)
    printed = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(printed)
    printed.softmax.check[2](x, 9, 65, 65, 1, own, 9, 65, 65, 1)
    assert (own == y).all()


def test_a_kernel_that_fits_without_full_rings_only() -> None:
    """32 KiB for each of three tiles: two slots of all are more than UB has."""
    numbers = np.random.default_rng(4).standard_normal((2, 20000)).astype(np.float32)
    report = kernels.add.report(*numbers, numbers[0], soc="ascend910b", BLOCK=8192)
    assert "given up so that it fits\n  what is stored has one slot" in report
    compare(kernels.add, [*numbers, numbers[0]], {"BLOCK": 8192}, 0)


def test_what_is_not_built_is_refused_with_its_line() -> None:
    with pytest.raises(TileNotBuilt, match=r"max over rows that may be empty is not built yet\n(.*\n)+.*max\(axis=0\)"):
        largest_of_rows.lower("f32[4, 64]", "f32[1, 64]", 3)


def test_rows_that_overlap_are_refused() -> None:
    x = np.broadcast_to(np.ones(65, np.float32), (9, 65))
    with pytest.raises(BadStrides, match="rows of 65 elements along axis 0 overlap"):
        kernels.softmax(x, np.zeros((9, 65), np.float32), COLS=72, ROWS=8)
