"""Threads of the twin, from texts written by hand: pointers, indices, barriers, and all that is refused."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import numpy as np
import pytest
from by_hand import CORES, MIXED, PURE, ByHand, compile_by_hand, line_of
from numpy.testing import assert_array_equal

from opwright.twin.build import thread_flags

F32, I32, U32, I64 = "float32", "int32", "uint32", "int64"
GLOBAL = "static_cast<int64_t>(blockIdx.x) * static_cast<int64_t>(blockDim.x) + static_cast<int64_t>(threadIdx.x)"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("texts")


def pure_text(parameters: str, body: str, most: int = 2048) -> str:
    lines = "".join(f"    {line}\n" for line in body.strip().splitlines())
    return f'{PURE}extern "C" __global__ __launch_bounds__({most}) void pure({parameters}) {{\n{lines}}}\n'


def empty(count: int, dtype: str = "f4") -> np.ndarray:
    """Room for a result that no kernel writes by chance."""
    return np.full(count, np.nan if dtype.startswith("f") else -77, dtype)


ADD = pure_text(
    "gm_pointer<float> x, gm_pointer<float> z, gm_pointer<float> y, int64_t n",
    f"const int64_t i = {GLOBAL};\nif (i < n) {{\n    y[i] = x[i] + z[i];\n}}",
    most=1024,
)


@pytest.fixture(scope="module", params=[False, True], ids=["fast", "checked"])
def add(folder: Path, request: pytest.FixtureRequest) -> ByHand:
    return compile_by_hand(folder, ADD, "pure", [F32, F32, F32, "int"], pure=True, checked=request.param)


@pytest.mark.parametrize("count", [1, 31, 1024, 100_003])
@pytest.mark.parametrize("threads", [1, 2])
def test_elementwise(add: ByHand, count: int, threads: int) -> None:
    x, z = np.random.default_rng(count).random((2, count), dtype="f4")
    y = empty(count + 3)
    assert add(x, z, y, count, grid=-(-count // 1024), block=1024, threads=threads).fault == "NONE"
    assert_array_equal(y[:count], x + z)
    assert np.isnan(y[count:]).all()


@pytest.mark.parametrize(("short", "slot"), [(0, 0), (1, 1), (2, 2)])
def test_an_index_outside_is_told_with_its_thread(add: ByHand, short: int, slot: int) -> None:
    arrays = [np.zeros(5000, "f4") for _ in range(3)]
    arrays[short] = np.zeros(3000, "f4")
    ended = add(*arrays, 5000, grid=5, block=1024)
    assert (ended.fault, ended.line, ended.block) == ("POINTER_RANGE", line_of(ADD, "y[i] ="), 2)
    assert ended.details == {"x": 952, "y": 0, "z": 0, "memory": 7, "slot": slot, "index": 3000, "elements": 3000}


@pytest.mark.parametrize("block", [0, 1025, (64, 64), (2, 0, 3), (2**32, 1)])
def test_how_many_threads_there_may_be(add: ByHand, block: int | tuple[int, ...]) -> None:
    x = np.zeros(8, "f4")
    ended = add(x, x, x, 8, grid=1, block=block)
    assert (ended.fault, ended.details["max"]) == ("THREADS", 1024)


INDICES = pure_text(
    "gm_pointer<uint32_t> out",
    """
