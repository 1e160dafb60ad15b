"""A generated kernel and one written by hand over the same headers have the same instructions in their inner loops."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from opwright.settings import settings
from opwright.store.store import Store
from opwright.twin.build import build_kernel, entry_text
from opwright.twin.toolchain import toolchain

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def vector_loops(library: bytes, folder: Path) -> set[tuple[str, ...]]:
    """Innermost loops that add floats, as instructions without registers, addresses and offsets."""
    path = folder / "kernel.so"
    path.write_bytes(library)
    listing = subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", str(path)], capture_output=True, text=True, check=True
    ).stdout
    code: list[tuple[int, str, str]] = []
    for line in listing.splitlines():
        if match := re.match(r"\s*([0-9a-f]+):\t(\S+)\s*(.*)", line):
            code.append((int(match[1], 16), match[2], match[3]))
    index = {address: place for place, (address, _, _) in enumerate(code)}
    loops = set()
    for place, (_, name, operands) in enumerate(code):
        target = re.match(r"([0-9a-f]+)", operands)
        if name.startswith("j") and target and (start := index.get(int(target[1], 16))) is not None and start < place:
            body = code[start : place + 1]
            jumps = sum(part.startswith("j") for _, part, _ in body)
            if jumps == 1 and any(part in ("vaddps", "addps", "fadd") for _, part, _ in body):
                loops.add(tuple(part if part[0] == "j" else f"{part} {normal(rest)}" for _, part, rest in body))
    return loops


def normal(operands: str) -> str:
    """Operands with the kind of each register instead of its number, and without displacements."""
    plain = re.sub(r"<.*?>", "", operands)
    plain = re.sub(r"%([xyz]mm)\d+", r"\1", plain)
    plain = re.sub(r"%[a-z0-9]+", "reg", plain)
    return re.sub(r"-?0x[0-9a-f]+(?=\()", "", plain)  # where in a buffer a tensor lies is no part of the loop


@pytest.mark.skipif(shutil.which("objdump") is None, reason="objdump (binutils) is not installed")
def test_inner_loops_are_the_same(tmp_path):
    spec = importlib.util.spec_from_file_location("vector_add_kernel", BENCHMARKS / "vector_add_kernel.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    arrays = [np.ones(4096, np.float32) for _ in range(3)]
    generated = module.vadd.emit(*arrays, 4096)
    by_hand = (BENCHMARKS / "vector_add_by_hand.cpp").read_text()
    tools = toolchain(Store(settings.cache_dir))
    entry = entry_text("vadd", ["float32", "float32", "float32", "int"])
    loops = []
    for name, text in (("generated", generated), ("by_hand", by_hand)):
        folder = tmp_path / name
        folder.mkdir()
        loops.append(vector_loops(build_kernel(tools, text, entry, folder).data, folder))
    assert loops[0], "no vector loop found: the listing is not understood"
    assert loops[0] == loops[1]
