"""The command line with kernels of threads: grid and block where other kernels have cores."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from opwright.cli import cli

KERNELS = """\
from opwright import asc
from opwright.asc import simt


@simt
def pure(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int):
    rows = simt.blockIdx.x * simt.blockDim.y + simt.threadIdx.y
    i = rows * simt.blockDim.x + simt.threadIdx.x
    if i < n:
        y[i] = x[i] * 2.0


@simt(max_threads=64)
def strays(x: asc.GlobalAddress):
    x[simt.threadIdx.x + simt.blockDim.x * simt.threadIdx.y] = simt.gridDim.z


@asc.jit
def cores(x: asc.GlobalAddress):
    pass
"""
PURE = ("pure", "--arg", "x=f32[64]", "--arg", "y=f32[64]", "--arg", "n=64")


def run(folder: Path, command: str, kernel: str, *words: str):
    path = folder / "kernels.py"
    path.write_text(KERNELS)
    return CliRunner().invoke(cli, [command, f"{path}:{kernel}", *words])


@pytest.mark.quick
def test_emit_and_show(tmp_path: Path) -> None:
    done = run(tmp_path, "emit", *PURE)
    assert done.exit_code == 0 and done.output.startswith('#include "simt_api/asc_simt.h"\n')
    assert run(tmp_path, "show", *PURE, "--stage", "text").output == done.output
    stages = run(tmp_path, "show", *PURE)
    assert stages.exit_code == 0 and "hoist" in stages.output


def test_check(tmp_path: Path) -> None:
    done = run(tmp_path, "check", *PURE, "--grid", "2", "--block", "8,4")
    assert (done.exit_code, done.output) == (0, "pure on 2 cores of ascend950: nothing found\n")
    report = tmp_path / "report.json"
    done = run(
        tmp_path, "check", "strays", "--arg", "x=f32[15]", "--grid", "1,1,3", "--block", "4,4", "--json", str(report)
    )
    assert done.exit_code == 1
    assert "thread (3,3,0)" in done.output or "(3,3,0)" in report.read_text()
    assert json.loads(report.read_text())["cores"] == 3


def test_trace(tmp_path: Path) -> None:
    done = run(tmp_path, "trace", *PURE, "--grid", "2", "--block", "32", "-o", str(tmp_path / "out.html"))
    assert done.exit_code == 0 and "no finding" in done.output
    done = run(tmp_path, "trace", *PURE, "--grid", "2", "--core", "2", "-o", str(tmp_path / "out.html"))
    assert done.exit_code == 2 and "the cores are 0 to 1" in done.output


@pytest.mark.quick
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((*PURE, "--cores", "2"), "give --grid and --block"),
        (("cores", "--arg", "x=f32[8]", "--grid", "2"), "not a SIMT kernel; give --cores"),
        ((*PURE, "--grid", "a"), "is not X, X,Y or X,Y,Z"),
        ((*PURE, "--block", "1,2,3,4"), "is not X, X,Y or X,Y,Z"),
        ((*PURE, "--block", "-1"), "is not X, X,Y or X,Y,Z"),
        ((*PURE, "--block", "0"), "cannot start 0 threads"),
        ((*PURE, "--block", "32,33"), "cannot start 32 x 33 = 1056 threads"),
        ((*PURE, "--grid", "256,256"), "cannot start a grid of 256 x 256 blocks"),
    ],
)
def test_wrong_words(words: tuple[str, ...], said: str, tmp_path: Path) -> None:
    done = run(tmp_path, "check", *words)
    assert done.exit_code == 2 and said in " ".join(done.output.split())


def test_a_soc_without_threads(tmp_path: Path) -> None:
    done = run(tmp_path, "check", *PURE, "--soc", "ascend910b")
    assert done.exit_code == 1 and "NoThreads: pure needs threads, and ascend910b" in done.output
    done = run(tmp_path, "emit", *PURE, "--soc", "ascend910_93")
    assert done.exit_code == 1


@pytest.mark.quick
def test_list_of_calls() -> None:
    done = CliRunner().invoke(cli, ["list", "calls", "--json"])
    found = json.dumps(json.loads(done.output))
    assert all(name in found for name in ("vf_call", "simt.syncthreads", "simt.threadIdx"))
