"""Ctrl-C (E2): a launch of the main thread ends at once, an endless loop included, in every mode."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from opwright import asc
from opwright.settings import settings

FOREVER = 1 << 62
SOON = 0.3  # seconds until the signal comes
AT_MOST = 5.0  # after it; half a second on a machine that does nothing else


@asc.jit
def spins(x: asc.GlobalAddress, n: int):
    """The first core counts, the others wait for it."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 8)
    if asc.get_block_idx() == 0:
        i = 0
        while i < n:
            i = i + 1 + x_gm.get_value(0)
    asc.sync_all()


@asc.simt(soc="ascend950")
def threads_spin(x: asc.GlobalAddress, n: int):
    i = 0
    while i < n:
        i += 1 + x[0]
    asc.simt.syncthreads()


@asc.jit
def idles(n: int):
    """A loop that computes nothing."""
    i = 0
    while i < n:
        i += 0


@pytest.fixture(autouse=True)
def python_listens() -> Iterator[None]:
    """A process that a shell starts in the background ignores the signal."""
    if threading.current_thread() is not threading.main_thread():
        pytest.skip("signals come to the main thread")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupted(launch: Callable[[int], None], x: np.ndarray) -> float:
    """Launches for ever; how long after the signal it ended. Kernels that go on end by what they read in `x`."""
    launch(2)  # compiles
    sent = []
    guard = threading.Timer(SOON + 6 * AT_MOST, lambda: x.__setitem__(0, FOREVER))
    guard.start()

    def send() -> None:
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(SOON, send)
    try:
        with pytest.raises(KeyboardInterrupt):
            timer.start()  # within: on a busy machine the signal may come before the launch
            launch(FOREVER)
    finally:
        timer.cancel()
        guard.cancel()
    took = time.monotonic() - sent[0]
    timer.join()
    launch(2)  # the kernel still runs, and no second interrupt is on its way
    return took


@pytest.mark.opwright_check(False)
@pytest.mark.parametrize("mode", ["fast", "checked", "perturbed"])
def test_endless_loop(mode: str) -> None:
    x = np.zeros(8, np.int64)
    check = spins.check
    kernel = {"fast": spins, "checked": check, "perturbed": check(perturb=1)}[mode]
    for threads in (1, 2):
        with settings.scope(threads=threads):
            assert interrupted(lambda n: kernel[2](x, n), x) < AT_MOST


@pytest.mark.opwright_check(False)
def test_endless_threads() -> None:
    x = np.zeros(8, np.int64)
    assert interrupted(lambda n: threads_spin[2, 64](x, n), x) < AT_MOST


@pytest.mark.unchecked(reason="builds the library with another compiler")
@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_an_endless_loop_that_computes_nothing(compiler: str) -> None:
    """In a process of its own, since nothing but the signal ends it."""
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    program = """
import os, signal, sys, threading, time
sys.path.insert(0, sys.argv[1])
from test_interrupt import SOON, idles
for kernel in (idles, idles.check)[: int(sys.argv[2])]:
    kernel[1](0)
    threading.Timer(SOON, os.kill, (os.getpid(), signal.SIGINT)).start()
    began = time.monotonic()
    try:
        kernel[1](3)
    except KeyboardInterrupt:
        print(time.monotonic() - began - SOON)
"""
    modes = 2 if compiler == "g++" else 1  # the checked library of clang++ takes long to compile
    command = [sys.executable, "-c", program, str(Path(__file__).parent), str(modes)]
    environment = {**os.environ, "OPWRIGHT_CXX": compiler, "OPWRIGHT_OPT_LEVEL": "3"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    took = [float(line) for line in done.stdout.split()]
    assert len(took) == modes and max(took) < AT_MOST, done.stdout


@pytest.mark.opwright_check(False)
def test_a_handler_of_faults_that_came_later() -> None:
    """Twice in a process of its own: one that crashes shows it by its exit code."""
    program = """
import faulthandler, sys
import numpy as np
sys.path.insert(0, sys.argv[1])
from test_interrupt import AT_MOST, interrupted, spins
x = np.zeros(8, np.int64)
for _ in range(2):
    assert interrupted(lambda n: spins[2](x, n), x) < AT_MOST
    faulthandler.enable()
"""
    command = [sys.executable, "-c", program, str(Path(__file__).parent)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.opwright_check(False)
def test_a_handler_of_the_program_lets_it_end() -> None:
    """Nobody asked for a launch that stops halfway."""
    x = np.zeros(8, np.int64)
    came = []
    before = signal.signal(signal.SIGINT, lambda *_: came.append(time.monotonic()))
    try:
        timer = threading.Timer(SOON, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        turns = 1 << 20
        while not came:
            spins[1](x, turns)  # raises nothing
            turns *= 2
        timer.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert signal.getsignal(signal.SIGINT) is before
