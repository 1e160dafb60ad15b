"""Reductions against trees that NumPy builds, lane by lane; what no result touches keeps what it held."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from call_kernels import NUMPY, Calls, Tensor, calls, same, takes
from reduce_reference import as_elements, extreme, folded, lanes_of, tree, tree_of_any_length

from opwright import asc
from opwright.ascendc.dtypes import DTYPES
from opwright.errors import OutOfRange, RaceError, RuleError
from opwright.settings import settings

OLD, NEW = "ascend910b", "ascend950"
INPUT, OUTPUT, SPACE = 256 * 260, 36 * 1024, 16 * 1024  # bytes
ORDERS = ("ORDER_VALUE_INDEX", "ORDER_INDEX_VALUE", "ORDER_ONLY_VALUE", "ORDER_ONLY_INDEX")
PARAMETERS = "mask: int, low: int, high: int, repeats: int, dst_rep: int, src_blk: int, src_rep: int, count: int"
_STRIDES = "dst_rep, src_blk, src_rep"
_MASKS = ("mask", "[low, high]")

# (call, form, arguments after dst and src)
ENTRIES = [
    *(
        (f"block_reduce_{of}", f, f"repeats, {m}, {_STRIDES}")
        for of in ("sum", "max", "min")
        for f, m in enumerate(_MASKS)
    ),
    *(("pair_reduce_sum", f, f"repeats, {m}, {_STRIDES}") for f, m in enumerate(_MASKS)),
    ("repeat_reduce_sum", 0, "repeats, mask, 7, src_blk, dst_rep, src_rep"),
    *(("whole_reduce_sum", f, f"{m}, repeats, {_STRIDES}") for f, m in enumerate(_MASKS)),
    *(
        (f"whole_reduce_{of}", f, f"{m}, repeats, {_STRIDES}, asc.ReduceOrder.{order}")
        for of in ("max", "min")
        for f, m in enumerate(_MASKS)
        for order in ORDERS[:: 1 + 2 * f]
    ),
    *(("reduce_sum", f, f"t_ub, {m}, repeats, src_rep") for f, m in enumerate(_MASKS)),
    ("reduce_sum", 2, "t_ub, count"),
    *(
        (f"reduce_{of}", f, f"t_ub, {what}, cal_index={index}")
        for of in ("max", "min")
        for f, what in enumerate([*(f"{m}, repeats, src_rep" for m in _MASKS), "count"])
        for index in (False, True)
    ),
]
KINDS = [(soc, dtype) for soc in (OLD, NEW) for dtype in DTYPES if takes("reduce_max", 2, soc, T=dtype)]
# Compiling takes most of the time: the others are compiled fast, for the same bits.
OPTIMISED = ((OLD, "float16"), (NEW, "float32"))
# Lanes, or words of bits; repeats; strides of results, of blocks, of repeats.
SHAPES = [
    (1.0, 1, 1, 1, 8),
    (1.0, 255, 1, 1, 8),
    (0.3, 3, 1, 1, 8),
    (0.01, 2, 2, 1, 8),
    (0.99, 4, 3, 1, 9),
    (0.7, 3, 2, 2, 17),
    (1.0, 5, 1, 0, 1),
    (1.0, 3, 1, 1, 0),
    (1.0, 3, 0, 1, 8),
    (0.0, 3, 1, 1, 8),
    (1.0, 0, 1, 1, 8),
]
WORDS = [(0x5555555555555555, 0xAAAAAAAAAAAAAAAA), (1 << 63, 1), (0, 1 << 40), (0xFF00FF, 7), (2**64 - 1, 2**64 - 1)]
COUNTS = (0, 1, -1, 0, 1, 5)  # how many more than these repeats have
COUNT_REPEATS = (0, 0, 1, 1, 1, 255)


def entries(soc: str, dtype: str) -> list[tuple[str, int, str]]:
    return [entry for entry in ENTRIES if takes(*entry[:2], soc, T=dtype)]


@cache
def made(folder: Path, soc: str, dtype: str) -> Calls:
    size = NUMPY[dtype].itemsize
    tensors = [
        Tensor("z", dtype, OUTPUT // size, written=True),
        Tensor("x", dtype, INPUT // size),
        Tensor("t", dtype, SPACE // size, written=True),
    ]
    texts = [f"asc.{call}(z_ub, x_ub, {arguments})" for call, _, arguments in entries(soc, dtype)]
    level = 3 if (soc, dtype) in OPTIMISED else 0
    return calls(folder, f"reductions_{soc}_{dtype}", soc, tensors, PARAMETERS, texts, opt_level=level)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reductions")


def contents(dtype_name: str, seed: int, is_special: bool) -> dict[str, np.ndarray]:
    dtype, random = NUMPY[dtype_name], np.random.default_rng(seed)
    size = INPUT // dtype.itemsize
    if is_special or DTYPES[dtype_name].is_int():
        x = random.integers(0, 256, INPUT, dtype=np.uint8).view(dtype)
        x[::7] = x[3]
    else:
        x = (random.standard_normal(size) * 2.0 ** random.integers(-6, 6, size)).astype(dtype)
        x[::11] = -0.0
        # Of zeros the first one is the result, with its sign.
        repeats = x.reshape(-1, 256 // dtype.itemsize)
        for first, other in ((1, -1.0), (2, 1.0)):
            repeats[first::3] = random.choice([-0.0, 0.0, other], repeats[first::3].shape)
    fill = np.nan if DTYPES[dtype_name].is_float() and seed % 2 else 99
    return {
        "x": x,
        "z": np.full(OUTPUT // dtype.itemsize, fill, dtype),
        "t": np.full(SPACE // dtype.itemsize, 98, dtype),
    }


def expected(entry: tuple[str, int, str], soc: str, given: dict, values: dict) -> np.ndarray:
    """The destination after a call."""
    call, form, arguments = entry
    z, x = given["z"].copy(), given["x"]
    most = 256 // x.itemsize
    sign = 1 if "max" in call else -1
    if call in ("reduce_sum", "reduce_max", "reduce_min") and form == 2:
        repeats = -(-values["count"] // most)
        lanes = lanes_of(x, repeats, 1, 8)
        present = np.arange(repeats * most).reshape(repeats, most) < values["count"]
    else:
        lanes = lanes_of(
            x, values["repeats"], 1 if call.startswith("reduce_") else values["src_blk"], values["src_rep"]
        )
        present = np.isin(np.arange(most), values["bits"] if form == 1 else np.arange(values["mask"]))
    if not present.any() or not len(lanes):
        return z
    if call == "reduce_sum":
        sums = tree(lanes, present, 1)[0][:, 0]
        with np.errstate(all="ignore"):
            in_turn = form == 2 and soc == OLD
            z[0] = np.add.accumulate(sums, dtype=sums.dtype)[-1] if in_turn else tree_of_any_length(sums)
        if form == 2 and soc == NEW and 1 < len(lanes) <= 4:
            z[0] = folded(lanes, present)
    elif call.startswith("reduce_"):
        value, index = extreme(lanes.reshape(1, -1), np.broadcast_to(present, lanes.shape).reshape(1, -1), sign)
        z[0] = value[0]
        if arguments.endswith("True"):
            z[1] = as_elements(index, x.dtype)[0]
    else:
        put(call, arguments, soc, z, values["dst_rep"], lanes, present, sign)
    return z


def put(
    call: str, arguments: str, soc: str, z: np.ndarray, stride: int, lanes: np.ndarray, present: np.ndarray, sign: int
) -> None:
    """Writes the results of every repeat, one after another."""
    repeats, most = lanes.shape
    at = np.arange(repeats) * stride
    if call in ("whole_reduce_sum", "repeat_reduce_sum"):
        z[at] = tree(lanes, present, 1)[0][:, 0]
    elif call.startswith("whole"):
        value, lane = extreme(lanes, present, sign)
        match arguments.rpartition("ORDER_")[2]:
            case "VALUE_INDEX":
                z[2 * at], z[2 * at + 1] = value, as_elements(lane, z.dtype)
            case "INDEX_VALUE":
                z[2 * at], z[2 * at + 1] = as_elements(lane, z.dtype), value
            case "ONLY_VALUE":
                z[at] = value
            case "ONLY_INDEX":
                z.view(np.uint32)[at] = lane
    else:
        results = 8 if call.startswith("block") else most // 2
        if "sum" in call:
            got, has = tree(lanes, present, results)
            nothing = 0
        else:
            parts = lanes.reshape(repeats * results, -1)
            which = np.broadcast_to(present, lanes.shape).reshape(parts.shape)
            got, has = extreme(parts, which, sign)[0].reshape(repeats, results), which.any(1).reshape(repeats, results)
            nothing = -sign * np.inf
        for repeat, start in enumerate(at * results):
            line = z[start : start + results]
            line[has[repeat]] = got[repeat][has[repeat]]
            if soc == NEW:
                line[~has[repeat]] = nothing


def arguments_of(shape: tuple, words: tuple[int, int], count: int, most: int) -> tuple[list[int], dict]:
    share, repeats, dst_rep, src_blk, src_rep = shape
    mask = int(np.ceil(most * share))
    bits = [lane for lane in range(most) if words[lane // 64] >> lane % 64 & 1]
    signed = [word - (1 << 64) if word >> 63 else word for word in words]
    values = {"mask": mask, "bits": bits, "repeats": repeats, "dst_rep": dst_rep, "src_blk": src_blk}
    values |= {"src_rep": src_rep, "count": count}
    return [mask, *signed, repeats, dst_rep, src_blk, src_rep, count], values


@pytest.mark.parametrize(("soc", "dtype"), KINDS)
def test_reductions(soc: str, dtype: str, folder: Path, ran: Callable[[str, int, str], None]) -> None:
    most = 256 // NUMPY[dtype].itemsize
    for number, shape in enumerate(SHAPES):
        words = WORDS[number % len(WORDS)]
        place = number % len(COUNTS)
        count = COUNT_REPEATS[place] * most + COUNTS[place]
        given = contents(dtype, number, is_special=number % 3 == 2)
        arguments, values = arguments_of(shape, words, count, most)
        out = made(folder, soc, dtype).run(given, arguments)
        for entry, got in zip(entries(soc, dtype), out["z"], strict=True):
            same(got, expected(entry, soc, given, values), f"{entry} on {soc}, {dtype}: {shape} {words} {count}")
            ran(*entry[:2], dtype)


def test_the_order_matters(folder: Path) -> None:
    """The tree of the documentation and a sum from left to right differ on these numbers."""
    given = contents("float16", 0, is_special=False)
    given["x"][:4] = [60000, 60000, -30000, 100]
    given["x"][4:16] = 0
    arguments, _ = arguments_of((4 / 128, 1, 1, 1, 8), WORDS[0], 0, 128)
    sums = [i for i, entry in enumerate(entries(OLD, "float16")) if entry[:2] == ("whole_reduce_sum", 0)]
    assert np.isinf(made(folder, OLD, "float16").run(given, arguments)["z"][sums[0]][0])
    given["x"][:4] = [60000, -60000, -30000, 100]
    got = made(folder, OLD, "float16").run(given, arguments)["z"][sums[0]][0]
    assert got == np.float16(-30000) + np.float16(100)


@pytest.mark.parametrize("soc", [OLD, NEW])
def test_temporary_space(soc: str, folder: Path) -> None:
    """Only as much of it as the call needs is touched."""
    arguments, _ = arguments_of((1.0, 255, 1, 1, 8), (2**64 - 1, 2**64 - 1), 64 * 255, 64)
    given = contents("float32", 0, is_special=False)
    out = made(folder, soc, "float32").run(given, arguments)
    for entry, space in zip(entries(soc, "float32"), out["t"], strict=True):
        touched = int((space != 98).sum())
        wanted = 0
        if entry[0] == "reduce_sum" and (entry[1] != 2 or soc == NEW):
            wanted = 256
        elif entry[0] in ("reduce_max", "reduce_min"):
            wanted = 512 + (16 + 8 if entry[2].endswith("True") else 0)
        assert touched == wanted, entry
        assert (space[wanted:] == 98).all()


# Wrong uses ---------------------------------------------------------------------------------------------------

USUAL = (1.0, 4, 1, 1, 8)


@pytest.fixture(scope="module")
def usual() -> tuple[dict, list[int]]:
    arguments, _ = arguments_of(USUAL, (2**64 - 1, 2**64 - 1), 256, 64)
    return contents("float32", 0, is_special=False), arguments


def test_right_under_check(folder: Path, usual: tuple) -> None:
    made_calls = made(folder, OLD, "float32")
    made_calls.run(*usual, checked=True)
    assert not made_calls.watched.check.report().findings


@pytest.mark.parametrize("number", range(len(ENTRIES)), ids=lambda n: f"{ENTRIES[n][0]}-{n}")
def test_wrong_uses(number: int, folder: Path, usual: tuple) -> None:
    made_calls = made(folder, OLD, "float32")
    assert len(made_calls.calls) == len(ENTRIES)
    with pytest.raises(OutOfRange):
        made_calls.run(*usual, only=number, sizes={"x": 255})
    if not ENTRIES[number][0].startswith("reduce_") or ENTRIES[number][2].endswith("True"):  # more than one result
        with pytest.raises(OutOfRange):
            made_calls.run(*usual, only=number, sizes={"z": 1})
    with pytest.raises(RuleError, match="src must start at a multiple of 32 bytes"):
        made_calls.run(*usual, only=number, moved={"x": 4})
    with pytest.raises(RuleError, match="dst must start at a multiple of"):
        made_calls.run(*usual, only=number, moved={"z": 2})
    with pytest.raises(RuleError, match="overlap"):
        made_calls.run(*usual, only=number, moved={"z": OUTPUT + 32 + 32})
    made_calls.run(*usual, only=number, moved={"z": OUTPUT + 32})
    with pytest.raises(RaceError):
        made_calls.run(*usual, only=number, is_right=False, checked=True)


@asc.jit(soc=NEW, opt_level=0)
def sum_of(x: asc.GlobalAddress, z: asc.GlobalAddress, count: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    pipe = asc.TPipe()
    buffer = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(buffer, 8192)
    a = buffer.get(asc.float32)
    s = a[512:]
    room = a[1024:]
    asc.data_copy(a, x_gm, 512)
    asc.data_copy(s, z_gm, 8)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.reduce_sum(s, a, room, count)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, s, 8)


@pytest.mark.parametrize("folds", [True, False])
def test_sums_that_fold(folds: bool) -> None:
    """Counts of 256 to 1024 bytes, if so assumed; in both orders, and they differ."""
    random = np.random.default_rng(5)
    x = (random.standard_normal(512) * 2.0 ** random.integers(-12, 12, 512)).astype(np.float32)
    differing = 0
    for count in (1, 63, 64, 65, 100, 128, 129, 191, 192, 193, 250, 256, 257, 320, 512):
        repeats = -(-count // 64)
        lanes, present = lanes_of(x, repeats, 1, 8), np.arange(repeats * 64).reshape(repeats, 64) < count
        as_trees = tree_of_any_length(tree(lanes, present, 1)[0][:, 0])
        is_folded = 64 < count <= 256
        differing += is_folded and folded(lanes, present) != as_trees
        z = np.zeros(8, np.float32)
        with settings.scope(chip_assumptions="" if folds else "fold_sums=off"):
            sum_of[1](x, z, count)
        assert z[0] == (folded(lanes, present) if folds and is_folded else as_trees), count
    assert differing > 2
