"""Launches on the twin: barriers, deadlocks, faults, printing, threads, forks, floating-point control."""

import dataclasses
import math
import multiprocessing
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextvars import copy_context
from pathlib import Path

import numpy as np
import pytest

from opwright import asc
from opwright.errors import CorruptArtefact, DeadlockError, FlagError, OutOfRange, RuleError, RunError, TrapError
from opwright.settings import settings

# The checked twin warns about a loop whose flags only the run balances: here they are meant.
pytestmark = pytest.mark.filterwarnings("ignore::opwright.errors.CheckWarning")

CORES = 48


@asc.jit
def neighbours(x: asc.GlobalAddress, z: asc.GlobalAddress, rounds: int):
    """In each round a core writes its part of x, waits for all, and adds its right neighbour's part to z."""
    core = asc.get_block_idx()
    cores = asc.get_block_num()
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 8 * cores)
    z_gm.set_global_buffer(z, 8 * cores)
    mine = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 0, 8)
    other = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 32, 8)
    total = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 64, 8)
    asc.duplicate(total, 0, 8)
    for turn in range(0, rounds):
        asc.duplicate(mine, core + 100 * turn, 8)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy(x_gm[core * 8 :], mine, 8)
        asc.sync_all()
        asc.data_copy(other, x_gm[(core + 1) % cores * 8 :], 8)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.add(total, total, other, 8)
        asc.sync_all()
    asc.data_copy(z_gm[core * 8 :], total, 8)


@asc.jit
def waits(core: int):
    if asc.get_block_idx() == core:
        asc.wait_flag(asc.HardEvent.MTE2_V, 3)  # <wait>


@asc.jit
def misses(come: int):
    if asc.get_block_idx() < come:
        asc.sync_all()  # <sync>


@asc.jit
def stops(first: int, last: int):
    asc.printf("core %d\n", asc.get_block_idx())
    if asc.get_block_idx() >= first and asc.get_block_idx() <= last:
        asc.trap()  # <trap>


@asc.jit
def prints(a: float):
    core = asc.get_block_idx()
    asc.printf("%d/%d: 100%% \"quoted\" 'né' \\ \t%.2f\n", core, asc.get_block_num(), a)
    if core % 2 == 0:
        asc.printf("even\n")


@asc.jit
def divides(z: asc.GlobalAddress, a: int, b: int):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 8)
    buf = asc.LocalTensor(z.dtype, asc.TPosition.VECOUT, 0, 8)
    quotient = a // b  # <divide>
    asc.duplicate(buf, quotient, 8)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, buf, 8)


@asc.jit
def sets(times: int):
    for _ in range(0, times):
        asc.set_flag(asc.HardEvent.MTE2_V, 2)  # <set>
    asc.wait_flag(asc.HardEvent.MTE2_V, 2)


@asc.jit
def fills(z: asc.GlobalAddress, offset: int, address: int, size: int, count: int):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    buf = asc.LocalTensor(z.dtype, asc.TPosition.VECOUT, address, size)  # <local>
    asc.duplicate(buf, 1, count)  # <fill>
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm[asc.get_block_idx() * offset :], buf, count)  # <out>


@asc.jit
def shifts(z: asc.GlobalAddress, by: int, count: int):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 256)
    buf = asc.LocalTensor(z.dtype, asc.TPosition.VECCALC, 0, 256)
    asc.data_copy(buf, z_gm, 256)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.adds(buf[by:], buf, 1, count)  # <overlap>
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, buf, 256)


@asc.jit
def adds_up(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    offset = asc.get_block_idx() * n
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + offset, n)
    y_gm.set_global_buffer(y + offset, n)
    z_gm.set_global_buffer(z + offset, n)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, n)
    b = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 32768, n)
    asc.data_copy(a, x_gm, n)
    asc.data_copy(b, y_gm, n)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.add(b, a, b, n)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, b, n)


def line_of(marker: str) -> int:
    """The number of the line of this file that carries a marker."""
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    (number,) = [i for i, line in enumerate(lines, 1) if line.endswith(f"# <{marker}>")]
    return number


def is_at(error: RunError, marker: str) -> None:
    """The error points at the line with the marker, and shows it."""
    assert error.at is not None
    assert (Path(error.at.file), error.at.line) == (Path(__file__), line_of(marker))
    assert f"{__file__}:{line_of(marker)}:" in str(error)
    assert f"# <{marker}>" in str(error)


