"""Calls that step through their operands by repeats: two types, overlaps, and what is refused.

Strides, lanes and bits of every call are tested chapter by chapter in tests/ascendc.
"""

import importlib.util
import itertools
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from opwright import asc
from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.row import Each
from opwright.ascendc.table import ROWS
from opwright.errors import NoForm, OpwrightError, OutOfRange, RuleBroken, RuleError, WrongType

SPEC = importlib.util.spec_from_file_location("every_call", Path(__file__).with_name("every_call.py"))
assert SPEC and SPEC.loader
every_call = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(every_call)

SOC = every_call.SOC
BYTES = 8192  # of each operand


def forms(name: str) -> list:
    """The forms of a row on one type: with a count, a number of lanes, bits of lanes."""
    return [form for form in ROWS[name].forms if isinstance(form.meaning, Each) and "U" not in form.dtypes]


def load(folder: Path, name: str, text: str) -> ModuleType:
    path = folder / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def places(size: int, lanes: list[int], repeat: int, block_stride: int, repeat_stride: int) -> np.ndarray:
    """The first byte of each lane of a repeat, counted from the start of an operand."""
    return np.array(
        [(repeat * repeat_stride + lane * size // 32 * block_stride) * 32 + lane * size % 32 for lane in lanes], int
    )


@pytest.mark.quick
def test_every_row_has_the_three_forms() -> None:
    names = {name for name, _ in every_call.computing()} - {"duplicate"}
    assert all(len(forms(name)) == 3 for name in names)
    assert {name for dtype in DTYPES for name, _ in every_call.legal(dtype)} == {*names, "duplicate"}


# Two types ----------------------------------------------------------------------------------------------------


@asc.jit
def widening(x: asc.GlobalAddress, z: asc.GlobalAddress, w: asc.GlobalAddress, mask: int, repeats: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 1024)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 1024)
    w_gm = asc.GlobalTensor()
    w_gm.set_global_buffer(w, 4096)
    h = asc.LocalTensor(asc.float16, asc.TPosition.VECIN, 0, 1024)
    f = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 2048, 1024)
    i = asc.LocalTensor(asc.int8, asc.TPosition.VECOUT, 8192, 4096)
    asc.data_copy(h, x_gm, 1024)
    asc.data_copy(f, z_gm, 1024)
    asc.data_copy(i, w_gm, 4096)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.cast(f, h, asc.RoundMode.CAST_NONE, mask, repeats, asc.UnaryRepeatParams(1, 1, 8, 4))
    asc.axpy(f[512:], h, 0.5, mask, repeats, asc.UnaryRepeatParams(1, 2, 8, 3))
    asc.cast(i, h, asc.RoundMode.CAST_FLOOR, [5, 1 << 63], repeats, asc.UnaryRepeatParams(2, 1, 9, 8))
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, f, 1024)
    asc.data_copy(w_gm, i, 4096)


