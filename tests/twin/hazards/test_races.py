"""Wrong kernels whose race the checked twin must name, and right ones that look suspicious and must pass.

The line with the later access ends in a mark; so does that of the earlier one, which the message names.
"""

import importlib.util
import linecache
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from opwright.errors import RaceError, UninitialisedRead
from opwright.settings import settings

HEAD = """\
from opwright import asc
from opwright.asc import HardEvent, PipeID, TPosition

@asc.jit({options})
def kernel(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, TPosition.VECIN, 0, 64)
    b = asc.LocalTensor(x.dtype, TPosition.VECOUT, 256, 64)
"""
IN_ = "asc.set_flag(HardEvent.MTE2_V, 0)\nasc.wait_flag(HardEvent.MTE2_V, 0)\n"
OUT = "asc.set_flag(HardEvent.V_MTE3, 0)\nasc.wait_flag(HardEvent.V_MTE3, 0)\n"
BACK = "asc.set_flag(HardEvent.V_MTE2, 0)\nasc.wait_flag(HardEvent.V_MTE2, 0)\n"
FREE = "asc.set_flag(HardEvent.MTE3_V, 0)\nasc.wait_flag(HardEvent.MTE3_V, 0)\n"
EVERY = "asc.pipe_barrier(PipeID.PIPE_ALL)\n"
COPY, ADD, WRITE = "asc.data_copy(a, x_gm, 64)", "asc.adds(b, a, 1.0, 64)", "asc.data_copy(z_gm, b, 64)"


def loop(*lines: str) -> str:
    body = "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)
    return "for i in range(3):\n" + "".join(f"    {line}\n" for line in body.splitlines())


# name -> (options, body with the two accesses marked, words of the hint)
WRONG = {
    "add reads before the copy": ("", f"{COPY}  # first\n{ADD}  # second\n", "MTE2_V"),
    "copy out reads before the add": ("", f"{COPY}\n{IN_}{ADD}  # first\n{WRITE}  # second\n", "V_MTE3"),
    "next copy overwrites what is added": (
        "",
        loop(f"{COPY}  # second", IN_, f"{ADD}  # first", OUT, WRITE, FREE),
        "V_MTE2",
    ),
    "next add overwrites what is copied out": (
        "",
        loop(COPY, IN_, f"{ADD}  # second", OUT, f"{WRITE}  # first", BACK),
        "MTE3_V",
    ),
    "flag of another pair": (
        "",
        f"{COPY}  # first\nasc.set_flag(HardEvent.MTE2_MTE3, 0)\nasc.wait_flag(HardEvent.MTE2_MTE3, 0)\n"
        f"{ADD}  # second\n",
        "MTE2_V",
    ),
    "flag set before the copy": (
        "",
        f"asc.set_flag(HardEvent.MTE2_V, 0)\n{COPY}  # first\nasc.wait_flag(HardEvent.MTE2_V, 0)\n{ADD}  # second\n",
        "MTE2_V",
    ),
    "barrier of one pipe orders no other": (
        "",
        f"{COPY}  # first\nasc.pipe_barrier(PipeID.PIPE_MTE2)\n{ADD}  # second\n",
        "MTE2_V",
    ),
    "two copies into one place": ("", f"{COPY}  # first\nasc.data_copy(a, x_gm[64:], 64)  # second\n", "PIPE_MTE2"),
    "two copies out to one place": (
        "",
        f"asc.duplicate(b, 1.0, 64)\n{OUT}{WRITE}  # first\nasc.data_copy(z_gm[8:], b, 8)  # second\n",
        "PIPE_MTE3",
    ),
    "copy out and copy in of one place": (
        "",
        f"asc.duplicate(b, 1.0, 64)\n{OUT}{WRITE}  # first\nasc.data_copy(a, z_gm, 64)  # second\n",
        "MTE3_MTE2",
    ),
    "vector after vector without a barrier": (
        "auto_sync=False",
        "asc.duplicate(a, 1.0, 64)  # first\nasc.adds(b, a, 1.0, 64)  # second\n",
        "PIPE_V",
    ),
    "scalar read of what is copied": (
        "auto_sync=False",
        f"{COPY}  # first\nasc.printf('%f', a.get_value(0))  # second\n",
        "MTE2_S",
    ),
    "scalar write before the vector reads": (
        "auto_sync=False",
        "asc.duplicate(a, 1.0, 64)\nasc.set_flag(HardEvent.V_S, 0)\nasc.wait_flag(HardEvent.V_S, 0)\n"
        "a.set_value(0, 5.0)  # first\nasc.adds(b, a, 1.0, 64)  # second\n",
        "S_V",
    ),
    "part of a tile": (
        "",
        f"{COPY}  # first\nasc.adds(b, a[56:], 1.0, 8)  # second\n",
        "MTE2_V",
    ),
    "masked lanes": (
        "",
        f"{COPY}  # first\nasc.adds(b, a, 1.0, 3, 1, asc.UnaryRepeatParams())  # second\n",
        "MTE2_V",
    ),
}
RIGHT = {
    "flags in place": ("", loop(COPY, IN_, ADD, OUT, WRITE, BACK, FREE)),
    "barrier of all pipes": ("", loop(COPY, EVERY, ADD, EVERY, WRITE, EVERY)),
    "order through a third pipe": (
        "",
        f"{COPY}\n{IN_}{ADD}\n{OUT}asc.set_flag(HardEvent.MTE3_MTE2, 0)\nasc.wait_flag(HardEvent.MTE3_MTE2, 0)\n"
        "asc.data_copy(a, x_gm[64:], 64)\n",
    ),
    "neighbours that do not touch": (
        "",
        f"asc.duplicate(a, 0.0, 64)\n{BACK}asc.data_copy(a, x_gm, 32)\nasc.adds(b, a[32:], 1.0, 32)\n",
    ),
    "two readers": (
        "",
        f"{COPY}\n{IN_}{ADD}\nasc.set_flag(HardEvent.MTE2_MTE3, 1)\n"
        "asc.wait_flag(HardEvent.MTE2_MTE3, 1)\nasc.data_copy(z_gm, a, 64)\n",
    ),
    "vector after vector with auto sync": ("", "asc.duplicate(a, 1.0, 64)\nasc.adds(b, a, 1.0, 64)\n"),
    "vector after vector on 950": (
        'auto_sync=False, soc="ascend950"',
        "asc.duplicate(a, 1.0, 64)\nasc.adds(b, a, 1.0, 64)\n",
    ),
    "vector after vector with a barrier": (
        "auto_sync=False",
        "asc.duplicate(a, 1.0, 64)\nasc.pipe_barrier(PipeID.PIPE_V)\nasc.adds(b, a, 1.0, 64)\n",
    ),
    "lanes that are left out": (
        "",
        f"asc.duplicate(a, 0.0, 64)\n{BACK}asc.data_copy(a, x_gm, 32)\n"
        "asc.adds(b, a, 1.0, [0xFFFFFFFF00000000, 0], 1, asc.UnaryRepeatParams())\n",
    ),
    "one flag for two copies": (
        "",
        f"asc.data_copy(a, x_gm, 32)\nasc.data_copy(a[32:], x_gm[32:], 32)\n{IN_}{ADD}\n",
    ),
}


