"""The twin's library: groups of cores, barrier, deadlock, faults, printf, pool, fork and floating-point control."""

import ctypes
import os
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from library_harness import (
    AIC,
    AIV,
    DEADLOCK,
    HERE,
    NO_BLOCK,
    NO_MEMORY,
    NUMBERS,
    OF_AIC,
    RULE,
    SYNC_GRID,
    TRAP,
    Outcome,
    PrintArgument,
    Record,
    Seen,
    Twin,
    integers,
)

from opwright.ascendc.enums import HardEvent
from opwright.twin.constants import ABI


def test_layout(twin: Twin) -> None:
    sizes = [twin.library.opwright_layout(which) for which in range(7)]
    assert twin.library.opwright_abi() == ABI
    assert sizes[:3] == [ctypes.sizeof(Record), 24, ctypes.sizeof(Outcome)]
    assert sizes[3] > 0 and sizes[4] == 24 + 8 * 14 and sizes[5] == 64 and sizes[6] == 0


def test_another_abi_is_refused(twin: Twin) -> None:
    record = twin.record(1)
    record[0] = 99
    assert twin.library.opwright_launch(record, twin.entry("empty"), None, ctypes.byref(Outcome())) == -1


@pytest.mark.parametrize(
    ("aiv", "aic", "has_aiv", "has_aic"),
    [(0, 0, 1, 1), (3, 0, 1, 1), (1, 2, 1, 1), (1, 0, 0, 1), (0, 1, 1, 0), (2, 1, 0, 1), (2, 1, 1, 0)],
)
def test_groups_that_no_chip_has_are_refused(twin: Twin, aiv: int, aic: int, has_aiv: int, has_aic: int) -> None:
    entries = [twin.entry("empty") if has else None for has in (has_aiv, has_aic)]
    outcome = ctypes.byref(Outcome())
    assert twin.library.opwright_launch(twin.record(4, aiv=aiv, aic=aic), *entries, outcome) == -1


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("grid", [0, 1, 8, 48, 1000])
def test_every_block_runs_once(twin: Twin, grid: int, threads: int) -> None:
    for ub in (0, 512, 196608, 253952, 1000):
        counts = integers(max(grid, 1))
        assert twin.launch("count", grid, [counts], threads, ub=ub).fault == 0
        assert list(counts)[:grid] == [1] * grid


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("grid", [1, 2, 48])
def test_barriers(twin: Twin, grid: int, threads: int) -> None:
    for rounds in (1, 2, 7, 30):
        wrong = integers(grid)
        wrong[:] = [-1] * grid
        assert twin.launch("barriers", grid, [integers(grid), wrong, rounds], threads).fault == 0
        assert list(wrong) == [0] * grid


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_missing_arrival_is_a_deadlock(twin: Twin, threads: int) -> None:
    for arriving in (1, 5, 47):
        start = time.monotonic()
        got = twin.launch("missing", 48, [arriving], threads)
        assert time.monotonic() - start < 1
        assert (got.fault, got.block, got.line) == (DEADLOCK, 0, 30)
        assert got.waiters == arriving
        assert got.details[:2] == [arriving, 48]
        assert got.waiting == [(block, 30 + block % 3) for block in range(arriving)]


def test_more_waiters_than_names(twin: Twin) -> None:
    got = twin.launch("missing", 200, [199], cores=200)
    assert (got.fault, got.waiters) == (DEADLOCK, 199)
    assert [block for block, _ in got.waiting] == list(range(128))


@pytest.mark.parametrize("waiting", [0, 1])
@pytest.mark.parametrize("threads", [1, 2, 4])
def test_the_lowest_fault_is_reported(twin: Twin, threads: int, waiting: int) -> None:
    got = twin.launch("failing", 48, [37, NO_BLOCK, waiting], threads)
    assert (got.fault, got.block, got.line, got.waiters) == (RULE, 37, 137, 0)
    assert got.details == [7, -8, 37] + [0] * 11
    for _ in range(200):
        got = twin.launch("failing", 48, [37, 5, waiting], threads)
        assert (got.fault, got.block, got.line, got.details[2]) == (RULE, 5, 105, 5)


