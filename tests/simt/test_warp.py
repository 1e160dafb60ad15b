"""Calls in which the lanes of a warp meet, against NumPy lane by lane: whole warps, parts of them, lanes that ended."""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from image import NUMPY, load
from thread_calls import HEAD, empty

from opwright.ascendc.table import CHAPTERS, ROWS
from opwright.errors import KernelError, OpwrightError

Ran = Callable[[str, int, str], None]
COUNTS = [1, 31, 32, 33, 1024, 2048]
MOVED = ("int32", "uint32", "int64", "uint64", "float16", "bfloat16", "float32")
REDUCED = ("int32", "uint32", "float16", "float32")
SHUFFLES = ("shfl", "shfl_up", "shfl_down", "shfl_xor")
MASKS = ("eq", "le", "lt", "ge", "gt")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("warps")


@cache
def kernel(folder: Path, name: str, parameters: str, body: str) -> Any:
    """A kernel of threads, of which `i` is the index and `n` the number in the block."""
    lines = ["i = simt.threadIdx.x", "n = simt.blockDim.x", *body.strip().splitlines()]
    text = "".join(f"    {line}\n" for line in lines)
    return load(folder, name, f"{HEAD}\n@simt(max_threads=2048)\ndef {name}({parameters}):\n{text}").__dict__[name]


def numbers(dtype: str, count: int) -> np.ndarray:
    """Anything, with both zeros and a NaN where there is one."""
    random = np.random.default_rng(count)
    if NUMPY[dtype].kind in "iu":
        info = np.iinfo(NUMPY[dtype])
        return random.integers(info.min, info.max, count, NUMPY[dtype], endpoint=True)
    made = (100 * random.standard_normal(count)).astype(NUMPY[dtype])
    made[::7], made[3::11], made[5::13] = 0.0, -0.0, np.nan
    return made


def bits(values: np.ndarray) -> list[int]:
    return values.view(f"u{values.itemsize}").tolist()


@pytest.mark.quick
def test_every_row_is_tested() -> None:
    reductions = [f"reduce_{name}" for name in ("add", "max", "min")]
    masks = [f"lanemask_{name}" for name in MASKS]
    names = [*SHUFFLES, "all", "any", "ballot", "activemask", *reductions, "laneid", *masks]
    assert {f"simt.{name}" for name in names} == {row.name for row in CHAPTERS["simt_warp"]}


# Shuffles -----------------------------------------------------------------------------------------------------

SHUFFLING = "\n".join(
    f"if which == {number}:\n    out[i] = simt.{name}(x[i], by, width)" for number, name in enumerate(SHUFFLES)
)


def source(name: str, lane: int, by: int, width: int) -> int:
    """The lane from which a lane gets its number."""
    begin = lane - lane % width
    other = {"shfl": begin + by % width, "shfl_up": lane - by, "shfl_down": lane + by, "shfl_xor": lane ^ by}[name]
    is_own = other < begin if name == "shfl_up" else other >= begin + width
    return lane if is_own else other


@pytest.mark.parametrize("dtype", MOVED)
def test_shuffles(dtype: str, folder: Path, ran: Ran) -> None:
    parameters = "out: asc.GlobalAddress, x: asc.GlobalAddress, which: int, by: int, width: int"
    shuffle = kernel(folder, f"shuffle_{dtype}", parameters, SHUFFLING)
    refused = 0
    for count in COUNTS:
        x = numbers(dtype, count)
        for which, name in enumerate(SHUFFLES):
            for by, width in ((0, 32), (1, 32), (5, 8), (16, 32), (2, 1), (31, 32), (3, 4), (40, 16), (1, 2)):
                if name == "shfl_xor" and by >= 32:
                    continue
                sources = [i - i % 32 + source(name, i % 32, by, width) for i in range(count)]
                out = empty(dtype, count)
                if max(sources) >= count:
                    with pytest.raises(OpwrightError, match="lane"):
                        shuffle[1, count](out, x, which, by, width)
                    refused += 1
                    continue
                shuffle[1, count](out, x, which, by, width)
                assert bits(out) == bits(x[sources]), (name, count, by, width)
    assert refused > 10
    for name in SHUFFLES:
        ran(f"simt.{name}", 0, dtype)


