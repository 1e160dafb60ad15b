"""Warp calls, atomics, loads and stores, printing: what the headers compute, against NumPy. Texts are by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from by_hand import MIXED, PURE, compile_by_hand, line_of
from numpy.testing import assert_array_equal

COUNTS = [1, 31, 32, 33, 1024, 2048]
CPP = {"float32": "float", "int32": "int32_t", "uint32": "uint32_t", "int64": "int64_t", "uint64": "uint64_t"}
CPP |= {"float16": "half", "bfloat16": "bfloat16_t"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("texts")


def pure_text(parameters: str, body: str) -> str:
    lines = "".join(f"    {line}\n" for line in body.strip().splitlines())
    return f'{PURE}extern "C" __global__ __launch_bounds__(2048) void pure({parameters}) {{\n{lines}}}\n'


def numbers(dtype: str, count: int) -> np.ndarray:
    generator = np.random.default_rng(count)
    if dtype.startswith("float"):
        return generator.standard_normal(count).astype(dtype)
    kind = np.dtype("uint16" if dtype == "bfloat16" else dtype)
    return generator.integers(np.iinfo(kind).min, np.iinfo(kind).max, count, kind, endpoint=True)


SHUFFLES = """
const int64_t i = threadIdx.x;
const int64_t n = blockDim.x;
out[i] = asc_shfl(x[i], static_cast<int32_t>(by), static_cast<int32_t>(width));
out[n + i] = asc_shfl_up(x[i], static_cast<uint32_t>(by), static_cast<int32_t>(width));
out[2 * n + i] = asc_shfl_down(x[i], static_cast<uint32_t>(by), static_cast<int32_t>(width));
out[3 * n + i] = asc_shfl_xor(x[i], static_cast<int32_t>(by), static_cast<int32_t>(width));
"""


def shuffled(x: np.ndarray, by: int, width: int) -> np.ndarray:
    """What the four shuffles give, lane by lane."""
    rows = []
    for lane in range(32):
        begin, end = lane // width * width, lane // width * width + width
        own = [begin + by % width, lane - by, lane + by, lane ^ by]
        own[1] = lane if own[1] < begin else own[1]
        own[2] = lane if own[2] >= end else own[2]
        own[3] = lane if own[3] >= end else own[3]
        rows.append(own)
    lanes = np.array(rows).T
    return np.concatenate([x.reshape(-1, 32)[:, one].ravel() for one in lanes])


@pytest.mark.parametrize("checked", [False, True], ids=["fast", "checked"])
@pytest.mark.parametrize("dtype", CPP)
def test_shuffles(folder: Path, dtype: str, checked: bool) -> None:
    cpp = CPP[dtype]
    text = pure_text(f"gm_pointer<{cpp}> x, gm_pointer<{cpp}> out, int64_t by, int64_t width", SHUFFLES)
    kernel = compile_by_hand(folder, text, "pure", [dtype, dtype, "int", "int"], pure=True, checked=checked)
    for count in (32, 2048):
        x = numbers(dtype, count)
        for width in (1, 2, 8, 32):
            for by in (0, 1, 3, 7, 16, 31):
                out = np.zeros(4 * count, x.dtype)
                assert kernel(x, out, by, width, block=count).fault == "NONE"
                assert_array_equal(out, shuffled(x, by, width), err_msg=f"{count=} {width=} {by=}")


def test_shuffles_that_are_refused(folder: Path) -> None:
    text = pure_text("gm_pointer<float> x, gm_pointer<float> out, int64_t by, int64_t width", SHUFFLES)
    kernel = compile_by_hand(folder, text, "pure", ["float32", "float32", "int", "int"], pure=True)
    x, out = np.zeros(2048, "f4"), np.zeros(8192, "f4")
    for width in (0, -2, 3, 6, 12, 33, 64):
        ended = kernel(x, out, 0, width, block=64)
        assert (ended.fault, ended.line) == ("SHFL_WIDTH", line_of(text, "asc_shfl(x"))
        assert ended.details == {"x": 0, "y": 0, "z": 0, "width": width}
    # Lanes that the block does not have take no part: lane 32 + 7 of 40 is the first that is not there.
    ended = kernel(x, out, 8, 32, block=40)
    assert (ended.fault, ended.line) == ("SHFL_LANE", line_of(text, "asc_shfl(x"))
    assert ended.details == {"x": 32, "y": 0, "z": 0, "lane": 8}
    ended = kernel(x, out, 1, 32, block=33)
    assert (ended.fault, ended.details["x"], ended.details["lane"]) == ("SHFL_LANE", 32, 1)


VOTES = pure_text(
    "gm_pointer<int32_t> x, gm_pointer<int32_t> out, int64_t keep",
    """
