"""The checked and the perturbed twin of a vector function among copies, cores and its like, from texts by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from by_hand import MIXED, ByHand, Ended, compile_by_hand, line_of
from checked_case import COUNT, GM, UB, Right, Wrong, marked
from numpy.testing import assert_array_equal

from opwright.twin.constants import PERTURBED


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("texts")


MIXED_HEAD = """
__simt_vf__ __launch_bounds__(1024) inline void twice(ub_pointer<float> from, ub_pointer<float> to) {
    to[threadIdx.x] = from[threadIdx.x] * 2.0f;  // twice
}

__simt_vf__ __launch_bounds__(1024) inline void load(gm_pointer<float> from, ub_pointer<float> to) {
    to[threadIdx.x] = from[threadIdx.x];  // load
}

__simt_vf__ __launch_bounds__(1024) inline void store(ub_pointer<float> from, gm_pointer<float> to) {
    to[threadIdx.x] = from[threadIdx.x];  // store
}

__simt_vf__ __launch_bounds__(1024) inline void reverse(gm_pointer<float> from, gm_pointer<float> to) {
    to[threadIdx.x] = from[63 - static_cast<int64_t>(threadIdx.x)];  // reverse
}

__simt_vf__ __launch_bounds__(1024) inline void count(gm_pointer<float> to) {
    if (threadIdx.x == 0) asc_atomic_add(to, 1.0f);  // count
}

__simt_vf__ __launch_bounds__(1024) inline void greatest(gm_pointer<float> to) {
    asc_atomic_max(to, static_cast<float>(threadIdx.x));
}

__simt_vf__ __launch_bounds__(1024) inline void load_past_cache(gm_pointer<float> from, ub_pointer<float> to) {
    to[threadIdx.x] = asc_ldcg(from + threadIdx.x);
}

__simt_vf__ __launch_bounds__(1024) inline void load_cleaned(gm_pointer<float> from, ub_pointer<float> to) {
    if (threadIdx.x % 32 == 0) asc_dcci_single(from + threadIdx.x);
    asc_syncthreads();
    to[threadIdx.x] = from[threadIdx.x];
}

