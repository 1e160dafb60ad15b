"""quant of `asc.adv` against NumPy, bit for bit: every float16, float32 of every kind, every form, and wrong uses."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from call_kernels import Calls, Tensor, calls

from opwright.errors import OutOfRange, RaceError, RuleError

ELEMENTS = 4096
TEXTS = (
    "asc.adv.quant(z_ub, x_ub, scale, offset)",
    "asc.adv.quant(z_ub, x_ub, scale, offset, count)",
    "asc.adv.quant(z_ub, x_ub, scale, offset, temp_buffer=t_ub)",
    "asc.adv.quant(z_ub, x_ub, scale, offset, count, t_ub)",
)
SCALES = [(1.0, 0.0), (0.1, -3.3), (-2.5, 0.5), (1e5, 0.0)]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("adv_quantization")


@cache
def made(folder: Path, dtype: str) -> Calls:
    tensors = [Tensor("z", "int8", ELEMENTS, written=True), Tensor("x", dtype, ELEMENTS), Tensor("t", "uint8", 64)]
    return calls(folder, f"quant_{dtype}", "ascend910b", tensors, "scale: float, offset: float, count: int", TEXTS)


def reference(x: np.ndarray, scale: float, offset: float) -> np.ndarray:
    """Every step in float16, then to the nearest integer that int8 has."""
    with np.errstate(all="ignore"):
        scaled = x.astype(np.float16) * np.float32(scale).astype(np.float16)
        rounded = np.rint((scaled + np.float32(offset).astype(np.float16)).astype(np.float64))
    return np.clip(np.nan_to_num(rounded, nan=0.0), -128, 127).astype(np.int8)


def data(dtype: str) -> np.ndarray:
    if dtype == "float16":
        return np.arange(65536, dtype=np.uint16).view(np.float16)
    random = np.random.default_rng(4)
    values = (100 * random.standard_normal(16384)).astype(np.float32)
    values[::5] = random.integers(0, 1 << 32, len(values[::5]), dtype=np.uint32).view(np.float32)
    return values


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_quant(dtype: str, folder: Path, ran: Callable[[str, int, str], None]) -> None:
    z = np.full(ELEMENTS, 99, np.int8)
    x = data(dtype)
    for number, start in enumerate(range(0, len(x), ELEMENTS)):
        part = x[start : start + ELEMENTS]
        scale, offset = SCALES[number % len(SCALES)]
        count = (0, 1, 31, 127, 128, 129, ELEMENTS - 1, ELEMENTS)[number % 8]
        held = {"z": z, "x": part, "t": np.zeros(64, np.uint8)}
        out = made(folder, dtype).run(held, [scale, offset, count], checked=True)["z"]
        right = reference(part, scale, offset)
        for form, got in enumerate(out):
            much = count if form % 2 else ELEMENTS
            np.testing.assert_array_equal(got[:much], right[:much], f"{dtype} {form} {scale} {offset}")
            assert (got[much:] == 99).all()
            for used in (dtype, "int8", *(["uint8"] * (form > 1))):
                ran("adv.quant", form, used)
    assert not made(folder, dtype).watched.check.report().findings


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_wrong_uses(dtype: str, folder: Path) -> None:
    kernel = made(folder, dtype)
    held = {"z": np.zeros(ELEMENTS, np.int8), "x": np.ones(ELEMENTS, dtype), "t": np.zeros(64, np.uint8)}
    usual = [1.0, 0.0, 64]
    for number in range(4):
        for name in ("z", *(["x"] * (number % 2))):
            with pytest.raises(OutOfRange):
                kernel.run(held, usual, only=number, sizes={"x": 64, name: 63}, checked=True)
        parameters = {"z": "dst", "x": "src", **({"t": "temp_buffer"} if number > 1 else {})}
        for name, parameter in parameters.items():
            with pytest.raises(RuleError, match=f"{parameter} must start at a multiple of 32 bytes"):
                kernel.run(held, usual, only=number, moved={name: 4}, checked=True)
        with pytest.raises(RaceError):
            kernel.run(held, usual, only=number, is_right=False, checked=True)