@pytest.mark.parametrize(("mask", "repeats"), [(64, 8), (40, 3), (1, 2), (0, 2)])
def test_two_types(mask: int, repeats: int) -> None:
    """A repeat has as many lanes as the wider type: 64 halves, in 4 blocks, become 64 floats in 8."""
    x = (np.arange(1024) / 8 - 64).astype(np.float16)
    z = np.random.default_rng(1).standard_normal(1024).astype(np.float32)
    w = np.full(4096, 77, np.int8)
    got, small = z.copy(), w.copy()
    widening[1](x, got, small, mask, repeats)
    wanted, bytes_wanted = z.copy(), w.copy()
    for repeat, lane in itertools.product(range(repeats), range(mask)):
        wanted[64 * repeat + lane] = x[64 * repeat + lane]
        place = 16 * (3 * repeat + 2 * (lane // 16)) + lane % 16
        wanted[512 + 64 * repeat + lane] += np.float32(0.5) * np.float32(x[place])
    for repeat, lane in itertools.product(range(repeats), (0, 2, 127)):
        number = int(np.floor(np.float64(x[128 * repeat + lane])))
        bytes_wanted[32 * (9 * repeat + 2 * (lane // 32)) + lane % 32] = max(-128, min(127, number))
    np.testing.assert_array_equal(got, wanted)
    np.testing.assert_array_equal(small, bytes_wanted)


# Overlap ------------------------------------------------------------------------------------------------------


@asc.jit(soc=SOC)
def overlapping(
    x: asc.GlobalAddress, dst: int, src: int, dst_blk: int, src_blk: int, dst_rep: int, src_rep: int, repeats: int
):
    """dst = |src|, both parts of one tensor."""
    size = BYTES // x.dtype.sizeof()
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, size)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, size)
    asc.data_copy(a, x_gm, size)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.abs(a[dst:], a[src:], 64, repeats, asc.UnaryRepeatParams(dst_blk, src_blk, dst_rep, src_rep))
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(x_gm, a, size)


GOOD = [
    (0, 0, 1, 1, 8, 8, 4),  # in place
    (0, 0, 2, 2, 16, 16, 3),
    (0, 8, 2, 2, 16, 16, 4),  # blocks in turn
    (64, 0, 1, 1, 16, 16, 4),  # repeats in turn
    (0, 64, 1, 1, 8, 8, 4),  # towards the start: what is overwritten was read before
    (0, 0, 1, 1, 0, 8, 1),  # one repeat has no next
]
BAD = [
    (8, 0, 1, 1, 8, 8, 1),
    (0, 8, 1, 1, 8, 8, 1),
    (64, 0, 1, 1, 8, 8, 2),  # the second repeat reads what the first wrote
    (0, 0, 1, 1, 0, 0, 2),
    (0, 0, 1, 0, 8, 8, 1),
    (0, 0, 1, 2, 8, 16, 1),
    (128, 0, 1, 1, 0, 8, 4),
]


def strided(x: np.ndarray, dst: int, src: int, *rest: int) -> np.ndarray:
    dst_blk, src_blk, dst_rep, src_rep, repeats = rest
    memory = x.copy()
    for repeat in range(repeats):
        read = places(4, list(range(64)), repeat, src_blk, src_rep) // 4 + src
        memory[places(4, list(range(64)), repeat, dst_blk, dst_rep) // 4 + dst] = np.abs(memory[read])
    return memory


@pytest.mark.parametrize("arguments", GOOD)
def test_overlap_lane_upon_lane(arguments: tuple[int, ...]) -> None:
    x = -np.arange(BYTES // 4).astype(np.float32)
    got = x.copy()
    overlapping[1](got, *arguments)
    np.testing.assert_array_equal(got, strided(x, *arguments))


@pytest.mark.parametrize("arguments", BAD)
def test_no_other_overlap(arguments: tuple[int, ...]) -> None:
    with pytest.raises(RuleError, match="overlaps src in part"):
        overlapping[1](np.zeros(BYTES // 4, np.float32), *arguments)


@asc.jit(soc=SOC)
def feeding(x: asc.GlobalAddress, z: asc.GlobalAddress, first: asc.ConstExpr[bool]):
    """The sum of four repeats: each adds to what the one before it left."""
    lanes = 256 // x.dtype.sizeof()
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 4 * lanes)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, lanes)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 4 * lanes)
    c = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, 1024, lanes)
    asc.data_copy(a, x_gm, 4 * lanes)
    asc.data_copy(c, z_gm, lanes)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    if first:
        asc.add(c, c, a, lanes, 4, asc.BinaryRepeatParams(1, 1, 1, 0, 0, 8))
    else:
        asc.add(c, a, c, lanes, 4, asc.BinaryRepeatParams(1, 1, 1, 0, 8, 0))
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, c, lanes)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32])
def test_a_repeat_may_feed_the_next(dtype: type) -> None:
    lanes = 256 // np.dtype(dtype).itemsize
    x, z = np.arange(4 * lanes).astype(dtype), np.full(lanes, 5, dtype)
    wanted = z + x.reshape(4, lanes).sum(0, dtype=dtype)
    feeding[1](x, z, False)
    np.testing.assert_array_equal(z, wanted)


def test_what_may_not_feed() -> None:
    """The other source, and other types."""
    with pytest.raises(RuleError, match="overlaps src0 in part"):
        feeding[1](np.zeros(256, np.float32), np.zeros(64, np.float32), True)
    with pytest.raises(RuleError, match="overlaps src1 in part"):
        feeding[1](np.zeros(512, np.int16), np.zeros(128, np.int16), False)


# Refusals -----------------------------------------------------------------------------------------------------


@asc.jit
def bounded(size: asc.ConstExpr[int], mask: int, repeats: int, blk: int, rep: int):
    a = asc.LocalTensor(asc.float16, asc.TPosition.VECIN, 0, 4096)
    c = asc.LocalTensor(asc.float16, asc.TPosition.VECOUT, 8192, size)
    asc.duplicate(a, 1.0, 4096)
    asc.relu(c, a, mask, repeats, asc.UnaryRepeatParams(blk, 1, rep, 8))


