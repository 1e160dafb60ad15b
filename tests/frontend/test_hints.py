"""What hints tell to write is right: taken out of the message and put into a kernel as it stands.

The kernel leaves all order between units to the author (auto_sync=False), so that a race of a recipe would be found.
"""

import importlib.util
import math
import re
import textwrap
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from opwright import errors
from opwright.runtime.jit import JitFunction
from opwright.settings import settings

HEAD = """\
import math

from opwright import asc


@asc.jit(auto_sync=False)
def kernel(out: asc.GlobalAddress, r: float, n: int):
"""
BODY = """\
pipe = asc.TPipe()
room = asc.TBuf(asc.TPosition.VECCALC)
pipe.init_buffer(room, 96)
t = room.get_with_offset(8, 0, asc.float32)
u = room.get_with_offset(8, 32, asc.float32)
e = room.get_with_offset(8, 64, asc.float32)
out_gm = asc.GlobalTensor()
out_gm.set_global_buffer(out)
for turn in range(2):
    x, p = r + turn, 1.5
"""


PLACED = """\
t = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 8)
out_gm = asc.GlobalTensor()
out_gm.set_global_buffer(out)
for turn in range(2):
    x = r + turn
"""


def kernel_of(body: str, folder: Path, name: str) -> JitFunction:
    path = folder / f"{name}.py"
    path.write_text(HEAD + textwrap.indent(body, "    "))
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    kernel: JitFunction = module.kernel
    return kernel


def hint_for(expression: str, folder: Path) -> str:
    kernel = kernel_of(f"k = {expression}\n", folder, "refused")
    try:
        kernel.emit("f32[64]", 2.0, 3)
    except errors.KernelError as error:
        return error.hint
    raise AssertionError(f"{expression} is taken")


OF_VECTORS = {
    "math.sqrt(r)": math.sqrt,
    "r ** -0.5": lambda x: x**-0.5,
    "math.exp(r)": math.exp,
    "math.log(r)": math.log,
}
OF_PIPES = {"math.tanh(r)": math.tanh, "math.sin(r)": math.sin, "r ** r": lambda x: x**1.5}


@pytest.mark.parametrize("soc", ["ascend910b", "ascend950"])
@pytest.mark.parametrize(("body", "functions"), [(PLACED, OF_VECTORS), (BODY, OF_PIPES)])
def test_recipes_for_numbers_are_right(
    body: str, functions: dict[str, Callable[[float], float]], soc: str, tmp_path: Path
) -> None:
    """Tensors that are placed by hand are enough, unless the hint says that the call needs a TPipe."""
    lines = []
    for number, expression in enumerate(functions):
        hint = hint_for(expression, tmp_path)
        found = re.search(r"asc\.duplicate.*", hint)
        assert found and ("that a TBuf gives" in hint) == (body is BODY)
        lines += [found[0], f"out_gm.set_value({number} + {len(functions)} * turn, y)"]
    kernel = kernel_of(body + textwrap.indent("\n".join(lines) + "\n", "    "), tmp_path, "right")
    out = np.zeros(2 * len(functions), np.float32)
    with settings.scope(soc=soc):
        kernel.check[1](out, 2.25, 3)
    assert not kernel.check.report().findings
    expected = [function(2.25 + turn) for turn in range(2) for function in functions.values()]
    np.testing.assert_allclose(out, expected, rtol=1e-5)
