"""Gathers and scatters against NumPy on an image of UB; see `image.py`."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from image import A5, NUMPY, Image, lanes_of, load, noise, place, same

from opwright.ascendc.dtypes import DTYPES
from opwright.errors import OpwrightError, OutOfRange, RaceError, RuleBroken, RuleError, UninitialisedRead

K = 1024
SIZE = 176 * K
CHECKED = "float32"  # the type whose kernels run under the checked twin too
WIDE = ("int16", "uint16", "float16", "bfloat16", "int32", "uint32", "float32")
PARAMETERS = "base: int, count: int, mask: int, high: int, repeats: int, stride: int"
WORDS = [(0x5555555555555555, 0xAAAAAAAAAAAAAAAA), (1 << 63, 1), (2**64 - 1, 2**64 - 1), (0, 0)]


def signed(word: int) -> int:
    return word - (1 << 64) if word >> 63 else word


def tensors(dtype: str) -> dict[str, tuple[str, int, int]]:
    return {"z": (dtype, 0, 32 * K), "x": (dtype, 32 * K, 8 * K), "o": ("uint32", 40 * K, 136 * K)}


@pytest.mark.parametrize("dtype", DTYPES)
def test_gather_and_scatter(dtype: str, tmp_path: Path, ran: Callable[[str, int, str], None]) -> None:
    size = NUMPY[dtype].itemsize
    gather = "asc.gather(z, x, o, base, count)"
    calls = [gather if size < 8 else "pass", "asc.scatter(x, z, o, base, count)"]
    if size > 1:
        calls += [
            "asc.gather(z, x, o, base, mask, repeats, stride)",
            "asc.scatter(x, z, o, base, mask, repeats, stride)",
        ]
        calls += ["asc.gather(z, x, o, base, [mask, high], repeats, stride)"]
        calls += ["asc.scatter(x, z, o, base, [mask, high], repeats, stride)"]
    kernel = Image(tmp_path, f"gather_{dtype}", SIZE, tensors(dtype), PARAMETERS, calls)
    lanes, most = 256 // size, 8 * K // size
    base = 3 * size

    def check(which: int, seed: int, where: list[tuple[int, int]], arguments: tuple[int, ...]) -> None:
        """`where` has a pair for each element in order: its place in the other tensor, and that of its offset."""
        image = noise(SIZE, seed)
        random = np.random.default_rng(seed)
        offsets = kernel.part(image, "o")
        used = [position for _, position in where]
        offsets[used] = random.integers(0, most - 3, len(used)) * size
        wanted = image.copy()
        for element, position in where:
            other = (base + int(offsets[position])) // size
            if which % 2 == 0:
                kernel.part(wanted, "z")[element] = kernel.part(image, "x")[other]
            else:
                kernel.part(wanted, "x")[other] = kernel.part(image, "z")[element]
        same(kernel.run(image, which, base, *arguments, check=dtype == CHECKED), wanted, (which, arguments))

    for which in (0, 1) if size < 8 else (1,):
        for seed, count in enumerate([0, 1, lanes - 1, lanes, lanes + 1, 32 * K // size]):
            check(which, seed, [(i, i) for i in range(count)], (count, 0, 0, 0, 0))
    for which in range(2, len(calls)):
        for seed, (repeats, stride) in enumerate([(1, 8), (3, 9), (5, 8), (255, 0), (0, 8), (2, 0)]):
            mask: int | tuple[int, int] = (lanes, lanes // 3, 1, 0)[seed % 4] if which < 4 else WORDS[seed % 4]
            words = (mask, 0) if isinstance(mask, int) else tuple(signed(word) for word in mask)
            where = [
                (place(size, repeat, lane, 1, stride), repeat * lanes + lane)
                for repeat in range(repeats)
                for lane in lanes_of(mask, lanes)
            ]
            check(which, seed, where, (0, *words, repeats, stride))
    if size < 8:
        ran("gather", 2, dtype)
    ran("scatter", 2, dtype)
    if size > 1:
        for form in (0, 1):
            ran("gather", form, dtype)
            ran("scatter", form, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_gatherb(dtype: str, tmp_path: Path, ran: Callable[[str, int, str], None]) -> None:
    call = "asc.gatherb(z, x, o, repeats, asc.GatherRepeatParams(count, stride))"
    kernel = Image(tmp_path, f"gatherb_{dtype}", SIZE, tensors(dtype), PARAMETERS, [call])
    for seed, (repeats, block, stride) in enumerate([(1, 1, 8), (3, 2, 17), (255, 1, 0), (0, 1, 8), (2, 3, 1)]):
        image = noise(SIZE, seed)
        offsets = kernel.part(image, "o")
        offsets[: 8 * repeats] = np.random.default_rng(seed).integers(0, 256, 8 * repeats) * 32
        wanted = image.copy()
        for i in range(8 * repeats):
            to = (i // 8 * stride + i % 8 * block) * 32
            wanted[to : to + 32] = image[32 * K + offsets[i] :][:32]
        got = kernel.run(image, 0, 0, block, 0, 0, repeats, stride, check=dtype == CHECKED)
        same(got, wanted, (repeats, block, stride))
    ran("gatherb", 0, dtype)
    ran("GatherRepeatParams", 0, "")


PATTERN = "asc.gather_mask(z, x, {}, {}, mask, asc.GatherMaskParams(base, repeats, stride, high))"


@pytest.mark.parametrize("dtype", WIDE)
def test_gather_mask(dtype: str, tmp_path: Path, ran: Callable[[str, int, str], None]) -> None:
    size = NUMPY[dtype].itemsize
    parts = {**tensors(dtype), "p": (f"uint{8 * size}", 40 * K, 8 * K), "c": ("int32", 48 * K, 64)}
    # One type counts on the SoC that can be asked again.
    soc = "ascend910b" if dtype == CHECKED else A5
    calls = []
    for pattern in ("count", "p"):
        for mode in (False, True):
            calls.append(
                f"n = {PATTERN.format(pattern, mode)}\nc.set_value(0, n)\n"
                f"c.set_value(1, {'n' if soc == A5 else 'asc.get_gather_mask_remain_count()'})"
            )
    kernel = Image(tmp_path, f"gather_mask_{dtype}", SIZE, parts, PARAMETERS, calls, soc)
    lanes = 256 // size
    shapes = [(1, 1, 0, 0), (1, 4, 8, 1), (2, 2, 17, 0), (0, 3, 1, 2), (1, 0, 8, 0), (1, 255, 0, 0)]
    for seed, (block, most, stride, skip) in enumerate(shapes):
        for which in range(4):
            elements = lanes if which % 2 == 0 else (70, 1, lanes - 1, 2 * lanes, 5, 3)[seed]
            repeats = min(most, 8192 // elements)  # what dst has room for
            for pattern in range(1, 8) if which < 2 else [0]:
                image = noise(SIZE, seed)
                wanted = image.copy()
                bits = np.unpackbits(kernel.part(image, "p").view(np.uint8), bitorder="little")
                fixed = {1: (2, 0), 2: (2, 1), 3: (4, 0), 4: (4, 1), 5: (4, 2), 6: (4, 3), 7: (1, 0)}
                taken = []
                for repeat in range(repeats):
                    for i in range(elements):
                        step, rest = fixed.get(pattern, (0, 0))
                        chosen = i % step == rest if step else bits[repeat * skip * 256 + i]
                        if chosen:
                            taken.append(kernel.part(image, "x")[place(size, repeat, i, block, stride)])
                kernel.part(wanted, "z")[: len(taken)] = taken
                kernel.part(wanted, "c")[:2] = len(taken)
                mask = elements if which % 2 else 9
                arguments = (block, pattern, mask, skip, repeats, stride)
                same(kernel.run(image, which, *arguments, check=dtype == CHECKED), wanted, (which, arguments))
    ran("gather_mask", 0, dtype)
    ran("gather_mask", 1, dtype)
    ran("GatherMaskParams", 0, "")
    if soc != A5:
        ran("get_gather_mask_remain_count", 0, "")


# What is wrong ------------------------------------------------------------------------------------------------

WRONG = """\
from opwright import asc