const int64_t i = threadIdx.x;
const int64_t n = blockDim.x;
if (i % 32 >= keep) { return; }
out[i] = asc_all(x[i] > 0);
out[n + i] = asc_any(x[i] > 5);
out[2 * n + i] = static_cast<int32_t>(asc_ballot(x[i] & 2));
out[3 * n + i] = static_cast<int32_t>(asc_activemask());
out[4 * n + i] = laneid();
out[5 * n + i] = lanemask_eq();
out[6 * n + i] = lanemask_lt();
out[7 * n + i] = lanemask_le();
out[8 * n + i] = lanemask_gt();
out[9 * n + i] = lanemask_ge();
""",
)


@pytest.mark.parametrize("checked", [False, True], ids=["fast", "checked"])
@pytest.mark.parametrize("keep", [32, 20, 1])
@pytest.mark.parametrize("count", COUNTS)
def test_votes_of_lanes_that_have_not_ended(folder: Path, count: int, keep: int, checked: bool) -> None:
    kernel = compile_by_hand(folder, VOTES, "pure", ["int32", "int32", "int"], pure=True, checked=checked)
    x = np.random.default_rng(count).integers(0 if count % 2 else 1, 7, count, "i4")
    out = np.full((10, count), -77, "i4")
    assert kernel(x, out, keep, block=count).fault == "NONE"
    expected = np.full((10, count), -77, "i4")
    for begin in range(0, count, 32):
        one = x[begin : begin + 32][:keep]
        bits = lambda flags: int(sum(1 << lane for lane, flag in enumerate(flags) if flag))  # noqa: E731
        ballots = [int(all(one > 0)), int(any(one > 5)), bits(one & 2), bits(one == one)]
        for lane in range(len(one)):
            below = (1 << lane) - 1
            masks = [lane, 1 << lane, below, below | 1 << lane, ~(below | 1 << lane), ~below]
            values = np.array([*ballots, *masks], "i8").astype("i4")
            expected[:, begin + lane] = values
    assert_array_equal(out, expected)


REDUCTIONS = """
const int64_t i = threadIdx.x;
const int64_t n = blockDim.x;
if (i % 32 >= keep) { return; }
out[i] = asc_reduce_add(x[i]);
out[n + i] = asc_reduce_max(x[i]);
out[2 * n + i] = asc_reduce_min(x[i]);
"""


def tree(values: list[np.generic | None]) -> np.generic:
    """The sum of neighbours, then of pairs of pairs; what is not there is left out."""
    while len(values) > 1:
        pairs = zip(values[::2], values[1::2], strict=True)
        values = [b if a is None else a if b is None else a + b for a, b in pairs]
    assert values[0] is not None
    return values[0]


@pytest.mark.parametrize("keep", [32, 20, 1])
@pytest.mark.parametrize("dtype", ["int32", "uint32", "float32", "float16"])
def test_reductions(folder: Path, dtype: str, keep: int) -> None:
    cpp = CPP[dtype]
    text = pure_text(f"gm_pointer<{cpp}> x, gm_pointer<{cpp}> out, int64_t keep", REDUCTIONS)
    kernel = compile_by_hand(folder, text, "pure", [dtype, dtype, "int"], pure=True)
    for count in COUNTS:
        x = numbers(dtype, count)
        out, expected = np.zeros((3, count), dtype), np.zeros((3, count), dtype)
        assert kernel(x, out, keep, block=count).fault == "NONE"
        for begin in range(0, count, 32):
            one = x[begin : begin + 32][:keep]
            with np.errstate(over="ignore"):
                total = tree([*one, *[None] * (32 - one.size)])
            expected[:, begin : begin + one.size] = np.array([total, one.max(), one.min()])[:, None]
        assert_array_equal(out, expected)


INTEGERS = ["int32", "uint32", "int64", "uint64"]
UPDATES = {
    "add": (["float32", "float16", "bfloat16", *INTEGERS], lambda old, x: old + x),
    "sub": (["float32", *INTEGERS], lambda old, x: old - x),
    "exch": (["float32", *INTEGERS], lambda old, x: x),
    "max": (["float32", "float16", *INTEGERS], np.maximum),
    "min": (["float32", "float16", *INTEGERS], np.minimum),
    "inc": (["uint32", "uint64"], lambda old, x: np.where(old >= x, 0, old + 1).astype(x.dtype)),
    "dec": (["uint32", "uint64"], lambda old, x: np.where((old == 0) | (old > x), x, old - 1).astype(x.dtype)),
    "and": (INTEGERS, np.bitwise_and),
    "or": (INTEGERS, np.bitwise_or),
    "xor": (INTEGERS, np.bitwise_xor),
}


@pytest.mark.parametrize("operation", UPDATES)
def test_atomics_of_one_thread_each(folder: Path, operation: str) -> None:
    """In global memory and in UB: the old value comes back, the new one stays."""
    dtypes, update = UPDATES[operation]
    for dtype in dtypes:
        cpp = CPP[dtype]
        body = f"""