@pytest.mark.parametrize(
    ("elements", "shape"),
    [
        (256, (128, 2, 1, 8)),
        (128 + 20, (20, 2, 1, 8)),
        (128 + 17, (17, 2, 1, 8)),
        (16 * 20 + 16 * 2 + 1, (33, 2, 1, 20)),
        (16 * 15, (128, 1, 2, 0)),
        (16 * (2 + 7 * 3 + 1), (128, 3, 3, 1)),
        (128, (128, 16, 1, 0)),
        (1, (1, 1, 200, 200)),
        (1, (0, 255, 255, 255)),
        (1, (128, 0, 255, 255)),
    ],
)
def test_bounds_are_those_of_what_is_touched(elements: int, shape: tuple[int, ...]) -> None:
    bounded[1](elements, *shape)
    if shape[0] and shape[1] and elements > 1:
        with pytest.raises(OutOfRange, match=f"dst is used for {2 * elements} bytes"):
            bounded[1](elements - 1, *shape)


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ((129, 1, 1, 8), "mask must not be above the elements of a repeat"),
        ((-1, 1, 1, 8), "mask of asc.relu does not fit its type"),
        ((8, 256, 1, 8), "repeat_times of asc.relu does not fit its type"),
        ((8, -1, 1, 8), "repeat_times of asc.relu does not fit its type"),
        ((8, 1, 65536, 8), "dst_blk_stride of asc.UnaryRepeatParams does not fit its type"),
        ((8, 1, 1, 256), "dst_rep_stride of asc.UnaryRepeatParams does not fit its type"),
        ((8, 1, 0, 8), "dst_blk_stride of repeat_params must not be 0"),
    ],
)
def test_refused_in_the_run(shape: tuple[int, ...], words: str) -> None:
    with pytest.raises(RuleError) as caught:
        bounded[1](2048, *shape)
    assert words in str(caught.value)


@pytest.mark.quick
@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        ("asc.relu(c, a, 65, 1, asc.UnaryRepeatParams())", RuleBroken, "pass 0 to 64"),
        ("asc.relu(c, a, -1, 1, asc.UnaryRepeatParams())", RuleBroken, "mask is a uint64"),
        ("asc.relu(c, a, 64, 256, asc.UnaryRepeatParams())", RuleBroken, "pass 0 to 255"),
        ("asc.relu(c, a, 64, 1, asc.UnaryRepeatParams(65536))", RuleBroken, "dst_blk_stride is a uint16, got 65536"),
        ("asc.relu(c, a, 64, 1, asc.UnaryRepeatParams(1, 1, 8, -1))", RuleBroken, "src_rep_stride is a uint8, got -1"),
        ("asc.relu(c, a, 64, 1, asc.BinaryRepeatParams())", NoForm, "must be an asc.UnaryRepeatParams"),
        ("asc.relu(c, a, [1, 2, 3], 1, asc.UnaryRepeatParams())", NoForm, "a list of one or two integers"),
        ("asc.relu(c, a, [], 1, asc.UnaryRepeatParams())", NoForm, "a list of one or two integers"),
        ("asc.relu(c, a, [0.5], 1, asc.UnaryRepeatParams())", WrongType, "array of uint64"),
        ("asc.relu(c, a, [1 << 64], 1, asc.UnaryRepeatParams())", WrongType, "18446744073709551615"),
        ("asc.relu(c, a, 1.5, 1, asc.UnaryRepeatParams())", NoForm, "mask must be an integer"),
        ("asc.relu(c[3:], a, 8, 1, asc.UnaryRepeatParams())", RuleBroken, "multiple of 32 bytes"),
        ("asc.relu(c, a, 64, 1)", NoForm, "'repeat_params' is missing"),
        ("asc.cast(h, a, asc.RoundMode.CAST_RINT, 65, 1, asc.UnaryRepeatParams())", RuleBroken, "pass 0 to 64"),
        ("asc.cast(h, a, asc.RoundMode.CAST_NONE, 64, 1, asc.UnaryRepeatParams(1, 1, 4, 8))", None, ""),
    ],
)
def test_refused_before_the_run(call: str, error: type[OpwrightError] | None, words: str, tmp_path: Path) -> None:
    text = f"""\
from opwright import asc
@asc.jit
def kernel():
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    c = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 256, 64)
    h = asc.LocalTensor(asc.float16, asc.TPosition.VECOUT, 512, 64)
    {call}
"""
    kernel = load(tmp_path, "refused", text).kernel
    if error is None:
        kernel.emit()
        return
    with pytest.raises(error) as caught:
        kernel.emit()
    assert words in str(caught.value), caught.value