def hole(n: int, dtype: object = np.float32) -> np.ndarray:
    return np.frombuffer(bytearray(b"\xff" * (n * np.dtype(dtype).itemsize)), dtype)


# Barriers and deadlocks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2, 3, 64])
@pytest.mark.parametrize("cores", [1, 2, 7, CORES])
def test_barrier(threads: int, cores: int) -> None:
    rounds = 5
    x, z = hole(8 * cores), hole(8 * cores)
    with settings.scope(threads=threads):
        neighbours[cores](x, z, rounds)
    core = np.arange(cores)
    expected = sum((core + 1) % cores + 100 * turn for turn in range(rounds))
    np.testing.assert_array_equal(z.reshape(cores, 8), np.repeat(expected[:, None], 8, 1))


def test_barrier_over_48_blocks_on_2_threads_again_and_again() -> None:
    with settings.scope(threads=2):
        for rounds in (1, 40):
            for _ in range(25):
                x, z = hole(8 * CORES), hole(8 * CORES)
                neighbours[CORES](x, z, rounds)
                expected = rounds * ((np.arange(CORES) + 1) % CORES) + 100 * sum(range(rounds))
                np.testing.assert_array_equal(z[::8], expected)


def test_barrier_beyond_the_cores_of_the_soc() -> None:
    with pytest.raises(DeadlockError, match=r"asc\.sync_all\(\) in a launch of 49 cores, but ascend910b has 48"):
        neighbours[CORES + 1](hole(8 * (CORES + 1)), hole(8 * (CORES + 1)), 1)


@pytest.mark.parametrize("core", [0, 37])
def test_wait_without_set(core: int) -> None:
    waits[1](1)  # compiled before the clock starts
    begin = time.monotonic()
    with pytest.raises(DeadlockError, match=f"waits, core {core}: flag MTE2_V 3 is waited for") as caught:
        waits[CORES](core)
    assert time.monotonic() - begin < 1
    is_at(caught.value, "wait")


@pytest.mark.parametrize("threads", [1, 2])
def test_barrier_that_cores_miss(threads: int) -> None:
    misses[1](0)
    begin = time.monotonic()
    with settings.scope(threads=threads), pytest.raises(DeadlockError, match="40 of 48 cores wait") as caught:
        misses[CORES](40)
    assert time.monotonic() - begin < 1
    line = line_of("sync")
    named = ", ".join(f"core {core} at line {line}" for core in range(4))
    assert f"{named} and 36 more" in str(caught.value)
    is_at(caught.value, "sync")
    misses[CORES](CORES)
    misses[CORES](0)


def test_deadlock_of_one_core_of_two() -> None:
    with pytest.raises(DeadlockError, match="1 of 2 cores wait for the others, which have ended: core 0 at line"):
        misses[2](1)


# Faults -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2])
def test_one_core_of_48_stops(threads: int, capsys: pytest.CaptureFixture[str]) -> None:
    with settings.scope(threads=threads), pytest.raises(TrapError) as caught:
        stops[CORES](37, 37)
    assert str(caught.value).startswith("stops, core 37: stopped by asc.trap()")
    assert "Error" not in capsys.readouterr().err
    is_at(caught.value, "trap")


def test_the_first_of_many_failing_cores_is_named() -> None:
    for _ in range(20):
        with pytest.raises(TrapError, match="stops, core 5:"):
            stops[CORES](5, CORES)


def test_what_was_printed_before_a_fault_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(TrapError, match="core 3"):
        stops[4](3, 3)
    assert capsys.readouterr().out == "".join(f"core {core}\n" for core in range(4))


