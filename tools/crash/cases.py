"""Hostile calls, each a few lines that run behind `PRELUDE`.

In: nothing. Out: `CASES`. A case says what it is in its name; `settings` are variables of its process. A case that must
leave the numbers right asserts it: an AssertionError is no refusal.
"""

from __future__ import annotations

from dataclasses import dataclass, field

PRELUDE = '''\
import os
import pathlib
import signal
import subprocess
import sys
import threading

import numpy as np

from opwright import asc


@asc.jit
def copy(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    tile = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 64)
    for begin in range(asc.get_block_idx() * 64, n, asc.get_block_num() * 64):
        asc.data_copy(tile, x_gm[begin:], 64)
        asc.set_flag(asc.HardEvent.MTE2_MTE3, 0)
        asc.wait_flag(asc.HardEvent.MTE2_MTE3, 0)
        asc.data_copy(z_gm[begin:], tile, 64)
        asc.set_flag(asc.HardEvent.MTE3_MTE2, 0)
        asc.wait_flag(asc.HardEvent.MTE3_MTE2, 0)


@asc.jit
def put(z: asc.GlobalAddress, i: int, v: int):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    z_gm.set_value(i, v)


@asc.jit
def place(z: asc.GlobalAddress, address: int, size: int, count: int):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    tile = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, address, size)
    asc.duplicate(tile, 1.0, count)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, tile, 64)


@asc.jit
def waits_for_nobody():
    asc.wait_flag(asc.HardEvent.MTE2_V, 0)


@asc.jit
def meets_alone():
    if asc.get_block_idx() == 0:
        asc.sync_all()


@asc.jit
def divides(z: asc.GlobalAddress, a: int, b: int):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    z_gm.set_value(0, a // b)
    z_gm.set_value(1, a % b)


def numbers(count=64, dtype=np.float32):
    return np.arange(count).astype(dtype)


def empty(count=64, dtype=np.float32):
    return np.zeros(count, dtype)


def is_right():
    z = empty()
    copy[2](numbers(), z, 64)
    assert (z == numbers()).all()


def files():
    return [path for path in pathlib.Path(os.environ["OPWRIGHT_CACHE_DIR"]).rglob("*") if path.is_file()]


def put_in_place(path, data):
    """Another file of that name: one that is mapped must not change under its own process."""
    path.unlink()
    path.write_bytes(data)


def again():
    """A new process of the same kernel and store must compute the right numbers."""
    assert subprocess.run([sys.executable, "-c", "import prelude; prelude.is_right()"], check=False).returncode == 0
'''


@dataclass(frozen=True)
class Case:
    """One hostile call."""

    group: str
    name: str
    text: str
    settings: dict[str, str] = field(default_factory=dict)


def _each(group: str, cases: dict[str, str]) -> list[Case]:
    return [Case(group, name, text + "\n") for name, text in cases.items()]


