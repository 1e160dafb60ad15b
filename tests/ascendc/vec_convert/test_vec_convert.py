"""Calls that compute and convert at once, against NumPy; what no lane touches keeps what it held."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from call_kernels import NUMPY, Calls, Tensor, calls, same

from opwright import asc
from opwright.ascendc.dtypes import DTYPES
from opwright.errors import OutOfRange, RaceError, RuleBroken, RuleError

OLD, NEW = "ascend910b", "ascend950"
ELEMENTS = 16384
SCALE = 0.25
# Type of the destination and of the sources -> the calls.
CALLS = {
    ("int8", "float16"): ("add_relu_cast", "sub_relu_cast", "mul_cast"),
    ("uint8", "float16"): ("mul_cast",),
    ("int8", "int16"): ("add_relu_cast", "sub_relu_cast"),
    ("float16", "float32"): ("add_relu_cast", "sub_relu_cast"),
    ("float16", "int32"): ("add_deq_relu",),
}
FORMS = (
    "count",
    "mask, repeats, asc.BinaryRepeatParams(z_blk, x_blk, y_blk, z_rep, x_rep, y_rep)",
    "[low, high], repeats, asc.BinaryRepeatParams(z_blk, x_blk, y_blk, z_rep, x_rep, y_rep)",
)
PARAMETERS = "count: int, mask: int, low: int, high: int, repeats: int, " + ", ".join(
    f"{name}_{kind}: int" for kind in ("blk", "rep") for name in "zxy"
)
FULL = 2**64 - 1
# Count, share of the lanes, bits, repeats, strides of blocks, strides of repeats.
SHAPES = [
    (0, 1.0, (FULL, FULL), 1, (1, 1, 1), (8, 8, 8)),
    (1, 0.3, (0x5555555555555555, 0xAAAAAAAAAAAAAAAA), 3, (1, 1, 1), (8, 8, 8)),
    (127, 0.99, (1 << 63, 1), 4, (1, 1, 1), (9, 8, 10)),
    (128, 1.0, (5, 9), 3, (2, 3, 0), (17, 25, 1)),
    (129, 1.0, (0xF0F0, 1), 5, (1, 0, 1), (8, 0, 8)),
    (ELEMENTS - 3, 0.0, (0, 0), 3, (1, 1, 1), (8, 8, 8)),
    (64, 1.0, (FULL, 7), 0, (1, 1, 1), (8, 8, 8)),
    (65, 0.5, (FULL, FULL), 60, (1, 1, 1), (8, 8, 8)),
]


@cache
def made(folder: Path, soc: str, target: str, source: str) -> Calls:
    tensors = [
        Tensor("z", target, ELEMENTS, written=True),
        Tensor("x", source, ELEMENTS),
        Tensor("y", source, ELEMENTS),
    ]
    texts = [
        f"{f'asc.set_deq_scale({SCALE})' * ('deq' in call)}\nasc.{call}(z_ub, x_ub, y_ub, {form})".strip()
        for call in CALLS[target, source]
        for form in FORMS
    ]
    level = 3 if soc == OLD else 0  # the same functions once as users have them, once compiled fast
    return calls(folder, f"casts_{soc}_{target}_{source}", soc, tensors, PARAMETERS, texts, level)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("casts")


def contents(target: str, source: str, seed: int) -> dict[str, np.ndarray]:
    random, kind = np.random.default_rng(seed), NUMPY[source]

    def numbers() -> np.ndarray:
        if seed % 2:
            return random.integers(0, 256, ELEMENTS * kind.itemsize, dtype=np.uint8).view(kind)
        return (random.standard_normal(ELEMENTS) * 40).astype(kind)

    fill = np.nan if DTYPES[target].is_float() else 99
    return {"z": np.full(ELEMENTS, fill, NUMPY[target]), "x": numbers(), "y": numbers()}


def computed(call: str, a: np.ndarray, b: np.ndarray, target: np.dtype) -> np.ndarray:
    with np.errstate(all="ignore"):
        if call == "add_deq_relu":
            value = ((a + b).astype(np.float64) * SCALE).astype(np.float16)
        else:
            value = a * b if call == "mul_cast" else a + b if call.startswith("add") else a - b
        if "relu" in call:
            value = np.where(value > 0, value, 0).astype(value.dtype)
        if target.kind == "f":
            return value.astype(target)
        limits = np.iinfo(target)
        whole = np.rint(np.nan_to_num(value.astype(np.float64), nan=0, posinf=1e9, neginf=-1e9))
        return np.clip(whole, limits.min, limits.max).astype(target)


def places(dtype: np.dtype, lanes: list[int], repeats: int, block: int, step: int) -> np.ndarray:
    """The element of each lane of each repeat."""
    in_block = 32 // dtype.itemsize
    at = [
        [(r * step + lane // in_block * block) * in_block + lane % in_block for lane in lanes] for r in range(repeats)
    ]
    return np.array(at, int).reshape(-1)


def expected(call: str, form: int, shape: tuple, held: dict[str, np.ndarray]) -> np.ndarray:
    count, share, words, repeats, blocks, steps = shape
    z, x, y = held["z"].copy(), held["x"], held["y"]
    if form == 0:
        z[:count] = computed(call, x[:count], y[:count], z.dtype)
        return z
    most = 256 // max(z.itemsize, x.itemsize)
    lanes = list(range(int(np.ceil(most * share))))
    if form == 2:
        lanes = [lane for lane in range(most) if words[lane // 64] >> lane % 64 & 1]
    at = [places(t.dtype, lanes, repeats, b, s) for t, b, s in zip((z, x, y), blocks, steps, strict=True)]
    z[at[0]] = computed(call, x[at[1]], y[at[2]], z.dtype)
    return z


def arguments_of(shape: tuple, most: int) -> list[int]:
    count, share, words, repeats, blocks, steps = shape
    signed = [word - (1 << 64) if word >> 63 else word for word in words]
    return [count, int(np.ceil(most * share)), *signed, repeats, *blocks, *steps]


@pytest.mark.parametrize("soc", [OLD, NEW])
@pytest.mark.parametrize(("target", "source"), CALLS)
def test_casts(soc: str, target: str, source: str, folder: Path, ran: Callable[[str, int, str], None]) -> None:
    most = 256 // max(NUMPY[target].itemsize, NUMPY[source].itemsize)
    for seed, shape in enumerate(SHAPES):
        held = contents(target, source, seed)
        out = made(folder, soc, target, source).run(held, arguments_of(shape, most))["z"]
        for number, got in enumerate(out):
            call, form = CALLS[target, source][number // 3], number % 3
            same(got, expected(call, form, shape, held), f"{call} {form} {soc} {source} to {target}: {shape}")
            ran(call, form, target)
            ran(call, form, source)
            if call == "add_deq_relu":
                ran("set_deq_scale", 0, "")


USUAL = arguments_of((64, 1.0, (FULL, FULL), 1, (1, 1, 1), (8, 8, 8)), 64)


@pytest.mark.parametrize(("target", "source"), CALLS)
def test_wrong_uses(target: str, source: str, folder: Path) -> None:
    casts, held = made(folder, OLD, target, source), contents(target, source, 0)
    casts.run(held, USUAL, checked=True)
    assert not casts.watched.check.report().findings
    for number in range(len(casts.calls)):
        for name, parameter in (("x", "src0"), ("y", "src1"), ("z", "dst")):
            with pytest.raises(OutOfRange):
                casts.run(held, USUAL, only=number, sizes={name: 63})
            with pytest.raises(RuleError, match=f"{parameter} must start at a multiple of 32 bytes"):
                casts.run(held, USUAL, only=number, moved={name: 4})
        with pytest.raises(RaceError):
            casts.run(held, USUAL, only=number, is_right=False, checked=True)


@asc.jit
def wrong_pair(z: asc.GlobalAddress):
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    c = asc.LocalTensor(asc.int8, asc.TPosition.VECIN, 1024, 64)
    asc.add_relu_cast(c, a, a, 64)


def test_types_that_do_not_go_together() -> None:
    with pytest.raises(RuleBroken, match="float32 becomes float16"):
        wrong_pair[1](np.zeros(8, np.float32))


@asc.jit
def scales(x: asc.GlobalAddress, z: asc.GlobalAddress, first: float, second: float):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 192)
    a = asc.LocalTensor(asc.int32, asc.TPosition.VECIN, 0, 64)
    c = asc.LocalTensor(asc.float16, asc.TPosition.VECOUT, 1024, 192)
    asc.data_copy(a, x_gm, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.add_deq_relu(c, a, a, 64)
    asc.set_deq_scale(first)
    asc.add_deq_relu(c[64:], a, a, 64)
    asc.set_deq_scale(second)
    asc.add_deq_relu(c[128:], a, a, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, c, 192)


def test_a_call_has_the_scale_of_its_time() -> None:
    """Also where calls are held back; every launch starts with 0."""
    x, wanted = np.arange(64, dtype=np.int32), np.zeros(192, np.float16)
    wanted[64:128] = (2 * x * np.float64(np.float16(0.1))).astype(np.float16)
    wanted[128:] = 4 * x
    for _ in range(2):
        z = np.full(192, np.nan, np.float16)
        scales[1](x, z, 0.1, 2.0)
        np.testing.assert_array_equal(z, wanted)
    scales.check(perturb=4)[1](x, z, 0.1, 2.0)
    assert not scales.check.report().findings
