"""What tests of the C ABI share: arrays as it has them, and programs that are compiled against its header."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from opwright.native import sources
from opwright.native.library import View

HERE = Path(__file__).parents[1] / "native"


def view(array: np.ndarray) -> View:
    """What lies where."""
    steps = tuple(step // array.itemsize for step in array.strides)
    return View(array.ctypes.data, array.dtype.name, array.shape, steps)


def program(folder: Path, compiler: str, source: str, *flags: str) -> Path:
    """A program of tests/native."""
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    options = ["-Wall", "-Werror", *flags, f"-I{sources.INCLUDE}"]
    subprocess.run([compiler, *options, HERE / source, "-o", folder / "program", "-ldl"], check=True)
    return folder / "program"
