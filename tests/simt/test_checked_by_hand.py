"""The checked and the perturbed twin of threads, from texts by hand: races of threads, and what they read too early.

All bodies of a kind stand in one text, each under a number of its own: to compile one takes longer than to run all.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from by_hand import PURE, ByHand, Ended, compile_by_hand
from checked_case import COUNT, GM, UB, Right, Wrong, marked
from numpy.testing import assert_array_equal

from opwright.twin.constants import PERTURBED

READ, WRITTEN, ATOMIC, ADDS_FLOATS = range(4)


def race(first: int, second: int, memory: int, **details: int) -> dict[str, int]:
    return {"first_kind": first, "second_kind": second, "memory": memory, **details}


SYNC = "asc_syncthreads();\n"
FILL = "tile[t] = x[t];\n"

WRONG = {
    "a neighbour's element": Wrong(
        "tile[t] = x[t];  // first\ny[t] = tile[(t + 1) % 64];  // second\n",
        "THREAD_RACE",
        race(WRITTEN, READ, UB, begin=4, end=8, element=1, slot=-1),
        threads=((1, 0, 0), (0, 0, 0)),
    ),
    "the next turn comes too early": Wrong(
        "for (int turn = 0; turn < 2; ++turn) {\n"
        "tile[t] = x[t];  // first\nasc_syncthreads();\ny[t] = tile[(t + 1) % 64];  // second\n}\n",
        "THREAD_RACE",
        race(WRITTEN, READ, UB, begin=4, end=8, element=1),
        threads=((1, 0, 0), (0, 0, 0)),
    ),
    "all write one element": Wrong(
        "y[3] = x[t];  // first second\n",
        "THREAD_RACE",
        race(WRITTEN, WRITTEN, GM, begin=12, end=16, element=3, slot=1),
        threads=((0, 0, 0), (1, 0, 0)),
    ),
    "all add to one element": Wrong(
        "h[0] += 1;  // first second\n", "THREAD_RACE", race(WRITTEN, READ, GM), threads=((0, 0, 0), (1, 0, 0))
    ),
    "an atomic and a read": Wrong(
        "asc_atomic_add(h + 1, 1);  // first\nif (t == 40) h[2] = h[1];  // second\n",
        "THREAD_RACE",
        race(ATOMIC, READ, GM, begin=4, end=8, element=1, slot=2),
        threads=((0, 0, 0), (40, 0, 0)),
    ),
    "a write and an atomic": Wrong(
        "if (t == 0) h[1] = 0;  // first\nasc_atomic_max(h + 1, int32_t(t));  // second\n",
        "THREAD_RACE",
        race(WRITTEN, ATOMIC, GM, begin=4, end=8, element=1, slot=2),
        threads=((0, 0, 0), (1, 0, 0)),
    ),
    "a byte of another's float": Wrong(
        "if (t == 0) y[1] = 1.0f;  // first\nif (t == 1) b[6] = 1;  // second\n",
        "THREAD_RACE",
        race(WRITTEN, WRITTEN, GM, begin=6, end=7, element=6, slot=1),
        threads=((0, 0, 0), (1, 0, 0)),
    ),
    "one writes what all read": Wrong(
        "y[1 + t] = x[5];  // first\nif (t == 40) x[5] = 0.0f;  // second\n",
        "THREAD_RACE",
        race(READ, WRITTEN, GM, begin=20, end=24, element=5, slot=0),
        threads=((0, 0, 0), (40, 0, 0)),
    ),
    "a lane that did not meet": Wrong(
        "tile[t] = x[t];  // first\ny[t] = tile[t ^ 1];  // second\nasc_any(1);\n",
        "THREAD_RACE",
        race(WRITTEN, READ, UB, begin=4, end=8, element=1),
        threads=((1, 0, 0), (0, 0, 0)),
        block=32,
    ),
    "a warp that met is not a block": Wrong(
        "tile[t] = x[t];  // first\nasc_any(1);\ny[t] = tile[t ^ 32];  // second\n",
        "THREAD_RACE",
        race(WRITTEN, READ, UB, begin=4 * 32, end=4 * 33, element=32),
        threads=((32, 0, 0), (0, 0, 0)),
    ),
    "threads in three dimensions": Wrong(
        "const int64_t mine = threadIdx.x + 4 * (threadIdx.y + 2 * threadIdx.z);\n"
        "y[mine] = 1.0f;  // first\nif (mine == 30) y[13] = 2.0f;  // second\n",
        "THREAD_RACE",
        race(WRITTEN, WRITTEN, GM, begin=52, end=56, element=13),
        block=(4, 2, 4),
        threads=((1, 1, 1), (2, 1, 3)),
    ),
    "floats in no order": Wrong(
        "asc_atomic_add(y + 2, x[t]);  // first second\n",
        "THREAD_FLOATS",
        race(ADDS_FLOATS, ADDS_FLOATS, GM, begin=8, end=12, element=2, slot=1),
        threads=((0, 0, 0), (1, 0, 0)),
    ),
    "floats of UB in no order": Wrong(
        FILL + SYNC + "asc_atomic_add(tile + 2, x[t]);  // first second\n",
        "THREAD_FLOATS",
        race(ADDS_FLOATS, ADDS_FLOATS, UB, begin=8, end=12, element=2),
        threads=((0, 0, 0), (1, 0, 0)),
    ),
    "nothing wrote it": Wrong(
        "if (t < 20) tile[t] = x[t];\nasc_syncthreads();\ny[t] = tile[t];  // second\n",
        "THREAD_UNINITIALISED",
        {"x": 20, "y": 0, "z": 0, "memory": UB, "begin": 80, "end": 84, "element": 20},
    ),
    "written after the next barrier": Wrong(
        "y[t] = tile[t];  // second\nasc_syncthreads();\ntile[t] = x[t];\n",
        "THREAD_UNINITIALISED",
        {"x": 0, "y": 0, "z": 0, "memory": UB, "begin": 0, "end": 4, "element": 0},
    ),
    "an atomic on what nothing wrote": Wrong(
        "if (t == 7) asc_atomic_add(tile + 9, 1.0f);  // second\n",
        "THREAD_UNINITIALISED",
        {"x": 7, "y": 0, "z": 0, "memory": UB, "begin": 36, "end": 40, "element": 9},
    ),
    "two blocks write one element": Wrong(
        "if (t == 3) y[8] = 1.0f;  // first second\n",
        "RACE_BETWEEN_CORES",
        {"memory": GM, "begin": 32, "end": 36, "element": 8, "slot": 1, "first_core": 0, "first_written": 1},
        grid=3,
    ),
    "a block reads what another writes": Wrong(
        "if (blockIdx.x == 0) y[t] = x[t];  // first\nif (blockIdx.x == 2) h[t] = int32_t(y[63 - t]);  // second\n",
        "RACE_BETWEEN_CORES",
        {"memory": GM, "begin": 0, "end": 256, "element": 0, "slot": 1, "first_core": 0, "second_written": 0},
        grid=3,
    ),
    "floats of two blocks": Wrong(
        "if (t == 0) asc_atomic_add(y + 2, 1.0f);  // first second\n",
        "FLOAT_ATOMIC",
        {"memory": GM, "begin": 8, "end": 12, "element": 2, "slot": 1, "first_core": 0},
        grid=2,
    ),
}

RIGHT = {
    "each its own": Right("y[t] = x[t] + x[0];\n"),
    "each its own, three times": Right("y[t] = x[t];\ny[t] += 1.0f;\ny[t] = y[t] * 2.0f;\n"),
    "a barrier between": Right(FILL + SYNC + "y[t] = tile[(t + 1) % 64];\n"),
    "barriers around every turn": Right(
        f"for (int turn = 0; turn < 3; ++turn) {{\n{FILL}{SYNC}y[t] = tile[(t + turn) % 64];\n{SYNC}}}\n"
    ),
    "a tree of sums": Right(
        FILL
        + SYNC
        + "for (int64_t half = 32; half > 0; half /= 2) {\nif (t < half) tile[t] += tile[t + half];\n"
        + SYNC
        + "}\nif (t == 0) y[0] = tile[0];\n"
    ),
    "lanes that met": Right(FILL + "asc_any(1);\ny[t] = tile[t ^ 1];\n"),
    "lanes that met, turn by turn": Right(
        FILL
        + "for (int turn = 1; turn < 32; turn *= 2) {\nasc_any(1);\nconst float got = tile[t ^ turn];\nasc_any(1);\n"
        "tile[t] = tile[t] + got;\n}\ny[t] = tile[t];\n",
        block=96,
    ),
    "integers are counted": Right("asc_atomic_add(h + (t & 1), 1);\n", grid=2),
    "the greatest float": Right("asc_atomic_max(y, x[t]);\n", grid=2),
    "a table that all read": Right("y[t] = x[0] + x[1] + x[t];\n", block=200),
    "blocks with parts of their own": Right("y[64 * blockIdx.x + t] = x[t];\n", grid=4),
    "a word that a byte shares with nobody": Right("b[t] = 1;\n"),
    "half of a word each": Right("b[4 * t + 1] = b[4 * t];\n"),
    "atomics after a barrier": Right(
        f"if (t == 0) h[5] = 0;\n{SYNC}asc_atomic_add(h + 5, 1);\n{SYNC}h[8 + t] = h[5];\n"
    ),
}


def text_of(bodies: list[str]) -> str:
    parts = [
        f"{PURE}"
        'extern "C" __global__ __launch_bounds__(1024) void pure(gm_pointer<float> x, gm_pointer<float> y, '
        "gm_pointer<int32_t> h, gm_pointer<uint8_t> b, int64_t which) {\n",
        "__ubuf__ float tile_memory[256];\nub_pointer<float> tile = tile_memory;\nconst int64_t t = threadIdx.x;\n",
    ]
    for number, body in enumerate(bodies):
        parts.append(f"if (which == {number}) {{\n{body}}}\n")
    return "".join([*parts, "}\n"])


BODIES = [case.body for case in (*WRONG.values(), *RIGHT.values())]
NUMBERS = {name: number for number, name in enumerate((*WRONG, *RIGHT))}
TEXT = text_of(BODIES)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("texts")


@pytest.fixture(scope="module")
def pure(folder: Path) -> ByHand:
    return compile_by_hand(
        folder, TEXT, "pure", ["float32", "float32", "int32", "uint8", "int"], pure=True, checked=True
    )


@dataclass
class Arrays:
    """The arguments of a launch. y is given twice: as floats and as bytes."""

    x: np.ndarray = field(default_factory=lambda: np.random.default_rng(3).random(COUNT, dtype="f4"))
    y: np.ndarray = field(default_factory=lambda: np.full(COUNT, np.nan, "f4"))
    h: np.ndarray = field(default_factory=lambda: np.full(COUNT, 77, "i4"))

    def launch(self, pure: ByHand, name: str, case: Right | Wrong, **how: int) -> Ended:
        return pure(self.x, self.y, self.h, self.y.view("u1"), NUMBERS[name], grid=case.grid, block=case.block, **how)


@pytest.mark.parametrize("name", WRONG)
def test_wrong(pure: ByHand, name: str) -> None:
    case = WRONG[name]
    lines = marked(case.body, text_of(BODIES[: NUMBERS[name]]))
    ended = Arrays().launch(pure, name, case)
    assert ended.fault == "NONE"
    assert [fault for fault, _, _ in ended.findings] == [case.fault]
    ((_, line, details),) = ended.findings
    assert line == lines["second"]
    if "first" in lines:
        assert details["first_line"] == lines["first"]
    assert {key: details[key] for key in case.details} == case.details
    if case.threads is not None:
        assert tuple(details[f"first_{axis}"] for axis in "xyz") == case.threads[0]
        assert tuple(details[axis] for axis in "xyz") == case.threads[1]


@pytest.mark.parametrize("name", RIGHT)
def test_right(pure: ByHand, name: str) -> None:
    ended = Arrays().launch(pure, name, RIGHT[name])
    assert (ended.fault, ended.findings) == ("NONE", [])


@pytest.mark.parametrize("name", [name for name in RIGHT if name != "lanes that met, turn by turn"])
def test_other_orders_of_threads_change_nothing(pure: ByHand, name: str) -> None:
    reference = Arrays()
    assert reference.launch(pure, name, RIGHT[name], mode=PERTURBED, seed=0).fault == "NONE"
    for seed in range(1, 7):
        got = Arrays()
        assert got.launch(pure, name, RIGHT[name], mode=PERTURBED, seed=seed).fault == "NONE"
        assert_array_equal(got.y.view("u4"), reference.y.view("u4"))
        assert_array_equal(got.h, reference.h)


@pytest.mark.parametrize("name", ["a neighbour's element", "all write one element", "a warp that met is not a block"])
def test_other_orders_of_threads_show_a_race(pure: ByHand, name: str) -> None:
    results = set()
    for seed in range(5):
        arrays = Arrays()
        arrays.launch(pure, name, WRONG[name], mode=PERTURBED, seed=seed)
        results.add(arrays.y.tobytes())
        again = Arrays()
        again.launch(pure, name, WRONG[name], mode=PERTURBED, seed=seed)
        assert again.y.tobytes() == arrays.y.tobytes()
    assert len(results) > 1


def test_the_report_is_the_same_on_two_threads(pure: ByHand) -> None:
    name = "two blocks write one element"
    case = Wrong(WRONG[name].body, "", grid=40)
    assert len({str(Arrays().launch(pure, name, case, threads=threads)) for threads in (1, 2) for _ in range(4)}) == 1


def test_races_are_counted_and_told_once(pure: ByHand) -> None:
    name = "all write one element"
    ended = Arrays().launch(pure, name, Wrong(WRONG[name].body, "", block=1024))
    assert len(ended.findings) == 1