__ubuf__ {cpp} tile_memory[512];
ub_pointer<{cpp}> tile = tile_memory;
const int64_t i = threadIdx.x;
tile[i] = there[i];
old[i] = asc_atomic_{operation}(there + i, x[i]);
old[512 + i] = asc_atomic_{operation}(tile + i, x[i]);
in_ub[i] = tile[i];
"""
        parameters = ", ".join(f"gm_pointer<{cpp}> {name}" for name in ("x", "there", "old", "in_ub"))
        kernel = compile_by_hand(folder, pure_text(parameters, body), "pure", [dtype] * 4, pure=True)
        x, there = numbers(dtype, 512), numbers(dtype, 513)[:512].copy()
        if operation in ("inc", "dec"):
            there[:128], x[100:200], there[300:310] = x[:128], 0, 0
        before, old, in_ub = there.copy(), np.zeros(1024, x.dtype), np.zeros(512, x.dtype)
        assert kernel(x, there, old, in_ub, block=512).fault == "NONE"
        assert_array_equal(old, np.concatenate([before, before]))
        assert_array_equal(in_ub, there)
        if dtype == "bfloat16":
            with np.errstate(invalid="ignore"):
                wide = (before.astype("u4") << 16).view("f4") + (x.astype("u4") << 16).view("f4")
            bits = wide.view("u4").astype("u8")
            expected = ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype("u2")
            finite = np.isfinite(wide)
            assert finite.sum() > 300
            assert_array_equal(there[finite], expected[finite])
            continue
        with np.errstate(over="ignore"):
            assert_array_equal(there, update(before, x), err_msg=dtype)


@pytest.mark.parametrize("dtype", ["float32", *INTEGERS])
def test_compare_and_swap(folder: Path, dtype: str) -> None:
    cpp = CPP[dtype]
    parameters = ", ".join(f"gm_pointer<{cpp}> {name}" for name in ("x", "compare", "there", "old"))
    body = "const int64_t i = threadIdx.x;\nold[i] = asc_atomic_cas(there + i, compare[i], x[i]);"
    kernel = compile_by_hand(folder, pure_text(parameters, body), "pure", [dtype] * 4, pure=True)
    x, there = numbers(dtype, 256), numbers(dtype, 257)[:256].copy()
    compare, before, old = there.copy(), there.copy(), np.zeros(256, dtype)
    compare[::3] = x[::3]
    assert kernel(x, compare, there, old, block=256).fault == "NONE"
    assert_array_equal(old, before)
    assert_array_equal(there, np.where(compare == before, x, before))


COUNTING = pure_text(
    "gm_pointer<int32_t> total, gm_pointer<half> halves, gm_pointer<float> floats, gm_pointer<int64_t> most",
    """
asc_atomic_add(total, 1);
asc_atomic_add(halves + (threadIdx.x & 1), static_cast<half>(1.0f));
asc_atomic_add(floats, 1.0f);
asc_atomic_max(most, static_cast<int64_t>(blockIdx.x * 10000 + threadIdx.x));
""",
)


@pytest.mark.parametrize("turn", range(5))
def test_atomics_of_cores_on_several_processors(folder: Path, turn: int) -> None:
    kernel = compile_by_hand(folder, COUNTING, "pure", ["int32", "float16", "float32", "int64"], pure=True)
    total, halves, floats, most = np.zeros(1, "i4"), np.zeros(2, "f2"), np.zeros(1, "f4"), np.zeros(1, "i8")
    for _ in range(20):
        total[:], halves[:], floats[:], most[:] = 0, 0, 0, 0
        assert kernel(total, halves, floats, most, grid=16, block=256 - turn, threads=2).fault == "NONE"
        count = 16 * (256 - turn)
        assert total[0] == floats[0] == count
        assert_array_equal(halves, [16 * ((257 - turn) // 2), 16 * ((256 - turn) // 2)])
        assert most[0] == 15 * 10000 + 255 - turn


MEMORY = pure_text(
    "gm_pointer<float> x, gm_pointer<float> y, gm_pointer<half> h",
    """
