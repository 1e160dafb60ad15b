"""Copies by lanes of repeats, against loops in NumPy; what no lane touches keeps what it held."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from call_kernels import NUMPY, Calls, Tensor, calls, same, takes

from opwright import asc
from opwright.ascendc.dtypes import DTYPES
from opwright.errors import OutOfRange, RaceError, RuleError

OLD, NEW = "ascend910b", "ascend950"
BYTES = 72 * 1024
KINDS = [(soc, dtype) for soc in (NEW, OLD) for dtype in DTYPES if takes("copy", 0, soc, T=dtype)]
FULL = 2**64 - 1
# Share of the lanes, bits, repeats, strides of blocks, strides of repeats.
SHAPES = [
    (1.0, (FULL, FULL), 1, (1, 1), (8, 8)),
    (1.0, (FULL, FULL), 255, (1, 1), (8, 8)),
    (0.3, (0x5555555555555555, 0xAAAAAAAAAAAAAAAA), 3, (1, 1), (8, 8)),
    (0.01, (1 << 63, 1), 4, (2, 3), (17, 25)),
    (0.99, (0, 1 << 40), 5, (1, 0), (9, 1)),
    (1.0, (5, 9), 3, (1, 1), (0, 8)),
    (1.0, (5, 9), 3, (3, 1), (1, 0)),
    (0.0, (0, 0), 3, (1, 1), (8, 8)),
    (1.0, (FULL, 7), 0, (1, 1), (8, 8)),
]


@cache
def made(folder: Path, soc: str, dtype: str) -> Calls:
    elements = BYTES // NUMPY[dtype].itemsize
    tensors = [Tensor("z", dtype, elements, written=True), Tensor("x", dtype, elements)]
    params = "asc.CopyRepeatParams(dst_blk, src_blk, dst_rep, src_rep)"
    parameters = "mask: int, low: int, high: int, repeats: int, dst_blk: int, src_blk: int, dst_rep: int, src_rep: int"
    texts = [f"asc.copy(z_ub, x_ub, {mask}, repeats, {params})" for mask in ("mask", "[low, high]")]
    level = 3 if soc == OLD else 0  # the same functions once as users have them, once compiled fast
    return calls(folder, f"copies_{soc}_{dtype}", soc, tensors, parameters, texts, level)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("copies")


def contents(dtype: str) -> dict[str, np.ndarray]:
    x = np.random.default_rng(3).integers(0, 256, BYTES, dtype=np.uint8).view(NUMPY[dtype])
    fill = np.nan if DTYPES[dtype].is_float() else 99
    return {"x": x, "z": np.full(len(x), fill, NUMPY[dtype])}


def lanes_of(shape: tuple, most: int, form: int) -> list[int]:
    if form == 0:
        return list(range(int(np.ceil(most * shape[0]))))
    return [lane for lane in range(min(most, 128)) if shape[1][lane // 64] >> lane % 64 & 1]


def expected(shape: tuple, form: int, held: dict[str, np.ndarray]) -> np.ndarray:
    _, _, repeats, (dst_blk, src_blk), (dst_rep, src_rep) = shape
    z, x = held["z"].copy(), held["x"]
    in_block = 32 // z.itemsize
    for repeat in range(repeats):
        for lane in lanes_of(shape, 256 // z.itemsize, form):
            block, rest = divmod(lane, in_block)
            z[(repeat * dst_rep + block * dst_blk) * in_block + rest] = x[
                (repeat * src_rep + block * src_blk) * in_block + rest
            ]
    return z


def arguments_of(shape: tuple, most: int) -> list[int]:
    words = [word - (1 << 64) if word >> 63 else word for word in shape[1]]
    return [len(lanes_of(shape, most, 0)), *words, shape[2], *shape[3], *shape[4]]


@pytest.mark.parametrize(("soc", "dtype"), KINDS)
def test_copies(soc: str, dtype: str, folder: Path, ran: Callable[[str, int, str], None]) -> None:
    held, most = contents(dtype), 256 // NUMPY[dtype].itemsize
    for shape in SHAPES:
        out = made(folder, soc, dtype).run(held, arguments_of(shape, most))["z"]
        for form, got in enumerate(out):
            same(got, expected(shape, form, held), f"{soc} {dtype} {form} {shape}")
            ran("copy", form, dtype)
    ran("CopyRepeatParams", 0, "")


USUAL = arguments_of((1.0, (FULL, FULL), 2, (1, 1), (8, 8)), 64)


def test_wrong_uses(folder: Path) -> None:
    copies, held = made(folder, OLD, "float32"), contents("float32")
    copies.run(held, USUAL, checked=True)
    assert not copies.watched.check.report().findings
    for number in range(2):
        for name, parameter in (("z", "dst"), ("x", "src")):
            with pytest.raises(OutOfRange):
                copies.run(held, USUAL, only=number, sizes={name: 127})
            with pytest.raises(RuleError, match=f"{parameter} must start at a multiple of 32 bytes"):
                copies.run(held, USUAL, only=number, moved={name: 4})
        with pytest.raises(RuleError, match="overlap"):
            copies.run(held, USUAL, only=number, moved={"z": BYTES + 32 + 32})
        with pytest.raises(RuleError, match="dst_stride of repeat_params must not be 0"):
            copies.run(held, [*USUAL[:4], 0, *USUAL[5:]], only=number)
        with pytest.raises(RaceError):
            copies.run(held, USUAL, only=number, is_right=False, checked=True)


@asc.jit
def by_register(x: asc.GlobalAddress, z: asc.GlobalAddress, count: int, low: int):
    """The mask register as it is, first a number of elements, then bits; the masks of the calls mean nothing."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 256)
    b = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 1024, 512)
    params = asc.CopyRepeatParams(1, 1, 8, 8)
    asc.data_copy(a, x_gm, 256)
    asc.data_copy(b, z_gm, 512)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.set_mask_count()
    asc.set_vector_mask(count, asc.float32, asc.MaskMode.COUNTER)
    asc.copy(b, a, 1, 1, params, is_set_mask=False)
    asc.set_mask_norm()
    asc.set_vector_mask(0, low, asc.float32, asc.MaskMode.NORMAL)
    asc.copy(b[256:], a, [1], 3, params, False)
    asc.reset_mask()
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, b, 512)


@pytest.mark.parametrize("count", [0, 1, 64, 130])
def test_masks_of_the_register(count: int) -> None:
    x, z = np.arange(256, dtype=np.float32), np.full(512, np.nan, np.float32)
    by_register[1](x, z, count, 0b1011)
    wanted = np.full(512, np.nan, np.float32)
    wanted[:count] = x[:count]
    for start in (0, 64, 128):
        for lane in (0, 1, 3):
            wanted[256 + start + lane] = x[start + lane]
    np.testing.assert_array_equal(z, wanted)
