"""Comparisons and selections against NumPy, bit by bit, on an image of UB; see `image.py`."""

import operator
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from call_kernels import takes
from image import A5, NUMPY, Image, lanes_of, load, noise, numbers, place, same

from opwright.ascendc.dtypes import DTYPES
from opwright.errors import OpwrightError, OutOfRange, RaceError, RuleBroken, RuleError, UninitialisedRead

K = 1024
SIZE = 144 * K
MODES = {"LT": "lt", "GT": "gt", "EQ": "eq", "LE": "le", "GE": "ge", "NE": "ne"}
PARAMETERS = (
    "count: int, mask: int, high: int, repeats: int, dst_blk: int, a_blk: int, b_blk: int, dst_rep: int, a_rep: int, "
    "b_rep: int, s: {}"
)
BINARY = "repeats, asc.BinaryRepeatParams(dst_blk, a_blk, b_blk, dst_rep, a_rep, b_rep)"
UNARY = "repeats, asc.UnaryRepeatParams(1, a_blk, 8, a_rep)"

# Mask, repeats, block strides of dst, a, b, repeat strides.
SHAPES = [
    (1.0, 1, (1, 1, 1), (8, 8, 8)),
    (0.3, 3, (1, 2, 1), (9, 17, 8)),
    (0.9, 2, (2, 1, 0), (17, 0, 1)),
    (1.0, 255, (1, 1, 1), (8, 8, 0)),
    (0.0, 2, (1, 1, 1), (8, 8, 8)),
    (1.0, 0, (1, 1, 1), (8, 8, 8)),
]
WORDS = [(0x5555555555555555, 0xAAAAAAAAAAAAAAAA), (1 << 63, 1), (2**64 - 1, 2**64 - 1), (0, 0)]


def signed(word: int) -> int:
    return word - (1 << 64) if word >> 63 else word


def scalar_of(dtype: str) -> int | float:
    return 1.0 if DTYPES[dtype].is_float() else 1


def tensors(dtype: str, bits: str = "uint8") -> dict[str, tuple[str, int, int]]:
    return {"a": (dtype, 0, 64 * K), "b": (dtype, 64 * K, 64 * K), "bits": (bits, 128 * K, 8 * K)}


