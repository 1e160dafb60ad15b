"""Softmax of `asc.adv` against NumPy: rows and columns at run time, all pairs of types, in place, and wrong uses."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from call_kernels import NUMPY, Calls, Tensor, calls
from image import load

from opwright.errors import OutOfRange, RaceError, RuleBroken, RuleError

ELEMENTS, ROWS = 4096, 64
PAIRS = [("float16", "float16"), ("float32", "float32"), ("float16", "float32")]  # data; sum and max
TILING = "asc.adv.SoftmaxTiling(rows, columns, src_size=rows * columns)"
SHAPES = [(1, 16), (3, 32), (64, 64), (8, 80), (1, 4096), (0, 16), (17, 240)]
TEXTS = (
    f"asc.adv.softmax(z_ub, s_ub, m_ub, x_ub, {TILING})",
    f"asc.adv.softmax(z_ub, s_ub, m_ub, x_ub, {TILING}, t_ub, basic_block=True)",
    f"asc.adv.softmax(x_ub, s_ub, m_ub, x_ub, {TILING})\nasc.pipe_barrier(asc.PipeID.PIPE_V)\n"
    "asc.adds(z_ub, x_ub, 0, rows * columns)",
)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("adv_activation")


@cache
def made(folder: Path, data: str, result: str) -> Calls:
    in_block = 32 // NUMPY[result].itemsize
    tensors = [
        Tensor("z", data, ELEMENTS, written=True),
        Tensor("s", result, ROWS * in_block, written=True),
        Tensor("m", result, ROWS * in_block, written=True),
        Tensor("x", data, ELEMENTS),
        Tensor("t", "uint8", 64),
    ]
    return calls(folder, f"softmax_{data}_{result}", "ascend910b", tensors, "rows: int, columns: int", TEXTS)


def contents(data: str, result: str, seed: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    in_block = 32 // NUMPY[result].itemsize
    return {
        "z": np.full(ELEMENTS, np.nan, data),
        "s": np.full(ROWS * in_block, 99, result),
        "m": np.full(ROWS * in_block, 99, result),
        "x": (5 * random.standard_normal(ELEMENTS)).astype(data),
        "t": np.zeros(64, np.uint8),
    }


def close(got: np.ndarray, wanted: np.ndarray, what: str) -> None:
    """Within two ulps of the type: the steps between are rounded to float32."""
    tolerance = 2 * np.finfo(got.dtype).eps
    tiny = float(np.finfo(got.dtype).smallest_subnormal)
    np.testing.assert_allclose(got.astype(np.float64), wanted, rtol=max(tolerance, 2e-6), atol=tiny, err_msg=what)


@pytest.mark.parametrize(("data", "result"), PAIRS)
def test_softmax(data: str, result: str, folder: Path, ran: Callable[[str, int, str], None]) -> None:
    in_block = 32 // NUMPY[result].itemsize
    for seed, (rows, columns) in enumerate(SHAPES):
        held = contents(data, result, seed)
        out = made(folder, data, result).run(held, [rows, columns], checked=True)
        x = held["x"][: rows * columns].reshape(rows, columns).astype(np.float64)
        greatest = x.max(1, keepdims=True, initial=-np.inf)
        powers = np.exp(x - greatest)
        total = powers.sum(1, keepdims=True)
        for number in range(len(TEXTS)):
            what = f"{number}: {data} {result} {rows} x {columns}"
            z, s, m = (out[name][number] for name in "zsm")
            close(z[: rows * columns].reshape(rows, columns), powers / total, what)
            close(s[: rows * in_block].reshape(rows, in_block), np.broadcast_to(total, (rows, in_block)), what)
            wide = np.broadcast_to(greatest, (rows, in_block))
            np.testing.assert_array_equal(m[: rows * in_block].reshape(rows, in_block), wide.astype(result), what)
            assert np.isnan(z[rows * columns :]).all()
            assert (s[rows * in_block :] == 99).all() and (m[rows * in_block :] == 99).all()
            for dtype in (data, result, *(["uint8"] * (number == 1))):
                ran("adv.softmax", int(number == 1), dtype)
    assert not made(folder, data, result).watched.check.report().findings


def test_special_rows(folder: Path) -> None:
    """By hand: a NaN spoils its row, infinity makes NaN, equal elements share."""
    held = contents("float32", "float32", 0)
    x = held["x"][:64].reshape(4, 16)
    x[0, 3], x[1, 5], x[2] = np.nan, np.inf, 7.0
    x[3] = -np.inf
    out = made(folder, "float32", "float32").run(held, [4, 16])
    z, m = out["z"][0][:64].reshape(4, 16), out["m"][0].reshape(-1, 8)[:4, 0]
    assert np.isnan(z[0]).all() and np.isnan(z[1]).all() and np.isnan(z[3]).all()
    assert (z[2] == 1 / 16).all()
    assert np.isnan(m[0]) and m[1] == np.inf and m[2] == 7 and m[3] == -np.inf


@pytest.mark.parametrize(("data", "result"), PAIRS)
def test_wrong_uses(data: str, result: str, folder: Path) -> None:
    kernel, held = made(folder, data, result), contents(data, result, 0)
    in_block = 32 // NUMPY[result].itemsize
    for number in (0, 1):
        for name, size in {"z": 127, "x": 127, "s": 8 * in_block - 1, "m": 8 * in_block - 1}.items():
            with pytest.raises(OutOfRange):
                kernel.run(held, [8, 16], only=number, sizes={name: size}, checked=True)
        parameters = {"z": "dst", "x": "src", "s": "sum", "m": "max", **({"t": "temp_buffer"} if number else {})}
        for name, parameter in parameters.items():
            with pytest.raises(RuleError, match=f"{parameter} must start at a multiple of 32 bytes"):
                kernel.run(held, [8, 16], only=number, moved={name: 4}, checked=True)
        with pytest.raises(RaceError):
            kernel.run(held, [8, 16], only=number, is_right=False, checked=True)


WRONG = """\
from opwright import asc

