"""Launches of tile kernels: cores, what the host tests, constants, and that a kernel of the store needs no compiler."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tile_kernels as kernels

from opwright import errors, tile
from opwright.kernel.options import find_soc
from opwright.settings import settings
from opwright.tile import host

HERE = Path(__file__).parent


def arrays(count: int, *shape: int) -> list[np.ndarray]:
    return [np.random.default_rng(seed).standard_normal(shape).astype(np.float32) for seed in range(count)]


@tile.jit
def shifts(x: tile.Tensor, y: tile.Tensor, by: int, eps: float, SIZE: tile.constexpr = 64):
    tile.assume(x.shape[1] % 8 == 0)
    cols = tile.whole(x.shape[1], SIZE)
    for row in tile.parallel(x.shape[0]):
        y[row, cols.shifted(by)] = x[row, cols] + eps


@shifts.sizes
def _(x):
    sizes_asked.append(x.shape)
    return {"SIZE": tile.blocks(x.shape[1], x.dtype)}


sizes_asked: list[tuple[int, ...]] = []


@pytest.fixture(scope="module")
def launched() -> list[Any]:
    """The arguments of a launch that is fine."""
    x, y = arrays(2, 5, 16)
    expected = y.copy()
    shifts.numpy(x, expected, 0, 0.5)
    shifts(x, y, 0, 0.5)
    np.testing.assert_array_equal(y, expected)
    return [x, y, 0, 0.5]


def test_as_many_cores_as_iterations(launched: list[Any]) -> None:
    most = find_soc(settings.soc).aiv
    for rows, cores in ((5, 5), (1, 1), (0, 1), (most + 7, most)):
        x, y = arrays(2, rows, 16)
        shifts.check(x, y, 0, 0.5)
        assert shifts.check.report().cores == cores
    shifts.check[3](*launched)
    assert shifts.check.report().cores == 3
    shifts.check(*launched, perturb=4)
    assert (shifts.check.report().cores, shifts.check.report().schedules) == (5, 4)
    assert shifts.check(perturb=2).perturb == 2
    with pytest.raises(errors.GridOutOfRange):
        shifts[0](*launched)
    assert repr(shifts[2]) == "<kernel shifts on 2 cores>"
    assert repr(shifts[None]) == "<kernel shifts on as many cores as it has iterations>"


def wrong(launched: list[Any], index: int, value: object) -> list[Any]:
    return [value if at == index else one for at, one in enumerate(launched)]


def line_of(error: pytest.ExceptionInfo[errors.OpwrightError]) -> str:
    assert error.value.at is not None and error.value.at.file == __file__
    return error.value.at.snippet()


def test_what_the_host_refuses(launched: list[Any]) -> None:
    """Each of them is refused by NumPy, too, and before anything is written."""
    x, y = launched[:2]
    cases: list[tuple[list[Any], type[errors.OpwrightError], str]] = [
        (wrong(launched, 0, x[:, :12]), errors.AssumptionBroken, "tile.assume(x.shape[1] % 8 == 0)"),
        (wrong(launched, 0, arrays(1, 5, 32)[0][:, ::2]), errors.LastStride, "x[row, cols] + eps"),
        (wrong(launched, 1, arrays(1, 4, 16)[0]), errors.OutOfRange, "y[row, cols.shifted(by)] ="),
        (wrong(launched, 2, 1), errors.OutOfRange, "y[row, cols.shifted(by)] ="),
        (wrong(launched, 2, -1), errors.OutOfRange, "y[row, cols.shifted(by)] ="),
        ([*launched, 8], errors.SpanTooLong, "tile.whole(x.shape[1], SIZE)"),
    ]
    for arguments, kind, line in cases:
        before = y.copy()
        for run in (shifts, shifts[2], shifts.check, shifts.numpy):
            with pytest.raises(kind) as caught:
                run(*arguments)  # type: ignore[operator]
            assert line in line_of(caught)
        if arguments[1] is y and kind is not errors.OutOfRange:
            np.testing.assert_array_equal(y, before)


def test_a_view_without_gaps_at_its_end_is_taken_as_it_is() -> None:
    x, y = arrays(2, 4, 40)
    expected = y.copy()
    for run, target in ((shifts.numpy, expected), (shifts, y)):
        run(x[::2, 3:19], target[1:3], 8, 0.25)  # type: ignore[operator]
    np.testing.assert_array_equal(y, expected)


def test_sizes_are_asked_once_for_a_shape(launched: list[Any]) -> None:
    shifts(*launched)
    asked = len(sizes_asked)
    shifts(*launched)
    shifts(*launched, 16)
    assert len(sizes_asked) == asked


def test_a_stored_kernel_loads_neither_front_end_nor_compiler(tmp_path: Path) -> None:
    script = (
        "import sys, numpy as np, tile_kernels as kernels\n"
        "x = np.ones(100, np.float32); z = np.zeros_like(x)\n"
        "kernels.add(x, x, z)\n"
        "assert (z == 2).all()\n"
        "print([name for name in sys.modules if name.startswith(('xdsl', 'opwright.tile.compiler', 'opwright.ir'))])\n"
    )
    environment = {**os.environ, "OPWRIGHT_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(HERE)}
    environment.pop("OPWRIGHT_CHECK", None)
    found = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, env=environment, timeout=240, check=True
        )
        found.append(done.stdout.strip())
    assert "opwright.tile.compiler" in found[0]
    assert found[1] == "[]"


def test_text() -> None:
    text = kernels.add.emit("f32[100]", "f32[100]", "f32[100]")
    assert "GM_ADDR x, int64_t x_shape0, int64_t x_stride0" in text


@pytest.mark.quick
def test_numbers_of_the_host() -> None:
    numbers = {"n": 100, "m": 3}
    for plain, expected in (
        (5, 5),
        ("n", 100),
        (["floordiv", ["add", "n", 7], 8], 13),
        (["select", ["lt", "n", "m"], "n", ["neg", "m"]], -3),
        (["and", ["ge", "n", 0], ["not", ["eq", "m", 4]]], True),
    ):
        assert host.number(plain, numbers) == expected
    for iterations, cores in (
        ([], 1),
        ([0], 1),
        (["m", "n"], 48),
        (["m", 2], 3),
        (["all"], 48),
        ([["sub", 0, "n"]], 1),
    ):
        assert host.cores_of({"iterations": iterations}, numbers, 48) == cores