def compared(mode: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The bytes of the bits, the first element in the lowest bit."""
    with np.errstate(invalid="ignore"):
        return np.packbits(getattr(operator, MODES[mode])(a, b), bitorder="little")


def image_of(kernel: Image, dtype: str, seed: int) -> np.ndarray:
    image = noise(SIZE, seed)
    for name in "ab":
        part = kernel.part(image, name)
        part[:] = numbers(dtype, len(part), seed + ord(name))
    return image


def stepped(values: np.ndarray, repeats: int, block: int, step: int) -> np.ndarray:
    lanes = 256 // values.itemsize
    return values[[place(values.itemsize, r, lane, block, step) for r in range(repeats) for lane in range(lanes)]]


COUNTED = [("compare", "LT"), ("compare", "NE"), ("compare_scalar", "GE")]
EVERY = [(call, mode) for call in ("compare", "compare_scalar") for mode in MODES]
REPEATED = [("compare", "GT", "mask"), ("compare_scalar", "LE", "mask"), ("compare", "EQ", "[mask, high]")]
REPEATED += [("compare_scalar", "NE", "[mask, high]")]
CHECKED = "float32"  # the type whose kernels run under the checked twin too


def compare_text(call: str, mode: str, rest: str) -> str:
    second, params = ("b", BINARY) if call == "compare" else ("s", UNARY)
    return f"asc.{call}(bits, a, {second}, CMPMODE.{mode}, {rest if rest == 'count' else f'{rest}, {params}'})"


@pytest.mark.parametrize("dtype", DTYPES)
def test_compare(dtype: str, tmp_path: Path, ran: Callable[[str, int, str], None]) -> None:
    counted = EVERY if dtype == CHECKED else COUNTED
    calls = [compare_text(call, mode, "count") for call, mode in counted]
    repeated = REPEATED if takes("compare", 1, A5, T=dtype) else []
    calls += [compare_text(call, mode, mask) for call, mode, mask in repeated]
    kind = "float" if DTYPES[dtype].is_float() else "int"
    kernel = Image(tmp_path, f"compare_{dtype}", SIZE, tensors(dtype), PARAMETERS.format(kind), calls)
    size = NUMPY[dtype].itemsize
    lanes, scalar = 256 // size, scalar_of(dtype)
    one = np.array(scalar).astype(NUMPY[dtype])

    def check(which: int, call: str, mode: str, image: np.ndarray, a: np.ndarray, b: np.ndarray, *shape: int) -> None:
        wanted = image.copy()
        bits = compared(mode, a, b if call == "compare" else one)
        kernel.part(wanted, "bits")[: len(bits)] = bits
        # A mask of 5 lanes, or of 2: it means nothing.
        got = kernel.run(image, which, shape[0], 5, 3, *shape[1:], scalar, check=dtype == CHECKED)
        same(got, wanted, (call, mode, shape))

    for seed, count in enumerate([0, lanes, 2 * lanes, 64 * K // size]):
        image = image_of(kernel, dtype, seed)
        a, b = kernel.part(image, "a")[:count], kernel.part(image, "b")[:count]
        for which, (call, mode) in enumerate(counted):
            check(which, call, mode, image, a, b, count, 0, 1, 1, 1, 8, 8, 8)
    for seed, (_, repeats, blocks, steps) in enumerate(SHAPES):
        image = image_of(kernel, dtype, 10 + seed)
        a = stepped(kernel.part(image, "a"), repeats, blocks[1], steps[1])
        b = stepped(kernel.part(image, "b"), repeats, blocks[2], steps[2])
        for which, (call, mode, _) in enumerate(repeated, len(counted)):
            check(which, call, mode, image, a, b, 0, repeats, *blocks, *steps)
    for form in range(3 if repeated else 1):
        for name in (dtype, "uint8"):
            ran("compare", form, name)
            ran("compare_scalar", form, name)


def test_compare_to_signed_bytes(tmp_path: Path, ran: Callable[[str, int, str], None]) -> None:
    """The bits are the same, whatever the bytes are called."""
    calls = [compare_text("compare", "LT", rest) for rest in ("count", "mask", "[mask, high]")]
    kernel = Image(tmp_path, "compare_to_int8", SIZE, tensors("float32", "int8"), PARAMETERS.format("float"), calls)
    for form in range(3):
        image = image_of(kernel, "float32", form)
        wanted = image.copy()
        bits = compared("LT", kernel.part(image, "a")[:128], kernel.part(image, "b")[:128])
        kernel.part(wanted, "bits")[: len(bits)] = bits.view(np.int8)
        same(kernel.run(image, form, 128, 64, 0, 2, 1, 1, 1, 8, 8, 8, 1.0), wanted, form)
        ran("compare", form, "int8")


REGISTER = ["asc.set_cmp_mask(bits)\nasc.get_cmp_mask(bits[64:])\nasc.get_cmp_mask(a)"]
INTO_REGISTER = [
    f"asc.compare(a, b, CMPMODE.{{}}, {mask}, asc.BinaryRepeatParams(1, a_blk, b_blk, 8, 8, 8))\nasc.get_cmp_mask(bits)"
    for mask in ("[mask, high]", "mask")
]
# What is compared into the register, and where: ascend950 takes floats, ascend910b integers for equality.
REGISTER_MODES = {"float16": (A5, "LT", "NE"), "float32": (A5, "LT", "NE"), "int32": ("ascend910b", "EQ", "EQ")}


@pytest.mark.parametrize("dtype", DTYPES)
def test_register(dtype: str, tmp_path: Path, ran: Callable[[str, int, str], None]) -> None:
    """A comparison into the register; lanes that the mask leaves out give 0."""
    parameters = "mask: int, high: int, a_blk: int, b_blk: int"
    soc, *modes = REGISTER_MODES.get(dtype, (A5,))
    calls = [*REGISTER, *(text.format(mode) for text, mode in zip(INTO_REGISTER, modes, strict=False))]
    kernel = Image(tmp_path, f"register_{dtype}", SIZE, tensors(dtype), parameters, calls, soc)
    lanes = 256 // NUMPY[dtype].itemsize
    for seed, words in enumerate(WORDS if modes else ()):
        image = image_of(kernel, dtype, seed)
        first = [lane for lane in lanes_of(words, lanes) if lane < 128]
        for which, mode, chosen in ((1, modes[0], first), (2, modes[1], list(range(min(lanes, 20 * seed))))):
            a = stepped(kernel.part(image, "a"), 1, 2, 8)
            b = stepped(kernel.part(image, "b"), 1, 0, 8)
            bits = np.unpackbits(compared(mode, a, b), bitorder="little")
            kept = np.zeros(128, np.uint8)
            inside = [lane for lane in chosen if lane < 128]
            kept[inside] = bits[inside]
            wanted = image.copy()
            kernel.part(wanted, "bits")[:16] = np.packbits(kept, bitorder="little")
            low, high = (signed(word) for word in words) if which == 1 else (min(lanes, 20 * seed), 0)
            same(kernel.run(image, which, low, high, 2, 0, check=dtype == CHECKED), wanted, (mode, words))
    image = image_of(kernel, dtype, 99)
    wanted = image.copy()
    wanted[128 * K + 64 : 128 * K + 80] = wanted[:16] = image[128 * K : 128 * K + 16]
    same(kernel.run(image, 0, 0, 0, 1, 1), wanted)
    for form in (3, 4) if modes else ():
        ran("compare", form, dtype)
    ran("get_cmp_mask", 0, dtype)
    ran("set_cmp_mask", 0, dtype)


SELECT = [
    "asc.select(z, bits, a, s, SelMode.VSEL_TENSOR_SCALAR_MODE, count)",
    "asc.select(z, bits, a, b, SelMode.VSEL_TENSOR_TENSOR_MODE, count)",
    "asc.select(z, bits, a, b, SelMode.VSEL_CMPMASK_SPR, count)",
    "asc.select(z, wide, a, s, SelMode.VSEL_TENSOR_SCALAR_MODE, [mask, high], " + BINARY + ")",
    "asc.select(z, wide, a, s, SelMode.VSEL_TENSOR_SCALAR_MODE, mask, " + BINARY + ")",
    "asc.select(z, bits, a, b, SelMode.VSEL_TENSOR_TENSOR_MODE, [mask, high], " + BINARY + ")",
    "asc.select(z, bits, a, b, SelMode.VSEL_TENSOR_TENSOR_MODE, mask, " + BINARY + ")",
    "asc.select(z, wide, a, b, SelMode.VSEL_CMPMASK_SPR, mask, " + BINARY + ")",
    "asc.set_cmp_mask(b)\nasc.select(z, bits, a, " + BINARY + ")",
    "asc.set_cmp_mask(bits)\nasc.select(z, a, b, " + BINARY + ", SelMode.VSEL_CMPMASK_SPR)",
]
SELECTED = {  # of the calls above: form, whether the number is src1, whether every repeat uses the same bits
    0: (0, True, False),
    1: (1, False, False),
    2: (1, False, True),
    3: (2, True, False),
    4: (3, True, False),
    5: (5, False, False),
    6: (6, False, False),
    7: (6, False, True),
    8: (4, True, False),
    9: (7, False, True),
}
MASKS = ("uint8", "uint16", "uint32", "uint64")  # the types of the bits
SELECT_SHAPES = [(share, min(repeats, 60), *strides) for share, repeats, *strides in SHAPES]


@pytest.mark.parametrize("dtype", DTYPES)
def test_select(dtype: str, tmp_path: Path, ran: Callable[[str, int, str], None]) -> None:
    size = NUMPY[dtype].itemsize
    lanes = 256 // size
    by_repeats = takes("select", 2, A5, T=dtype)
    alike = [name for name in DTYPES if takes("select", 2, A5, T=name) == by_repeats]
    names = [MASKS[(alike.index(dtype) + step) % len(MASKS)] for step in (0, 2)]
    parts = {
        "a": (dtype, 0, 16 * K),
        "b": (dtype, 16 * K, 16 * K),
        "z": (dtype, 32 * K, 16 * K),
        "bits": (names[0], 48 * K, 4 * K),
        "wide": (names[1], 48 * K, 4 * K),
    }
    kind = "float" if DTYPES[dtype].is_float() else "int"
    kernel = Image(
        tmp_path, f"select_{dtype}", 52 * K, parts, PARAMETERS.format(kind), SELECT if by_repeats else SELECT[:3]
    )
    scalar = np.array(scalar_of(dtype)).astype(NUMPY[dtype])

    def check(which: int, mask: int | tuple[int, int], shape: tuple, count: int = -1, seed: int = 0) -> None:
        image = noise(52 * K, seed)
        wanted = image.copy()
        a, b, z = (kernel.part(image, "a"), kernel.part(image, "b"), kernel.part(wanted, "z"))
        bits = np.unpackbits(kernel.part(image, "bits").view(np.uint8), bitorder="little")
        _, is_number, again = SELECTED[which]
        repeats, blocks, steps = shape
        chosen = lanes_of(mask, lanes) if which < 8 and count < 0 else range(lanes)
        number = b[0] if which == 8 else scalar
        if which == 9:
            bits = np.concatenate([bits[:128], np.zeros(128, np.uint8)])
        for repeat in range(repeats):
            for lane in chosen:
                if 0 <= count <= repeat * lanes + lane:
                    continue
                to, first, second = (place(size, repeat, lane, *pair) for pair in zip(blocks, steps, strict=True))
                bit = bits[lane if again else repeat * lanes + lane]
                z[to] = a[first] if bit else (number if is_number else b[second])
        words = (mask, 0) if isinstance(mask, int) else tuple(signed(word) for word in mask)
        arguments = (max(count, 0), *words, repeats, *blocks, *steps, scalar_of(dtype))
        same(kernel.run(image, which, *arguments, check=dtype == CHECKED), wanted, (which, mask, shape, count))

    for which in (0, 1, 2):
        for seed, count in enumerate([0, 1, lanes - 1, lanes, lanes + 1, 16 * K // size]):
            check(which, 0, (-(-count // lanes), (1, 1, 1), (8, 8, 8)), count, seed)
    for seed, (share, *shape) in enumerate(SELECT_SHAPES if by_repeats else ()):
        for which in (4, 6, 7, 8, 9):
            check(which, int(share * lanes), tuple(shape), seed=seed)
        for which in (3, 5):
            check(which, WORDS[seed % len(WORDS)], tuple(shape), seed=seed)
    for which, (form, _, _) in SELECTED.items():
        if by_repeats or form < 2:
            ran("select", form, dtype)
            if form < 7:  # the last one has no tensor of bits
                ran("select", form, names["wide" in SELECT[which]])


# What is wrong ------------------------------------------------------------------------------------------------

WRONG = """\
from opwright import asc
from opwright.asc import CMPMODE, SelMode

@asc.jit(soc="ascend910b")
def kernel(x: asc.GlobalAddress, n: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 512)
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 512)
    c = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 2048, 64)
    i = asc.LocalTensor(asc.int32, asc.TPosition.VECCALC, 0, 512)
    bits = asc.LocalTensor(asc.uint8, asc.TPosition.VECCALC, 4096, 16)
    asc.data_copy(a, x_gm, 512)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    {}
