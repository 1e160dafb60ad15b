"""Fills and broadcasts against loops in NumPy; what lies between blocks and beside lanes keeps what it held."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from call_kernels import NUMPY, Calls, Tensor, calls, same, takes

from opwright.ascendc.dtypes import DTYPES
from opwright.errors import OutOfRange, RaceError, RuleError

OLD, NEW = "ascend910b", "ascend950"
OUTPUT, INPUT = 72 * 1024, 20 * 1024  # bytes
KINDS = [(NEW, dtype) for dtype in DTYPES] + [(OLD, dtype) for dtype in DTYPES if takes("brcb", 0, OLD, T=dtype)]
CALLS = [
    ("duplicate", 0, "z_ub, s, count"),
    ("duplicate", 1, "z_ub, s, mask, repeats, dst_blk, dst_rep"),
    ("duplicate", 2, "z_ub, s, [low, high], repeats, dst_blk, dst_rep"),
    ("brcb", 0, "z_ub, x_ub, repeats, asc.BrcbRepeatParams(dst_blk, dst_rep)"),
]
# Share of the lanes, bits, repeats, strides of blocks and of repeats.
FULL = 2**64 - 1
SHAPES = [
    (1.0, (FULL, FULL), 1, 1, 8),
    (0.3, (0x5555555555555555, 0xAAAAAAAAAAAAAAAA), 3, 1, 8),
    (0.99, (1 << 63, 1), 255, 1, 8),
    (0.01, (0, 1 << 40), 4, 2, 17),
    (1.0, (5, 9), 5, 3, 1),
    (0.7, (0xF0F0, 1), 3, 1, 0),
    (0.0, (0, 0), 3, 1, 8),
    (1.0, (FULL, 7), 0, 1, 8),
]
COUNTS = (0, 1, 63, 64, 65, 129, 4097, 8000)


def taken(soc: str, dtype: str) -> list[tuple[str, int, str]]:
    return [one for one in CALLS if takes(*one[:2], soc, T=dtype)]


@cache
def made(folder: Path, soc: str, dtype: str) -> Calls:
    size = NUMPY[dtype].itemsize
    tensors = [Tensor("z", dtype, OUTPUT // size, written=True), Tensor("x", dtype, INPUT // size)]
    scalar = "float" if DTYPES[dtype].is_float() else "int"
    parameters = f"s: {scalar}, mask: int, low: int, high: int, repeats: int, dst_blk: int, dst_rep: int, count: int"
    texts = [f"asc.{call}({arguments})" for call, _, arguments in taken(soc, dtype)]
    level = 3 if soc == OLD else 0  # the same functions once as users have them, once compiled fast
    return calls(folder, f"fills_{soc}_{dtype}", soc, tensors, parameters, texts, level)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fills")


def given(dtype_name: str) -> dict[str, np.ndarray]:
    dtype = NUMPY[dtype_name]
    fill = np.nan if DTYPES[dtype_name].is_float() else 99
    x = np.random.default_rng(1).integers(0, 256, INPUT, dtype=np.uint8).view(dtype)
    return {"z": np.full(OUTPUT // dtype.itemsize, fill, dtype), "x": x}


def lanes_of(shape: tuple, most: int, by_bits: bool) -> list[int]:
    share, words = shape[:2]
    if by_bits:
        return [lane for lane in range(min(most, 128)) if words[lane // 64] >> lane % 64 & 1]
    return list(range(int(np.ceil(most * share))))


def expected(number: int, shape: tuple, count: int, scalar: object, held: dict[str, np.ndarray]) -> np.ndarray:
    z, x = held["z"].copy(), held["x"]
    *_, repeats, block, step = shape
    in_block = 32 // z.itemsize
    if number == 0:
        z[:count] = scalar
    elif number < 3:
        for repeat in range(repeats):
            for lane in lanes_of(shape, 256 // z.itemsize, by_bits=number == 2):
                z[(repeat * step + lane // in_block * block) * in_block + lane % in_block] = scalar
    else:
        for i in range(8 * repeats):
            start = (i // 8 * step + i % 8 * block) * in_block
            z[start : start + in_block] = x[i]
    return z


def arguments_of(shape: tuple, scalar: float, count: int, most: int) -> list[float]:
    words = [word - (1 << 64) if word >> 63 else word for word in shape[1]]
    return [scalar, len(lanes_of(shape, most, by_bits=False)), *words, *shape[2:], count]


@pytest.mark.parametrize(("soc", "dtype"), KINDS)
def test_fills(soc: str, dtype: str, folder: Path, ran: Callable[[str, int, str], None]) -> None:
    held, most = given(dtype), 256 // NUMPY[dtype].itemsize
    scalar = 7 if DTYPES[dtype].is_int() else -0.75
    for shape, count in zip(SHAPES, COUNTS, strict=True):
        out = made(folder, soc, dtype).run(held, arguments_of(shape, scalar, count, most))["z"]
        for number, (call, form, arguments) in enumerate(taken(soc, dtype)):
            same(
                out[number],
                expected(CALLS.index((call, form, arguments)), shape, count, scalar, held),
                f"{call} {form} {soc} {dtype} {shape} {count}",
            )
            ran(call, form, dtype)
    ran("BrcbRepeatParams", 0, "")


USUAL = arguments_of((1.0, (FULL, FULL), 2, 1, 8), 2.0, 128, 64)


def test_right_under_check(folder: Path) -> None:
    made(folder, OLD, "float32").run(given("float32"), USUAL, checked=True)
    assert not made(folder, OLD, "float32").watched.check.report().findings


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_wrong_uses(number: int, folder: Path) -> None:
    fills, held = made(folder, OLD, "float32"), given("float32")
    with pytest.raises(OutOfRange):
        fills.run(held, USUAL, only=number, sizes={"z": 127})
    with pytest.raises(RuleError, match="dst must start at a multiple of 32 bytes"):
        fills.run(held, USUAL, only=number, moved={"z": 4})
    with pytest.raises(RaceError):
        fills.run(held, USUAL, only=number, is_right=False, checked=True)


def test_wrong_uses_of_brcb(folder: Path) -> None:
    fills, held = made(folder, OLD, "float32"), given("float32")
    with pytest.raises(OutOfRange):
        fills.run(held, USUAL, only=3, sizes={"x": 15})
    with pytest.raises(RuleError, match="src0 must start"):
        fills.run(held, USUAL, only=3, moved={"x": 4})
    with pytest.raises(RuleError, match="overlap"):
        fills.run(held, USUAL, only=3, moved={"z": OUTPUT + 32})
    still = [*USUAL[:5], 0, *USUAL[6:]]
    with pytest.raises(RuleError, match="dst_blk_stride of repeat_params must not be 0"):
        fills.run(held, still, only=3)
    with pytest.raises(RuleError, match="dst_block_stride must lie between 1 and 65535"):
        fills.run(held, still, only=1)