def test_a_negative_lane_counts_modulo_the_width(folder: Path) -> None:
    parameters = "out: asc.GlobalAddress, x: asc.GlobalAddress, which: int, by: int, width: int"
    shuffle = kernel(folder, "shuffle_int32", parameters, SHUFFLING)
    x, out = np.arange(64, dtype=np.int32), empty("int32", 64)
    shuffle[1, 64](out, x, 0, -1, 8)
    assert out.tolist() == [lane // 8 * 8 + 7 for lane in range(64)]


@pytest.mark.parametrize("width", [0, -1, 3, 12, 33, 64])
def test_widths_of_the_run(width: int, folder: Path) -> None:
    parameters = "out: asc.GlobalAddress, x: asc.GlobalAddress, which: int, by: int, width: int"
    shuffle = kernel(folder, "shuffle_int32", parameters, SHUFFLING)
    for which in range(4):
        with pytest.raises(OpwrightError, match="width"):
            shuffle[1, 32](empty("int32", 32), np.zeros(32, np.int32), which, 0, width)


# Votes --------------------------------------------------------------------------------------------------------

VOTES = """
if i >= limit:
    return
out[i] = simt.all(x[i] > 0)
out[n + i] = simt.any(x[i] > 0)
out[2 * n + i] = simt.ballot(x[i] > 0)
out[3 * n + i] = simt.activemask()
out[4 * n + i] = simt.ballot(x[i])
"""


@pytest.mark.parametrize("count", COUNTS)
def test_votes(count: int, folder: Path, ran: Ran) -> None:
    """Lanes that have ended take no part, nor do those that the block does not have."""
    votes = kernel(folder, "votes", "out: asc.GlobalAddress, x: asc.GlobalAddress, limit: int", VOTES)
    random = np.random.default_rng(count)
    for limit in {count, max(1, count - 5), max(1, count // 2), 1}:
        for x in (np.ones(count), -np.ones(count), random.integers(-1, 2, count), np.zeros(count)):
            x = x.astype(np.int32)
            out = empty("int64", 5, count)
            votes[1, count](out, x, limit)
            for start in range(0, limit, 32):
                part = x[start : min(start + 32, limit)]
                positive = part > 0
                ballots = [sum(1 << lane for lane in np.flatnonzero(who).tolist()) for who in (positive, part != 0)]
                want = [int(positive.all()), int(positive.any()), ballots[0], (1 << len(part)) - 1, ballots[1]]
                got = out[:, start : start + len(part)]
                assert (got == np.array(want, np.int64)[:, None]).all(), (count, limit, start)
            assert (out[:, limit:] == -1).all()
    for name in ("all", "any", "ballot", "activemask"):
        ran(f"simt.{name}", 0, "")


# Reductions ---------------------------------------------------------------------------------------------------

REDUCTIONS = "\n".join(
    f"out[{number} * n + i] = simt.reduce_{name}(x[i])" for number, name in enumerate(("add", "max", "min"))
)


def tree(values: list[Any], combine: Callable[[Any, Any], Any]) -> Any:
    """Neighbours first, then pairs of them; what is left over waits."""
    while len(values) > 1:
        pairs = [values[at : at + 2] for at in range(0, len(values), 2)]
        values = [combine(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return values[0]


def larger(a: Any, b: Any) -> Any:
    return a if b != b or a > b else b


def smaller(a: Any, b: Any) -> Any:
    return a if b != b or a < b else b


@pytest.mark.parametrize("dtype", REDUCED)
def test_reductions(dtype: str, folder: Path, ran: Ran) -> None:
    reduce = kernel(folder, f"reduce_{dtype}", "out: asc.GlobalAddress, x: asc.GlobalAddress", REDUCTIONS)
    for count in COUNTS:
        for with_nan in (False, True):
            x = numbers(dtype, count)
            if not with_nan and NUMPY[dtype].kind == "f":
                x = np.nan_to_num(x, nan=1.5)
            out = empty(dtype, 3, count)
            reduce[1, count](out, x)
            for start in range(0, count, 32):
                part = list(x[start : start + 32])
                with np.errstate(all="ignore"):
                    want = np.array([tree(part, how) for how in (lambda a, b: a + b, larger, smaller)], NUMPY[dtype])
                got = out[:, start : start + 32]
                np.testing.assert_array_equal(got, np.repeat(want[:, None], len(part), 1))
                assert (np.signbit(got) == np.signbit(want)[:, None])[~np.isnan(want)].all()
    for name in ("add", "max", "min"):
        ran(f"simt.reduce_{name}", 0, dtype)


def test_a_sum_over_a_block(folder: Path) -> None:
    """As people write it: a warp adds by shuffles, and the first lane of each warp adds to the sum."""
    body = """
value = x[i]
step = 16
while step > 0:
    value = value + simt.shfl_down(value, step)
    step //= 2
if simt.laneid() == 0:
    simt.atomic_add(out, value)
"""
    total = kernel(folder, "total", "out: asc.GlobalAddress, x: asc.GlobalAddress", body)
    x, out = np.arange(2048, dtype=np.float32), np.zeros(1, np.float32)
    total[1, 2048](out, x)
    assert out[0] == x.sum()


# Lanes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", COUNTS)
def test_lanes(count: int, folder: Path, ran: Ran) -> None:
    names = ["laneid", *(f"lanemask_{name}" for name in MASKS)]
    body = "\n".join(f"out[{number} * n + i] = simt.{name}()" for number, name in enumerate(names))
    out = empty("int32", len(names), count)
    kernel(folder, "lanes", "out: asc.GlobalAddress", body)[1, count](out)
    lanes = np.arange(count) % 32
    all_of_them = (1 << 32) - 1
    own = {"eq": lambda lane: 1 << lane, "le": lambda lane: (2 << lane) - 1, "lt": lambda lane: (1 << lane) - 1}
    own |= {"ge": lambda lane: all_of_them & ~((1 << lane) - 1), "gt": lambda lane: all_of_them & ~((2 << lane) - 1)}
    assert out[0].tolist() == lanes.tolist()
    for row, name in zip(out[1:], MASKS, strict=True):
        assert row.view(np.uint32).tolist() == [own[name](lane) for lane in lanes.tolist()], name
    for name in names:
        ran(f"simt.{name}", 0, "")


# What is refused ----------------------------------------------------------------------------------------------


@pytest.mark.quick
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("y[0] = simt.shfl(asc.number(1, asc.int16), 0)", "make it wider, asc.number(x, asc.int32)"),
        ("y[0] = simt.shfl(x[0], 0, 3)", "width must be one of 1, 2, 4, 8, 16, 32"),
        ("y[0] = simt.shfl_up(x[0], -1)", "delta is a uint32"),
        ("y[0] = simt.shfl(x[0], 1.0)", "src_lane must be an integer"),
        ("y[0] = simt.shfl(x, 0)", "var must be a number"),
        ("y[0] = simt.reduce_add(1)", "asc.number(x, asc.int32)"),
        ("y[0] = simt.reduce_max(asc.number(1.0, asc.bfloat16))", "reduce float32: float(x)"),
        ("y[0] = simt.ballot()", "'predicate' is missing"),
        ("y[0] = simt.ballot(x)", "predicate must be a truth value"),
        ("y[0] = simt.shfl_sync(x[0], 0)", "shfl_sync"),
    ],
)
def test_wrong_uses(text: str, words: str, tmp_path: Path) -> None:
    lines = f"{HEAD}\n@simt\ndef wrong(x: asc.GlobalAddress, y: asc.GlobalAddress):\n    {text}\n"
    with pytest.raises(KernelError, match=re.escape(words)):
        load(tmp_path, "wrong", lines).wrong.emit("f32[4]", "f32[4]")


@pytest.mark.quick
def test_a_kernel_may_not_call_them(tmp_path: Path) -> None:
    text = f"{HEAD}\n@asc.jit(soc='ascend950')\ndef wrong(x: asc.GlobalAddress):\n    simt.ballot(True)\n"
    with pytest.raises(KernelError, match="threads"):
        load(tmp_path, "wrong", text).wrong.emit("f32[4]")


@pytest.mark.quick
def test_rows_say_that_lanes_meet() -> None:
    meeting = {row.name for row in ROWS.values() if row.meets == "warp"}
    assert meeting == {row.name for row in CHAPTERS["simt_warp"] if row.effect == "runs"}