const uint32_t block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
const uint32_t thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
gm_pointer<uint32_t> mine = out + 12 * (block * (blockDim.x * blockDim.y * blockDim.z) + thread);
mine[0] = threadIdx.x; mine[1] = threadIdx.y; mine[2] = threadIdx.z;
mine[3] = blockIdx.x; mine[4] = blockIdx.y; mine[5] = blockIdx.z;
mine[6] = blockDim.x; mine[7] = blockDim.y; mine[8] = blockDim.z;
mine[9] = gridDim.x; mine[10] = gridDim.y; mine[11] = gridDim.z;
BARRIER
""",
)


@pytest.mark.parametrize("checked", [False, True], ids=["fast", "checked"])
@pytest.mark.parametrize("waits", [False, True], ids=["plain", "fibers"])
@pytest.mark.parametrize(
    ("grid", "block"), [((3, 2, 4), (5, 3, 7)), ((1, 1, 6), (1, 2, 16)), ((2, 1, 1), (2048, 1, 1))]
)
def test_indices(folder: Path, checked: bool, waits: bool, grid: tuple[int, ...], block: tuple[int, ...]) -> None:
    text = INDICES.replace("BARRIER", "asc_syncthreads();\nmine[0] = threadIdx.x;" if waits else "")
    kernel = compile_by_hand(folder, text, "pure", [U32], pure=True, checked=checked)
    blocks, threads = np.prod(grid), np.prod(block)
    out = np.full(12 * blocks * threads, 2**32 - 1, "u4")
    assert kernel(out, grid=grid, block=block).fault == "NONE"
    b, t = (numbers.ravel() for numbers in np.divmod(np.arange(blocks * threads), threads))
    expected = np.column_stack(
        [
            *np.unravel_index(t, block[::-1])[::-1],
            *np.unravel_index(b, grid[::-1])[::-1],
            *np.broadcast_to(np.array([*block, *grid])[:, None], (6, b.size)),
        ]
    )
    assert_array_equal(out.reshape(-1, 12), expected)


MIXED_TEXT = (
    MIXED
    + """
__simt_callee__ inline float twice(float x) { return x * 2.0f; }

__simt_vf__ __launch_bounds__(1024) inline void scale(gm_pointer<float> x, ub_pointer<float> y, int64_t n) {
    int64_t i = threadIdx.x;
    while (i < n) {
        y[i] = twice(x[i]);
        i += blockDim.x;
    }
}

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR out, int64_t n, int64_t threads) {
    AscendC::LocalTensor<float> y(AscendC::TPosition::VECIN, 64, 1024);
    AscendC::GlobalTensor<float> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x));
    AscendC::GlobalTensor<float> out_gm;
    out_gm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(out));
    const int64_t part = static_cast<int64_t>(AscendC::GetBlockIdx()) * 1024;
    asc_vf_call<scale>(dim3(threads), gm_pointer<float>(x_gm[part].GetPhyAddr()), ub_pointer<float>(y.GetPhyAddr()), n);
    AscendC::SyncAll();
    asc_vf_call<scale>(dim3(threads), gm_pointer<float>(x_gm[part].GetPhyAddr()), ub_pointer<float>(y.GetPhyAddr()), n);
    AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(0);
    AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(0);
    AscendC::DataCopy(out_gm[part], y, 1024);
}
"""
)


@pytest.fixture(scope="module")
def scale(folder: Path) -> ByHand:
    return compile_by_hand(folder, MIXED_TEXT, "kernel", [F32, F32, "int", "int"])


@pytest.mark.parametrize("threads", [1, 33, 1024])
@pytest.mark.parametrize("workers", [1, 2])
def test_a_vector_function_between_cores_that_meet(scale: ByHand, threads: int, workers: int) -> None:
    x = np.random.default_rng(1).random(1024 * 48, dtype="f4")
    out = empty(x.size)
    assert scale(x, out, 1024, threads, grid=48, threads=workers).fault == "NONE"
    assert_array_equal(out, 2 * x)


def test_a_tensor_ends_where_it_ends(scale: ByHand) -> None:
    x, out = np.zeros(4096, "f4"), np.zeros(4096, "f4")
    ended = scale(x, out, 1025, 64, grid=3)
    assert (ended.fault, ended.line, ended.block) == ("POINTER_RANGE", line_of(MIXED_TEXT, "twice(x[i])"), 0)
    assert ended.details == {"x": 0, "y": 0, "z": 0, "memory": 0, "slot": -1, "index": 1024, "elements": 1024}
    # Of an argument, elements count from its start, wherever the tensor does.
    ended = scale(x[:3000].copy(), out, 1024, 64, grid=3)
    assert (ended.fault, ended.block, ended.details["slot"], ended.details["index"]) == ("POINTER_RANGE", 2, 0, 3008)
    for threads in (0, -1, 1025, 2049, 2**32 + 1):
        ended = scale(x, out, 1024, threads)
        assert (ended.fault, ended.details["along_x"], ended.details["max"]) == ("THREADS", threads, 1024)
        assert ended.line == line_of(MIXED_TEXT, "asc_vf_call")


NEGATIVE = pure_text(
    "gm_pointer<int32_t> x, gm_pointer<int32_t> y, int64_t from, int64_t step",
    "gm_pointer<int32_t> middle = x + from;\ny[threadIdx.x] = middle[static_cast<int64_t>(threadIdx.x) * step];",
)


def test_indices_below_a_pointer(folder: Path) -> None:
    kernel = compile_by_hand(folder, NEGATIVE, "pure", [I32, I32, "int", "int"], pure=True)
    x, y = np.arange(100, dtype="i4"), empty(50, "i4")
    assert kernel(x, y, 49, -1, block=50).fault == "NONE"
    assert_array_equal(y, x[49::-1])
    ended = kernel(x, y, 48, -1, block=50)
    assert (ended.fault, ended.details["x"], ended.details["index"]) == ("POINTER_RANGE", 49, -1)
    assert kernel(x, y, 99, 2**62, block=50).details["index"] == 99 + 2**62


ROLL = pure_text(
    "gm_pointer<float> x, gm_pointer<float> y, int64_t turns",
    f"""
