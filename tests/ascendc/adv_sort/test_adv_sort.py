"""concat, sort and extract together against NumPy, extract by itself, and wrong uses."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from call_kernels import NUMPY, Calls, Tensor, calls
from image import load

from opwright.errors import OutOfRange, RaceError, RuleBroken, RuleError

MOST = 8  # groups of 32
ELEMENTS = 32 * MOST
TEXTS = (
    "asc.adv.extract(z_ub, k_ub, p_ub, repeats)",
    "asc.adv.concat(c_ub, x_ub, w_ub, 2 * repeats)\nasc.sort(p_ub, c_ub, i_ub, w_ub, repeats, True)\n"
    "asc.pipe_barrier(asc.PipeID.PIPE_V)\nasc.adv.extract(z_ub, k_ub, p_ub, repeats)",
)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("adv_sort")


@cache
def made(folder: Path, dtype: str) -> Calls:
    pairs = ELEMENTS * 8 // NUMPY[dtype].itemsize
    tensors = [
        Tensor("z", dtype, ELEMENTS, written=True),
        Tensor("k", "uint32", ELEMENTS, written=True),
        Tensor("c", dtype, ELEMENTS, written=True),
        Tensor("x", dtype, ELEMENTS),
        Tensor("i", "uint32", ELEMENTS),
        Tensor("p", dtype, pairs),
        Tensor("w", dtype, pairs),
    ]
    return calls(folder, f"sorts_{dtype}", "ascend910b", tensors, "repeats: int", TEXTS)


def contents(dtype: str, seed: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    pairs = random.integers(0, 256, ELEMENTS * 8, dtype=np.uint8)
    return {
        "z": np.full(ELEMENTS, np.nan, dtype),
        "k": np.full(ELEMENTS, 99, np.uint32),
        "c": np.full(ELEMENTS, 99, dtype),
        "x": random.integers(-50, 50, ELEMENTS).astype(dtype),
        "i": random.integers(0, 1 << 32, ELEMENTS, dtype=np.uint32),
        "p": pairs.view(dtype),
        "w": np.zeros(ELEMENTS * 8 // NUMPY[dtype].itemsize, dtype),
    }


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_concat_and_extract(dtype: str, folder: Path, ran: Callable[[str, int, str], None]) -> None:
    for seed, repeats in enumerate((0, 1, 2, 5, MOST)):
        held = contents(dtype, seed)
        out = made(folder, dtype).run(held, [repeats], checked=True)
        count = 32 * repeats
        raw = held["p"].view(np.uint8).reshape(-1, 8)[:count]
        bits = np.dtype(f"u{NUMPY[dtype].itemsize}")
        values, indices = raw[:, : bits.itemsize].copy().view(bits)[:, 0], raw[:, 4:].copy().view(np.uint32)[:, 0]
        np.testing.assert_array_equal(out["z"][0][:count].view(bits), values)
        np.testing.assert_array_equal(out["k"][0][:count], indices)
        order = np.argsort(-held["x"][:count].astype(np.float64), kind="stable")
        np.testing.assert_array_equal(out["z"][1][:count], held["x"][order])
        np.testing.assert_array_equal(out["k"][1][:count], held["i"][order])
        for number in (0, 1):
            assert np.isnan(out["z"][number][count:]).all() and (out["k"][number][count:] == 99).all()
            assert (out["c"][number] == 99).all(), "dst of concat stands for src: its own memory is left alone"
        for used in (dtype, "uint32"):
            ran("adv.extract", 0, used)
        ran("adv.concat", 0, dtype)
    assert not made(folder, dtype).watched.check.report().findings


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_wrong_uses(dtype: str, folder: Path) -> None:
    kernel, held = made(folder, dtype), contents(dtype, 0)
    for name in "zkp":
        with pytest.raises(OutOfRange):
            kernel.run(held, [2], only=0, sizes={name: 63}, checked=True)
    for name, parameter in {"z": "dst_value", "k": "dst_index", "p": "src"}.items():
        with pytest.raises(RuleError, match=f"{parameter} must start at a multiple of 32 bytes"):
            kernel.run(held, [2], only=0, moved={name: 4}, checked=True)
    with pytest.raises(RuleError, match="between 0 and 255"):
        kernel.run(held, [256], only=1, checked=True)
    for number in (0, 1):
        with pytest.raises(RaceError):
            kernel.run(held, [2], only=number, is_right=False, checked=True)


WRONG = """\
from opwright import asc

@asc.jit
def kernel(x: asc.GlobalAddress):
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 64)
    u = asc.LocalTensor(asc.uint32, asc.TPosition.VECCALC, 0, 64)
    b = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 1024, 64)
    {call}
"""


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        ("asc.adv.extract(a, u, b, 1)", RuleError, "dst_value overlaps dst_index"),
        ("asc.adv.extract(b, u, a, 1)", RuleError, "dst_index overlaps src"),
        ("asc.adv.extract(b, u, a, 256)", RuleBroken, "between 0 and 255"),
        ("asc.adv.concat(b, a, b, -1)", RuleBroken, "between 0 and 255"),
    ],
)
def test_refused(call: str, error: type[Exception], words: str, tmp_path: Path) -> None:
    kernel = load(tmp_path, "wrong", WRONG.format(call=call)).kernel
    with pytest.raises(error) as caught:
        kernel.check[1](np.ones(64, np.float32))
    assert words in str(caught.value)


def test_a_part_of_a_tensor_gets_a_name(tmp_path: Path) -> None:
    """The text sets a variable, which a part that nobody named has not."""
    kernel = load(tmp_path, "part", WRONG.format(call="asc.adv.concat(b[8:], a, b, 1)")).kernel
    kernel.check[1](np.ones(64, np.float32))
    assert "AscendC::LocalTensor<float> value = b[8];" in kernel.emit("f32[64]")