__simt_vf__ __launch_bounds__(1024) inline void clean(gm_pointer<float> any) {
    asc_dcci_entire(any);
}

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, int64_t which) {
using namespace AscendC;
InitSocState();
LocalTensor<float> a(TPosition::VECIN, 0, 64);
LocalTensor<float> c(TPosition::VECOUT, 256, 64);
GlobalTensor<float> x_gm;
x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x));
GlobalTensor<float> y_gm;
y_gm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y));
const auto ub_a = ub_pointer<float>(a.GetPhyAddr());
const auto ub_c = ub_pointer<float>(c.GetPhyAddr());
const auto gm_x = gm_pointer<float>(x_gm.GetPhyAddr());
const auto gm_y = gm_pointer<float>(y_gm.GetPhyAddr());
"""
TWICE = "asc_vf_call<twice>(dim3(64), ub_a, ub_c);"
COPY_IN, COPY_OUT = "DataCopy(a, x_gm, 64);", "DataCopy(y_gm, c, 64);"


def flag(event: str) -> str:
    return f"SetFlag<HardEvent::{event}>(0);\nWaitFlag<HardEvent::{event}>(0);\n"


def before(first: int, second: int, memory: int, *written: int, **details: int) -> dict[str, int]:
    """Details of a race of two pipes."""
    numbers = {"first_pipe": first, "second_pipe": second, "memory": memory}
    return {**numbers, "first_written": written[0], "second_written": written[1], **details}


V, MTE2, MTE3 = 1, 4, 5
IN, OUT = flag("MTE2_V"), flag("V_MTE3")


def written_between(again: str) -> str:
    """Core 1 reads, core 0 writes, core 1 reads again."""
    return (
        "Duplicate(a, 1.0f, 64);\nif (GetBlockIdx() == 1) asc_vf_call<load>(dim3(64), gm_y, ub_c);\nSyncAll();\n"
        "if (GetBlockIdx() == 0) asc_vf_call<store>(dim3(64), ub_a, gm_y);\nSyncAll();\n"
        f"if (GetBlockIdx() == 1) {{\n{again}\n}}\n"
    )


MIXED_WRONG = {
    "copied in without a flag": Wrong(
        f"{COPY_IN}  // first\n{TWICE}  // second\n{OUT}{COPY_OUT}\n",
        "RACE",
        before(MTE2, V, UB, 1, 0, begin=0, end=256),
    ),
    "copied out without a flag": Wrong(
        f"{COPY_IN}\n{IN}{TWICE}  // first\n{COPY_OUT}  // second\n",
        "RACE",
        before(V, MTE3, UB, 1, 0, begin=256, end=512),
    ),
    "copied over what threads read": Wrong(
        f"{COPY_IN}\n{IN}{TWICE}  // first\nPipeBarrier<PIPE_MTE2>();\n"
        f"DataCopy(a, x_gm[64], 64);  // second\n{OUT}{COPY_OUT}\n",
        "RACE",
        before(V, MTE2, UB, 0, 1, begin=0, end=256),
    ),
    "threads read global memory that a copy writes": Wrong(
        f"Duplicate(c, 1.0f, 64);\n{OUT}{COPY_OUT}  // first\nasc_vf_call<load>(dim3(64), gm_y, ub_a);  // second\n",
        "RACE",
        before(MTE3, V, GM, 1, 0, slot=1, element=0),
    ),
    "nothing was copied in": Wrong(
        f"{TWICE}\n{OUT}{COPY_OUT}\n",
        "THREAD_UNINITIALISED",
        {"x": 0, "y": 0, "z": 0, "memory": UB, "begin": 0, "end": 4, "element": 0},
    ),
    "too little was copied in": Wrong(
        f"DataCopy(a, x_gm, 32);\n{IN}{TWICE}\n{OUT}{COPY_OUT}\n",
        "THREAD_UNINITIALISED",
        {"x": 32, "memory": UB, "begin": 128, "end": 132, "element": 32},
    ),
    "cores write the same": Wrong(
        "Duplicate(a, 1.0f, 64);\nasc_vf_call<store>(dim3(64), ub_a, gm_y);\n",
        "RACE_BETWEEN_CORES",
        {"memory": GM, "slot": 1, "begin": 0, "end": 256, "first_core": 0, "first_written": 1, "second_written": 1},
        grid=2,
    ),
    "floats of two cores": Wrong(
        "asc_vf_call<count>(dim3(64), gm_y);\n",
        "FLOAT_ATOMIC",
        {"memory": GM, "slot": 1, "begin": 0, "end": 4, "first_core": 0},
        grid=2,
    ),
    "set_value that stays in the cache": Wrong(
        "for (int i = 0; i < 64; ++i) y_gm.SetValue(i, 1.0f);  // first\n"
        f"{flag('S_V')}asc_vf_call<load>(dim3(64), gm_y, ub_a);\n",
        "NOT_CLEANED",
        {"memory": GM, "slot": 1, "first_pipe": 0, "second_pipe": 1},
    ),
}
MIXED_WRONG["another core has written since"] = Wrong(
    written_between("asc_vf_call<load>(dim3(64), gm_y, ub_c);"),
    "STALE",
    {"memory": GM, "slot": 1, "begin": 0, "end": 256, "first_core": 0, "first_written": 1, "second_written": 0},
    grid=2,
)
MIXED_WRONG["a copy of the same core has written since"] = Wrong(
    f"asc_vf_call<load>(dim3(64), gm_y, ub_a);\n{flag('V_MTE3')}DataCopy(y_gm, a, 64);  // first\n"
    f"{flag('MTE3_V')}asc_vf_call<load>(dim3(64), gm_y, ub_c);\n",
    "STALE",
    {"memory": GM, "slot": 1, "begin": 0, "end": 256, "first_core": 0, "first_pipe": MTE3, "second_pipe": V},
)
# Where the line of the second access is in a vector function.
SECOND = {
    "nothing was copied in": "// twice",
    "too little was copied in": "// twice",
    "cores write the same": "// store",
    "floats of two cores": "// count",
    "set_value that stays in the cache": "// load",
    "another core has written since": "// load",
    "a copy of the same core has written since": "// load",
}

MIXED_RIGHT = {
    "flags on both sides": Right(f"{COPY_IN}\n{IN}{TWICE}\n{OUT}{COPY_OUT}\n"),
    "vector functions one after the other": Right(
        f"{COPY_IN}\n{IN}{TWICE}\nasc_vf_call<twice>(dim3(64), ub_c, ub_a);\n{TWICE}\n{OUT}{COPY_OUT}\n"
    ),
    "a vector call before and after": Right(
        f"Duplicate(a, 3.0f, 64);\n{TWICE}\nAdds(c, c, 1.0f, 64);\n{OUT}{COPY_OUT}\n"
    ),
    "cores that meet": Right(
        "Duplicate(a, 1.0f, 64);\nif (GetBlockIdx() == 0) asc_vf_call<store>(dim3(64), ub_a, gm_y);\nSyncAll();\n"
        "if (GetBlockIdx() == 1) asc_vf_call<reverse>(dim3(64), gm_y, gm_x);\n",
        grid=2,
    ),
    "the greatest of two cores": Right("asc_vf_call<greatest>(dim3(64), gm_y);\n", grid=2),
    "another core has written since, and the cache is cleaned": Right(
        written_between("asc_vf_call<load_cleaned>(dim3(64), gm_y, ub_c);"), grid=2
    ),
    "another core has written since, and the cache was cleaned": Right(
        written_between("asc_vf_call<clean>(dim3(1), gm_y);\nasc_vf_call<load>(dim3(64), gm_y, ub_c);"), grid=2
    ),
    "another core has written since, and the cache is passed by": Right(
        written_between("asc_vf_call<load_past_cache>(dim3(64), gm_y, ub_c);"), grid=2
    ),
    "threads of the same core have written since": Right(
        "asc_vf_call<load>(dim3(64), gm_y, ub_a);\nasc_vf_call<store>(dim3(64), ub_a, gm_y);\n"
        "asc_vf_call<load>(dim3(64), gm_y, ub_c);\n"
    ),
    "turns of a loop": Right(
        f"for (int i = 0; i < 3; ++i) {{\n{COPY_IN}\n{IN}{TWICE}\n{OUT}{COPY_OUT}\n{flag('V_MTE2')}{flag('MTE3_V')}}}\n"
    ),
}
MIXED_NUMBERS = {name: number for number, name in enumerate((*MIXED_WRONG, *MIXED_RIGHT))}


def mixed_text(count: int) -> str:
    bodies = [case.body for case in (*MIXED_WRONG.values(), *MIXED_RIGHT.values())][:count]
    parts = [f"if (which == {number}) {{\n{body}}}\n" for number, body in enumerate(bodies)]
    return "".join([MIXED, MIXED_HEAD, *parts, "}\n"])


MIXED_TEXT = mixed_text(len(MIXED_NUMBERS))


@pytest.fixture(scope="module")
def mixed(folder: Path) -> ByHand:
    return compile_by_hand(folder, MIXED_TEXT, "kernel", ["float32", "float32", "int"], checked=True)


def launch_mixed(mixed: ByHand, name: str, grid: int = 1, **how: int) -> tuple[np.ndarray, Ended]:
    x, y = np.random.default_rng(4).random(COUNT, dtype="f4"), np.full(COUNT, -1, "f4")
    return y, mixed(x, y, MIXED_NUMBERS[name], grid=grid, **how)


@pytest.mark.parametrize("name", MIXED_WRONG)
def test_wrong_among_other_pipes(mixed: ByHand, name: str) -> None:
    case = MIXED_WRONG[name]
    _, ended = launch_mixed(mixed, name, case.grid)
    assert ended.fault == "NONE"
    assert [fault for fault, _, _ in ended.findings] == [case.fault]
    ((_, line, details),) = ended.findings
    assert {key: details[key] for key in case.details} == case.details
    lines = marked(case.body, mixed_text(MIXED_NUMBERS[name]))
    assert line == (line_of(MIXED_TEXT, SECOND[name]) if name in SECOND else lines["second"])
    if "first" in lines:
        assert details["first_line"] == lines["first"]


@pytest.mark.parametrize("name", MIXED_RIGHT)
def test_right_among_other_pipes(mixed: ByHand, name: str) -> None:
    reference, ended = launch_mixed(mixed, name, MIXED_RIGHT[name].grid)
    assert (ended.fault, ended.findings) == ("NONE", [])
    for seed in range(24):
        got, ended = launch_mixed(mixed, name, MIXED_RIGHT[name].grid, mode=PERTURBED, seed=seed)
        assert ended.fault == "NONE"
        assert_array_equal(got, reference)


@pytest.mark.parametrize("name", list(MIXED_WRONG)[:3])
def test_other_orders_show_a_missing_flag(mixed: ByHand, name: str) -> None:
    """A vector function waits in the queue of its pipe, as any other vector work does."""
    results = {launch_mixed(mixed, name, mode=PERTURBED, seed=seed)[0].tobytes() for seed in range(24)}
    assert len(results) > 1