ARGUMENTS = {
    "a strided view": "copy[1](numbers(128)[::2], empty(), 64)",
    "a negative stride": "copy[1](numbers()[::-1], empty(), 64)",
    "a broadcast output": "copy[1](numbers(), np.broadcast_to(np.float32(0), (64,)), 64)",
    "a read-only output": "z = empty()\nz.setflags(write=False)\ncopy[1](numbers(), z, 64)",
    "arrays of no elements": "copy[1](empty(0), empty(0), 64)",
    "too many elements": "copy[1](numbers(), empty(), 1 << 40)",
    "an odd address": "bytes_ = np.zeros(300, np.uint8)\ncopy[1](bytes_[1:257].view(np.float32), empty(), 64)",
    "overlap in part": "b = empty(200)\ncopy[1](b[:64], b[4:68], 64)",
    "objects": "copy[1](np.array([None] * 64), empty(), 64)",
    "big endian": "copy[1](numbers().astype('>f4'), empty(), 64)",
    "complex numbers": "copy[1](numbers(64, np.complex64), empty(64, np.complex64), 64)",
    "None": "copy[1](None, empty(), 64)",
    "a list": "copy[1]([1.0] * 64, empty(), 64)",
    "an integer beyond 64 bits": "copy[1](numbers(), empty(), 1 << 70)",
    "a NaN for an integer": "copy[1](numbers(), empty(), float('nan'))",
    "an index below 0": "put[1](empty(8, np.int64), -1, 5)",
    "an index that wraps": "put[1](empty(8, np.int64), 1 << 61, 5)",
    "an index beyond": "put[1](empty(8, np.int64), 1 << 62, 5)",
    "division by 0": "divides[1](empty(8, np.int64), 7, 0)",
    "the smallest integer by -1": "divides[1](empty(8, np.int64), -(1 << 63), -1)",
    "a tensor outside the memory": "place[1](empty(), 1 << 20, 64, 64)",
    "a tensor below the memory": "place[1](empty(), -32, 64, 64)",
    "a tensor without end": "place[1](empty(), 0, 1 << 40, 64)",
    "a count beyond the tensor": "place[1](empty(), 0, 64, 1 << 31)",
    "a negative count": "place[1](empty(), 0, 64, -64)",
}
LAUNCHES = {
    "no cores": "copy[0](numbers(), empty(), 64)",
    "cores below 0": "copy[-1](numbers(), empty(), 64)",
    "65,536 cores": "copy[65536](numbers(), empty(), 64)",
    "2^40 cores": "copy[1 << 40](numbers(), empty(), 64)",
    "half a core": "copy[0.5](numbers(), empty(), 64)",
    "a wait without a set": "waits_for_nobody[2]()",
    "a barrier of one core": "meets_alone[4]()",
    "checked, a barrier of one core": "meets_alone.check[4]()",
    "many threads at once": """
workers = [threading.Thread(target=is_right) for _ in range(16)]
[one.start() for one in workers]
[one.join() for one in workers]""",
    "after a fork": """
is_right()
child = os.fork()
if child == 0:
    is_right()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0""",
    "a fork while threads launch": """
is_right()
worker = threading.Thread(target=lambda: [is_right() for _ in range(50)])
worker.start()
child = os.fork()
if child == 0:
    is_right()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
worker.join()""",
}
STORE = {
    "blobs cut short": "is_right()\n[put_in_place(path, path.read_bytes()[:100]) for path in files()]\nagain()",
    "files of no bytes": "is_right()\n[put_in_place(path, b'') for path in files()]\nagain()",
    "files of noise": "is_right()\n[put_in_place(path, os.urandom(5000)) for path in files()]\nagain()",
    "one bit flipped in each file": """
is_right()
for path in files():
    held = bytearray(path.read_bytes())
    if held:
        held[len(held) // 2] ^= 4
        put_in_place(path, bytes(held))
again()""",
    "files that are folders": "is_right()\n[(path.unlink(), path.mkdir()) for path in files()]\nagain()",
    "files that are links to nothing": """
is_right()
[(path.unlink(), path.symlink_to(path.parents[2] / "nothing")) for path in files()]
again()""",
    "manifests of other kinds": """
is_right()
[path.write_text('[1, 2, {"a": null}]') for path in files() if path.suffix == ".json"]
again()""",
    "emptied while it is used": """
import shutil
is_right()
shutil.rmtree(os.environ["OPWRIGHT_CACHE_DIR"])
is_right()
again()""",
}
SETTINGS = {
    "a store that is a file": {"OPWRIGHT_CACHE_DIR": "/etc/hostname"},
    "a store that cannot be made": {"OPWRIGHT_CACHE_DIR": "/proc/store"},
    "a compiler that is none": {"OPWRIGHT_CXX": "/bin/true"},
    "a compiler that is not there": {"OPWRIGHT_CXX": "/none/g++"},
    "an instruction set that is none": {"OPWRIGHT_CPU": "banana"},
    "a SoC that is none": {"OPWRIGHT_SOC": "banana"},
    "threads below 0": {"OPWRIGHT_THREADS": "-1"},
    "too many threads": {"OPWRIGHT_THREADS": "999999999999"},
    "a level beyond": {"OPWRIGHT_OPT_LEVEL": "9"},
    "a flag that is none": {"OPWRIGHT_CHECK": "maybe"},
    "a pass that is none": {"OPWRIGHT_WITHOUT": "banana"},
}

CASES = [
    *_each("arguments", ARGUMENTS),
    *_each("arguments, checked", {name: text.replace("[1](", ".check[1](", 1) for name, text in ARGUMENTS.items()}),
    *_each("launches", LAUNCHES),
    *_each("store", STORE),
    *(Case("settings", name, "is_right()\n", settings) for name, settings in SETTINGS.items()),
]
