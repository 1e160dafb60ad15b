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
from opwright.asc import simt
from opwright.errors import OpwrightError


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


@simt
def stores(y: asc.GlobalAddress, i: int):
    y[i] = 9


@simt
def loads(y: asc.GlobalAddress, i: int):
    y[0] = y[i]


@simt
def loads_of_a_part(y: asc.GlobalAddress, i: int):
    y[0] = y[i:][2]


@simt
def shares(y: asc.GlobalAddress, i: int):
    shared = simt.shared(asc.int64, 64)
    shared[simt.threadIdx.x] = 7
    simt.syncthreads()
    y[simt.threadIdx.x] = shared[i]


@simt
def adds(y: asc.GlobalAddress, i: int):
    simt.atomic_add(y[i:], 1)


@simt
def keeps(y: asc.GlobalAddress, i: int):
    own = asc.array(asc.int64, 8)
    own[i] = 3
    y[0] = own[i]


BITS = (31, 32, 60, 61, 62)
INDICES = [-1, -8, -(1 << 61), -(1 << 63), 8, 9, (1 << 61) - 1, (1 << 63) - 1, *(1 << bit for bit in BITS)]


def with_neighbours(kernel, threads):
    """Whatever a thread does with an index, the bytes beside its argument stay."""
    for index in INDICES:
        held = np.full(24, 5, np.int64)
        try:
            kernel[1, threads](held[8:16], index)
        except OpwrightError as error:
            print(index, type(error).__name__)
        assert (held[:8] == 5).all() and (held[16:] == 5).all(), index


def command(*words):
    """Refused or not, a command ends with a code of its own and shows no frames of ours."""
    line = [sys.executable, "-c", "from opwright.cli import cli; cli()", *words]
    ran = subprocess.run(line, capture_output=True, text=True, check=False)
    assert ran.returncode in (0, 1, 2) and "Traceback" not in ran.stderr, (ran.returncode, ran.stderr)


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
    "an array without axes": "copy[1](np.float32(1), np.zeros((), np.float32), 64)",
    "a structured array": "copy[1](np.zeros(64, [('a', 'f4')]), empty(), 64)",
    "bytes": "copy[1](b'0' * 256, empty(), 64)",
    "a file that is mapped to be read": """
pathlib.Path("held").write_bytes(bytes(256))
copy[1](numbers(), np.memmap("held", np.float32, "r"), 64)""",
    "a subclass of arrays": "copy[1](numbers().view(np.matrix), empty(), 64)",
    "dates": "copy[1](np.zeros(64, 'M8[s]'), empty(), 64)",
    "True for an integer": "copy[1](numbers(), empty(), True)",
    "a Decimal for an integer": "import decimal\ncopy[1](numbers(), empty(), decimal.Decimal(64))",
    "a tensor without memory": "import torch\ncopy[1](torch.zeros(64, device='meta'), empty(), 64)",
    "a sparse tensor": "import torch\ncopy[1](torch.zeros(64).to_sparse(), torch.zeros(64), 64)",
    "a tensor whose values are negated later": """
import torch
copy[1](torch.zeros(64, dtype=torch.complex64).conj().imag, torch.zeros(64), 64)""",
    "a tensor that wants a gradient": "import torch\ncopy[1](torch.zeros(64), torch.zeros(64, requires_grad=True), 64)",
}
THREADS = {
    f"indices of {kernel}": f"with_neighbours({kernel}, {threads})"
    for kernel, threads in {"stores": 1, "loads": 1, "loads_of_a_part": 1, "shares": 8, "adds": 4, "keeps": 4}.items()
}
GRIDS = ["0, 1", "1, 0", "65536, 1", "1, 2049", "1, 1025", "1, -1", "1 << 40, 1", "1, (1024, 2)", "(70000, 1), 1"]
GRIDS += ["(300, 300), 1", "(2, 2, 2), (8, 8, 8)", "(1, 1, 1, 1), 1"]
THREADS |= {f"a grid of {grid}": f"stores[{grid}](empty(8, np.int64), 0)" for grid in GRIDS}
PUT = "'prelude.py:put', '--arg', 'i=0', '--arg', 'v=0', '--arg'"
COMMANDS = {
    "a file that is none": "command('check', 'nothing.py:copy')",
    "a folder": "command('emit', '.:copy')",
    "a file that is no Python": "pathlib.Path('a.py').write_bytes(os.urandom(100))\ncommand('emit', 'a.py:copy')",
    "a kernel that is none": "command('emit', 'prelude.py:nothing')",
    "an array that is none": f"command('check', {PUT}, 'z=f99[-1]')",
    "an array without end": f"command('check', {PUT}, 'z=i64[1152921504606846976]')",
    "an array of a file of noise": f"""
pathlib.Path("x.npy").write_bytes(os.urandom(1000))
command('check', {PUT}, 'z=@x.npy')""",
    "a result that cannot be written": f"command('check', {PUT}, 'z=i64[8]', '--json', '/proc/out.json')",
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
    "an assumption that is none": {"OPWRIGHT_CHIP_ASSUMPTIONS": "banana=on"},
    "an assumption of neither kind": {"OPWRIGHT_CHIP_ASSUMPTIONS": "saturate_casts=perhaps,,="},
}

CASES = [
    *_each("arguments", ARGUMENTS),
    *_each("arguments, checked", {name: text.replace("[1](", ".check[1](", 1) for name, text in ARGUMENTS.items()}),
    *_each("launches", LAUNCHES),
    *_each("threads", THREADS),
    *_each("commands", COMMANDS),
    *_each("store", STORE),
    *(Case("settings", name, "is_right()\n", settings) for name, settings in SETTINGS.items()),
]