@asc.jit(soc="{soc}")
def kernel(x: asc.GlobalAddress, o: asc.GlobalAddress, n: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 128)
    o_gm = asc.GlobalTensor()
    o_gm.set_global_buffer(o, 64)
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 128)
    u = asc.LocalTensor(asc.uint32, asc.TPosition.VECCALC, 0, 128)
    z = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 1024, 64)
    w = asc.LocalTensor(asc.uint32, asc.TPosition.VECCALC, 1024, 64)
    offsets = asc.LocalTensor(asc.uint32, asc.TPosition.VECCALC, 2048, 64)
    p = asc.LocalTensor(asc.uint16, asc.TPosition.VECCALC, 2048, 128)
    asc.data_copy(a, x_gm, 128)
    asc.data_copy(offsets, o_gm, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    {call}
"""
ONE = "asc.GatherMaskParams(1, 1, 8, 0)"
BLOCKS = "asc.GatherRepeatParams(1, 8)"
REFUSED = [
    ("asc.gather(z, a, offsets, 0, n)", OutOfRange, "element 5 of src_offset leads to src from byte 2000 to 2004"),
    ("asc.gather(z, a, offsets, 2, 3)", RuleError, "element 0 of src_offset leads to src from byte 2, which 4 does"),
    ("asc.gather(z, a, offsets, 0, 65)", OutOfRange, "is used for 260 bytes"),
    ("asc.gather(z[1:], a, offsets, 0, 3)", RuleBroken, "multiple of 32 bytes"),
    ("asc.gather(a, a, offsets, 0, 3)", RuleError, "dst overlaps src"),
    ("asc.gather(z, a, offsets, 0, 3)\n    asc.data_copy(a, x_gm, 8)", RaceError, "race"),
    ("asc.data_copy(offsets, o_gm, 8)\n    asc.gather(z, a, offsets, 0, 3)", RaceError, "race"),
    ("asc.gather(z, z[32:], offsets, 0, 1)", UninitialisedRead, "element 0 of src is read"),
    ("asc.gatherb(w, u, offsets, 1, " + BLOCKS + ")", RuleError, "which 32 does not divide"),
    ("asc.gatherb(w, u[64:], offsets[4:], 1, " + BLOCKS + ")", RuleBroken, "multiple of 32 bytes"),
    ("asc.gather_mask(z, a, p, False, 0, " + ONE + ")", RuleBroken, "as many bits"),
    ("asc.gather_mask(z, a, 8, False, 0, " + ONE + ")", RuleBroken, "between 1 and 7"),
    ("asc.gather_mask(z, a, 7, True, 65, " + ONE + ")", OutOfRange, "dst is used for 260"),
    ("asc.gather_mask(z, a, 7, True, 129, " + ONE + ")", OutOfRange, "src0 is used for 516"),
    ("asc.gather_mask(a, a, 1, False, 0, " + ONE + ")", RuleError, "dst overlaps src0"),
    ("asc.gather_mask(z, a, 1, False, 0, " + ONE + ")\n    asc.data_copy(x_gm, z, 8)", RaceError, "race"),
    ("asc.scatter(a, z, offsets, 0, 3)", OpwrightError, "no instruction that scatters"),
]
SCATTERED = [
    ("asc.scatter(a, z, offsets, 0, n)", OutOfRange, "element 5 of dst_offset leads to dst from byte 2000"),
    ("asc.scatter(a, a, offsets, 0, 3)", RuleError, "dst overlaps src"),
    ("asc.scatter(a, a[64:], offsets, 0, 3)\n    asc.data_copy(x_gm, a, 8)", RaceError, "race"),
]


def arguments() -> tuple[np.ndarray, np.ndarray, int]:
    offsets = np.arange(64, dtype=np.uint32) * 4 % 256
    offsets[5] = 2000
    return np.ones(128, np.float32), offsets, 6


@pytest.mark.parametrize(
    ("soc", "call", "error", "words"),
    [("ascend910b", *case) for case in REFUSED] + [("ascend950", *case) for case in SCATTERED],
    ids=lambda value: str(value)[:60],
)
def test_wrong(soc: str, call: str, error: type[OpwrightError], words: str, tmp_path: Path) -> None:
    kernel = load(tmp_path, "wrong", WRONG.format(soc=soc, call=call)).kernel
    with pytest.raises(error) as caught:
        kernel.check[1](*arguments())
    assert words in str(caught.value) or error is RaceError, caught.value


def test_what_is_not_touched_may_be_used(tmp_path: Path) -> None:
    """Elements between those that are gathered, in all orders that the chip may choose."""
    call = "asc.gather(z, a, offsets, 0, 3)\n    asc.data_copy(a[8:], x_gm, 8)"
    kernel = load(tmp_path, "right", WRONG.format(soc="ascend910b", call=call)).kernel
    kernel.check[1](*arguments())


FRESH = """\
from opwright import asc

@asc.jit
def kernel(x: asc.GlobalAddress, y: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    y_gm = asc.GlobalTensor()
    y_gm.set_global_buffer(y, 64)
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 64)
    z = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 256, 64)
    offsets = asc.LocalTensor(asc.uint32, asc.TPosition.VECCALC, 512, 64)
    asc.data_copy(a, x_gm, 64)
    asc.set_flag(asc.HardEvent.MTE2_V, 0)
    asc.wait_flag(asc.HardEvent.MTE2_V, 0)
    asc.duplicate(offsets, 12, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_V)
    asc.gather(z, a, offsets, 0, 64)
    asc.set_flag(asc.HardEvent.V_MTE3, 0)
    asc.wait_flag(asc.HardEvent.V_MTE3, 0)
    asc.data_copy(y_gm, z, 64)
"""


def test_offsets_that_the_core_computes(tmp_path: Path) -> None:
    """In other orders the offsets are not there yet when the gather is issued."""
    kernel = load(tmp_path, "fresh", FRESH).kernel
    x, y = np.arange(64, dtype=np.float32), np.full(64, np.nan, np.float32)
    kernel.check(perturb=16)[1](x, y)
    same(y, np.full(64, 3, np.float32))