def test_a_barrier_needs_all_blocks_on_the_chip(twin: Twin) -> None:
    stage, wrong = integers(49), integers(49)
    assert twin.launch("barriers", 49, [stage, wrong, 0]).fault == 0  # no rounds, no barrier
    got = twin.launch("barriers", 49, [stage, wrong, 1])
    assert (got.fault, got.block, got.line, got.details[:2]) == (SYNC_GRID, 0, 11, [49, 48])


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("aic", "aiv"), [(1, 2), (1, 1), (1, 0), (0, 2), (0, 1)])
def test_each_core_of_a_group(twin: Twin, aic: int, aiv: int, threads: int) -> None:
    grid = 24
    for of_aic in (OF_AIC, (4096, 0, 0, 0, 0, 512), OF_AIC):  # a kept slot must not show what an earlier launch had
        rows = (Seen * (3 * grid))()
        entries = ("see_aiv" if aiv else "", grid, [rows], threads)
        assert twin.launch(*entries, aiv=aiv, aic="see_aic" if aic else "", of_aic=of_aic).fault == 0
        for group in range(grid):
            cores = rows[3 * group : 3 * group + 3]
            assert [row.runs for row in cores] == [aic, int(aiv > 0), int(aiv > 1)]
            for place, row in enumerate(cores):
                if not row.runs:
                    continue
                kind = AIV if place else AIC
                assert (row.entry, row.kind) == (kind, kind)
                assert (row.block, row.sub_block) == ((group * aiv + place - 1, place - 1) if place else (group, 0))
                # All of a group agree on who is in it; a core that the group lacks is null, as its row is.
                assert [row.aic, *row.aiv] == [core.core for core in cores]
                assert row.group == max(core.group for core in cores)
                given = [196608, *[0] * 6] if place else [0, *of_aic]
                assert list(row.bytes) == given
                assert [base > 0 for base in row.base] == [size > 0 for size in given]
                assert all(base % 512 == 0 for base in row.base)
            bases = [base for core in cores for base in core.base if base]
            assert len(set(bases)) == len(bases)


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("aic", ["", "empty"])
def test_barrier_of_all_aivs_of_all_groups(twin: Twin, aic: str, threads: int) -> None:
    for rounds in (1, 2, 30):
        wrong = integers(48)
        wrong[:] = [-1] * 48
        assert twin.launch("barriers", 24, [integers(48), wrong, rounds], threads, aiv=2, aic=aic).fault == 0
        assert list(wrong) == [0] * 48


def test_a_barrier_counts_aivs_not_groups(twin: Twin) -> None:
    got = twin.launch("barriers", 25, [integers(50), integers(50), 1], aiv=2)
    assert (got.fault, got.block, got.details[:2]) == (SYNC_GRID, 0, [50, 48])


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("barriers", [0, 1, 9])
def test_a_core_that_ended_stays_until_its_group_has(twin: Twin, barriers: int, threads: int) -> None:
    for _ in range(10):
        wrong = integers(48)
        wrong[:] = [-1] * 48
        assert twin.launch("leave_aiv", 24, [wrong, barriers], threads, aiv=2, aic="leave_aic").fault == 0
        assert list(wrong) == [0] * 48


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_deadlock_between_groups(twin: Twin, threads: int) -> None:
    for aic, cores in (("", 48), ("empty", 72)):
        for arriving in (1, 6, 47):
            got = twin.launch("missing", 24, [arriving], threads, aiv=2, aic=aic)
            assert (got.fault, got.kind, got.block, got.line) == (DEADLOCK, AIV, 0, 30)
            assert got.details[:2] == [arriving, cores]
            assert got.waiting == [(block, 30 + block % 3) for block in range(arriving)]


