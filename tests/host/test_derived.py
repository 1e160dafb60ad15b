"""Launches that are derived from kernels over tiles: those of the launcher, as Python and as C++."""

import linecache
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from compiled import Library, launched

from opwright import host, tile
from opwright.ascendc.socs import SOCS
from opwright.errors import NotForHost
from opwright.tile import host as of_tile

CALLS = 500


@tile.jit
def scaled(x: tile.Tensor, y: tile.Tensor, factor: float, ROWS: tile.constexpr = 4, COLS: tile.constexpr = 64):
    for rows, cols in tile.parallel((x.shape[0], ROWS), (x.shape[1], COLS)):
        y[rows, cols] = (x[rows, cols].to(tile.float32) * factor).to(y.dtype)


@tile.jit
def whole_rows(x: tile.Tensor, y: tile.Tensor, COLS: tile.constexpr, ROWS: tile.constexpr = tile.auto):
    cols = tile.whole(x.shape[1], COLS)
    tile.assume(x.shape[0] == y.shape[0])
    for rows in tile.parallel(x.shape[0], ROWS):
        t = x[rows, cols].to(tile.float32)
        y[rows, cols] = (t / t.sum(axis=1, keepdims=True)).to(y.dtype)


@whole_rows.sizes
def _(x, y):
    return {"COLS": tile.blocks(x.shape[1], x.dtype)}


@tile.jit
def product(
    a: tile.Tensor,
    b: tile.Tensor,
    c: tile.Tensor,
    BM: tile.constexpr = 64,
    BN: tile.constexpr = 64,
    BK: tile.constexpr = 64,
):
    for i, j in tile.parallel((a.shape[0], BM), (b.shape[1], BN)):
        acc = tile.zeros((BM, BN))
        for k in tile.range(a.shape[1], BK, stages=2):
            acc = tile.dot(a[i, k], b[k, j], acc)
        c[i, j] = (acc + tile.exp(acc)).to(c.dtype)


HALF = (host.float16, host.float16)
_scaled = host.launch_of(scaled, [HALF, (host.float32, host.float32)], (2, 2))
_whole_rows = host.launch_of(whole_rows, [HALF], (2, 2), COLS=512)
_product = host.launch_of(product, [(*HALF, host.float16)], (2, 2, 2))


def _like(x: host.Tensor, factor: float) -> host.Tensor:
    return host.like(x)


def _launch_scaled(x: host.Tensor, factor: float, y: host.Tensor, soc: host.Soc) -> host.Launch:
    return _scaled(x, y, factor, soc)


def _launch_rows(x: host.Tensor, factor: float, y: host.Tensor, soc: host.Soc) -> host.Launch:
    return _whole_rows(x, y, soc)


def _multiplied(a: host.Tensor, b: host.Tensor) -> host.Tensor:
    return host.dense((a.shape[0], b.shape[1]), a.dtype)


def _launch_product(a: host.Tensor, b: host.Tensor, c: host.Tensor, soc: host.Soc) -> host.Launch:
    return _product(a, b, c, soc)


LAUNCHES = {"scaled": _launch_scaled, "whole_rows": _launch_rows, "product": _launch_product}
FUNCTIONS = {
    "scaled": (_like, {"x": "tensor", "factor": "float"}, 1),
    "whole_rows": (_like, {"x": "tensor", "factor": "float"}, 1),
    "product": (_multiplied, {"a": "tensor", "b": "tensor"}, 1),
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library(FUNCTIONS, tmp_path_factory.mktemp("host"), LAUNCHES)


def _calls(name: str, rng: random.Random) -> list[list[Any]]:
    calls: list[list[Any]] = []
    for _ in range(CALLS):
        m, k, n = (rng.choice((0, 1, 3, 16, 100, 513, 4096)) for _ in range(3))
        dtype = rng.choice((host.float16, host.float32, host.bfloat16))
        strides = host.Shape((k, 1)) if rng.random() < 0.7 else host.Shape((rng.randint(0, 600), rng.randint(1, 2)))
        x = host.Tensor(dtype, (m, k), strides, "cpu")
        calls.append([x, host.dense((k, n), dtype)] if name == "product" else [x, rng.random()])
    return calls


@pytest.mark.parametrize("name", FUNCTIONS)
def test_random_launches(name: str, library: Library) -> None:
    calls = _calls(name, random.Random(name))
    lines = set()
    for soc in map(host.soc_named, SOCS):
        wanted = launched(FUNCTIONS[name][0], LAUNCHES[name], calls, soc)
        assert library.launch(name, calls, soc) == wanted
        lines |= set(wanted)
    assert {line[0] for line in lines} >= set("012" if name != "product" else "01")
    assert len({line for line in lines if line[0] == "0"}) > 20
    assert any(not line.endswith("]0") for line in lines if line[0] == "0") == (name == "product")  # scratch memory


@pytest.mark.parametrize("soc", SOCS)
@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (7, 65), (300, 512)])
def test_a_launch_is_that_of_the_launcher(rows: int, cols: int, soc: str) -> None:
    x, y = (np.ones((rows, cols), np.float16) for _ in range(2))
    facts = [host.dense((rows, cols), host.float16) for _ in range(2)]
    for kernel, found, numbers in (
        (scaled, _scaled(*facts, 0.5, host.soc_named(soc)), {"factor": 0.5}),
        (whole_rows, _whole_rows(*facts, host.soc_named(soc)), {"COLS": 512}),
    ):
        bound = kernel.binder.bind((x, y), numbers)
        program = kernel.program(bound, soc)
        named = dict(zip(bound.names, bound.slots, strict=True))
        assert found.blocks == of_tile.cores_of(program.host, named, SOCS[soc].aiv)
        assert list(found.arguments) == [value for name, value in named.items() if name not in ("x", "y")]
        assert found.kernel == f"{kernel.__name__}_float16_float16"


def test_what_is_decided_for_each_shape_is_refused() -> None:
    derived = host.launch_of(whole_rows, [HALF], (2, 2))
    with pytest.raises(NotForHost, match="whose constant COLS is computed for each shape, cannot be used") as caught:
        derived(host.dense((2, 2), host.float16), host.dense((2, 2), host.float16), host.soc_named("ascend910b"))
    assert "COLS=64" in str(caught.value)


def test_text(golden: Callable[[str, str], None]) -> None:
    function = _scaled.function
    golden("launch_of_scaled.txt", "".join(linecache.getlines(function.__code__.co_filename)))
