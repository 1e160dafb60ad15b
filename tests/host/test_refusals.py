"""What cannot be compiled is refused with the author's file, line and column, a caret and a hint."""

import importlib.util
import textwrap
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from refused_functions import HEAD, REFUSED

from opwright.errors import KernelError
from opwright.host.compiler.compile import compile_infer

pytestmark = pytest.mark.quick

KINDS = {"x": "tensor", "w": "tensor?", "s": "shape", "n": "int", "r": "float", "t": "text", "d": "dtype?"}
KINDS |= {"c": "scalar", "g": "generator?"}
OF_THE_FUNCTION = ("no result", "too many results", "a number as the result")
OF_A_HELPER = ("recursion", "no result on a path", "results of two kinds")


def test_texts(golden: Callable[[str, str], None], tmp_path: Path) -> None:
    said: list[str] = []
    wrong: list[str] = []
    for name, body in REFUSED.items():
        error, column = _refused(body, tmp_path / f"{name.replace(' ', '_')}.py")
        assert error.at is not None
        assert error.hint, name
        if name not in OF_THE_FUNCTION + OF_A_HELPER:
            wrong += [] if error.at.column == column else [f"{name}\n{error}"]
        said.append(f"{name}:\n{str(error).replace(str(tmp_path), 'FOLDER')}\n")
    assert not wrong, "\n".join(wrong)
    golden("refusals.txt", "\n".join(said))


LAUNCH = """\
from opwright import host


def infer(x: host.Tensor, n: int):
    return host.like(x)


def launch(x: host.Tensor, n: int, y: host.Tensor, soc: host.Soc):
    return host.Launch("kernel", blocks=1)
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("n: int, y", "m: int, y", "a launch that takes (x, m, y, soc) cannot be used in a host function"),
        ("y: host.Tensor, soc", "soc", "a launch that takes (x, n, soc) cannot be used in a host function"),
        ('host.Launch("kernel", blocks=1)', "n", "a result of int for a launch cannot be used in a host function"),
        ("blocks=1", "blocks=1.5", "host.Launch does not take str"),
        ("blocks=1", 'blocks=1, arguments=("a",)', "host.Launch does not take str"),
        ('"kernel", blocks=1', "blocks=1", "missing a required argument: 'kernel'"),
        ("blocks=1", "blocks=soc.cores", "'cores' of a SoC cannot be used in a host function"),
    ],
)
def test_launches(old: str, new: str, said: str, tmp_path: Path) -> None:
    module = _module(LAUNCH.replace(old, new), tmp_path / "launches.py")
    with pytest.raises(KernelError) as caught:
        compile_infer("refused", module.infer, {"x": "tensor", "n": "int"}, 1, module.launch)
    assert said in str(caught.value)
    assert caught.value.at is not None
    assert caught.value.at.line >= 8
    assert caught.value.hint


def _module(text: str, path: Path) -> ModuleType:
    path.write_text(text)
    spec = importlib.util.spec_from_file_location("refused_host", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _refused(body: str, path: Path) -> tuple[KernelError, int]:
    """The error, and the column at which it must point."""
    module = _module(HEAD + textwrap.indent(body.replace("»", ""), "    ") + "\n", path)
    with pytest.raises(KernelError) as caught:
        compile_infer("refused", module.infer, KINDS, 1)
    line = next((one for one in body.split("\n") if "»" in one), "»")
    return caught.value, 4 + line.index("»")