@pytest.mark.parametrize("waiting", [0, 1])
@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((AIC, 7), (AIC, 7), (AIC, 7)),
        ((AIC, 9), (AIC, 3), (AIC, 3)),
        ((AIC, 7), (AIV, 10), (AIV, 10)),  # of group 5
        ((AIV, 20), (AIC, 7), (AIC, 7)),
        ((AIV, 14), (AIC, 7), (AIC, 7)),  # one group: the AIC comes first
        ((AIV, 15), (AIV, 14), (AIV, 14)),
    ],
)
def test_the_lowest_fault_of_groups(
    twin: Twin,
    first: tuple[int, int],
    second: tuple[int, int],
    expected: tuple[int, int],
    threads: int,
    waiting: int,
) -> None:
    slots = [kind << 32 | block for kind, block in (first, second)]
    for _ in range(50):
        got = twin.launch("fail_mixed", 24, [*slots, waiting], threads, aiv=2, aic="fail_mixed")
        assert (got.fault, got.kind, got.block, got.line, got.waiters) == (TRAP, *expected, 3, 0)


def test_print_of_groups_is_in_order(twin: Twin) -> None:
    for _ in range(20):
        got = twin.launch("fail_mixed", 24, [NO_BLOCK, NO_BLOCK, 1], aiv=2, aic="fail_mixed")
        assert got.printed.decode() == "".join(f"1.{g} 0.{2 * g} 0.{2 * g + 1} " for g in range(24))


@pytest.mark.parametrize("threads", [1, 2])
def test_no_memory_for_a_core_of_a_group(twin: Twin, threads: int) -> None:
    huge = 1 << 60
    for _ in range(20):
        got = twin.launch("empty", 8, [], threads, aiv=2, aic="empty", of_aic=(huge, *OF_AIC[1:]))
        assert (got.fault, got.kind, got.block, got.details[0]) == (NO_MEMORY, AIC, 0, huge)
        got = twin.launch("empty", 8, [], threads, ub=huge, aiv=2, aic="empty")
        assert (got.fault, got.kind, got.block, got.details[0]) == (NO_MEMORY, AIV, 0, huge)
    assert twin.launch("empty", 8, [], threads, aiv=2, aic="empty").fault == 0


def run_threads(count: int, body: Callable[[int], None]) -> None:
    errors: list[BaseException] = []

    def guarded(index: int) -> None:
        try:
            body(index)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(index,)) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def test_many_threads_launch(twin: Twin) -> None:
    def body(index: int) -> None:
        counts, wrong = integers(16), integers(16)
        for turn in range(1, 201):
            threads = 1 + (index + turn) % 3
            assert twin.launch("count", 16, [counts], threads).fault == 0
            assert list(counts) == [turn] * 16
            assert twin.launch("barriers", 16, [integers(16), wrong, 3], threads).fault == 0
            assert list(wrong) == [0] * 16
            got = twin.launch("failing", 16, [5, 11, turn % 2], threads)
            assert (got.fault, got.block) == (RULE, 5)
            assert twin.launch("missing", 16, [15], threads).waiters == 15
            wrong[:] = [-1] * 16
            assert twin.launch("leave_aiv", 8, [wrong, 2], threads, aiv=2, aic="leave_aic").fault == 0
            assert list(wrong) == [0] * 16

    run_threads(8, body)


@pytest.mark.parametrize("threads", [1, 3])
def test_flags_left_set(twin: Twin, threads: int) -> None:
    """The fault of the lowest block, at the line of the lowest event id; blocks without one end well."""
    left = NUMBERS["LEFT_SET"]
    outcome = twin.launch("leave_flags", 16, [1 << 9 | 1 << 5], threads)
    assert (outcome.fault, outcome.block, outcome.line) == (left, 5, 55)
    assert outcome.details[:2] == [len(HardEvent) - 1, 2]
    assert twin.launch("leave_flags", 16, [1 << 16], threads).fault == 0


def test_print_is_in_block_order(twin: Twin) -> None:
    for barrier in (0, 1):
        for _ in range(20):
            got = twin.launch("printing", 48, [barrier, NO_BLOCK])
            assert got.printed.decode() == "".join(f"block {b}, again {b:3}\n" for b in range(48))


def test_print_before_a_fault_is_kept(twin: Twin) -> None:
    got = twin.launch("printing", 4, [1, 2], threads=1)
    assert (got.fault, got.block) == (TRAP, 2)
    assert got.printed == b"block 0, again   0\nblock 1, again   1\nblock 2, block 3, again   3\n"


TEXT = ctypes.create_string_buffer(b"tile")
INTEGER, UNSIGNED, FLOAT, TEXTUAL, POINTER = range(5)


