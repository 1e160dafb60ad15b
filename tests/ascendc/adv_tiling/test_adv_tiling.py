"""Structs of composed calls: made of numbers in a kernel, or on the host and given to it by value."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from image import load

from opwright import asc
from opwright.ascendc.row import Row
from opwright.ascendc.table import AGGREGATES, ROWS
from opwright.errors import BadField, RuleBroken

HEADER = Path(asc.__file__).parents[1] / "twin" / "include" / "opwright" / "generated" / "calls" / "adv_tiling.h"
MADE = """\
from opwright import asc

@asc.jit
def kernel(x: asc.GlobalAddress, n: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    pipe = asc.TPipe()
    ub = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(ub, 6144)
    a = ub.get_with_offset(64, 0, asc.float32)
    b = ub.get_with_offset(64, 1024, asc.float32)
    s = ub.get_with_offset(64, 2048, asc.float32)
    m = ub.get_with_offset(64, 3072, asc.float32)
    tiling = {make}
    {call}
"""
CALLS = {
    "SoftmaxTiling": "asc.adv.softmax(b, s, m, a, tiling)",
    "RmsNormTiling": "asc.adv.rmsnorm(b, a, s, 0.5, tiling)",
}


def fields_in_cpp(row: Row) -> list[str]:
    """As the header has them, which is what the text fills one by one."""
    struct = re.search(rf"struct {row.cpp} {{(.*?)    {row.cpp}\(\)", HEADER.read_text(), re.DOTALL)
    assert struct
    return re.findall(r"\w+ (\w+)\{\};", struct[1])


@pytest.mark.parametrize("row", AGGREGATES.values(), ids=lambda row: row.name)
def test_fields(row: Row, tmp_path: Path, asserted: Callable[[str], None]) -> None:
    """Each field has its place in the text, under the name that Ascend C has for it."""
    names = fields_in_cpp(row)
    assert [re.sub(r"([A-Z])", lambda found: f"_{found[1].lower()}", name) for name in names] == list(
        row.forms[0].named
    )
    calls = "\n    ".join(
        [
            f"tiling = asc.adv.{row.short}({name}={7 + at})\n    {CALLS[row.short]}"
            for at, name in enumerate(row.forms[0].named)
        ]
    )
    kernel = load(tmp_path, "made", MADE.format(make=f"asc.adv.{row.short}()", call=calls)).kernel
    braces = re.findall(rf"{row.cpp}(?: \w+)?{{(.*?)}}", kernel.emit("f32[64]", 1))[-len(names) :]
    for at, (name, text) in enumerate(zip(row.forms[0].named, braces, strict=True)):
        values = [float(value.rstrip("f")) for value in text.split(", ")]
        assert values == [7.0 + at if other == at else 0.0 for other in range(len(names))], name
        asserted(f"{row.name}.{name}")
    asserted(row.name)


BY_VALUE = """\
from opwright import asc

@asc.jit
def norm(b: asc.LocalTensor, a: asc.LocalTensor, g: asc.LocalTensor, tiling: asc.adv.RmsNormTiling):
    asc.adv.rmsnorm(b, a, g, 0.0, tiling)

@asc.jit
def kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, tiling: asc.adv.SoftmaxTiling, norms: asc.adv.RmsNormTiling):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 128)
    y_gm = asc.GlobalTensor()
    y_gm.set_global_buffer(y, 256)
    pipe = asc.TPipe()
    ub = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(ub, 6144)
    a = ub.get_with_offset(128, 0, asc.float32)
    b = ub.get_with_offset(128, 1024, asc.float32)
    c = ub.get_with_offset(128, 2048, asc.float32)
    g = ub.get_with_offset(128, 3072, asc.float32)
    s = ub.get_with_offset(64, 4096, asc.float32)
    m = ub.get_with_offset(64, 5120, asc.float32)
    asc.data_copy(a, x_gm, tiling.src_m * tiling.src_k)
    asc.duplicate(g, 1.0, 128)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.adv.softmax(b, s, m, a, tiling)
    norm(c, a, g, norms)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(y_gm, b, 128)
    asc.data_copy(y_gm[128:], c, 128)
"""


def test_by_value(tmp_path: Path, ran: Callable[[str, int, str], None]) -> None:
    kernel = load(tmp_path, "by_value", BY_VALUE).kernel
    x, y = np.random.default_rng(1).standard_normal(128).astype(np.float32), np.full(256, np.nan, np.float32)
    for rows in (1, 4, 8):
        columns = 128 // rows
        softmax = asc.adv.softmax_tiling(rows, columns, asc.float32)
        norms = asc.adv.rms_norm_tiling(1, rows, columns, asc.float32)
        kernel.check[1](x, y, softmax, norms)
        data = x.reshape(rows, columns).astype(np.float64)
        powers = np.exp(data - data.max(1, keepdims=True))
        np.testing.assert_allclose(y[:128].reshape(data.shape), powers / powers.sum(1, keepdims=True), rtol=2e-6)
        mean = (data**2).mean(1, keepdims=True)
        np.testing.assert_allclose(y[128:].reshape(data.shape), data / np.sqrt(mean), rtol=1e-6)
        for name in ("adv.SoftmaxTiling", "adv.RmsNormTiling"):
            ran(name, 0, "")
    assert "AscendC::tiling::SoftMaxTiling softmax_tiling{tiling.src_m, tiling.src_k, " in kernel.emit(
        x, y, softmax, norms
    )


def test_on_the_host() -> None:
    tiling = asc.adv.SoftmaxTiling(4, src_k=64)
    assert dataclasses.asdict(tiling) == {name: {"src_m": 4, "src_k": 64}.get(name, 0) for name in vars(tiling)}
    assert list(vars(tiling)) == list(ROWS["adv.SoftmaxTiling"].forms[0].named)
    with pytest.raises(dataclasses.FrozenInstanceError):
        tiling.src_m = 5
    with pytest.raises(TypeError, match="rows"):
        asc.adv.SoftmaxTiling(rows=4)


def test_tilings_of_shapes() -> None:
    """By hand: 10 rows of 48, of which 4 go at once, leave 2; a row of 27 halves takes 32."""
    tiling = asc.adv.softmax_tiling(10, 48, asc.float16, at_once=4)
    numbers = (10, 48, 480, 10, 16, 160, 4, 48, 192, 4, 16, 64, 2, 2, 96, 32)
    assert dataclasses.astuple(tiling) == numbers
    norms = asc.adv.rms_norm_tiling(2, 3, 27, asc.float16, at_once=4)
    assert dataclasses.astuple(norms) == (2, 3, 32, 27, 1 / 27, 128, 4, 8, 1, 128, 64, 2)
    assert asc.adv.softmax_tiling(3, 16, asc.float32).range_m == 1
    assert asc.adv.softmax_tiling(0, 16, asc.float32).range_m == 0


def test_numbers_that_do_not_fit(tmp_path: Path) -> None:
    kernel = load(tmp_path, "by_value", BY_VALUE).kernel
    x, y = np.zeros(128, np.float32), np.zeros(256, np.float32)
    with pytest.raises(BadField, match="src_m"):
        kernel[1](x, y, asc.adv.SoftmaxTiling(-1), asc.adv.RmsNormTiling())
    text = MADE.format(make="asc.adv.SoftmaxTiling(-1)", call=CALLS["SoftmaxTiling"])
    with pytest.raises(RuleBroken, match="src_m"):
        load(tmp_path, "made", text).kernel[1](x, 1)
