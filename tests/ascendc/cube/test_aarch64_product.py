"""Products on aarch64, under an emulator, equal those on this machine bit for bit."""

import shutil
import subprocess
from pathlib import Path

import pytest

from opwright.twin.build import INCLUDE
from opwright.twin.toolchain import FLAGS, find_compiler

HERE = Path(__file__).parent
COMPILER, EMULATOR = "aarch64-linux-gnu-g++", "qemu-aarch64"


def digests(folder: Path, compiler: str, extra: list[str], runner: list[str]) -> list[str]:
    program = folder / Path(compiler).name
    flags = [flag for flag in FLAGS if flag not in ("-fPIC", "-shared")]
    source = HERE / "product_digest.cpp"
    subprocess.run([compiler, *flags, *extra, f"-I{INCLUDE}", source, "-o", program], check=True)
    done = subprocess.run([*runner, program], capture_output=True, text=True, timeout=60, check=True)
    return done.stdout.splitlines()


def test_same_bits(tmp_path: Path) -> None:
    for tool in (COMPILER, EMULATOR):
        if not shutil.which(tool):
            pytest.skip(f"{tool} is not installed")
    here = digests(tmp_path, find_compiler(), ["-march=native", "-O1"], [])
    assert len(set(here)) == len(here) == 4 * 3 * 5
    assert digests(tmp_path, COMPILER, ["-static"], [EMULATOR]) == here