"""
ALL = "asc.BinaryRepeatParams(1, 1, 1, 8, 8, 8)"
PAIR = "asc.SelMode.VSEL_TENSOR_TENSOR_MODE"
FIRST = "asc.SelMode.VSEL_CMPMASK_SPR"
REFUSED = [
    ("asc.compare(bits, a, a, CMPMODE.LT, 65)", RuleBroken, "whole repeats"),
    ("asc.compare(bits, i, i, CMPMODE.LT, 64)", RuleBroken, "EQ"),
    ("asc.compare(bits[8:], a, a, CMPMODE.LT, 64)", RuleBroken, "multiple of 32 bytes"),
    ("asc.get_cmp_mask(bits[8:])", RuleBroken, "multiple of 16 bytes"),
    (f"asc.select(c, bits, a, a, {PAIR.replace('TENSOR_TENSOR', 'TENSOR_SCALAR')}, 64)", RuleBroken, "VSEL_"),
    (f"asc.select(c, a, a, 1, {ALL}, {PAIR})", RuleBroken, "VSEL_CMPMASK_SPR"),
    ("asc.compare(bits, a, a, CMPMODE.LT, n)", RuleError, "whole repeats"),
    ("asc.compare(bits, a, a, CMPMODE.LT, 447 + n)", OutOfRange, "dst is used for"),
    ("asc.compare(a.reinterpret_cast(asc.uint8), a, a, CMPMODE.LT, 64)", RuleError, "overlaps"),
    ("asc.compare_scalar(bits, c, 1.0, CMPMODE.LT, 128)", OutOfRange, "src0 is used for"),
    ("asc.compare(a, c, CMPMODE.LT, n, asc.BinaryRepeatParams(1, 1, 2))", RuleError, "mask"),
    ("asc.compare(a, c, CMPMODE.LT, 64, asc.BinaryRepeatParams(1, 1, 2))", OutOfRange, "src1 is used for"),
    ("asc.get_cmp_mask(c[56:])\n    asc.set_cmp_mask(c[62:])", OpwrightError, "16 bytes"),
    (f"asc.select(c, bits, a, a, {PAIR}, 256)", OutOfRange, "dst is used for"),
    (f"asc.select(a, bits, a, c, {FIRST}, 64, 2, {ALL})", OutOfRange, "src1 is used for"),
    (f"asc.select(a, bits, a[8:], c, {FIRST}, 64, 1, {ALL})", RuleError, "overlaps"),
    # What is not ordered, and what nothing has written.
    ("asc.compare(bits, a, a, CMPMODE.LT, 64)\n    asc.data_copy(a, x_gm, 64)", RaceError, "a race"),
    ("asc.compare_scalar(bits, a, 1.0, CMPMODE.LT, 64)\n    asc.data_copy(a, x_gm, 64)", RaceError, "a race"),
    (f"asc.compare(a, a, CMPMODE.LT, 64, {ALL})\n    asc.data_copy(a, x_gm, 64)", RaceError, "a race"),
    ("asc.set_cmp_mask(a)\n    asc.data_copy(a, x_gm, 64)", RaceError, "a race"),
    ("asc.get_cmp_mask(a)\n    asc.data_copy(x_gm, a, 64)", RaceError, "a race"),
    (
        f"asc.select(c, a.reinterpret_cast(asc.uint8)[1024:], a, a, {PAIR}, 64)\n    asc.data_copy(x_gm, c, 64)",
        RaceError,
        "a race",
    ),
    (f"asc.select(c, bits, a, a, {PAIR}, 64)", UninitialisedRead, "element 0 of sel_mask"),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED, ids=lambda value: str(value)[:60])
def test_wrong(call: str, error: type[OpwrightError], words: str, tmp_path: Path) -> None:
    kernel = load(tmp_path, "wrong", WRONG.format(call)).kernel
    with pytest.raises(error) as caught:
        kernel.check[1](np.ones(512, np.float32), 65)
    assert words in str(caught.value) or error is RaceError, caught.value


def test_what_is_not_touched_may_be_used(tmp_path: Path) -> None:
    """Elements beyond the last repeat, and blocks that the strides leave out."""
    calls = """\
asc.compare(bits, a, a, CMPMODE.LT, 64)
    asc.data_copy(a[64:], x_gm, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.compare(a, a, CMPMODE.LT, 64, asc.BinaryRepeatParams(1, 2, 2, 8, 8, 8))
    asc.data_copy(a[8:], x_gm, 8)"""
    load(tmp_path, "right", WRONG.format(calls)).kernel.check[1](np.ones(512, np.float32), 65)