def test_a_fault_leaves_nothing_behind(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(3):
        with pytest.raises(TrapError):
            stops[CORES](0, CORES)
        capsys.readouterr()
        stops[2](5, 5)
        assert capsys.readouterr().out == "core 0\ncore 1\n"
        with pytest.raises(FlagError):
            sets[CORES](2)
        sets[CORES](1)


def test_one_core_of_48_out_of_range() -> None:
    z = hole(37 * 16 + 8)
    with pytest.raises(OutOfRange) as caught:
        fills[CORES](z, 16, 0, 16, 16)
    start = 37 * 16 * 4
    message = f"fills, core 37: dst touches bytes {start} to {start + 64} of argument z, which has {start + 32}"
    assert str(caught.value).startswith(message)
    is_at(caught.value, "out")
    assert np.isnan(z[37 * 16 :]).all()


@pytest.mark.parametrize(
    ("address", "size", "count", "error", "message", "marker"),
    [
        (0, 60000, 8, OutOfRange, "ends at byte 240000 of UB, which has 188416", "local"),
        (188416 - 32, 9, 8, OutOfRange, "ends at byte 188420 of UB", "local"),
        (-32, 8, 8, RuleError, "addr of asc.LocalTensor does not fit its type", "local"),
        (0, 1 << 33, 8, RuleError, "tile_size of asc.LocalTensor does not fit its type", "local"),
        (4, 64, 8, RuleError, "dst must start at a multiple of 32 bytes, got 4", "fill"),
        (0, 64, -8, RuleError, "count must lie between 0 and 2147483647, got -8", "fill"),
        (0, 64, 1 << 40, RuleError, "count of asc.duplicate does not fit its type", "fill"),
        (0, 64, 65, OutOfRange, "dst is used for 260 bytes, but its tensor has only 256 from there", "fill"),
        (0, 128, 128, OutOfRange, "dst touches bytes 0 to 512 of argument z, which has 256", "out"),
    ],
)
def test_values_of_the_run_that_break_a_rule(
    address: int, size: int, count: int, error: type[RunError], message: str, marker: str
) -> None:
    z = hole(64)
    with pytest.raises(error, match=re.escape(message)) as caught:
        fills[1](z, 0, address, size, count)
    is_at(caught.value, marker)
    assert np.isnan(z).all()


def test_the_last_bytes_of_ub_can_be_used() -> None:
    z = hole(8)
    fills[1](z, 0, 188416 - 32, 8, 8)
    np.testing.assert_array_equal(z, 1)


def test_destination_partly_over_source() -> None:
    z = np.arange(256, dtype=np.float32)
    with pytest.raises(RuleError, match="dst overlaps src in part, 32 bytes apart") as caught:
        shifts[1](z, 8, 64)
    is_at(caught.value, "overlap")
    np.testing.assert_array_equal(z, np.arange(256))
    shifts[1](z, 0, 64)
    expected = np.arange(256) + (np.arange(256) < 64)
    np.testing.assert_array_equal(z, expected)
    shifts[1](z, 64, 64)
    expected[64:128] = expected[:64] + 1
    np.testing.assert_array_equal(z, expected)


def test_flag_set_twice() -> None:
    with pytest.raises(FlagError, match="flag MTE2_V 2 is set again before anything waited for it") as caught:
        sets[1](2)
    is_at(caught.value, "set")


def test_division_by_zero() -> None:
    z = hole(8, np.int32)
    with pytest.raises(TrapError, match="division by zero") as caught:
        divides[1](z, 1, 0)
    is_at(caught.value, "divide")
    for a, b in ((-7, 2), (7, -2), (6, 3)):
        divides[1](z, a, b)
        np.testing.assert_array_equal(z, a // b)


# Printing -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2])
def test_prints_in_block_order(threads: int, capsys: pytest.CaptureFixture[str]) -> None:
    with settings.scope(threads=threads):
        prints[CORES](1.125)
    expected = "".join(
        f"{core}/{CORES}: 100% \"quoted\" 'né' \\ \t1.12\n" + "even\n" * (core % 2 == 0) for core in range(CORES)
    )
    assert capsys.readouterr().out == expected


# Floating-point control ---------------------------------------------------------------------------------------


def flushes() -> bool:
    """Whether this thread treats denormal doubles as zero."""
    return bool(np.nextafter(np.zeros(1), 1).sum() * np.ones(1)[0] == 0)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dtype", [np.float32, np.float16], ids=["float32", "float16"])
def test_denormals(dtype: type, threads: int) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    whole = {np.float32: np.uint32, np.float16: np.uint16}[dtype]
    below = 1 << np.finfo(dtype).nmant
    random = np.random.default_rng(3)
    n = 16 * CORES
    # Positive denormals add as their bit patterns do: no floating-point unit is needed to know the sum.
    a, b = (random.integers(0, below // 2, n).astype(whole) for _ in range(2))
    for flush in (True, False):
        z = hole(n, dtype)
        if not torch.set_flush_denormal(flush):
            pytest.skip("torch cannot flush denormals on this processor")
        try:
            before = flushes()
            with settings.scope(threads=threads):
                adds_up[CORES](a.view(dtype), b.view(dtype), z, 16)
            after = flushes()
        finally:
            torch.set_flush_denormal(False)
        assert (before, after) == (flush, flush)
        np.testing.assert_array_equal(z.view(whole), a + b)


# Threads and processes ----------------------------------------------------------------------------------------


def test_eight_threads(tmp_path: Path) -> None:
    """All launch at once, and all need the kernel compiled first."""

    @asc.jit
    def scaled(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int, s: int):
        offset = asc.get_block_idx() * n
        x_gm = asc.GlobalTensor()
        z_gm = asc.GlobalTensor()
        x_gm.set_global_buffer(x + offset, n)
        z_gm.set_global_buffer(z + offset, n)
        buf = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, n)
        asc.data_copy(buf, x_gm, n)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.adds(buf, buf, s, n)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy(z_gm, buf, n)

    gate = threading.Barrier(8)
    failures: list[str] = []

    def work(number: int) -> None:
        gate.wait()
        for turn in range(50):
            x = np.random.default_rng(turn).integers(-99, 99, 256 * 8, dtype=np.int32)
            z = hole(256 * 8, np.int32)
            try:
                scaled[8](x, z, 256, number)
                np.testing.assert_array_equal(z, x + number)
            except Exception as error:
                failures.append(f"thread {number}, turn {turn}: {error}")
                return

    with settings.scope(cache_dir=tmp_path / "cache"):
        # A thread has settings of its own unless it is given these.
        threads = [threading.Thread(target=copy_context().run, args=(work, number)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        manifests = list((tmp_path / "cache" / "kernels").iterdir())
    assert failures == []
    assert len(manifests) == 1


def test_threads_keep_their_errors_apart() -> None:
    """Half of the threads fail, each with its own core; the others are not disturbed."""
    gate = threading.Barrier(8)
    seen: dict[int, str] = {}

    def work(number: int) -> None:
        gate.wait()
        for _ in range(30):
            try:
                waits[CORES](number if number % 2 else CORES)
            except DeadlockError as error:
                seen[number] = str(error).split(":")[0]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == {number: f"waits, core {number}" for number in (1, 3, 5, 7)}


KERNEL = '''
import sys
import numpy as np
from opwright import asc

@asc.jit
def plus(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int, s: int):
    offset = asc.get_block_idx() * n
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + offset, n)
    z_gm.set_global_buffer(z + offset, n)
    buf = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, n)
    asc.data_copy(buf, x_gm, n)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.adds(buf, buf, s, n)
    asc.sync_all()
    asc.data_copy(z_gm, buf, n)

def right(s):
    """Launches on 48 cores; whether the result is right."""
    x = np.arange(48 * 64, dtype=np.int32)
    z = np.full_like(x, -1)
    plus[48](x, z, 64, s)
    return bool((z == x + s).all())
'''


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str], Path]:
    """A file of the kernel above and a body."""

    def write(body: str) -> Path:
        path = tmp_path / "script.py"
        path.write_text(KERNEL + body, encoding="utf-8")
        return path

    return write


def test_launch_fork_launch(
    python: Callable[..., subprocess.CompletedProcess[str]], script: Callable[[str], Path]
) -> None:
    body = """
import os, signal, threading

def child(depth):
    ok = right(2) and right(3)
    results = []
    threads = [threading.Thread(target=lambda s=s: results.append(right(s))) for s in range(4)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    ok = ok and results == [True] * 4
    if depth:
        ok = ok and forked(depth - 1)
    return ok

def forked(depth):
    pid = os.fork()
    if pid == 0:
        signal.alarm(20)  # a hang must not become the test's
        os._exit(0 if child(depth) else 1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0

assert right(1)
assert forked(1)
assert forked(0)
assert right(4)
# While another thread launches all the time.
stop = threading.Event()
def busy():
    while not stop.is_set():
        assert right(5)
thread = threading.Thread(target=busy)
thread.start()
oks = [forked(0) for _ in range(10)]
stop.set()
thread.join()
assert oks == [True] * 10, oks
print("done")
"""
    assert python(script(body), OPWRIGHT_THREADS="2").stdout == "done\n"


def test_fork_while_a_kernel_is_compiled(
    python: Callable[..., subprocess.CompletedProcess[str]], script: Callable[[str], Path], tmp_path: Path
) -> None:
    """The child must not wait for a lock whose holder it does not have."""
    started = tmp_path / "started"
    compiler = tmp_path / "slow-g++"
    compiler.write_text(
        f'#!/bin/sh\nfor word in "$@"; do case "$word" in *entry.cpp) touch {started}; sleep 0.5;; esac; done\n'
        'exec g++ "$@"\n'
    )
    compiler.chmod(0o755)
    body = f"""
import os, signal, threading, time
thread = threading.Thread(target=right, args=(1,))
thread.start()
while not os.path.exists({str(started)!r}):
    time.sleep(0.001)
pid = os.fork()
if pid == 0:
    signal.alarm(20)
    os._exit(0 if right(2) else 1)
thread.join()
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
print("done")
"""
    path = script(body)
    # Of its own in every session: what the store has is not compiled.
    new = f"asc.pipe_barrier(asc.PipeID.PIPE_ALL)\n    if n == {time.time_ns()}:\n        asc.trap()"
    path.write_text(path.read_text(encoding="utf-8").replace("asc.sync_all()", new), encoding="utf-8")
    assert python(path, OPWRIGHT_CXX=str(compiler)).stdout == "done\n"


def test_spawn(python: Callable[..., subprocess.CompletedProcess[str]], script: Callable[[str], Path]) -> None:
    assert "spawn" in multiprocessing.get_all_start_methods()
    body = """
if __name__ == "__main__":
    import multiprocessing
    assert right(1)
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        print(pool.map(right, range(4)))
"""
    assert python(script(body)).stdout == "[True, True, True, True]\n"


def test_exit_while_workers_are_idle(script: Callable[[str], Path]) -> None:
    body = """
import threading, time
assert right(1)
print(threading.active_count(), time.time(), flush=True)
"""
    path = script(body)
    for _ in range(3):  # the first run may compile
        done = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=60, check=True)
        ended = time.time()
    count, last = done.stdout.split()
    assert count == "1"
    assert ended - float(last) < 1
    assert done.stderr == ""


def test_the_gil_is_released() -> None:
    """Python runs on while a launch does."""
    n = 16 * 1024
    cores = 512
    x = np.zeros(n, np.float32)

    @asc.jit
    def works(x: asc.GlobalAddress, n: int):
        x_gm = asc.GlobalTensor()
        x_gm.set_global_buffer(x, n)
        buf = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, n)
        asc.data_copy(buf, x_gm, n)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        for _ in range(0, 20):
            asc.adds(buf, buf, 1.0, n)

    works[1](x, n)
    seen = 0
    running = threading.Event()

    def launch() -> None:
        running.set()
        works[cores](x, n)
        running.clear()

    thread = threading.Thread(target=launch)
    with settings.scope(threads=1):
        thread.start()
        running.wait()
        while running.is_set():
            seen += 1
            time.sleep(0.001)
        thread.join()
    assert seen > 10


@asc.jit
def getpid():
    asc.printf("the kernel\n")


def test_a_kernel_may_be_called_like_a_function_of_the_process(capsys: pytest.CaptureFixture[str]) -> None:
    getpid[1]()
    assert capsys.readouterr().out == "the kernel\n"


def test_a_count_of_zero_writes_nothing() -> None:
    z = hole(8)
    fills[1](z, 0, 0, 8, 0)
    assert all(map(math.isnan, z))


def test_without_torch_and_ml_dtypes(
    python: Callable[..., subprocess.CompletedProcess[str]], script: Callable[[str], Path]
) -> None:
    path = script("assert right(6)\nassert sys.modules['torch'] is None\nprint('done')\n")
    blocked = "import sys\nsys.modules['torch'] = sys.modules['ml_dtypes'] = None\n"
    path.write_text(blocked + path.read_text(encoding="utf-8"), encoding="utf-8")
    assert python(path).stdout == "done\n"


def test_a_library_that_refuses_the_launch() -> None:
    compiled = stops.compiled(1, 0)
    with pytest.raises(CorruptArtefact, match=r"\.so does not have the content"):
        dataclasses.replace(compiled, entries={}).run(1, stops.binder.bind((1, 0), {}))
