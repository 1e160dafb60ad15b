"""Sorting and merging against a reference that picks the greatest again and again; see `image.py`."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from image import NUMPY, Image, load, noise, numbers, same

from opwright.errors import NoForm, OpwrightError, OutOfRange, RaceError, RuleBroken, RuleError

K = 1024
SIZE = 160 * K
TYPES = ("float16", "float32")
CHECKED = "float32"  # the type whose kernels run under the checked twin too
QUEUES = "asc.MrgSortSrcList(asc.{0}, p, p[q1:], p[q2:], p[q3:])"
LENGTHS = "[l0, l1, l2, l3]"
RESULT = (
    "a, b, d, e = asc.get_mrg_sort_result()\nc.set_value(0, a)\nc.set_value(1, b)\nc.set_value(2, d)\nc.set_value(3, e)"
)
COUNTS = "c.set_value(0, n[0])\nc.set_value(1, n[1])\nc.set_value(2, n[2])\nc.set_value(3, n[3])"
PARAMETERS = "repeats: int, valid: int, q1: int, q2: int, q3: int, l0: int, l1: int, l2: int, l3: int"


def info(ends: bool) -> str:
    return f"asc.MrgSort4Info({LENGTHS}, {ends}, valid, repeats)"


CALLS = [
    "asc.sort32(z, x, u, repeats)",
    "asc.sort(z, x, u, t, repeats)",
    "asc.sort(z, x, u, t, repeats, True)",
    f"asc.mrg_sort(z, {QUEUES}, {info(False)})\n{RESULT}",
    f"asc.mrg_sort(z, {QUEUES}, {info(True)})\n{RESULT}",
    f"n = asc.array(asc.uint32, 4)\nasc.mrg_sort(z, {QUEUES}, {LENGTHS}, n, valid, repeats)\n{COUNTS}",
    f"n = asc.array(asc.uint32, 4)\nasc.mrg_sort(z, {QUEUES}, {LENGTHS}, n, valid, repeats, True)\n{COUNTS}",
    "c.set_value(0, asc.get_sort_len(repeats))\nc.set_value(1, asc.get_sort_offset(repeats))\n"
    "c.set_value(2, asc.get_sort_len(repeats, asc.{0}))\nc.set_value(3, asc.get_sort_offset(repeats, asc.{0}))",
]


def pair(dtype: str) -> np.dtype:
    if dtype == "float32":
        return np.dtype([("value", np.float32), ("index", np.uint32)])
    return np.dtype([("value", np.float16), ("between", np.uint16), ("index", np.uint32)])


def rank(value: float) -> tuple[bool, float]:
    """Sorts as the calls do, the greatest first: a NaN before every number."""
    number = float(value)
    return (number == number, -number if number == number else 0.0)


def order(values: np.ndarray) -> list[int]:
    return sorted(range(len(values)), key=lambda i: rank(values[i]))


def merge(queues: list[list[float]], ends: bool) -> tuple[list[tuple[int, int]], list[int]]:
    """(queue, place) of each record in order, and how many each queue gave."""
    heads, taken = [0] * len(queues), []
    while True:
        alive = [q for q in range(len(queues)) if heads[q] < len(queues[q])]
        if not alive or (ends and any(queue and heads[q] == len(queue) for q, queue in enumerate(queues))):
            return taken, heads
        best = min(alive, key=lambda q: (rank(queues[q][heads[q]]), q))
        taken.append((best, heads[best]))
        heads[best] += 1


@pytest.fixture(scope="module", params=TYPES)
def kernel(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Image:
    dtype = request.param
    parts = {
        "z": (dtype, 0, 64 * K),
        "p": (dtype, 64 * K, 32 * K),
        "x": (dtype, 64 * K, 32 * K),
        "t": (dtype, 96 * K, 32 * K),
        "u": ("uint32", 128 * K, 31 * K),
        "c": ("int32", 159 * K, 64),
    }
    calls = [call.replace("{0}", dtype) for call in CALLS]
    return Image(tmp_path_factory.mktemp("sort"), f"sort_{dtype}", SIZE, parts, PARAMETERS, calls)


def dtype_of(kernel: Image) -> str:
    return kernel.tensors["z"][0]


def check(kernel: Image, which: int, image: np.ndarray, wanted: np.ndarray, *arguments: int) -> None:
    filled = (*arguments, *[0] * (9 - len(arguments)))
    got = kernel.run(image, which, *filled, check=dtype_of(kernel) == CHECKED)
    same(got, wanted, (CALLS[which], arguments))


@pytest.mark.parametrize("repeats", [0, 1, 2, 3, 100])
def test_sort(kernel: Image, repeats: int, ran: Callable[[str, int, str], None]) -> None:
    dtype = dtype_of(kernel)
    image = noise(SIZE, repeats)
    count = 32 * repeats
    kernel.part(image, "x")[:count] = numbers(dtype, count, repeats)
    values, indices = kernel.part(image, "x"), kernel.part(image, "u")
    for which in (0, 1, 2):
        wanted = image.copy()
        pairs = np.zeros(count, pair(dtype))
        group = 32 if which < 2 else max(count, 1)
        for begin in range(0, count, group):
            places = [begin + i for i in order(values[begin : begin + group][:count])]
            pairs["value"][begin : begin + group] = values[places]
            pairs["index"][begin : begin + group] = indices[places]
        wanted[: 8 * count] = pairs.view(np.uint8)
        if which == 2:
            kernel.part(wanted, "t").view(np.uint8)[: 8 * count] = 0xFF
        check(kernel, which, image, wanted, repeats)
    for name in ("sort32", "sort"):
        ran(name, 0, dtype)
        ran(name, 0, "uint32")


# Which queues there are, their lengths, how many merges, whether the queues follow one another.
MERGES = [
    (15, (32, 32, 32, 32), 1, True),
    (15, (32, 32, 32, 32), 3, True),
    (15, (16, 16, 16, 16), 0, True),
    (15, (5, 1, 40, 7), 2, False),
    (7, (9, 30, 2, 9), 1, False),
    (3, (1, 12, 8, 8), 1, False),
    (3, (0, 4, 0, 0), 1, False),
    (15, (32, 32, 32, 32), 2, False),
]


def queues_of(image: np.ndarray, kernel: Image, each: int, shape: tuple, seed: int) -> list[int]:
    """Puts sorted queues of records of `each` elements into an image; returns where they start, in records."""
    _, lengths, repeats, follow = shape
    starts = [sum(lengths[:number]) + (0 if follow else 4 * number) for number in range(4)]
    records = kernel.part(image, "p")
    records = records[: len(records) // each * each].reshape(-1, each)
    for repeat in range(max(repeats if follow else 1, 1)):
        for number, (start, length) in enumerate(zip(starts, lengths, strict=True)):
            scores = numbers(dtype_of(kernel), length, seed + number + 10 * repeat)
            records[start + repeat * sum(lengths) :][:length, 0] = scores[order(scores)]
    return starts


@pytest.mark.parametrize("shape", MERGES, ids=str)
@pytest.mark.parametrize("which", [3, 4, 5, 6])
def test_merge(kernel: Image, which: int, shape: tuple, ran: Callable[[str, int, str], None]) -> None:
    dtype = dtype_of(kernel)
    valid, lengths, repeats, follow = shape
    ends = which in (4, 6)
    image = noise(SIZE, which)
    size = 8
    each = size // NUMPY[dtype].itemsize
    starts = queues_of(image, kernel, each, shape, which)
    wanted = image.copy()
    scores = kernel.part(image, "p")
    source = scores.view(np.uint8)
    effective = repeats if follow and not ends else 1
    place, heads = 0, [0, 0, 0, 0]
    for repeat in range(effective):
        begin = [start + repeat * sum(lengths) for start in starts]
        queues = [
            [float(scores[(begin[q] + i) * each]) for i in range(lengths[q])] if valid >> q & 1 else []
            for q in range(4)
        ]
        taken, heads = merge(queues, ends)
        for q, i in taken:
            wanted[place : place + size] = source[(begin[q] + i) * size :][:size]
            place += size
    kernel.part(wanted, "c")[:4] = heads
    check(kernel, which, image, wanted, repeats, valid, *(start * each for start in starts[1:]), *lengths)
    ran("MrgSortSrcList", 0, dtype)
    ran("mrg_sort", {3: 1, 4: 1, 5: 0, 6: 0}[which], dtype)
    ran("get_mrg_sort_result", 0, "")
    if which in (3, 4):
        ran("MrgSort4Info", 0, "")


def test_sizes(kernel: Image, ran: Callable[[str, int, str], None]) -> None:
    image = noise(SIZE, 1)
    wanted = image.copy()
    own = 8 // NUMPY[dtype_of(kernel)].itemsize
    kernel.part(wanted, "c")[:4] = 14, 14, 7 * own, 7 * own
    check(kernel, 7, image, wanted, 7)
    for call in ("get_sort_len", "get_sort_offset"):
        ran(call, 0, "")
        ran(call, 1, dtype_of(kernel))


# What is wrong ------------------------------------------------------------------------------------------------

WRONG = """\
from opwright import asc

