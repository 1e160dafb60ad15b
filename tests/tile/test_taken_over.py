"""Printed kernels are kernels: saved to a file they run and give the same bits, and pyright has no complaint."""

import json
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
import tile_kernels
from launches import LAUNCHES, Launch, loaded

from opwright.settings import settings

CORES = 3
CAUSAL = {"CAUSAL": True, "D": 64, "BM": 64, "BN": 64}
# Kernels that are lowered for pyright only: they run on both kinds of cores, with a workspace.
MIXED = {
    "linear_gelu": (["f16[300, 200]", "f16[200, 300]", "f16[300]", "f16[300, 300]"], {"BM": 64}),
    "attention": (
        [*(f"f16[500, {heads}, 64]" for heads in (4, 2, 2, 4)), "i32[3]", "i32[3]", "i32[4, 2]", 0.125],
        CAUSAL,
    ),
}


def spread(arguments: list) -> list:
    """Arguments of the printed kernel: an array, its shape, its strides in elements."""
    found = []
    for one in arguments:
        is_array = isinstance(one, np.ndarray)
        found += [one, *one.shape, *(step // one.itemsize for step in one.strides)] if is_array else [one]
    return found


def workspaces(launch: Launch, soc: str, dtype: type) -> list[np.ndarray]:
    """Scratch that a launch of the kernel over tiles gives by itself; NaN shows what is read before it is written."""
    kernel = launch.kernel
    program = kernel.program(kernel.binder.bind(tuple(launch.arguments(dtype)), launch.constants), soc)
    return [np.full(CORES * one.elements, np.nan, one.element) for one in program.workspaces]


def saved(name: str, launch: Launch, soc: str, folder: Path, dtype: type) -> Path:
    path = folder / f"{name.replace(':', '_')}_{soc}.py"
    path.write_text(launch.kernel.lower(*launch.arguments(dtype), soc=soc, **launch.constants), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", LAUNCHES)
def test_a_printed_kernel_runs(name: str, tmp_path: Path) -> None:
    """With the types of the examples; on ascend950 there are no barriers of V."""
    launch = LAUNCHES[name]
    soc = "ascend950" if "softmax" in name else "ascend910b"
    dtype = np.float32 if "transpose" not in name else np.float16
    printed = getattr(loaded(saved(name, launch, soc, tmp_path, dtype)), launch.kernel.__name__)
    own, taken = launch.arguments(dtype), launch.arguments(dtype)
    with settings.scope(soc=soc):
        launch.kernel.check[CORES](*own, **launch.constants)
        printed.check[CORES](*spread(taken), *workspaces(launch, soc, dtype))
    for one, other in zip(own, taken, strict=True):
        if isinstance(one, np.ndarray):
            assert one.tobytes() == other.tobytes()


@pytest.mark.unchecked(reason="launches nothing")
def test_an_editor_finds_nothing_wrong(tmp_path: Path) -> None:
    pytest.importorskip("pyright", reason="pyright is not installed")
    for name, launch in LAUNCHES.items():
        for soc in ("ascend910b", "ascend950"):
            saved(name, launch, soc, tmp_path, ml_dtypes.bfloat16)
    for name, (arguments, constants) in MIXED.items():
        text = getattr(tile_kernels, name).lower(*arguments, soc="ascend910b", **constants)
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    files = sorted(tmp_path.glob("*.py"))
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, *map(str, files)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    answer = json.loads(done.stdout)
    assert answer["summary"]["filesAnalyzed"] == len(files) >= 2 * len(LAUNCHES) + len(MIXED)
    found = [
        (Path(entry["file"]).stem, entry["range"]["start"]["line"], entry["message"])
        for entry in answer["generalDiagnostics"]
    ]
    assert found == []