def number(value: float) -> int:
    return int(struct.unpack("Q", struct.pack("d", value))[0])


@pytest.mark.parametrize(
    ("text", "arguments", "expected"),
    [
        ("plain 100%%\n", [], "plain 100%\n"),
        (
            "%d %i %ld %lld",
            [(INTEGER, -1), (INTEGER, 2), (INTEGER, -3), (INTEGER, -(2**40))],
            "-1 2 -3 -1099511627776",
        ),
        ("%u %lu %llu", [(UNSIGNED, 1), (UNSIGNED, 2**40), (UNSIGNED, 2**64 - 1)], f"1 {2**40} {2**64 - 1}"),
        (
            "%x %X %lx %#o",
            [(INTEGER, -1), (UNSIGNED, 255), (INTEGER, -1), (UNSIGNED, 8)],
            "ffffffff FF ffffffffffffffff 010",
        ),
        ("%d", [(UNSIGNED, 2**64 - 1)], str(2**64 - 1)),
        ("[%5d|%-5d|%05d|%+d|%.3d]", [(INTEGER, 7)] * 5, "[    7|7    |00007|+7|007]"),
        (
            "[%*d|%-*d|%.*f]",
            [(INTEGER, 4), (INTEGER, 7), (INTEGER, 4), (INTEGER, 7), (INTEGER, 1), (FLOAT, number(2.5))],
            "[   7|7   |2.5]",
        ),
        ("%f %.2f %e %g %8.3f", [(FLOAT, number(1.5))] * 5, "1.500000 1.50 1.500000e+00 1.5    1.500"),
        ("%f %.1f", [(INTEGER, -2), (UNSIGNED, 3)], "-2.000000 3.0"),
        ("%d %u %x", [(FLOAT, number(-2.7)), (FLOAT, number(3.9)), (FLOAT, number(float("nan")))], "-2 3 0"),
        ("%d", [(FLOAT, number(1e300))], str(2**63 - 1)),
        ("%s|%6s|%-6s|%.2s", [(TEXTUAL, ctypes.addressof(TEXT))] * 4, "tile|  tile|tile  |ti"),
        ("%s %s %s", [(INTEGER, -4), (FLOAT, number(0.5)), (TEXTUAL, 0)], "-4 0.5 (null)"),
        ("%c%c", [(INTEGER, 65), (INTEGER, 66)], "AB"),
        ("%p", [(POINTER, 4096)], "0x1000"),
        ("%d and %5.2f", [(INTEGER, 1)], "1 and %5.2f"),
        ("%n %q %", [(INTEGER, 1)], "%n %q %"),
        ("%l", [], "%l"),
        ("%99999999d", [(INTEGER, 1)], " " * 4095 + "1"),
    ],
)
def test_print_formats(twin: Twin, text: str, arguments: list[tuple[int, int]], expected: str) -> None:
    values = (PrintArgument * max(len(arguments), 1))(*((kind, 0, bits % 2**64) for kind, bits in arguments))
    format_text = ctypes.create_string_buffer(text.encode())
    slots = [format_text, values, len(arguments), 1]
    assert twin.launch("format", 1, slots).printed.decode() == expected


def test_print_is_cut(twin: Twin) -> None:
    line = ctypes.create_string_buffer(b"x" * 999 + b"\n")
    got = twin.launch("format", 2, [line, 0, 0, 5000])
    cut = b"\n[printf output cut]\n"
    block = ((b"x" * 999 + b"\n") * 1049)[: 1 << 20] + cut
    assert got.printed == block * 2


@pytest.mark.parametrize("threads", [1, 2])
def test_denormals_whatever_the_caller_set(twin: Twin, threads: int) -> None:
    source, result = (ctypes.c_float * 48)(), (ctypes.c_float * 48)()
    source[:] = [2.0**-126 + index * 2.0**-140 for index in range(48)]
    record = twin.record(48, [source, result], threads)
    flushing = twin.kernels.flushing_control()
    for control in (flushing, twin.kernels.float_control()):
        result[:] = [-1.0] * 48
        outcome = Outcome()
        launch = ctypes.cast(twin.library.opwright_launch, ctypes.c_void_p)
        after = twin.kernels.launch_flushing(record, twin.entry("halve"), ctypes.byref(outcome), launch, control)
        assert outcome.fault == 0
        assert after == control
        assert list(result) == [value / 2 for value in source]


