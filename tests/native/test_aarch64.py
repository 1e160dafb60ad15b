"""HiFloat8 on aarch64, under an emulator: all kernels give the bytes that they give here."""

import hashlib
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
COMPILER, EMULATOR = "aarch64-linux-gnu-g++", "qemu-aarch64"
# Codes of all float16 when they overflow to infinity: the first bytes of a dump.
DIGEST = "4e85867f2a96b171c5e3935f544eec7e131d5800b08e053da7b198038f394bf3"


def dump(*command: str | Path) -> bytes:
    return subprocess.run(command, check=True, capture_output=True, timeout=60).stdout


@pytest.fixture(scope="module")
def here(build: Any) -> bytes:
    return dump(build("dump", HERE / "hifloat8_dump.cpp", linked="-pie"), "table")


@pytest.mark.parametrize("path", ["neon", pytest.param("table", marks=pytest.mark.slow)])
def test_same_bytes(path: str, build: Any, here: bytes) -> None:
    if not shutil.which(EMULATOR):
        pytest.skip(f"{EMULATOR} is not installed")
    program = build("dump_aarch64", HERE / "hifloat8_dump.cpp", compiler=COMPILER, linked="-static")
    there = dump(EMULATOR, program, path)
    assert hashlib.sha256(there[:65536]).hexdigest() == DIGEST
    assert len(there) == len(here)
    differing = [place for place, (a, b) in enumerate(zip(there, here, strict=True)) if a != b]
    assert differing == []