@asc.jit
def kernel(x: asc.GlobalAddress, n: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 512)
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 512)
    i = asc.LocalTensor(asc.int32, asc.TPosition.VECCALC, 0, 512)
    u = asc.LocalTensor(asc.uint32, asc.TPosition.VECCALC, 0, 512)
    z = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 2048, 64)
    asc.data_copy(a, x_gm, 512)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    queues = asc.MrgSortSrcList(asc.float32, a, a[64:], a[128:], a[192:])
    own = asc.MrgSortSrcList(asc.float32, z, a[64:], a[128:], a[192:])
    {}
"""
FOUR = "asc.MrgSort4Info([8, 8, 8, 8], False, {}, 1)"
LATER = "\n    asc.data_copy(x_gm, z, 8)"
REFUSED = [
    ("asc.sort32(z, a, u, 2)", OutOfRange, "dst is used for 512"),
    ("asc.sort32(z, a, u, n)", RuleError, "between 0 and 255"),
    ("asc.sort32(z, i, u, 1)", NoForm, "holds int32"),
    ("asc.sort32(z[4:], a, u, 1)", RuleBroken, "multiple of 32 bytes"),
    ("asc.sort32(a, a, u, 1)", RuleError, "dst overlaps src0"),
    ("asc.sort32(z, a, u, 1)" + LATER, RaceError, ""),
    ("asc.sort(z, a, u, a[256:], 1)" + LATER, RaceError, ""),
    ("asc.sort(z, a, u, a, 1, True)", RuleError, "tmp overlaps concat"),
    (f"asc.mrg_sort(z, queues, {FOUR.format(5)})", RuleError, "3, 7 or 15, got 5"),
    ("asc.mrg_sort(z, queues, asc.MrgSort4Info([8, 8, 8, 8], False, 15, n))", RuleError, "between 0 and 255"),
    ("asc.mrg_sort(z, queues, asc.MrgSort4Info([9, 9, 9, 9]))", OutOfRange, "dst is used for 288"),
    ("asc.mrg_sort(z, queues, asc.MrgSort4Info([999, 9, 9, 9]))", OutOfRange, "is used for"),
    (f"asc.mrg_sort(z, own, {FOUR.format(15)})", RuleError, "overlaps"),
    (f"asc.mrg_sort(z[2:], queues, {FOUR.format(3)})", OpwrightError, "multiple of 32 bytes"),
    (f"asc.mrg_sort(z, queues, {FOUR.format(15)})" + LATER, RaceError, ""),
    (f"asc.mrg_sort(z, queues, {FOUR.format(15)})\n    asc.data_copy(a[192:], x_gm, 8)", RaceError, ""),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED, ids=lambda value: str(value)[:60])
def test_wrong(call: str, error: type[OpwrightError], words: str, tmp_path: Path) -> None:
    kernel = load(tmp_path, "wrong", WRONG.format(call)).kernel
    with pytest.raises(error) as caught:
        kernel.check[1](np.ones(512, np.float32), 256)
    assert words in str(caught.value), caught.value
