"""`asc.adv` as a module: its names, how a kernel reaches them; a kernel in the store does not load the table."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from opwright import asc
from opwright.asc import adv
from opwright.ascendc.table import ROWS
from opwright.errors import OutsideKernel, UnknownName

KERNEL = """\
from opwright import asc
from opwright.asc import adv

@asc.jit
def kernel(x: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    pipe = asc.TPipe()
    buffer = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(buffer, 512)
    a = buffer.get_with_offset(64, 0, asc.float32)
    b = buffer.get_with_offset(64, 256, asc.float32)
    asc.data_copy(a, x_gm, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    {call}
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(x_gm, b, 64)
"""


def load(folder: Path, call: str):
    path = folder / "kernel_of_adv.py"
    path.write_text(KERNEL.format(call=call))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kernel


def test_names() -> None:
    assert asc.adv is adv
    rows = {row.short for row in ROWS.values() if row.space == "adv"}
    assert rows <= set(adv.__all__) <= set(dir(adv))
    assert "adv" in asc.__all__ and "sin" not in asc.__all__
    assert repr(adv.sin) == "asc.adv.sin"
    with pytest.raises(OutsideKernel, match=r"adv\.sin"):
        adv.sin(1, 2)
    with pytest.raises(AttributeError, match="sinus"):
        adv.sinus


@pytest.mark.parametrize("call", ["asc.adv.ceil(b, a, 64)", "adv.ceil(b, a, 64)"])
def test_two_ways_to_say_it(call: str, tmp_path: Path) -> None:
    kernel = load(tmp_path, call)
    x = np.linspace(-2, 2, 64, dtype=np.float32)
    wanted = np.ceil(x)
    kernel[1](x)
    np.testing.assert_array_equal(x, wanted)
    assert "    AscendC::Ceil(b, a, 64);\n" in kernel.emit("f32[64]")


def test_a_name_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="did you mean 'ceil'"):
        load(tmp_path, "asc.adv.cel(b, a)").emit("f32[64]")


@pytest.mark.opwright_check(False)  # checking reads the table
def test_a_stored_kernel_does_not_load_the_table(tmp_path: Path) -> None:
    """What a kernel reads of this module is part of opwright, so nothing asks for it again."""
    x = np.zeros(64, np.float32)
    load(tmp_path, "asc.adv.ceil(b, a, 64)")[1](x)
    path = tmp_path / "kernel_of_adv.py"
    program = (
        "import sys, numpy\n"
        f"sys.path.insert(0, {str(tmp_path)!r})\n"
        f"from {path.stem} import kernel\n"
        "kernel[1](numpy.zeros(64, numpy.float32))\n"
        "assert 'opwright.ascendc.table' not in sys.modules\n"
    )
    environment = {**os.environ, "OPWRIGHT_CHECK": "0"}
    subprocess.run([sys.executable, "-c", program], check=True, cwd=tmp_path, env=environment)