__ubuf__ float tile_memory[2048];
ub_pointer<float> tile = tile_memory;
__ubuf__ int64_t counts_memory[2048];
ub_pointer<int64_t> counts = counts_memory;
const int64_t i = {GLOBAL};
float v = x[i];
counts[threadIdx.x] = 0;
for (int64_t t = 0; t < turns; t += 1) {{
    tile[threadIdx.x] = v;
    asc_syncthreads();
    v = tile[(threadIdx.x + 1) % blockDim.x];
    counts[threadIdx.x] += 1;
    asc_syncthreads();
}}
y[i] = counts[threadIdx.x] == turns ? v : -1.0f;
""",
)


@pytest.mark.parametrize("checked", [False, True], ids=["fast", "checked"])
@pytest.mark.parametrize(("grid", "block", "turns"), [(1, 1, 3), (2, 33, 4), (3, 1000, 7), (CORES, 2048, 3)])
def test_barriers(folder: Path, grid: int, block: int, turns: int, checked: bool) -> None:
    kernel = compile_by_hand(folder, ROLL, "pure", [F32, F32, "int"], pure=True, checked=checked)
    x = np.random.default_rng(grid).random(grid * block, dtype="f4")
    for workers in (1, 2):
        y = empty(x.size)
        assert kernel(x, y, turns, grid=grid, block=block, threads=workers).fault == "NONE"
        assert_array_equal(y.reshape(grid, block), np.roll(x.reshape(grid, block), -turns, 1))


def test_blocks_of_many_threads_from_many_callers(folder: Path) -> None:
    kernel = compile_by_hand(folder, ROLL, "pure", [F32, F32, "int"], pure=True)
    wrong: list[int] = []

    def launch(number: int) -> None:
        x = np.random.default_rng(number).random(8 * 512, dtype="f4")
        for turns in range(1, 6):
            y = empty(x.size)
            ended = kernel(x, y, turns, grid=8, block=512)
            if ended.fault != "NONE" or not np.array_equal(y.reshape(8, 512), np.roll(x.reshape(8, 512), -turns, 1)):
                wrong.append(number)

    callers = [threading.Thread(target=launch, args=(number,)) for number in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert not wrong


STRAY = pure_text(
    "gm_pointer<int32_t> y, int64_t odd, int64_t how",
    """
