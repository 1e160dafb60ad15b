"""Scaled conversions against NumPy; the halves of blocks that a call leaves out keep what they held."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from call_kernels import NUMPY, Calls, Tensor, calls, same

from opwright import asc
from opwright.errors import OutOfRange, RaceError, RuleBroken, RuleError

OLD, NEW = "ascend910b", "ascend950"
ELEMENTS = 2048  # of the source; each becomes half of two bytes, or two bytes of four
PAIRS = [("int8", "int16"), ("uint8", "int16"), ("float16", "int32")]
FORMS = (
    "count",
    "mask, repeats, asc.UnaryRepeatParams(z_blk, x_blk, z_rep, x_rep)",
    "[low, high], repeats, asc.UnaryRepeatParams(z_blk, x_blk, z_rep, x_rep)",
)
PARAMETERS = "count: int, mask: int, low: int, high: int, repeats: int, z_blk: int, x_blk: int, z_rep: int, x_rep: int"
SCALES = (0.5, -1.25, 3.0, 0.01, 100.0, 0.0, 1e30, 3e38, 9.0, 0.3, 1.0, -0.5, 2.0, 0.125, 7.0, 1e-9)
OFFSETS = (0, 1, -1, 255, -256, 7, 3, 0, 5, 100, -100, 2, -2, 64, -64, 17)
SIGNS = (True, False, True, True, False, True, True, False, True, False, True, True, False, True, False, True)
FIVE = SCALES[:5]  # the others are 0
ONE = (0.75, -3)
FULL = 2**64 - 1
# Count, share of the lanes, bits, repeats, strides of blocks (destination, source), strides of repeats.
SHAPES = [
    (0, 1.0, (FULL, FULL), 1, (1, 1), (8, 8)),
    (1, 0.3, (0x5555555555555555, 0xAAAAAAAAAAAAAAAA), 3, (1, 1), (8, 8)),
    (127, 0.99, (1 << 63, 1), 4, (1, 1), (9, 8)),
    (128, 1.0, (5, 9), 3, (2, 1), (17, 8)),
    (129, 1.0, (0xF0F0, 1), 5, (1, 0), (8, 0)),
    (ELEMENTS - 3, 0.0, (0, 0), 3, (1, 1), (8, 8)),
    (64, 1.0, (FULL, 7), 0, (1, 1), (8, 8)),
    (65, 0.5, (FULL, FULL), 15, (1, 1), (8, 8)),
]
# is_vec_deq, half_block
WAYS = [(False, False), (False, True), (True, False), (True, True)]


def ways(source: str) -> list[tuple[bool, bool]]:
    return WAYS if source == "int16" else [(True, True)]


@cache
def made(folder: Path, soc: str, target: str, source: str) -> Calls:
    tensors = [
        Tensor("z", target, ELEMENTS * 2, written=True),
        Tensor("x", source, ELEMENTS),
        Tensor("w", "uint64", 16, written=True),
    ]
    texts = []
    for is_vec, high in ways(source):
        set_it = f"asc.set_deq_scale({ONE[0]}, {ONE[1]}, {target == 'int8'})"
        if source == "int32":
            set_it = f"asc.set_deq_scale({ONE[0]})"
        elif is_vec:
            # The scalar unit fills the tensor that the vector unit reads.
            set_it = f"asc.set_deq_scale(w_ub, asc.VdeqInfo({SCALES}, {OFFSETS}, {SIGNS}))"
            set_it += "\nasc.pipe_barrier(asc.PipeID.PIPE_ALL)"
        for form in FORMS:
            words = f"is_vec_deq={is_vec}, half_block={high}"
            texts.append(f"{set_it}\nasc.cast_deq(z_ub, x_ub, {form}, {words})")
    level = 3 if soc == OLD else 0  # the same functions once as users have them, once compiled fast
    return calls(folder, f"deq_{soc}_{target}_{source}", soc, tensors, PARAMETERS, texts, level)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("deq")


def contents(target: str, source: str, seed: int) -> dict[str, np.ndarray]:
    random, kind = np.random.default_rng(seed), NUMPY[source]
    x = random.integers(0, 256, ELEMENTS * kind.itemsize, dtype=np.uint8).view(kind).copy()
    if seed % 2:
        x = random.integers(-300, 300, ELEMENTS).astype(kind)
    limits = np.iinfo(kind)
    x[:6] = [0, 1, -1, limits.min, limits.max, 17]
    fill = np.nan if target == "float16" else 99
    return {"z": np.full(2 * ELEMENTS, fill, NUMPY[target]), "x": x, "w": np.full(16, 99, np.uint64)}


def computed(value: int, lane: int, is_vec: bool, target: str) -> int:
    scale, offset, signed = (*ONE, target == "int8")
    if is_vec:
        scale, offset, signed = SCALES[lane % 16], OFFSETS[lane % 16], SIGNS[lane % 16]
    low, high = (-128, 127) if signed else (0, 255)
    return round(min(max(float(value) * float(np.float32(scale)) + offset, low), high)) & 255


def expected(form: int, way: tuple[bool, bool], shape: tuple, held: dict[str, np.ndarray]) -> np.ndarray:
    count, share, words, repeats, (z_blk, x_blk), (z_rep, x_rep) = shape
    z, x = held["z"].copy(), held["x"]
    most, in_block = 256 // x.itemsize, 32 // x.itemsize
    lanes = list(range(int(np.ceil(most * share))))
    if form == 2:
        lanes = [lane for lane in range(most) if words[lane // 64] >> lane % 64 & 1]
    pairs = [(repeat, lane) for repeat in range(repeats) for lane in lanes]
    if form == 0:
        pairs = [(number // most, number % most) for number in range(count)]
        z_blk, x_blk, z_rep, x_rep = 1, 1, 8 if x.itemsize == 2 else 4, 8
    image = z.view(np.uint8)
    for repeat, lane in pairs:
        value = x[(repeat * x_rep + lane // in_block * x_blk) * in_block + lane % in_block]
        if z.dtype == np.float16:
            with np.errstate(over="ignore"):
                z[(repeat * z_rep + lane // 16 * z_blk) * 16 + lane % 16] = np.float16(float(value) * ONE[0])
        else:
            at = (repeat * z_rep + lane // 16 * z_blk) * 32 + lane % 16 + 16 * way[1]
            image[at] = computed(int(value), lane, way[0], z.dtype.name)
    return z


def arguments_of(shape: tuple, most: int) -> list[int]:
    count, share, words, repeats, blocks, steps = shape
    signed = [word - (1 << 64) if word >> 63 else word for word in words]
    return [count, int(np.ceil(most * share)), *signed, repeats, *blocks, *steps]


@pytest.mark.parametrize("soc", [OLD, NEW])
@pytest.mark.parametrize(("target", "source"), PAIRS)
def test_cast_deq(soc: str, target: str, source: str, folder: Path, ran: Callable, asserted: Callable) -> None:
    most = 256 // NUMPY[source].itemsize
    for seed, shape in enumerate(SHAPES):
        held = contents(target, source, seed)
        out = made(folder, soc, target, source).run(held, arguments_of(shape, most))
        for number, got in enumerate(out["z"]):
            way, form = ways(source)[number // 3], number % 3
            same(got, expected(form, way, shape, held), f"{soc} {source} to {target} {way} {form}: {shape}")
            ran("cast_deq", form, target)
            ran("cast_deq", form, source)
            words = out["w"][number]
            if way[0] and source == "int16":
                assert (words & 0xFFFFFFFF == np.array(SCALES, np.float32).view(np.uint32))[:5].all()
                assert [int(word) >> 37 & 511 for word in words] == [offset & 511 for offset in OFFSETS]
                assert [bool(int(word) >> 46 & 1) for word in words] == list(SIGNS)
                ran("set_deq_scale", 2, "uint64")
                asserted("VdeqInfo")
            else:
                assert (words == 99).all()
                ran("set_deq_scale", 0 if source == "int32" else 1, "")


USUAL = arguments_of((64, 0.5, (FULL, FULL), 1, (1, 1), (8, 8)), 128)


@pytest.mark.parametrize(("target", "source"), PAIRS)
def test_wrong_uses(target: str, source: str, folder: Path) -> None:
    casts, held = made(folder, OLD, target, source), contents(target, source, 0)
    casts.run(held, USUAL, checked=True)
    assert not casts.watched.check.report().findings
    short = {"z": 112 if source == "int16" else 63, "x": 63}
    for number in range(len(casts.calls)):
        for name, parameter in (("x", "src"), ("z", "dst")):
            with pytest.raises(OutOfRange):
                casts.run(held, USUAL, only=number, sizes={name: short[name] - 1})
            with pytest.raises(RuleError, match=f"{parameter} must start at a multiple of 32 bytes"):
                casts.run(held, USUAL, only=number, moved={name: 4})
        with pytest.raises(RuleError, match="dst overlaps src"):
            casts.run(held, USUAL, only=number, moved={"z": casts.tensors[0].bytes + 32})
        if "barrier" in casts.calls[number]:  # of the tensor of scales, which is about more; see below
            continue
        with pytest.raises(RaceError):
            casts.run(held, USUAL, only=number, is_right=False, checked=True)


@asc.jit
def scales(
    x: asc.GlobalAddress,
    y: asc.GlobalAddress,
    z: asc.GlobalAddress,
    is_vec: asc.ConstExpr[bool],
    last: asc.ConstExpr[int],
    overwritten: int,
):
    y_gm = asc.GlobalTensor()
    y_gm.set_global_buffer(y)
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    a = asc.LocalTensor(asc.int16, asc.TPosition.VECIN, 0, 64)
    c = asc.LocalTensor(asc.int8, asc.TPosition.VECOUT, 1024, 128)
    w = asc.LocalTensor(asc.uint64, asc.TPosition.VECCALC, 2048, 16)
    asc.data_copy(a, x_gm, 64)
    asc.duplicate(c.reinterpret_cast(asc.int16), 0, 64)
    if last == 1:
        asc.set_deq_scale(0.5, 0, True)
    elif last == 2:
        asc.set_deq_scale(w, asc.VdeqInfo(FIVE, OFFSETS, SIGNS))
    elif last == 3:
        asc.set_deq_scale(0.5)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    if overwritten:
        asc.data_copy(w, y_gm, 16)
    asc.cast_deq(c, a, 64, is_vec)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, c, 128)


def test_scales_of_another_kind() -> None:
    """One register holds them: what was set last counts."""
    x, y, z = np.zeros(64, np.int16), np.zeros(16, np.uint64), np.zeros(128, np.int8)
    for is_vec, last in ((False, 0), (False, 2), (False, 3), (True, 0), (True, 1), (True, 3)):
        with pytest.raises(RuleError, match="but that was not the last to set any"):
            scales[1](x, y, z, is_vec, last, 0)
    scales.check(perturb=4)[1](x, y, z, True, 2, 0)
    assert not scales.check.report().findings


def test_the_tensor_of_scales_is_read_by_the_call() -> None:
    x, y, z = np.zeros(64, np.int16), np.zeros(16, np.uint64), np.zeros(128, np.int8)
    with pytest.raises(RaceError):
        scales.check[1](x, y, z, True, 2, 1)


@asc.jit
def long_offset(z: asc.GlobalAddress, offset: asc.ConstExpr[int]):
    asc.set_deq_scale(0.5, offset, True)


def test_offsets_have_nine_bits() -> None:
    z = np.zeros(64, np.int8)
    for offset in (-257, 256):
        with pytest.raises(RuleBroken, match="offset must lie between -256 and 255"):
            long_offset[1](z, offset)