const int64_t i = threadIdx.x;
asc_stcg(y + i, asc_ldcg(x + i));
asc_threadfence();
asc_stwt(y + (512 + i), asc_ldca(y + i) * 2.0f);
asc_dcci_single(y + i);
asc_dcci_entire(y);
asc_threadfence_block();
gm_pointer<volatile float>(y + (1024 + i))[0] = gm_pointer<volatile float>(x + i)[0] + 1.0f;
h[i] = static_cast<half>(static_cast<float>(h[i]) + x[i]);
y[i] += x[i];
""",
)


@pytest.mark.parametrize("checked", [False, True], ids=["fast", "checked"])
def test_loads_and_stores(folder: Path, checked: bool) -> None:
    kernel = compile_by_hand(folder, MEMORY, "pure", ["float32", "float32", "float16"], pure=True, checked=checked)
    x, h = numbers("float32", 512), numbers("float16", 512)
    y, before = np.full(1536, np.nan, "f4"), h.copy()
    assert kernel(x, y, h, block=512).fault == "NONE"
    assert_array_equal(y, np.concatenate([x + x, x * 2, x + np.float32(1)]))
    assert_array_equal(h, (before.astype("f4") + x).astype("f2"))
    ended = kernel(x[:500].copy(), y, h, block=512)
    assert (ended.fault, ended.line, ended.details["x"]) == ("POINTER_RANGE", line_of(MEMORY, "asc_ldcg"), 500)


PRINTING = (
    MIXED
    + """
__simt_vf__ __launch_bounds__(64) inline void say(gm_pointer<int32_t> x) {
    if (threadIdx.x % 16 == 0) {
        printf("thread %d: %d %.2f %s\\n", threadIdx.x, x[threadIdx.x], 0.5f, "so");
    }
    asc_syncthreads();
    if (threadIdx.x == 63) { printf("%40.30f|\\n", 1.0f); }
}
extern "C" __global__ __aicore__ void kernel(GM_ADDR x) {
    asc_vf_call<say>(dim3(64), reinterpret_cast<__gm__ int32_t*>(x));
}
"""
)


@pytest.mark.parametrize("checked", [False, True], ids=["fast", "checked"])
def test_printing(folder: Path, checked: bool) -> None:
    kernel = compile_by_hand(folder, PRINTING, "kernel", ["int32"], checked=checked)
    said = "".join(f"thread {i}: {3 * i} 0.50 so\n" for i in range(0, 64, 16)) + f"{1:40.30f}|\n"
    ended = kernel(np.arange(64, dtype="i4") * 3, grid=2)
    assert (ended.fault, ended.printed) == ("NONE", said * 2)


COLLIDING = pure_text(
    "gm_pointer<int32_t> x, gm_pointer<int32_t> out",
    """
__ubuf__ int32_t bins_memory[8];
ub_pointer<int32_t> bins = bins_memory;
const int64_t i = threadIdx.x;
if (i < 8) {
    bins[i] = 0;
}
asc_atomic_add(bins + x[i], 1);
asc_atomic_add(out + x[i], 1);
out[8 + x[i]] = bins[x[i]];
""",
)


def test_atomics_of_threads_that_never_wait(folder: Path) -> None:
    """Neighbours change the same elements: none of them may be lost, however the loop over threads is compiled."""
    kernel = compile_by_hand(folder, COLLIDING, "pure", ["int32", "int32"], pure=True)
    x, out = np.random.default_rng(3).integers(0, 8, 1024, "i4"), np.zeros(16, "i4")
    x[:8] = np.arange(8)  # threads run in order here, so that nobody counts in a bin before it is empty
    assert kernel(x, out, block=1024).fault == "NONE"
    assert_array_equal(out, np.tile(np.bincount(x, minlength=8), 2))
