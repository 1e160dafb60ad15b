"""bilinear_interpolation against NumPy, rounded to float16 at every step; what no lane touches keeps what it held."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from call_kernels import Calls, Tensor, calls, same

from opwright.errors import OutOfRange, RaceError, RuleError

OLD, NEW = "ascend910b", "ascend950"
ELEMENTS = 4096
FULL = 2**64 - 1
PARAMETERS = "mask: int, low: int, high: int, h: int, blk: int, apart: int, v: int"
# Share of the lanes, bits, h_repeat, dst_blk_stride, v_r_offset, v_repeat.
SHAPES = [
    (1.0, (FULL, FULL), 1, 1, 128, 1),
    (1.0, (FULL, FULL), 2, 1, 128, 2),
    (0.4, (0x5555555555555555, 0xAAAAAAAAAAAAAAAA), 3, 2, 272, 3),
    (0.0, (0, 1 << 63), 5, 1, 130, 4),
    (1.0, (1, 0), 31, 1, 1000, 1),
    (0.99, (FULL, 1), 1, 3, 400, 7),
]
WAYS = [(mask, mode) for mask in ("mask", "[low, high]") for mode in (False, True)]


@cache
def made(folder: Path, soc: str) -> Calls:
    tensors = [
        Tensor("z", "float16", ELEMENTS, written=True),
        Tensor("x", "float16", ELEMENTS),
        Tensor("o", "uint32", 512),
        Tensor("y", "float16", 512),
        Tensor("t", "uint8", 32 * 1024, written=True),
    ]
    texts = [
        f"asc.bilinear_interpolation(z_ub, x_ub, o_ub, y_ub, {mask}, h, {mode}, blk, apart, v, t_ub)"
        for mask, mode in WAYS
    ]
    return calls(folder, f"interpolation_{soc}", soc, tensors, PARAMETERS, texts)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("interpolation")


def contents(seed: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    x = (random.standard_normal(ELEMENTS) * 4).astype(np.float16)
    x[:4] = [np.inf, np.nan, 65504, -0.0]
    return {
        "z": np.full(ELEMENTS, np.nan, np.float16),
        "x": x,
        "o": (random.integers(0, ELEMENTS // 16, 512) * 32).astype(np.uint32),
        "y": random.standard_normal(512).astype(np.float16),
        "t": np.full(32 * 1024, 99, np.uint8),
    }


def expected(way: tuple[str, bool], shape: tuple, held: dict[str, np.ndarray]) -> tuple[np.ndarray, int]:
    """What dst holds, and how many bytes of the buffer are used."""
    share, words, h_repeat, stride, apart, v_repeat = shape
    mask, one_each = way
    chosen = [lane < int(np.ceil(128 * share)) for lane in range(128)]
    if mask != "mask":
        chosen = [bool(words[lane // 64] >> lane % 64 & 1) for lane in range(128)]
    z = held["z"].copy()
    for v in range(v_repeat):
        for block in range(8):
            total = None
            for h in range(h_repeat):
                number = (v * h_repeat + h) * 8 + block
                start = held["o"][number] // 2
                with np.errstate(all="ignore"):
                    product = held["x"][start : start + 16] * held["y"][number if one_each else number // 8]
                    total = product if total is None else total + product
            lanes = [i for i in range(16) if chosen[block * 16 + i]]
            z[[v * (apart // 16 * 16) + block * stride * 16 + i for i in lanes]] = total[lanes]
    turns = h_repeat * v_repeat
    weights = turns * 8 if one_each else -(-turns // 8) * 8
    return z, (turns * 8 + weights) * 32


def arguments_of(shape: tuple) -> list[int]:
    share, words, h_repeat, stride, apart, v_repeat = shape
    signed = [word - (1 << 64) if word >> 63 else word for word in words]
    return [int(np.ceil(128 * share)), *signed, h_repeat, stride, apart, v_repeat]


@pytest.mark.parametrize("soc", [OLD, NEW])
def test_interpolation(soc: str, folder: Path, ran: Callable[[str, int, str], None]) -> None:
    for seed, shape in enumerate(SHAPES):
        held = contents(seed)
        out = made(folder, soc).run(held, arguments_of(shape))
        for number, way in enumerate(WAYS):
            wanted, used = expected(way, shape, held)
            same(out["z"][number], wanted, f"{soc} {way} {shape}")
            assert (out["t"][number][:used] == 255).all() and (out["t"][number][used:] == 99).all()
            for dtype in ("float16", "uint32", "uint8"):
                ran("bilinear_interpolation", number // 2, dtype)


USUAL = arguments_of(SHAPES[1])


def test_wrong_uses(folder: Path) -> None:
    kernel, held = made(folder, OLD), contents(0)
    kernel.run(held, USUAL, checked=True)
    assert not kernel.watched.check.report().findings
    names = {"z": "dst", "x": "src0", "o": "src0_offset", "y": "src1", "t": "shared_tmp_buffer"}
    short = {"z": 255, "x": 64, "o": 31, "y": 7, "t": 1024}
    for number in range(len(WAYS)):
        for name, parameter in names.items():
            with pytest.raises(OutOfRange):
                kernel.run(held, USUAL, only=number, sizes={name: short[name]})
            with pytest.raises(RuleError, match=f"{parameter} must start at a multiple of 32 bytes"):
                kernel.run(held, USUAL, only=number, moved={name: 4})
        with pytest.raises(RuleError, match="dst overlaps src0"):
            kernel.run(held, USUAL, only=number, moved={"z": ELEMENTS * 2 + 32})
        with pytest.raises(RuleError, match="which 32 does not divide"):
            kernel.run(held | {"o": held["o"] + 2}, USUAL, only=number, sizes={"x": ELEMENTS})
        for position, value in ((3, 0), (5, 127), (6, 0)):
            with pytest.raises(RuleError, match="must lie between"):
                kernel.run(held, [*USUAL[:position], value, *USUAL[position + 1 :]], only=number)
        with pytest.raises(RaceError):
            kernel.run(held, USUAL, only=number, is_right=False, checked=True)