const int64_t i = threadIdx.x;
if (i == odd && how == 0) { return; }
if (i == odd && how == 1) {
    asc_syncthreads();  // the other one
}
if (i == odd && how == 2) {
    y[i] = asc_shfl(7, 0);  // alone
}
if (i == odd && how == 3) {
    y[i] = y[i + 1000000];  // outside
}
if (i == odd && how == 4) {
    assert(false);  // stop
}
asc_syncthreads();  // all
y[i] = asc_shfl(1, 0);  // at last
""",
)


@pytest.mark.parametrize("odd", [0, 5, 40, 99])
def test_barriers_that_not_all_come_to(folder: Path, odd: int) -> None:
    kernel = compile_by_hand(folder, STRAY, "pure", [I32, "int", "int"], pure=True)
    y = np.zeros(100, "i4")
    line = {mark: line_of(STRAY, f"// {mark}") for mark in ("the other one", "alone", "outside", "stop", "all")}
    first = 1 if odd == 0 else 0

    def others(x: int, state: int, text_line: int) -> dict[str, int]:
        return {"other_x": x, "other_y": 0, "other_z": 0, "other_state": state, "other_line": text_line}

    for _ in range(3):  # what one launch leaves must not disturb the next
        ended = kernel(y, odd, 0, block=100)
        assert (ended.fault, ended.line) == ("DIVERGENT_BARRIER", line["all"])
        assert ended.details == {"x": first, "y": 0, "z": 0, **others(odd, 0, 0)}
        ended = kernel(y, odd, 1, block=100)
        own, other = (line["the other one"], line["all"]) if odd == 0 else (line["all"], line["the other one"])
        assert (ended.fault, ended.line) == ("DIVERGENT_BARRIER", own)
        assert ended.details == {"x": 0, "y": 0, "z": 0, **others(1 if odd == 0 else odd, 1, other)}
        ended = kernel(y, odd, 2, block=100)
        assert (ended.fault, ended.line) == ("MISSING_LANES", line["alone"])
        neighbour = odd // 32 * 32 + (odd % 32 == 0)
        assert ended.details == {"x": odd, "y": 0, "z": 0, **others(neighbour, 1, line["all"])}
        ended = kernel(y, odd, 3, block=100)
        assert (ended.fault, ended.line, ended.details["x"]) == ("POINTER_RANGE", line["outside"], odd)
        ended = kernel(y, odd, 4, block=100)
        assert (ended.fault, ended.line, ended.details) == ("THREAD_STOP", line["stop"], {"x": odd, "y": 0, "z": 0})
        assert kernel(y, odd, 5, block=100).fault == "NONE"
        assert_array_equal(y, 1)


BOUNDS = (
    MIXED
    + """
__simt_vf__ __launch_bounds__(32) inline void scale(gm_pointer<int32_t> x) {
    x[threadIdx.x] = 1;
}
__simt_vf__ __launch_bounds__(2048) inline void scale_2(gm_pointer<int32_t> x) {
    x[threadIdx.x] = 2;
}
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, int64_t first, int64_t second) {
    asc_vf_call<scale>(dim3(first), reinterpret_cast<__gm__ int32_t*>(x));
    asc_vf_call<scale_2>(dim3(second, 2), reinterpret_cast<__gm__ int32_t*>(x));
}
"""
)


def test_bounds_of_each_function(folder: Path) -> None:
    kernel = compile_by_hand(folder, BOUNDS, "kernel", [I32, "int", "int"])
    x = np.zeros(1024, "i4")
    assert kernel(x, 32, 1024).fault == "NONE"
    assert_array_equal(x, 2)
    ended = kernel(x, 33, 1024)
    assert (ended.fault, ended.line) == ("THREADS", line_of(BOUNDS, "asc_vf_call<scale>"))
    assert ended.details == {"along_x": 33, "along_y": 1, "along_z": 1, "max": 32}
    ended = kernel(x, 1, 1025)
    assert (ended.fault, ended.line) == ("THREADS", line_of(BOUNDS, "asc_vf_call<scale_2>"))
    assert ended.details == {"along_x": 1025, "along_y": 2, "along_z": 1, "max": 2048}


OUTSIDE = pure_text(
    "gm_pointer<int32_t> index, gm_pointer<int32_t> y, gm_pointer<int32_t> after",
    """
