"""rmsnorm of `asc.adv` against NumPy: rows at run time, padded ones among them, and wrong uses."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from call_kernels import Calls, Tensor, calls

from opwright.errors import OutOfRange, RaceError, RuleError

ELEMENTS, LONGEST = 4096, 1024
TILING = "asc.adv.RmsNormTiling(b, s, h, original, reciprocal)"
SHAPES = [(1, 1, 16, 16), (2, 3, 32, 27), (4, 4, 240, 240), (1, 4, 1024, 1000), (0, 3, 16, 16)]
EPSILON = 0.125
TEXTS = (
    f"asc.adv.rmsnorm(z_ub, x_ub, g_ub, {EPSILON}, {TILING})",
    f"asc.adv.rmsnorm(z_ub, x_ub, g_ub, {EPSILON}, {TILING}, t_ub, True)",
)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("adv_normalization")


@cache
def made(folder: Path, dtype: str) -> Calls:
    tensors = [
        Tensor("z", dtype, ELEMENTS, written=True),
        Tensor("x", dtype, ELEMENTS),
        Tensor("g", dtype, LONGEST),
        Tensor("t", "uint8", 64),
    ]
    parameters = "b: int, s: int, h: int, original: int, reciprocal: float"
    return calls(folder, f"rmsnorm_{dtype}", "ascend910b", tensors, parameters, TEXTS)


def contents(dtype: str, seed: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    return {
        "z": np.full(ELEMENTS, np.nan, dtype),
        "x": (3 * random.standard_normal(ELEMENTS)).astype(dtype),
        "g": random.standard_normal(LONGEST).astype(dtype),
        "t": np.zeros(64, np.uint8),
    }


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_rmsnorm(dtype: str, folder: Path, ran: Callable[[str, int, str], None]) -> None:
    for seed, (b, s, h, original) in enumerate(SHAPES):
        held = contents(dtype, seed)
        out = made(folder, dtype).run(held, [b, s, h, original, 1 / original], checked=True)["z"]
        x = held["x"][: b * s * h].reshape(b * s, h).astype(np.float64)
        mean = (x[:, :original] ** 2).sum(1, keepdims=True) / original
        wanted = x / np.sqrt(mean + EPSILON) * held["g"][:h].astype(np.float64)
        for form, got in enumerate(out):
            data = got[: b * s * h].reshape(b * s, h).astype(np.float64)
            error = float(np.finfo(dtype).eps) if dtype == "float16" else 5e-7
            np.testing.assert_allclose(data, wanted, rtol=error, atol=1e-7, err_msg=f"{form} {b} {s} {h} {original}")
            assert np.isnan(got[b * s * h :]).all()
            for used in (dtype, *(["uint8"] * form)):
                ran("adv.rmsnorm", form, used)
    assert not made(folder, dtype).watched.check.report().findings


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_wrong_uses(dtype: str, folder: Path) -> None:
    kernel, held = made(folder, dtype), contents(dtype, 0)
    usual = [2, 4, 16, 16, 1 / 16]
    for number in (0, 1):
        for name, size in {"z": 127, "x": 127, "g": 15}.items():
            with pytest.raises(OutOfRange):
                kernel.run(held, usual, only=number, sizes={name: size}, checked=True)
        parameters = {"z": "dst", "x": "src", "g": "gamma", **({"t": "temp_buffer"} if number else {})}
        for name, parameter in parameters.items():
            with pytest.raises(RuleError, match=f"{parameter} must start at a multiple of 32 bytes"):
                kernel.run(held, usual, only=number, moved={name: 4}, checked=True)
        with pytest.raises(RaceError):
            kernel.run(held, usual, only=number, is_right=False, checked=True)