def load(folder: Path, options: str, body: str) -> ModuleType:
    text = HEAD.format(options=options) + "".join(f"    {line}\n" for line in body.splitlines())
    path = folder / "kernel.py"
    path.write_text(text)
    linecache.checkcache(str(path))
    spec = importlib.util.spec_from_file_location(f"hazard_{abs(hash(text))}", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def arguments() -> tuple[np.ndarray, np.ndarray, int]:
    return np.ones(256, np.float32), np.full(256, np.nan, np.float32), 1


@pytest.mark.parametrize("name", WRONG)
def test_wrong(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options, body, words = WRONG[name]
    module = load(tmp_path, options, body)
    with pytest.raises(RaceError) as caught:
        module.kernel.check[1](*arguments())
    lines = (tmp_path / "kernel.py").read_text().splitlines()
    marked = {line.rpartition("# ")[2]: number for number, line in enumerate(lines, 1) if "  # " in line}
    first, second = marked["first"], marked["second"]
    assert caught.value.at is not None and caught.value.at.line == second
    assert f"line {first}" in str(caught.value)
    assert words in str(caught.value).splitlines()[-1]


@pytest.mark.parametrize("name", RIGHT)
def test_right(name: str, tmp_path: Path) -> None:
    options, body = RIGHT[name]
    load(tmp_path, options, body).kernel.check[1](*arguments())


def test_every_core_is_checked(tmp_path: Path) -> None:
    body = f"{COPY}\n{IN_}if asc.get_block_idx() == 2:\n    asc.data_copy(a, x_gm[64:], 64)\n{ADD}\n"
    with pytest.raises(RaceError, match="core 2"):
        load(tmp_path, "", body).kernel.check[4](*arguments())


CORES = "first = asc.get_block_idx() * n\nasc.duplicate(b, 1.0, 64)\n" + OUT


def test_cores_that_write_the_same_bytes(tmp_path: Path) -> None:
    """Eight elements overlap: core 1 begins before core 0 ends."""
    body = CORES + "asc.data_copy(z_gm[first:], b, 64)\n"
    kernel = load(tmp_path, "", body).kernel
    kernel.check[4](np.ones(256, np.float32), np.zeros(256, np.float32), 64)
    with pytest.raises(
        RaceError, match="core 1: it writes 32 bytes of argument z from byte 224, element 56, which core 0 writes too"
    ):
        kernel.check[4](np.ones(256, np.float32), np.zeros(256, np.float32), 56)


def test_a_barrier_over_all_cores_orders_them(tmp_path: Path) -> None:
    """Each core reads what its neighbour wrote."""
    read = "asc.data_copy(a, z_gm[(asc.get_block_idx() + 1) % asc.get_block_num() * 64:], 64)\n"
    write = CORES + "asc.data_copy(z_gm[first:], b, 64)\n"
    arguments = (np.ones(256, np.float32), np.zeros(256, np.float32), 64)
    load(tmp_path, "", f"{write}asc.sync_all()\n{read}").kernel.check[4](*arguments)
    with pytest.raises(RaceError, match=r"which core 0 (reads|writes) too"):
        load(tmp_path, "", f"{write}{EVERY}{read}").kernel.check[4](*arguments)


def test_the_report_is_the_same_on_two_threads(tmp_path: Path) -> None:
    kernel = load(tmp_path, "", CORES + "asc.data_copy(z_gm[first:], b, 64)\n").kernel
    reports = set()
    for threads in (1, 2):
        for _ in range(5):
            with settings.scope(threads=threads), pytest.raises(RaceError) as caught:
                kernel.check[4](np.ones(256, np.float32), np.zeros(256, np.float32), 8)
            reports.add(str(caught.value))
    assert len(reports) == 1


def test_uninitialised_reads(tmp_path: Path) -> None:
    body = f"asc.data_copy(a, x_gm, 32)\n{IN_}asc.adds(b, a, 1.0, n)\n"
    kernel = load(tmp_path, "", body).kernel
    kernel.check[1](*arguments()[:2], 32)
    with pytest.raises(UninitialisedRead, match=r"element 32 of src is read here, .*byte 128 of UB"):
        kernel.check[1](*arguments()[:2], 40)