const int64_t i = threadIdx.x;
y[index[i]] += 1;  // outside
for (int64_t k = 0; k < 2; k += 1) {
    after[i] = y[i] + static_cast<int32_t>(k);
}
MARK
""",
)


@pytest.mark.parametrize("how", ["", "while (false) {}"], ids=["lanes", "turns"])
def test_an_index_outside_ends_the_core_wherever_threads_run(folder: Path, how: str) -> None:
    """Threads that run as lanes go on for a while, but tell the same."""
    kernel = compile_by_hand(folder, OUTSIDE.replace("MARK", how), "pure", [I32] * 3, pure=True)
    index, y, after = np.arange(300, dtype="i4"), np.zeros(300, "i4"), empty(300, "i4")
    assert kernel(index, y, after, block=300).fault == "NONE"
    assert_array_equal(y, 1)
    assert_array_equal(after, 2)
    for bad in (-1, 300, -(2**31), 2**31 - 1):
        index[[7, 200]] = bad
        ended = kernel(index, y, after, block=300)
        assert (ended.fault, ended.line) == ("POINTER_RANGE", line_of(OUTSIDE, "// outside"))
        assert ended.details == {"x": 7, "y": 0, "z": 0, "memory": 7, "slot": 1, "index": bad, "elements": 300}


@pytest.mark.quick
@pytest.mark.parametrize(
    ("text", "flags"),
    [
        ('#include "kernel_operator.h"\n', None),
        (ADD, {"PLAIN", "MASKED"}),
        (ROLL, set()),
        (OUTSIDE.replace("MARK", "while (false) {}"), {"PLAIN"}),
        (OUTSIDE.replace("MARK", "assert(false);"), {"PLAIN"}),
        (OUTSIDE.replace("MARK", "asc_atomic_add(y, 1);"), {"PLAIN"}),
        (MIXED_TEXT, {"PLAIN"}),
        (BOUNDS, {"PLAIN", "MASKED"}),
        (BOUNDS.replace("int64_t second) {", "int64_t second) {\n    while (false) {}"), {"PLAIN", "MASKED"}),
    ],
)
def test_how_threads_may_run(text: str, flags: set[str] | None) -> None:
    """What is no thread's decides nothing."""
    given = thread_flags(text)
    if flags is None:
        assert given == []
        return
    assert "-DOPWRIGHT_SIMT" in given
    assert {one for one in ("PLAIN", "MASKED") if f"-DOPWRIGHT_SIMT_{one}" in given} == flags


def resident() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGESIZE")


def test_stacks_are_used_again(folder: Path) -> None:
    """After launches that end well, and after those that leave thousands of threads waiting.

    With one worker: which of many take part differs, and each has its own stacks.
    """
    barriers = compile_by_hand(folder, ROLL, "pure", [F32, F32, "int"], pure=True)
    stray = compile_by_hand(folder, STRAY, "pure", [I32, "int", "int"], pure=True)
    x, y, flags = np.zeros(8 * 2048, "f4"), np.zeros(8 * 2048, "f4"), np.zeros(2048, "i4")

    def launch(times: int) -> int:
        for turn in range(times):
            assert barriers(x, y, 1, grid=8, block=2048, threads=1).fault == "NONE"
            assert stray(flags, 2000, turn % 5, grid=8, block=2048, threads=1).fault != "NONE"
        return resident()

    before = launch(10)
    assert launch(40) - before < 8 << 20
