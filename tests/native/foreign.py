"""The compiled library of another package: adapter_library.cpp, with a factor that shows whose code ran."""

import hashlib
import json
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
INCLUDE = HERE.parents[1] / "src" / "opwright" / "native" / "include"


def compiled(folder: Path, space: str, factor: int) -> Path:
    """The library, with its manifest beside it."""
    if not shutil.which("g++"):
        pytest.skip("g++ is not installed")
    result = folder / f"lib{space}.so"
    words = [f'-DSPACE="{space}"', f"-DFACTOR={factor}", f"-I{INCLUDE}", str(HERE / "adapter_library.cpp")]
    subprocess.run(["g++", "-std=c++17", "-O1", "-fPIC", "-shared", "-Wall", *words, "-o", str(result)], check=True)
    write_manifest(result)
    return result


def write_manifest(library: Path) -> None:
    hashes = {library.name: hashlib.sha256(library.read_bytes()).hexdigest()}
    library.with_name("manifest.json").write_text(json.dumps(hashes))