def test_deep_stacks(twin: Twin) -> None:
    sums = integers(48)
    assert twin.launch("deep", 48, [sums]).fault == 0
    assert list(sums) == [200 * 1024] * 48


@pytest.mark.parametrize("prefetching", [0, 1])
def test_copies(twin: Twin, prefetching: int) -> None:
    source = os.urandom(20000)
    kept = ctypes.create_string_buffer(source, 20000)
    for size in (0, 1, 63, 64, 65, 127, 128, 300, 1000, 4096, 16411):
        for shift in (0, 1, 32, 63):
            for offset in (0, 5):
                target = ctypes.create_string_buffer(b"\xaa" * 20000, 20000)
                slots = [ctypes.addressof(target) + shift, ctypes.addressof(kept) + offset, size, prefetching]
                assert twin.launch("copy", 1, slots).fault == 0
                assert target.raw == b"\xaa" * shift + source[offset : offset + size] + b"\xaa" * (20000 - shift - size)


def resident() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGESIZE")


def test_memory_does_not_grow(twin: Twin) -> None:
    def all_kinds() -> None:
        assert twin.launch("barriers", 48, [integers(48), integers(48), 2]).fault == 0
        assert twin.launch("missing", 48, [30]).fault == DEADLOCK
        assert twin.launch("printing", 48, [0, 20]).fault == TRAP
        assert twin.launch("failing", 48, [20, 30, 1], threads=3).fault == RULE
        assert twin.launch("missing", 24, [30], aiv=2, aic="leave_aic").fault == DEADLOCK
        assert twin.launch("fail_mixed", 24, [20, 30, 1], aiv=2, aic="fail_mixed").fault == TRAP

    for _ in range(100):
        all_kinds()
    before = resident()
    for _ in range(250):
        all_kinds()
    assert resident() - before < 8 << 20


def test_a_thread_that_ends_gives_its_stacks_back(twin: Twin) -> None:
    def body(_: int) -> None:
        assert twin.launch("count", 48, [integers(48)], threads=1).fault == 0
        assert twin.launch("barriers", 48, [integers(48), integers(48), 1], threads=1).fault == 0

    run_threads(4, body)
    before = resident()
    for _ in range(10):
        run_threads(4, body)
    assert resident() - before < 8 << 20


def test_fork(twin: Twin) -> None:
    for _ in range(5):
        assert twin.launch("count", 48, [integers(48)], threads=2).fault == 0
        child = os.fork()
        if child == 0:
            code = 1
            try:
                signal.alarm(10)
                counts, wrong = integers(48), integers(48)
                for _turn in range(20):
                    assert twin.launch("count", 48, [counts], threads=2).fault == 0
                assert list(counts) == [20] * 48
                assert twin.launch("barriers", 48, [integers(48), wrong, 9], threads=2).fault == 0
                assert list(wrong) == [0] * 48
                code = 0
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_fork_while_other_threads_launch(twin: Twin) -> None:
    stop = threading.Event()

    def body(index: int) -> None:
        if index:
            counts = integers(48)
            while not stop.is_set():
                twin.launch("count", 48, [counts], threads=2)
            return
        try:
            for _ in range(10):
                child = os.fork()
                if child == 0:
                    signal.alarm(10)
                    failed = twin.launch("count", 48, [integers(48)], threads=2).fault
                    os._exit(failed)
                assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        finally:
            stop.set()

    run_threads(3, body)


def test_exit_with_idle_workers(folder: Path) -> None:
    script = f"""
import sys, time
from pathlib import Path
sys.path.insert(0, {str(HERE)!r})
from test_library import Twin
twin = Twin(Path({str(folder)!r}))
assert twin.launch("empty", 48, threads=4).fault == 0
time.sleep(float(sys.argv[1]))
print(time.time(), flush=True)
"""
    for pause in ("0", "0.1"):
        ran = subprocess.run([sys.executable, "-c", script, pause], check=True, capture_output=True, timeout=20)
        assert time.time() - float(ran.stdout) < 1
