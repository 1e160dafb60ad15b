"""The library on aarch64, under an emulator: above all its context switch and floating-point control."""

import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TWIN = HERE.parents[2] / "src" / "opwright" / "twin"
COMPILER = "aarch64-linux-gnu-g++"
EMULATOR = "qemu-aarch64"


def test_aarch64(tmp_path: Path) -> None:
    for tool in (COMPILER, EMULATOR):
        if not shutil.which(tool):
            pytest.skip(f"{tool} is not installed")
    program = tmp_path / "standalone"
    flags = (
        "-std=c++17 -O3 -ffp-contract=off -fno-fast-math -fwrapv -fno-strict-aliasing -fno-exceptions "
        "-fno-rtti -pthread -static -Wall -Wextra -Werror"
    ).split()
    sources = [TWIN / "library" / "library.cpp", HERE / "kernels.cpp", HERE / "standalone.cpp"]
    subprocess.run([COMPILER, *flags, f"-I{TWIN / 'include'}", *sources, "-o", program], check=True)
    ran = subprocess.run([EMULATOR, program], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.count("ok: ") == 27