@asc.jit
def kernel(x: asc.GlobalAddress, y: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 128)
    pipe = asc.TPipe()
    ub = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(ub, 6144)
    a = ub.get_with_offset(128, 0, asc.float32)
    b = ub.get_with_offset(128, 1024, asc.float32)
    s = ub.get_with_offset(64, 2048, asc.float32)
    m = ub.get_with_offset(64, 3072, asc.float32)
    h = ub.get_with_offset(128, 4096, asc.float16)
    t = ub.get_with_offset(256, 5120, asc.uint8)
    b8 = asc.GlobalTensor()
    b8.set_global_buffer(y, 32)
    asc.data_copy(a, x_gm, 128)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    tiling = asc.adv.SoftmaxTiling(2, 64)
    {call}
"""


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        ("asc.adv.softmax(b, s, s, a, tiling)", RuleError, "max overlaps sum"),
        ("asc.adv.softmax(b, s, a, a, tiling)", RuleError, "max overlaps src"),
        ("asc.adv.softmax(a[8:], s, m, a, tiling)", RuleError, "overlap"),
        ("asc.adv.softmax(b, s, m, a, tiling, b.reinterpret_cast(asc.uint8))", RuleError, "temp_buffer overlaps dst"),
        ("asc.adv.softmax(b, s, m, a, tiling, data_format_nz=True)", RuleBroken, "data_format_nz"),
        ("asc.adv.softmax(b, h, h, a, tiling)", RuleBroken, "float32"),
        ("asc.adv.softmax(b, s, m, a, asc.adv.SoftmaxTiling(1 << 40))", RuleBroken, "src_m"),
        ("asc.adv.softmax(b, s, m, a, tiling)\n    asc.data_copy(x_gm, s, 8)", RaceError, ""),
        ("asc.adv.softmax(b, s, m, a, tiling, t)\n    asc.data_copy(b8, t, 32)", RaceError, ""),
    ],
)
def test_overlaps(call: str, error: type[Exception], words: str, tmp_path: Path) -> None:
    kernel = load(tmp_path, "wrong", WRONG.format(call=call)).kernel
    with pytest.raises(error) as caught:
        kernel.check[1](np.ones(128, np.float32), np.ones(32, np.uint8))
    assert words in str(caught.value)
